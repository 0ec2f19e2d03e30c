// Robots simulated by the physics engine Bullet in maximal coordinates and controlled by corio in generalized
// coordinates: a hanging chain of ball joints, and a humanoid in free flight.
//
//   bullet_bridge [folder] [--check]
//
// In every step of 1 ms the poses and velocities of Bullet's bodies become q and v, computed torque gives the forces of
// the motors, and these go back as forces and moments on the bodies. Prints the tracking errors, the errors of Bullet's
// constraints, and the drift of energy and angular momentum; writes data, and figures if there is gnuplot, into the
// folder (default bullet_bridge_output). --check: exit status 1 if one of these is larger than it should be.

#include <corio/algorithms/dynamics/centroidal.hpp>
#include <corio/algorithms/dynamics/crba.hpp>
#include <corio/algorithms/dynamics/energy.hpp>
#include <corio/algorithms/dynamics/rnea.hpp>
#include <corio/model/builder.hpp>
#include <corio/simulation/step.hpp>
#include <cstdio>
#include <numbers>
#include <random>

#include "bullet_bridge/engine.hpp"

#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
namespace fs = std::filesystem;
using support::small_enough;
using Model = corio::Model<double>;
using Data = corio::Data<double>;
constexpr double dt = 1e-3;  // time step of simulation and control, s

/// A rod or a box with one end at the joint.
corio::InertialParameters<double> box(double mass, const Vector3d& size, const Vector3d& center) {
  const Vector3d s = size.cwiseAbs2() * (mass / 12);
  return {mass, center, Vector3d(s[1] + s[2], s[0] + s[2], s[0] + s[1]).asDiagonal()};
}

Model chain() {
  corio::ModelBuilder<double> builder("chain");
  for (int i = 0; i < 5; ++i)
    builder.add_body({.name = "link" + std::to_string(i),
                      .parent = i == 0 ? corio::Parent() : corio::Parent("link" + std::to_string(i - 1)),
                      .joint = corio::joint::Spherical(),
                      .placement = {Eigen::Matrix3d::Identity(), Vector3d(0, 0, i == 0 ? 0 : -0.4)},
                      .inertia = box(1.5, {0.08, 0.12, 0.4}, {0, 0.02, -0.2})});
  return builder.build();
}

/// A humanoid of twelve bodies with ball joints at the waist, the shoulders and the hips, and hinges elsewhere.
Model humanoid() {
  corio::ModelBuilder<double> builder("humanoid");
  const auto add = [&](const std::string& name, const char* parent, const corio::joint::JointSpec<double>& joint,
                       const Vector3d& at, double mass, const Vector3d& size) {
    builder.add_body({.name = name,
                      .parent = std::string(parent).empty() ? corio::Parent() : corio::Parent(parent),
                      .joint = joint,
                      .placement = {Eigen::Matrix3d::Identity(), at},
                      .inertia = box(mass, size.cwiseAbs(), {0, 0, size[2] / 2})});
  };
  const corio::joint::Spherical ball;
  const corio::joint::Revolute about_y(Vector3d(0, 1, 0));
  add("pelvis", "", corio::joint::FreeFlyer(), {0, 0, 1}, 10, {0.2, 0.3, 0.15});
  add("torso", "pelvis", ball, {0, 0, 0.15}, 20, {0.2, 0.35, 0.45});
  add("head", "torso", about_y, {0, 0, 0.45}, 5, {0.18, 0.18, 0.25});
  for (const double side : {1.0, -1.0}) {
    const std::string s = side > 0 ? "left_" : "right_";
    add(s + "arm", "torso", ball, {0, 0.22 * side, 0.4}, 2.5, {0.09, 0.09, -0.3});
    add(s + "forearm", (s + "arm").c_str(), about_y, {0, 0, -0.3}, 1.5, {0.07, 0.07, -0.28});
    add(s + "thigh", "pelvis", ball, {0, 0.1 * side, 0}, 8, {0.14, 0.14, -0.42});
    add(s + "shank", (s + "thigh").c_str(), about_y, {0, 0, -0.42}, 4, {0.1, 0.1, -0.4});
    add(s + "foot", (s + "shank").c_str(), about_y, {0, 0, -0.4}, 1, {0.25, 0.1, -0.06});
  }
  return builder.build();
}

