#pragma once

#include "corio/algorithms/aba.hpp"
#include "corio/algorithms/center_of_mass.hpp"
#include "corio/algorithms/centroidal.hpp"
#include "corio/algorithms/com_decoupled.hpp"
#include "corio/algorithms/coordinates.hpp"
#include "corio/algorithms/coriolis_by_differentiation.hpp"
#include "corio/algorithms/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis_matrix_dot.hpp"
#include "corio/algorithms/coriolis_product.hpp"
#include "corio/algorithms/crba.hpp"
#include "corio/algorithms/energy.hpp"
#include "corio/algorithms/jacobian.hpp"
#include "corio/algorithms/mass_matrix_inverse.hpp"
#include "corio/algorithms/rnea.hpp"

/// What is listed of the equations of motion, Jacobians and momentum: see corio/instances.hpp.
#define CORIO_INSTANCES_OF_DYNAMICS(EXTERN, S)                                                                         \
  /* rnea.hpp */                                                                                                       \
  EXTERN template const VectorX<S>& rnea(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>,             \
                                         ExternalForces<S>);                                                           \
  EXTERN template const VectorX<S>& rnea(const Model<S>&, Data<S>&, ExternalForces<S>);                                \
  EXTERN template const VectorX<S>& nonlinear_effects(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>);            \
  EXTERN template const VectorX<S>& nonlinear_effects(const Model<S>&, Data<S>&);                                      \
  EXTERN template const VectorX<S>& generalized_gravity(const Model<S>&, Data<S>&, VectorIn<S>);                       \
  EXTERN template const VectorX<S>& generalized_gravity(const Model<S>&, Data<S>&);                                    \
  /* aba.hpp */                                                                                                        \
  EXTERN template const VectorX<S>& aba(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>,              \
                                        ExternalForces<S>);                                                            \
  EXTERN template const VectorX<S>& aba(const Model<S>&, Data<S>&, VectorIn<S>, ExternalForces<S>);                    \
  /* crba.hpp */                                                                                                       \
  EXTERN template const MatrixX<S>& crba(const Model<S>&, Data<S>&, VectorIn<S>);                                      \
  EXTERN template const MatrixX<S>& crba(const Model<S>&, Data<S>&);                                                   \
  EXTERN template const MatrixX<S>& mass_matrix(const Model<S>&, Data<S>&, VectorIn<S>);                               \
  EXTERN template const MatrixX<S>& mass_matrix(const Model<S>&, Data<S>&);                                            \
  /* mass_matrix_inverse.hpp */                                                                                        \
  EXTERN template const MatrixX<S>& mass_matrix_inverse(const Model<S>&, Data<S>&, VectorIn<S>);                       \
  EXTERN template const MatrixX<S>& mass_matrix_inverse(const Model<S>&, Data<S>&);                                    \
  /* energy.hpp */                                                                                                     \
  EXTERN template S kinetic_energy(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>);                               \
  EXTERN template S kinetic_energy(const Model<S>&, const Data<S>&);                                                   \
  EXTERN template S potential_energy(const Model<S>&, Data<S>&, VectorIn<S>);                                          \
  EXTERN template S potential_energy(const Model<S>&, const Data<S>&);                                                 \
  /* coriolis_matrix.hpp */                                                                                            \
  EXTERN template const CoriolisMatrices<S>& coriolis_matrix(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,      \
                                                             const factorization::Christoffel&);                       \
  EXTERN template const CoriolisMatrices<S>& coriolis_matrix(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,      \
                                                             const factorization::Plain&);                             \
  EXTERN template const CoriolisMatrices<S>& coriolis_matrix(const Model<S>&, Data<S>&,                                \
                                                             const factorization::Christoffel&);                       \
  EXTERN template const CoriolisMatrices<S>& coriolis_matrix(const Model<S>&, Data<S>&, const factorization::Plain&);  \
  EXTERN template const MatrixX<S>& mass_matrix_dot(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>);              \
  EXTERN template const MatrixX<S>& mass_matrix_dot(const Model<S>&, Data<S>&);                                        \
  /* coriolis_matrix_dot.hpp */                                                                                        \
  EXTERN template const CoriolisMatricesDot<S>& coriolis_matrix_dot(                                                   \
      const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>, const factorization::Christoffel&);            \
  EXTERN template const CoriolisMatricesDot<S>& coriolis_matrix_dot(                                                   \
      const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>, const factorization::Plain&);                  \
  EXTERN template const CoriolisMatricesDot<S>& coriolis_matrix_dot(const Model<S>&, Data<S>&,                         \
                                                                    const factorization::Christoffel&);                \
  EXTERN template const CoriolisMatricesDot<S>& coriolis_matrix_dot(const Model<S>&, Data<S>&,                         \
                                                                    const factorization::Plain&);                      \
  /* coriolis_product.hpp */                                                                                           \
  EXTERN template const VectorX<S>& coriolis_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>, \
                                                     const factorization::Christoffel&);                               \
  EXTERN template const VectorX<S>& coriolis_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>, \
                                                     const factorization::Plain&);                                     \
  EXTERN template const VectorX<S>& coriolis_product(const Model<S>&, Data<S>&, VectorIn<S>,                           \
                                                     const factorization::Christoffel&);                               \
  EXTERN template const VectorX<S>& coriolis_product(const Model<S>&, Data<S>&, VectorIn<S>,                           \
                                                     const factorization::Plain&);                                     \
  EXTERN template const VectorX<S>& coriolis_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,    \
                                                               VectorIn<S>, const factorization::Christoffel&);        \
  EXTERN template const VectorX<S>& coriolis_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,    \
                                                               VectorIn<S>, const factorization::Plain&);              \
  EXTERN template const VectorX<S>& coriolis_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>,                 \
                                                               const factorization::Christoffel&);                     \
  EXTERN template const VectorX<S>& coriolis_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>,                 \
                                                               const factorization::Plain&);                           \
  /* coriolis_by_differentiation.hpp */                                                                                \
  EXTERN template void coriolis_matrix_by_differentiation(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,         \
                                                          MatrixX<S>&);                                                \
  /* com_decoupled.hpp */                                                                                              \
  EXTERN template struct ComDecoupled<S>;                                                                              \
  EXTERN template void com_decoupled(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, ComDecoupled<S>&);           \
  EXTERN template void com_decoupled(const Model<S>&, Data<S>&, ComDecoupled<S>&);                                     \
  /* coordinates.hpp */                                                                                                \
  EXTERN template void change_of_coordinates(const EquationsOfMotion<S>&, MatrixIn<S>, MatrixIn<S>, MatrixX<S>&,       \
                                             EquationsOfMotion<S>&);                                                   \
  /* jacobian.hpp */                                                                                                   \
  EXTERN template class JacobianDerivatives<S>;                                                                        \
  EXTERN template void body_jacobian(const Model<S>&, Data<S>&, VectorIn<S>, const Where<std::type_identity_t<S>>&,    \
                                     MatrixOut<S>);                                                                    \
  EXTERN template void body_jacobian(const Model<S>&, const Data<S>&, const Where<std::type_identity_t<S>>&,           \
                                     MatrixOut<S>);                                                                    \
  EXTERN template void body_jacobian_dot(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,                          \
                                         const Where<std::type_identity_t<S>>&, MatrixOut<S>);                         \
  EXTERN template void body_jacobian_dot(const Model<S>&, const Data<S>&, const Where<std::type_identity_t<S>>&,       \
                                         MatrixOut<S>);                                                                \
  EXTERN template void body_jacobian_ddot(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>,            \
                                          const Where<std::type_identity_t<S>>&, MatrixOut<S>);                        \
  EXTERN template void body_jacobian_ddot(const Model<S>&, const Data<S>&, const Where<std::type_identity_t<S>>&,      \
                                          MatrixOut<S>);                                                               \
  EXTERN template void body_jacobian_derivatives(const Model<S>&, Data<S>&, VectorIn<S>,                               \
                                                 const Where<std::type_identity_t<S>>&, JacobianDerivatives<S>&);      \
  EXTERN template void body_jacobian_derivatives(const Model<S>&, const Data<S>&,                                      \
                                                 const Where<std::type_identity_t<S>>&, JacobianDerivatives<S>&);      \
  /* center_of_mass.hpp */                                                                                             \
  EXTERN template Vector3<S> center_of_mass(const Model<S>&, Data<S>&, VectorIn<S>);                                   \
  EXTERN template Vector3<S> center_of_mass(const Model<S>&, const Data<S>&);                                          \
  EXTERN template Vector3<S> center_of_mass_velocity(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>);             \
  EXTERN template Vector3<S> center_of_mass_velocity(const Model<S>&, const Data<S>&);                                 \
  EXTERN template Vector3<S> center_of_mass_acceleration(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,          \
                                                         VectorIn<S>);                                                 \
  EXTERN template Vector3<S> center_of_mass_acceleration(const Model<S>&, const Data<S>&);                             \
  EXTERN template const Matrix3X<S>& com_jacobian(const Model<S>&, Data<S>&, VectorIn<S>);                             \
  EXTERN template const Matrix3X<S>& com_jacobian(const Model<S>&, Data<S>&);                                          \
  EXTERN template const Matrix3X<S>& com_jacobian_dot(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>);            \
  EXTERN template const Matrix3X<S>& com_jacobian_dot(const Model<S>&, Data<S>&);                                      \
  /* centroidal.hpp */                                                                                                 \
  EXTERN template const Matrix6X<S>& centroidal_momentum_matrix(const Model<S>&, Data<S>&, VectorIn<S>);               \
  EXTERN template const Matrix6X<S>& centroidal_momentum_matrix(const Model<S>&, Data<S>&);                            \
  EXTERN template const Matrix6X<S>& centroidal_momentum_matrix_dot(const Model<S>&, Data<S>&, VectorIn<S>,            \
                                                                    VectorIn<S>);                                      \
  EXTERN template const Matrix6X<S>& centroidal_momentum_matrix_dot(const Model<S>&, Data<S>&);                        \
  EXTERN template Force<S> centroidal_momentum(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>);                   \
  EXTERN template Force<S> centroidal_momentum(const Model<S>&, const Data<S>&);                                       \
  EXTERN template Force<S> centroidal_momentum_dot(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>);  \
  EXTERN template Force<S> centroidal_momentum_dot(const Model<S>&, const Data<S>&);
