#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "corio/core/abi.hpp"

/// Containers indexed by the nodes, bodies or degrees of freedom of a model.
namespace corio::inline CORIO_ABI {

namespace detail {

/// A std::vector whose index is an int and whose type says what the index counts.
template <class T, class Of>
class Table {
 public:
  Table() = default;
  /// Zeros, if a T can be zero.
  explicit Table(int n) : Table(n, nothing()) {}
  Table(int n, const T& value) : entries_(static_cast<std::size_t>(n), value) {}

  int size() const { return static_cast<int>(entries_.size()); }
  bool empty() const { return entries_.empty(); }
  T& operator[](int i) {
    eigen_assert(0 <= i && i < size());
    return entries_[static_cast<std::size_t>(i)];
  }
  const T& operator[](int i) const {
    eigen_assert(0 <= i && i < size());
    return entries_[static_cast<std::size_t>(i)];
  }
  T* data() { return entries_.data(); }
  const T* data() const { return entries_.data(); }
  auto begin() { return entries_.begin(); }
  auto end() { return entries_.end(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  T& back() { return entries_.back(); }
  void push_back(T x) { entries_.push_back(std::move(x)); }

 private:
  static T nothing() {
    if constexpr (requires { T::zero(); })
      return T::zero();
    else
      return T();
  }

  std::vector<T> entries_;
};

}  // namespace detail

/// One T for each node of a tree; for each degree of freedom; for each moving body.
template <class T>
using PerNode = detail::Table<T, struct OfNodes>;
template <class T>
using PerDof = detail::Table<T, struct OfDofs>;
template <class T>
using PerBody = detail::Table<T, struct OfBodies>;
/// One T for each pair of degrees of freedom of a joint whose columns move in the body: the derivatives of one along
/// the other.
template <class T>
using PerPartial = detail::Table<T, struct OfPartials>;

/// A number that becomes zero when it is moved from, so that moved-from objects can be detected: sizes, and the
/// identities by which objects recognise their model.
template <class T>
class ZeroAfterMove {
 public:
  ZeroAfterMove(T x = T(0)) : x_(x) {}  // NOLINT(google-explicit-constructor)
  ZeroAfterMove(const ZeroAfterMove&) = default;
  ZeroAfterMove(ZeroAfterMove&& from) noexcept : x_(std::exchange(from.x_, T(0))) {}
  ZeroAfterMove& operator=(const ZeroAfterMove&) = default;
  ZeroAfterMove& operator=(ZeroAfterMove&& from) noexcept {
    x_ = std::exchange(from.x_, T(0));
    return *this;
  }
  operator T() const { return x_; }  // NOLINT(google-explicit-constructor)

 private:
  T x_;
};

}  // namespace corio