/// The desired motion of the joints with two derivatives: each oscillates along a fixed direction, so that a ball
/// joint, too, turns about a fixed axis.
class Reference {
 public:
  Reference(const Model& model, double amplitude) : model_(model), neutral_(corio::neutral(model)) {
    std::mt19937 random(5);
    const auto uniform = [&] { return static_cast<double>(random()) / 2147483648.0 - 1; };
    for (const auto& joint : model.joints()) {
      const bool moves = joint.type() != corio::joint::FreeFlyer::type;
      direction_.push_back(VectorXd::NullaryExpr(joint.nv(), [&] { return moves ? uniform() : 0.0; }) * amplitude);
      phase_.push_back(uniform() * std::numbers::pi);
    }
  }
  struct Target {
    VectorXd q, v, a;
  };
  Target at(double t) const {
    Target r{neutral_, VectorXd(model_.nv()), VectorXd(model_.nv())};
    VectorXd turn(model_.nv());
    for (std::size_t i = 0; i < phase_.size(); ++i) {
      const double w = 3 + std::sin(static_cast<double>(i)), angle = w * t + phase_[i];
      const auto put = [&](VectorXd& x, double factor) {
        x.segment(model_.joints()[i].v_index(), model_.joints()[i].nv()) = direction_[i] * factor;
      };
      put(turn, std::sin(angle)), put(r.v, w * std::cos(angle)), put(r.a, -w * w * std::sin(angle));
    }
    r.q = corio::integrate(model_, neutral_, turn);
    return r;
  }

 private:
  const Model& model_;
  VectorXd neutral_;
  std::vector<VectorXd> direction_;
  std::vector<double> phase_;
};

/// The largest values of a run.
struct Largest {
  double error = 0;                            // error of a joint after the first second, rad
  double gap = 0, twist = 0, slip = 0;         // errors of Bullet's constraints, m, rad, m/s
  double energy = 0, exchanged = 0, spin = 0;  // energies, J; angular momentum, kg m^2/s
};

/// Steps Bullet, reads the state back, and calls `torque` for the generalized forces.
template <class Torque>
Largest run(const Model& model, const VectorXd& q0, const VectorXd& v0, double duration, const fs::path& file,
            const Reference* reference, Torque&& torque) {
  Data data(model);
  Engine engine(model, data, q0, v0);
  auto log = support::output(file);
  log << "# time, error (rad), gap (m), angle (rad), slip (m/s), kinetic energy, potential energy, energy that did not "
         "come from the motors (J), change of the angular momentum about the centre of mass (kg m^2/s)\n";
  Largest largest;
  VectorXd q = q0, Q = VectorXd::Zero(model.nv());
  double first = 0, work = 0;
  Vector3d spin0 = Vector3d::Zero();
  for (int i = 0; i * dt <= duration; ++i) {
    // Converts the states of Bullet's bodies to q and v, joint by joint.
    const auto& configuration = corio::generalized_configuration(model, data, engine.poses(), q);
    q = configuration.q;
    const auto& velocities = corio::generalized_velocities(model, data, engine.velocities());
    const VectorXd v = velocities.v;

    work += dt / 2 * Q.dot(v);
    corio::forward_kinematics(model, data, q, v);
    const double T = corio::kinetic_energy(model, data), U = corio::potential_energy(model, data);
    const Vector3d spin = corio::centroidal_momentum(model, data).moment;
    if (i == 0) first = T + U, spin0 = spin;
    double error = 0;
    if (reference) {
      const VectorXd e = corio::difference(model, q, reference->at(i * dt).q);
      for (const auto& joint : model.joints())
        if (joint.type() != corio::joint::FreeFlyer::type)
          error = std::max(error, e.segment(joint.v_index(), joint.nv()).norm());
    }
    if (i * dt > 1) largest.error = std::max(largest.error, error);
    largest.gap = std::max(largest.gap, configuration.linear);
    largest.twist = std::max(largest.twist, configuration.angular);
    largest.slip = std::max(largest.slip, velocities.linear);
    largest.energy = std::max(largest.energy, std::abs(T + U - work - first));
    largest.exchanged = std::max(largest.exchanged, T);
    largest.spin = std::max(largest.spin, (spin - spin0).norm());
    if (i % 5 == 0)
      log << i * dt << ' ' << error << ' ' << configuration.linear << ' ' << configuration.angular << ' '
          << velocities.linear << ' ' << T << ' ' << U << ' ' << T + U - work - first << ' ' << (spin - spin0).norm()
          << '\n';

    // Converts the motors' forces to forces on Bullet's bodies.
    Q = torque(data, i * dt, q, v);
    corio::forward_kinematics(model, data, q, v);
    const auto& forces = corio::cartesian_forces(model, data, Q);
    work += dt / 2 * Q.dot(v);
    engine.step(forces.F, dt);
  }
  return largest;
}

/// The acceleration a = a_ref + 2 w (v_ref - v) + w^2 (q_ref - q).
VectorXd wanted(const Model& model, const Reference& reference, double t, const VectorXd& q, const VectorXd& v) {
  constexpr double w = 20;
  const auto target = reference.at(t);
  return target.a + 2 * w * (target.v - v) + w * w * corio::difference(model, q, target.q);
}

