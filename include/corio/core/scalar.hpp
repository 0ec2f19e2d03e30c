#pragma once

#include <Eigen/Core>
#include <type_traits>

/// Vector and matrix types, and what corio asks of a scalar.
///
/// A scalar is any type with field arithmetic, a conversion from double, Eigen::NumTraits, and sin, cos, sqrt, atan
/// found by argument-dependent lookup: float, double, long double, std::complex (complex-step derivatives),
/// Eigen::AutoDiffScalar, operation counters. corio never conjugates: every product below is bilinear, so that
/// complex-step derivatives are exact.
// For the leaf kernels: returned by value through memory, as compilers left alone return them, they double the
/// instruction count of every algorithm.
#if defined(__GNUC__) || defined(__clang__)
#define CORIO_INLINE [[gnu::always_inline]] inline
#define CORIO_INLINE_LAMBDA __attribute__((always_inline))
#else
#define CORIO_INLINE inline
#define CORIO_INLINE_LAMBDA
#endif

namespace corio {

template <class S>
using Vector3 = Eigen::Matrix<S, 3, 1>;
template <class S>
using Vector6 = Eigen::Matrix<S, 6, 1>;
template <class S>
using Matrix3 = Eigen::Matrix<S, 3, 3>;
template <class S>
using Matrix6 = Eigen::Matrix<S, 6, 6>;
template <class S>
using VectorX = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S>
using MatrixX = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;

/// Input and output arguments. The scalar is not deduced from them but from the model, so that any Eigen vector or
/// expression of it can be passed.
template <class S>
using VectorIn = const Eigen::Ref<const VectorX<std::type_identity_t<S>>>&;
template <class S>
using VectorOut = Eigen::Ref<VectorX<std::type_identity_t<S>>>;

/// The real number a scalar stands for: used where the mathematics needs a branch, and by validity checks.
template <class S>
double value_of(const S& x) {
  if constexpr (std::is_arithmetic_v<S>)
    return static_cast<double>(x);
  else if constexpr (requires { x.real(); })
    return value_of(x.real());
  else if constexpr (requires { x.value(); })
    return value_of(x.value());
  else
    return static_cast<double>(x);
}

}  // namespace corio
