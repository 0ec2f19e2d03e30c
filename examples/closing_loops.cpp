// Closes the loop of a robot from an unknown file, chooses its independent speeds, moves it to the end of its range and
// swings it through a singular configuration. Then it adds three typical faults of such files, and shows corio's
// message about each.
//
//   closing_loops [folder] [--check]
//
// prints gaps, choices and messages; writes data, and figures if there is gnuplot, into the folder (default
// closing_loops_output). --check: exit status 1 if one of them differs from the recipe.

#include <corio/mechanism/quantities.hpp>
#include <corio/mechanism/step.hpp>
#include <corio/model/builder.hpp>
#include <corio/model/describe.hpp>
#include <cstdio>
#include <random>

#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
namespace fs = std::filesystem;
using support::demand, support::small_enough;

/// Faults of a file: none, a length in millimetres, a weld or a hinge with the default axis z where a hinge about y is.
enum class Fault { none, millimetres, weld, axis };

/// A linkage of two cranks on the ground, each with a rod; the tips of the rods are pinned to each other.
corio::Model<double> five_bar(Fault fault) {
  corio::ModelBuilder<double> builder("five_bar");
  const auto bar = [&](const std::string& name, const corio::Parent& parent, const Vector3d& at, double length) {
    const Vector3d inertia = Vector3d(1, 1, 0.01) * length * length / 12;
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = corio::joint::Revolute(Vector3d(0, 1, 0)),
                      .placement = {Eigen::Matrix3d::Identity(), at},
                      .inertia = {1.0, {0, 0, length / 2}, inertia.asDiagonal()},
                      .joint_name = name + "_joint"});
    builder.add_frame(name + "_tip", name, {Eigen::Matrix3d::Identity(), {0, 0, length}});
  };
  bar("left_crank", {}, {-0.1, 0, 0}, 0.25);
  bar("left_rod", "left_crank", {0, 0, 0.25}, 0.3);
  bar("right_crank", {}, {fault == Fault::millimetres ? 100 : 0.1, 0, 0}, 0.25);
  bar("right_rod", "right_crank", {0, 0, 0.25}, 0.3);
  if (fault == Fault::weld)
    builder.close_loop("tip", "left_rod_tip", "right_rod_tip", corio::closure::Weld{});
  else if (fault == Fault::axis)
    builder.close_loop("tip", "left_rod_tip", "right_rod_tip", corio::closure::Revolute{});
  else
    builder.close_loop("tip", "left_rod_tip", "right_rod_tip", corio::closure::Revolute{{0, 1, 0}});
  return builder.build();
}

/// Closes the loops from several starts with all joints free. @returns the closed configurations, and the last gap
std::pair<std::vector<VectorXd>, double> close(const corio::Model<double>& model) {
  corio::Data data(model);
  std::mt19937 generator(1);
  const corio::Loops<double> loops(model);
  std::vector<VectorXd> closed;
  double gap = 0;
  for (int i = 0; i < 6; ++i) {
    const VectorXd start = i == 0 ? corio::neutral(model) : corio::random_configuration(model, generator);
    const auto closing = corio::assemble(model, data, loops, start);
    if (closing.closed) closed.push_back(closing.q);
    gap = closing.residual;
  }
  return {closed, gap};
}

/// Returns whether a call throws a corio::Error that contains the phrase; prints the message.
template <class F>
bool says(const char* phrase, F&& call) {
  try {
    call();
  } catch (const corio::Error& error) {
    std::printf("    %s\n", error.what());
    return demand(phrase, std::string(error.what()).find(phrase) != std::string::npos);
  }
  return demand(phrase, false);
}

/// Shows the messages about the faults.
bool faults() {
  std::printf("A length in millimetres\n");
  const auto [never, gap] = close(five_bar(Fault::millimetres));
  std::printf("    the gap of 'tip' is %.1f m from every start\n", gap);
  bool good = demand("it closes from no start", never.empty());
  for (const Fault fault : {Fault::weld, Fault::axis}) {
    std::printf("%s\n", fault == Fault::weld ? "A weld in place of a hinge" : "A hinge about z, the default");
    const auto model = five_bar(fault);
    const std::vector<VectorXd> closed = close(model).first;
    good &= demand("it closes, but has one independent speed for two motors",
                   !closed.empty() && corio::Mechanism<double>(model, closed[0]).nv() == 1);
  }
  return good;
}

/// Shows the choice of speeds at a closed q, and the messages about wrong choices and an open q.
bool choose(const corio::Model<double>& model, const VectorXd& q) {
  std::printf("Independent speeds\n");
  const corio::Loops<double> loops(model);
  const auto compute = [&](const std::vector<std::string>& names, const VectorXd& at) {
    const corio::Mechanism<double> robot(model, loops, names);
    corio::MechanismData<double> data(robot);
    corio::crba(robot, data, at);
  };
  const corio::Mechanism<double> chosen(model, loops, {"left_crank_joint"}, q);
  std::printf("    %s", corio::describe(chosen.notes()).c_str());
  bool good = demand("two motors, two independent speeds", chosen.nv() == 2);
  good &= says("do not say which joints they determine", [&] { corio::Mechanism<double>{model}; });
  good &= says("has no joint 'crank'", [&] { compute({"crank"}, q); });
  good &= says("is open by", [&] { compute({"left_crank_joint", "right_crank_joint"}, corio::neutral(model)); });
  good &=
      says("determine 2 of 3 other degrees of freedom; choose other joints", [&] { compute({"left_crank_joint"}, q); });
  good &= says("are not free themselves; choose fewer", [&] {
    compute({"left_crank_joint", "right_crank_joint", "left_rod_joint"}, q);
  });
  return good;
}

