#include "io/mjcf_models.hpp"
#include "support/catch.hpp"

// Compares with MuJoCo, an independent program and the authority on the meaning of these files.

#ifdef CORIO_TEST_MUJOCO

#include "io/mjcf_mujoco.hpp"
#include "io/mjcf_random.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Both compute in double: chains of some ten products leave differences of some 1e-14, and orientations that a file
/// gives with few digits cost some more. A wrong term shows as 1e-3 or more.
constexpr double tolerance_to_mujoco = 1e-9;
/// For full inertias and for several geoms, MuJoCo searches principal axes by turns, and stops at a turn whose cosine
/// is within 1e-12 of one: an angle of 1.4e-6, which enters M with the difference of two moments.
constexpr double tolerance_of_axes = 5e-6;

Differences differences(const std::string& text, unsigned seed = 1) {
  const TemporaryFile file(text, "model.xml");
  Mujoco mujoco(file.path());
  return compare(mjcf::read(file.path()), mujoco, 5, seed);
}

}  // namespace

TEST_CASE("mjcf: poses, mass matrix, bias and passive forces are MuJoCo's for every feature", "[mujoco]") {
  for (const auto& [name, text, oblique] : mjcf_models()) {
    CAPTURE(name);
    const Differences found = differences(text);
    const double tolerance = oblique ? tolerance_of_axes : tolerance_to_mujoco;
    CHECK(found.poses < tolerance_to_mujoco);
    CHECK(found.mass < tolerance);
    CHECK(found.bias < tolerance);
    CHECK(found.passive < tolerance_to_mujoco);
    CHECK(found.constants < tolerance_to_mujoco);
  }
}

TEST_CASE("mjcf: all sequences of Euler angles are MuJoCo's", "[mujoco]") {
  for (const std::string sequence : {"xyz", "XYZ", "zyx", "ZYX", "zXy", "xyx", "YzX", "zzZ"}) {
    CAPTURE(sequence);
    CHECK(differences("<mujoco><compiler eulerseq=\"" + sequence +
                      "\"/><worldbody><body name=\"a\" euler=\"20 -50 110\"><joint axis=\"1 0 0\"/>"
                      "<geom type=\"box\" size=\".1 .2 .3\" pos=\".5 .3 0\" euler=\"10 25 -70\"/></body>"
                      "</worldbody></mujoco>")
              .largest() < tolerance_to_mujoco);
  }
}

TEST_CASE("mjcf: random trees of all joints, classes and orientations move as in MuJoCo", "[mujoco]") {
  for (unsigned seed = 1; seed <= 80; ++seed) {
    const bool oblique = seed > 40;
    const std::string text = random_mjcf(seed, oblique);
    CAPTURE(seed, text);
    CHECK(differences(text, seed).largest() < (oblique ? tolerance_of_axes : tolerance_to_mujoco));
  }
}

TEST_CASE("mjcf: friction of a free joint differs from MuJoCo's in what its note says, that of a ball does not",
          "[mujoco]") {
  const std::string geom = "<geom type='box' size='.1 .2 .3'/>";
  const TemporaryFile file("<mujoco><option gravity='0 0 0'/><worldbody><body><joint type='free' frictionloss='0.5'/>" +
                               geom + "</body><body><joint type='ball' frictionloss='0.7'/>" + geom +
                               "</body></worldbody></mujoco>",
                           "model.xml");
  Mujoco mujoco(file.path());
  mjData& d = *mujoco.data;
  const Model<double> model = mjcf::load(file.path());
  REQUIRE(model.notes().size() == 1);
  Data<double> data(model);
  const interop::Conversion<double> conversion(model, interop::mujoco);
  std::mt19937 random(3);
  const auto number = [&random] { return static_cast<double>(random()) / 2147483648.0 - 1.0; };
  for (int state = 0; state < 5; ++state) {
    for (int k = 0; k < mujoco.model->nq; ++k) d.qpos[k] = number();
    for (int k = 0; k < mujoco.model->nv; ++k) d.qvel[k] = number() < 0 ? -2 + number() : 2 + number();  // it slips
    mj_normalizeQuat(mujoco.model, d.qpos);
    mj_forward(mujoco.model, &d);
    const Eigen::Map<const VectorX<double>> theirs(d.qfrc_constraint, 9), qpos(d.qpos, 11), qvel(d.qvel, 9);
    const VectorX<double> q = conversion.q_from(qpos), v = conversion.v_from(q, qvel);
    const VectorX<double> ours = passive_forces<double>(model, data, q, v, 0.0);
    const Matrix3<double> R = rotation_from_quaternion<double>(q.segment<4>(3));
    // The vector is [angular; linear] in body axes; in MuJoCo it is linear in world axes, then angular in body axes.
    CHECK((ours.head(3) - theirs.segment(3, 3)).norm() < 1e-12);
    CHECK((ours.tail(3) - theirs.tail(3)).norm() < 1e-12);
    const Vector3<double> along_world = -0.5 * qvel.head<3>().cwiseSign(),
                          along_body = -0.5 * v.segment<3>(3).cwiseSign();
    CHECK((theirs.head(3) - along_world).norm() < 1e-12);
    CHECK((ours.segment(3, 3) - along_body).norm() < 1e-12);
    CHECK((R * along_body - along_world).norm() > 1e-3);
  }
}

TEST_CASE("mjcf: what is included means what it means in MuJoCo", "[mujoco]") {
  const TemporaryFile joints("<mujocoinclude><joint name=\"j\" axis=\"1 0 0\"/></mujocoinclude>", "joints.xml");
  const TemporaryFile body("<mujocoinclude><body name=\"b\"><include file=\"" + joints.path().filename().string() +
                               "\"/><geom size=\"0.2\" pos=\"0 1 0\"/></body></mujocoinclude>",
                           "body.xml");
  const TemporaryFile defaults(
      "<mujocoinclude><compiler angle=\"radian\"/><default><joint damping=\"3\" ref=\"1\"/></default></mujocoinclude>",
      "defaults.xml");
  CHECK(differences("<mujoco><include file=\"" + defaults.path().filename().string() +
                    "\"/><worldbody><include file=\"" + body.path().filename().string() + "\"/></worldbody></mujoco>")
            .largest() < tolerance_to_mujoco);
}

#endif
