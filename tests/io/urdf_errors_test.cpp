
#include <filesystem>
#include <fstream>
#include <random>

#include "io/urdf_text.hpp"
#include "support/catch.hpp"

// Each message has to name the culprit and say what would be right.

using namespace corio::test;
using corio::urdf::Options;

TEST_CASE("urdf: a missing file, a folder and a bad file are refused under their path") {
  const auto message = [](const std::string& path) { return message_of([&] { corio::urdf::load(path); }); };
  CHECK(message("no/such/robot.urdf") == "URDF file 'no/such/robot.urdf' does not exist");
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  CHECK(message(folder.string()).find("is a folder, expected a file") != std::string::npos);

  const std::filesystem::path file = folder / ("corio_urdf_" + std::to_string(std::random_device{}()) + ".urdf");
  std::ofstream(file) << "<robot name='r'>\n<link name='a'>";
  const std::string text = message(file.string());
  std::filesystem::remove(file);
  CHECK(text.find(file.string() + ": line 2: malformed XML") == 0);
}

TEST_CASE("urdf: malformed XML is refused with its line") {
  CHECK(refusal("", {"no element", "<robot>"}) == "refused");
  CHECK(refusal("just text", {"line 1", "text outside of the root element"}) == "refused");
  CHECK(refusal("<robot name='r'>\n<link name='a'>", {"line 2", "ends before </link>", "opened in line 2"}) ==
        "refused");
  CHECK(refusal("<robot name='r'>\n<link name='a'></robot>", {"line 2", "</robot> found, expected </link>"}) ==
        "refused");
  CHECK(refusal("<robot name='r'></robot></link>", {"</link> found, expected nothing"}) == "refused");
  CHECK(refusal("<robot name='r'/><robot name='s'/>", {"second root element"}) == "refused");
  CHECK(refusal("<robot name=r/>", {"attribute name", "not in quotes"}) == "refused");
  CHECK(refusal("<robot name='r/>", {"attribute name", "no closing quote"}) == "refused");
  CHECK(refusal("<robot name='r' name='s'/>", {"two attributes name"}) == "refused");
  CHECK(refusal("<robot name/>", {"attribute name of <robot> has no value"}) == "refused");
  CHECK(refusal("<robot name='r'><!-- open </robot>", {"comment without its end"}) == "refused");
  CHECK(refusal("<robot name='r'><![CDATA[ open </robot>", {"CDATA section without its end"}) == "refused");
  CHECK(refusal("<?xml version='1.0'", {"processing instruction without its end"}) == "refused");
  CHECK(refusal("<!DOCTYPE robot [ <!ELEMENT robot ANY> ", {"declaration without its end"}) == "refused");
  CHECK(refusal("<robot name='r'><link name='a' <joint/></robot>", {"attributes"}) == "refused");
  CHECK(refusal("<robot name='r'><link name='a'", {"<link> is not closed properly"}) == "refused");
  CHECK(refusal("<robot name='r'></robot", {"</robot> is not closed properly"}) == "refused");
  CHECK(refusal("<>", {"a name is missing"}) == "refused");
  CHECK(refusal(std::string("<robot\0 name='r'/>", 18), {"zero byte", "UTF-8"}) == "refused");
}

TEST_CASE("urdf: nesting too deep for a parser's stack is refused") {
  std::string deep = "<robot name='r'>";
  for (int i = 0; i < 100000; ++i) deep += "<x>";
  CHECK(refusal(deep, {"nested more than"}) == "refused");
}

TEST_CASE("urdf: what is not an expanded robot description is refused") {
  CHECK(refusal("<sdf version='1.6'/>", {"<sdf>", "a URDF has <robot>"}) == "refused");
  CHECK(refusal("<robot/>", {"no attribute name"}) == "refused");
  CHECK(refusal("<robot name='r'/>", {"has no links", "<link name="}) == "refused");
  CHECK(refusal(robot_xml("<xacro:include filename='x'/>"), {"<xacro:include>", "expand the file with xacro"}) ==
        "refused");
  CHECK(refusal("<robot name='r' version='9.0'>" + link_xml("a") + link_xml("b") +
                    joint_xml("j", "revolute", "a", "b") + "</robot>",
                {"urdfdom refuses", "version"}) == "refused");
}

TEST_CASE("urdf: missing and repeated names are refused") {
  CHECK(refusal(robot_xml("<link/>"), {"a <link> has no name"}) == "refused");
  CHECK(refusal(robot_xml("<link name=''/>"), {"a <link> has no name"}) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") + "<joint type='fixed'/>"), {"line 2", "a <joint> has no name"}) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") + link_xml("a")), {"line 2", "two links are named 'a'", "line 1", "unique"}) ==
        "refused");
  CHECK(refusal(robot_xml(link_xml("a") + link_xml("b") + link_xml("c") + joint_xml("j", "revolute", "a", "b") +
                          joint_xml("j", "revolute", "b", "c")),
                {"line 5", "two joints are named 'j'", "line 4", "unique"}) == "refused");
}

