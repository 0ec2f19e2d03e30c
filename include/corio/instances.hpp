#pragma once


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
/// The lists, in instances/*.hpp, name classes and functions in both their forms, with the factorizations, tensors and
/// random generators that come with corio or the language. Of a class the members defined outside of it are spared.
namespace corio {

CORIO_INSTANCES_OF_MODEL(extern, double)
CORIO_INSTANCES_OF_DYNAMICS(extern, double)
CORIO_INSTANCES_OF_DERIVATIVES(extern, double)
CORIO_INSTANCES_OF_REGRESSORS(extern, double)

}  // namespace corio
