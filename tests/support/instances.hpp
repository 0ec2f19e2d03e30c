#pragma once

#include <complex>
#include <random>

#include "corio/corio.hpp"
#include "corio/model/zoo.hpp"

/// What many tests need of the library over double and, for complex steps, over complex numbers is compiled once, in
/// instances.cpp, instead of in every test. Other scalars, and what is not named here, are compiled where they are
/// used: nothing depends on these lists but the time to compile. Overloads that begin with forward_kinematics are too
/// small to be named.
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
      const Model<S>&, Data<S>&, VectorIn<S>, ExternalForces<S>, DerivativeRoute);

#define CORIO_TEST_INSTANCES_OF_DOUBLE(EXTERN)                                                                     \
  EXTERN template Model<std::complex<double>> Model<double>::cast() const;                                         \
  EXTERN template Model<float> Model<double>::cast() const;                                                        \
  EXTERN template VectorX<double> random_configuration(const Model<double>&, std::mt19937&);                       \
  EXTERN template void difference(const Model<double>&, VectorIn<double>, VectorIn<double>, VectorOut<double>);    \
  EXTERN template Pose<double> body_pose(const Model<double>&, const Data<double>&, const Frame<double>&);         \
  EXTERN template Motion<double> body_velocity(const Model<double>&, const Data<double>&, const Frame<double>&,    \
                                               ReferenceFrame);                                                    \
  EXTERN template void body_jacobian(const Model<double>&, const Data<double>&, const Where<double>&,              \
                                     MatrixOut<double>);                                                           \
  EXTERN template void body_jacobian_dot(const Model<double>&, const Data<double>&, const Where<double>&,          \
                                         MatrixOut<double>);                                                       \
  EXTERN template void body_jacobian_ddot(const Model<double>&, const Data<double>&, const Where<double>&,         \
                                          MatrixOut<double>);                                                      \
  EXTERN template void body_jacobian_derivatives(const Model<double>&, const Data<double>&, const Where<double>&,  \
                                                 JacobianDerivatives<double>&);                                    \
  EXTERN template const Matrix3X<double>& com_jacobian(const Model<double>&, Data<double>&);                       \
  EXTERN template const Matrix6X<double>& centroidal_momentum_matrix(const Model<double>&, Data<double>&);         \
  EXTERN template const Matrix6X<double>& centroidal_momentum_matrix_dot(const Model<double>&, Data<double>&);     \
  EXTERN template double kinetic_energy(const Model<double>&, const Data<double>&);                                \
  EXTERN template double potential_energy(const Model<double>&, const Data<double>&);                              \
  EXTERN template const MatrixX<double>& mass_matrix_dot(const Model<double>&, Data<double>&);                     \
  EXTERN template const MatrixX<double>& mass_matrix_inverse(const Model<double>&, Data<double>&);                 \
  EXTERN template const VectorX<double>& coriolis_product(const Model<double>&, Data<double>&, VectorIn<double>,   \
                                                          const factorization::Christoffel&);                      \
  EXTERN template class ChristoffelTensor<double>;                                                                 \
  EXTERN template class PackedChristoffelTensor<double>;                                                           \
  EXTERN template void christoffel_symbols(const Model<double>&, Data<double>&, ChristoffelTensor<double>&);       \
  EXTERN template void christoffel_symbols(const Model<double>&, Data<double>&, PackedChristoffelTensor<double>&); \
  EXTERN template void structure_constants(const Model<double>&, Data<double>&, Tensor3<double>&);                 \
  EXTERN template void structure_constants_first_kind(const Model<double>&, Data<double>&, Tensor3<double>&);      \
  EXTERN template const InverseDynamicsHessian<double>& inverse_dynamics_hessian(                                  \
      const Model<double>&, Data<double>&, VectorIn<double>, ExternalForces<double>);                              \
  EXTERN template const ForwardDynamicsHessian<double>& detail::forward_dynamics_hessian(                          \
      const Model<double>&, Data<double>&, VectorIn<double>, VectorIn<double>, ExternalForces<double>);            \
  EXTERN template void inverse_dynamics_second_derivatives(                                                        \
      const Model<double>&, Data<double>&, InverseDynamicsSecondDerivatives<double>&, ExternalForces<double>);     \
  EXTERN template Model<double> zoo::serial_chain(int);                                                            \
  EXTERN template Model<double> zoo::tree(int, int);                                                               \
  EXTERN template Model<double> zoo::binary_tree(int);                                                             \
  EXTERN template Model<double> zoo::biped(int);                                                                   \
  EXTERN template Model<double> zoo::quadruped(int);                                                               \
  EXTERN template Model<double> zoo::humanoid();                                                                   \
  EXTERN template Model<double> zoo::random_tree(std::uint64_t, const zoo::RandomTree&);

namespace corio {

CORIO_TEST_INSTANCES(extern, double)
CORIO_TEST_INSTANCES(extern, std::complex<double>)
CORIO_TEST_INSTANCES_OF_DOUBLE(extern)

}  // namespace corio
