#pragma once

#include <string>
#include <vector>

#include "corio/core/error.hpp"
#include "corio/joints/custom.hpp"

namespace corio::joint {
namespace detail {

/// What check_joint below does, behind virtual functions: compiled once for all joints, and, being a template, not at
/// all where there are no users' joints. S is double.
template <class S>
class JointCheck {
 public:
  JointCheck(const Custom<S>& joint, const char* type) : joint_(joint), type_(type), nv_(joint.nv()) {}

  void run() const {
    const Uniform uniform = [state = 2463534242u]() mutable {
      return (state = state * 1664525u + 1013904223u) / 4294967296.0;
    };
    for (int sample = 0; sample < 3; ++sample) {
      const Vector q = random(uniform), other = random(uniform);
      Vector dv(size(nv_));
      for (S& x : dv) x = S(0.4) * (S(2) * uniform() - S(1));
      check_frames(q, dv);
      check_manifold(q, other, dv);
      check_columns(q);
      check_rates(q, dv);
      check_exponential(q, dv);
    }
    check_neutral();
  }

 private:
  using Vector = std::vector<S>;
  using Columns = std::vector<Motion<S>>;

  // ---- Errors and how large they may be. Angular and linear parts are judged apart, the latter against the lengths
  // in question, so that a joint of a micrometre is judged like one of a metre.

  /// Of what is exact, and of differences over steps of 1e-5 of fourth order: rounding 1e-16 / 1e-5, some digits spare.
  static constexpr S exact = 1e-9, by_differences = 1e-6, h = 1e-5;

  static std::size_t size(int n) { return static_cast<std::size_t>(n); }
  static S norm(const Vector3<S>& x) { return std::sqrt(dot(x, x)); }
  /// The length in question at a pose. At least a tenth of a millimetre, because zero may be a sum that cancels.
  static S length(const Pose<S>& X) { return std::max(S(1e-4), norm(X.translation)); }

  [[noreturn]] void fail(const std::string& member, const std::string& finding, S error) const {
    throw ModelError(corio::detail::join(
        {"joint of type '", type_, "': ", member, " is wrong by ", corio::detail::number(error), ": ", finding}));
  }
  /// Fails unless error <= bound: also for NaN.
  void expect(S error, S bound, const char* member, const char* finding) const {
    if (!(error <= bound)) fail(member, finding, error);
  }
  void expect_same(const Pose<S>& X, const Pose<S>& Y, const char* member, const char* finding) const {
    S turn(0);
    for (int j = 0; j < 3; ++j) turn += norm(column(X.rotation, j) - column(Y.rotation, j));
    expect(turn, exact, member, finding);
    expect(norm(X.translation - Y.translation), exact * length(Y), member, finding);
  }
  void expect_same(const Motion<S>& found, const Motion<S>& right, S scale, S bound, const std::string& member,
                   const char* finding) const {
    const S turn = norm(found.angular - right.angular), slide = norm(found.linear - right.linear);
    if (turn <= bound * std::max(S(1), norm(right.angular)) && slide <= bound * std::max(scale, norm(right.linear)))
      return;
    fail(member, corio::detail::join({finding, " ", text(right), ", not ", text(found)}), std::max(turn, slide));
  }
  static std::string text(const Motion<S>& V) {
    std::string all = "[";
    for (int i = 0; i < 6; ++i)
      all += (i == 0 ? "" : i == 3 ? "; " : ", ") + corio::detail::number(i < 3 ? V.angular[i] : V.linear[i - 3]);
    return all + "]";
  }
  static std::string column_name(const char* member, int k) { return member + (", column " + std::to_string(k)); }

  // ---- The joint's members with values instead of pointers

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
  Vector integrate(const Vector& q, const Vector& dv, S factor = S(1)) const {
    Vector step = dv, out(q.size());
    for (S& x : step) x *= factor;
    joint_.integrate(q.data(), step.data(), out.data());
    return out;
  }
  Vector difference(const Vector& q0, const Vector& q1) const {
    Vector dv(size(nv_));
    joint_.difference(q0.data(), q1.data(), dv.data());
    return dv;
  }
  Vector random(const Uniform& uniform) const {
    Vector q(size(joint_.nq()));
    joint_.random(uniform, q.data());
    expect(joint_.violation(q.data()), by_differences, "random or violation",
           "violation(q) of a random q, should be zero");
    return q;
  }
  Vector unit(int k) const {
    Vector e(size(nv_));
    e[size(k)] = S(1);
    return e;
  }
  static S distance(const Vector& x, const Vector& y) {
    S sum(0);
    for (std::size_t i = 0; i < x.size(); ++i) sum += std::abs(x[i] - y[i]);
    return sum;
  }
  /// How f(integrate(q, t dv)) changes with t at zero, to fourth order in h.
  template <class F>
  auto rate_along(const Vector& q, const Vector& dv, F&& f) const {
    const auto near = f(integrate(q, dv, h)) - f(integrate(q, dv, -h));
    const auto far = f(integrate(q, dv, 2 * h)) - f(integrate(q, dv, -2 * h));
    return (near * S(8) - far) * (S(1) / (12 * h));
  }

  // ---- What is compared

  void check_neutral() const {
    Vector q(size(joint_.nq()));
    joint_.neutral(q.data());
    expect_same(pose(q), Pose<S>::identity(), "neutral", "the pose there should be the identity");
    expect(joint_.violation(q.data()), exact, "neutral or violation", "violation(neutral), should be zero");
  }