bool joints_hold(const Largest& largest, double gap) {
  const bool hold = small_enough("gap of a joint", largest.gap, gap, "m");
  return small_enough("velocity at which a joint opens", largest.slip, 100 * gap, "m/s") && hold;
}

bool swing(const fs::path& folder) {
  const Model model = chain();
  const VectorXd nothing = VectorXd::Zero(model.nv());
  VectorXd turn = nothing;
  turn.head<6>() << 0.6, 0.3, 0.1, 0.2, -0.3, 0.1;
  const VectorXd q = corio::integrate(model, corio::neutral(model), turn);
  const auto largest = run(model, q, nothing, 5, folder / "swing.dat", nullptr, [&](auto&&...) { return nothing; });

  // Simulates this motion in generalized coordinates, with exact constraints.
  Data data(model);
  auto log = support::output(folder / "swing_generalized.dat");
  log << "# time, change of the energy (J)\n";
  VectorXd x = q, v = nothing;
  double first = 0, drift = 0;
  for (int i = 0; i * dt <= 5; ++i) {
    corio::forward_kinematics(model, data, x, v);
    const double E = corio::kinetic_energy(model, data) + corio::potential_energy(model, data);
    if (i == 0) first = E;
    drift = std::max(drift, std::abs(E - first));
    if (i % 5 == 0) log << i * dt << ' ' << E - first << '\n';
    corio::step(model, data, x, v, nothing, dt, corio::Integrator::rk4);
  }
  std::printf("A chain of five ball joints swings freely for 5 s, with up to %.1f J of kinetic energy\n",
              largest.exchanged);
  bool fine = small_enough("change of the energy in Bullet", largest.energy, 0.5, "J");
  fine = small_enough("and of that in generalized coordinates", drift, 1e-4, "J") && fine;
  return joints_hold(largest, 1e-3) && fine;
}

bool track(const fs::path& folder) {
  const Model model = chain();
  const Reference reference(model, 0.7);
  const auto start = reference.at(0);
  const VectorXd q = corio::integrate(model, start.q, VectorXd::Constant(model.nv(), 0.2));
  const auto largest = run(model, q, start.v, 5, folder / "track.dat", &reference,
                           [&](Data& data, double t, const VectorXd& now, const VectorXd& v) -> VectorXd {
                             return corio::rnea(model, data, now, v, wanted(model, reference, t, now, v));
                           });
  std::printf("The chain under computed torque for 5 s, from an error of 0.35 rad in each joint\n");
  const bool follows = small_enough("error of a joint after 1 s", largest.error, 1e-2, "rad");
  return joints_hold(largest, 1e-3) && follows;
}

bool fly(const fs::path& folder) {
  const Model model = humanoid();
  const Reference reference(model, 0.5);
  auto start = reference.at(0);
  start.v.head<6>() << 0.3, 2, 0.5, 1, 0, 4;
  const auto motors = [&](Data& data, double t, const VectorXd& q, const VectorXd& v) -> VectorXd {
    // The pelvis is free: find the acceleration for which the force on the pelvis is zero.
    VectorXd a = wanted(model, reference, t, q, v);
    const VectorXd h = corio::nonlinear_effects(model, data, q, v);
    const Eigen::MatrixXd& M = corio::crba(model, data);
    const Eigen::Index n = model.nv() - 6;
    a.head<6>() = -M.topLeftCorner<6, 6>().llt().solve(h.head<6>() + M.topRightCorner(6, n) * a.tail(n));
    VectorXd Q = M * a + h;
    Q.head<6>().setZero();  // it is zero up to rounding
    return Q;
  };
  const auto largest = run(model, start.q, start.v, 3, folder / "fly.dat", &reference, motors);
  std::printf("A humanoid with %d degrees of freedom in free flight for 3 s, its joints under computed torque\n",
              model.nv());
  // Energy is plotted, but not checked: Bullet's Euler steps change it by m g^2 dt t / 2 in free fall.
  bool fine = small_enough("error of a joint after 1 s", largest.error, 1e-2, "rad");
  fine = small_enough("angle by which a hinge tilts", largest.twist, 1e-2, "rad") && fine;
  fine = small_enough("change of the angular momentum", largest.spin, 0.1, "kg m^2/s") && fine;
  return joints_hold(largest, 1e-3) && fine;
}

}  // namespace

int main(int argc, char** argv) {
  return support::with_figures("bullet_bridge", argc, argv, [](const fs::path& folder) {
    std::printf("Bullet %d.%02d, %s precision\n\n", btGetVersion() / 100, btGetVersion() % 100,
                sizeof(btScalar) == sizeof(double) ? "double" : "single");
    const bool swung = swing(folder), tracked = track(folder), flown = fly(folder);
    return swung && tracked && flown;
  });
}
