#pragma once

#include "corio/algorithms/energy_regressors.hpp"
#include "corio/algorithms/parameter_derivatives.hpp"
#include "corio/algorithms/regressor_products.hpp"
#include "corio/algorithms/regressors.hpp"
#include "corio/identification/estimate.hpp"
#include "corio/identification/log_cholesky.hpp"

/// What is listed of regressors and identification: see corio/instances.hpp.
#define CORIO_INSTANCES_OF_REGRESSORS(EXTERN, S)                                                                       \
  /* regressors.hpp */                                                                                                 \
  EXTERN template void inverse_dynamics_regressor(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>,    \
                                                  MatrixOut<S>, const BodySelection&);                                 \
  EXTERN template void inverse_dynamics_regressor(const Model<S>&, Data<S>&, MatrixOut<S>, const BodySelection&);      \
  EXTERN template void slotine_li_regressor(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>,          \
                                            VectorIn<S>, MatrixOut<S>, const BodySelection&);                          \
  EXTERN template void slotine_li_regressor(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, MatrixOut<S>,         \
                                            const BodySelection&);                                                     \
  EXTERN template void momentum_regressor(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, MatrixOut<S>,           \
                                          const BodySelection&);                                                       \
  EXTERN template void momentum_regressor(const Model<S>&, Data<S>&, MatrixOut<S>, const BodySelection&);              \
  EXTERN template void coriolis_transpose_regressor(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, MatrixOut<S>, \
                                                    const BodySelection&);                                             \
  EXTERN template void coriolis_transpose_regressor(const Model<S>&, Data<S>&, MatrixOut<S>, const BodySelection&);    \
  EXTERN template void gravity_regressor(const Model<S>&, Data<S>&, VectorIn<S>, MatrixOut<S>, const BodySelection&);  \
  EXTERN template void gravity_regressor(const Model<S>&, Data<S>&, MatrixOut<S>, const BodySelection&);               \
  /* regressor_products.hpp */                                                                                         \
  EXTERN template const VectorX<S>& inverse_dynamics_regressor_product(                                                \
      const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>, VectorIn<S>, const BodySelection&);            \
  EXTERN template const VectorX<S>& inverse_dynamics_regressor_product(const Model<S>&, Data<S>&, VectorIn<S>,         \
                                                                       const BodySelection&);                          \
  EXTERN template void inverse_dynamics_regressor_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>,            \
                                                                    VectorIn<S>, VectorIn<S>, VectorIn<S>,             \
                                                                    VectorOut<S>, const BodySelection&);               \
  EXTERN template void inverse_dynamics_regressor_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>,            \
                                                                    VectorOut<S>, const BodySelection&);               \
  EXTERN template const VectorX<S>& slotine_li_regressor_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,  \
                                                                 VectorIn<S>, VectorIn<S>, VectorIn<S>,                \
                                                                 const BodySelection&);                                \
  EXTERN template const VectorX<S>& slotine_li_regressor_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,  \
                                                                 VectorIn<S>, const BodySelection&);                   \
  EXTERN template void slotine_li_regressor_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,     \
                                                              VectorIn<S>, VectorIn<S>, VectorIn<S>, VectorOut<S>,     \
                                                              const BodySelection&);                                   \
  EXTERN template void slotine_li_regressor_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,     \
                                                              VectorIn<S>, VectorOut<S>, const BodySelection&);        \
  EXTERN template const VectorX<S>& momentum_regressor_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,    \
                                                               VectorIn<S>, const BodySelection&);                     \
  EXTERN template const VectorX<S>& momentum_regressor_product(const Model<S>&, Data<S>&, VectorIn<S>,                 \
                                                               const BodySelection&);                                  \
  EXTERN template void momentum_regressor_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,       \
                                                            VectorIn<S>, VectorOut<S>, const BodySelection&);          \
  EXTERN template void momentum_regressor_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorOut<S>,      \
                                                            const BodySelection&);                                     \
  EXTERN template const VectorX<S>& coriolis_transpose_regressor_product(                                              \
      const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>, const BodySelection&);                         \
  EXTERN template const VectorX<S>& coriolis_transpose_regressor_product(const Model<S>&, Data<S>&, VectorIn<S>,       \
                                                                         const BodySelection&);                        \
  EXTERN template void coriolis_transpose_regressor_transpose_product(                                                 \
      const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorIn<S>, VectorOut<S>, const BodySelection&);           \
  EXTERN template void coriolis_transpose_regressor_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>,          \
                                                                      VectorOut<S>, const BodySelection&);             \
  EXTERN template const VectorX<S>& gravity_regressor_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,     \
                                                              const BodySelection&);                                   \
  EXTERN template const VectorX<S>& gravity_regressor_product(const Model<S>&, Data<S>&, VectorIn<S>,                  \
                                                              const BodySelection&);                                   \
  EXTERN template void gravity_regressor_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,        \
                                                           VectorOut<S>, const BodySelection&);                        \
  EXTERN template void gravity_regressor_transpose_product(const Model<S>&, Data<S>&, VectorIn<S>, VectorOut<S>,       \
                                                           const BodySelection&);                                      \
  /* energy_regressors.hpp */                                                                                          \
  EXTERN template void kinetic_energy_regressor(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>, VectorOut<S>,     \
                                                const BodySelection&);                                                 \
  EXTERN template void kinetic_energy_regressor(const Model<S>&, const Data<S>&, VectorOut<S>, const BodySelection&);  \
  EXTERN template void potential_energy_regressor(const Model<S>&, Data<S>&, VectorIn<S>, VectorOut<S>,                \
                                                  const BodySelection&);                                               \
  EXTERN template void potential_energy_regressor(const Model<S>&, const Data<S>&, VectorOut<S>,                       \
                                                  const BodySelection&);                                               \
  /* parameter_derivatives.hpp */                                                                                      \
  EXTERN template void mass_matrix_parameter_derivative(const Model<S>&, Data<S>&, VectorIn<S>, const Body<S>&,        \
                                                        InertialParameter, MatrixOut<S>);                              \
  EXTERN template void mass_matrix_parameter_derivative(const Model<S>&, const Data<S>&, const Body<S>&,               \
                                                        InertialParameter, MatrixOut<S>);                              \
  EXTERN template void coriolis_parameter_derivative(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,              \
                                                     const Body<S>&, InertialParameter, MatrixOut<S>,                  \
                                                     const factorization::Christoffel&);                               \
  EXTERN template void coriolis_parameter_derivative(const Model<S>&, Data<S>&, VectorIn<S>, VectorIn<S>,              \
                                                     const Body<S>&, InertialParameter, MatrixOut<S>,                  \
                                                     const factorization::Plain&);                                     \
  EXTERN template void coriolis_parameter_derivative(const Model<S>&, const Data<S>&, const Body<S>&,                  \
                                                     InertialParameter, MatrixOut<S>,                                  \
                                                     const factorization::Christoffel&);                               \
  EXTERN template void coriolis_parameter_derivative(const Model<S>&, const Data<S>&, const Body<S>&,                  \
                                                     InertialParameter, MatrixOut<S>, const factorization::Plain&);    \
  EXTERN template void gravity_parameter_derivative(const Model<S>&, Data<S>&, VectorIn<S>, const Body<S>&,            \
                                                    InertialParameter, VectorOut<S>);                                  \
  EXTERN template void gravity_parameter_derivative(const Model<S>&, const Data<S>&, const Body<S>&,                   \
                                                    InertialParameter, VectorOut<S>);                                  \
  /* estimate.hpp */                                                                                                   \
  EXTERN template class StreamingLeastSquares<S>;                                                                      \
  EXTERN template class BaseParameters<S>;                                                                             \
  EXTERN template std::vector<std::string> parameter_names(const Model<S>&);                                           \
  EXTERN template Estimate<S> estimate(const StreamingLeastSquares<S>&, const BaseParameters<S>&);                     \
  /* log_cholesky.hpp */                                                                                               \
  EXTERN template Eigen::Matrix4<S> pseudo_inertia(const Vector10<S>&);                                                \
  EXTERN template Eigen::Matrix4<S> pseudo_inertia(const InertialParameters<S>&);                                      \
  EXTERN template InertialParameters<S> from_pseudo_inertia(const Eigen::Matrix4<S>&);                                 \
  EXTERN template bool is_physically_consistent(const InertialParameters<S>&);                                         \
  EXTERN template bool is_physically_consistent(const Vector10<S>&);                                                   \
  EXTERN template void check_physically_consistent(const InertialParameters<S>&, std::string_view);                    \
  EXTERN template void check_physically_consistent(const Model<S>&, VectorIn<S>);                                      \
  EXTERN template Vector10<S> log_cholesky(const InertialParameters<S>&, std::string_view);                            \
  EXTERN template Eigen::Matrix4<S> log_cholesky_factor(const Vector10<S>&);                                           \
  EXTERN template InertialParameters<S> from_log_cholesky(const Vector10<S>&);                                         \
  EXTERN template Eigen::Matrix<S, 10, 10> log_cholesky_jacobian(const Vector10<S>&);
