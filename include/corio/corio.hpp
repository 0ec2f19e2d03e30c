#pragma once

/// Rigid-body dynamics in the structure of its equations. This header includes everything but corio/io.

#include "corio/algorithms/aba.hpp"
#include "corio/algorithms/admissibility.hpp"
#include "corio/algorithms/center_of_mass.hpp"
#include "corio/algorithms/centroidal.hpp"
#include "corio/algorithms/christoffel_symbols.hpp"
#include "corio/algorithms/com_decoupled.hpp"
#include "corio/algorithms/connection.hpp"
#include "corio/algorithms/contorsion.hpp"
#include "corio/algorithms/coordinates.hpp"
#include "corio/algorithms/coriolis_by_differentiation.hpp"
#include "corio/algorithms/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis_matrix_derivatives.hpp"
#include "corio/algorithms/coriolis_matrix_dot.hpp"
#include "corio/algorithms/coriolis_product.hpp"
#include "corio/algorithms/crba.hpp"
#include "corio/algorithms/energy.hpp"
#include "corio/algorithms/energy_regressors.hpp"
#include "corio/algorithms/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/forward_dynamics_hessian.hpp"
#include "corio/algorithms/gravity_derivatives.hpp"
#include "corio/algorithms/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/inverse_dynamics_hessian.hpp"
#include "corio/algorithms/inverse_dynamics_second_derivatives.hpp"
#include "corio/algorithms/jacobian.hpp"
#include "corio/algorithms/jacobian_derivatives.hpp"
#include "corio/algorithms/mass_matrix_derivatives.hpp"
#include "corio/algorithms/mass_matrix_inverse.hpp"
#include "corio/algorithms/parameter_derivatives.hpp"
#include "corio/algorithms/regressor_products.hpp"
#include "corio/algorithms/rnea.hpp"
#include "corio/algorithms/structure_constants.hpp"
#include "corio/identification/estimate.hpp"
#include "corio/identification/log_cholesky.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/kinematics/configuration_derivatives.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/model/builder.hpp"
#include "corio/model/inertial_parameters.hpp"
#include "corio/model/zoo.hpp"
#include "corio/spatial/cross.hpp"

// Defined by the CMake targets corio::instances and corio::instances_float.
#ifdef CORIO_INSTANCES
#include "corio/instances.hpp"
#endif
#ifdef CORIO_INSTANCES_FLOAT
#include "corio/instances_float.hpp"
#endif
