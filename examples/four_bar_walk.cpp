// A leg whose knee is driven through a four-bar linkage walks on the spot under computed torque, and swings freely: a
// mechanism with a closed loop, in independent speeds.
//
//   four_bar_walk [folder] [--check]
//
// prints the tracking error, the opening of the loop, the forces in the knee's linkage, and the drift of the energy in
// ten seconds without drives; writes data, and figures and an animation if there is gnuplot, into the folder (default
// four_bar_walk_output). --check: exit status 1 if one of these is larger than it should be.

#include <corio/control/computed_torque.hpp>
#include <corio/mechanism/constrained_inverse_dynamics.hpp>
#include <corio/mechanism/step.hpp>
#include <corio/model/edit.hpp>
#include <corio/simulation/simulation.hpp>
#include <corio/zoo/mechanisms.hpp>
#include <cstdio>
#include <fstream>
#include <numbers>

#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using Eigen::VectorXd;
namespace fs = std::filesystem;
using support::small_enough;
constexpr double dt = 1e-3;  // time step of simulation and control, s

/// The desired motion of the independent joints at time t with two derivatives: steps of 0.8 s, with the knee bent
/// while the leg swings forward. q is a configuration of the tree in which the dependent joints do not count.
struct Reference {
  VectorXd q, y, ydot;
};
Reference gait(const corio::Mechanism<double>& leg, double t) {
  const double w = 2 * std::numbers::pi / 0.8;
  const auto wave = [&](double amplitude, double phase) {
    return Eigen::Vector3d(amplitude * std::sin(w * t + phase), amplitude * w * std::cos(w * t + phase),
                           -amplitude * w * w * std::sin(w * t + phase));
  };
  const Eigen::Vector3d trunk = wave(0.02, 0.5), hip = wave(0.35, 0), crank = wave(0.3, 1.2);
  const auto all = [&](int i) { return Eigen::Vector3d(trunk[i], hip[i], crank[i]); };
  Reference r{corio::neutral(leg.tree()), all(1), all(2)};
  for (int k = 0; k < leg.nv(); ++k) r.q[leg.dof_of_speed(k)] = all(0)[k];
  r.q[leg.dof_of_speed(2)] += 0.1;
  return r;
}

double open_by(const corio::Mechanism<double>& leg, corio::MechanismData<double>& data) {
  VectorXd k(leg.loops().rows());
  corio::constraint_residual(leg.tree(), data.tree, leg.loops(), k);
  return k.cwiseAbs().maxCoeff();
}

/// The joints of the plot, world x and z: hip, knee, foot, then hip, end of the crank, end of the rod.
void write_posture(std::ofstream& file, const corio::Model<double>& tree, corio::Data<double>& data) {
  for (const char* frame : {"thigh", "shank", "foot", "crank", "rod", "knee_linkage_first"}) {
    const auto p = corio::body_pose(tree, data, tree.frame(frame)).translation;
    file << p[0] << ' ' << p[2] << ' ';
  }
  file << '\n';
}

