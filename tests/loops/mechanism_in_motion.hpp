#pragma once

#include <complex>

#include "corio/kinematics/complex_step.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "loops/mechanism_support.hpp"

namespace loops_test {

/// A mechanism in motion: first those of Closed, with loops, gears and relations, then those of the zoo.
struct InMotion {
  using Complex = std::complex<double>;
  using Vector = VectorX<Complex>;

  int number;
  Model<double> model;
  Loops<double> loops;
  VectorXd q;
  Mechanism<double> mechanism;
  MechanismData<double> data;
  VectorXd y, ydot, pi;

  static constexpr int count = 14;
  explicit InMotion(int i)
      : number(i),
        model(i < 7 ? Closed(i).model : of_zoo(i)),
        loops(i < 7 ? Closed::close(i, model) : Loops<double>(model)),
        q(i < 7 ? Closed(i).q : moved_from_neutral(model)),
        mechanism(model, loops, q),
        data(mechanism),
        pi(inertial_parameters(model)) {
    y = random_vector<double>(mechanism.nv(), 5), ydot = random_vector<double>(mechanism.nv(), 6);
    forward_kinematics<double>(mechanism, data, q, y, ydot);
  }
  static Model<double> of_zoo(int i) {
    switch (i) {
      case 7: return zoo::geared_arm(4);
      case 8: return zoo::four_bar_leg();
      case 9: return zoo::differential_wrist();
      case 10: return zoo::parallel_biped();
      case 11: return zoo::delta_robot();
      case 12: return zoo::stewart_platform();
      default: return zoo::bricard_loop();
    }
  }
  static VectorXd moved_from_neutral(const Model<double>& model) {
    const Mechanism<double> mechanism(model);
    MechanismData<double> data(mechanism);
    const VectorXd q = neutral(model);
    forward_kinematics<double>(mechanism, data, q, 0.2 * random_vector<double>(mechanism.nv(), 3));
    const auto assembly = assemble<double>(mechanism, data, integrate<double>(model, q, data.tree.v));
    REQUIRE(assembly.closed);
    return assembly.q;
  }

  /// Returns the same mechanism with joints that have no armature.
  Mechanism<double> unarmed() const {
    Model<double> other = model;
    other.set_armature(VectorXd::Zero(model.nv()));
    return {other, loops, q};
  }
  Mechanism<Complex> over_complex() const {
    if (number != 6) return mechanism.cast<Complex>();
    // A relation has to be given again.
    const Model<Complex> tree = model.cast<Complex>();
    std::vector<std::string> names;
    for (const int k : mechanism.independent()) names.push_back(model.joint_of_node(model.node_of(k)).name());
    return {tree, Closed::close(6, tree), names};
  }
  /// Returns the rate of f(mechanism, data, q, y) along the motion, by a complex step.
  template <class F>
  auto rate(F&& f) const {
    return ComplexStep(over_complex()).along(q, y, y, ydot, f);
  }
};

}  // namespace loops_test
