#define CORIO_CHECK_INPUTS

#include <functional>
#include <iostream>

#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/zoo/zoo.hpp"

// With the accepted part of -ffast-math, every kind of check still detects numbers that are not finite: in models,
// inputs and gains. The numbers are made at run time, so that no compiler can know them.
int main(int argc, char**) {
  volatile double zero = argc - 1;
  const double infinite = 1.0 / zero, not_a_number = infinite * zero;
  int missed = 0;
  const auto must_throw = [&missed](const char* what, const std::function<void()>& f) {
    try {
      f();
    } catch (const corio::Error&) {
      return;
    }
    std::cerr << what << ": no error\n";
    ++missed;
  };
  const auto arm = corio::zoo::serial_chain(3);
  for (const double bad : {infinite, -infinite, not_a_number}) {
    auto changed = arm;
    must_throw("gravity", [&] { changed.set_gravity({bad, 0, 0}); });
    must_throw("mass", [&] { changed.set_inertia("link1", {bad, {0, 0, 0}, corio::identity3<double>()}); });
    Eigen::VectorXd x = Eigen::VectorXd::Ones(3);
    x[1] = bad;
    must_throw("q", [&] {
      corio::Data<double> data(arm);
      corio::rnea(arm, data, x, Eigen::VectorXd::Zero(3), Eigen::VectorXd::Zero(3));
    });
    must_throw("gain", [&] { corio::ComputedTorque<double>(arm, {x, Eigen::VectorXd::Ones(3)}); });
  }
  return missed;
}
