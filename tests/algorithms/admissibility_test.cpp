#include "corio/algorithms/coriolis/admissibility.hpp"

#include <memory>

#include "corio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Each factorization here has one defect, added to a sound one: the check has to find that defect and no other.

namespace {

using M6 = Matrix6<double>;
using Twist = Motion<double>;
using Solid = Inertia<double>;

M6 good(const Twist& V, const Solid& I) { return factorization::Christoffel{}(V, I); }
/// This map is skew-symmetric, satisfies D V = 0 and is the same in every frame.
M6 twist(const Twist& V, const Solid& I) { return factorization::Plain{}(V, I) - good(V, I); }

constexpr double no_defect = 1e-12, a_defect = 1e-2;
/// Checks the pattern of defects, given in the order of the members.
void check_defects(const FactorizationDefects& d, bool linearity, bool validity, bool skewness, bool frame) {
  const auto check = [](double x, bool expected) {
    if (expected)
      CHECK(x > a_defect);
    else
      CHECK(x < no_defect);
  };
  check(d.linearity, linearity), check(d.validity, validity), check(d.skewness, skewness), check(d.frame, frame);
}

template <class F>
void check_only(const F& B, bool linearity, bool validity, bool skewness, bool frame) {
  check_defects(factorization_defects(B), linearity, validity, skewness, frame);
  CHECK_FALSE(is_admissible(B));
}

/// Builds a tree whose joints have one degree of freedom each, and with speeds that are not rates of coordinates.
Model<double> tree() {
  using enum Kind;
  return build(PlanMaker("tree", 120).chain(-1, {revolute, spherical, prismatic}).chain(0, {universal}).plan());
}

Matrixd nothing(const Vectord& v) { return Matrixd::Zero(v.size(), v.size()); }

/// Returns the library's C(q, v) plus N(v).
template <class N, class B = factorization::Christoffel>
auto callable(const Model<double>& model, const N& extra, const B& factorization = {}) {
  const auto shared = std::make_shared<Data<double>>(model);
  return [&model, extra, factorization, shared](const Vectord& q, const Vectord& v) -> Matrixd {
    return coriolis_matrix(model, *shared, q, v, factorization).C + extra(v);
  };
}

struct Verdict {
  bool valid, admissible, christoffel;
  friend bool operator==(const Verdict&, const Verdict&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Verdict& x) {
    return out << (x.valid ? "" : "not ") << "valid, " << (x.admissible ? "" : "not ") << "admissible, "
               << (x.christoffel ? "" : "not ") << "Christoffel-consistent";
  }
};
template <class F>
Verdict verdict(const Model<double>& model, const F& C) {
  return {is_valid(model, C), is_admissible(model, C), is_christoffel_consistent(model, C)};
}

}  // namespace

TEST_CASE("corio's own factorizations are admissible", "[algorithms][admissibility]") {
  check_defects(factorization_defects(factorization::Christoffel{}), false, false, false, false);
  check_defects(factorization_defects(factorization::Plain{}), false, false, false, false);
  CHECK(is_admissible(factorization::Christoffel{}));
  CHECK(is_admissible(factorization::Plain{}));
}

TEST_CASE("so are all their means", "[algorithms][admissibility]") {
  const double part = GENERATE(-1.0, 0.3, 4.0);
  CHECK(is_admissible([=](const Twist& V, const Solid& I) -> M6 { return good(V, I) + part * twist(V, I); }));
}

TEST_CASE("a B that is not linear in V has that defect alone", "[algorithms][admissibility]") {
  // The kinetic energy is a scalar: the same in every frame.
  check_only([](const Twist& V, const Solid& I) -> M6 { return good(V, I) + dot(V, I * V) * twist(V, I); }, true, false,
             false, false);
}

TEST_CASE("a B that is not linear in I has that defect alone", "[algorithms][admissibility]") {
  check_only([](const Twist& V, const Solid& I) -> M6 { return good(V, I) + I.mass * twist(V, I); }, true, false, false,
             false);
}

TEST_CASE("a B that is not valid has that defect alone", "[algorithms][admissibility]") {
  // The momentum's cross product is skew-symmetric and covariant, but crf_bar(I V) V is the force itself.
  check_only([](const Twist& V, const Solid& I) -> M6 { return good(V, I) + crf_bar(I * V); }, false, true, false,
             false);
}

TEST_CASE("a B that is not skew has that defect alone", "[algorithms][admissibility]") {
  // I (V x) V = 0.
  check_only([](const Twist& V, const Solid& I) -> M6 { return good(V, I) + I.matrix() * crm(V); }, false, false, true,
             false);
  check_only([](const Twist& V, const Solid& I) -> M6 { return crf_bar(I * V); }, false, false, true, false);
}

