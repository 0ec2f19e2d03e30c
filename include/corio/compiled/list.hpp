#pragma once

#include "corio/core/compiled.hpp"

/// What corio/corio.hpp has of the templates that are compiled once (core/compiled.hpp). Headers that it does not
/// include end with lists of their own.

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
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ForwardDynamicsHessian<S>)
