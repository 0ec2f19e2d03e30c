#include <algorithm>

#include "corio/kinematics/configuration.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "io/urdf_text.hpp"
#include "support/catch.hpp"

// Couplings and closures in files of robots.

using namespace corio;
using namespace corio::test;

namespace {

double speed(const Mechanism<double>& mechanism, const std::string& joint, const Eigen::VectorXd& y) {
  MechanismData<double> data(mechanism);
  forward_kinematics<double>(mechanism, data, assemble<double>(mechanism, data, neutral(mechanism.tree())).q, y);
  return data.tree.v[mechanism.tree().joint(joint).v_index()];
}

const std::string free_limit = R"(<axis xyz="0 0 1"/>)";

}  // namespace

TEST_CASE("urdf: joints that mimic others are coupled, in chains, too") {
  const std::string text = robot_xml(
      link_xml("a") + link_xml("b") + link_xml("c") + link_xml("d") + link_xml("e") +
      joint_xml("j", "continuous", "a", "b", "<mimic joint='k' multiplier='-2' offset='0.5'/>") +
      joint_xml("k", "continuous", "b", "c", "<mimic joint='l'/>") + joint_xml("l", "continuous", "c", "d", "") +
      joint_xml("still", "prismatic", "d", "e", limit + "<mimic joint='l' multiplier='0' offset='0.1'/>"));
  const auto model = urdf::parse(text);
  CHECK(model.nv() == 4);
  REQUIRE(model.loops().size() == 3);
  CHECK(model.loops()[0].name == "mimic of j");
  CHECK(model.loops()[0].offset == 0.5);
  const Mechanism<double> mechanism(model);
  CHECK(mechanism.nv() == 1);
  CHECK(speed(mechanism, "l", Eigen::VectorXd::Constant(1, 3.0)) == 3.0);
  CHECK(std::abs(speed(mechanism, "k", Eigen::VectorXd::Constant(1, 3.0)) - 3.0) < 1e-12);
  CHECK(std::abs(speed(mechanism, "j", Eigen::VectorXd::Constant(1, 3.0)) + 6.0) < 1e-12);
  CHECK(std::abs(speed(mechanism, "still", Eigen::VectorXd::Constant(1, 3.0))) < 1e-12);
  MechanismData<double> data(mechanism);
  const auto assembly = assemble<double>(mechanism, data, neutral(model));
  CHECK(assembly.closed);
  CHECK(std::abs(assembly.q[model.joint("j").q_index()] - 0.5) < 1e-12);
  CHECK(std::abs(assembly.q[model.joint("still").q_index()] - 0.1) < 1e-12);

  // A joint that mimics a fixed joint stays at the offset.
  const auto held =
      urdf::parse(robot_xml(link_xml("a") + link_xml("b") + link_xml("c") + joint_xml("k", "fixed", "a", "b", "") +
                            joint_xml("j", "continuous", "b", "c", "<mimic joint='k' offset='0.2'/>")));
  REQUIRE(held.loops().size() == 1);
  CHECK(held.loops()[0].terms.size() == 1);
  CHECK(Mechanism<double>(held).nv() == 0);
  // A fixed joint that mimics another is not coupled, and a note says so.
  const auto fixed =
      urdf::parse(robot_xml(link_xml("a") + link_xml("b") + link_xml("c") + joint_xml("k", "continuous", "a", "b", "") +
                            joint_xml("j", "fixed", "b", "c", "<mimic joint='k'/>")));
  CHECK(fixed.loops().empty());
  CHECK(std::ranges::count_if(fixed.notes(), [](const Note& note) {
          return note.element == "joint 'j'" && note.found == "has <mimic> although it is of type fixed";
        }) == 1);

  CHECK(urdf::parse(text, {.mimic = urdf::Mimic::independent}).loops().empty());
  CHECK(rejection(robot_xml(link_xml("a") + link_xml("b") +
                            joint_xml("j", "continuous", "a", "b", "<mimic joint='j' multiplier='2'/>")),
                  {"line 3: joint 'j' mimics joint 'j'", "in turn"}) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + link_xml("b") + link_xml("c") + joint_xml("k", "floating", "a", "b", "") +
                            joint_xml("j", "continuous", "b", "c", "<mimic joint='k'/>")),
                  {"line 5: ", "mimic of j", "'k'", "one coordinate"}) == "rejected");
}

