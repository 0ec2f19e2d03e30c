#include "corio/interop/conversion.hpp"
#include "corio/io/mjcf.hpp"
#include "corio/loops/constraint_jacobian.hpp"
#include "io/rejection.hpp"
#include "support/catch.hpp"

// Checks where equalities of MJCF are closed: every combination of bodies, sites, the world, anchors and relative
// poses, compared with plain arithmetic on the poses of the two bodies, and with MuJoCo.

namespace equality_test {

using namespace corio;

constexpr const char* anchor = " anchor='0.15 -0.25 0.35'";
constexpr const char* relpose = " relpose='0.2 0.1 -0.3 0.8 0.3 -0.1 0.2'";
constexpr const char* zero_relpose = " relpose='0.2 0.1 -0.3 0 0 0 0'";
const Vector3<double> of_anchor(0.15, -0.25, 0.35), of_relpose(0.2, 0.1, -0.3);

/// Two free bodies, a and b, with sites; a hinge and a slide with reference positions.
std::string model_with(const std::string& equalities) {
  return R"(<mujoco><compiler angle="radian"/><worldbody>
    <site name="s0" pos="0.3 0.2 0.1" euler="0.2 0 0.5"/>
    <body name="a" pos="0.1 0.2 1" euler="0.3 -0.2 0.5"><freejoint/><geom size="0.05"/>
      <site name="sa" pos="0.1 -0.2 0.3" euler="0.5 0.1 0"/></body>
    <body name="b" pos="0.6 -0.1 0.8" euler="-0.4 0.7 0.1"><freejoint/><geom size="0.05"/>
      <site name="sb" pos="-0.3 0.1 0.2" euler="0 0.3 -0.6"/></body>
    <body name="h" pos="0 1 0"><joint name="h" axis="0 0 1" ref="0.3"/><geom size="0.05" pos="0.1 0 0"/>
      <body name="i" pos="0.3 0 0"><joint name="i" type="slide" axis="1 0 0" ref="-0.2"/><geom size="0.05"/></body></body>
  </worldbody><equality>)" +
         equalities + "</equality></mujoco>";
}
/// The coordinates are in MuJoCo's order: both bodies moved, and the two joints.
const std::vector<double> moved{0.4, -0.3, 0.9, 0.9, 0.1, -0.3, 0.2, 0.2, 0.5, 0.7, 0.8, -0.2, 0.4, 0.1, 0.7, 0.15};

/// How far an equality is open: the distance of two points, or of one coordinate, and the angle between two frames,
/// which is zero if it is free.
struct Open {
  double distance = 0, angle = 0;
};

/// Returns the only loop of the model at `moved`.
Open found(const std::string& equality) {
  const auto model = mjcf::parse(model_with(equality));
  Data<double> data(model);
  const Eigen::Map<const VectorX<double>> qpos(moved.data(), std::ssize(moved));
  forward_kinematics<double>(model, data, interop::Conversion<double>(model, interop::mujoco).q_from(qpos));
  const Loops<double> loops(model);
  VectorX<double> k(loops.rows());
  constraint_residual<double>(model, data, loops, k);
  Open open{k.head(std::min<Eigen::Index>(3, k.size())).norm(), 0};
  if (loops.rows() == 6) {
    const auto& frames = loops.all()[0].frames;
    const Matrix3<double> turn =
        body_pose(model, data, frames[0]).rotation.transpose() * body_pose(model, data, frames[1]).rotation;
    open.angle = std::acos(std::clamp((turn.trace() - 1) / 2, -1.0, 1.0));
  }
  return open;
}

/// The poses of a and b, of their sites and of the world, at qpos0 and at `moved`.
struct Poses {
  std::map<std::string, Pose<double>> of;

