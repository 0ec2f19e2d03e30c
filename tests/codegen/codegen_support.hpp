#pragma once

#include "corio/codegen/check.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "corio/zoo/random_tree.hpp"
#include "corio/zoo/zoo.hpp"
#include "joints/built_in.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/sprung_joints.hpp"

/// Common parts of tests of generated code: robots, their states, and the results of the templates at these states.
namespace codegen_test {

using namespace corio;
using codegen::Recorded;
using codegen::Recording;
using Eigen::VectorXd;

using Names = std::vector<std::string>;
inline const Names all_functions(std::begin(codegen::function_names), std::end(codegen::function_names));

/// A robot on which a link with a joint of some type carries a link with a hinge.
template <class S = double>
Model<S> robot_on(const joint::JointSpec<S>& joint) {
  const InertialParameters<S> link = test::ball().template cast<S>();
  ModelBuilder<S> builder("robot");
  builder.add_body({.name = "first", .joint = joint, .inertia = link});
  builder.add_body({.name = "second", .parent = "first", .joint = joint::Revolute({1, 2, -1}), .inertia = link});
  return builder.build();
}
struct Robot {
  Model<double> model;
  Model<Recorded> recorded;
  explicit Robot(const Model<double>& m) : model(m), recorded(m.cast<Recorded>()) {}
  template <class J>
  explicit Robot(std::type_identity<J>) : model(robot_on<double>(J())), recorded(robot_on<Recorded>(J())) {}
};
/// Returns one robot for each type of joint, and those of the zoo.
inline std::vector<Robot> robots() {
  std::vector<Robot> all;
  for (int i = 0; i < test::built_in_joints; ++i) all.emplace_back(robot_on(test::built_in<double>(i).any()));
  all.emplace_back(std::type_identity<joint::SphericalExp>());
  all.emplace_back(std::type_identity<joint::FreeFlyerExp>());
  all.emplace_back(std::type_identity<joint::FreeFlyerInParentAxes>());
  all.emplace_back(std::type_identity<joint::SphericalEuler<'z', 'y', 'x'>>());
  all.emplace_back(std::type_identity<joint::FreeFlyerEuler<'z', 'y', 'x'>>());
  all.emplace_back(std::type_identity<joint::Universal>());
  for (const auto& m : {zoo::serial_chain(4), zoo::tree(6, 3), zoo::quadruped(8), zoo::random_tree(3)})
    all.emplace_back(m);
  return all;
}

/// Returns q, v and a or tau for a state of codegen::test_state.
template <class Generator>
std::vector<VectorXd> state(const Model<double>& model, int number, Generator& generator) {
  const VectorXd x = codegen::test_state(model, number, generator);
  return {x.head(model.nq()), x.segment(model.nq(), model.nv()), x.tail(model.nv())};
}

/// A mechanism and states in which its loops are closed: independent joints move at random by up to `reach`, the first
/// time from a given configuration to the nominal one, and then from there.
struct Linkage {
  Mechanism<double> mechanism;
  double reach;
  VectorXd nominal;
  MechanismData<double> data;
  std::mt19937_64 generator{1};

  Linkage(const Mechanism<double>& m, const VectorXd& q, double size) : mechanism(m), reach(size), nominal(q), data(m) {
    nominal = state()[0];
  }
  explicit Linkage(const Model<double>& m, double size = 0.1) : Linkage(Mechanism<double>(m), neutral(m), size) {}
  Linkage(const Linkage&) = delete;
  Linkage& operator=(const Linkage&) = delete;

  /// Returns q, v and a or tau.
  std::vector<VectorXd> state() {
    forward_kinematics<double>(mechanism, data, nominal, reach * random());
    const auto assembly = assemble<double>(mechanism, data, integrate<double>(mechanism.tree(), nominal, data.tree.v));
    REQUIRE(assembly.closed);
    const VectorXd v = random();
    return {assembly.q, v, random()};
  }

 private:
  VectorXd random() {
    std::uniform_real_distribution<double> uniform(-1, 1);
    return VectorXd::NullaryExpr(mechanism.nv(), [&] { return uniform(generator); });
  }
};

/// Returns the arrays of a function, one after the other.
inline std::vector<double> inputs(const Recording& f, const std::vector<VectorXd>& state) {
  std::vector<double> x;
  for (const auto& array : f.inputs()) {
    const VectorXd& from = state[array.name == "q" ? 0 : array.name == "v" ? 1 : 2];
    x.insert(x.end(), from.begin(), from.end());
  }
  return x;
}
template <template <class> class Robot>
VectorXd expected(const std::string& function, const Robot<double>& robot, DataOf<Robot<double>>& data,
                  const std::vector<VectorXd>& x) {
  std::vector<double> y;
  codegen::for_each_result<double, Robot>(function, robot, data, x[0], x[1], x[2], [&](const char*, const auto& part) {
    y.insert(y.end(), part.data(), part.data() + part.size());
  });
  return VectorXd::Map(y.data(), static_cast<Eigen::Index>(y.size()));
}
inline VectorXd evaluate(const Recording& f, const codegen::Schedule& schedule, const std::vector<double>& x) {
  const std::vector<double> y = f.evaluate(schedule, x.data());
  return VectorXd::Map(y.data(), static_cast<Eigen::Index>(y.size()));
}

/// Allow for rounding of sums in another order and, after a division by M, for the condition of M, some 1e3 for these
/// robots; the exponential coordinates of a turn by pi lose about four digits in both. Loops divide by the pivots of a
/// nominal configuration instead of those of the state, which are as good near it: up to 4e-14 for the Stewart
/// platform.
constexpr double rounding = 1e-10;

}  // namespace codegen_test
