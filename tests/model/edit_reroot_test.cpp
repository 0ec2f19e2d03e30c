#include "corio/model/edit_reroot.hpp"

#include "corio/model/edit_maps.hpp"
#include "model/edit_support.hpp"
#include "support/catch.hpp"

// A rerooted model is the same mechanism in other coordinates, v' = A v. The compared results do not depend on the
// coordinates, or change with A: M = A^T M' A, tau = A^T tau'. Tolerances allow some ten spatial operations, and a
// product with A.

namespace edit_test {

using Eigen::MatrixXd;

namespace {

/// Returns the state of the old model in the coordinates of the new one, as documented for reroot.
State carried(const Model<double>& old, const Model<double>& model, const std::string& base, const State& at) {
  Data<double> data(old);
  forward_kinematics(old, data, at.q, at.v, at.a);
  const IndexMaps maps = index_maps(old, model);
  const VectorXd zero = VectorXd::Zero(model.nv());
  State result{remap(maps.q, at.q, neutral(model)), remap(maps.v, at.v, zero), remap(maps.v, at.a, zero)};
  const auto& body = old.body(base);
  const auto& joint = model.joints()[static_cast<std::size_t>(model.body(base).joint())];
  result.q.segment(joint.q_index(), 7) = joint::FreeFlyer::configuration(body_pose(old, data, body));
  result.v.segment(joint.v_index(), 6) = body_velocity(old, data, body).vector();
  result.a.segment(joint.v_index(), 6) = body_acceleration(old, data, body).vector();
  return result;
}

/// A floating body with arms. All joints on the way to "hand" can be reversed; one of them is a chain of three. Other
/// joints are beside the way, and a second tree stands on the ground.
Model<double> robot() {
  Random<double> random(4);
  ModelBuilder<double> builder("robot");
  const auto add = [&](const std::string& name, const Parent& parent, const joint::JointSpec<double>& joint) {
    BodySpec<double> spec{.name = name,
                          .parent = parent,
                          .joint = joint,
                          .placement = random.pose(),
                          .body_placement = name == "trunk" ? Pose<double>::identity() : random.pose(),
                          .inertia = InertialParameters<double>(random.inertia()),
                          .joint_name = name + "_on_" + (parent.name.empty() ? "ground" : parent.name)};
    int nq = 0, nv = 0;
    for (const auto& link : joint.chain) nq += link.joint.nq(), nv += link.joint.nv();
    if (nv < 6 || !parent.name.empty())
      for (int k = 0; k < nv; ++k)
        for (auto* x : {&spec.armature, &spec.passive.damping, &spec.passive.friction, &spec.passive.stiffness})
          x->push_back(0.5 + 0.3 * random.real());
    for (int i = 0; i < nq; ++i) spec.limits.lower.push_back(-i), spec.limits.upper.push_back(i + 1);
    if (nq == nv)
      for (int i = 0; i < nq; ++i) spec.passive.rest.push_back(random.real());
    builder.add_body(spec);
  };
  joint::JointSpec<double> chain = joint::Universal({1, 2, 0}, {0, 1, 3});
  chain.chain.push_back({random.rotation(), joint::PrimitiveJoint<double>(joint::Cylindrical())});
  chain.chain.push_back({random.rotation(), joint::PrimitiveJoint<double>(joint::Helical({0, 0, 1}, 0.4))});
  add("pillar", "", joint::Prismatic({1, 0, 1}));
  add("trunk", "", joint::FreeFlyer());
  add("upper", "trunk", joint::Revolute({1, 2, 3}));
  add("leg", "trunk", joint::Spherical());
  add("middle", "upper", joint::Prismatic({1, -2, 3}));
  add("tail", "upper", joint::Planar({1, 1, 0}));
  add("lower", "middle", joint::Helical({-1, 2, 3}, 0.3));
  add("hand", "lower", joint::Universal({1, 0, 2}, {0, 1, 1}));
  add("finger", "hand", Cam());
  add("nail", "finger", joint::Fixed());
  add("wrist", "lower", joint::Cylindrical({1, 0, 1}));
  add("tool", "wrist", chain);
  builder.add_frame("eye", "trunk", random.pose());
  builder.add_frame("palm", "hand", random.pose());
  builder.add_frame("wall", "", random.pose());
  builder.set_gravity({1, -2, -9});
  return builder.build();
}

}  // namespace

TEST_CASE("a rerooted model is the same mechanism", "[model][reroot]") {
  const std::string base =
      GENERATE("trunk", "upper", "middle", "lower", "hand", "wrist", "tool", "left_ankle_roll_link");
  CAPTURE(base);
  const auto old = base.starts_with("left") ? zoo::humanoid() : robot();
  const auto model = reroot(old, base);
  REQUIRE(model.nv() == old.nv());
  REQUIRE(model.nq() == old.nq());
  CHECK(model.body(base).parent() == -1);
  CHECK(model.joints()[static_cast<std::size_t>(model.body(base).joint())].type() == "free_flyer");
  CHECK(model.joints().size() == old.joints().size());
  for (const auto& joint : old.joints()) CHECK(model.joint(joint.name()).type() == joint.type());

  const State at = random_state(old, 3), there = carried(old, model, base, at);
  MatrixXd A(old.nv(), old.nv());
  for (int k = 0; k < old.nv(); ++k) A.col(k) = carried(old, model, base, {at.q, VectorXd::Unit(old.nv(), k), at.a}).v;
  CHECK(relative_error(A * at.v, there.v) < bound);

  for (const auto& frame : old.frames()) {
    CAPTURE(frame.name());
    const auto& same = model.frame(frame.name());
    CHECK(relative_error(frame_pose(model, there.q, same), frame_pose(old, at.q, frame)) < bound);
    CHECK(relative_error(jacobian(model, there.q, same) * A, jacobian(old, at.q, frame)) < bound);
  }
  for (const auto& body : old.bodies())
    CHECK(relative_error(model.inertia(body.name()).vector(), old.inertia(body).vector()) < bound);

  Data<double> data(model), old_data(old);
  const VectorXd tau = rnea(model, data, there.q, there.v, there.a);
  CHECK(relative_error(A.transpose() * tau, rnea(old, old_data, at.q, at.v, at.a)) < bound);
  CHECK(relative_error(A.transpose() * generalized_gravity(model, data), generalized_gravity(old, old_data)) < bound);
  CHECK(relative_error(A.transpose() * crba(model, data) * A, crba(old, old_data)) < bound);
  CHECK(relative_error(A.transpose() * passive_forces(model, data), passive_forces(old, old_data)) < bound);
  CHECK(relative_error(kinetic_energy(model, data), kinetic_energy(old, old_data), 10) < bound);
  CHECK(relative_error(potential_energy(model, data), potential_energy(old, old_data), 10) < bound);

  // These forces do the same work.
  const VectorXd push = random_vector<double>(old.nv(), 8);
  const VectorXd a = aba(model, data, there.q, there.v, push);
  const VectorXd old_a = aba(old, old_data, at.q, at.v, A.transpose() * push);
  CHECK(relative_error(a, carried(old, model, base, {at.q, at.v, old_a}).a) < 1e3 * bound);  // condition number of M

  const IndexMaps maps = index_maps(old, model);
  const int floating = model.joints()[static_cast<std::size_t>(model.body(base).joint())].q_index();
  for (int i = 0; i < model.nq(); ++i)
    if (const int from = maps.q[static_cast<std::size_t>(i)]; from >= 0 && (i < floating || i >= floating + 7)) {
      CHECK(model.lower_limit()[i] == old.lower_limit()[from]);
      CHECK(model.upper_limit()[i] == old.upper_limit()[from]);
      CHECK(model.rest_configuration()[i] == old.rest_configuration()[from]);
    }
  CHECK(model.armature() == remap(maps.v, old.armature(), VectorXd::Zero(model.nv()).eval()));
  CHECK(std::ranges::count(maps.v, -1) == (base == "trunk" ? 0 : 6));

  // Reroots the model back.
  const std::string first = base.starts_with("left") ? "pelvis" : "trunk";
  const auto back = reroot(model, first);
  const State home = carried(model, back, first, there);
  Data<double> back_data(back);
  const IndexMaps order = index_maps(back, old);
  const VectorXd v = remap(order.v, home.v, VectorXd::Constant(old.nv(), 99).eval());
  CHECK(relative_error(v, at.v) < bound);
  CHECK(relative_error(kinetic_energy(back, back_data, home.q, home.v), kinetic_energy(old, old_data), 10) < bound);
}

TEST_CASE("the base itself loses the placements of its free flyer", "[model][reroot]") {
  Random<double> random(9);
  ModelBuilder<double> builder("robot");
  for (const char* name : {"trunk", "arm"})
    builder.add_body({.name = name,
                      .parent = name == std::string("arm") ? Parent("trunk") : Parent(),
                      .joint = name == std::string("arm") ? joint::JointSpec<double>(joint::Revolute({1, 2, 3}))
                                                          : joint::JointSpec<double>(joint::FreeFlyer()),
                      .placement = random.pose(),
                      .body_placement = random.pose(),
                      .inertia = InertialParameters<double>(random.inertia())});
  const auto old = builder.build();
  for (const std::string base : {"trunk", "arm"}) {
    CAPTURE(base);
    const auto model = reroot(old, base);
    const State at = random_state(old, 3), there = carried(old, model, base, at);
    Data<double> data(model), old_data(old);
    forward_kinematics(model, data, there.q, there.v, there.a);
    forward_kinematics(old, old_data, at.q, at.v, at.a);
    for (const auto& body : old.bodies()) {
      const auto& same = model.body(body.name());
      CHECK(relative_error(body_pose(model, data, same), body_pose(old, old_data, body)) < bound);
      CHECK(relative_error(body_velocity(model, data, same).vector(), body_velocity(old, old_data, body).vector()) <
            bound);
      CHECK(relative_error(body_acceleration(model, data, same).vector(),
                           body_acceleration(old, old_data, body).vector()) < bound);
    }
  }
}

TEST_CASE("what cannot be rerooted is said by name", "[model][reroot]") {
  const auto model = robot();
  const auto rejection = [&](const auto& of, const std::string& base) {
    return message_of<ModelError>([&] { reroot(of, base); });
  };
  CHECK(mentions(rejection(model, "leg"), {"'leg_on_trunk' (spherical)", "reversed", "revolute"}));
  CHECK(mentions(rejection(model, "tail"), {"'tail_on_upper' (planar)"}));
  CHECK(mentions(rejection(model, "finger"), {"'finger_on_hand' (cam)"}));
  CHECK(mentions(rejection(model, "pillar"), {"'pillar_on_ground' (prismatic)", "free flyer"}));
  CHECK(mentions(rejection(model, "nobody"), {"'nobody'"}));
  for (const auto set : {&Model<double>::set_armature, &Model<double>::set_damping, &Model<double>::set_friction}) {
    auto held = model;
    VectorXd terms = VectorXd::Zero(model.nv());
    terms[model.joint("trunk_on_ground").v_index() + 2] = 0.1;
    (held.*set)(terms);
    CHECK(mentions(rejection(held, "hand"), {"'trunk_on_ground'", "armature", "zero"}));
  }
}

TEST_CASE("a free flyer's configuration is that of a pose", "[model][reroot][joints]") {
  Random<double> random(6);
  const Pose<double> X = random.pose();
  const auto q = joint::FreeFlyer::configuration(X);
  CHECK(relative_error(joint::FreeFlyer().compose(Pose<double>::identity(), q.data()), X) < tolerance<double>());
}

}  // namespace edit_test