  /// compose and the like in frames other than the identity.
  void check_frames(const Vector& q, const Vector& dv) const {
    const Pose<S> A = exp(Motion<S>{{0.5, -0.8, 0.3}, {0.2, -0.7, 0.4}}), X = pose(q);
    expect_same(Pose<S>{transpose(X.rotation) * X.rotation, zero3<S>()}, Pose<S>::identity(), "compose",
                "its rotation should be orthogonal");
    expect_same(joint_.compose(A, q.data()), A * X, "compose", "compose(A, q) should be A compose(identity, q)");
    const Columns phi = columns(q), moved = columns(q, A), rate = rates(q, dv), moved_rate = rates(q, dv, A);
    for (std::size_t k = 0; k < size(nv_); ++k) {
      expect_same(A.act_inverse(moved[k]), phi[k], S(1), exact, column_name("columns", static_cast<int>(k)),
                  "carried back by X, columns(X, q) should be");
      expect_same(A.act_inverse(moved_rate[k]), rate[k], S(1), exact, column_name("column_rates", static_cast<int>(k)),
                  "carried back by X, column_rates(X, q, v) should be");
    }
  }

  void check_manifold(const Vector& q, const Vector& other, const Vector& dv) const {
    const Vector zero(size(nv_));
    expect_same(pose(integrate(q, zero)), pose(q), "integrate", "integrate(q, 0) should have the pose of q");
    expect(distance(difference(q, integrate(q, zero)), zero), exact, "integrate or difference",
           "difference(q, integrate(q, 0)) should be zero");
    const S error = distance(difference(q, integrate(q, dv)), dv);
    // If the pose does not move along the columns either, both have integrate in common.
    expect(error, exact, along_columns(q, dv) ? "difference" : "integrate",
           "difference(q, integrate(q, dv)) should be dv");
    expect_same(pose(integrate(q, difference(q, other))), pose(other), "difference",
                "integrate(q0, difference(q0, q1)) should have the pose of q1");

    Vector normal = q, off = q;
    joint_.normalize(normal.data());
    expect_same(pose(normal), pose(q), "normalize", "it should not move a valid q");
    for (std::size_t i = 0; i < off.size(); ++i) off[i] *= S(1) + S(0.01) * S(i + 1);
    const Vector before = off;
    const S violation = joint_.violation(off.data());
    joint_.normalize(off.data());
    expect(joint_.violation(off.data()), by_differences, "normalize", "violation after it should be zero");
    if (const S change = distance(before, off); change > by_differences)
      expect(violation > S(0) ? S(0) : change, by_differences, "violation", "zero for a q that normalize changes");
  }

  /// The twist of the child per unit of t along integrate(q, t dv), in its own axes, by differences of compose.
  Motion<S> twist_along(const Vector& q, const Vector& dv) const {
    const Pose<S> back = pose(q).inverse();
    return rate_along(q, dv, [&](const Vector& x) -> Motion<S> {
      const Pose<S> Y = back * pose(x);
      const Matrix3<S>& R = Y.rotation;  // its antisymmetric part is sin(angle) [axis]x
      const Vector3<S> twice(R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1));
      return {twice * S(0.5), Y.translation};
    });
  }
  Motion<S> twist_of_columns(const Vector& q, const Vector& dv) const {
    const Columns phi = columns(q);
    Motion<S> twist = Motion<S>::zero();
    for (std::size_t k = 0; k < dv.size(); ++k) twist += phi[k] * dv[k];
    return twist;
  }
  bool along_columns(const Vector& q, const Vector& dv) const {
    const Motion<S> error = twist_along(q, dv) - twist_of_columns(q, dv);
    return norm(error.angular) + norm(error.linear) < S(1e-4);
  }

  void check_columns(const Vector& q) const {
    const Columns phi = columns(q);
    for (int k = 0; k < nv_; ++k)
      expect_same(phi[size(k)], twist_along(q, unit(k)), length(pose(q)), by_differences, column_name("columns", k),
                  "compose along integrate moves in the child's axes with");
  }

  void check_rates(const Vector& q, const Vector& dv) const {
    for (int j = 0; j <= nv_; ++j) {
      const Vector v = j < nv_ ? unit(j) : dv;
      const Columns found = rates(q, v), phi = columns(q);
      for (int k = 0; k < nv_; ++k) {
        const Motion<S> right = rate_along(q, v, [&](const Vector& x) { return columns(x)[size(k)]; });
        expect_same(found[size(k)], right, std::max(length(pose(q)), norm(phi[size(k)].linear)), by_differences,
                    column_name(joint_.has_column_rates() ? "column_rates" : "column_rates (missing)", k),
                    "along integrate the column moves in the child's axes with");
      }
    }
  }

  void check_exponential(const Vector& q, const Vector& dv) const {
    if (!joint_.has_column_rates())
      expect_same(pose(q) * exp(twist_of_columns(q, dv)), pose(integrate(q, dv)), "integrate",
                  "with columns that do not move its pose should be T(q) exp(sum s_k dv_k)");
  }

  const Custom<S>& joint_;
  const char* type_;
  int nv_;
};

}  // namespace detail

/// For authors of joints: compares the members of `joint` with each other at a few configurations, in double. Poses
/// along integrate are differentiated and compared with columns, columns with column_rates (which must be there if
/// columns move in the body); difference must undo integrate, and neutral, random, normalize and violation agree.
/// Where asserts are on (no NDEBUG) every user's joint is checked so when it is given to ModelBuilder.
/// @throws ModelError naming the joint's type, the member, the size of the error and what would be right
template <class J>
requires JointModel<J, double>
void check_joint(const J& joint) {
  const CustomAdapter<double, J> custom(joint);
  detail::JointCheck<double>(custom, J::type).run();
}

}  // namespace corio::joint
