#pragma once

#include "corio/core/abi.hpp"

/// The version of corio; CMake's package reads it from here. CHANGES.md, beside this file, lists the changes of each
/// version and says what the parts of a version number promise.

#define CORIO_VERSION_MAJOR 0
#define CORIO_VERSION_MINOR 1
#define CORIO_VERSION_PATCH 0

/// The version as one number that can be compared: 0.1.0 is 100, 1.2.3 is 10203.
///
///   #if CORIO_VERSION < CORIO_VERSION_NUMBER(0, 2, 0)
#define CORIO_VERSION CORIO_VERSION_NUMBER(CORIO_VERSION_MAJOR, CORIO_VERSION_MINOR, CORIO_VERSION_PATCH)
#define CORIO_VERSION_NUMBER(major, minor, patch) ((major)*10000 + (minor)*100 + (patch))

namespace corio { inline namespace CORIO_ABI {

/// The version of the headers that a program was compiled with, for logs: "0.1.0".
constexpr const char* version() {
#define CORIO_TEXT(x) #x
#define CORIO_VERSION_TEXT(major, minor, patch) CORIO_TEXT(major) "." CORIO_TEXT(minor) "." CORIO_TEXT(patch)
  return CORIO_VERSION_TEXT(CORIO_VERSION_MAJOR, CORIO_VERSION_MINOR, CORIO_VERSION_PATCH);
#undef CORIO_VERSION_TEXT
#undef CORIO_TEXT
}

}}  // namespace corio
