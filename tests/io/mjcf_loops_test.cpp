#include "support/catch.hpp"
#include "support/solve.hpp"

// Compares loops of MJCF files with MuJoCo.

#include "corio/io/mjcf.hpp"

TEST_CASE("mjcf: equalities find their sites and bodies, whatever else has such a name") {
  const std::string inertial = "<inertial pos='.1 .02 -.1' mass='1.2' diaginertia='.02 .03 .025'/>";
  const std::string bodies =
      "<mujoco><worldbody><body name='leg_1'><joint name='i'/>" + inertial +
      "<site name='tip' pos='1 0 0'/><site name='tip_site' pos='2 0 0'/><site name='leg_2' pos='3 0 0'/></body>"
      "<body name='leg_2'><joint name='j'/>" +
      inertial + "<site name='end'/></body></worldbody><equality>";
  const auto loops = [&](const std::string& equality) {
    return corio::mjcf::parse(bodies + equality + "</equality></mujoco>").loops();
  };
  CHECK(loops("<connect site1='tip' site2='end'/>")[0].first == "tip");
  CHECK(loops("<connect site1='leg_2' site2='end'/>")[0].first == "leg_2_site");
  CHECK(loops("<connect name='leg' body1='leg_1' body2='leg_2' anchor='0 0 1'/>")[0].first == "leg_1_");
  CHECK_THROWS_AS(loops("<connect body1='tip' body2='leg_2' anchor='0 0 1'/>"), corio::ModelError);
  CHECK_THROWS_AS(loops("<joint joint1='x'/>"), corio::ModelError);

  // Without polycoef the two joints move as one.
  const auto coupled = loops("<joint joint1='i' joint2='j'/>")[0];
  REQUIRE(coupled.terms.size() == 2);
  CHECK(coupled.terms[0].factor == -coupled.terms[1].factor);
  CHECK(coupled.offset == 0.0);

  // Coefficients that are not given have the values in "0 1 0 0 0"; without a second joint only the first counts.
  const auto shifted = loops("<joint joint1='i' joint2='j' polycoef='.5'/><joint joint1='i' polycoef='.5 1 2'/>");
  REQUIRE(shifted.size() == 2);
  CHECK(shifted[0].terms.size() == 2);
  CHECK(shifted[0].offset == 0.5);
  CHECK(shifted[1].terms.size() == 1);

  // Generated names avoid the given names.
  const auto named = loops("<joint name='equality1' joint1='i'/><joint joint1='j'/>");
  CHECK(named[0].name == "equality1");
  CHECK(named[1].name == "equality1_");
}

TEST_CASE("mjcf: equalities have what their default class says") {
  const auto model = [](const std::string& main, const std::string& still) {
    return corio::mjcf::parse(
        "<mujoco><default><equality " + main + "/><default class='still'><equality " + still +
        "/></default></default><worldbody><body><joint name='i'/><geom size='1'/><body><joint name='j'/><geom "
        "size='1'/>"
        "</body></body></worldbody><equality><joint name='a' joint1='i'/><joint name='b' class='still' joint1='j'/>"
        "<joint name='c' class='still' joint1='i' joint2='j' active='true'/></equality></mujoco>");
  };
  const auto names = [&](const std::string& main, const std::string& still) {
    const auto built = model(main, still);
    std::string all;
    for (const auto& loop : built.loops()) all += loop.name;
    return all;
  };
  CHECK(names("", "") == "abc");
  CHECK(names("", "active='false'") == "ac");
  CHECK(names("active='false'", "") == "c");
  CHECK(names("active='false'", "active='true'") == "bc");
  CHECK(model("", "active='false'").notes().size() == 1);
}

