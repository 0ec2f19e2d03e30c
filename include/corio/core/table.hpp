#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <new>
#include <utility>

#include "corio/core/abi.hpp"

/// Containers indexed by the nodes, bodies or degrees of freedom of a model.
namespace corio { inline namespace CORIO_ABI {

namespace detail {

/// An array whose index is an int and whose type says what the index counts. It does not use std::vector, whose many
/// layers take compilers four times as long, for each of some twenty types.
template <class T, class Of>
class Table {
 public:
  Table() = default;
  /// Makes zeros, if a T can be zero.
  explicit Table(int n) : Table(n, nothing()) {}
  Table(int n, const T& value) : Table() {
    allocate(n);
    for (; size_ < n; ++size_) new (end()) T(value);
  }
  Table(const Table& other) : Table() {
    allocate(other.size_);
    for (const T& x : other) append(x);
  }
  Table(Table&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  /// Allocates only if the sizes differ.
  Table& operator=(const Table& other) {
    if (size_ != other.size_) return *this = Table(other);
    for (int i = 0; i < size_; ++i) data_[i] = other.data_[i];
    return *this;
  }
  Table& operator=(Table&& other) noexcept {
    Table own(std::move(other));
    std::swap(data_, own.data_), std::swap(size_, own.size_), std::swap(capacity_, own.capacity_);
    return *this;
  }
  ~Table() {
    for (T& x : *this) x.~T();
    if constexpr (is_overaligned)
      ::operator delete(data_, std::align_val_t(alignof(T)));
    else
      ::operator delete(data_);
  }

  int size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](int i) {
    eigen_assert(0 <= i && i < size());
    return data_[i];
  }
  const T& operator[](int i) const {
    eigen_assert(0 <= i && i < size());
    return data_[i];
  }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& back() { return data_[size_ - 1]; }
  void push_back(T x) {
    if (size_ == capacity_) grow();
    append(std::move(x));
  }

 private:
  static constexpr bool is_overaligned = alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__;

  static T nothing() {
    if constexpr (requires { T::zero(); })
      return T::zero();
    else
      return T();
  }
  /// Allocates memory for n elements; the table must be empty.
  void allocate(int n) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(T);
    if (n <= 0) return;
    if constexpr (is_overaligned)
      data_ = static_cast<T*>(::operator new(bytes, std::align_val_t(alignof(T))));
    else
      data_ = static_cast<T*>(::operator new(bytes));
    capacity_ = n;
  }
  template <class X>
  void append(X&& x) {
    new (end()) T(std::forward<X>(x));
    ++size_;
  }
  [[gnu::cold, gnu::noinline]] void grow() {
    Table larger;
    larger.allocate(2 * size_ + 4);
    for (T& x : *this) larger.append(std::move(x));
    *this = std::move(larger);
  }

  T* data_ = nullptr;
  int size_ = 0, capacity_ = 0;
};

}  // namespace detail

/// These tables hold one T for each node of a tree, for each degree of freedom, or for each moving body.
template <class T>
using PerNode = detail::Table<T, struct OfNodes>;
template <class T>
using PerDof = detail::Table<T, struct OfDofs>;
template <class T>
using PerBody = detail::Table<T, struct OfBodies>;
/// One T for each pair of degrees of freedom (l, k) of a joint whose columns move in the body: the derivative of column
/// k along l.
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

}}  // namespace corio
