#include <iostream>
#include <numbers>

#include "corio/interop.hpp"
#include "corio/io/write_urdf.hpp"
#include "corio/model/describe.hpp"
#include "corio/model/edit_reroot.hpp"
#include "joints/parametrisations.hpp"
#include "support/catch.hpp"
#include "support/counting_scalar.hpp"

using namespace corio;
using namespace corio::test;

// Tests the properties that only joints in other coordinates and speeds have: charts, costs, and their form in files
// and other libraries.

TEST_CASE("exponential coordinates beyond half a turn: the same orientation and the same motion", "[joints][exp]") {
  const joint::SphericalExp joint;
  const double angle = GENERATE(0.0, 1e-8, 1.0, 3.1, 3.2, 5.0, 6.2, 6.4, 9.0, 13.0, 1e3);
  CAPTURE(angle);
  Random<double> random(8);
  VectorX<double> q = angle * random.direction(), nu = random.vector();
  const VectorX<double> before = q, speed = nu;
  joint.normalize(q.data(), nu.data());
  CHECK(q.norm() <= std::numbers::pi * (1 + 1e-15));
  if (angle < std::numbers::pi) CHECK(q == before);
  CHECK(relative_error(pose_of(joint, q).rotation, pose_of(joint, before).rotation) < 1e-15 * std::max(10.0, angle));
  CHECK(relative_error(VectorX<double>(columns_of(joint, q) * nu), VectorX<double>(columns_of(joint, before) * speed)) <
        1e-14 * std::max(10.0, angle));
  VectorX<double> alone = before;
  joint.normalize(alone.data());
  CHECK(alone == q);
  for (double* x : {q.data(), nu.data()}) CHECK(std::isfinite(x[0] + x[1] + x[2]));
  // Uses long double, which has more digits on some machines.
  using L = long double;
  const VectorX<L> longer = before.cast<L>();
  VectorX<L> shorter = longer;
  joint.normalize(shorter.data());
  CHECK(relative_error(pose_of(joint, shorter).rotation, pose_of(joint, longer).rotation) <
        8 * static_cast<double>(std::numeric_limits<L>::epsilon()) * std::max(10.0, angle));
}

TEST_CASE("normalize of a model takes exponential coordinates back below half a turn", "[joints][exp]") {
  const Parametrisation p = parametrisation(joint::SphericalExp(), joint::SphericalExp());
  VectorX<double> q = neutral(p.model);
  q.segment(2, 3) = Vector3<double>(3, 2, 1);
  const Pose<double> X = frame_pose(p.model, q, p.model.body("left"));
  normalize(p.model, q);
  CHECK(q.segment(2, 3).norm() == Approx(2 * std::numbers::pi - std::sqrt(14.0)));
  CHECK(relative_error(frame_pose(p.model, q, p.model.body("left")).rotation, X.rotation) < 1e-14);
}

TEST_CASE("integrate and difference belong to the tangent space that the type names", "[joints][manifold]") {
  const joint::FreeFlyerInParentAxes joint;
  const VectorX<double> q0 = random_configuration_of<double>(joint, 1), q1 = random_configuration_of<double>(joint, 2);
  const VectorX<double> dv = difference_of(joint, q0, q1);
  CHECK(relative_error(VectorX<double>(dv.tail(3)), VectorX<double>(q1.head(3) - q0.head(3))) < 1e-15);
  const Matrix3<double> turn = exp_rotation<double>(vector3(dv.data()));
  CHECK(relative_error(Matrix3<double>(turn * pose_of(joint, q0).rotation), pose_of(joint, q1).rotation) < 1e-14);
  CHECK(relative_error(pose_of(joint, integrated(joint, q0, dv)), pose_of(joint, q1)) < 1e-14);
}

TEST_CASE("a composite is its joints in a row, of any number", "[joints][composite]") {
  using namespace joint;
  Random<double> random(12);
  ModelBuilder<double> one("one"), row("row");
  const Vector3<double> oblique(1, -2, 0.5);
  const Pose<double> P = random.pose(), body = random.pose();
  const InertialParameters<double> I(random.inertia());
  const std::vector<JointSpec<double>> parts{Revolute(oblique),
                                             Translation(),
                                             Spherical(),
                                             Fixed(),
                                             Universal(oblique),
                                             SphericalExp(),
                                             Composite<>{JointSpec<double>(Helical(oblique, 0.2))}};
  one.add_body({.name = "tip",
                .joint = Composite<>(parts),
                .placement = P,
                .body_placement = body,
                .inertia = I,
                .armature = std::vector<double>(13, 0.1)});
  std::string parent;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const std::string name = "part" + std::to_string(i);
    std::size_t n = 0;
    for (const auto& link : parts[i].chain) n += static_cast<std::size_t>(link.joint.nv());
    row.add_body({.name = name,
                  .parent = parent,
                  .joint = parts[i],
                  .placement = i == 0 ? P : Pose<double>::identity(),
                  .body_placement = last ? body : Pose<double>::identity(),
                  .inertia = last ? I : InertialParameters<double>{},
                  .armature = std::vector<double>(n, 0.1)});
    parent = name;
  }
  const auto single = one.build(), many = row.build();
  REQUIRE(single.nv() == 13);
  CHECK(single.joints().size() == 1);
  CHECK(single.joints().front().type() == std::string("composite"));
  Data<double> data(single), other(many);
  const auto q = random_q(single, 3);
  const auto v = random_vector<double>(13, 4), a = random_vector<double>(13, 5);
  CHECK(relative_error(rnea(single, data, q, v, a), rnea(many, other, q, v, a)) < 1e-13);
  CHECK(relative_error(frame_pose(single, q, single.body("tip")), frame_pose(many, q, many.body("part6"))) < 1e-14);
  CHECK(relative_error(coriolis_matrix(single, data).C, coriolis_matrix(many, other).C) < 1e-12);
}

