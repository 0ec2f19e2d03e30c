#pragma once

#ifdef CORIO_WIDE
#error "corio: instances/wide_*.cpp must not be compiled in one piece with others (SKIP_UNITY_BUILD_INCLUSION)"
#endif
#ifndef CORIO_INSTANCES
#ifdef CORIO_ONE_VERSION
#error "corio: include corio/instances.hpp before other headers of corio, or define CORIO_INSTANCES for all sources"
#endif
#define CORIO_INSTANCES
#endif

#include "corio/core/version_table.hpp"
#include "corio/corio.hpp"
#include "corio/instances/derivatives.hpp"
#include "corio/instances/dynamics.hpp"
#include "corio/instances/model.hpp"
#include "corio/instances/regressors.hpp"

/// All that takes long to compile over double is declared here and compiled once, by instances/*_double.cpp, instead of
/// in every source file that calls it. The usual way is to link the CMake target corio::instances instead of
/// corio::corio: it adds those files to the target that links it, so they have its compiler flags, and makes
/// corio/corio.hpp include this header. Where many targets shall share the instances, one library of yours links
/// corio::instances PRIVATE, and the others link that library and corio::corio and include this header (a shared
/// library must not hide its symbols); all must then be compiled with the same options for vector registers (-march)
/// and the same macros of Eigen. Without CMake: include this header instead of corio/corio.hpp and compile those files
/// along with your own.
///
/// An "undefined reference" to a function of corio means that these files were not compiled and linked. What is not
/// listed, such as another scalar or a factorization of your own, is compiled where it is used, as without this header.
///
/// With GCC and Clang on x86-64 the algorithms are there twice unless the target's own flags have AVX2 and FMA:
/// programs that are compiled for every such processor, as distributions ship them, then run at most of the speed of
/// those compiled for the one they run on. Results differ by rounding. Which version runs is chosen when the program
/// starts: the plain one, too, if the environment has CORIO_REGISTERS=plain (some versions of Valgrind know not all of
/// AVX). instances/wide_*.cpp must be compiled without precompiled headers of corio, else there is the plain version
/// alone, and not in one piece with other files (CMake's UNITY_BUILD). corio::instances sees to both in targets of the
/// folder that calls find_package or, with add_subdirectory, of the top folder; elsewhere set their properties
/// SKIP_PRECOMPILE_HEADERS and SKIP_UNITY_BUILD_INCLUSION.
///
/// The lists, in instances/*.hpp, name classes and functions in both their forms, with the factorizations, tensors and
/// random generators that come with corio or the language. Of a class the members defined outside of it are spared.
namespace corio {

/// Whether algorithms over S (double, or with corio::instances_float float) run in their versions for AVX2 and FMA.
template <class S = double>
bool uses_wide_registers() {
#ifdef CORIO_HAS_VERSIONS
  if constexpr (detail::has_versions<S>) return detail::WideVersions<S>::used != nullptr;
#endif
  return false;
}
/// Makes them do so from the next call on, if there are such versions and the processor can, or not: so that digits do
/// not depend on whether it can. For the library or program that holds the instances, once main has begun.
template <class S = double>
void use_wide_registers([[maybe_unused]] bool use) {
#ifdef CORIO_HAS_VERSIONS
  if constexpr (detail::has_versions<S>)
    detail::WideVersions<S>::used = use ? detail::WideVersions<S>::available() : nullptr;
#endif
}

CORIO_INSTANCES_OF_MODEL(extern, double)
CORIO_INSTANCES_OF_DYNAMICS(extern, double)
CORIO_INSTANCES_OF_DERIVATIVES(extern, double)
CORIO_INSTANCES_OF_REGRESSORS(extern, double)

}  // namespace corio
