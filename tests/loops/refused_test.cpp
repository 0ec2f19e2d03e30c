#include <set>

#include "corio/loops/constrained_dynamics_derivatives.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "loops/mechanism_support.hpp"
#include "support/catch.hpp"
#include "support/user_joints.hpp"

// Checks what is rejected by name, before anything is changed.

namespace loops_test {

TEST_CASE("a wrong number of speeds says which joints a mechanism has them of", "[loops][errors]") {
  Closed s(0);
  const std::string driven = detail::joint_of_dof(s.model, s.mechanism.independent()[0]);
  const VectorXd of_tree = VectorXd::Zero(3);
  CHECK(message_of<SizeError>([&] { rnea<double>(s.mechanism, s.data, s.q, of_tree, of_tree); }) ==
        "rnea: y has size 3, expected 1, nv of the mechanism of model 'four-bar': 1 of joint '" + driven + "'");
  CHECK(message_of<SizeError>([&] { rnea<double>(s.mechanism, s.data, s.y, s.y, s.y); }) ==
        "rnea: q has size 1, expected 3, nq of model 'four-bar': 1 of each of 3 joints");
}

TEST_CASE("what solves for mechanisms names the argument that is not finite, and changes nothing", "[loops][errors]") {
  Closed s(0);
  const VectorXd y = s.y, ydot = VectorXd::Constant(1, 0.3), tau = VectorXd::Constant(1, 0.2);
  const VectorXd v = s.data.tree.v, of_tree = VectorXd::Constant(3, 0.1);
  const VectorXd forces = VectorXd::Constant(s.loops.rows(), 0.1);
  std::string driven;  // the joint of the only independent speed
  for (const auto& joint : s.model.joints())
    if (joint.v_index() == s.mechanism.independent()[0]) driven = joint.name();
  Data<double> tree(s.model);
  forward_kinematics<double>(s.model, tree, s.q, v, v);
  forward_kinematics<double>(s.mechanism, s.data, s.q, y, ydot);
  const MatrixXd M = crba<double>(s.mechanism, s.data);
  const auto refused = [&](const std::string& what, auto&& call) {
    CAPTURE(what);
    CHECK(mentions(message_of<Error>(call), {what}));
    CHECK(s.data.tree.q == s.q);
    CHECK(tree.v == v);
    CHECK(crba<double>(s.mechanism, s.data) == M);
  };
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    const std::string is = std::isnan(bad) ? "] is nan" : "] is inf";
    VectorXd bad_q = s.q, bad_v = v, bad_forces = forces;
    bad_q[2] = bad_v[1] = bad_forces[3] = bad;
    const VectorXd bad_y = VectorXd::Constant(1, bad);
    // References, since Clang captures no structured bindings.
    const Model<double>& model = s.model;
    const Loops<double>& loops = s.loops;
    const VectorXd& q = s.q;
    Mechanism<double>& mechanism = s.mechanism;
    MechanismData<double>& data = s.data;
    refused("q[2" + is, [&] { forward_kinematics<double>(mechanism, data, bad_q); });
    refused("q[2" + is, [&] { forward_kinematics<double>(mechanism, data, bad_q, y); });
    refused("y[0" + is, [&] { forward_kinematics<double>(mechanism, data, q, bad_y); });
    refused("ydot[0" + is, [&] { forward_kinematics<double>(mechanism, data, q, y, bad_y); });
    refused("rnea: q[2" + is, [&] { rnea<double>(mechanism, data, bad_q, y, ydot); });
    refused("rnea: y[0" + is, [&] { rnea<double>(mechanism, data, q, bad_y, ydot); });
    refused("forward_dynamics_derivatives: y[0" + is,
            [&] { forward_dynamics_derivatives<double>(mechanism, data, q, bad_y, tau); });
    refused("body_jacobian: q[2" + is, [&] {
      MatrixXd J(6, 1);
      body_jacobian<double>(mechanism, data, bad_q, model.frame("coupler_tip"), J);
    });
    refused("tau[0" + is + " (joint '" + driven + "')", [&] { aba<double>(mechanism, data, q, y, bad_y); });
    refused("tau[0" + is, [&] { aba<double>(mechanism, data, bad_y); });
    VectorXd start = q, start_y = y, no_start = bad_q, no_start_y = bad_y;
    refused("step: q[2" + is, [&] { step<double>(mechanism, data, no_start, start_y, tau, 1e-3); });
    refused("step: y[0" + is, [&] { step<double>(mechanism, data, start, no_start_y, tau, 1e-3); });
    refused("step: tau[0" + is, [&] { step<double>(mechanism, data, start, start_y, bad_y, 1e-3); });
    refused("step: dt is", [&] { step<double>(mechanism, data, start, start_y, tau, bad); });
    CHECK(start == q);
    CHECK(start_y == y);
    refused("Mechanism: q[2" + is, [&] { Mechanism<double>(model, loops, bad_q); });

    // Calls on the tree.
    const auto tree_refused = [&](const std::string& what, auto&& call) { refused(what + is, call); };
    tree_refused("constrained_forward_dynamics: q[2",
                 [&] { constrained_forward_dynamics<double>(model, tree, loops, bad_q, v, of_tree); });
    tree_refused("constrained_forward_dynamics: v[1",
                 [&] { constrained_forward_dynamics<double>(model, tree, loops, q, bad_v, of_tree); });
    tree_refused("tau[1", [&] { constrained_forward_dynamics<double>(model, tree, loops, q, v, bad_v); });
    tree_refused("tau[1", [&] { constrained_forward_dynamics<double>(model, tree, loops, bad_v); });
    refused("rate is", [&] { constrained_forward_dynamics<double>(model, tree, loops, of_tree, bad); });
    refused("rate is", [&] { constrained_forward_dynamics<double>(model, tree, loops, q, v, of_tree, bad); });
    tree_refused("lambda[3",
                 [&] { constrained_forward_dynamics_derivatives<double>(model, tree, loops, {bad_forces}); });
    refused("rate is", [&] { constrained_forward_dynamics_derivatives<double>(model, tree, loops, {forces}, bad); });
    tree_refused("v[1", [&] { constrained_impulse<double>(model, tree, loops, q, bad_v); });
    refused("restitution is", [&] { constrained_impulse<double>(model, tree, loops, bad); });
    refused("assemble: q[2" + is, [&] { assemble<double>(mechanism, data, bad_q); });

    // Sets a state in the tree: its passes accept everything.
    Data<double> spoilt(model);
    forward_kinematics<double>(model, spoilt, q, bad_v);
    tree_refused("v[1", [&] { constrained_forward_dynamics<double>(model, spoilt, loops, of_tree); });
    tree_refused("v[1", [&] { constrained_impulse<double>(model, spoilt, loops); });
  }
  // The result would not be finite.
  MechanismData<double> other(s.mechanism);
  VectorXd start = s.q, start_y = y;
  refused("y[0] is ", [&] { step<double>(s.mechanism, other, start, start_y, VectorXd::Constant(1, 1e308), 1e-3); });
}

