#include "corio/joints/check_joint.hpp"

#include <tuple>

#include "joints/built_in.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;
using namespace corio::joint;

namespace {

template <class J>
std::string verdict(const J& joint) {
  return message_of<ModelError>([&] { check_joint(joint); });
}

/// A cam that is correct except for the member that a test replaces.
struct NamedCam : Cam {
  static constexpr const char* type = "test_cam";
  explicit NamedCam(double radius = 0.3) : Cam(radius) {}
};

struct ColumnOfWrongSign : NamedCam {
  template <class S>
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    Cam::columns(Pose<S>::identity(), q, phi);
    phi[0] = X.act(Motion<S>{phi[0].angular, -phi[0].linear});
  }
};
struct ColumnInJointAxes : NamedCam {
  template <class S>
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    using std::cos;
    phi[0] = X.act(Motion<S>{{S(0), S(0), S(1)}, {S(0.3) * cos(q[0]), S(0), S(0)}});
  }
};
struct ColumnWithoutFrame : NamedCam {
  template <class S>
  void columns(const Pose<S>&, const S* q, Motion<S>* phi) const {
    Cam::columns(Pose<S>::identity(), q, phi);
  }
};
struct ComposeFromRight : NamedCam {
  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return Cam::compose(Pose<S>::identity(), q) * A;
  }
};
struct Squeezed : NamedCam {
  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    Pose<S> X = Cam::compose(A, q);
    X.rotation = X.rotation * diagonal3(S(1.001));
    return X;
  }
};
struct RateOfWrongSign : NamedCam {
  explicit RateOfWrongSign(double radius = 0.3) : NamedCam(radius) {}
  template <class S>
  void column_rates(const Pose<S>& X, const S* q, const S* v, Motion<S>* rates) const {
    Cam::column_rates(X, q, v, rates);
    rates[0] = -rates[0];
  }
};
struct RateForUnitSpeed : NamedCam {
  template <class S>
  void column_rates(const Pose<S>& X, const S* q, const S*, Motion<S>* rates) const {
    const S one(1);
    Cam::column_rates(X, q, &one, rates);
  }
};
struct RateWithoutFrame : NamedCam {
  template <class S>
  void column_rates(const Pose<S>&, const S* q, const S* v, Motion<S>* rates) const {
    Cam::column_rates(Pose<S>::identity(), q, v, rates);
  }
};
struct NoRate : VectorSpace<1> {
  static constexpr const char* type = "test_cam";
  Pose<double> compose(const Pose<double>& A, const double* q) const { return Cam().compose(A, q); }
  void columns(const Pose<double>& X, const double* q, Motion<double>* phi) const { Cam().columns(X, q, phi); }
};
struct DoubleStep : NamedCam {
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    out[0] = q[0] + S(2) * dv[0];
  }
};
/// A joint that does not turn, correct except for a step that is too long.
struct DoubleSlide : VectorSpace<1> {
  static constexpr const char* type = "test_slide";
  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return A * Pose<S>{identity3<S>(), {q[0], S(0), S(0)}};
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = X.act(Motion<S>{zero3<S>(), {S(1), S(0), S(0)}});
  }
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    out[0] = q[0] + S(2) * dv[0];
  }
};
struct ShiftingStep : NamedCam {
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    out[0] = q[0] + dv[0] + S(0.01);
  }
};
struct BackwardDifference : NamedCam {
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    dv[0] = q0[0] - q1[0];
  }
};
struct NeutralElsewhere : NamedCam {
  template <class S>
  void neutral(S* q) const {
    q[0] = S(1);
  }
};
struct NotANumber : NamedCam {
  template <class S>
  void columns(const Pose<S>&, const S*, Motion<S>* phi) const {
    phi[0] = Motion<S>::zero();
    phi[0].linear[2] = S(std::nan(""));
  }
};