TEST_CASE("mjcf: a note says why an equality is no loop") {
  const auto note = [](const std::string& equality) {
    const auto model = corio::mjcf::parse(
        "<mujoco><worldbody><body><joint name='i'/><geom size='1'/><body><joint name='j'/><geom "
        "size='1'/></body></body>"
        "</worldbody><equality>" +
        equality + "</equality></mujoco>");
    CHECK(model.loops().empty());
    REQUIRE(model.notes().size() == 1);
    return model.notes()[0].found;
  };
  CHECK(note("<joint joint1='i' joint2='j' polycoef='0 1 0.2 0 0'/>").starts_with("polycoef has degree 2"));
  CHECK(note("<joint joint1='i' joint2='j' polycoef='0 1 0 0 1'/>").starts_with("polycoef has degree 4"));
  CHECK(note("<tendon tendon1='x'/>").find("<tendon>") != std::string::npos);
  CHECK(note("<flex flex='x'/>").find("<flex>") != std::string::npos);
  CHECK(note("<joint joint1='i' active='false'/>") == "is not active");
}

TEST_CASE("mjcf: errors of equalities name the line, also those found when the model is built") {
  const auto message = [](const std::string& equality) -> std::string {
    try {
      corio::mjcf::parse(
          "<mujoco><worldbody><body name='a'><joint name='i'/><geom size='1'/><body name='b'>"
          "<joint name='j' type='ball'/><geom size='1'/></body></body></worldbody>\n<equality>" +
          equality + "</equality></mujoco>");
    } catch (const corio::ModelError& error) {
      return error.what();
    }
    return "(no ModelError)";
  };
  const auto named = [&](const std::string& equality, const char* what) {
    const std::string text = message(equality);
    INFO(text);
    return text.starts_with("MJCF text: line 2: ") && text.find(what) != text.npos;
  };
  CHECK(named("<joint name='x' joint1='j'/>", "must have one coordinate"));
  CHECK(named("<joint name='x' joint1='i' joint2='i'/>", "twice"));
  CHECK(named("<joint name='x' joint1='i' polycoef='1e200'/>", "offset"));
  CHECK(named("<joint joint1='i' class='none'/>", "not a class"));
  CHECK(named("<connect name='x' body1='a' body2='b' anchor='1e200 0 0'/>", "'x_1'"));
  CHECK(named("<joint name='x' joint1='i'/><joint name='x' joint1='j'/>", "another equality"));
  CHECK(named("<joint name='' joint1='i'/>", "empty"));
  CHECK(message("<weld name='x' body1='a' relpose='0 0 0 1e300 0 0 0'/>") == "(no ModelError)");
  CHECK(message("<weld name='x' body1='a' relpose='0 0 0 0 1e-200 0 0'/>") == "(no ModelError)");
}

#ifdef CORIO_TEST_MUJOCO

#include "corio/kinematics/configuration.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "io/mjcf_mujoco.hpp"

using namespace corio;
using namespace corio::test;

