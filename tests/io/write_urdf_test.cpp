#include "corio/io/write_urdf.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "corio/corio.hpp"
#include "corio/io/urdf.hpp"
#include "io/urdf_text.hpp"
#include "support/catch.hpp"
#include "support/comma_locale.hpp"
#include "support/model_support.hpp"
#include "support/temporary_file.hpp"

using namespace corio;
using namespace corio::test;
using Eigen::VectorXd;

// Models are written, read back and compared. Numbers survive exactly; rotations pass through roll, pitch and yaw, and
// the dynamics through some ten products, hence the bound.

namespace {

constexpr double bound = 1e-11;

std::vector<std::string> names(const auto& all) {
  std::vector<std::string> result;
  for (const auto& x : all) result.push_back(x.name());
  return result;
}

/// tau, M and C at one state.
double largest_difference(const Model<double>& a, const Model<double>& b) {
  if (a.nq() != b.nq() || a.nv() != b.nv()) return std::numeric_limits<double>::infinity();
  const VectorXd q = random_q(a, 1), v = random_vector<double>(a.nv(), 2), dv = random_vector<double>(a.nv(), 3);
  Data<double> data(a), other(b);
  const auto &x = coriolis_matrix(a, data, q, v), &y = coriolis_matrix(b, other, q, v);
  double worst = std::max(relative_error(x.M, y.M), relative_error(x.C, y.C));
  worst = std::max(worst, relative_error(rnea(a, data, q, v, dv), rnea(b, other, q, v, dv)));
  for (const auto& frame : a.frames())
    worst = std::max(worst, relative_error(frame_pose(a, q, frame), frame_pose(b, q, b.frame(frame.name()))));
  return worst;
}

/// Joints of the types that URDF has, in random places, without what it lacks.
ModelBuilder<double> robot(int seed) {
  Random<double> random(seed);
  ModelBuilder<double> builder("a & \"b\" <c>");
  const std::vector<joint::JointSpec<double>> joints{joint::Revolute(random.direction()), joint::Prismatic({0, -1, 0}),
                                                     joint::Planar(random.direction()),   joint::FreeFlyer(),
                                                     joint::Revolute({0, 0, -3}),         joint::Fixed()};
  int i = 0;
  for (const auto& joint : joints) {
    const std::string name = "link<" + std::to_string(i) + ">";
    builder.add_body(
        {.name = name,
         .parent = i == 0 ? Parent() : Parent("link<" + std::to_string(random.real() > 0 ? i - 1 : 0) + ">"),
         .joint = joint,
         .placement = random.pose(),
         .inertia = InertialParameters<double>(random.inertia())});
    ++i;
  }
  return builder;
}

int count(const std::string& text, const std::string& part) {
  int n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("a model written as URDF is read back", "[io][write_urdf]") {
  const int seed = GENERATE(range(0, 8));
  CAPTURE(seed);
  auto builder = robot(seed);
  builder.add_frame("tip", "link<5>", Random<double>(seed + 100).pose());
  builder.add_frame("wall", Parent(), Random<double>(seed + 200).pose());
  if (seed % 2) builder.add_frame("origin", Parent());
  const auto model = builder.build();
  const std::string text = write_urdf(model);
  const auto again = corio::urdf::parse(text);
  CHECK(again.name() == model.name());
  CHECK(names(again.joints()) == names(model.joints()));
  CHECK(names(again.bodies()) == names(model.bodies()));
  CHECK(again.frames().size() == model.frames().size() + (seed % 2 ? 0 : 1));
  CHECK(again.has_frame("world") == (seed % 2 == 0));
  for (const auto& joint : model.joints()) {
    CHECK(again.joint(joint.name()).type() == joint.type());
    CHECK(relative_error(joint_placement(again, again.joint(joint.name())), joint_placement(model, joint)) < bound);
  }
  for (const auto& body : model.bodies())
    CHECK(relative_error(again.inertia(body.name()).vector(), model.inertia(body).vector()) < bound);
  CHECK(largest_difference(model, again) < bound);
  CHECK(write_urdf(again).size() > 1000);
  CHECK(count(text, "Not part of URDF") == 0);
}

TEST_CASE("the robots of the zoo that float are read back with a free flyer", "[io][write_urdf]") {
  for (const auto& model : {zoo::humanoid(), zoo::quadruped(), zoo::biped()}) {
    const std::string text = write_urdf(model);
    CHECK(count(text, "floating") == 0);
    const auto again = corio::urdf::parse(text, joint::FreeFlyer{});
    CHECK(names(again.joints()) == names(model.joints()));
    CHECK(names(again.frames()) == names(model.frames()));
    CHECK(largest_difference(model, again) < bound);
  }
  // A floating joint that is not the only joint on the ground.
  const auto model = add_frame(zoo::humanoid(), "wall", "", Pose<double>{identity3<double>(), {1, 0, 0}});
  CHECK(largest_difference(model, corio::urdf::parse(write_urdf(model))) < bound);
}

TEST_CASE("files in the examples survive reading and writing", "[io][write_urdf]") {
  const std::string folder = CORIO_EXAMPLES_DIR;
  const auto arm = corio::urdf::load(folder + "/models/arm7.urdf");
  const auto walker = corio::urdf::load(folder + "/models/quadruped.urdf", joint::FreeFlyer{});
  const auto arm_again = corio::urdf::parse(write_urdf(arm)),
             walker_again = corio::urdf::parse(write_urdf(walker), joint::FreeFlyer{});
  CHECK(largest_difference(arm, arm_again) < bound);
  CHECK(largest_difference(walker, walker_again) < bound);
  CHECK(names(arm_again.frames()) == names(arm.frames()));
  CHECK(arm_again.lower_limit() == arm.lower_limit());
  CHECK(arm_again.upper_limit() == arm.upper_limit());
  CHECK(arm_again.velocity_limit() == arm.velocity_limit());
  CHECK(arm_again.effort_limit() == arm.effort_limit());
  CHECK(relative_error(arm_again.ground_inertia().vector(), arm.ground_inertia().vector()) < bound);
}

TEST_CASE("rotations with a pitch of a right angle, or nearly so, keep their digits", "[io][write_urdf]") {
  const double off = GENERATE(0.0, 1e-15, 1e-12, 1e-8, 1e-5, -1e-9);
  const double sign = GENERATE(1.0, -1.0);
  CAPTURE(off, sign);
  Random<double> random(3);
  for (int i = 0; i < 20; ++i) {
    ModelBuilder<double> builder;
    const Matrix3<double> R = rotation_rpy(3 * random.real(), sign * (std::acos(-1.0) / 2 - off), 3 * random.real());
    builder.add_body(
        {.name = "a", .joint = joint::Revolute({1, 2, 3}), .placement = {R, {1, 2, 3}}, .inertia = ball()});
    const auto model = builder.build(), again = corio::urdf::parse(write_urdf(model));
    CHECK(relative_error(joint_placement(again, again.joint("a_joint")).rotation, R) < 1e-14);
  }
}

TEST_CASE("limits are written exactly, and stand-ins where URDF demands some", "[io][write_urdf]") {
  const auto read_back = [](const joint::JointSpec<double>& joint, const JointLimits& limits) {
    ModelBuilder<double> builder;
    builder.add_body({.name = "a", .joint = joint, .inertia = ball(), .limits = limits});
    return write_urdf(builder.build());
  };
  const auto limits_of = [](const std::string& text) {
    const auto model = corio::urdf::parse(text);
    return Eigen::Vector4d(model.lower_limit()[0], model.upper_limit()[0], model.velocity_limit()[0],
                           model.effort_limit()[0]);
  };
  const JointLimits all{{-1.0 / 3}, {0.1}, {std::sqrt(2.0)}, {1e-300}};
  for (const joint::JointSpec<double>& joint :
       {joint::JointSpec<double>(joint::Revolute()), joint::JointSpec<double>(joint::Prismatic())})
    CHECK(limits_of(read_back(joint, all)) == Eigen::Vector4d(-1.0 / 3, 0.1, std::sqrt(2.0), 1e-300));
  CHECK(limits_of(read_back(joint::Revolute(), {})) == Eigen::Vector4d(-inf, inf, inf, inf));
  CHECK(count(read_back(joint::Revolute(), {}), "<limit") == 0);
  CHECK(limits_of(read_back(joint::Revolute(), {{}, {}, {3.0}, {4.0}})) == Eigen::Vector4d(-inf, inf, 3, 4));
  CHECK(limits_of(read_back(joint::Revolute(), {{-2.0}, {}, {}, {}})) == Eigen::Vector4d(-2, inf, inf, inf));
  CHECK(limits_of(read_back(joint::Prismatic(), {})) == Eigen::Vector4d(-inf, inf, inf, inf));
}

TEST_CASE("limits of acceleration, deceleration and jerk make the file one of version 1.2", "[io][write_urdf]") {
  for (const bool limited : {true, false}) {
    ModelBuilder<double> builder;
    JointLimits limits = limited ? JointLimits{{-1}, {1}, {2}, {3}} : JointLimits{};
    limits.acceleration = {0.1}, limits.jerk = {1e-320};
    builder.add_body({.name = "a", .joint = joint::Revolute(), .inertia = ball(), .limits = limits});
    const std::string text = write_urdf(builder.build());
    CHECK(mentions(text, {"version=\"1.2\">"}));
    const auto again = corio::urdf::parse(text);
    CHECK(again.acceleration_limit()[0] == 0.1);
    CHECK(again.deceleration_limit()[0] == std::numeric_limits<double>::infinity());
    CHECK(again.jerk_limit()[0] == 1e-320);
    CHECK(again.notes().empty());
  }
  CHECK(count(write_urdf(zoo::serial_chain(2)), "version=\"1.2\"") == 0);
}

TEST_CASE("safety controllers are read back exactly", "[io][write_urdf]") {
  const auto again = [](const JointSafety& safety) {
    ModelBuilder<double> builder;
    builder.add_body(
        {.name = "a", .joint = joint::Revolute(), .inertia = ball(), .limits = {{-1}, {1}, {}, {}}, .safety = safety});
    const auto read = corio::urdf::parse(write_urdf(builder.build())).safety();
    return Eigen::Vector4d(read.lower[0], read.upper[0], read.position_gain[0], read.velocity_gain[0]);
  };
  CHECK(again({{-0.3}, {0.1}, {7}, {8}}) == Eigen::Vector4d(-0.3, 0.1, 7, 8));
  CHECK(again({{}, {}, {}, {8}}) == Eigen::Vector4d(-inf, inf, 0, 8));
  CHECK(again({{}, {0.1}, {}, {}}) == Eigen::Vector4d(-inf, 0.1, 0, 0));
  CHECK(again({}) == Eigen::Vector4d(-inf, inf, 0, 0));
}

TEST_CASE("damping, friction and armature are written for joints of one degree of freedom", "[io][write_urdf]") {
  ModelBuilder<double> builder("motor");
  builder.add_body({.name = "a",
                    .joint = joint::Revolute::y(),
                    .inertia = ball(),
                    .joint_name = "j",
                    .armature = {0.1},
                    .passive = {{0.5}, {0.25}, {}, {}}});
  builder.add_body({.name = "b", .parent = "a", .joint = joint::Prismatic::y(), .inertia = ball()});
  const std::string text = write_urdf(builder.build());
  CHECK(count(text, R"(<dynamics damping="0.5" friction="0.25"/>)") == 1);
  CHECK(count(text, "<dynamics") == 1);
  CHECK(count(text, "<transmission ") == 1);
  CHECK(count(text, "Not part of URDF") == 0);
  std::string packed;
  for (const char c : text.substr(text.find("<transmission")))
    if (c != '\n' && c != ' ') packed += c;
  CHECK(
      mentions(packed, {R"(<jointname="j">)", R"(<actuatorname="j_motor"><mechanicalReduction>1</mechanicalReduction>)"
                                              "<rotorInertia>0.1</rotorInertia></actuator></transmission></robot>"}));
}

TEST_CASE("damping, friction and armature are read back exactly, without notes", "[io][write_urdf]") {
  auto model = zoo::humanoid();
  VectorXd terms = random_vector<double>(model.nv(), 4).cwiseAbs();
  terms.head(6).setZero();
  model.set_armature(terms), model.set_damping(2 * terms), model.set_friction(3 * terms);
  const auto again = corio::urdf::parse(write_urdf(model), joint::FreeFlyer{});
  CHECK(again.armature() == model.armature());
  CHECK(again.damping() == model.damping());
  CHECK(again.friction() == model.friction());
  CHECK(again.notes().empty());
}

TEST_CASE("what URDF has no place for is named in a comment", "[io][write_urdf]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "a", .joint = joint::Revolute(), .inertia = ball(), .passive = {{}, {}, {3.0}, {}}});
  builder.add_body({.name = "b",
                    .parent = "a",
                    .joint = joint::Planar(),
                    .inertia = ball(),
                    .joint_name = "slide--",
                    .armature = {1, 1, 1},
                    .limits = {{}, {}, {1, 1, 1}, {}},
                    .safety = {{}, {}, {0, 0, 4}, {}},
                    .passive = {{1, 1, 1}, {}, {}, {}}});
  builder.set_gravity({0, 0, -1.62});
  const auto model = builder.build();
  const std::string text = write_urdf(model);
  CHECK(mentions(text, {"<!-- Not part of URDF: gravity, stiffness of joint 'a_joint', armature of joint 'slide- -', "
                        "damping of joint 'slide- -', velocity limit of joint 'slide- -', "
                        "position gain of joint 'slide- -' -->"}));
  CHECK_NOTHROW(corio::urdf::parse(text));
}

TEST_CASE("a joint off the origin of its body is written with a link between", "[io][write_urdf]") {
  Random<double> random(5);
  ModelBuilder<double> builder;
  builder.add_body({.name = "a",
                    .joint = joint::Prismatic({1, 2, 3}),
                    .placement = random.pose(),
                    .body_placement = random.pose(),
                    .inertia = InertialParameters<double>(random.inertia())});
  builder.add_body({.name = "b",
                    .parent = "a",
                    .joint = joint::Planar({1, -2, 3}),
                    .placement = random.pose(),
                    .body_placement = {random.rotation(), {0, 0, 0}},
                    .inertia = ball()});
  builder.add_frame("a_joint_frame", "a", random.pose());
  const auto model = builder.build(), again = corio::urdf::parse(write_urdf(model));
  CHECK(largest_difference(model, again) < bound);
  CHECK(again.has_body("a_joint_frame_"));
  CHECK(again.has_body("b_joint_frame"));
  CHECK_FALSE(again.has_body("a"));
}

TEST_CASE("joints that URDF has not got are rejected by name", "[io][write_urdf]") {
  for (const joint::JointSpec<double>& joint :
       {joint::JointSpec<double>(joint::Helical({0, 0, 1}, 0.1)), joint::JointSpec<double>(joint::Cylindrical()),
        joint::JointSpec<double>(joint::Translation()), joint::JointSpec<double>(joint::Universal()),
        joint::JointSpec<double>(joint::Spherical()), joint::JointSpec<double>(Cam())}) {
    ModelBuilder<double> builder("robot");
    builder.add_body({.name = "a", .joint = joint, .inertia = ball(), .joint_name = "hip"});
    const auto model = builder.build();
    CHECK(mentions(message_of<ModelError>([&] { write_urdf(model); }),
                   {"'robot'", "URDF", "'hip' (" + joint.type + ")"}));
  }
}

TEST_CASE("names of links and joints that are added are none that the model has", "[io][write_urdf]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "world", .joint = joint::Revolute(), .inertia = ball(), .joint_name = "tip_joint"});
  builder.add_frame("tip", "world");
  const auto model = builder.build(), again = corio::urdf::parse(write_urdf(model));
  CHECK(names(again.frames()) == std::vector<std::string>{"world", "world_", "tip"});
  CHECK(largest_difference(model, again) < bound);
}

TEST_CASE("names are read back as they were, with tabs and ends of lines", "[io][write_urdf]") {
  const std::string name = " a\r\n\tb\r<&>\"'\xC3\xA4 ";
  ModelBuilder<double> builder(name);
  builder.add_body({.name = name, .joint = joint::Revolute(), .inertia = ball(), .joint_name = name});
  builder.add_body({.name = "c", .parent = name, .joint = joint::Revolute(), .inertia = ball()});
  builder.add_body({.name = "d", .parent = name, .joint = joint::Revolute(), .inertia = ball()});
  builder.couple(name + "--", {{name, 1.0}, {"c_joint", 2.0}, {"d_joint", 1.0}});  // named in a comment
  const auto again = corio::urdf::parse(write_urdf(builder.build()));
  CHECK(again.name() == name);
  CHECK(again.has_body(name));
  CHECK(again.has_joint(name));
  for (const std::string& part : {std::string("\x01"), std::string("\x1F"), std::string(1, '\0')}) {
    ModelBuilder<double> other("robot");
    other.add_body({.name = "a" + part, .joint = joint::Revolute(), .inertia = ball()});
    CHECK(mentions(message_of<ModelError>([&] { write_urdf(other.build()); }), {"'a", "control character"}));
  }
}

TEST_CASE("numbers of any size are read back as they were", "[io][write_urdf]") {
  const auto again = [](double x) {
    ModelBuilder<double> builder;
    builder.add_body({.name = "a",
                      .joint = joint::Revolute(),
                      .inertia = ball(),
                      .armature = {x},
                      .limits = {{-x}, {x}, {x}, {x}},
                      .passive = {{x}, {x}, {}, {}}});
    const auto model = corio::urdf::parse(write_urdf(builder.build()));
    CHECK(model.notes().empty());
    return std::vector<double>{model.armature()[0],     -model.lower_limit()[0], model.upper_limit()[0],
                               model.effort_limit()[0], model.damping()[0],      model.friction()[0]};
  };
  std::mt19937_64 generator(1);
  for (int i = 0; i < 200; ++i) {
    const double digits = std::generate_canonical<double, 53>(generator);
    for (const double x : {digits, std::ldexp(digits, -1030), std::ldexp(digits, -1060), 5e-324, 1e-320})
      CHECK(again(x) == std::vector<double>(6, x));
  }
}

TEST_CASE("a free flyer of the name that readers choose is the root", "[io][write_urdf]") {
  const std::string text = R"(<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0"
    iyy="1" iyz="0" izz="1"/></inertial></link><link name="b"><inertial><mass value="1"/><inertia ixx="1" ixy="0"
    ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><joint name="root_joint" type="continuous"><parent link="a"/>
    <child link="b"/></joint></robot>)";
  const auto model = corio::urdf::parse(text, joint::FreeFlyer{});
  REQUIRE(model.joints()[0].name() == "root_joint_");
  const auto again = corio::urdf::parse(write_urdf(model), joint::FreeFlyer{});
  CHECK(names(again.joints()) == names(model.joints()));
}

TEST_CASE("what is written and read does not depend on the locale", "[io][write_urdf]") {
  const std::string text = write_urdf(zoo::humanoid());
  const auto again = [&] { return write_urdf(corio::urdf::parse(text, joint::FreeFlyer{})); };
  const std::string read_and_written = again();
  const CommaLocale comma;
  CHECK(write_urdf(zoo::humanoid()) == text);
  CHECK(again() == read_and_written);
}

TEST_CASE("URDF is written to a file", "[io][write_urdf]") {
  const TemporaryFolder folder;
  const auto model = zoo::serial_chain(3);
  write_urdf(model, folder.path() / "chain.urdf");
  std::stringstream content;
  content << std::ifstream(folder.path() / "chain.urdf").rdbuf();
  CHECK(content.str() == write_urdf(model));
  CHECK(mentions(message_of<ModelError>([&] { write_urdf(model, folder.path() / "no" / "folder.urdf"); }),
                 {"folder.urdf", "cannot be written"}));
  CHECK(mentions(message_of<ModelError>([&] { write_urdf(model, folder.path()); }), {"URDF file", "is a folder"}));
}
