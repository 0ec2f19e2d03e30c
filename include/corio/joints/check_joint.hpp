#pragma once

#include <string>

#include "corio/core/detail/input.hpp"
#include "corio/core/table.hpp"
#include "corio/joints/custom.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// Checks the members of `joint` against each other at a few configurations, in double. Authors of joints call it in
/// their tests. The derivative of the pose along integrate must be given by columns, and the derivative of the columns
/// by column_rates (required if columns move in the body); difference must invert integrate, and neutral, random,
/// normalize and violation must agree. With asserts on (no NDEBUG) ModelBuilder checks every user's joint in this way.
/// @throws ModelError naming the joint's type, the member, the size of the error and what is expected
template <class J>
requires JointModel<J, double>
void check_joint(const J& joint);

namespace detail {

/// Implements check_joint on the virtual interface, so that it is compiled once for all joints. It is a template, so
/// that it is not compiled at all without users' joints. S is double.
template <class S>
class JointCheck {
 public:
  JointCheck(const Custom<S>& joint, const char* type) : joint_(joint), type_(type) {}

  void run() const {
    const Uniform uniform = uniform_numbers(2463534242u);
    for (int sample = 0; sample < 3; ++sample) {
      const Vector q = random(uniform), other = random(uniform);
      Vector dv(joint_.nv);
      for (S& x : dv) x = 0.4 * (2 * uniform() - 1);
      check_frames(q, dv);
      check_manifold(q, other, dv);
      check_columns(q, dv);
    }
    Vector q(joint_.nq);
    joint_.neutral(q.data());
    expect_same(pose(q), Pose<S>::identity(), "neutral", "the pose there should be the identity");
    expect(joint_.violation(q.data()), exact, "neutral or violation", "violation(neutral), should be zero");
  }

 private:
  using Vector = VectorX<S>;
  using Columns = corio::detail::Table<Motion<S>, struct OfJoints>;

  /// Tolerances for exact quantities, and for central differences with steps h, with errors of 1e-16 / h and h^2.
  static constexpr S exact = 1e-9, by_differences = 1e-6, h = 1e-5;

  static S norm(const Vector3<S>& x) { return std::sqrt(dot(x, x)); }
  /// Returns the length to which errors of position are relative, so that a joint of a micrometre is checked like one
  /// of a metre. It is at least 0.1 mm, because a position of zero may be a sum that cancels.
  static S length(const Pose<S>& X) { return (std::max)(S(1e-4), norm(X.translation)); }

  /// Fails unless error <= bound; a NaN also fails.
  void expect(S error, S bound, const std::string& member, const std::string& finding) const {
    if (error <= bound) return;
    throw ModelError(corio::detail::join(
        {"joint of type '", type_, "': ", member, " is wrong by ", corio::detail::number(error), ": ", finding}));
  }
  void expect_same(const Pose<S>& X, const Pose<S>& Y, const char* member, const char* finding) const {
    for (int j = 0; j < 3; ++j) expect(norm(column(X.rotation, j) - column(Y.rotation, j)), exact, member, finding);
    expect(norm(X.translation - Y.translation), exact * length(Y), member, finding);
  }
  /// Compares the angular parts of two motions, and their linear parts relative to the length `scale`.
  void expect_same(const Motion<S>& found, const Motion<S>& right, S scale, S bound, const std::string& member, int k,
                   const char* finding) const {
    const S turn = norm(found.angular - right.angular), slide = norm(found.linear - right.linear);
    if (turn <= bound * (std::max)(S(1), norm(right.angular)) && slide <= bound * (std::max)(scale, norm(right.linear)))
      return;
    expect(turn + slide, S(0), corio::detail::join({member, ", column ", std::to_string(k)}),
           corio::detail::join({finding, " ", text(right), ", not ", text(found)}));
  }
  static std::string text(const Motion<S>& V) {
    std::string all = "[";
    for (int i = 0; i < 6; ++i)
      all += corio::detail::join({i == 0   ? ""
                                  : i == 3 ? "; "
                                           : ", ",
                                  corio::detail::number(i < 3 ? V.angular[i] : V.linear[i - 3])});
    return all + "]";
  }

