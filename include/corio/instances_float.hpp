#pragma once

// The lists by name: instances.hpp may be what includes this one.
#include "corio/instances.hpp"
#include "corio/instances/derivatives.hpp"
#include "corio/instances/dynamics.hpp"
#include "corio/instances/model.hpp"
#include "corio/instances/regressors.hpp"

/// As corio/instances.hpp, for float: the CMake target is corio::instances_float, the files are instances/*_float.cpp.
/// Those of double are needed, too: models of float are often made from them.
namespace corio {

extern template Model<float> Model<double>::cast() const;
CORIO_INSTANCES_OF_MODEL(extern, float)
CORIO_INSTANCES_OF_DYNAMICS(extern, float)
CORIO_INSTANCES_OF_DERIVATIVES(extern, float)
CORIO_INSTANCES_OF_REGRESSORS(extern, float)

}  // namespace corio
