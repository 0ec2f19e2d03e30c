#pragma once

#include <string>

#include "corio/simulation/simulation.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/dynamics_support.hpp"

/// The arm and the trajectory that tests of adaptation use.
namespace corio::test {

/// A trajectory for a chain: sums of sines, some fast enough to make inertia count.
struct SineMotion {
  Vectord q, v, a;
};
inline SineMotion sines(int n, double t) {
  SineMotion r{Vectord(n), Vectord(n), Vectord(n)};
  for (int k = 0; k < n; ++k) {
    const double w = 1.5 + 0.7 * k, u = 2.9 + 0.3 * k;
    r.q[k] = 0.5 * std::sin(w * t) + 0.3 * std::cos(u * t);
    r.v[k] = 0.5 * w * std::cos(w * t) - 0.3 * u * std::sin(u * t);
    r.a[k] = -0.5 * w * w * std::sin(w * t) - 0.3 * u * u * std::cos(u * t);
  }
  return r;
}

/// An arm whose rotors compensate for its light links, and the same arm with a load on the hand.
struct LoadedArm {
  LoadedArm() : known(zoo::serial_chain(4)), loaded(known), hand(known.bodies().back().name()) {
    known.set_armature(Vectord::Constant(known.nv(), 0.1));
    loaded = known;
    InertialParameters<double> load = known.inertia(hand);
    load.mass += 3;
    load.com = {0.0, 0.02, 0.25};
    load.inertia += 0.01 * Matrix3<double>::Identity();
    loaded.set_inertia(hand, load);
  }
  Vectord one(double x = 1) const { return Vectord::Constant(known.nv(), x); }
  Model<double> known, loaded;
  std::string hand;
};

}  // namespace corio::test
