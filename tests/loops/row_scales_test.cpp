#include "corio/zoo/mechanisms.hpp"
#include "loops/loops_support.hpp"
#include "support/catch.hpp"

// Each condition is judged by the size of its own terms: the unit and size of the cluster's other conditions do not
// matter.

namespace loops_test {
namespace {

/// Three hinges side by side that only couplings relate.
Model<double> three_wheels() {
  ModelBuilder<double> builder("wheels");
  Random<double> random(2);
  for (const char* name : {"a", "b", "c"})
    builder.add_body(
        {.name = name, .joint = joint::Revolute({0, 0, 1}), .inertia = InertialParameters<double>(random.inertia())});
  return builder.build();
}
/// Returns the velocity of the tree for one independent speed 1, if that speed determines it.
VectorXd ratios(const Model<double>& model, const Loops<double>& loops, const std::vector<std::string>& independent) {
  const Mechanism<double> mechanism(model, loops, independent);
  MechanismData<double> data(mechanism);
  return forward_kinematics<double>(mechanism, data, VectorXd::Zero(model.nv()), VectorXd::Ones(1)).tree.v;
}

/// A chain of six hinges in space, closed by a seventh, with one freedom. A scale multiplies all lengths, including
/// those in inertias.
struct SevenBar {
  Model<double> model;
  VectorXd q;

  explicit SevenBar(double scale) : model(make(scale)), q(random_q(model, 3)) {}
  Loops<double> loops() const {
    Loops<double> loops(model);
    loops.close("seventh", model.frame("tip"), model.frame("pin"), closure::Revolute{{1, 2, 3}});
    return loops;
  }
  static Model<double> make(double scale) {
    ModelBuilder<double> builder("seven-bar");
    Random<double> random(5);
    std::string parent;
    for (int i = 0; i < 6; ++i) {
      Pose<double> placement = random.pose();
      placement.translation *= scale;
      auto inertia = InertialParameters<double>(random.inertia());
      inertia.com *= scale, inertia.inertia *= scale * scale;
      const std::string name = "link" + std::to_string(i);
      builder.add_body({.name = name,
                        .parent = parent,
                        .joint = joint::Revolute({0, 0, 1}),
                        .placement = placement,
                        .inertia = inertia});
      parent = name;
    }
    Pose<double> tip = random.pose();
    tip.translation *= scale;
    builder.add_frame("tip", parent, tip);
    const auto open = builder.build();
    Data<double> data(open);
    forward_kinematics<double>(open, data, random_q(open, 3));
    builder.add_frame("pin", Parent(), body_pose(open, data, open.frame("tip")));
    return builder.build();
  }
};

}  // namespace

TEST_CASE("a gear of any ratio stands beside couplings of the same joint", "[loops]") {
  const auto model = three_wheels();
  for (const double ratio : {1.0, 1e6, 1e8, 1e-8}) {
    CAPTURE(ratio);
    Loops<double> loops(model);
    loops.couple("gear", {{"b_joint", 1.0}, {"a_joint", -ratio}});
    loops.couple("mimic", {{"c_joint", 1.0}, {"a_joint", -1.0}});
    // Allow some roundings.
    CHECK(relative_error(ratios(model, loops, {"a_joint"}), Eigen::Vector3d(1.0, ratio, 1.0)) < 1e-15);
  }
}

TEST_CASE("a condition of small numbers restricts as one of large numbers", "[loops][errors]") {
  const auto model = three_wheels();
  for (const double size : {1.0, 1e-9, 1e9}) {
    CAPTURE(size);
    Loops<double> loops(model);
    loops.couple("small", {{"a_joint", size}, {"b_joint", size}});
    loops.couple("one", {{"b_joint", 1.0}, {"c_joint", -1.0}});
    CHECK(mentions(message_of<ModelError>([&] {
                     Mechanism<double>(model, loops, {"a_joint", "b_joint"});
                   }),
                   {"'small', 'one'", "a_joint, b_joint", "not free"}));
    CHECK(relative_error(ratios(model, loops, {"a_joint"}), Eigen::Vector3d(1.0, -1.0, -1.0)) < 1e-15);
  }
}

TEST_CASE("a linkage in space moves alike at every size", "[loops]") {
  const SevenBar unit(1.0);
  const VectorXd expected = [&] {
    const Mechanism<double> mechanism(unit.model, unit.loops(), {"link0_joint"});
    MechanismData<double> data(mechanism);
    return forward_kinematics<double>(mechanism, data, unit.q, VectorXd::Ones(1)).tree.v;
  }();
  const auto chosen = Mechanism<double>(unit.model, unit.loops(), unit.q).independent();
  for (const double scale : {1e-6, 1e-3, 1e3, 1e7}) {
    CAPTURE(scale);
    const SevenBar other(scale);
    const auto loops = other.loops();
    const Mechanism<double> mechanism(other.model, loops, {"link0_joint"});
    MechanismData<double> data(mechanism);
    CHECK(relative_error(forward_kinematics<double>(mechanism, data, other.q, VectorXd::Ones(1)).tree.v, expected) <
          bound);
    CHECK(Mechanism<double>(other.model, loops, other.q).independent() == chosen);
    Data<double> tree(other.model);
    CHECK(constrained_forward_dynamics<double>(other.model, tree, loops, other.q, VectorXd::Zero(6), VectorXd::Ones(6))
              .rank == 5);
  }
}

TEST_CASE("axes that meet in a point but for eight digits make a spherical linkage", "[loops]") {
  // The last hinge's offsets, with levers of 1e-8 m, are negligible beside bodies half a metre from the centre.
  ModelBuilder<double> builder("spherical");
  Random<double> random(9);
  const auto about = [&] {  // a pose half a metre from the centre, with its z axis through it
    Pose<double> X = random.pose();
    X.translation = X.rotation * Vector3<double>(1e-8, 0, 0.5);
    return X;
  };
  Pose<double> last = Pose<double>::identity();
  std::string parent;
  for (const char* name : {"crank", "coupler", "rocker"}) {
    const Pose<double> X = about();
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = joint::Revolute({0, 0, 1}),
                      .placement = last.inverse() * X,
                      .inertia = InertialParameters<double>(random.inertia())});
    parent = name, last = X;
  }
  const Pose<double> pin = about();
  builder.add_frame("tip", parent, last.inverse() * pin);
  builder.add_frame("pin", Parent(), pin);
  const auto model = builder.build();
  Loops<double> loops(model);
  loops.close("last", model.frame("tip"), model.frame("pin"), closure::Revolute{{0, 0, 1}});
  const Mechanism<double> mechanism(model, loops, {"crank_joint"}), found(model, loops, VectorXd::Zero(3));
  MechanismData<double> data(mechanism);
  const VectorXd v = forward_kinematics<double>(mechanism, data, VectorXd::Zero(3), VectorXd::Ones(1)).tree.v;
  CHECK(found.nv() == 1);
  // Tip and pin turn relative to each other only about the common axis, as nearly as the axes meet.
  const Vector3<double> w = data.tree.velocity[model.body("rocker").node()].angular, z = pin.rotation.col(2);
  CHECK((w - dot(w, z) * z).norm() < 1e-6 * w.norm());
}

