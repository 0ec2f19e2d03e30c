#pragma once

#include <complex>

#include "corio/instances.hpp"

/// What many tests need over complex numbers, for complex steps, is compiled once, in instances.cpp, like all that
/// corio/instances.hpp lists for double, instead of in every test. Other scalars, and what is not named here, are
/// compiled where they are used: nothing depends on this list but the time to compile. Overloads that begin with
/// forward_kinematics are too small to be named.
#define CORIO_TEST_INSTANCES(EXTERN, S)                                                                        \
  EXTERN template class Model<S>;                                                                              \
  EXTERN template class Data<S>;                                                                               \
  EXTERN template class ModelBuilder<S>;                                                                       \
  EXTERN template class ExternalForce<S>;                                                                      \
  EXTERN template VectorX<S> neutral(const Model<S>&);                                                         \
  EXTERN template void integrate(const Model<S>&, VectorIn<S>, VectorIn<S>, VectorOut<S>);                     \
  EXTERN template void detail::kinematics_pass(const Model<S>&, Data<S>&, Pass, const S*, const S*, const S*); \
  EXTERN template void detail::world_inertias(const Model<S>&, Data<S>&);                                      \
  EXTERN template void detail::composite_inertias(const Model<S>&, Data<S>&);                                  \
  EXTERN template void detail::composite_coriolis(const Model<S>&, Data<S>&);                                  \
  EXTERN template const VectorX<S>& rnea(const Model<S>&, Data<S>&, ExternalForces<S>);                        \
  EXTERN template const VectorX<S>& nonlinear_effects(const Model<S>&, Data<S>&);                              \
  EXTERN template const VectorX<S>& generalized_gravity(const Model<S>&, Data<S>&);                            \
  EXTERN template const VectorX<S>& aba(const Model<S>&, Data<S>&, VectorIn<S>, ExternalForces<S>);            \
  EXTERN template const MatrixX<S>& crba(const Model<S>&, Data<S>&);                                           \
  EXTERN template const CoriolisMatrices<S>& coriolis_matrix(const Model<S>&, Data<S>&,                        \
                                                             const factorization::Christoffel&);               \
  EXTERN template const InverseDynamicsDerivatives<S>& inverse_dynamics_derivatives(const Model<S>&, Data<S>&, \
                                                                                    ExternalForces<S>);        \
  EXTERN template const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(                           \
      const Model<S>&, Data<S>&, VectorIn<S>, ExternalForces<S>, DerivativeRoute);                             \
  EXTERN template Model<S> Model<double>::cast() const;

namespace corio {

CORIO_TEST_INSTANCES(extern, std::complex<double>)
extern template Model<float> Model<double>::cast() const;

}  // namespace corio
