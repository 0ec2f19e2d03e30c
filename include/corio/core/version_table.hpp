#pragma once

#include "corio/core/kernels.hpp"

#ifdef CORIO_HAS_VERSIONS

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/core/block.hpp"
#include "corio/core/scalar.hpp"

namespace corio {

enum class Pass;
enum class DerivativeRoute;
class BodySelection;
template <class S>
class Model;
template <class S>
class Data;
template <class S>
struct Node;
template <class S>
struct Motion;
template <class S>
class ExternalForceList;
template <class S>
using ExternalForces = ExternalForceList<std::type_identity_t<S>>;
template <class S>
class ChristoffelTensor;
template <class S>
class PackedChristoffelTensor;
template <class S>
class MassMatrixDerivatives;
template <class S>
class PackedMassMatrixDerivatives;
template <class S>
class CoriolisMatrixDerivatives;
template <class S>
class PackedCoriolisMatrixDerivatives;
template <class S>
class InverseDynamicsSecondDerivatives;
template <class S>
struct CoriolisMatrices;
template <class S>
struct CoriolisMatricesDot;
template <class S>
struct InverseDynamicsDerivatives;
template <class S>
struct InverseDynamicsHessian;
template <class S>
struct ForwardDynamicsDerivatives;
template <class S>
struct ForwardDynamicsHessian;

namespace factorization {
struct Christoffel;
struct Plain;
}  // namespace factorization

namespace detail {
template <class S>
struct Field;
template <class S>
struct QuadState;
template <class S>
struct QuadSums;
template <class S>
struct PairColumns;
}  // namespace detail

}  // namespace corio

/// The functions of these names: kernel, result, and the arguments behind model and data.
#define CORIO_VERSIONS(F)                                                                                         \
  F(kinematics_pass, void, Pass, const S*, const S*, const S*)                                                    \
  F(composite_inertias, void)                                                                                     \
  F(composite_coriolis, void)                                                                                     \
  F(rnea, const VectorX<S>&, ExternalForces<S>)                                                                   \
  F(nonlinear_effects, const VectorX<S>&)                                                                         \
  F(crba, const MatrixX<S>&)                                                                                      \
  F(mass_matrix_inverse, const MatrixX<S>&)                                                                       \
  F(aba, const VectorX<S>&, VectorIn<S>, ExternalForces<S>)                                                       \
  F(coriolis_matrix, const CoriolisMatrices<S>&, const factorization::Christoffel&)                               \
  F(coriolis_matrix, const CoriolisMatrices<S>&, const factorization::Plain&)                                     \
  F(mass_matrix_dot, const MatrixX<S>&)                                                                           \
  F(coriolis_matrix_dot, const CoriolisMatricesDot<S>&, const factorization::Christoffel&)                        \
  F(coriolis_matrix_dot, const CoriolisMatricesDot<S>&, const factorization::Plain&)                              \
  F(coriolis_product, const VectorX<S>&, VectorIn<S>, const factorization::Christoffel&)                          \
  F(coriolis_product, const VectorX<S>&, VectorIn<S>, const factorization::Plain&)                                \
  F(coriolis_transpose_product, const VectorX<S>&, VectorIn<S>, const factorization::Christoffel&)                \
  F(coriolis_transpose_product, const VectorX<S>&, VectorIn<S>, const factorization::Plain&)                      \
  F(centroidal_momentum_matrix, const Matrix6X<S>&)                                                               \
  F(centroidal_momentum_matrix_dot, const Matrix6X<S>&)                                                           \
  F(gravity_derivatives, const MatrixX<S>&)                                                                       \
  F(christoffel_symbols, void, ChristoffelTensor<S>&)                                                             \
  F(christoffel_symbols, void, PackedChristoffelTensor<S>&)                                                       \
  F(christoffel_symbols, void, MassMatrixDerivatives<S>&)                                                         \
  F(christoffel_symbols, void, PackedMassMatrixDerivatives<S>&)                                                   \
  F(coriolis_matrix_derivatives, void, CoriolisMatrixDerivatives<S>&)                                             \
  F(coriolis_matrix_derivatives, void, PackedCoriolisMatrixDerivatives<S>&)                                       \
  F(inverse_dynamics_derivatives, const InverseDynamicsDerivatives<S>&, ExternalForces<S>)                        \
  F(inverse_dynamics_hessian, const InverseDynamicsHessian<S>&, VectorIn<S>, ExternalForces<S>)                   \
  F(inverse_dynamics_second_derivatives, void, InverseDynamicsSecondDerivatives<S>&, ExternalForces<S>)           \
  F(forward_dynamics_derivatives, const ForwardDynamicsDerivatives<S>&, VectorIn<S>, ExternalForces<S>,           \
    DerivativeRoute)                                                                                              \
  F(forward_dynamics_hessian, const ForwardDynamicsHessian<S>&, VectorIn<S>, VectorIn<S>, ExternalForces<S>)      \
  F(fill_regressor, void, const std::vector<Motion<S>>&, const Field<S>&, const BodySelection&, MatrixOut<S>)     \
  F(regressor_product, const VectorX<S>&, const std::vector<Motion<S>>&, const Field<S>&, VectorIn<S>,            \
    const BodySelection&)                                                                                         \
  F(regressor_transpose_product, void, const std::vector<Motion<S>>&, const Field<S>&, VectorIn<S>, VectorOut<S>, \
    const BodySelection&)

