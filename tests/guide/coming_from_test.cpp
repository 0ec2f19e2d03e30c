#include "corio/corio.hpp"
#include "corio/interop.hpp"
#include "corio/io/mjcf.hpp"
#include "corio/loops/inverse_kinematics.hpp"
#include "support/dynamics_support.hpp"
#include "support/guide.hpp"
#include "support/model_support.hpp"
#include "support/temporary_file.hpp"

// The pairs of calls on the page guide/coming_from.md, for the libraries that are installed: the same robot, the same
// numbers.

namespace coming_from_test {

using namespace corio;
using namespace corio::test;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Both libraries compute by other recursions from numbers of order one to a hundred.
[[maybe_unused]] constexpr double rounding = 1e-10;  // where neither is installed

TEST_CASE("every pair of the page stands in a test, or is marked as not run", "[guide]") {
  const auto project = std::filesystem::path(CORIO_EXAMPLES_DIR).parent_path();
  std::stringstream page(contents(project / "include/corio/guide/coming_from.md"));
  const std::string code = contents(project / "tests/guide/coming_from_test.cpp");
  std::string section;
  int pairs = 0;
  bool marked = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("## ")) section = line.substr(3), marked = false;
    marked = marked || line.find("not run in a test") != std::string::npos;
    if (!line.starts_with("| `")) continue;
    CAPTURE(section, line);
    ++pairs;
    if (section != "MuJoCo" && section != "KDL") CHECK(marked);
    if (marked) continue;
    // The first names of both columns occur in the code.
    const std::string theirs = line.substr(3, line.find('`', 3) - 3);
    const std::size_t ours = line.find('`', line.find(" | ")) + 1;
    CHECK(code.find(theirs) != std::string::npos);
    CHECK(code.find(line.substr(ours, line.find_first_of("(`", ours) - ours)) != std::string::npos);
  }
  CHECK(pairs > 40);
}

}  // namespace coming_from_test

#ifdef CORIO_TEST_MUJOCO
#include <mujoco/mujoco.h>

namespace coming_from_test {

TEST_CASE("coming from MuJoCo", "[guide][mujoco]") {
  const TemporaryFile file(R"(<mujoco><compiler angle="radian"/><option gravity="0 0 -9.81"/><worldbody>
    <body name="base"><freejoint name="root"/>
      <inertial pos="0.1 0.05 -0.2" mass="1.5" diaginertia="0.1 0.2 0.25"/>
      <body name="thigh" pos="0.1 0.2 -0.1"><joint name="hip" type="ball"/>
        <inertial pos="0 0.05 -0.2" mass="0.7" diaginertia="0.1 0.08 0.02"/>
        <body name="shin" pos="0 0 -0.4"><joint name="knee" type="hinge" axis="0 1 0" armature="0.1"/>
          <inertial pos="0 0 -0.2" mass="0.5" diaginertia="0.1 0.08 0.02"/></body></body></body>
    </worldbody></mujoco>)",
                           "ball.xml");
  char error[1000] = "";
  mjModel* const m = mj_loadXML(file.path().c_str(), nullptr, error, sizeof error);
  INFO(error);
  REQUIRE(m);
  mjData* const d = mj_makeData(m);
  const auto model = mjcf::load(file.path());
  Data<double> data(model);
  const interop::Conversion c(model, interop::mujoco);

  std::mt19937 generator(1);
  const VectorXd q = random_configuration(model, generator), v = random_vector<double>(model.nv(), 2);
  const VectorXd tau = random_vector<double>(model.nv(), 3);
  const auto put = [](const VectorXd& x, mjtNum* to) { std::copy(x.begin(), x.end(), to); };
  const auto read = [&](const mjtNum* x, int n) -> VectorXd { return Eigen::Map<const VectorXd>(x, n); };
  const auto vector = [&](const mjtNum* x) { return read(x, m->nv); };
  put(c.q_to(q), d->qpos), put(c.v_to(q, v), d->qvel), put(c.tau_to(q, tau), d->qfrc_applied);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  mj_kinematics(m, d);
  forward_kinematics<double>(model, data, q, v);
  const int shin = mj_name2id(m, mjOBJ_BODY, "shin");
  CHECK((body_pose(model, data, model.body("shin")).translation - read(d->xpos + 3 * shin, 3)).norm() < rounding);

