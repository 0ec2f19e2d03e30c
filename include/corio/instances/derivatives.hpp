#pragma once

#include "corio/algorithms/christoffel_symbols.hpp"
#include "corio/algorithms/connection.hpp"
#include "corio/algorithms/coriolis_matrix_derivatives.hpp"
#include "corio/algorithms/forward_dynamics_derivatives.hpp"
#include "corio/algorithms/forward_dynamics_hessian.hpp"
#include "corio/algorithms/gravity_derivatives.hpp"
#include "corio/algorithms/inverse_dynamics_derivatives.hpp"
#include "corio/algorithms/inverse_dynamics_hessian.hpp"
#include "corio/algorithms/inverse_dynamics_second_derivatives.hpp"
#include "corio/algorithms/mass_matrix_derivatives.hpp"
#include "corio/algorithms/structure_constants.hpp"

/// What is listed of Christoffel symbols, the connection and derivatives: see corio/instances.hpp.
#define CORIO_INSTANCES_OF_DERIVATIVES(EXTERN, S)                                                                    \
  /* gravity_derivatives.hpp */                                                                                      \
  EXTERN template const VectorX<S>& gravity_dot(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>);                \
  EXTERN template const VectorX<S>& gravity_dot(const Model<S>&, Data<S>&);                                          \
  EXTERN template const MatrixX<S>& gravity_derivatives(const Model<S>&, Data<S>&, VectorIn<S>);                     \
  EXTERN template const MatrixX<S>& gravity_derivatives(const Model<S>&, Data<S>&);                                  \
  /* christoffel_symbols.hpp */                                                                                      \
  EXTERN template class ChristoffelTensor<S>;                                                                        \
  EXTERN template class PackedChristoffelTensor<S>;                                                                  \
  EXTERN template void christoffel_symbols(const Model<S>&, Data<S>&, VectorIn<S>, ChristoffelTensor<S>&);           \
  EXTERN template void christoffel_symbols(const Model<S>&, Data<S>&, VectorIn<S>, PackedChristoffelTensor<S>&);     \
  EXTERN template void christoffel_symbols(const Model<S>&, Data<S>&, ChristoffelTensor<S>&);                        \
  EXTERN template void christoffel_symbols(const Model<S>&, Data<S>&, PackedChristoffelTensor<S>&);                  \
  /* mass_matrix_derivatives.hpp */                                                                                  \
  EXTERN template class MassMatrixDerivatives<S>;                                                                    \
  EXTERN template class PackedMassMatrixDerivatives<S>;                                                              \
  EXTERN template void mass_matrix_derivatives(const Model<S>&, Data<S>&, VectorIn<S>, MassMatrixDerivatives<S>&);   \
  EXTERN template void mass_matrix_derivatives(const Model<S>&, Data<S>&, VectorIn<S>,                               \
                                               PackedMassMatrixDerivatives<S>&);                                     \
  EXTERN template void mass_matrix_derivatives(const Model<S>&, Data<S>&, MassMatrixDerivatives<S>&);                \
  EXTERN template void mass_matrix_derivatives(const Model<S>&, Data<S>&, PackedMassMatrixDerivatives<S>&);          \
  /* coriolis_matrix_derivatives.hpp */                                                                              \
  EXTERN template class CoriolisMatrixDerivatives<S>;                                                                \
  EXTERN template class PackedCoriolisMatrixDerivatives<S>;                                                          \
  EXTERN template void coriolis_matrix_derivatives(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,              \
                                                   CoriolisMatrixDerivatives<S>&);                                   \
  EXTERN template void coriolis_matrix_derivatives(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,              \
                                                   PackedCoriolisMatrixDerivatives<S>&);                             \
  EXTERN template void coriolis_matrix_derivatives(const Model<S>&, Data<S>&, CoriolisMatrixDerivatives<S>&);        \
  EXTERN template void coriolis_matrix_derivatives(const Model<S>&, Data<S>&, PackedCoriolisMatrixDerivatives<S>&);  \
  /* structure_constants.hpp */                                                                                      \
  EXTERN template void structure_constants(const Model<S>&, Data<S>&, VectorIn<S>, Tensor3<S>&);                     \
  EXTERN template void structure_constants(const Model<S>&, Data<S>&, Tensor3<S>&);                                  \
  EXTERN template void structure_constants_first_kind(const Model<S>&, Data<S>&, VectorIn<S>, Tensor3<S>&);          \
  EXTERN template void structure_constants_first_kind(const Model<S>&, Data<S>&, Tensor3<S>&);                       \
  /* connection.hpp */                                                                                               \
  EXTERN template void christoffel_symbols_second_kind(const Model<S>&, Data<S>&, const ChristoffelTensor<S>&,       \
                                                       Tensor3<S>&);                                                 \
  EXTERN template void symmetric_part(const Tensor3<S>&, Tensor3<S>&);                                               \
  EXTERN template const VectorX<S>& covariant_derivative(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,        \
                                                         VectorIn<S>, VectorIn<S>);                                  \
  EXTERN template const VectorX<S>& covariant_derivative(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>);       \
  EXTERN template const VectorX<S>& geodesic_residual(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,           \
                                                      VectorIn<S>);                                                  \
  EXTERN template void contorsion(const Model<S>&, Data<S>&, VectorIn<S>, const factorization::Christoffel&,         \
                                  Tensor3<S>&);                                                                      \
  EXTERN template void contorsion(const Model<S>&, Data<S>&, VectorIn<S>, const factorization::Plain&, Tensor3<S>&); \
  EXTERN template ContorsionDefects contorsion_defects(const Tensor3<S>&);                                           \
  /* inverse_dynamics_derivatives.hpp */                                                                             \
  EXTERN template const InverseDynamicsDerivatives<S>& inverse_dynamics_derivatives(                                 \
      const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>, ExternalForces<S>);                          \
  EXTERN template const InverseDynamicsDerivatives<S>& inverse_dynamics_derivatives(const Model<S>&, Data<S>&,       \
                                                                                    ExternalForces<S>);              \
  /* inverse_dynamics_hessian.hpp */                                                                                 \
  EXTERN template const InverseDynamicsHessian<S>& inverse_dynamics_hessian(                                         \
      const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>, VectorIn<S>, ExternalForces<S>);             \
  EXTERN template const InverseDynamicsHessian<S>& inverse_dynamics_hessian(const Model<S>&, Data<S>&, VectorIn<S>,  \
                                                                            ExternalForces<S>);                      \
  /* inverse_dynamics_second_derivatives.hpp */                                                                      \
  EXTERN template class InverseDynamicsSecondDerivatives<S>;                                                         \
  EXTERN template void inverse_dynamics_second_derivatives(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,      \
                                                           VectorIn<S>, InverseDynamicsSecondDerivatives<S>&,        \
                                                           ExternalForces<S>);                                       \
  EXTERN template void inverse_dynamics_second_derivatives(const Model<S>&, Data<S>&,                                \
                                                           InverseDynamicsSecondDerivatives<S>&, ExternalForces<S>); \
  /* forward_dynamics_derivatives.hpp */                                                                             \
  EXTERN template const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(                                 \
      const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>, ExternalForces<S>, DerivativeRoute);         \
  EXTERN template const ForwardDynamicsDerivatives<S>& forward_dynamics_derivatives(                                 \
      const Model<S>&, Data<S>&, VectorIn<S>, ExternalForces<S>, DerivativeRoute);                                   \
  /* forward_dynamics_hessian.hpp */                                                                                 \
  EXTERN template const ForwardDynamicsHessian<S>& forward_dynamics_hessian(                                         \
      const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>, VectorIn<S>, ExternalForces<S>);             \
  EXTERN template const ForwardDynamicsHessian<S>& forward_dynamics_hessian(const Model<S>&, Data<S>&, VectorIn<S>,  \
                                                                            VectorIn<S>, ExternalForces<S>);
