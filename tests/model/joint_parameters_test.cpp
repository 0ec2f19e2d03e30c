#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "corio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

// Joints check their own parameters, and the builder names the joint whose parameters are wrong.

namespace {

/// A user's screw, with a parameter that only its own check can judge.
struct Screw : joint::VectorSpace<1, 1> {
  static constexpr const char* type = "screw";
  explicit Screw(double pitch) : lead(pitch) {}
  std::string check() const { return std::isfinite(lead) && lead != 0 ? "" : "its lead must be finite and not zero"; }
  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return A * Pose<S>{rotation_z(q[0]), {S(0), S(0), S(lead) * q[0]}};
  }
  template <class S>
  void columns(const Pose<S>& X, const S*, Motion<S>* phi) const {
    phi[0] = X.act(Motion<S>{unit3<S>(2), unit3<S>(2) * S(lead)});
  }
  double lead;
};
/// A chain of joints with a parameter of its own.
struct Wrist {
  static constexpr const char* type = "wrist";
  double offset;
  std::string check() const { return offset > 0 ? "" : "its offset must be positive"; }
  std::tuple<joint::Revolute, Screw> primitive_joints() const { return {joint::Revolute::x(), Screw(offset)}; }
};

/// Returns the message for a model over S whose second joint is this one.
template <class S>
std::string rejection_over(const joint::JointSpec<S>& joint) {
  ModelBuilder<S> builder("robot");
  const InertialParameters<S> inertia{S(1), zero3<S>(), identity3<S>()};
  builder.add_body({.name = "arm", .joint = joint::Revolute::z(), .inertia = inertia});
  builder.add_body({.name = "hand", .parent = "arm", .joint = joint, .inertia = inertia, .joint_name = "elbow"});
  try {
    builder.build();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}
template <class S>
void check_parameters_over() {
  using joint::JointSpec;
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const Vector3<double> z(0, 0, 1), zero = zero3<double>(), wrong(0, nan, 1);
  for (const double pitch : {0.0, -0.0, infinity, -infinity, nan}) {
    CAPTURE(pitch);
    const joint::Helical helical(z, pitch);
    CHECK(mentions(rejection_over<S>(helical), {"'elbow'", "helical", "its pitch is", "Revolute"}));
    CHECK(mentions(rejection_over<S>(joint::Composite<S>{joint::Revolute(), helical}),
                   {"'elbow'", "composite", "its pitch is"}));
    CHECK(mentions(rejection_over<S>(Screw(pitch)), {"'elbow'", "screw", "its lead must be"}));
    CHECK(mentions(rejection_over<S>(joint::Composite<S>{joint::Revolute(), Screw(pitch)}),
                   {"'elbow'", "composite", "its lead must be"}));
    if (pitch > 0) continue;
    CHECK(mentions(rejection_over<S>(Wrist{pitch}), {"'elbow'", "wrist", "its offset must be"}));
    CHECK(mentions(rejection_over<S>(joint::Composite<S>{Wrist{pitch}}), {"'elbow'", "composite", "its offset must"}));
  }
  CHECK(mentions(rejection_over<S>(joint::Helical(z, 1e308)), {"'elbow'", "helical", "its pitch "}));
  for (const Vector3<double>& axis : {zero, wrong}) {
    const std::vector<JointSpec<S>> joints{joint::Revolute(axis),     joint::Continuous(axis),  joint::Prismatic(axis),
                                           joint::Helical(axis, 0.1), joint::Cylindrical(axis), joint::Planar(axis),
                                           joint::Universal(axis),    joint::Universal(z, axis)};
    for (const JointSpec<S>& joint : joints) {
      CAPTURE(joint.type);
      CHECK(mentions(rejection_over<S>(joint), {"'elbow'", joint.type, "axis must be"}));
      CHECK(mentions(rejection_over<S>(joint::Composite<S>{joint::Revolute(), joint}), {"'elbow'", "axis must be"}));
    }
  }
  for (const JointSpec<S>& joint :
       {JointSpec<S>(joint::Helical(z, -0.2)), JointSpec<S>(Screw(0.2)), JointSpec<S>(Wrist{0.2})})
    CHECK(rejection_over<S>(joint) == "accepted");
}

}  // namespace

TEST_CASE("parameters of joints are checked with the name of the joint, over every scalar",
          "[model][builder][errors][scalars]") {
  check_parameters_over<float>();
  check_parameters_over<double>();
  check_parameters_over<long double>();
  check_parameters_over<std::complex<double>>();
}
