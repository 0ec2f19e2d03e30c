#include <functional>

#include "corio/algorithms/coriolis/admissibility.hpp"
#include "corio/algorithms/coriolis/coriolis_by_differentiation.hpp"
#include "corio/algorithms/geometry/connection.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Checks what is missing in the connections of other factorizations. Results are named as in "Coriolis Factorizations
// and their Connections to Riemannian Geometry".

namespace {

using Factorization = std::function<Matrixd(const Vectord& q, const Vectord& v)>;

/// Returns the columns of C' = 1/2 d(C v)/dv: differences of C v from point masses, exact because C v is quadratic.
Matrixd half_derivative(const Model<double>& model, Data<double>& data, const Vectord& q, const Vectord& v) {
  Matrixd C(model.nv(), model.nv());
  for (int j = 0; j < model.nv(); ++j) {
    const Vectord e = Vectord::Unit(model.nv(), j);
    const Vectord ahead = nonlinear_effects(model, data, q, v + e), behind = nonlinear_effects(model, data, q, v - e);
    C.col(j) = (ahead - behind) / 4;
  }
  return C;
}
/// This N is linear in v, satisfies N v = 0 and is not skew-symmetric.
Matrixd harmless(const Vectord& v) {
  Matrixd N = Matrixd::Zero(v.size(), v.size());
  N(0, 0) = v[1], N(0, 1) = -v[0];
  return N;
}
/// This N is linear in v and skew-symmetric, but N v is not zero.
Matrixd wrong(const Vectord& v) {
  Matrixd N = Matrixd::Zero(v.size(), v.size());
  N(0, 1) = v[0], N(1, 0) = -v[0];
  return N;
}

/// The factorizations of one model, as functions of the state.
struct Named {
  const char* name;
  Factorization C;
};
std::vector<Named> factorizations(const Model<double>& model, Data<double>& data) {
  const auto of = [&](const auto& B, const Vectord& q, const Vectord& v) -> Matrixd {
    return coriolis_matrix(model, data, q, v, B).C;
  };
  const factorization::Christoffel christoffel;
  return {{"Christoffel", [=](auto& q, auto& v) { return of(christoffel, q, v); }},
          {"Plain", [=](auto& q, auto& v) { return of(factorization::Plain{}, q, v); }},
          {"half derivative", [&](auto& q, auto& v) { return half_derivative(model, data, q, v); }},
          {"with N v = 0", [=](auto& q, auto& v) -> Matrixd { return of(christoffel, q, v) + harmless(v); }},
          {"with a skew N", [=](auto& q, auto& v) -> Matrixd { return of(christoffel, q, v) + wrong(v); }},
          {"with both", [=](auto& q, auto& v) -> Matrixd { return of(christoffel, q, v) + harmless(v) + wrong(v); }}};
}

/// Returns the contorsion of C' at a state, divided by the size of the symbols, so that tolerances are relative.
template <class F>
ContorsionDefects defects_of(Sample& s, const F& C) {
  Tensor3<double> K;
  contorsion(s.model, s.data, s.q, C, K);
  ChristoffelTensor<double> Gamma(s.model);
  christoffel_symbols(s.model, s.data, s.q, Gamma);
  const double scale = std::max(1.0, max_magnitude(Gamma.tensor()));
  const ContorsionDefects d = contorsion_defects(K);
  return {d.metric / scale, d.geodesics / scale, d.torsion / scale};
}

Sample chain(const std::vector<Kind>& kinds) { return {PlanMaker("chain", 70).chain(-1, kinds).plan(), 70}; }

}  // namespace

TEST_EACH(Sample& s, "the contorsion of the Christoffel-consistent factorization is zero", "[algorithms][contorsion]") {
  Tensor3<double> K;
  contorsion(s.model, s.data, s.q, factorization::Christoffel{}, K);
  CHECK(max_magnitude(K) == 0);
  // Uses the twelve numbers once and the dense operator once.
  const auto dense = [](const Motion<double>& V, const Inertia<double>& I) {
    return factorization::Christoffel{}(V, I);
  };
  const ContorsionDefects d = defects_of(s, dense);
  CHECK(std::max({d.metric, d.geodesics, d.torsion}) < tolerance<double>());
}