TEST_CASE("urdf: joints that mimic each other in a circle are rejected") {
  const auto robot = [](const std::string& multiplier) {
    return robot_xml(link_xml("a") + link_xml("b") + link_xml("c") + link_xml("d") +
                     joint_xml("i", "continuous", "a", "b", "<mimic joint='j'/>") +
                     joint_xml("j", "continuous", "b", "c", "<mimic joint='k' multiplier='" + multiplier + "'/>") +
                     joint_xml("k", "continuous", "c", "d", "<mimic joint='j' multiplier='2'/>"));
  };
  CHECK(rejection(robot("3"), {"line ", "mimics joint '", "in turn", "one joint must mimic none"}) == "rejected");
  CHECK(urdf::parse(robot("3"), {.mimic = urdf::Mimic::independent}).nv() == 3);
  // A multiplier of zero holds the joint, which then mimics none.
  CHECK(Mechanism<double>(urdf::parse(robot("0"))).nv() == 0);
}

TEST_CASE("urdf: loops and couplings of URDF+ are read") {
  const std::string ends =
      "<predecessor link='b'><origin xyz='1 0 0'/></predecessor>"
      "<successor link='c'><origin xyz='0.5 0 0'/></successor>";
  const auto linkage = [&](const std::string& loop) {
    return robot_xml(link_xml("base") + link_xml("a") + link_xml("b") + link_xml("c") +
                     joint_xml("crank", "continuous", "base", "a", free_limit) +
                     "<joint name='knee' type='continuous' independent='false'><parent link='a'/><child link='b'/>"
                     "<origin xyz='0.3 0 0'/><axis xyz='0 0 1'/></joint>"
                     "<joint name='rocker' type='continuous' independent='false'><parent link='base'/><child link='c'/>"
                     "<origin xyz='0.7 0 0'/><axis xyz='0 0 1'/></joint>" +
                     loop);
  };
  const auto model = urdf::parse(linkage("<loop name='pin' type='revolute'>" + ends + "<axis xyz='0 0 1'/></loop>"));
  CHECK(model.notes().empty());
  REQUIRE(model.loops().size() == 1);
  CHECK(model.loops()[0].dependent == std::vector<std::string>{"knee", "rocker"});
  CHECK(model.loops()[0].conditions.size() == 5);
  const Mechanism<double> mechanism(model);
  CHECK(mechanism.independent() == std::vector<int>{model.joint("crank").v_index()});
  MechanismData<double> data(mechanism);
  const auto assembly = assemble<double>(mechanism, data, Eigen::Vector3d(0.9, -0.5, 1.2));
  REQUIRE(assembly.closed);
  forward_kinematics<double>(model, data.tree, assembly.q);
  const auto at = [&](const char* name) { return body_pose(model, data.tree, model.frame(name)).translation; };
  CHECK((at("pin_predecessor") - at("pin_successor")).norm() < 1e-12);

  // This is a belt: the rotor turns with the sum of hip and knee.
  const auto belt =
      urdf::parse(linkage("<coupling name='belt'><predecessor link='b'/><successor link='c'/>"
                          "<ratio value='3'/></coupling>"));
  const Mechanism<double> driven(belt, {"crank", "knee"});
  CHECK(std::abs(speed(driven, "rocker", Eigen::Vector2d(1, 0.5)) - 4.5) < 1e-12);

  CHECK(rejection(linkage("<loop name='pin' type='revolute'>" + ends + "<axis xyz='0 0 0'/></loop>"),
                  {"line ", "loop 'pin'", "axis is zero"}) == "rejected");
  CHECK(rejection(
            robot_xml(link_xml("a") + link_xml("b") +
                      "<joint name='j' type='continuous' independent='no'><parent link='a'/><child link='b'/></joint>"),
            {"joint 'j'", "independent=", "true or false"}) == "rejected");
  CHECK(rejection(linkage("<loop name='pin' type='planar'>" + ends + "</loop>"),
                  {"line ", "loop 'pin'", "\"planar\"", "revolute, prismatic"}) == "rejected");
  CHECK(rejection(linkage("<loop name='pin' type='fixed'><predecessor link='x'/><successor link='c'/></loop>"),
                  {"loop 'pin'", "predecessor link 'x'", "not in the file"}) == "rejected");
  CHECK(rejection(
            linkage("<coupling name='belt'><predecessor link='b'/><successor link='c'/><ratio value='0'/></coupling>"),
            {"line ", "'belt'", "factor", "zero"}) == "rejected");
  CHECK(rejection(linkage("<coupling name='belt'><predecessor link='b'/><successor link='c'/></coupling>"),
                  {"'belt'", "<ratio>"}) == "rejected");
  const std::string pin = "<loop name='pin' type='revolute'>" + ends + "</loop>\n";
  CHECK(rejection(linkage(pin + pin), {"two loops are named 'pin'", "the first in line"}) == "rejected");
  CHECK(
      rejection(linkage("<loop name='pin' type='revolute'><predecessor link='b'><origin xyz='1e200 0 0'/></predecessor>"
                        "<successor link='c'/></loop>"),
                {"line ", "'pin_predecessor'", "must be finite"}) == "rejected");
}
