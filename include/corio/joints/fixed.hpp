#pragma once

#include "corio/core/abi.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// Rigid connection. The builder merges the child into its nearest moving ancestor and keeps a frame with its name.
struct Fixed {
  static constexpr const char* type = "fixed";
};

}}}  // namespace corio::joint
