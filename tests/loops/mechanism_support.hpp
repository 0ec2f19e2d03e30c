#pragma once

#include "loops/loops_support.hpp"
#include "support/catch.hpp"
#include "support/fuse.hpp"

namespace loops_test {

/// A mechanism with its loops closed, at a state that keeps them closed.
///   0        a four-bar linkage
///   1 to 5   random trees, closed by a hinge and a ball joint that share joints
///   6        two four-bar linkages one after the other, a gear and one that is not round
///   7        a four-bar linkage, and a lifter that follows its crank; its joint and the relation have a fuse
struct Closed {
  Model<double> model;
  Loops<double> loops;
  VectorXd q;
  Mechanism<double> mechanism;
  MechanismData<double> data;
  VectorXd y;

  explicit Closed(int seed)
      : model(make(seed)), loops(close(seed, model)), q(assembled(seed)), mechanism(model, loops, q), data(mechanism) {
    y = random_vector<double>(mechanism.nv(), 5);
    forward_kinematics<double>(mechanism, data, q, y);
  }

  static Model<double> make(int seed) {
    if (seed == 0) return four_bar(0.3, 0.9, 0.7, 0.8);
    if (seed == 7) {
      auto builder = to_builder(four_bar(0.3, 0.9, 0.7, 0.8));
      builder.add_body({.name = "lifter",
                        .parent = "rocker",
                        .joint = FusedSlider(),
                        .inertia = InertialParameters<double>(Random<double>(7).inertia())});
      return builder.build();
    }
    if (seed == 6) {
      auto builder = to_builder(attach(four_bar(0.3, 0.9, 0.7, 0.8), "rocker", four_bar(0.2, 0.8, 0.6, 0.7), "upper_"));
      Random<double> random(6);
      for (const char* parent : {"", "rocker"})
        builder.add_body({.name = std::string("rotor_of_") + parent,
                          .parent = parent,
                          .joint = joint::Revolute({1, 2, 3}),
                          .placement = random.pose(),
                          .inertia = InertialParameters<double>(random.inertia())});
      return builder.build();
    }
    auto builder = to_builder(Scene::make(seed));
    const auto open = builder.build();
    const VectorXd q = random_q(open, seed);
    Data<double> data(open);
    forward_kinematics<double>(open, data, q);
    const auto& first = open.bodies()[2];
    const auto& last = open.frame("f1");
    builder.add_frame("a", first.name(), body_pose(open, data, first).inverse() * body_pose(open, data, last));
    builder.add_frame("b", "other", body_pose(open, data, open.body("other")).inverse() * body_pose(open, data, last));
    return builder.build();
  }
  template <class S>
  static Loops<S> close(int seed, const Model<S>& m) {
    Loops<S> loops(m);
    if (seed == 0 || seed >= 6)
      loops.close("pin", m.frame("coupler_tip"), m.frame("rocker_tip"), closure::Revolute{{0, 0, 1}});
    if (seed == 6) {
      loops.close("upper", m.frame("upper_coupler_tip"), m.frame("upper_rocker_tip"), closure::Point{});
      // One rotor drives the lower linkage, and the upper linkage drives the other rotor.
      loops.couple("drive", {{"crank_joint", -20.0}, {"rotor_of__joint", 1.0}});
      loops.relate("driven", {"upper_crank_joint", "rotor_of_rocker_joint"},
                   [](const auto& x) { return x[0] - 0.1 * x[1] - 0.05 * sin(x[1]) - 0.4; });
    }
    if (seed == 7)
      loops.relate("cam", {"crank_joint", "lifter_joint"}, [](const auto& x) {
        burn();
        return x[1] - 0.1 * cos(x[0]);
      });
    if (seed % 6 == 0 || seed == 7) return loops;
    loops.close("hinge", m.frame("a"), m.frame("f1"), closure::Revolute{{1, 2, 3}});
    loops.close("ball", m.frame("b"), m.frame("f1"), closure::Spherical{});
    return loops;
  }
  VectorXd assembled(int seed) {
    VectorXd start = seed % 6 == 0 || seed == 7 ? neutral(model) : random_q(model, seed);
    const Eigen::Vector3d linkage(0.7, -0.4, 1.4);
    if (seed == 0) start = linkage;
    if (seed == 7) start.head(3) = linkage;
    if (seed == 6) start.head(3) = linkage, start.segment(3, 3) = linkage;
    Data<double> tree(model);
    const auto assembly = assemble<double>(model, tree, loops, start);
    REQUIRE(assembly.closed);
    return assembly.q;
  }

  /// Tells whether all independent speeds of loops with a varying G are rates of coordinates.
  bool has_coordinates() const {
    for (const int k : mechanism.independent())
      if (const auto& node = model.node(model.node_of(k)); node.v_end - node.v_begin > 1) return false;
    return true;
  }
  /// Returns G, or a map that is stored like G, as a matrix.
  MatrixXd map(const VectorXd& entries) const {
    MatrixXd G = MatrixXd::Zero(model.nv(), mechanism.nv());
    for (int r = 0; r < model.nv(); ++r) mechanism.for_each_entry(r, [&](int c, int e) { G(r, c) = entries[e]; });
    return G;
  }
  VectorXd tree_torque(const VectorXd& a) {
    Data<double> other(model);
    return corio::rnea(model, other, q, data.tree.v, a);
  }
  /// Returns central differences of f(q) along the closed motion with speeds x.
  template <class F>
  MatrixXd along(const VectorXd& x, F&& f) {
    constexpr double h = 1e-5;
    forward_kinematics<double>(mechanism, data, q, x);
    const VectorXd v = data.tree.v;
    const auto at = [&](double step) -> MatrixXd {
      const auto assembly = assemble<double>(mechanism, data, integrate<double>(model, q, step * v));
      REQUIRE(assembly.closed);
      return f(assembly.q);
    };
    return (at(h) - at(-h)) / (2 * h);
  }
};

}  // namespace loops_test
