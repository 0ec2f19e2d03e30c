#include "corio/core/tensor3.hpp"

#include <complex>

#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// T(i,j,k) = 100 i + 10 j + k + 1/2: every entry shows its indices.
template <class S = double>
Tensor3<S> numbered(int n) {
  Tensor3<S> T(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) T(i, j, k) = S(100 * i + 10 * j + k) + S(0.5);
  return T;
}

}  // namespace

TEST_CASE("a tensor holds n^3 numbers, each in its own place", "[core][tensor3]") {
  const int n = GENERATE(1, 2, 5);
  const Tensor3<double> T = numbered(n);
  CHECK(T.size() == n);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) wrong += T(i, j, k) != 100 * i + 10 * j + k + 0.5;
  CHECK(wrong == 0);
}

TEST_CASE("data and strides lead to the same numbers", "[core][tensor3]") {
  const int n = 4;
  Tensor3<double> T = numbered(n);
  CHECK(T.stride(0) == n * n);
  CHECK(T.stride(1) == 1);
  CHECK(T.stride(2) == n);
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k)
        wrong += &T.data()[i * T.stride(0) + j * T.stride(1) + k * T.stride(2)] != &T(i, j, k);
  CHECK(wrong == 0);
  CHECK(std::as_const(T).data() == T.data());
}

TEST_CASE("a page is T(i,:,:), to read and to write", "[core][tensor3]") {
  Tensor3<double> T = numbered(3);
  const Tensor3<double>& constant = T;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) CHECK((T.page(i)(j, k) == T(i, j, k) && constant.page(i)(j, k) == T(i, j, k)));
  T.page(1).setZero();
  T.page(1)(2, 0) = 7;
  CHECK(T(1, 2, 0) == 7);
  CHECK(T(1, 0, 2) == 0);
  CHECK(T(0, 2, 0) == 20.5);
  CHECK(T(2, 2, 0) == 220.5);
}

TEST_CASE("the slice along k is T(:,:,k)", "[core][tensor3]") {
  const Tensor3<double> T = numbered(4);
  for (int k = 0; k < 4; ++k) {
    const auto slice = T.along(k);
    CHECK((slice.rows() == 4 && slice.cols() == 4));
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) CHECK(slice(i, j) == T(i, j, k));
  }
}

TEST_CASE("a new tensor is zero, one of no size is empty", "[core][tensor3]") {
  const Tensor3<double> T(3);
  CHECK(max_magnitude(Eigen::Map<const VectorX<double>>(T.data(), 27)) == 0);
  CHECK(Tensor3<double>().size() == 0);
}

TEST_CASE("resize to the same size keeps the content, to another one makes zeros", "[core][tensor3]") {
  Tensor3<double> T = numbered(3);
  const double* before = T.data();
  T.resize(3);
  CHECK(T.data() == before);
  CHECK(T(2, 1, 0) == 210.5);
  T.resize(2);
  CHECK(T.size() == 2);
  CHECK(max_magnitude(Eigen::Map<const VectorX<double>>(T.data(), 8)) == 0);
  T(1, 1, 1) = 4;
  T.resize(4);
  CHECK(max_magnitude(Eigen::Map<const VectorX<double>>(T.data(), 64)) == 0);
  CHECK(T.stride(0) == 16);
}

TEST_CASE("set_zero leaves nothing but the size", "[core][tensor3]") {
  Tensor3<double> T = numbered(3);
  T.set_zero();
  CHECK(T.size() == 3);
  CHECK(max_magnitude(Eigen::Map<const VectorX<double>>(T.data(), 27)) == 0);
}

TEST_CASE("a copy of a tensor is independent of it", "[core][tensor3]") {
  Tensor3<double> T = numbered(2), copy = T;
  copy(0, 0, 0) = -1;
  CHECK(T(0, 0, 0) == 0.5);
}

TEMPLATE_TEST_CASE("contraction with a vector is sum_k T(i,j,k) v_k", "[core][tensor3]", float, double,
                   std::complex<double>) {
  using S = TestType;
  const int n = GENERATE(1, 2, 5, 8);
  const Tensor3<S> T = numbered<S>(n);
  VectorX<S> v = random_vector<S>(n, 3);
  MatrixX<S> expected = MatrixX<S>::Zero(n, n), out = MatrixX<S>::Constant(n, n, S(9));
  for (int k = 0; k < n; ++k) expected += T.along(k) * v[k];
  T.contract(v, out);
  CHECK(relative_error(out, expected) < tolerance<S>());
  // Writes into a matrix that has to be resized, and takes an expression for v.
  MatrixX<S> other;
  T.contract(S(2) * v, other);
  CHECK(relative_error(other, MatrixX<S>(S(2) * expected)) < tolerance<S>());
}

TEMPLATE_TEST_CASE("contraction with two vectors is sum_jk T(i,j,k) w_j v_k", "[core][tensor3]", float, double,
                   std::complex<double>) {
  using S = TestType;
  const int n = GENERATE(1, 2, 5, 8);
  const Tensor3<S> T = numbered<S>(n);
  VectorX<S> v = random_vector<S>(n, 3), w = random_vector<S>(n, 4), out;
  if constexpr (is_complex<S>) v *= S(0.3, 1.0);  // no conjugation
  VectorX<S> expected = VectorX<S>::Zero(n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) expected[i] += T(i, j, k) * w[j] * v[k];
  T.contract(v, w, out);
  CHECK(relative_error(out, expected) < tolerance<S>());
  MatrixX<S> matrix;
  T.contract(v, matrix);
  CHECK(relative_error(VectorX<S>(matrix * w), expected) < tolerance<S>());
}

TEST_CASE("contraction with a vector of the wrong size is a SizeError", "[core][tensor3][errors]") {
  const Tensor3<double> T(3);
  const VectorX<double> right = VectorX<double>::Ones(3), wrong = VectorX<double>::Ones(GENERATE(0, 2, 4));
  MatrixX<double> matrix;
  VectorX<double> out;
  const std::string size = std::to_string(wrong.size());
  CHECK(mentions(message_of<SizeError>([&] { T.contract(wrong, matrix); }), {"v has size " + size, "3"}));
  CHECK(mentions(message_of<SizeError>([&] { T.contract(wrong, right, out); }), {"v has size " + size, "3"}));
  CHECK(mentions(message_of<SizeError>([&] { T.contract(right, wrong, out); }), {"w has size " + size, "3"}));
}