TEST_CASE("urdf: joints whose links are missing are refused") {
  CHECK(refusal(robot_xml(link_xml("b") + joint_xml("j", "revolute", "a", "b")),
                {"joint 'j'", "parent link 'a' is not in the file", "add <link name=\"a\"/>"}) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") + joint_xml("j", "revolute", "a", "b")), {"joint 'j'", "child link 'b'"}) ==
        "refused");
  CHECK(refusal(robot_xml(link_xml("a") + "<joint name='j' type='fixed'><child link='a'/></joint>"),
                {"joint 'j' has no <parent>"}) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") + "<joint name='j' type='fixed'><parent link='a'/></joint>"),
                {"joint 'j' has no <child>"}) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") + "<joint name='j' type='fixed'><parent link='a'/><child/></joint>"),
                {"joint 'j'", "<child> has no attribute link"}) == "refused");
}

TEST_CASE("urdf: links and joints that are not one tree are refused") {
  const std::string links = link_xml("a") + link_xml("b") + link_xml("c");
  CHECK(refusal(robot_xml(links + joint_xml("j", "revolute", "a", "b")),
                {"links 'a', 'c' have no parent joint", "all but one"}) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") + link_xml("b") + joint_xml("j", "revolute", "a", "b") +
                          joint_xml("k", "revolute", "b", "a")),
                {"every link is the child of a joint", "loop", "one link must be the root"}) == "refused");
  CHECK(refusal(robot_xml(links + joint_xml("j", "revolute", "b", "c") + joint_xml("k", "revolute", "c", "b")),
                {"its child link", "is also its ancestor", "tree"}) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") + link_xml("b") + joint_xml("j", "revolute", "b", "b")),
                {"joint 'j'", "'b' is also its ancestor"}) == "refused");
  CHECK(refusal(robot_xml(links + joint_xml("j", "revolute", "a", "b") + joint_xml("k", "revolute", "a", "c") +
                          joint_xml("m", "revolute", "b", "c")),
                {"joint 'm'", "child link 'c'", "joint 'k'", "one parent joint"}) == "refused");
}

TEST_CASE("urdf: unknown and missing joint types are refused") {
  CHECK(refusal(two_links("ball"), {"joint 'j'", "\"ball\"", "revolute, continuous, prismatic"}) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") + "<joint name='j'/>"), {"joint 'j'", "no attribute type"}) == "refused");
}

TEST_CASE("urdf: values that are not finite numbers are refused with their attribute") {
  for (const std::string bad : {"nan", "inf", "1e999", "1,5", "", "one", "1.0m"}) {
    CAPTURE(bad);
    const auto with_inertial = [](const std::string& content) { return robot_xml(link_xml("a", content)); };
    CHECK(refusal(with_inertial(inertial(bad, moments)), {"link 'a'", "<mass>", "value=", "finite number"}) ==
          "refused");
    CHECK(refusal(with_inertial(inertial("1", "ixx='" + bad + "' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'")),
                  {"link 'a'", "<inertia>", "ixx=", "finite number"}) == "refused");
    for (const std::string key : {"xyz", "rpy"}) {
      const std::string origin = "<origin " + key + "=\"0 0 " + bad + "\"/>";
      CHECK(refusal(with_inertial(inertial("1", moments, origin)), {"link 'a'", "<origin>", "three finite numbers"}) ==
            "refused");
      CHECK(refusal(two_links("fixed", origin), {"joint 'j'", "<origin>", "three finite numbers"}) == "refused");
    }
    CHECK(refusal(two_links("continuous", "<axis xyz='0 1 " + bad + "'/>"), {"joint 'j'", "<axis>", "three finite"}) ==
          "refused");
    CHECK(refusal(two_links("revolute", "<limit lower='" + bad + "' upper='1' effort='1' velocity='1'/>"),
                  {"joint 'j'", "<limit>", "lower=", "finite number"}) == "refused");
    CHECK(refusal(two_links("revolute", "<limit upper='1' effort='1' velocity='" + bad + "'/>"),
                  {"joint 'j'", "<limit>", "velocity=", "finite number"}) == "refused");
  }
  CHECK(refusal(two_links("fixed", "<origin xyz='0 0'/>"), {"joint 'j'", "three finite numbers"}) == "refused");
  CHECK(refusal(two_links("fixed", "<origin xyz='0 0 0 0'/>"), {"joint 'j'", "three finite numbers"}) == "refused");
}

TEST_CASE("urdf: an incomplete or repeated inertial is refused") {
  const auto one = [](const std::string& content) { return robot_xml(link_xml("a", content)); };
  CHECK(refusal(one("<inertial/>"), {"link 'a'", "no <mass>"}) == "refused");
  CHECK(refusal(one("<inertial><mass value='1'/></inertial>"), {"link 'a'", "no <inertia>"}) == "refused");
  CHECK(refusal(one("<inertial><mass/><inertia " + moments + "/></inertial>"), {"link 'a'", "no attribute value"}) ==
        "refused");
  CHECK(refusal(one(inertial("1", "ixx='1' iyy='1' izz='1'")), {"link 'a'", "no attribute ixy"}) == "refused");
  CHECK(refusal(one(inertial("1", moments) + inertial("2", moments)), {"link 'a'", "two <inertial>"}) == "refused");
}

TEST_CASE("urdf: a mass or inertia that no body has is refused") {
  const std::string hinge = joint_xml("j", "revolute", "a", "b");
  CHECK(refusal(robot_xml(link_xml("a") + link_xml("b", inertial("-1", moments)) + hinge),
                {"link 'b'", "mass is -1 kg", "must not be negative"}) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") +
                          link_xml("b", inertial("1", "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='3'")) + hinge),
                {"URDF text", "'b'", "1, 1, 3", "triangle inequality"}) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") +
                          link_xml("b", inertial("1", "ixx='1' ixy='2' ixz='0' iyy='1' iyz='0' izz='1'")) + hinge),
                {"'b'", "nonnegative"}) == "refused");
}

