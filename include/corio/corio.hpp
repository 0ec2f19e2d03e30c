#pragma once

/// The functions of trees that most programs call. It also includes Eigen/Dense: without it, programs that use cross,
/// ldlt or eigenvalues of Eigen compile but do not link.
///
/// Not in here, to be included by name: readers and writers of files (corio/io), closed loops (corio/loops, with
/// inverse kinematics) and mechanisms (corio/mechanism), control laws and observers (corio/control), batches and packs
/// of states (corio/batch), sample mechanisms and random trees (corio/zoo), identification from recordings and on many
/// machines (corio/identification), and functions for study and for checks, such as is_admissible, hamel_equations or
/// ComplexStep: guide/functions.md lists them. Only this header has reserve_all.

#include <Eigen/Dense>

// Results are references into Data. GCC takes them for references to the Eigen::Ref that a vector became as an argument
// and warns wherever a result is given a name, unless it is told here, at the declarations of these functions.
#if __GNUC__ >= 13
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-reference"
#endif

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis/coriolis_matrix_dot.hpp"
#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "corio/algorithms/coriolis/mass_matrix_dot.hpp"
#include "corio/algorithms/coriolis/slotine_li_inverse_dynamics.hpp"
#include "corio/algorithms/derivatives/body_acceleration_derivatives.hpp"
#include "corio/algorithms/derivatives/body_velocity_derivatives.hpp"
#include "corio/algorithms/derivatives/centroidal_momentum_derivatives.hpp"
#include "corio/algorithms/derivatives/coriolis_matrix_derivatives.hpp"
#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/forward_dynamics_hessian.hpp"
#include "corio/algorithms/derivatives/gravity_derivatives.hpp"
#include "corio/algorithms/derivatives/hybrid_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_hessian.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_second_derivatives.hpp"
#include "corio/algorithms/derivatives/jacobian_derivatives.hpp"
#include "corio/algorithms/derivatives/mass_matrix_derivatives.hpp"
#include "corio/algorithms/derivatives/passive_force_derivatives.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/center_of_mass.hpp"
#include "corio/algorithms/dynamics/centroidal.hpp"
#include "corio/algorithms/dynamics/com_jacobian.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/energy.hpp"
#include "corio/algorithms/dynamics/generalized_momentum.hpp"
#include "corio/algorithms/dynamics/hybrid_dynamics.hpp"
#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/algorithms/dynamics/joint_reactions.hpp"
#include "corio/algorithms/dynamics/mass_matrix_inverse.hpp"
#include "corio/algorithms/dynamics/mass_matrix_inverse_product.hpp"
#include "corio/algorithms/dynamics/passive_forces.hpp"
#include "corio/algorithms/dynamics/position_jacobian.hpp"
#include "corio/algorithms/dynamics/relative_jacobian.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/algorithms/dynamics/subtree_com.hpp"
#include "corio/algorithms/geometry/christoffel_symbols.hpp"
#include "corio/algorithms/geometry/connection.hpp"
#include "corio/algorithms/geometry/structure_constants.hpp"
#include "corio/algorithms/regressors/body_parameter_derivatives.hpp"
#include "corio/algorithms/regressors/energy_regressors.hpp"
#include "corio/algorithms/regressors/factorized_regressor.hpp"
#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/algorithms/regressors/parameter_derivatives.hpp"
#include "corio/algorithms/regressors/regressor_products.hpp"
#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/cartesian/generalized_configuration.hpp"
#include "corio/compiled/list.hpp"
#include "corio/identification/estimate.hpp"
#include "corio/identification/log_cholesky.hpp"
#include "corio/interop/conversion.hpp"
#include "corio/joints/composite.hpp"
#include "corio/joints/euler_angles.hpp"
#include "corio/joints/exponential_coordinates.hpp"
#include "corio/joints/free_flyer.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/kinematics/configuration_derivatives.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/kinematics/joint_conditioning.hpp"
#include "corio/model/builder.hpp"
#include "corio/model/describe.hpp"
#include "corio/model/edit.hpp"
#include "corio/model/edit_maps.hpp"
#include "corio/model/edit_reroot.hpp"
#include "corio/model/inertial_parameters.hpp"
#include "corio/model/joint_geometry.hpp"
#include "corio/simulation/simulation.hpp"
#include "corio/spatial/cross.hpp"
#include "corio/spatial/groups.hpp"
#include "corio/version.hpp"
#include "corio/zoo/zoo.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Creates the results and scratch of every algorithm included here in Data (see reserve), so that no first call
/// allocates. O(n^2) numbers.
template <class S>
void reserve_all(const Model<S>& model, Data<S>& data) {
  namespace all = algorithm;
  reserve<all::Rnea, all::NonlinearEffects, all::GeneralizedGravity, all::Crba, all::Aba, all::MassMatrixInverse,
          all::MassMatrixInverseProduct, all::MassMatrixInverseProducts, all::PassiveForces,
          all::PassiveForceDerivatives, all::CoriolisMatrix, all::MassMatrixDot, all::CoriolisMatrixDot,
          all::CoriolisProduct, all::CoriolisTransposeProduct, all::SlotineLiInverseDynamics, all::GeneralizedMomentum,
          all::ComJacobian, all::ComJacobianDot, all::CentroidalMomentumMatrix, all::CentroidalMomentumMatrixDot,
          all::CentroidalMomentumDerivatives, all::Regressor, all::RegressorProduct, all::RegressorTransposeProduct,
          all::GravityDot, all::GravityDerivatives, all::ChristoffelSymbols, all::PackedChristoffelSymbols,
          all::ChristoffelSymbolsSecondKind, all::CovariantDerivative, all::GeodesicResidual,
          all::StructureConstantsFirstKind, all::MassMatrixDerivatives, all::CoriolisMatrixDerivatives,
          all::InverseDynamicsDerivatives, all::InverseDynamicsHessian, all::InverseDynamicsSecondDerivatives,
          all::ForwardDynamicsDerivatives, all::ForwardDynamicsHessian, all::JointReactions, all::HybridDynamics,
          all::HybridDynamicsDerivatives, all::Step, all::Energy>(model, data);
}

CORIO_DECLARE_COMPILED(MODEL)
CORIO_DECLARE_COMPILED(DYNAMICS)
CORIO_DECLARE_COMPILED(DERIVATIVES)
CORIO_DECLARE_COMPILED(IDENTIFICATION)

}}  // namespace corio

#if __GNUC__ >= 13
#pragma GCC diagnostic pop
#endif