namespace corio::detail {

template <Kernel kernel>
using KernelTag = std::integral_constant<Kernel, kernel>;

/// A function, called by its kernel so that those of one name differ by their arguments.
template <Kernel kernel, class S, class R, class... A>
struct Version {
  R (*function)(const Model<S>&, Data<S>&, A...);

#ifdef __clang__
  // There the types of model, data and arguments have the same layout, but another name.
  __attribute__((no_sanitize("function", "cfi-icall")))
#endif
  R operator()(KernelTag<kernel>, const Model<S>& model, Data<S>& data, A... arguments) const {
    return function(model, data, static_cast<A&&>(arguments)...);
  }
};

/// So that each of the others can begin with a comma.
struct NoVersion {
  void operator()() const {}
};

template <class... V>
struct VersionTable : V... {
  using V::operator()...;
};

#define CORIO_VERSION_TYPE(kernel, ...) , Version<Kernel::kernel, S, __VA_ARGS__>
template <class S>
struct Versions : VersionTable<NoVersion CORIO_VERSIONS(CORIO_VERSION_TYPE)> {};

/// The versions for this processor, and those in use; null where these are the plain ones. Defined by model_*.cpp.
template <class S>
struct WideVersions {
  static const Versions<S>* available();
  static std::atomic<const Versions<S>*> used;
};
template <>
const Versions<double>* WideVersions<double>::available();
template <>
const Versions<float>* WideVersions<float>::available();
template <>
std::atomic<const Versions<double>*> WideVersions<double>::used;
template <>
std::atomic<const Versions<float>*> WideVersions<float>::used;

/// By which versions see that they were compiled for classes of the same layout, should two copies of corio meet.
template <class S>
constexpr WideLink link_to(const Versions<S>* versions) {
  return {versions,
          {sizeof(Model<S>), sizeof(Node<S>), sizeof(Data<S>), sizeof(QuadState<S>), alignof(QuadState<S>),
           sizeof(QuadSums<S>), sizeof(PairColumns<S>), sizeof(PackedChristoffelTensor<S>),
           sizeof(InverseDynamicsSecondDerivatives<S>), std::size_t{block_padding<S>}, std::size_t{longest_block<S>},
           sizeof(Versions<S>)}};
}
template <class S>
const Versions<S>* fitting_versions(const WideLink& wide) {
  __builtin_cpu_init();  // what is made before main may ask
  const bool can = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool fits = std::ranges::equal(wide.layout, link_to<S>(nullptr).layout);
  return can && fits ? static_cast<const Versions<S>*>(wide.versions) : nullptr;
}
/// Whether the environment asks for the plain versions.
inline bool wants_plain_versions() {
  const char* const wanted = std::getenv("CORIO_REGISTERS");
  return wanted != nullptr && std::string_view(wanted) == "plain";
}

#ifdef CORIO_INSTANCES_FLOAT
template <class S>
inline constexpr bool has_versions = std::is_same_v<S, double> || std::is_same_v<S, float>;
#else
#define CORIO_ONE_VERSION_OF_FLOAT
template <class S>
inline constexpr bool has_versions = std::is_same_v<S, double>;
#endif

}  // namespace corio::detail

/// Definitions for model_double.cpp and model_float.cpp. Weak, as templates are: several libraries may hold them.
#define CORIO_CHOOSE_VERSIONS(S)                                        \
  namespace corio::detail {                                             \
  template <>                                                           \
  [[gnu::weak]] const Versions<S>* WideVersions<S>::available() {       \
    return fitting_versions<S>(corio_wide_##S);                         \
  }                                                                     \
  template <>                                                           \
  [[gnu::weak]] std::atomic<const Versions<S>*> WideVersions<S>::used{  \
      wants_plain_versions() ? nullptr : WideVersions<S>::available()}; \
  }

#endif