  // The joint's members, with values instead of pointers.

  Pose<S> pose(const Vector& q) const { return joint_.compose(Pose<S>::identity(), q.data()); }
  Columns columns(const Vector& q, const Pose<S>& X = Pose<S>::identity()) const {
    Columns phi(max_nv);
    joint_.columns(X, q.data(), phi.data());
    return phi;
  }
  Columns rates(const Vector& q, const Vector& v, const Pose<S>& X = Pose<S>::identity()) const {
    Columns r(max_nv, Motion<S>::zero());
    if (joint_.has_column_rates()) joint_.column_rates(X, q.data(), v.data(), r.data());
    return r;
  }
  Vector integrate(const Vector& q, const Vector& dv) const {
    Vector out(joint_.nq);
    joint_.integrate(q.data(), dv.data(), out.data());
    return out;
  }
  Vector difference(const Vector& q0, const Vector& q1) const {
    Vector dv(joint_.nv);
    joint_.difference(q0.data(), q1.data(), dv.data());
    return dv;
  }
  Vector random(const Uniform& uniform) const {
    Vector q(joint_.nq);
    joint_.random(uniform, q.data());
    expect(joint_.violation(q.data()), by_differences, "random or violation",
           "violation(q) of a random q, should be zero");
    return q;
  }
  /// Returns the derivative of f(integrate(q, t dv)) with respect to t at zero.
  template <class F>
  Motion<S> rate_along(const Vector& q, const Vector& dv, F&& f) const {
    return (f(integrate(q, h * dv)) - f(integrate(q, -h * dv))) * (S(1) / (2 * h));
  }
  /// Returns the twist of the child per unit of t along integrate(q, t dv), in its own axes, by differences of compose.
  Motion<S> twist_along(const Vector& q, const Vector& dv) const {
    return rate_along(q, dv, [&, back = pose(q).inverse()](const Vector& x) { return log<S>(back * pose(x)); });
  }
  Motion<S> twist_of_columns(const Vector& q, const Vector& dv) const {
    Motion<S> twist = Motion<S>::zero();
    for (int k = 0; k < joint_.nv; ++k) twist += columns(q)[k] * dv[k];
    return twist;
  }

  /// Checks compose, columns and column_rates in frames other than the identity.
  void check_frames(const Vector& q, const Vector& dv) const {
    const Pose<S> A = exp(Motion<S>{{0.5, -0.8, 0.3}, {0.2, -0.7, 0.4}}), X = pose(q);
    expect_same(Pose<S>{transpose(X.rotation) * X.rotation, zero3<S>()}, Pose<S>::identity(), "compose",
                "its rotation should be orthogonal");
    expect_same(joint_.compose(A, q.data()), A * X, "compose", "compose(A, q) should be A compose(identity, q)");
    for (int k = 0; k < joint_.nv; ++k) {
      expect_same(A.act_inverse(columns(q, A)[k]), columns(q)[k], S(1), exact, "columns", k,
                  "carried back by X, columns(X, q) should be");
      expect_same(A.act_inverse(rates(q, dv, A)[k]), rates(q, dv)[k], S(1), exact, "column_rates", k,
                  "carried back by X, column_rates(X, q, v) should be");
    }
  }

