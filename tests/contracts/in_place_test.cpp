#include "contracts/operations.hpp"
#include "corio/algorithms/geometry/coordinates.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"

using namespace corio;
using namespace corio::test;

// Of what takes no Data: results that are written over an argument, and objects that were moved away.

namespace {

struct Robot {
  Robot()
      : model(zoo::random_tree(9, {.bodies = 8, .floating_base = true, .passive = true})),
        data(model),
        x(model, random_numbers(model, 1)) {}
  Model<double> model;
  Data<double> data;
  Arguments<double> x;
};

template <class T>
T filled(Robot& r) {
  T tensor(r.model);
  using std::is_same_v;
  if constexpr (is_same_v<T, ChristoffelTensor<double>> || is_same_v<T, PackedChristoffelTensor<double>>)
    christoffel_symbols(r.model, r.data, r.x.q(), tensor);
  else if constexpr (is_same_v<T, MassMatrixDerivatives<double>> || is_same_v<T, PackedMassMatrixDerivatives<double>>)
    mass_matrix_derivatives(r.model, r.data, r.x.q(), tensor);
  else
    coriolis_matrix_derivatives(r.model, r.data, r.x.q(), r.x.v(), tensor);
  return tensor;
}

using Symbols = std::tuple<ChristoffelTensor<double>, PackedChristoffelTensor<double>>;
using Tensors = std::tuple<ChristoffelTensor<double>, PackedChristoffelTensor<double>, MassMatrixDerivatives<double>,
                           PackedMassMatrixDerivatives<double>, CoriolisMatrixDerivatives<double>,
                           PackedCoriolisMatrixDerivatives<double>>;

}  // namespace

TEMPLATE_LIST_TEST_CASE("symbols contract into the vectors that they are contracted with", "[contracts][in_place]",
                        Symbols) {
  Robot r;
  const auto Gamma = filled<TestType>(r);
  const Vectord v = r.x.v(), a = r.x.a();
  Vectord expected, twice;
  Gamma.contract(v, a, expected);
  Gamma.contract(v, v, twice);
  Vectord first = v, second = a, both = v;
  Gamma.contract(first, a, first);
  Gamma.contract(v, second, second);
  Gamma.contract(both, both, both);
  CHECK(relative_error(first, expected) < tolerance<double>());
  CHECK(relative_error(second, expected) < tolerance<double>());
  CHECK(relative_error(both, twice) < tolerance<double>());
}

TEMPLATE_LIST_TEST_CASE("tensors contract into the matrix that a vector is a column of", "[contracts][in_place]",
                        Tensors) {
  Robot r;
  const auto tensor = filled<TestType>(r);
  const int n = r.model.nv();
  Matrixd expected = Matrixd::Zero(n, n), C = expected;
  C.col(1) = r.x.v();
  tensor.contract(r.x.v(), expected);
  tensor.contract(C.col(1), C);
  CHECK(relative_error(C, expected) < tolerance<double>());
}

TEST_CASE("a change of coordinates may be made in place", "[contracts][in_place]") {
  Robot r;
  const int n = r.model.nv(), fewer = GENERATE(0, 3);
  const auto& [C, M, Mdot] = coriolis_matrix(r.model, r.data, r.x.q(), r.x.v());
  const EquationsOfMotion<double> from{M, C, r.x.v(), r.x.a()};
  const Matrixd A = Matrixd::Random(n, n - fewer), Adot = Matrixd::Random(n, n - fewer);
  Matrixd work;
  EquationsOfMotion<double> to, in_place = from;
  change_of_coordinates(from, A, Adot, work, to);
  change_of_coordinates(in_place, A, Adot, work, in_place);
  CHECK(relative_error(in_place.M, to.M) < tolerance<double>());
  CHECK(relative_error(in_place.C, to.C) < tolerance<double>());
  CHECK(relative_error(in_place.g, to.g) < tolerance<double>());
  CHECK(relative_error(in_place.tau, to.tau) < tolerance<double>());
}

TEMPLATE_LIST_TEST_CASE("a tensor that was moved away is empty, and of no model", "[contracts][in_place]", Tensors) {
  Robot r;
  auto tensor = filled<TestType>(r);
  const auto kept = std::move(tensor);
  const int n = r.model.nv();
  CHECK(kept.size() == n);
  CHECK(tensor.size() == 0);  // NOLINT(bugprone-use-after-move)
  Matrixd C = Matrixd::Zero(n, n);
  CHECK_THROWS_AS(tensor.contract(r.x.v(), C), SizeError);
  tensor = kept;
  Matrixd expected = Matrixd::Zero(n, n);
  tensor.contract(r.x.v(), C), kept.contract(r.x.v(), expected);
  CHECK(C == expected);
}

TEST_CASE("a third-order tensor that was moved away is empty", "[contracts][in_place]") {
  Tensor3<double> T(3);
  T(1, 2, 0) = 7;
  const Tensor3<double> kept = std::move(T);
  CHECK(kept(1, 2, 0) == 7);
  CHECK(T.size() == 0);  // NOLINT(bugprone-use-after-move)
  T.resize(3);
  CHECK(corio::test::max_magnitude(T) == 0);
}

TEST_CASE("a selection of bodies that was moved away selects none of the model", "[contracts][in_place]") {
  Robot r;
  BodySelection some = r.x.some;
  const int parameters = some.num_parameters(r.model);
  const BodySelection kept = std::move(some);
  Matrixd Y(r.model.nv(), parameters);
  const auto fill = [&](const BodySelection& b) {
    slotine_li_regressor(r.model, r.data, r.x.q(), r.x.v(), r.x.x(), r.x.y(), Y, b);
  };
  CHECK_NOTHROW(fill(kept));
  CHECK_THROWS_AS(fill(some), Error);  // NOLINT(bugprone-use-after-move)
}
