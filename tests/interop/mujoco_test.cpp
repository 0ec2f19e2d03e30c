#include "support/catch.hpp"

// The results of MuJoCo in its coordinates equal corio's after conversion.

#ifdef CORIO_TEST_MUJOCO

#include <mujoco/mujoco.h>

#include "corio/corio.hpp"
#include "corio/interop.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"
#include "support/temporary_file.hpp"

using namespace corio;
using namespace corio::test;

namespace {

constexpr const char* inertial = "<inertial pos='0.1 0.05 -0.2' mass='1.5' diaginertia='0.1 0.2 0.25'/>";
constexpr const char* head = "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody>";

/// Describes the same robot in MuJoCo's format.
std::string description() {
  const std::string i = inertial;
  return std::string(head) + "<body name='base'>" + i + "<joint name='base' type='free'/>" +
         "<body name='thigh' pos='0.1 0.2 -0.1'>" + i + "<joint name='thigh' type='ball'/>" +
         "<body name='shin' pos='0.1 0.2 -0.1'>" + i + "<joint name='shin' type='hinge' axis='0 1 0'/></body></body>" +
         "<body name='arm' pos='-0.1 0.2 0.3'>" + i + "<joint name='arm' type='slide' axis='1 0 0'/></body></body>" +
         "<body name='cart' pos='1 0 0'>" + i + "<joint type='slide' axis='1 0 0'/><joint type='slide' axis='0 1 0'/>" +
         "<joint type='hinge' axis='0 0 1'/></body></worldbody></mujoco>";
}

Model<double> robot() {
  ModelBuilder<double> builder("robot");
  const auto add = [&](const char* name, const char* parent, const joint::JointSpec<double>& joint,
                       const Vector3<double>& at) {
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = joint,
                      .placement = {identity3<double>(), at},
                      .inertia = {1.5, {0.1, 0.05, -0.2}, Vector3<double>(0.1, 0.2, 0.25).asDiagonal()}});
  };
  add("base", "", joint::FreeFlyer{}, {0, 0, 0});
  add("thigh", "base", joint::Spherical{}, {0.1, 0.2, -0.1});
  add("shin", "thigh", joint::Revolute::y(), {0.1, 0.2, -0.1});
  add("arm", "base", joint::Prismatic::x(), {-0.1, 0.2, 0.3});
  add("cart", "", joint::Planar{}, {1, 0, 0});
  return builder.build();
}

struct Mujoco {
  Mujoco() {
    const TemporaryFile file(description(), "robot.xml");
    char error[1000] = "";
    m = mj_loadXML(file.path().c_str(), nullptr, error, sizeof error);
    if (!m) throw Error(error);
    d = mj_makeData(m);
  }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;
  ~Mujoco() { mj_deleteData(d), mj_deleteModel(m); }
  Vectord of(const mjtNum* x) const { return Eigen::Map<const Vectord>(x, m->nv); }
  mjModel* m;
  mjData* d;
};

}  // namespace

TEST_CASE("MuJoCo's dynamics are corio's, converted", "[interop][mujoco]") {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int seed = GENERATE(1, 2, 3);
  const auto model = robot();
  const interop::Conversion c(model, interop::mujoco);
  Data<double> data(model);
  Mujoco mujoco;
  mjData* const d = mujoco.d;
  REQUIRE(c.nq() == mujoco.m->nq);
  REQUIRE(c.nv() == mujoco.m->nv);
  std::mt19937 generator(static_cast<std::uint32_t>(seed));
  const Vectord q = random_configuration(model, generator);
  const Vectord v = random_vector<double>(model.nv(), seed), tau = random_vector<double>(model.nv(), seed + 9);
  const auto copy = [](const Vectord& x, mjtNum* to) { std::copy(x.begin(), x.end(), to); };
  copy(c.q_to(q), d->qpos), copy(c.v_to(q, v), d->qvel), copy(c.tau_to(q, tau), d->qfrc_applied);
  mj_forward(mujoco.m, d);

  // These are single operations; MuJoCo's inertias go through files with 17 digits and its own normalisation of
  // quaternions.
  constexpr double limit = 1e-10;
  const Vectord a = aba(model, data, q, v, tau);
  CHECK(relative_error(c.a_to(q, v, a), mujoco.of(d->qacc)) < limit);
  CHECK(relative_error(c.a_from(q, v, mujoco.of(d->qacc)), a) < limit);
  CHECK(relative_error(c.q_from(Eigen::Map<const Vectord>(d->qpos, mujoco.m->nq)), q) < limit);
  RowMajor M(model.nv(), model.nv());
  mj_fullM(mujoco.m, M.data(), d->qM);
  CHECK(relative_error(c.M_to(q, crba(model, data)), M) < limit);
  // MuJoCo's bias is for zero qacc, not for a zero rate of corio's v.
  const Vectord still = c.a_from(q, v, Vectord::Zero(model.nv()));
  CHECK(relative_error(c.tau_to(q, rnea(model, data, q, v, still)), mujoco.of(d->qfrc_bias)) < limit);
  for (const auto& body : model.bodies()) {
    RowMajor linear(3, model.nv()), angular(3, model.nv());
    mj_jacBody(mujoco.m, d, linear.data(), angular.data(), mj_name2id(mujoco.m, mjOBJ_BODY, body.name().c_str()));
    Matrixd J(6, model.nv()), theirs(6, model.nv());
    body_jacobian(model, data, {body, ReferenceFrame::world_aligned}, J);
    theirs << angular, linear;
    CHECK(relative_error(c.jacobian_to(q, J), theirs) < limit);
  }
}

#endif
