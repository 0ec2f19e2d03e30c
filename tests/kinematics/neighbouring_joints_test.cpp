#include "corio/kinematics/configuration.hpp"

#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/user_joints.hpp"

using namespace corio;
using namespace corio::test;

TEST_CASE("a robot's configuration is added, subtracted and checked as those of its joints alone",
          "[kinematics][configuration][custom]") {
  // Joints of one kind stand in runs of n, which fill vector registers completely or in part, between joints of all
  // other types: at both ends, alone and side by side.
  const int n = GENERATE(0, 1, 2, 3, 4, 5, 8, 9, 13);
  CAPTURE(n);
  using joint::JointSpec;
  std::vector<JointSpec<double>> joints;
  const auto add_run = [&] {
    for (int i = 0; i < n; ++i)
      joints.push_back(i % 3 == 0   ? JointSpec<double>(joint::Revolute::x())
                       : i % 3 == 1 ? JointSpec<double>(joint::Translation{})
                                    : JointSpec<double>(joint::Cylindrical{unit3<double>(1)}));
  };
  const JointSpec<double> others[] = {
      joint::FreeFlyer{}, joint::Continuous::y(), joint::Continuous::x(), joint::Planar{}, Cam(), joint::Spherical{}};
  add_run();
  for (const auto& other : others) {
    joints.push_back(other);
    if (&other != &others[1]) add_run();
  }
  ModelBuilder<double> builder;
  std::vector<Model<double>> alone;
  Parent last;
  for (const auto& joint : joints) {
    last = builder.add_body(
        {.name = "body" + std::to_string(alone.size()), .parent = last, .joint = joint, .inertia = ball()});
    ModelBuilder<double> single;
    single.add_body({.name = "body", .joint = joint, .inertia = ball()});
    alone.push_back(single.build());
  }
  const Model<double> model = builder.build();
  std::mt19937 generator(5);
  VectorX<double> q = random_configuration(model, generator), q1 = random_configuration(model, generator);
  const VectorX<double> v = 4 * VectorX<double>::Random(model.nv()), reached = integrate(model, q, v),
                        dv = difference(model, q, q1), start = neutral(model);
  for (std::size_t b = 0; b < alone.size(); ++b) {
    const Joint& joint = model.joints()[b];
    CAPTURE(joint.type(), b);
    const int i = joint.q_index(), k = joint.v_index(), nq = joint.nq(), nv = joint.nv();
    CHECK(reached.segment(i, nq) == integrate(alone[b], q.segment(i, nq), v.segment(k, nv)));
    CHECK(dv.segment(k, nv) == difference(alone[b], q.segment(i, nq), q1.segment(i, nq)));
    CHECK(start.segment(i, nq) == neutral(alone[b]));
    if (nq == nv) CHECK(reached.segment(i, nq) == VectorX<double>(q.segment(i, nq) + v.segment(k, nv)));
    if (nq == nv && joint.type() != "continuous")
      CHECK(dv.segment(k, nv) == VectorX<double>(q1.segment(i, nq) - q.segment(i, nq)));
  }
  const Model<float> narrow = model.cast<float>();
  CHECK(relative_error(integrate(narrow, q.cast<float>().eval(), v.cast<float>().eval()).cast<double>().eval(),
                       reached) < tolerance<float>());
  VectorX<double> scaled = reached;
  for (const Joint& joint : model.joints())
    if (joint.type() == "spherical") scaled.segment(joint.q_index(), 4) *= 2;
  CHECK_THROWS_AS(check_configuration(model, scaled), Error);
  normalize(model, scaled);
  CHECK(relative_error(scaled, reached) < tolerance<double>());
}
