#pragma once

#include <complex>

#include "corio/corio.hpp"

/// compiled.cpp compiles once the functions that many tests need over complex numbers, for complex steps, as the list
/// of corio/corio.hpp does for double and float. Other scalars, and functions not named there, are compiled in each
/// test that uses them: only the time to compile depends on this list. It has only those entries of the list of
/// corio/corio.hpp that tests call over complex numbers.
#define CORIO_TEST_COMPILED(EXTERN, S)                                                                         \
  CORIO_COMPILED_MODEL(EXTERN, S)                                                                              \
  EXTERN template void detail::body_forces(const Model<S>&, const Data<S>&, const PerNode<Motion<S>>&,         \
                                           ExternalForces<S>, PerNode<Force<S>>&);                             \
  EXTERN template class detail::ArticulatedFactor<S>;                                                          \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Rnea<S>)                                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, NonlinearEffects<S>)                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GeneralizedGravity<S>)                                                   \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Crba<S>)                                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Aba<S>)                                                                  \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, HybridDynamics<S>)                                                       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixInverse<S>)                                                    \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, PassiveForces<S>)                                                        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, PassiveForceDerivatives<S>)                                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Step<S>)                                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrix<S>)                                                       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrix<S, factorization::Plain>)                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, MassMatrixDot<S>)                                                        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CoriolisMatrixDot<S>)                                                    \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, GeneralizedMomentum<S>)                                                  \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ComJacobian<S>)                                                          \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ComJacobianDot<S>)                                                       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, CentroidalMomentumMatrix<S>)                                             \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, Regressor<S>)                                                            \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ChristoffelSymbols<S>)                                                   \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, InverseDynamicsDerivatives<S>)                                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, ForwardDynamicsDerivatives<S>)                                           \
  EXTERN template void body_jacobian(const Model<S>&, const Data<S>&, const FramePoint<S>&, MatrixOut<S>);     \
  EXTERN template void body_jacobian_dot(const Model<S>&, const Data<S>&, const FramePoint<S>&, MatrixOut<S>); \
  EXTERN template class ExternalForce<S>;

namespace corio {

CORIO_TEST_COMPILED(extern, std::complex<double>)

}  // namespace corio