TEST_CASE("a B that depends on the frame has that defect alone", "[algorithms][admissibility]") {
  // The map is linear, skew-symmetric and zero times V, but v is the velocity of whichever point is the origin.
  check_only(
      [](const Twist& V, const Solid& I) -> M6 {
        M6 B = good(V, I);
        B.block<3, 3>(3, 3) += I.mass * skew(V.linear);
        return B;
      },
      false, false, false, true);
}

TEST_CASE("a B that is zero has only the defects of its values", "[algorithms][admissibility]") {
  check_only([](const Twist&, const Solid&) -> M6 { return M6::Zero(); }, false, true, true, false);
}

TEST_CASE("a single entry of B that is NaN is not admissible", "[algorithms][admissibility]") {
  const int entry = GENERATE(0, 7, 35);
  CAPTURE(entry);
  CHECK_FALSE(is_admissible([=](const Twist& V, const Solid& I) -> M6 {
    M6 B = good(V, I);
    B(entry) = std::nan("");
    return B;
  }));
}

TEST_CASE("a B that is NaN only once is not admissible", "[algorithms][admissibility]") {
  const int when = GENERATE(0, 1, 17, 40);
  CAPTURE(when);
  int calls = 0;
  const auto B = [&](const Twist& V, const Solid& I) -> M6 {
    return calls++ == when ? M6(M6::Constant(std::nan(""))) : good(V, I);
  };
  const bool admissible = is_admissible(B);
  REQUIRE(calls > when);
  CHECK_FALSE(admissible);
}

TEST_CASE("matrices of the library's factorizations", "[algorithms][admissibility]") {
  const auto model = tree();
  CHECK(verdict(model, callable(model, nothing)) == Verdict{true, true, true});
  CHECK(verdict(model, callable(model, nothing, factorization::Plain{})) == Verdict{true, true, false});
}

TEST_CASE("matrices of models whose M is constant", "[algorithms][admissibility]") {
  // dM/dt is zero up to rounding, and so is C v for a ball that turns about its centre: a defect relative to such a
  // number would be of order one.
  const auto on = [](joint::JointSpec<double> joint, const InertialParameters<double>& inertia) {
    ModelBuilder<double> builder;
    builder.add_body({.name = "body", .joint = std::move(joint), .inertia = inertia});
    return builder.build();
  };
  const InertialParameters<double> any(Random<double>(2).inertia());
  const auto model = GENERATE_COPY(
      values<Model<double>>({on(joint::Spherical{}, any), on(joint::FreeFlyer{}, any), on(joint::Planar{}, any),
                             on(joint::Spherical{}, ball(2.0)), on(joint::Translation{}, any)}));
  INFO(model.joints().front().type());
  CHECK(is_admissible(model, callable(model, nothing)));
  CHECK(is_christoffel_consistent(model, callable(model, nothing)));
  CHECK(is_admissible(model, callable(model, nothing, factorization::Plain{})));
}

TEST_CASE("matrices with one defect each", "[algorithms][admissibility]") {
  const auto model = tree();
  const auto defects = [&](auto&& N) { return coriolis_defects(model, callable(model, N)); };
  const auto check = [&](const CoriolisDefects& d, bool linearity, bool validity, bool skewness) {
    CHECK((d.linearity > a_defect) == linearity);
    CHECK((d.validity > a_defect) == validity);
    CHECK((d.skewness > a_defect) == skewness);
    CHECK(d.christoffel > a_defect);
    for (const double x : {d.linearity, d.validity, d.skewness}) CHECK((x < no_defect || x > a_defect));
  };
  const auto skew_on = [](const Vectord& v, double scale) {  // uses scale S(v) for the first three speeds: S(v) v = 0
    Matrixd N = Matrixd::Zero(v.size(), v.size());
    N.topLeftCorner(3, 3) = scale * skew(Vector3<double>(v.head<3>()));
    return N;
  };
  check(defects([&](const Vectord& v) { return skew_on(v, v.squaredNorm()); }), true, false, false);
  check(defects([](const Vectord& v) {
          Matrixd N = nothing(v);
          N(0, 1) = v[0], N(1, 0) = -v[0];
          return N;
        }),
        false, true, false);
  check(defects([](const Vectord& v) {
          Matrixd N = nothing(v);
          N(0, 0) = v[1], N(0, 1) = -v[0];
          return N;
        }),
        false, false, true);
  check(defects([&](const Vectord& v) { return skew_on(v, 1); }), false, false, false);
}