TEST_CASE("a relation without a finite gradient or rate is named, with the joint", "[loops][errors]") {
  const auto model = four_bar(0.3, 0.9, 0.7, 0.8);
  const Eigen::Vector3d q(0.0, 0.5, 0.2), one = Eigen::Vector3d::Ones();
  Loops<double> loops(model);
  loops.relate("cam", {"crank_joint", "coupler_joint"}, [](const auto& x) { return x[1] - sqrt(x[0]); });
  const Mechanism<double> mechanism(model, loops, {"coupler_joint", "rocker_joint"});
  MechanismData<double> data(mechanism);
  Data<double> tree(model);
  const auto is_named = [](auto&& call) {
    return mentions(message_of<ModelError>(call), {"'cam'", "gradient", "'crank_joint'", "at 0"});
  };
  CHECK(is_named([&] { forward_kinematics<double>(mechanism, data, Eigen::Vector3d(0.0, 0.0, 0.2)); }));
  CHECK(is_named([&] { constrained_forward_dynamics<double>(model, tree, loops, q, one, one); }));
  CHECK(is_named([&] { constrained_impulse<double>(model, tree, loops, q, one); }));
  CHECK(is_named([&] { assemble<double>(mechanism, data, q); }));
  CHECK(is_named([&] { Mechanism<double>(model, loops, q); }));
}