/// A ball joint that is correct except for the member that a test replaces.
struct Ball : Spherical {
  static constexpr const char* type = "test_ball";
};
struct EulerStep : Ball {
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    const Quaternion<S> step(dv[0] / S(2), dv[1] / S(2), dv[2] / S(2), S(1));
    joint::detail::store(quaternion_product(joint::detail::quaternion(q), step), out);
    normalize(out);
  }
  /// This is the inverse of the step: the step is consistent, but is not the exponential.
  template <class S>
  void difference(const S* q0, const S* q1, S* dv) const {
    const Quaternion<S> turn =
        quaternion_product(quaternion_inverse(joint::detail::quaternion(q0)), joint::detail::quaternion(q1));
    for (int i = 0; i < 3; ++i) dv[i] = S(2) * turn[i] / turn[3];
  }
};
struct LeftStep : Ball {
  template <class S>
  void integrate(const S* q, const S* dv, S* out) const {
    ParentBall().integrate(q, dv, out);
  }
};
struct NeverNormal : Ball {
  template <class S>
  void normalize(S*) const {}
};
struct Lenient : Ball {
  template <class S>
  double violation(const S*) const {
    return 0.0;
  }
};
struct Restless : Ball {
  template <class S>
  void normalize(S* q) const {
    Spherical::neutral(q);
  }
};
struct RandomNumbers : Ball {
  template <class S>
  void random(const Uniform& uniform, S* q) const {
    for (int i = 0; i < 4; ++i) q[i] = S(uniform());
  }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("check_joint accepts every built-in joint", "[joints][check_joint]", BuiltIn) {
  CHECK_NOTHROW(check_joint(oblique_joint<TestType>()));
}

TEST_CASE("check_joint accepts users' joints that are right, of any size", "[joints][check_joint]") {
  CHECK_NOTHROW(check_joint(EulerZyx()));
  CHECK_NOTHROW(check_joint(ParentBall()));
  for (const double radius : {0.0, 1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    CAPTURE(radius);
    CHECK_NOTHROW(check_joint(NamedCam(radius)));
    if (radius > 0) CHECK(mentions(verdict(RateOfWrongSign(radius)), {"column_rates"}));
  }
}

TEST_CASE("check_joint names the type, the member and what would be right", "[joints][check_joint][errors]") {
  const std::string message = verdict(ColumnOfWrongSign());
  INFO(message);
  // At an angle q the cam slides by 0.3 cos q, seen in its own axes.
  CHECK(mentions(message, {"'test_cam'", "columns, column 0 is wrong by", "compose along integrate", ", not ["}));
}

TEST_CASE("check_joint finds the member that is wrong", "[joints][check_joint][errors]") {
  const auto blames = [](const std::string& message, const std::string& member) {
    INFO(message);
    CHECK(mentions(message, {"joint of type 'test_", "': " + member}));
  };
  blames(verdict(ColumnInJointAxes()), "columns");
  blames(verdict(ColumnWithoutFrame()), "columns");
  blames(verdict(NotANumber()), "columns");
  blames(verdict(ComposeFromRight()), "compose");
  blames(verdict(Squeezed()), "compose");
  blames(verdict(RateOfWrongSign()), "column_rates");
  blames(verdict(RateForUnitSpeed()), "column_rates");
  blames(verdict(RateWithoutFrame()), "column_rates");
  blames(verdict(NoRate()), "column_rates (missing)");
  blames(verdict(DoubleStep()), "integrate");
  blames(verdict(DoubleSlide()), "integrate");
  blames(verdict(ShiftingStep()), "integrate");
  blames(verdict(EulerStep()), "integrate");
  blames(verdict(LeftStep()), "integrate");
  blames(verdict(BackwardDifference()), "difference");
  blames(verdict(NeutralElsewhere()), "neutral");
  blames(verdict(NeverNormal()), "normalize");
  blames(verdict(Restless()), "normalize");
  blames(verdict(Lenient()), "violation");
  blames(verdict(RandomNumbers()), "random");
}

TEST_CASE("where asserts are on, a wrong joint does not become one of a model", "[joints][check_joint][errors]") {
  CHECK_THROWS_AS(JointSpec<double>(RateOfWrongSign()), ModelError);
  CHECK_THROWS_AS(JointSpec<float>(RateOfWrongSign()), ModelError);
  CHECK_NOTHROW(JointSpec<float>(NamedCam()));
}