  explicit Poses(bool at_rest) {
    const auto file = mjcf::read_text(model_with(""));
    const auto model = file.builder.build();
    Data<double> data(model);
    const auto& q = at_rest ? file.qpos0 : moved;
    forward_kinematics<double>(model, data,
                               interop::Conversion<double>(model, interop::mujoco)
                                   .q_from(Eigen::Map<const VectorX<double>>(q.data(), std::ssize(q))));
    for (const char* name : {"a", "b", "s0", "sa", "sb"}) of[name] = body_pose(model, data, model.frame(name));
    of["world"] = Pose<double>::identity();
  }
};
Open between(const Pose<double>& X, const Pose<double>& Y) {
  const Matrix3<double> turn = X.rotation.transpose() * Y.rotation;
  return {(X.translation - Y.translation).norm(), std::acos(std::clamp((turn.trace() - 1) / 2, -1.0, 1.0))};
}

}  // namespace equality_test

TEST_CASE("mjcf: a weld holds the anchor of body2 where relpose says in body1, or where it is at qpos0") {
  using namespace equality_test;
  const Poses rest(true), now(false);
  const std::pair<const char*, const char*> bodies[] = {{"a", "b"},     {"b", "a"},     {"a", "world"},
                                                        {"world", "b"}, {"a", nullptr}, {"a", ""}};
  const Pose<double> given{rotation_from_quaternion<double>(Quaternion<double>(0.3, -0.1, 0.2, 0.8)), of_relpose};
  int tried = 0;
  for (const auto& [first, second] : bodies)
    for (const char* relative : {"", relpose, zero_relpose})
      for (const char* point : {"", anchor}) {
        const std::string text = "<weld body1='" + std::string(first) + "'" +
                                 (second ? " body2='" + std::string(second) + "'" : "") + relative + point + "/>";
        CAPTURE(text);
        const std::string other = second && *second ? second : "world";
        const Pose<double> on_second{identity3<double>(), *point ? of_anchor : zero3<double>()};
        const Pose<double> on_first =
            relative == std::string(relpose) ? given : rest.of.at(first).inverse() * rest.of.at(other) * on_second;
        const Open expected = between(now.of.at(first) * on_first, now.of.at(other) * on_second), open = found(text);
        CHECK(expected.distance > 0.1);
        CHECK(open.distance == Approx(expected.distance).epsilon(1e-12));
        CHECK(open.angle == Approx(expected.angle).epsilon(1e-12));
        ++tried;
      }
  CHECK(tried == 36);
  // Without torque the directions are free, and the anchor remains.
  const std::string both = std::string("<weld body1='a' body2='b'") + relpose + anchor;
  CHECK(found(both + " torquescale='0'/>").angle == 0.0);
  CHECK(found(both + " torquescale='0'/>").distance == found(both + "/>").distance);
  CHECK(found(both + " torquescale='0.1'/>").angle == found(both + "/>").angle);
}

TEST_CASE("mjcf: a connect holds the anchor of body1 where it is at qpos0; sites meet as they are") {
  using namespace equality_test;
  const Poses rest(true), now(false);
  for (const auto& [first, second] :
       {std::pair{"a", "b"}, std::pair{"b", "a"}, std::pair{"a", "world"}, std::pair{"world", "b"}}) {
    const std::string ends = "body1='" + std::string(first) + "' body2='" + second + "'";
    CAPTURE(ends);
    const Pose<double> at{identity3<double>(), of_anchor};
    const Pose<double> there = rest.of.at(second).inverse() * rest.of.at(first) * at;
    const Open expected = between(now.of.at(first) * at, now.of.at(second) * there);
    CHECK(found("<connect " + ends + anchor + "/>").distance == Approx(expected.distance).epsilon(1e-12));
  }
  CHECK(found(std::string("<connect body1='a'") + anchor + "/>").distance ==
        found(std::string("<connect body1='a' body2='world'") + anchor + "/>").distance);
  for (const auto& [first, second] : {std::pair{"sa", "sb"}, std::pair{"s0", "sb"}, std::pair{"sb", "s0"}}) {
    const std::string ends = "site1='" + std::string(first) + "' site2='" + second + "'/>";
    CAPTURE(ends);
    const Open expected = between(now.of.at(first), now.of.at(second));
    CHECK(found("<connect " + ends).distance == Approx(expected.distance).epsilon(1e-12));
    CHECK(found("<weld " + ends).distance == Approx(expected.distance).epsilon(1e-12));
    CHECK(found("<weld " + ends).angle == Approx(expected.angle).epsilon(1e-12));
  }
}