  void check_manifold(const Vector& q, const Vector& other, const Vector& dv) const {
    const Vector zero = Vector::Zero(joint_.nv), same = integrate(q, zero);
    const auto distance = [](const Vector& x, const Vector& y) { return (x - y).template lpNorm<1>(); };
    expect_same(pose(same), pose(q), "integrate", "integrate(q, 0) should have the pose of q");
    expect(distance(difference(q, same), zero), exact, "integrate or difference",
           "difference(q, integrate(q, 0)) should be zero");
    // If the pose does not move along the columns either, the common cause is integrate.
    const Motion<S> error = twist_along(q, dv) - twist_of_columns(q, dv);
    expect(distance(difference(q, integrate(q, dv)), dv), exact,
           norm(error.angular) + norm(error.linear) < 1e-4 ? "difference" : "integrate",
           "difference(q, integrate(q, dv)) should be dv");
    expect_same(pose(integrate(q, difference(q, other))), pose(other), "difference",
                "integrate(q0, difference(q0, q1)) should have the pose of q1");

    Vector normal = q, off = q;
    joint_.normalize(normal.data());
    expect_same(pose(normal), pose(q), "normalize", "it should not move a valid q");
    for (int i = 0; i < joint_.nq; ++i) off[i] *= 1 + 0.01 * (i + 1);
    const Vector before = off;
    joint_.normalize(off.data());
    expect(joint_.violation(off.data()), by_differences, "normalize", "violation after it should be zero");
    if (joint_.violation(before.data()) > 0) return;
    expect_same(pose(off), pose(before), "normalize", "it should not move a q without violation");
    // The result may represent the same pose by other coordinates, as for the exponential map beyond half a turn.
    if (!(distance(difference(before, off), zero) > by_differences))
      expect(distance(before, off), by_differences, "violation", "zero for a q that normalize changes");
  }

  /// Compares columns with poses, their rates with columns, and steps with the exponential.
  void check_columns(const Vector& q, const Vector& dv) const {
    for (int j = 0; j <= joint_.nv; ++j) {
      const Vector v = j < joint_.nv ? Vector(Vector::Unit(joint_.nv, j)) : dv;
      if (j < joint_.nv)
        expect_same(columns(q)[j], twist_along(q, v), length(pose(q)), by_differences, "columns", j,
                    "compose along integrate moves in the child's axes with");
      for (int k = 0; k < joint_.nv; ++k)
        expect_same(rates(q, v)[k], rate_along(q, v, [&](const Vector& x) { return columns(x)[k]; }),
                    (std::max)(length(pose(q)), norm(columns(q)[k].linear)), by_differences,
                    joint_.has_column_rates() ? "column_rates" : "column_rates (missing)", k,
                    "along integrate the column moves in the child's axes with");
    }
    if (!joint_.has_column_rates())
      expect_same(pose(q) * exp(twist_of_columns(q, dv)), pose(integrate(q, dv)), "integrate",
                  "with columns that do not move its pose should be T(q) exp(sum s_k dv_k)");
  }

  const Custom<S>& joint_;
  const char* type_;
};

/// Describes an error in the columns, for ModelBuilder; empty if the columns are right.
template <class S>
std::string wrong_columns(const Custom<S>& joint) {
  using corio::detail::all_finite;
  const Uniform uniform = uniform_numbers(54321);
  VectorX<S> q(joint.nq);
  Motion<S> columns[2][max_nv];
  for (auto& phi : columns) {
    joint.random(uniform, q.data());
    joint.columns(Pose<S>::identity(), q.data(), phi);
  }
  for (int k = 0; k < joint.nv; ++k) {
    if (!all_finite(columns[0][k].angular) || !all_finite(columns[0][k].linear)) return "its columns are not finite";
    const Motion<S> change = columns[1][k] - columns[0][k];
    if (joint.has_column_rates()) continue;
    // Without the rates the velocity terms would be wrong without any error.
    if (!(value_of(dot(change.angular, change.angular) + dot(change.linear, change.linear)) <= 1e-12))
      return "its columns depend on q in the body's own axes, so it needs a const member column_rates(X, q, v, rates)";
  }
  return {};
}

}  // namespace detail

template <class J>
requires JointModel<J, double>
void check_joint(const J& joint) { detail::JointCheck<double>(CustomAdapter<double, J>(joint), J::type).run(); }

}}}  // namespace corio::joint
