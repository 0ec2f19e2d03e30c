#include "corio/corio.hpp"
#include "corio/io/mjcf.hpp"
#include "corio/io/write_urdf.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "io/urdf_text.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"

// Compares rotors of files, as geared bodies, with rotors added by hand; tests/loops/rotor_test.cpp tests their
// physics.

using namespace corio::test;
using corio::Model;
using corio::ModelBuilder;
using corio::Rotors;

namespace {

/// Returns M of the mechanism, whose coupled rotors are not independent, at some configuration of the other joints.
Eigen::MatrixXd mass_matrix(const Model<double>& model) {
  const corio::Mechanism<double> mechanism(model);
  corio::MechanismData<double> data(mechanism);
  Eigen::VectorXd q = corio::neutral(model);
  for (const corio::Joint& joint : model.joints())
    if (joint.name().find("rotor") == joint.name().npos) q[joint.q_index()] = 0.3 + 0.2 * joint.q_index();
  return corio::crba<double>(mechanism, data, corio::assemble<double>(mechanism, data, q).q);
}

std::string transmission(const std::string& joint, const std::string& inertia, const std::string& reduction) {
  return "<transmission name='t" + joint + inertia + "'><joint name='" + joint +
         "'/><actuator name='m'><rotorInertia>" + inertia + "</rotorInertia><mechanicalReduction>" + reduction +
         "</mechanicalReduction></actuator></transmission>";
}

}  // namespace

TEST_CASE("urdf: rotors of transmissions are bodies behind gears when asked for") {
  const std::string arm = link_xml("a") + link_xml("b") + link_xml("c") + joint_xml("i", "revolute", "a", "b") +
                          joint_xml("j", "prismatic", "b", "c", limit + "<origin xyz='0 1 0' rpy='0 0.4 0.8'/>");
  const std::string text = robot_xml(arm + transmission("i", "2e-2", "30") + transmission("i", "1e-2", "-20") +
                                     transmission("j", "3e-2", "50"));
  const auto by_hand = [&](const Eigen::Vector3d& axis_of_j) {
    ModelBuilder<double> builder = corio::urdf::builder_from_text(robot_xml(arm));
    builder.add_rotor({.joint = "i", .inertia = 2e-2, .ratio = 30});
    builder.add_rotor({.joint = "i", .inertia = 1e-2, .ratio = -20, .name = "i_rotor2"});
    builder.add_rotor({.joint = "j", .inertia = 3e-2, .ratio = 50, .axis = axis_of_j});
    return builder.build();
  };
  corio::urdf::Options options{.rotors = Rotors::geared};
  const Model<double> along = corio::urdf::parse(text, options);
  CHECK(along.notes().empty());
  CHECK(along.armature().norm() == 0.0);
  // The axis of j, which the file does not give, is x.
  const Eigen::MatrixXd M = mass_matrix(along);
  CHECK(relative_error(M, mass_matrix(by_hand({1, 0, 0}))) < 1e-14);
  options.rotor_axes["j"] = {1, 2, 2};
  const Eigen::MatrixXd turned = mass_matrix(corio::urdf::parse(text, options));
  CHECK(relative_error(turned, mass_matrix(by_hand({1, 2, 2}))) < 1e-14);
  CHECK(std::abs(turned(0, 1) - M(0, 1)) > 0.1);

  // With reflected rotors the diagonal gains the same: the axes of i and of the rotor of j are not parallel.
  const Model<double> reflected = corio::urdf::parse(text);
  CHECK(reflected.armature()[0] == Approx(2e-2 * 900 + 1e-2 * 400).epsilon(1e-14));
  CHECK(reflected.armature()[1] == Approx(3e-2 * 2500).epsilon(1e-14));
  // After writing and reading again, couplings are joints that mimic others.
  CHECK(relative_error(mass_matrix(corio::urdf::parse(corio::write_urdf(along))), M) < 1e-13);
  options.rotors = Rotors::reflected;
  CHECK(rejection(text, {"rotor_axes", "Rotors::geared"}, options) == "rejected");
  options.rotors = Rotors::geared;
  options.rotor_axes["k"] = {1, 0, 0};  // a joint without a rotor, beside others with rotors
  CHECK(rejection(text, {"rotor_axes", "'k'", "no rotor"}, options) == "rejected");
  options.rotor_axes.erase("k");
  // Options::armature replaces rotors; a joint without a rotor has no rotor axis.
  options.armature["j"] = 0.5;
  CHECK(rejection(text, {"rotor_axes", "'j'", "no rotor"}, options) == "rejected");
  options.rotor_axes.clear();
  const Model<double> replaced = corio::urdf::parse(text, options);
  CHECK_FALSE(replaced.has_joint("j_rotor_joint"));
  CHECK(replaced.armature()[replaced.joint("j").v_index()] == 0.5);
}

TEST_CASE("urdf: rotors have names that no link, joint or loop of the file has") {
  const corio::urdf::Options geared{.rotors = Rotors::geared};
  const std::string rotor = transmission("j", "3e-2", "50");
  const auto added = [&](const std::string& link, const std::string& joint) {
    const std::string text =
        robot_xml(link_xml("a") + link_xml("b") + link_xml(link) + joint_xml("j", "revolute", "a", "b") +
                  joint_xml(joint, "revolute", "b", link) + rotor);
    const Model<double> model = corio::urdf::parse(text, geared);
    for (const auto& x : model.joints())
      if (x.name().find("_rotor") != std::string::npos && x.name() != joint) return x.name();
    return std::string();
  };
  CHECK(added("c", "k") == "j_rotor_joint");
  CHECK(added("j_rotor", "k") == "j_rotor2_joint");
  CHECK(added("c", "j_rotor_joint") == "j_rotor2_joint");
  CHECK(added("j_rotor2", "j_rotor_joint") == "j_rotor3_joint");
}