TEST_CASE("mjcf: a joint equality counts from the reference positions of both joints") {
  using namespace equality_test;
  const double h = 0.7 - 0.3, i = 0.15 + 0.2;  // how far each joint moved
  const auto row = [](const std::string& attributes) { return found("<joint " + attributes + "/>").distance; };
  CHECK(row("joint1='h'") == Approx(std::abs(h)).epsilon(1e-12));
  CHECK(row("joint1='h' joint2=''") == Approx(std::abs(h)).epsilon(1e-12));
  CHECK(row("joint1='h' joint2='i'") == Approx(std::abs(h - i)).epsilon(1e-12));
  CHECK(row("joint1='h' joint2='i' polycoef='0.1 2'") == Approx(std::abs(h - 0.1 - 2 * i)).epsilon(1e-12));
  CHECK(row("joint1='i' polycoef='0.1 2 3 4 5'") == Approx(std::abs(i - 0.1)).epsilon(1e-12));
}

TEST_CASE("mjcf: an equality joins two bodies or two sites") {
  using namespace equality_test;
  const auto says = [](const std::string& equality, std::initializer_list<const char*> parts) {
    return test::rejection_of([&] { mjcf::parse(model_with("\n" + equality)); }, parts);
  };
  for (const std::string given : {"body1='a'", "body2='a'", "anchor='0 0 0'", "relpose='0 0 0 1 0 0 0'"}) {
    CAPTURE(given);
    const std::string key = given.substr(0, given.find('='));
    CHECK(says("<weld site1='sa' site2='sb' " + given + "/>", {"<weld>", "joins sites", key.c_str()}) == "rejected");
  }
  CHECK(says("<connect body1='a' anchor='0 0 0' site2='sb'/>", {"<connect>", "joins sites"}) == "rejected");
  CHECK(says("<connect site1='sa'/>", {"site2=''", "not a site"}) == "rejected");
  CHECK(says("<connect body1='a'/>", {"needs the attribute anchor"}) == "rejected");
  CHECK(says("<weld/>", {"body1=''", "not a body"}) == "rejected");
  CHECK(says("<weld body1='a' body2='a'/>", {"joins a with itself"}) == "rejected");
  CHECK(says("<weld body1='world'/>", {"joins the world with itself"}) == "rejected");
  CHECK(says("<connect body1='a' body2='z' anchor='0 0 0'/>", {"body2='z'", "not a body"}) == "rejected");
  CHECK(says("<weld body1='a' relpose='1 2 3'/>", {"relpose='1 2 3'", "7 finite numbers"}) == "rejected");
}

#ifdef CORIO_TEST_MUJOCO

#include "io/mjcf_mujoco.hpp"

TEST_CASE("mjcf: equalities of bodies are closed where MuJoCo closes them", "[mujoco]") {
  using namespace equality_test;
  for (const char* ends : {"body1='a' body2='b'", "body1='b' body2='a'", "body1='a'", "body1='world' body2='b'"}) {
    std::vector<std::string> all{"<connect " + std::string(ends) + anchor + "/>"};
    for (const char* relative : {"", relpose, zero_relpose})
      for (const char* point : {"", anchor}) all.push_back("<weld " + std::string(ends) + relative + point + "/>");
    for (const std::string& equality : all) {
      CAPTURE(equality);
      const test::TemporaryFile file(model_with(equality), "equality.xml");
      test::Mujoco mujoco(file.path());
      std::ranges::copy(moved, mujoco.data->qpos);
      mj_normalizeQuat(mujoco.model, mujoco.data->qpos);
      mj_fwdPosition(mujoco.model, mujoco.data);
      const Eigen::Map<const VectorX<double>> k(mujoco.data->efc_pos, mujoco.data->nefc);
      const Open open = found(equality);
      CHECK(open.distance == Approx(k.head(3).norm()).epsilon(1e-10));
      // Compares with the vector part of a quaternion.
      if (k.size() == 6) CHECK(std::sin(open.angle / 2) == Approx(k.tail(3).norm()).epsilon(1e-10));
    }
  }
}

#endif