/// Simulates four steps of 0.8 s.
bool walk(const corio::Mechanism<double>& leg, const fs::path& folder) {
  const corio::Model<double>& tree = leg.tree();
  corio::MechanismData<double> data(leg);
  auto posture = support::output(folder / "posture.dat"), log = support::output(folder / "walk.dat");
  log << "# time, errors of trunk (m), hip, crank (rad), their forces (N, N m), force in the knee's linkage (N), "
         "residual\n";

  const Reference start = gait(leg, 0);
  VectorXd y = start.y;
  y[1] += 0.5;  // initial error
  corio::Simulation plant(leg, corio::assemble(leg, data, start.q).q, y, dt, corio::Integrator::rk4);
  corio::ComputedTorque controller(leg, {VectorXd::Constant(leg.nv(), 225.0), VectorXd::Constant(leg.nv(), 30.0)});

  double worst_error = 0, widest = 0, largest_force = 0;
  for (int i = 0; i * dt < 3.2; ++i) {
    const Reference r = gait(leg, i * dt);
    const VectorXd tau = controller.update(leg, data, plant.q(), plant.v(), r.q, r.y, r.ydot);
    const VectorXd& error = controller.error().e;
    // Only the independent joints have drives.
    VectorXd effort = VectorXd::Constant(tree.nv(), std::numeric_limits<double>::infinity());
    for (const int k : leg.independent()) effort[k] = 1.0;
    const auto& drives =
        corio::constrained_inverse_dynamics(leg, data, plant.q(), plant.v(), controller.acceleration(), effort);
    const auto pin = corio::closure_force(tree, data.tree, leg.loops(), "knee_linkage", drives.lambda);
    const double force = std::sqrt(corio::dot(pin.force, pin.force)), residual = open_by(leg, data);
    largest_force = std::max(largest_force, force);
    widest = std::max(widest, residual);
    if (i * dt > 0.8) worst_error = std::max(worst_error, error.cwiseAbs().maxCoeff());
    if (i % 5 == 0)
      log << i * dt << ' ' << error.transpose() << ' ' << tau.transpose() << ' ' << force << ' ' << residual << '\n';
    if (i % 20 == 0) write_posture(posture, tree, data.tree);
    plant.advance(tau);
  }
  std::printf("Walking on the spot, computed torque at 1 kHz\n");
  std::printf("  largest force in the pin of the knee's linkage                %9.2f N\n", largest_force);
  // The torques are held for a millisecond, in which the desired accelerations change by 1 %.
  const bool follows = small_enough("error of a joint after the first step", worst_error, 2e-3, "m, rad");
  return small_enough("opening of the loop", widest, 1e-10, "m") && follows;
}

/// Simulates ten seconds without drives, with the trunk held.
bool swing(const corio::Model<double>& whole, const fs::path& folder) {
  const corio::Mechanism<double> leg(corio::lock_joints<double>(whole, {"trunk_joint"}, corio::neutral(whole)));
  corio::MechanismData<double> data(leg);
  VectorXd q = corio::neutral(leg.tree());
  q[leg.dof_of_speed(0)] = 0.4;
  const VectorXd none = VectorXd::Zero(leg.nv());
  corio::Simulation plant(leg, corio::assemble(leg, data, q).q, none, dt, corio::Integrator::rk4);
  auto log = support::output(folder / "swing.dat");
  log << "# time, kinetic energy, potential energy, change of their sum (J), residual\n";
  double drift = 0, widest = 0, exchanged = 0;
  for (int i = 0; i <= 10000; ++i) {
    const auto energy = plant.present_energy();
    const double change = plant.energy_error(), residual = open_by(leg, plant.data());
    drift = std::max(drift, std::abs(change)), exchanged = std::max(exchanged, energy.kinetic);
    widest = std::max(widest, residual);
    if (i % 10 == 0)
      log << i * dt << ' ' << energy.kinetic << ' ' << energy.potential << ' ' << change << ' ' << residual << '\n';
    plant.advance(none);
  }
  std::printf("Swinging freely for 10 s, steps of 1 ms, with up to %.2f J of kinetic energy\n", exchanged);
  const bool kept = small_enough("drift of the energy", drift, 1e-6, "J");
  return small_enough("opening of the loop", widest, 1e-10, "m") && kept;
}

}  // namespace

int main(int argc, char** argv) {
  return support::with_figures("four_bar_walk", argc, argv, [](const fs::path& folder) {
    const auto model = corio::zoo::four_bar_leg();
    const corio::Mechanism<double> leg(model);
    std::printf("%s: %d degrees of freedom in the tree, %d independent speeds, %d conditions\n\n", model.name().c_str(),
                model.nv(), leg.nv(), leg.loops().rows());
    const bool walked = walk(leg, folder), swung = swing(model, folder);
    return walked && swung;
  });
}
