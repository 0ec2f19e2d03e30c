#include <complex>

#include "corio/algorithms/derivatives/coriolis_matrix_derivatives.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_second_derivatives.hpp"
#include "corio/algorithms/derivatives/mass_matrix_derivatives.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;

// Checks tensors that were moved from, results that overwrite arguments, and models without degrees of freedom.

namespace {

using Vector = VectorX<double>;
using Matrix = MatrixX<double>;

Vector some_vector(int n, double from) { return Vector::LinSpaced(n, from, from + 1.7); }

/// Calls fill(out) with a tensor of each kind, and fill.call(out) for the state that this leaves.
template <class Tensor>
struct Fill {
  static constexpr bool second = std::is_same_v<Tensor, InverseDynamicsSecondDerivativesResult<double>>;
  static constexpr bool symbols =
      std::is_same_v<Tensor, ChristoffelTensor<double>> || std::is_same_v<Tensor, PackedChristoffelTensor<double>>;
  static constexpr bool of_mass = std::is_same_v<Tensor, MassMatrixDerivativesResult<double>> ||
                                  std::is_same_v<Tensor, PackedMassMatrixDerivativesResult<double>>;
  /// The name that errors use.
  static constexpr const char* name = second    ? "a tensor of second derivatives"
                                      : symbols ? "Christoffel"
                                      : of_mass ? "derivatives of the mass matrix"
                                                : "derivatives of the Coriolis matrix";
  const Model<double>& model;
  Data<double> data{model};
  Vector q = some_vector(model.nq(), -0.6), v = some_vector(model.nv(), 0.2);

  void operator()(Tensor& out) {
    if constexpr (second)
      call(out, q, v, v);
    else if constexpr (symbols || of_mass)
      call(out, q);
    else
      call(out, q, v);
  }
  template <class... State>
  void call(Tensor& out, const State&... state) {
    if constexpr (second)
      inverse_dynamics_second_derivatives(model, data, state..., out);
    else if constexpr (symbols)
      christoffel_symbols(model, data, state..., out);
    else if constexpr (of_mass)
      mass_matrix_derivatives(model, data, state..., out);
    else
      coriolis_matrix_derivatives(model, data, state..., out);
  }
};

InertialParameters<double> box_inertia(double mass) {
  InertialParameters<double> inertia{};
  inertia.mass = mass;
  inertia.inertia = Matrix3<double>::Identity();
  return inertia;
}

/// Contracts a tensor of any kind with v.
template <class Tensor>
Matrix contracted(const Tensor& T, const Vector& v) {
  Matrix out;
  if constexpr (requires { T.dM_dq; })
    T.dM_dq.contract(v, out);
  else
    T.contract(v, out);
  return out;
}

/// Returns the numbers of any tensor.
template <class Tensor>
Matrix all_of(const Tensor& T, int n) {
  Matrix all(n, n * n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        if constexpr (requires { T.dM_dq; })
          all(i, j * n + k) = T.dM_dq(i, j, k);
        else
          all(i, j * n + k) = T(i, j, k);
      }
  return all;
}

}  // namespace

TEMPLATE_TEST_CASE("a tensor that was moved from is rejected, and may be assigned to", "[algorithms][tensor][errors]",
                   ChristoffelTensor<double>, PackedChristoffelTensor<double>, MassMatrixDerivativesResult<double>,
                   PackedMassMatrixDerivativesResult<double>, CoriolisMatrixDerivativesResult<double>,
                   PackedCoriolisMatrixDerivativesResult<double>, InverseDynamicsSecondDerivativesResult<double>) {
  const auto model = zoo::binary_tree(7);
  const int n = model.nv();
  Fill<TestType> fill{model};
  TestType first(model);
  fill(first);
  const Matrix expected = all_of(first, n);
  TestType moved = std::move(first), other(model);
  CHECK(all_of(moved, n) == expected);
  CHECK_THROWS_AS(first.check_fits(model), Error);
  CHECK_THROWS_AS(fill(first), Error);
  CHECK_THROWS_AS(contracted(first, some_vector(n, 1)), SizeError);
  // Assignment may exchange the contents.
  other = std::move(moved);
  CHECK_THROWS_AS(moved.check_fits(model), Error);
  CHECK_THROWS_AS(fill(moved), Error);
  CHECK(all_of(other, n) == expected);
  moved = other;
  fill(moved);
  CHECK(all_of(moved, n) == expected);
  first = TestType(model);
  fill(first);
  CHECK(all_of(first, n) == expected);
}

TEMPLATE_TEST_CASE("a tensor of another model is rejected before the state is changed", "[algorithms][tensor][errors]",
                   ChristoffelTensor<double>, PackedChristoffelTensor<double>, MassMatrixDerivativesResult<double>,
                   PackedMassMatrixDerivativesResult<double>, CoriolisMatrixDerivativesResult<double>,
                   PackedCoriolisMatrixDerivativesResult<double>, InverseDynamicsSecondDerivativesResult<double>) {
  const auto model = zoo::binary_tree(7);
  Fill<TestType> fill{model};
  TestType small(zoo::serial_chain(5)), of_other(zoo::serial_chain(7)), mine(model);
  const Matrix M = crba(model, fill.data, some_vector(model.nq(), 0.9));
  const auto rejects = [&](auto&& f) {
    const std::vector<std::string> words{fill.name, "another model", model.name()};
    CHECK(test::mentions(test::message_of<SizeError>([&] { f(small); }), words));
    CHECK(test::mentions(test::message_of<SizeError>([&] { f(small); }), {"5 degrees of freedom", "7"}));
    CHECK(test::mentions(test::message_of<StateError>([&] { f(of_other); }), words));
    CHECK(test::max_magnitude(all_of(of_other, model.nv())) == 0);
  };
  rejects(fill);
  CHECK(crba(model, fill.data) == M);
  fill(mine);
  rejects([&](TestType& out) { fill.call(out); });
  CHECK_NOTHROW(fill.call(mine));
  CHECK_THROWS_AS(contracted(mine, some_vector(8, 0)), SizeError);
}

