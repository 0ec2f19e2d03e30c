#pragma once

/// What takes long to compile, once per program instead of in each of its sources. The usual way is to link the CMake
/// target corio::compiled instead of corio::corio: it adds compiled/*_double.cpp to the target that links it, so they
/// have its compiler flags, and defines CORIO_COMPILED, with which corio/corio.hpp declares what these files define.
/// corio::compiled_float and CORIO_COMPILED_FLOAT do the same for float, too. Where several targets share what is
/// compiled, corio_add_compiled(name) makes a library of it that they link. Without CMake: define CORIO_COMPILED for
/// all sources and compile these files along with them, with the same options for vector registers (-march) and the
/// same macros of Eigen.
///
/// An "undefined reference" to a function of corio means that the files were not linked. What is not listed, such as
/// another scalar or a factorization of your own, is compiled where it is used. Of classes the members that are defined
/// outside of them are spared.

/// An algorithm, and how Data makes room for it.
#define CORIO_COMPILED_ALGORITHM(EXTERN, S, ...) \
  EXTERN template struct algorithm::__VA_ARGS__; \
  EXTERN template algorithm::__VA_ARGS__& detail::Memory::make<algorithm::__VA_ARGS__>(const Model<S>&);

#define CORIO_COMPILED_MODEL(EXTERN, S)                                          \
  EXTERN template class Model<S>;                                                \
  EXTERN template class ModelBuilder<S>;                                         \
  EXTERN template class Data<S>;                                                 \
  EXTERN template void detail::kinematics_pass(const Model<S>&, Data<S>&, Pass); \
  EXTERN template void detail::composite_inertias(const Model<S>&, Data<S>&);    \
  EXTERN template void detail::composite_coriolis(const Model<S>&, Data<S>&);    \
  EXTERN template Model<S> zoo::serial_chain(int);                               \
  EXTERN template Model<S> zoo::tree(int, int);                                  \
  EXTERN template Model<S> zoo::binary_tree(int);                                \
  EXTERN template Model<S> zoo::biped(int);                                      \
  EXTERN template Model<S> zoo::quadruped(int);                                  \
  EXTERN template Model<S> zoo::humanoid();                                      \
  EXTERN template Model<S> zoo::random_tree(std::uint64_t, const zoo::RandomTree&);

#define CORIO_COMPILED_DYNAMICS(EXTERN, S)                                                                         \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, rnea<S>)                                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, nonlinear_effects<S>)                                                        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, generalized_gravity<S>)                                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, crba<S>)                                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, aba<S>)                                                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, mass_matrix_inverse<S>)                                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, mass_matrix_inverse_product<S>)                                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, passive_forces<S>)                                                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, passive_force_derivatives<S>)                                                \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, step<S>)                                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, energy<S>)                                                                   \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, coriolis_matrix<S>)                                                          \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, coriolis_matrix<S, factorization::Plain>)                                    \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, mass_matrix_dot<S>)                                                          \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, coriolis_matrix_dot<S>)                                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, coriolis_matrix_dot<S, factorization::Plain>)                                \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, coriolis_product<S>)                                                         \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, coriolis_product<S, factorization::Plain>)                                   \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, coriolis_transpose_product<S>)                                               \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, coriolis_transpose_product<S, factorization::Plain>)                         \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, slotine_li_inverse_dynamics<S>)                                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, generalized_momentum<S>)                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, coriolis_matrix_by_differentiation<S>)                                       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, com_decoupled<S>)                                                            \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, com_jacobian<S>)                                                             \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, com_jacobian_dot<S>)                                                         \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, centroidal_momentum_matrix<S>)                                               \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, centroidal_momentum_matrix_dot<S>)                                           \
  EXTERN template struct detail::ReferenceMotions<S>;                                                              \
  EXTERN template detail::ReferenceMotions<S>& detail::Memory::make<detail::ReferenceMotions<S>>(const Model<S>&); \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, regressor<S>)                                                                \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, regressor_product<S>)                                                        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, regressor_transpose_product<S>)

#define CORIO_COMPILED_DERIVATIVES(EXTERN, S)                                                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, gravity_dot<S>)                                                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, gravity_derivatives<S>)                                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, com_jacobian_ddot<S>)                                                        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, christoffel_symbols<S>)                                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, christoffel_symbols_second_kind<S>)                                          \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, covariant_derivative<S>)                                                     \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, geodesic_residual<S>)                                                        \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, hamel_equations<S>)                                                          \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, parallel_transport<S>)                                                       \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, structure_constants_first_kind<S>)                                           \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, contorsion<S>)                                                               \
  EXTERN template void algorithm::contorsion<S>::run(const Model<S>&, const Data<S>&, const factorization::Plain&, \
                                                     Tensor3<S>&);                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, mass_matrix_derivatives<S>)                                                  \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, coriolis_matrix_derivatives<S>)                                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, inverse_dynamics_derivatives<S>)                                             \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, inverse_dynamics_hessian<S>)                                                 \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, inverse_dynamics_second_derivatives<S>)                                      \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, forward_dynamics_derivatives<S>)                                             \
  CORIO_COMPILED_ALGORITHM(EXTERN, S, forward_dynamics_hessian<S>)

namespace corio::inline CORIO_ABI {

#ifdef CORIO_COMPILED
CORIO_COMPILED_MODEL(extern, double)
CORIO_COMPILED_DYNAMICS(extern, double)
extern template class StreamingLeastSquares<double>;
extern template class BaseParameters<double>;
CORIO_COMPILED_DERIVATIVES(extern, double)
#endif
#ifdef CORIO_COMPILED_FLOAT
extern template Model<float> Model<double>::cast() const;
CORIO_COMPILED_MODEL(extern, float)
CORIO_COMPILED_DYNAMICS(extern, float)
extern template class StreamingLeastSquares<float>;
extern template class BaseParameters<float>;
CORIO_COMPILED_DERIVATIVES(extern, float)
#endif

}  // namespace corio