TEST_CASE("verdicts follow the defects", "[algorithms][admissibility]") {
  const auto model = tree();
  const auto of = [&](auto&& N) { return verdict(model, callable(model, N)); };
  const auto block = [](const Vectord& v, double a, double b, double c, double d) {
    Matrixd N = nothing(v);
    N(0, 0) = a, N(0, 1) = b, N(1, 0) = c, N(1, 1) = d;
    return N;
  };
  CHECK(of([&](const Vectord& v) { return block(v, v[1], -v[0], 0, 0); }) == Verdict{true, false, false});
  CHECK(of([&](const Vectord& v) { return block(v, 0, v[0], -v[0], 0); }) == Verdict{false, false, false});
  CHECK(of([&](const Vectord& v) { return block(v, 0, 1, -1, 0); }) == Verdict{false, false, false});
}

TEST_CASE("the tolerance decides", "[algorithms][admissibility]") {
  const auto model = tree();
  const auto C =
      callable(model, [](const Vectord& v) -> Matrixd { return 1e-6 * Matrixd::Identity(v.size(), v.size()) * v[0]; });
  CHECK_FALSE(is_valid(model, C));
  CHECK_FALSE(is_admissible(model, C));
  CHECK_FALSE(is_christoffel_consistent(model, C));
  CHECK(is_valid(model, C, 1e-3));
  CHECK(is_admissible(model, C, 1e-3));
  CHECK(is_christoffel_consistent(model, C, 1e-3));
  const auto bad = [](const Twist& V, const Solid& I) -> M6 { return good(V, I) + 1e-6 * crf_bar(I * V); };
  CHECK_FALSE(is_admissible(bad));
  CHECK(is_admissible(bad, 1e-3));
}

TEST_CASE("a single entry of C that is NaN denies every property", "[algorithms][admissibility]") {
  const auto model = tree();
  const int last = model.nv() - 1, entry = GENERATE(0, 1, 2);
  CAPTURE(entry);
  const auto C = callable(model, [=](const Vectord& v) {
    Matrixd N = nothing(v);
    N(entry == 0 ? 0 : last, entry == 2 ? last : 0) = std::nan("");
    return N;
  });
  CHECK(verdict(model, C) == Verdict{false, false, false});
}

TEST_CASE("a C that is NaN only once is not valid", "[algorithms][admissibility]") {
  const auto model = tree();
  const int when = GENERATE(0, 1, 16);
  int calls = 0;
  const auto C = callable(model, [&](const Vectord& v) -> Matrixd {
    return calls++ == when ? Matrixd(Matrixd::Constant(v.size(), v.size(), std::nan(""))) : nothing(v);
  });
  const bool valid = is_valid(model, C);
  REQUIRE(calls > when);
  CHECK_FALSE(valid);
}

TEST_CASE("a C of the wrong size is a SizeError that says which", "[algorithms][admissibility][errors]") {
  const auto model = tree();
  const int n = model.nv();
  const auto message = [&](int rows, int columns) {
    return message_of<SizeError>([&] {
      is_valid(model, [&](const Vectord&, const Vectord&) -> Matrixd { return Matrixd::Zero(rows, columns); });
    });
  };
  CHECK(mentions(message(n + 1, n), {"rows of C(q, v)", std::to_string(n + 1), std::to_string(n)}));
  CHECK(mentions(message(n, n - 1), {"columns of C(q, v)", std::to_string(n - 1), std::to_string(n)}));
}

TEST_CASE("a tolerance with which nothing passes is rejected", "[algorithms][admissibility][errors]") {
  const auto model = tree();
  const auto C = [](const Vectord&, const Vectord& v) -> Matrixd { return nothing(v); };
  for (const double tolerance : {-1e-9, std::nan("")}) {
    CHECK(mentions(message_of<Error>([&] { is_valid(model, C, tolerance); }), {"is_valid: tolerance"}));
    CHECK(mentions(message_of<Error>([&] { is_admissible(model, C, tolerance); }), {"is_admissible: tolerance"}));
    CHECK(mentions(message_of<Error>([&] { is_christoffel_consistent(model, C, tolerance); }),
                   {"is_christoffel_consistent: tolerance"}));
    CHECK(mentions(message_of<Error>([&] { is_admissible(factorization::Christoffel(), tolerance); }),
                   {"is_admissible: tolerance"}));
  }
}

TEST_CASE("the number of samples is respected, and they are the same in every call", "[algorithms][admissibility]") {
  const auto model = tree();
  std::vector<Vectord> seen;
  const auto C = [&](const Vectord&, const Vectord& v) -> Matrixd {
    seen.push_back(v);
    return nothing(v);
  };
  coriolis_defects(model, C, 4);
  const auto once = seen;
  CHECK(once.size() == 12);  // v, v + 2 w and w for each
  seen.clear();
  coriolis_defects(model, C, 4);
  CHECK(seen == once);
}