TEST_CASE("symbols that were moved from are no argument", "[algorithms][tensor][errors]") {
  const auto model = zoo::serial_chain(4);
  ChristoffelTensor<double> dense(model);
  PackedChristoffelTensor<double> packed(model);
  const ChristoffelTensor<double> taken = std::move(dense);
  CHECK_THROWS_AS(packed.pack(dense), SizeError);
  CHECK_THROWS_AS(packed.unpack(dense), SizeError);
  CHECK_THROWS_AS(dense.check_fits(zoo::serial_chain(4)), SizeError);
}

TEST_CASE("second derivatives of which one tensor was taken or resized are rejected", "[algorithms][tensor][errors]") {
  const auto model = zoo::serial_chain(4);
  Fill<InverseDynamicsSecondDerivativesResult<double>> fill{model};
  InverseDynamicsSecondDerivativesResult<double> out(model);
  const Tensor3<double> taken = std::move(out.d2tau_dvdq);
  CHECK(taken.size() == 4);
  CHECK(out.d2tau_dvdq.size() == 0);
  CHECK_THROWS_AS(fill(out), SizeError);
  out.d2tau_dvdq = taken;
  CHECK_NOTHROW(fill(out));
  out.dM_dq.resize(3);
  CHECK_THROWS_AS(fill(out), SizeError);
}

TEST_CASE("a Tensor3 that was moved from is empty", "[core][tensor3]") {
  Tensor3<double> T(3), other(3);
  T(1, 2, 0) = 5;
  other = std::move(T);
  CHECK(T.size() == 0);
  Matrix out;
  CHECK_THROWS_AS(T.contract(some_vector(3, 0), out), SizeError);
  T.resize(3);
  CHECK(T(1, 2, 0) == 0);
  CHECK(other(1, 2, 0) == 5);
}

TEMPLATE_TEST_CASE("contractions may be written over their arguments", "[algorithms][tensor]",
                   ChristoffelTensor<double>, PackedChristoffelTensor<double>) {
  const auto model = zoo::binary_tree(9);
  const int n = model.nv();
  Fill<TestType> fill{model};
  TestType T(model);
  fill(T);
  const Vector v = some_vector(n, -0.4), w = some_vector(n, 0.3);
  Vector expected, expected_vv;
  Matrix expected_C;
  T.contract(v, w, expected), T.contract(v, v, expected_vv), T.contract(v, expected_C);
  Vector y = v;
  T.contract(y, w, y);
  CHECK(y == expected);
  y = w;
  T.contract(v, y, y);
  CHECK(y == expected);
  y = v;
  T.contract(y, y, y);
  CHECK(y == expected_vv);
  // The result is a part of a longer vector, which is resized.
  y.setZero(n + 3);
  y.segment(2, n) = v;
  T.contract(y.segment(2, n), w, y);
  CHECK(y == expected);
  Matrix C = Matrix::Zero(n, n);
  C.col(1) = v;
  T.contract(C.col(1), C);
  CHECK(C == expected_C);
}

TEMPLATE_TEST_CASE("derivatives of matrices may be contracted with a column of the result", "[algorithms][tensor]",
                   MassMatrixDerivativesResult<double>, PackedMassMatrixDerivativesResult<double>,
                   CoriolisMatrixDerivativesResult<double>, PackedCoriolisMatrixDerivativesResult<double>) {
  const auto model = zoo::binary_tree(9);
  const int n = model.nv();
  Fill<TestType> fill{model};
  TestType T(model);
  fill(T);
  const Vector v = some_vector(n, -0.4);
  const Matrix expected = contracted(T, v);
  Matrix C = Matrix::Zero(n, n);
  C.col(n - 2) = v;
  T.contract(C.col(n - 2), C);
  CHECK(C == expected);
}

TEMPLATE_TEST_CASE("a model without degrees of freedom has tensors of size zero", "[algorithms][tensor]",
                   ChristoffelTensor<double>, PackedChristoffelTensor<double>, MassMatrixDerivativesResult<double>,
                   PackedMassMatrixDerivativesResult<double>, CoriolisMatrixDerivativesResult<double>,
                   PackedCoriolisMatrixDerivativesResult<double>, InverseDynamicsSecondDerivativesResult<double>) {
  ModelBuilder<double> builder("nothing moves");
  builder.add_body({.name = "base", .inertia = box_inertia(2.0)});
  const auto model = builder.build();
  Fill<TestType> fill{model};
  TestType T(model);
  CHECK_NOTHROW(fill(T));
  CHECK(contracted(T, Vector()).size() == 0);
  const TestType taken = std::move(T);
  CHECK_THROWS_AS(T.check_fits(model), StateError);
}