TEST_CASE("urdf: a zero or unfinished axis is refused") {
  for (const std::string type : {"revolute", "continuous", "prismatic", "planar"}) {
    CHECK(refusal(two_links(type, limit + "<axis xyz='0 0 0'/>"), {"joint 'j'", "axis is zero", "direction"}) ==
          "refused");
    CHECK(refusal(two_links(type, limit + "<axis/>"), {"joint 'j'", "<axis> has no attribute xyz"}) == "refused");
  }
}

TEST_CASE("urdf: missing and contradictory limits are refused") {
  for (const std::string type : {"revolute", "prismatic"}) {
    CHECK(refusal(two_links(type, ""), {"joint 'j'", type.c_str(), "needs <limit"}) == "refused");
    CHECK(refusal(two_links(type, "<limit lower='1' upper='-1' effort='1' velocity='1'/>"),
                  {"joint 'j'", "lower limit 1 exceeds its upper limit -1"}) == "refused");
    CHECK(refusal(two_links(type, "<limit lower='0' upper='1' velocity='1'/>"), {"joint 'j'", "no attribute effort"}) ==
          "refused");
    CHECK(refusal(two_links(type, "<limit lower='0' upper='1' effort='1'/>"), {"joint 'j'", "no attribute velocity"}) ==
          "refused");
    CHECK(refusal(two_links(type, "<limit effort='1' velocity='-1'/>"),
                  {"joint 'j'", "velocity limit is -1", "negative"}) == "refused");
  }
  CHECK(refusal(two_links("revolute", limit + limit), {"joint 'j'", "two <limit>"}) == "refused");
}

TEST_CASE("urdf: a mimicking joint is refused and the message says how to load it") {
  CHECK(refusal(two_links("revolute", limit + "<mimic joint='other'/>"),
                {"joint 'j' mimics", "Options::mimic = Mimic::independent"}) == "refused");
}

TEST_CASE("urdf: a joint that moves no inertia is refused by name") {
  CHECK(refusal(robot_xml(link_xml("a") + link_xml("b", "") + joint_xml("j", "revolute", "a", "b")),
                {"joint 'j'", "moves no inertia", "'b'"}) == "refused");
}

TEST_CASE("urdf: a file in which nothing moves is refused with the way to a free body") {
  CHECK(refusal(robot_xml(link_xml("a")), {"nothing moves", "Options::root = joint::FreeFlyer{}"}) == "refused");
  CHECK(refusal(two_links("fixed", ""), {"nothing moves"}) == "refused");
}

TEST_CASE("urdf: the name of the root joint cannot be used twice") {
  const std::string text = robot_xml(link_xml("a") + link_xml("b") + joint_xml("root_joint", "revolute", "a", "b"));
  CHECK(refusal(text, {"joint 'root_joint'", "taken by the joint of Options::root", "rename"},
                {.root = corio::joint::FreeFlyer{}}) == "refused");
  CHECK(corio::urdf::parse(text).joint("root_joint").nv() == 1);
}

TEST_CASE("urdf: refusing a file writes nothing to the terminal and leaves console_bridge as it was") {
  struct Counter final : console_bridge::OutputHandler {
    void log(const std::string&, console_bridge::LogLevel, const char*, int) override { ++count; }
    int count = 0;
  } counter;
  console_bridge::OutputHandler* const before = console_bridge::getOutputHandler();
  console_bridge::useOutputHandler(&counter);
  CHECK_THROWS_AS(
      corio::urdf::parse("<robot name='r' version='9.0'>" + link_xml("a") + "</robot>", corio::joint::FreeFlyer{}),
      corio::ModelError);
  corio::urdf::parse(robot_xml(link_xml("a", inertial("1", moments) + "<visual><geometry/></visual>")),
                     corio::joint::FreeFlyer{});
  CHECK(console_bridge::getOutputHandler() == &counter);
  CHECK(counter.count == 0);
  console_bridge::useOutputHandler(before);
}
