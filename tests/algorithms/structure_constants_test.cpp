#include "corio/algorithms/geometry/structure_constants.hpp"

#include "support/catch.hpp"
#include "support/christoffel_support.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Returns [e_a, e_b] for a joint in its own degrees of freedom, written down by hand.
Vectord bracket_of(Kind kind, int a, int b) {
  const auto unit = [](int i) -> Vector3<double> { return Vector3<double>::Unit(i); };
  switch (kind) {
    case Kind::spherical: return unit(a).cross(unit(b));
    case Kind::free_flyer: {
      const auto part = [](int i, int first) -> Vector3<double> {
        return i / 3 == first ? Vector3<double>::Unit(i % 3) : Vector3<double>(0, 0, 0);
      };
      Vectord out(6);
      out << part(a, 0).cross(part(b, 0)), part(a, 0).cross(part(b, 1)) + part(a, 1).cross(part(b, 0));
      return out;
    }
    case Kind::planar: {
      // v = [w, vx, vy]: a turn maps x to y and y to -x; translations commute.
      Vectord out = Vectord::Zero(3);
      if (a == 0 && b == 1) out[2] = 1;
      if (a == 1 && b == 0) out[2] = -1;
      if (a == 0 && b == 2) out[1] = -1;
      if (a == 2 && b == 0) out[1] = 1;
      return out;
    }
    default: return {};
  }
}

Kind kind_of(const Joint& joint) {
  for (int i = 0; i <= static_cast<int>(Kind::continuous); ++i)
    if (name_of(static_cast<Kind>(i)) == joint.type()) return static_cast<Kind>(i);
  throw std::runtime_error("no kind " + joint.type());
}

/// The constants of a model of built-in joints, from bracket_of.
Tensor3<double> expected_constants(const Model<double>& model) {
  Tensor3<double> c(model.nv());
  for (const Joint& joint : model.joints())
    for (int a = 0; a < joint.nv(); ++a)
      for (int b = 0; b < joint.nv(); ++b) {
        const Vectord y = bracket_of(kind_of(joint), a, b);
        for (int l = 0; l < y.size(); ++l) c(joint.v_index() + l, joint.v_index() + a, joint.v_index() + b) = y[l];
      }
  return c;
}

/// Returns the commutator of two flows: q (+) h e_a (+) h e_b (-) h e_a (-) h e_b is q (+) h^2 [E_a, E_b] + O(h^3). The
/// mean for h and -h leaves O(h^4), over h^2: with h = 1e-3 that is 1e-6, and rounding 1e-16 / h^2 is 1e-10.
Vectord commutator_of_flows(const Model<double>& model, const Vectord& q, int a, int b) {
  constexpr double h = 1e-3;
  Vectord mean = Vectord::Zero(model.nv());
  for (const double x : {h, -h}) {
    const Vectord ea = x * Vectord::Unit(model.nv(), a), eb = x * Vectord::Unit(model.nv(), b);
    const Vectord back = -ea, home = -eb;
    const Vectord end = integrate(model, integrate(model, integrate(model, integrate(model, q, ea), eb), back), home);
    mean += difference(model, q, end) / (2 * h * h);
  }
  return mean;
}
constexpr double flow_tolerance = 2e-5;

void check_commutators(const Model<double>& model, const Vectord& q, const Tensor3<double>& c) {
  for (int a = 0; a < model.nv(); ++a)
    for (int b = 0; b < model.nv(); ++b) {
      CAPTURE(a, b);
      Vectord column(model.nv());
      for (int l = 0; l < model.nv(); ++l) column[l] = c(l, a, b);
      CHECK(relative_error(commutator_of_flows(model, q, a, b), column) < flow_tolerance);
    }
}

/// A ball joint with speeds about three axes fixed in the body that are not at right angles.
struct ObliqueBall {
  static constexpr int nq = 4, nv = 3;
  static constexpr const char* type = "oblique_ball";
  static Matrix3<double> oblique() { return (Matrix3<double>() << 1, 0.5, 0.3, 0, 0.8, -0.4, 0, 0, 0.6).finished(); }
  using Ball = joint::Spherical;

  Pose<double> compose(const Pose<double>& A, const double* q) const { return Ball{}.compose(A, q); }
  void columns(const Pose<double>& X, const double*, Motion<double>* phi) const {
    for (int i = 0; i < 3; ++i) phi[i] = X.act(Motion<double>{oblique().col(i), zero3<double>()});
  }
  void neutral(double* q) const { Ball{}.neutral(q); }
  void integrate(const double* q, const double* dv, double* out) const {
    const Vector3<double> turn = oblique() * vector3(dv);
    Ball{}.integrate(q, turn.data(), out);
  }
  void difference(const double* q0, const double* q1, double* dv) const {
    Vector3<double> turn;
    Ball{}.difference(q0, q1, turn.data());
    joint::detail::store<double, 3>(oblique().inverse() * turn, dv);
  }
  void random(const joint::Uniform& uniform, double* q) const { Ball{}.random(uniform, q); }
  void normalize(double* q) const { Ball{}.normalize(q); }
  double violation(const double* q) const { return Ball{}.violation(q); }
};

}  // namespace