TEST_CASE("conditions that restrict no motion are left out, unless they are open", "[loops]") {
  const auto linkage = [](double out_of_plane) { return four_bar(0.3, 0.9, 0.7, 0.8, out_of_plane); };
  const auto hinged = [](const Model<double>& model) {
    Loops<double> loops(model);
    loops.close("hinge", model.frame("coupler_tip"), model.frame("rocker_tip"), closure::Revolute{{0, 0, 1}});
    return Mechanism<double>(model, loops, {model.joints()[0].name()});
  };
  const Model<double> model = linkage(0.0);
  const Mechanism<double> mechanism = hinged(model);
  CHECK(mechanism.loops().rows() == 5);
  const auto active_rows = [](const auto& of) { return std::ssize(of.clusters()[0].rows); };
  CHECK(active_rows(mechanism) == 2);
  CHECK(active_rows(mechanism.cast<long double>()) == 2);
  Data<double> data(model);
  MatrixXd K(5, model.nv());
  constraint_jacobian<double>(model, forward_kinematics<double>(model, data, random_q(model, 8)), mechanism.loops(), K);
  for (int row = 0; row < 5; ++row) CHECK((K.row(row).norm() < 1e-14) == mechanism.is_idle(row));

  // Two directions across the plane are idle, but the distance from the plane is not: no configuration closes it.
  CHECK(active_rows(hinged(linkage(1e-3))) == 3);
  // In space each condition of a hinge restricts the motion. A condition that closes a chain of conditions by chance
  // also does so while the others are open.
  const SevenBar seven(1.0);
  CHECK(active_rows(Mechanism<double>(seven.model, seven.loops(), seven.q)) == 5);
  const Model<double> overconstrained = zoo::bricard_loop();
  const Loops<double> loops(overconstrained);
  CHECK(active_rows(Mechanism<double>(overconstrained, loops, neutral(overconstrained))) == loops.rows());
}

}  // namespace loops_test