  mj_forward(m, d);
  const VectorXd a = aba<double>(model, data, q, v, tau);
  CHECK(relative_error(c.a_to(q, v, a), vector(d->qacc)) < rounding);
  RowMajor M(m->nv, m->nv);
  mj_fullM(m, M.data(), d->qM);
  CHECK(relative_error(c.M_to(q, crba<double>(model, data, q)), M) < rounding);
  VectorXd solved(m->nv);
  mj_solveM(m, d, solved.data(), d->qfrc_applied, 1);
  CHECK(relative_error(c.v_to(q, mass_matrix_inverse_product<double>(model, data, tau)), solved) < rounding);

  // Their bias is of zero qacc: the difference is M times the acceleration that zero qacc is in ours.
  const VectorXd still = c.a_from(q, v, VectorXd::Zero(m->nv));
  const VectorXd bias = nonlinear_effects<double>(model, data, q, v) + crba<double>(model, data, q) * still;
  CHECK(relative_error(c.tau_to(q, bias), vector(d->qfrc_bias)) < rounding);

  mj_inverse(m, d);
  CHECK(relative_error(c.tau_to(q, rnea<double>(model, data, q, v, a)), vector(d->qfrc_inverse)) < rounding);

  mj_rnePostConstraint(m, d);
  const std::vector<FramePoint<double>> ankle{{model.body("shin"), ReferenceFrame::world}};
  const Matrix6X<double>& bears = joint_reactions(model, data, {}, ankle);
  const Vector3<double> their_point(read(d->subtree_com + 3, 3));
  CHECK(relative_error(about(Force<double>::from(bears.col(0)), their_point).vector(),
                       read(d->cfrc_int + 6 * shin, 6)) < rounding);

  RowMajor linear(3, m->nv), angular(3, m->nv);
  mj_jacBody(m, d, linear.data(), angular.data(), shin);
  MatrixXd J(6, model.nv()), theirs(6, m->nv);
  theirs << angular, linear;
  forward_kinematics<double>(model, data, q, v);
  body_jacobian<double>(model, data, {model.body("shin"), ReferenceFrame::world_aligned}, J);
  CHECK(relative_error(c.jacobian_to(q, J), theirs) < rounding);

  mj_subtreeVel(m, d);
  CHECK((center_of_mass<double>(model, data) - read(d->subtree_com, 3)).norm() < rounding);
  m->opt.enableflags |= mjENBL_ENERGY;
  mj_energyPos(m, d), mj_energyVel(m, d);
  // Their potential is zero where that of all bodies at the world's origin is, as ours.
  CHECK(potential_energy<double>(model, data) == Approx(d->energy[0]).epsilon(rounding));
  CHECK(kinetic_energy<double>(model, data, q, v) == Approx(d->energy[1]).epsilon(rounding));

  // Steps of q: theirs move the base along world axes, ours along the motion that turns with it; the same for small
  // steps up to the square of the step.
  const double h = 1e-5;
  VectorXd moved = c.q_to(q);
  mj_integratePos(m, moved.data(), d->qvel, h);
  const VectorXd ours = integrate<double>(model, q, h * v);
  CHECK((c.q_to(ours) - moved).norm() < 10 * h * h);
  VectorXd rate(m->nv);
  const VectorXd before = c.q_to(q);
  mj_differentiatePos(m, rate.data(), h, before.data(), moved.data());
  CHECK((rate - c.v_to(q, difference<double>(model, q, ours) / h)).norm() < 20 * h);

  m->opt.timestep = h;
  put(c.q_to(q), d->qpos), put(c.v_to(q, v), d->qvel);
  mj_step(m, d);
  VectorXd q_next = q, v_next = v;
  step<double>(model, data, q_next, v_next, tau, h);
  CHECK((c.q_to(q_next) - read(d->qpos, m->nq)).norm() < 1000 * h * h);  // theirs is of first order; a is some tens
  mj_deleteData(d), mj_deleteModel(m);
}

}  // namespace coming_from_test
#endif

#ifdef CORIO_TEST_KDL
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainiksolverpos_lma.hpp>
#include <kdl/chainjnttojacsolver.hpp>