TEST_CASE("mjcf: equalities restrict motions as in MuJoCo", "[mujoco]") {
  const std::string inertial = "<inertial pos='.1 .02 -.1' mass='1.2' diaginertia='.02 .03 .025'/>";
  // The constraints are as hard as MuJoCo allows: its accelerations err by about 1e-4 of the constraints' effect.
  const std::string hard = " solref='0.004 1' solimp='0.9999 0.9999 0.001'";
  const std::string text =
      "<mujoco><compiler angle='radian'/><option solver='Newton' tolerance='1e-14' iterations='200'/><worldbody>"
      "<body name='a' pos='0 0 1'><joint name='a' axis='0 1 0' ref='.2'/>" +
      inertial + "<body name='b' pos='.5 0 0'><joint name='b' type='ball'/>" + inertial +
      "<site name='tip' pos='.4 .1 0'/></body></body>"
      "<body name='c' pos='1 .2 .8'><joint name='c' axis='0 1 0.3'/>" +
      inertial + "<body name='d' pos='0 0 -.3'><joint name='d' axis='1 0 0' ref='-.1'/>" + inertial +
      "</body></body>"
      "<body name='e' pos='.2 1 0'><freejoint/>" +
      inertial +
      "</body>"
      "<body name='f' pos='-.2 1 0'><freejoint/>" +
      inertial +
      "</body></worldbody><equality>"
      "<connect name='ball' body1='b' body2='c' anchor='.45 .1 0'" +
      hard +
      "/>"
      "<joint name='gear' joint1='d' joint2='a' polycoef='.05 -1.5 0 0 0'" +
      hard +
      "/>"
      "<weld name='tie' body1='e' body2='f'" +
      hard +
      "/>"
      "<weld name='held' body1='e' relpose='.1 0 .2 .9 .1 .3 0'" +
      hard +
      "/>"
      "<joint joint1='c' joint2='a' polycoef='0 1 2 0 0'/></equality></mujoco>";
  const TemporaryFile file(text, "equalities.xml");
  const auto read = mjcf::read(file.path());
  const auto model = read.builder.build();
  CHECK(model.loops().size() == 4);
  CHECK(std::ranges::count_if(model.notes(), [](auto& n) { return n.found.starts_with("polycoef has degree 2"); }) ==
        1);

  Loops<double> loops(model);
  Data<double> data(model);
  const auto q0 = mjcf::detail::reference_configuration(model, read.qpos0);
  const auto assembly = assemble<double>(model, data, loops, q0);
  REQUIRE(assembly.closed);
  // The weld at qpos0, the connect and the gear without offset are closed there; the other weld is not.
  Eigen::VectorXd k(loops.rows());
  constraint_residual<double>(model, forward_kinematics(model, data, q0), loops, k);
  CHECK(k.head(3).norm() < 1e-12);
  CHECK(std::abs(std::abs(k[3]) - 0.05) < 1e-12);
  CHECK(k.segment(4, 6).norm() < 1e-12);
  CHECK(k.tail(6).norm() > 0.1);

  Mujoco mujoco(file.path());
  mujoco.model->eq_active[4] = 0;
  const auto& q = assembly.q;
  for (int i = 0, at = 0; i < mujoco.model->njnt; ++i) {
    const Joint& joint = model.joints()[static_cast<std::size_t>(i)];
    for (int j = 0; j < joint.nq(); ++j) mujoco.data->qpos[at + j] = q[joint.q_index() + j];
    if (joint.nq() >= 4) {  // w first
      const int w = at + joint.nq() - 4;
      for (int j = 0; j < 4; ++j) mujoco.data->qpos[w + (j + 1) % 4] = q[joint.q_index() + joint.nq() - 4 + j];
    }
    at += joint.nq();
  }
  mj_forward(mujoco.model, mujoco.data);
  const int rows = mujoco.data->nefc, n = mujoco.model->nv;
  REQUIRE(rows == loops.rows());
  REQUIRE_FALSE(mj_isSparse(mujoco.model));
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd J = Eigen::Map<const RowMajor>(mujoco.data->efc_J, rows, n);
  CHECK(Eigen::Map<const Eigen::VectorXd>(mujoco.data->efc_pos, rows).norm() < 1e-9);

  // MuJoCo's v for free joints is linear in world axes, then angular in body axes.
  const Mechanism<double> mechanism(model, loops, q);
  MechanismData<double> motion(mechanism);
  Eigen::MatrixXd L = Eigen::MatrixXd::Identity(n, n);
  for (const Joint& joint : model.joints())
    if (joint.nv() == 6) {
      const int v = joint.v_index();
      L.block(v, v, 6, 6).setZero();
      L.block(v, v + 3, 3, 3) = rotation_from_quaternion<double>(q.segment<4>(joint.q_index() + 3));
      L.block(v + 3, v, 3, 3).setIdentity();
    }
  for (int j = 0; j < mechanism.nv(); ++j) {
    forward_kinematics<double>(mechanism, motion, q, Eigen::VectorXd::Unit(mechanism.nv(), j));
    const Eigen::VectorXd v = motion.tree.v;
    CHECK((J * L * v).norm() < 1e-10 * J.norm() * v.norm());
  }
  CHECK(test::rank(J, 1e-9) == n - mechanism.nv());

  // Starts from rest, because MuJoCo leaves out the term of dJ/dt.
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(n);
  const auto& a = constrained_forward_dynamics<double>(model, data, loops, q, none, none).a;
  const Eigen::VectorXd theirs = Eigen::Map<const Eigen::VectorXd>(mujoco.data->qacc, n);
  CHECK((L * a - theirs).norm() < 1e-3 * theirs.norm());
}
#endif
