#pragma once

#include "corio/corio.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/mechanism/constrained_inverse_dynamics.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"
#include "support/spatial_random.hpp"

/// Mechanisms with loops that several tests of loops use.
namespace loops_test {

using namespace corio;
using namespace corio::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Allow some tens of spatial operations and a solution with a mass matrix whose condition is some hundreds.
inline constexpr double bound = 1e-10;

/// Closures of each kind between frames all over a random tree, two of them on the ground, and a coupling.
struct Scene {
  Model<double> model;
  Loops<double> loops;
  Data<double> data;

  explicit Scene(int seed) : model(make(seed)), loops(model), data(model) {
    const auto frame = [&](const char* name) -> const Frame<double>& { return model.frame(name); };
    loops.close("point", frame("f0"), frame("f1"), closure::Point{});
    loops.close("hinge", frame("f2"), frame("f3"), closure::Revolute{{1, 2, -1}});
    loops.close("cardan", frame("ground"), frame("f4"), closure::Universal{{1, 0, 1}, {0, 2, 1}});
    loops.close("slider", frame("f5"), frame("ground"), closure::Prismatic{{0, 1, 1}});
    loops.close("weld", frame("f1"), frame("f6"), closure::Weld{});
    loops.close("rod", frame("f7"), frame("f2"), closure::Distance{0.7});
    std::vector<CouplingTerm> terms;
    for (const Joint& joint : model.joints())
      if (joint.nq() == 1) terms.push_back({joint.name(), 1.5 - static_cast<double>(terms.size())});
    terms.resize(std::min<std::size_t>(terms.size(), 2));
    if (!terms.empty()) loops.couple("gear", terms, 0.3);
  }
  static Model<double> make(int seed) {
    auto builder = to_builder(zoo::random_tree(static_cast<std::uint64_t>(seed),
                                               {.bodies = 12, .floating_base = seed % 2 == 1, .armature = true}));
    Random<double> random(seed);
    // A second tree, far from the origin of the first.
    builder.add_body({.name = "other",
                      .joint = joint::Spherical(),
                      .placement = random.pose(),
                      .inertia = InertialParameters<double>(random.inertia())});
    const auto open = builder.build();
    const std::size_t places[] = {1, 7, 5, 6, open.bodies().size() - 1, 3, 2, 0};
    for (int i = 0; const std::size_t at : places)
      builder.add_frame("f" + std::to_string(i++), open.bodies()[std::min(at, open.bodies().size() - 1)].name(),
                        random.pose());
    builder.add_frame("ground", Parent(), random.pose());
    return builder.build();
  }

  VectorXd residual(const VectorXd& q) {
    VectorXd k(loops.rows());
    constraint_residual<double>(model, forward_kinematics<double>(model, data, q), loops, k);
    return k;
  }
  MatrixXd jacobian(const VectorXd& q) {
    MatrixXd K(loops.rows(), model.nv());
    constraint_jacobian<double>(model, forward_kinematics<double>(model, data, q), loops, K);
    return K;
  }
};

/// A planar four-bar linkage, open at the pin between coupler and rocker. The arguments are the lengths of crank,
/// coupler, rocker and base, and the distance of the pin's hole in the rocker from the plane.
inline Model<double> four_bar(double crank, double coupler, double rocker, double base, double out_of_plane = 0.0) {
  ModelBuilder<double> builder("four-bar");
  const auto bar = [](double length) {
    return InertialParameters<double>{length, {length / 2, 0, 0}, Vector3<double>(0.01, length, length).asDiagonal()};
  };
  const auto at = [](double x) { return Pose<double>{identity3<double>(), {x, 0, 0}}; };
  builder.add_body({.name = "crank", .joint = joint::Revolute::z(), .inertia = bar(crank)});
  builder.add_body({.name = "coupler",
                    .parent = "crank",
                    .joint = joint::Revolute::z(),
                    .placement = at(crank),
                    .inertia = bar(coupler)});
  builder.add_body({.name = "rocker", .joint = joint::Revolute::z(), .placement = at(base), .inertia = bar(rocker)});
  builder.add_frame("coupler_tip", "coupler", at(coupler));
  builder.add_frame("rocker_tip", "rocker", {identity3<double>(), {rocker, 0, out_of_plane}});
  builder.set_gravity({0, -9.81, 0});
  return builder.build();
}

/// A spatial four-bar linkage: a crank moves a rocker by a rod with a ball joint at its end. Closed at the neutral
/// configuration, where the rod lies along (1, 2, 0).
/// @param rod  its joint on the crank; on a ball joint it spins about its axis, too
inline Model<double> spatial_four_bar(const joint::JointSpec<double>& rod = joint::Spherical()) {
  ModelBuilder<double> builder("spatial");
  const InertialParameters<double> inertia(1.0, {0.5, 0, 0}, 0.1 * Matrix3<double>::Identity());
  builder.add_body({.name = "crank", .joint = joint::Revolute({0, 0, 1}), .inertia = inertia});
  builder.add_body({.name = "rod",
                    .parent = "crank",
                    .joint = rod,
                    .placement = {identity3<double>(), {1, 0, 0}},
                    .inertia = inertia});
  builder.add_body({.name = "rocker",
                    .joint = joint::Revolute({0, 1, 1}),
                    .placement = {identity3<double>(), {1, 2, 0}},
                    .inertia = inertia});
  builder.add_frame("end", "rod", {identity3<double>(), {1, 2, 0}});
  builder.add_frame("eye", "rocker", {identity3<double>(), {1, 0, 0}});
  builder.close_loop("ball", "end", "eye", closure::Spherical{}, {"rod_joint", "rocker_joint"});
  return builder.build();
}

}  // namespace loops_test
