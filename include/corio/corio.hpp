#pragma once

/// Includes the functions of trees that most programs call, and Eigen/Dense: without Eigen/Dense, programs that use
/// cross, ldlt or eigenvalues of Eigen compile but do not link.
///
/// Not in here, to be included by name: readers and writers of files (corio/io), closed loops (corio/loops, with
/// inverse kinematics) and mechanisms (corio/mechanism), control laws and observers (corio/control), batches and packs
/// of states (corio/batch), sample mechanisms and random trees (corio/zoo), identification from recordings and on many
/// machines (corio/identification), and functions for study and for checks, such as is_admissible, hamel_equations or
/// ComplexStep: guide/functions.md lists them. Only this header has reserve_all.

#include <Eigen/Dense>

// Results are references into Data. GCC takes them for references to the Eigen::Ref that a vector became as an argument
// and warns wherever a result is given a name, unless the warning is off here, at the declarations of these functions.
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
#include "corio/core/compiled.hpp"
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

// The templates included here that corio::compiled compiles once (core/compiled.hpp). Other headers end with lists of
// their own.

#define CORIO_COMPILED_MODEL(EXTERN, S)                                                                       \
  EXTERN template class Model<S>;                                                                             \
  EXTERN template Model<S> Model<double>::cast() const;                                                       \
  EXTERN template class ModelBuilder<S>;                                                                      \
  EXTERN template class Loops<S>;                                                                             \
  EXTERN template class Data<S>;                                                                              \
  EXTERN template void detail::throw_number_count(const char*, Eigen::Index, const detail::Speeds<Model<S>>&, \
                                                  const char*);                                               \
  EXTERN template void detail::kinematics_pass(const Model<S>&, Data<S>&, Pass, int);                         \
  EXTERN template Data<S>& detail::find_state(const Model<S>&, Data<S>&, Pass, int, VectorIn<S>, VectorIn<S>, \
                                              VectorIn<S>, const char*);                                      \
  EXTERN template VectorX<S> neutral(const Model<S>&);                                                        \
  EXTERN template void detail::compute_body_inertias(const Model<S>&, Data<S>&);                              \
  EXTERN template void detail::compute_composite_inertias(const Model<S>&, Data<S>&);                         \
  EXTERN template void detail::compute_composite_coriolis(const Model<S>&, Data<S>&);                         \
  EXTERN template Model<S> zoo::serial_chain(int);                                                            \
  EXTERN template Model<S> zoo::tree(int, int);                                                               \
  EXTERN template Model<S> zoo::binary_tree(int);                                                             \
  EXTERN template Model<S> zoo::biped(int);                                                                   \
  EXTERN template Model<S> zoo::quadruped(int);                                                               \
  EXTERN template Model<S> zoo::humanoid();                                                                   \
  EXTERN template Model<S> attach(const Model<S>&, const std::string&, const Model<S>&, const std::string&);  \
  EXTERN template std::string describe(const Model<S>&);                                                      \
  EXTERN template void integrate(const Model<S>&, VectorIn<S>, VectorIn<S>, VectorOut<S>);                    \
  EXTERN template void difference(const Model<S>&, VectorIn<S>, VectorIn<S>, VectorOut<S>);

#define CORIO_COMPILED_IDENTIFICATION(EXTERN, S)  \
  EXTERN template class StreamingLeastSquares<S>; \
  EXTERN template class BaseParameters<S>;

#define CORIO_COMPILED_DYNAMICS(EXTERN, S)                                                                         \
  EXTERN template void detail::body_forces(const Model<S>&, const Data<S>&, const PerNode<Motion<S>>&,             \
                                           ExternalForces<S>, PerNode<Force<S>>&);                                 \
  EXTERN template class detail::ArticulatedFactor<S>;                                                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Rnea<S>)                                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, NonlinearEffects<S>)                                                         \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GeneralizedGravity<S>)                                                       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Crba<S>)                                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Aba<S>)                                                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, JointReactions<S>)                                                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, HybridDynamics<S>)                                                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixInverse<S>)                                                        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixInverseProduct<S>)                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixInverseProducts<S>)                                                \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, PassiveForces<S>)                                                            \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, PassiveForceDerivatives<S>)                                                  \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, FrictionStep<S>)                                                             \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Step<S>)                                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Energy<S>)                                                                   \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrix<S>)                                                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrix<S, factorization::Plain>)                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixDot<S>)                                                            \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrixDot<S>)                                                        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrixDot<S, factorization::Plain>)                                  \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisProduct<S>)                                                          \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisProduct<S, factorization::Plain>)                                    \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisTransposeProduct<S>)                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisTransposeProduct<S, factorization::Plain>)                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, SlotineLiInverseDynamics<S>)                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GeneralizedMomentum<S>)                                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ComJacobian<S>)                                                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ComJacobianDot<S>)                                                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CentroidalMomentumMatrix<S>)                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CentroidalMomentumMatrixDot<S>)                                              \
  EXTERN template struct detail::ReferenceMotions<S>;                                                              \
  EXTERN template detail::ReferenceMotions<S>& detail::Memory::make<detail::ReferenceMotions<S>>(const Model<S>&); \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Regressor<S>)                                                                \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, RegressorProduct<S>)                                                         \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, RegressorTransposeProduct<S>)                                                \
  EXTERN template void body_jacobian(const Model<S>&, const Data<S>&, const FramePoint<S>&, MatrixOut<S>);         \
  EXTERN template void body_jacobian_dot(const Model<S>&, const Data<S>&, const FramePoint<S>&, MatrixOut<S>);     \
  EXTERN template class Simulation<S>;

#define CORIO_COMPILED_DERIVATIVES(EXTERN, S)                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GravityDot<S>)                       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GravityDerivatives<S>)               \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ChristoffelSymbols<S>)               \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, PackedChristoffelSymbols<S>)         \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ChristoffelSymbolsSecondKind<S>)     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CovariantDerivative<S>)              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GeodesicResidual<S>)                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, StructureConstantsFirstKind<S>)      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixDerivatives<S>)            \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrixDerivatives<S>)        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, InverseDynamicsDerivatives<S>)       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CentroidalMomentumDerivatives<S>)    \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, InverseDynamicsHessian<S>)           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, InverseDynamicsSecondDerivatives<S>) \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ForwardDynamicsDerivatives<S>)       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, HybridDynamicsDerivatives<S>)        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ForwardDynamicsHessian<S>)

CORIO_DECLARE_COMPILED(MODEL)
CORIO_DECLARE_COMPILED(DYNAMICS)
CORIO_DECLARE_COMPILED(DERIVATIVES)
CORIO_DECLARE_COMPILED(IDENTIFICATION)

}}  // namespace corio

#if __GNUC__ >= 13
#pragma GCC diagnostic pop
#endif