TEST_EACH(Sample& s, "contorsion is C' - Gamma, slice by slice", "[algorithms][contorsion]") {
  const int n = s.model.nv();
  Tensor3<double> K;
  contorsion(s.model, s.data, s.q, factorization::Plain{}, K);
  for (int k = 0; k < n; ++k) {
    const Vectord e = Vectord::Unit(n, k);
    const Matrixd plain = coriolis_matrix(s.model, s.data, s.q, e, factorization::Plain{}).C;
    CHECK(relative_error(Matrixd(K.along(k)), Matrixd(plain - s.oracle.coriolis_matrix(e))) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "Plain is admissible: its contorsion is totally antisymmetric", "[algorithms][contorsion]") {
  const ContorsionDefects d = defects_of(s, factorization::Plain{});
  CHECK(d.metric < tolerance<double>());
  CHECK(d.geodesics < tolerance<double>());
}

TEST_EACH(Sample& s, "C' = 1/2 d(C v)/dv: contorsion 1/2 <E_i, [E_j, E_k]>, right geodesics",
          "[algorithms][contorsion]") {
  Data<double> data(s.model);
  const auto C = [&](const Vectord& v) { return half_derivative(s.model, data, s.q, v); };
  Tensor3<double> K, y;
  contorsion(s.model, s.data, s.q, C, K);
  structure_constants_first_kind(s.model, s.data, s.q, y);
  for (int i = 0; i < y.size(); ++i) y.page(i) /= 2;
  CHECK(relative_error(K, y) < tolerance<double>());
  CHECK(defects_of(s, C).geodesics < tolerance<double>());
}

TEST_CASE("a point mass with C' = kappa S(v) is controlled well and twisted by kappa", "[algorithms][contorsion]") {
  // Section IV-A2: a point mass has C = 0, and both C' v and C' + C'^T are zero too.
  ModelBuilder<double> builder;
  builder.add_body({.name = "mass", .joint = joint::Translation{}, .inertia = ball(1.0)});
  const auto model = builder.build();
  Data<double> data(model);
  const State s(model);
  const double kappa = GENERATE(-2.0, 0.0, 1.0, 10.0);
  const auto C = [&](const Vectord&, const Vectord& v) -> Matrixd { return kappa * skew(Vector3<double>(v)); };
  Tensor3<double> K;
  contorsion(
      model, data, s.q, [&](const Vectord& v) { return C(s.q, v); }, K);
  const ContorsionDefects d = contorsion_defects(K);
  CHECK(d.metric == 0);
  CHECK(d.geodesics == 0);
  CHECK(d.torsion == Approx(2 * std::abs(kappa)));
  CHECK(is_admissible(model, C));
  CHECK(is_christoffel_consistent(model, C) == (kappa == 0));
}

TEST_CASE("iff: metric with Mdot - 2 C skew, geodesics with C v, both ways", "[algorithms][contorsion]") {
  // Checks Propositions III.1, III.2, IV.1 and IV.2 for every pair of a model and a factorization.
  using enum Kind;
  const auto kinds = GENERATE(values<std::vector<Kind>>(
      {{revolute, universal}, {revolute, spherical}, {planar, revolute}, {free_flyer, revolute}, {universal}}));
  Sample s = chain(kinds);
  Data<double> data(s.model);
  int with = 0, without = 0;
  for (const Named& f : factorizations(s.model, data)) {
    INFO(f.name);
    const CoriolisDefects matrix = coriolis_defects(s.model, f.C, 5);
    const ContorsionDefects K = defects_of(s, [&](const Vectord& v) { return f.C(s.q, v); });
    // Each number must be clearly zero or clearly nonzero.
    constexpr double zero = 1e-11, nonzero = 1e-4;
    const auto vanishes = [&](double x) {
      REQUIRE((x < zero || x > nonzero));
      return x < zero;
    };
    CHECK(matrix.linearity < zero);
    CHECK(vanishes(K.metric) == vanishes(matrix.skewness));
    CHECK(vanishes(K.geodesics) == vanishes(matrix.validity));
    const bool all = vanishes(K.metric) && vanishes(K.geodesics) && vanishes(K.torsion);
    CHECK(all == vanishes(matrix.christoffel));
    with += all, without += !all;
  }
  CHECK(with >= 1);
  CHECK(without >= 3);
}

TEST_CASE("a callable may compute its matrix with the same Data", "[algorithms][contorsion]") {
  using enum Kind;
  Sample s = chain({revolute, spherical});
  Data<double> data(s.model);
  Matrixd mine, other;
  Tensor3<double> K;
  contorsion(
      s.model, s.data, s.q,
      [&](const Vectord& v) -> Matrixd {
        coriolis_matrix_by_differentiation(s.model, s.data, s.q, v, mine);
        return mine;
      },
      K);
  CHECK(max_magnitude(K) < 1e-11);
}

TEST_CASE("contorsion of a matrix of the wrong size is a SizeError that says which", "[algorithms][contorsion]") {
  using enum Kind;
  Sample s = chain({revolute, universal});
  Tensor3<double> K;
  const auto message = [&](int rows, int columns) {
    return message_of<SizeError>([&] {
      contorsion(
          s.model, s.data, s.q, [&](const Vectord&) -> Matrixd { return Matrixd::Zero(rows, columns); }, K);
    });
  };
  CHECK(mentions(message(4, 3), {"rows of C", "4", "3"}));
  CHECK(mentions(message(3, 2), {"columns of C", "2", "3"}));
  CHECK_THROWS_AS(contorsion(s.model, s.data, Vectord::Zero(7), factorization::Plain{}, K), SizeError);
}

TEST_CASE("defects of a tensor, by hand", "[algorithms][contorsion]") {
  Tensor3<double> K(3);
  K(0, 1, 2) = 3;
  ContorsionDefects d = contorsion_defects(K);
  CHECK((d.metric == 3 && d.geodesics == 3 && d.torsion == 3));
  K(1, 0, 2) = -3;
  d = contorsion_defects(K);
  CHECK((d.metric == 0 && d.geodesics == 3));
  K.set_zero();
  K(0, 1, 2) = 3, K(0, 2, 1) = -3;
  d = contorsion_defects(K);
  CHECK((d.metric == 3 && d.geodesics == 0 && d.torsion == 6));
}

TEST_CASE("a contorsion that is NaN is not free of defects", "[algorithms][contorsion]") {
  // A NaN is found at every place: a later number must not hide it.
  const int place = GENERATE(0, 1, 26);
  Tensor3<double> K(3);
  K.data()[place] = std::nan("");
  const ContorsionDefects d = contorsion_defects(K);
  CHECK_FALSE(d.metric <= 1e9);
  CHECK_FALSE(d.geodesics <= 1e9);
  CHECK_FALSE(d.torsion <= 1e9);
}