TEST_CASE("assemble takes no index that no degree of freedom has", "[loops][errors]") {
  Closed s(0);
  for (const int index : {-1, 3, 100000}) {
    CAPTURE(index);
    CHECK(mentions(message_of<ModelError>([&] {
                     assemble<double>(s.model, s.data.tree, s.loops, s.q, {0, index});
                   }),
                   {"assemble", "held[1] is " + std::to_string(index), "from 0 to 2"}));
  }
  CHECK(assemble<double>(s.model, s.data.tree, s.loops, s.q, {0, 2}).closed);
}

TEST_CASE("loops that do not say what they determine are named at construction, with joints that would do",
          "[loops][errors]") {
  const auto check = [](const Model<double>& model) {
    CAPTURE(model.name());
    const Mechanism<double> meant(model);
    auto builder = to_builder(model);
    auto loops = builder.loops();
    for (LoopSpec& loop : loops)
      if (!loop.is_coupling()) loop.dependent.clear();
    builder.set_loops(loops);
    const auto silent = builder.build();
    const std::string message = message_of<ModelError>([&] { Mechanism<double>{silent}; });
    for (const LoopSpec& loop : silent.loops())
      if (loop.dependent.empty()) CHECK(mentions(message, {"'" + loop.name + "'", "do not say"}));
    CHECK(message.find("0 of 0") == std::string::npos);
    // The suggestions work: making the suggested joints dependent, cluster after cluster, leaves no error.
    std::set<std::string> dependent;
    for (const LoopSpec& loop : silent.loops()) dependent.insert(loop.dependent.begin(), loop.dependent.end());
    std::vector<std::string> independent;
    for (const Joint& joint : model.joints())
      if (!mentions(message, {"'" + joint.name() + "'"}) && !dependent.contains(joint.name()))
        independent.push_back(joint.name());
    const Mechanism<double> made(silent, independent);
    MechanismData<double> data(made);
    CHECK(made.nv() == meant.nv());
    const auto assembly = assemble<double>(made, data, neutral(silent));
    CHECK(assembly.closed);
    CHECK_NOTHROW(crba<double>(made, data, assembly.q));
  };
  check(zoo::four_bar_leg());
  check(zoo::stewart_platform());
  check(zoo::delta_robot());
  check(zoo::parallel_biped());

  // The error may also name joints that do not exist.
  const auto model = four_bar(0.3, 0.9, 0.7, 0.8);
  Loops<double> loops(model);
  loops.couple("gear", {{"crank_joint", 1.0}, {"coupler_joint", 2.0}});
  const std::string message = message_of<ModelError>([&] {
    Mechanism<double>(model, loops, {"crank_joint", "coupler_joint"});
  });
  CHECK(mentions(message, {"'gear'", "crank_joint, coupler_joint", "leave out"}));
  CHECK(message.find("0 of 0") == std::string::npos);
}

TEST_CASE("a loop that does not say what it determines is named if its first condition restricts no motion",
          "[loops][errors]") {
  auto builder = to_builder(four_bar(0.3, 0.9, 0.7, 0.8));
  using Form = closure::Condition::Form;
  const Vector3<double> x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  builder.add_loop({.name = "pin",
                    .first = "coupler_tip",
                    .second = "rocker_tip",
                    .conditions = {{Form::offset, z}, {Form::offset, x}, {Form::offset, y}}});
  const auto model = builder.build();
  CHECK(mentions(message_of<ModelError>([&] { Mechanism<double>{model}; }), {"'pin'", "do not say", "would do"}));
}

TEST_CASE("derivatives of a mechanism name a joint whose columns have no derivatives", "[loops][errors]") {
  Random<double> random(3);
  ModelBuilder<double> builder("cam");
  const auto add = [&](const char* name, const joint::JointSpec<double>& joint) {
    builder.add_body({.name = name, .joint = joint, .inertia = InertialParameters<double>(random.inertia())});
  };
  add("cam", CamOfDoubles()), add("one", joint::Revolute::y()), add("two", joint::Revolute::x());
  builder.couple("gear", {{"one_joint", 1.0}, {"two_joint", -2.0}}, 0.0, {"one_joint"});
  const auto model = builder.build();
  const Mechanism<double> mechanism(model);
  MechanismData<double> data(mechanism);
  const VectorXd q = neutral(model), y = VectorXd::Ones(mechanism.nv());
  CHECK(mentions(message_of<ModelError>([&] { inverse_dynamics_derivatives<double>(mechanism, data, q, y, y); }),
                 {"inverse_dynamics_derivatives", "'cam_joint'"}));
}

}  // namespace loops_test
