#include "corio/corio.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"

using namespace corio;
using namespace corio::test;

// All quantities are about the position of the root body, so a floating base far from the world's origin loses no
// accuracy.

namespace {

template <class S>
struct Robot {
  explicit Robot(int seed)
      : model(zoo::random_tree<S>(static_cast<std::uint64_t>(seed),
                                  {.bodies = 12, .floating_base = true, .armature = true})),
        data(model) {
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    Random<double> random(seed);
    q = random_configuration(model, generator);
    place(0);
    v = random_vector(random, model.nv()).template cast<S>();
    a = random_vector(random, model.nv()).template cast<S>();
  }
  /// Places the base at (1, -2, 2) / 3 times `distance`.
  void place(double distance) {
    const int base = model.joint("root_joint").q_index();
    q.template segment<3>(base) = Vector3<double>(distance / 3, -2 * distance / 3, 2 * distance / 3).cast<S>();
  }
  Model<S> model;
  Data<S> data;
  VectorX<S> q, v, a;
};

constexpr double distances[] = {3e2, 3e4, 3e6};

}  // namespace

TEMPLATE_TEST_CASE("M, C and Mdot are the same to the bit wherever the base is", "[identities][far_from_origin]",
                   double, float) {
  Robot<TestType> r(GENERATE(range(1, 6)));
  const auto [C, M, Mdot] = coriolis_matrix(r.model, r.data, r.q, r.v);
  const auto crba_M = crba(r.model, r.data);
  for (const double distance : distances) {
    CAPTURE(distance);
    r.place(distance);
    const auto& far = coriolis_matrix(r.model, r.data, r.q, r.v);
    CHECK(far.C == C);
    CHECK(far.M == M);
    CHECK(far.Mdot == Mdot);
    CHECK(crba(r.model, r.data) == crba_M);
  }
}

TEMPLATE_TEST_CASE("rnea, aba and gravity are the same to the bit wherever the base is",
                   "[identities][far_from_origin]", double, float) {
  Robot<TestType> r(GENERATE(range(1, 6)));
  const VectorX<TestType> tau = rnea(r.model, r.data, r.q, r.v, r.a), g = generalized_gravity(r.model, r.data);
  const VectorX<TestType> a = aba(r.model, r.data, tau);
  for (const double distance : distances) {
    CAPTURE(distance);
    r.place(distance);
    CHECK(rnea(r.model, r.data, r.q, r.v, r.a) == tau);
    CHECK(generalized_gravity(r.model, r.data) == g);
    CHECK(aba(r.model, r.data, tau) == a);
  }
}

TEMPLATE_TEST_CASE("kinetic energy and body twists are the same to the bit wherever the base is",
                   "[identities][far_from_origin]", double, float) {
  Robot<TestType> r(GENERATE(range(1, 6)));
  const TestType energy = kinetic_energy(r.model, r.data, r.q, r.v);
  std::vector<Vector6<TestType>> twists;
  for (const auto& body : r.model.bodies()) twists.push_back(body_velocity(r.model, r.data, body).vector());
  for (const double distance : distances) {
    r.place(distance);
    CHECK(kinetic_energy(r.model, r.data, r.q, r.v) == energy);
    std::size_t i = 0;
    for (const auto& body : r.model.bodies()) CHECK(body_velocity(r.model, r.data, body).vector() == twists[i++]);
  }
}

TEST_CASE("forces in body axes and at a body's point are the same to the bit wherever the base is",
          "[identities][far_from_origin]") {
  Robot<double> r(3);
  Random<double> random(3);
  std::vector<ExternalForce<double>> external;
  for (const auto& body : r.model.bodies())
    for (const auto reference : {ReferenceFrame::body, ReferenceFrame::world_aligned})
      external.emplace_back(body, random.force(), reference, random.vector());
  const Vectord tau = rnea(r.model, r.data, r.q, r.v, r.a, external);
  for (const double distance : distances) {
    r.place(distance);
    CHECK(rnea(r.model, r.data, r.q, r.v, r.a, external) == tau);
  }
}