namespace coming_from_test {

// kdl_parser, which is a package of its own, makes a Chain as urdf::load makes a Model; here both are made by hand.
TEST_CASE("coming from KDL", "[guide][kdl]") {
  ModelBuilder<double> builder("arm");
  KDL::Chain chain;
  const Vector3<double> offset(0.1, 0.2, -0.3), com(0.1, 0.05, -0.2);
  const KDL::Vector placement(offset[0], offset[1], offset[2]);
  std::string parent;
  const char* const names[] = {"one", "two", "three", "four", "five", "six"};
  for (int i = 0; i < 6; ++i) {
    const Vector3<double> axis = unit3<double>(i % 3);
    builder.add_body({.name = names[i],
                      .parent = parent,
                      .joint = joint::Revolute(axis),
                      .placement = {identity3<double>(), offset},
                      .inertia = {1.5, com, Vector3<double>(0.1, 0.2, 0.25).asDiagonal()}});
    chain.addSegment(KDL::Segment(
        names[i], KDL::Joint(names[i], placement, {axis[0], axis[1], axis[2]}, KDL::Joint::RotAxis),
        KDL::Frame(placement),
        KDL::RigidBodyInertia(1.5, {com[0], com[1], com[2]}, KDL::RotationalInertia(0.1, 0.2, 0.25, 0, 0, 0))));
    parent = names[i];
  }
  const Model<double> model = builder.build();
  Data<double> data(model);
  const auto& hand = model.body("six");
  const interop::Conversion c(model, interop::kdl);
  const VectorXd q = random_vector<double>(6, 1), v = random_vector<double>(6, 2), a = random_vector<double>(6, 3);
  KDL::JntArray their_q(6), their_v(6), their_a(6), result(6);
  their_q.data = q, their_v.data = v, their_a.data = a;

  KDL::Frame frame;
  KDL::ChainFkSolverPos_recursive(chain).JntToCart(their_q, frame);
  forward_kinematics<double>(model, data, q);
  const Pose<double> pose = body_pose(model, data, hand);
  for (int i = 0; i < 3; ++i) {
    CHECK(std::abs(pose.translation[i] - frame.p[i]) < rounding);
    for (int j = 0; j < 3; ++j) CHECK(std::abs(pose.rotation(i, j) - frame.M(i, j)) < rounding);
  }
  KDL::Jacobian their_J(6);
  KDL::ChainJntToJacSolver(chain).JntToJac(their_q, their_J);
  MatrixXd J(6, 6);
  body_jacobian<double>(model, data, {hand, ReferenceFrame::world_aligned}, J);
  CHECK(relative_error(c.jacobian_to(q, J), their_J.data) < rounding);

  KDL::ChainDynParam dynamics(chain, {0, 0, -9.81});
  KDL::JntSpaceInertiaMatrix M(6);
  dynamics.JntToMass(their_q, M);
  CHECK(relative_error(crba<double>(model, data, q), M.data) < rounding);
  dynamics.JntToGravity(their_q, result);
  CHECK(relative_error(generalized_gravity<double>(model, data, q), result.data) < rounding);
  dynamics.JntToCoriolis(their_q, their_v, result);
  CHECK(relative_error(coriolis_product(model, data, q, v, v), result.data) < rounding);
  KDL::ChainIdSolver_RNE(chain, {0, 0, -9.81})
      .CartToJnt(their_q, their_v, their_a, KDL::Wrenches(chain.getNrOfSegments()), result);
  CHECK(relative_error(rnea<double>(model, data, q, v, a), result.data) < rounding);

  // Both reach the pose; not always in the same configuration, as there are several.
  const VectorXd start = q + 0.1 * v;
  KDL::JntArray their_start(6);
  their_start.data = start;
  KDL::ChainIkSolverPos_LMA(chain).CartToJnt(their_start, frame, result);
  const auto found = inverse_kinematics<double>(model, data, {{hand, pose}}, start);
  REQUIRE(found.reached);
  for (const VectorXd& x : {VectorXd(result.data), found.q}) {
    forward_kinematics<double>(model, data, x);
    CHECK((body_pose(model, data, hand).translation - pose.translation).norm() < 1e-4);  // KDL's default tolerance
  }
}

}  // namespace coming_from_test
#endif