TEST_EACH(Sample& s, "structure constants of every joint are its brackets written by hand",
          "[algorithms][structure_constants]") {
  Tensor3<double> c;
  structure_constants(s.model, s.data, s.q, c);
  CHECK(relative_error(c, expected_constants(s.model)) < tolerance<double>());
}

TEST_EACH(Sample& s, "structure constants of different joints are exact zeros", "[algorithms][structure_constants]") {
  Tensor3<double> c;
  structure_constants(s.model, s.data, s.q, c);
  std::vector<int> joint_of;
  for (std::size_t i = 0; i < s.model.joints().size(); ++i)
    joint_of.insert(joint_of.end(), static_cast<std::size_t>(s.model.joints()[i].nv()), static_cast<int>(i));
  const auto joint = [&](int k) { return joint_of[static_cast<std::size_t>(k)]; };
  int nonzero = 0;
  for (int l = 0; l < c.size(); ++l)
    for (int a = 0; a < c.size(); ++a)
      for (int b = 0; b < c.size(); ++b) nonzero += !(joint(l) == joint(a) && joint(a) == joint(b)) && c(l, a, b) != 0;
  CHECK(nonzero == 0);
}

TEST_CASE("structure constants are the commutators of the flows of integrate", "[algorithms][structure_constants]") {
  const auto kind = static_cast<Kind>(GENERATE(range(0, moving_kinds)));
  INFO(name_of(kind));
  Sample s(PlanMaker("one", 3).chain(-1, {kind}).plan(), 3);
  Tensor3<double> c;
  structure_constants(s.model, s.data, s.q, c);
  check_commutators(s.model, s.q, c);
}

TEST_CASE("Euler angles have no structure constants although their columns move",
          "[algorithms][structure_constants][custom]") {
  const auto model = tree_on<double>(EulerZyx());
  Data<double> data(model);
  const State s(model, GENERATE(range(1, 6)));
  Tensor3<double> c;
  structure_constants(model, data, s.q, c);
  CHECK(max_magnitude(c) < tolerance<double>());
  check_commutators(model, s.q, c);
  // The columns alone do not commute: their derivatives cancel the bracket.
  CHECK(max_magnitude(cross(data.phi[2], data.phi[3]).vector()) > 0.1);
}

TEST_CASE("a ball joint with speeds in the parent's axes has the opposite constants",
          "[algorithms][structure_constants][custom]") {
  const auto model = tree_on<double>(ParentBall()), body_axes = tree_on<double>(joint::Spherical());
  Data<double> data(model), other(body_axes);
  const State s(model, GENERATE(range(1, 6)));
  Tensor3<double> c, d;
  structure_constants(model, data, s.q, c);
  structure_constants(body_axes, other, s.q, d);
  check_commutators(model, s.q, c);
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const Vector3<double> expected = -Vector3<double>::Unit(a).cross(Vector3<double>::Unit(b));
      for (int l = 0; l < 3; ++l) {
        CAPTURE(l, a, b);
        CHECK(std::abs(c(2 + l, 2 + a, 2 + b) - expected[l]) < tolerance<double>());
        CHECK(std::abs(d(2 + l, 2 + a, 2 + b) + expected[l]) < tolerance<double>());
      }
    }
}

TEST_CASE("brackets are expanded in axes that are not at right angles", "[algorithms][structure_constants][custom]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "body", .joint = ObliqueBall(), .inertia = ball(1.0, {0.1, 0.2, 0.3})});
  const auto model = builder.build();
  Data<double> data(model);
  const State s(model);
  Tensor3<double> c;
  structure_constants(model, data, s.q, c);
  const Matrix3<double> T = ObliqueBall::oblique();
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      const Vector3<double> expected = T.inverse() * T.col(a).cross(T.col(b));
      for (int l = 0; l < 3; ++l) CHECK(std::abs(c(l, a, b) - expected[l]) < tolerance<double>());
    }
  check_commutators(model, s.q, c);
}

TEST_EACH(Sample& s, "structure constants of the first kind are M c without armature",
          "[algorithms][structure_constants]") {
  Tensor3<double> y;
  structure_constants_first_kind(s.model, s.data, s.q, y);
  Matrixd M = s.oracle.mass_matrix();
  M -= s.model.armature().asDiagonal();
  CHECK(relative_error(y, lowered(M, expected_constants(s.model))) < tolerance<double>());
}

TEST_CASE("structure constants in a tensor used before are those in a new one", "[algorithms][structure_constants]") {
  Sample s(PlanMaker("tree", 5).chain(-1, {Kind::spherical, Kind::revolute, Kind::planar}).plan(), 5);
  Tensor3<double> fresh, used(s.model.nv());
  const auto soil = [&] { std::fill(used.data(), used.data() + 7 * 7 * 7, 3.0); };
  structure_constants(s.model, s.data, s.q, fresh);
  soil();
  structure_constants(s.model, s.data, used);
  CHECK(relative_error(used, fresh) == 0);
  structure_constants_first_kind(s.model, s.data, s.q, fresh);
  soil();
  structure_constants_first_kind(s.model, s.data, used);
  CHECK(relative_error(used, fresh) == 0);
  used.resize(2);
  structure_constants(s.model, s.data, used);
  CHECK(used.size() == 7);
}