TEST_CASE("parametrisations: other scalars", "[joints][cast]") {
  for_each_parametrisation([](const Parametrisation& p) {
    INFO(p.name);
    const Model<float> narrow = p.model.template cast<float>();
    const Model<Complex> complex = p.model.template cast<Complex>();
    const Mapped m(p, 8);
    Data<double> data(p.model);
    Data<float> narrow_data(narrow);
    Data<Complex> complex_data(complex);
    const Vectord tau = rnea(p.model, data, m.q, m.v, m.a);
    const VectorX<float> q = m.q.cast<float>(), v = m.v.cast<float>(), a = m.a.cast<float>();
    CHECK(relative_error(Vectord(rnea(narrow, narrow_data, q, v, a).cast<double>()), tau) < 1e-5);
    const VectorX<Complex> qc = m.q.cast<Complex>(), vc = m.v.cast<Complex>(), ac = m.a.cast<Complex>();
    CHECK(relative_error(Vectord(rnea(complex, complex_data, qc, vc, ac).real()), tau) < 1e-13);
  });
}

TEST_CASE("parametrisations: described by their type, rejected by URDF, passed through to other libraries",
          "[joints][interop][errors]") {
  for_each_parametrisation([](const Parametrisation& p) {
    INFO(p.name);
    CHECK(mentions(describe(p.model), {p.name}));
    CHECK(mentions(message_of<ModelError>([&] { write_urdf(p.model); }), {"'middle_joint'", p.name}));
    const Mapped m(p, 9);
    const Joint& joint = p.model.joint("middle_joint");
    const interop::Conversion c(p.model, interop::mujoco,
                                {"base_joint", "slider_joint", "middle_joint", "left_joint", "right_joint"});
    CHECK(c.q_to(m.q) == m.q);
    CHECK(c.v_to(m.q, m.v) == m.v);
    CHECK(joint.type() == p.name);
  });
}

TEST_CASE("a base beyond an Euler joint reverses it; beyond exponential coordinates there is none",
          "[joints][edit][errors]") {
  const auto floating = [](const joint::JointSpec<double>& joint) {
    ModelBuilder<double> builder("floating");
    Random<double> random(31);
    builder.add_body({.name = "trunk", .joint = joint::FreeFlyer(), .inertia = ball()});
    builder.add_body({.name = "head",
                      .parent = "trunk",
                      .joint = joint,
                      .placement = random.pose(),
                      .body_placement = random.pose(),
                      .inertia = ball(),
                      .joint_name = "neck"});
    return builder.build();
  };
  const auto model = floating(joint::SphericalEuler<'z', 'x', 'y'>());
  const auto turned = reroot(model, "head");
  CHECK(turned.joint("neck").type() == "composite");
  VectorX<double> q = random_q(model, 2), p = neutral(turned);
  p.segment(turned.joint("neck").q_index(), 3) = q.segment(model.joint("neck").q_index(), 3).reverse();
  const auto head_in_trunk = [](const Model<double>& m, const VectorX<double>& at) {
    return frame_pose(m, at, m.body("trunk")).inverse() * frame_pose(m, at, m.body("head"));
  };
  CHECK(relative_error(head_in_trunk(turned, p), head_in_trunk(model, q)) < 1e-14);
  const std::vector<joint::JointSpec<double>> others{joint::SphericalExp(), joint::SphericalInParentAxes()};
  for (const auto& joint : others)
    CHECK(mentions(message_of<ModelError>([&] { reroot(floating(joint), "head"); }), {"'neck'", joint.type}));
}

TEST_CASE("an Euler joint costs what three hinges do", "[joints][counts]") {
  using Counted = Model<Counting>;
  const auto tree = [](const std::vector<joint::JointSpec<Counting>>& joints) {
    ModelBuilder<Counting> builder("counted");
    const InertialParameters<Counting> I = InertialParameters<double>(Random<double>(3).inertia()).cast<Counting>();
    std::string parent;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const std::string name = "body" + std::to_string(i);
      const bool last = i + 1 == joints.size();
      builder.add_body({.name = name,
                        .parent = parent,
                        .joint = joints[i],
                        .inertia = last || i == 0 ? I : InertialParameters<Counting>{}});
      parent = name;
    }
    return builder.build();
  };
  const auto cost = [](const Counted& model) {
    Data<Counting> data(model);
    VectorX<Counting> q = neutral(model), v(model.nv());
    for (Counting& x : q) x += Counting(0.3);
    for (Counting& x : v) x = Counting(0.2);
    rnea(model, data, q, v, v);
    return operations_of([&] { rnea(model, data, q, v, v); });
  };
  using joint::Revolute;
  const Revolute base(Vector3<double>(1, 2, 3));
  const Operations hinges = cost(tree({base, Revolute::z(), Revolute::y(), Revolute::x()}));
  const Operations euler = cost(tree({base, joint::SphericalEuler<'z', 'y', 'x'>()}));
  CHECK(euler == hinges);
  const Operations exp = cost(tree({base, joint::SphericalExp()}));
  std::cout << "rnea of a hinge and a ball joint\n  of three hinges: " << hinges << "\n  exponential: " << exp << '\n';
  // There is one node instead of three, but three moving columns have derivatives.
  CHECK(exp.total() < 2 * hinges.total());
}