TEST_CASE("mjcf: the armature of joints with one actuator becomes a rotor when asked for") {
  const auto text = [](const std::string& armature, const std::string& actuators) {
    const std::string body = "<geom size='.1' pos='.2 0 -.3'/>";
    return "<mujoco><default><motor gear='40'/><default class='slow'><general gear='-90 0 0'/></default></default>"
           "<worldbody><body name='a'><joint name='i' axis='0 1 0' armature='" +
           armature + "'/>" + body + "<body name='b' euler='20 30 40'><joint name='j' axis='1 0 1' armature='" +
           armature + "'/>" + body + "<body name='c' euler='0 30 0'><joint name='k' type='ball' armature='" + armature +
           "'/>" + body + "</body></body></body></worldbody><actuator>" + actuators + "</actuator></mujoco>";
  };
  const std::string both = "<motor joint='i'/><position joint='j' class='slow'/>";
  corio::mjcf::Options options{.rotors = Rotors::geared};
  ModelBuilder<double> builder = corio::mjcf::builder_from_text(text("0", ""));
  builder.set_armature("k", {16, 16, 16});
  builder.add_rotor({.joint = "i", .inertia = 16.0 / 1600, .ratio = 40});
  builder.add_rotor({.joint = "j", .inertia = 16.0 / 8100, .ratio = -90});
  const Model<double> by_hand = builder.build();
  const Model<double> model = corio::mjcf::parse(text("16", both), options);
  const corio::Mechanism<double> mechanism(model), expected(by_hand);
  corio::MechanismData<double> data(mechanism), expected_data(expected);
  const Eigen::VectorXd q = corio::neutral(model);
  CHECK(relative_error(corio::crba<double>(mechanism, data, q), corio::crba<double>(expected, expected_data, q)) <
        1e-14);

  // The rotor has an axis of its own, in the axes of the joint.
  builder = corio::mjcf::builder_from_text(text("0", ""));
  builder.set_armature("k", {16, 16, 16});
  builder.add_rotor({.joint = "i", .inertia = 16.0 / 1600, .ratio = 40});
  builder.add_rotor({.joint = "j", .inertia = 16.0 / 8100, .ratio = -90, .axis = {1, 2, 2}});
  options.rotor_axes["j"] = {1, 2, 2};
  const corio::Mechanism<double> turned(corio::mjcf::parse(text("16", both), options)), turned_by_hand(builder.build());
  corio::MechanismData<double> turned_data(turned), turned_data_by_hand(turned_by_hand);
  CHECK(relative_error(corio::crba<double>(turned, turned_data, q),
                       corio::crba<double>(turned_by_hand, turned_data_by_hand, q)) < 1e-14);
  options.rotor_axes.clear();

  // All kinds of actuators share the defaults of a class; jointinparent names a joint, too.
  for (const std::string kind :
       {"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "dcmotor", "pid"}) {
    CAPTURE(kind);
    const auto ratio = [&](const std::string& defaults, const std::string& actuator) {
      const auto read =
          corio::mjcf::parse("<mujoco>" + defaults +
                                 "<worldbody><body><joint name='i' armature='16'/><geom size='.1' pos='1 0 0'/></body>"
                                 "</worldbody><actuator>" +
                                 actuator + "</actuator></mujoco>",
                             {.rotors = Rotors::geared});
      REQUIRE(read.loops().size() == 1);
      return -read.loops()[0].terms[1].factor;
    };
    CHECK(ratio("", "<" + kind + " joint='i'/>") == 1.0);
    CHECK(ratio("<default><" + kind + " gear='50'/></default>", "<" + kind + " joint='i'/>") == 50.0);
    CHECK(ratio("<default><" + kind + " gear='50'/></default>", "<motor joint='i'/>") == 50.0);
    CHECK(ratio("<default><default class='c'><" + kind + " gear='50'/></default></default>",
                "<" + kind + " class='c' jointinparent='i'/>") == 50.0);
  }

  const auto armatures = [&](const std::string& actuators) {
    const Model<double> read = corio::mjcf::parse(text("16", actuators), options);
    return read.joints().size() == 3 && read.armature().minCoeff() == 16.0;
  };
  CHECK(armatures(""));
  CHECK(armatures("<motor joint='i'/><motor joint='i'/>"));
  CHECK(armatures("<motor joint='i' gear='0'/>"));
  CHECK(armatures("<motor joint='k'/>"));
  CHECK_THROWS_AS(armatures("<motor joint='x'/>"), corio::ModelError);
  CHECK_THROWS_AS(armatures("<motor joint='i' gear='1 2 3 4 5 6 7'/>"), corio::ModelError);
  options.rotor_axes["j"] = {1, 0, 0};
  CHECK_THROWS_AS(armatures("<motor joint='i'/>"), corio::ModelError);
  options.rotors = Rotors::reflected;
  CHECK_THROWS_AS(armatures("<motor joint='j'/>"), corio::ModelError);
}