TEST_CASE("a body's position far away is that near the origin plus the way", "[identities][far_from_origin]") {
  Robot<double> r(GENERATE(range(1, 6)));
  forward_kinematics(r.model, r.data, r.q);
  const auto& body = r.model.bodies().back();
  const Pose<double> near = body_pose(r.model, r.data, body);
  r.place(3e6);
  forward_kinematics(r.model, r.data, r.q);
  const Pose<double> far = body_pose(r.model, r.data, body);
  CHECK(far.rotation == near.rotation);
  const Vector3<double> way = r.model.node(0).placement.rotation * Vector3<double>(1e6, -2e6, 2e6);
  // Allow some roundings of numbers of this size.
  CHECK(max_magnitude(far.translation - near.translation - way) < 10 * 3e6 * 2.3e-16);
}

TEST_CASE("of two trees in one model the second may be far away too", "[identities][far_from_origin]") {
  const InertialParameters<double> box(2.0, {0.1, 0.2, 0.3}, Vector3<double>(0.3, 0.4, 0.5).asDiagonal());
  ModelBuilder<double> builder("two trees");
  for (const std::string tree : {"first", "second"}) {
    builder.add_body({.name = tree, .joint = joint::FreeFlyer{}, .inertia = box});
    builder.add_body(
        {.name = tree + " arm", .parent = tree, .joint = joint::Revolute({1.0, 2.0, 3.0}), .inertia = box});
  }
  const Model<double> model = builder.build();
  Data<double> data(model);
  Random<double> random(3);
  VectorX<double> q = neutral(model);
  const VectorX<double> v = random_vector(random, model.nv());
  const MatrixX<double> C = coriolis_matrix(model, data, q, v).C;
  const VectorX<double> tau = rnea(model, data, q, v, v);
  const double potential = potential_energy(model, data, q);
  q.segment<3>(model.joint("second_joint").q_index()) =
      Vector3<double>(1e6, -1e6, 0.0);  // level, so the potential energy does not change
  CHECK(coriolis_matrix(model, data, q, v).C == C);
  CHECK(rnea(model, data, q, v, v) == tau);
  CHECK(relative_error(potential_energy(model, data, q), potential) < tolerance<double>());
  forward_kinematics(model, data, q);
  CHECK(body_pose(model, data, model.frame("second arm")).translation == Vector3<double>(1e6, -1e6, 0.0));
}

TEMPLATE_TEST_CASE("a base that travels by massive sliders keeps its digits", "[identities][far_from_origin]", double,
                   float) {
  using S = TestType;
  const auto box = [](double mass) {
    return InertialParameters<double>(mass, {0.1, 0.2, 0.3}, Vector3<double>(0.3, 0.4, 0.5).asDiagonal());
  };
  ModelBuilder<double> builder("gantry");
  builder.add_body({.name = "px", .joint = joint::Prismatic::x(), .inertia = box(2.0)});
  builder.add_body({.name = "py", .parent = "px", .joint = joint::Prismatic::y(), .inertia = box(2.0)});
  builder.add_body({.name = "rz", .parent = "py", .joint = joint::Revolute::z(), .inertia = box(1.0)});
  builder.add_body({.name = "ry", .parent = "rz", .joint = joint::Revolute::y(), .inertia = box(3.0)});
  const Model<S> model = builder.build().cast<S>();
  Data<S> data(model);
  Random<double> random(1);
  VectorX<S> q = random_vector(random, 4).cast<S>();
  q[0] = q[1] = S(0);
  const VectorX<S> v = random_vector(random, 4).cast<S>();
  const auto near = coriolis_matrix(model, data, q, v);
  const VectorX<S> tau = rnea(model, data, q, v, v), a = aba(model, data, q, v, v);
  for (const double distance : {1e4, 1e6}) {
    CAPTURE(distance);
    q[0] = S(distance), q[1] = S(-distance);
    const auto& far = coriolis_matrix(model, data, q, v);
    // Allow some roundings of numbers of order ten, as near the origin.
    const S few = 100 * std::numeric_limits<S>::epsilon();
    CHECK(max_magnitude(far.M - near.M) < few);
    CHECK(max_magnitude(far.C - near.C) < few);
    CHECK(max_magnitude(rnea(model, data, q, v, v) - tau) < few);
    CHECK(max_magnitude(aba(model, data, q, v, v) - a) < few);
  }
}