/// The coordinates x and z of the five pins in the world.
void write_posture(std::ofstream& file, const corio::Model<double>& model, corio::Data<double>& data) {
  for (const char* name : {"left_crank", "left_rod", "left_rod_tip", "right_rod", "right_crank"}) {
    const Vector3d p = corio::body_pose(model, data, model.frame(name)).translation;
    file << p[0] << ' ' << p[2] << '\n';
  }
  file << "\n\n";
}

/// Turns the left crank, while the right one is held, until the linkage cannot follow, and a little further.
bool travel(const corio::Mechanism<double>& robot, VectorXd q, const fs::path& folder) {
  std::printf("Travel\n");
  const corio::Model<double>& model = robot.tree();
  corio::MechanismData<double> data(robot);
  auto postures = support::output(folder / "postures.dat"), gaps = support::output(folder / "gaps.dat");
  gaps << "# angle of the left crank (rad), gap (m)\n";
  const int crank = model.joint("left_crank_joint").q_index();
  double last = q[crank], next = last;
  for (int i = 0; next > last - 0.3; ++i, next -= 0.01) {
    VectorXd moved = q;
    moved[crank] = next;
    const auto closing = corio::assemble(robot, data, moved);  // both cranks are held
    gaps << next << ' ' << std::max(1e-17, closing.residual) << '\n';
    if (!closing.closed) continue;
    q = closing.q, last = next;
    if (i % 20 == 0) write_posture(postures, model, corio::forward_kinematics<double>(model, data.tree, q));
  }
  std::printf("    the left crank gets to %.2f rad, where the rods are in line\n", last);
  // At the end of the range the distance of the crank pins is the length of both rods.
  corio::forward_kinematics(model, data.tree, q);
  const auto pin = [&](const char* name) { return corio::body_pose(model, data.tree, model.frame(name)).translation; };
  const Vector3d between = pin("left_rod") - pin("right_rod");
  return small_enough("length of both rods less the distance of the crank pins", 0.6 - between.norm(), 5e-3, "m");
}

/// Simulates one second without motors after a push. When the independent speeds become singular, other speeds are
/// chosen.
bool thrown(corio::Mechanism<double> robot, VectorXd q, const fs::path& folder) {
  std::printf("Through singular configurations\n");
  corio::MechanismData<double> data(robot);
  VectorXd y(2), none = VectorXd::Zero(2);
  y << -3, 0;
  corio::forward_kinematics<double>(robot, data, q, y);
  const double before = corio::energy(robot, data).total();
  auto log = support::output(folder / "thrown.dat"), changes = support::output(folder / "changes.dat");
  log << "# time (s), angles of the cranks (rad), change of the energy (J)\n";
  double change = 0, dt = 1e-3;
  int count = 0;
  for (int i = 0; i < 1000; ++i) {
    corio::forward_kinematics<double>(robot, data, q, y);
    change = corio::energy(robot, data).total() - before;
    log << i * dt << ' ' << q[0] << ' ' << q[2] << ' ' << change << '\n';
    try {
      corio::step(robot, data, q, y, none, dt);
    } catch (const corio::ModelError& error) {
      if (++count == 1) std::printf("    %s\n", error.what());
      y = corio::change_speeds(robot, data, q, y);
      corio::step(robot, data, q, y, none, dt);
      changes << i * dt << ' ' << q[0] << '\n';
    }
  }
  std::printf("    independent speeds were changed %d times\n", count);
  const bool kept = small_enough("change of the energy", std::abs(change), 1e-3, "J");
  return demand("other speeds took over", count > 0) && kept;
}

}  // namespace

int main(int argc, char** argv) {
  return support::with_figures("closing_loops", argc, argv, [](const fs::path& folder) {
    const auto model = five_bar(Fault::none);
    std::printf("%s\n", corio::describe(model).c_str());
    const auto closed = close(model).first;
    bool good = demand("it closes from six of six starts", closed.size() == 6);
    // The configuration of the real linkage: cranks outwards, rods inwards.
    VectorXd up(4);
    up << -0.6, 1.2, 0.6, -1.2;
    corio::Data data(model);
    const VectorXd q = corio::assemble(model, data, corio::Loops<double>(model), up).q;
    const corio::Mechanism<double> robot(model, {"left_crank_joint", "right_crank_joint"});
    good &= choose(model, q);
    good &= travel(robot, q, folder);
    good &= thrown(robot, q, folder);
    return faults() && good;
  });
}
