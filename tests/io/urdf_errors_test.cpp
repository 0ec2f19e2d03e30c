#include "io/urdf_text.hpp"
#include "support/catch.hpp"

// Each message has to name the cause and a correct form.

using namespace corio::test;
using corio::urdf::Options;

TEST_CASE("urdf: a missing file, a folder and a bad file are rejected under their path") {
  const auto message = [](const std::string& path) { return message_of([&] { corio::urdf::load(path); }); };
  CHECK(message("no/such/robot.urdf") == "URDF file 'no/such/robot.urdf' does not exist");
  // The name of the file is the end of a long path.
  const std::string deep = std::string(100, 'a') + "/robot.urdf";
  CHECK(message(deep) == "URDF file '" + deep + "' does not exist");
  CHECK(message(std::string(9000, 'a')).size() < 200);
  CHECK(message("<robot name='r'><link name='" + std::string(100, 'a') + "'/></robot>").size() < 100);
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  CHECK(message(folder.string()).find("is a folder, expected a file") != std::string::npos);

  const TemporaryFile file("<robot name='r'>\n<link name='a'>");
  CHECK(message(file.path().string()).find(file.path().string() + ": line 2: malformed XML") == 0);
  CHECK(message_of([&] { corio::urdf::builder(file.path()); }) == message(file.path().string()));
}

TEST_CASE("urdf: malformed XML is rejected with its line") {
  const auto malformed = [](const std::string& text, const char* line) {
    return rejection(text, {"URDF text: line ", line, ": malformed XML: "});
  };
  CHECK(rejection("", {"malformed XML", "empty"}) == "rejected");
  CHECK(rejection("robot.urdf", {"malformed XML", "no element", "load the name of a file"}) == "rejected");
  CHECK(rejection("<!-- a comment -->", {"malformed XML", "no element"}) == "rejected");
  CHECK(malformed("<robot name='r'>\n<link name='a'>", "2") == "rejected");
  CHECK(malformed("<robot name='r'>\n<link name='a'></robot>", "2") == "rejected");
  CHECK(malformed("<robot name='r'/>\n<robot name='s'/>", "2") == "rejected");
  CHECK(malformed("<robot name=r/>", "1") == "rejected");
  CHECK(malformed("<robot name='r/>", "1") == "rejected");
  CHECK(malformed("<robot name='r' name='s'/>", "1") == "rejected");
  CHECK(malformed("<robot name/>", "1") == "rejected");
  CHECK(malformed("<robot name='r'><!-- open </robot>", "1") == "rejected");
  CHECK(malformed("<robot name='r'><![CDATA[ open </robot>", "1") == "rejected");
  CHECK(malformed("<?xml version='1.0'", "1") == "rejected");
  CHECK(malformed("<robot name='r'><link name='a' <joint/></robot>", "1") == "rejected");
  CHECK(malformed("<robot name='r'><link name='a'", "1") == "rejected");
  CHECK(malformed("<robot name='r'></robot", "1") == "rejected");
  CHECK(malformed("<>", "1") == "rejected");
  CHECK(rejection(std::string("<robot\0 name='r'/>", 18), {"zero byte", "UTF-8"}) == "rejected");
}

TEST_CASE("urdf: what is not an expanded robot description is rejected") {
  CHECK(rejection("<sdf version='1.6'/>", {"<sdf>", "a URDF has <robot>"}) == "rejected");
  CHECK(rejection("<mujoco/>", {"<mujoco>", "a URDF has <robot>", "corio::mjcf::load"}) == "rejected");
  CHECK(rejection("<robot/>", {"has no links"}) == "rejected");
  CHECK(rejection("<robot name='r'/>", {"has no links", "<link name="}) == "rejected");
  CHECK(rejection("<robot name='r' version='9.0'>" + link_xml("a") + "</robot>",
                  {"line 1", "version '9.0'", "expected 1.0"}) == "rejected");
  for (const std::string version : {"1", "1.0", "1.2"})
    CHECK(corio::urdf::parse("<robot name='r' version='" + version + "'>" + link_xml("a") + "</robot>").nv() == 0);
}

TEST_CASE("urdf: a file of xacro is rejected with the command that expands it") {
  const auto rejected = [](const std::string& text, const char* found) {
    return rejection(text, {"line ", found, "belongs to xacro", "xacro robot.urdf.xacro > robot.urdf"});
  };
  CHECK(rejected(robot_xml("<xacro:include filename='x'/>"), "<xacro:include>") == "rejected");
  CHECK(rejected(robot_xml(link_xml("a", "<xacro:box_inertia m='1'/>")), "<xacro:box_inertia>") == "rejected");
  CHECK(rejected(robot_xml(link_xml("a", inertial("${m}", moments))), "'${m}'") == "rejected");
  CHECK(rejected(robot_xml(link_xml("$(arg prefix)a")), "'$(arg prefix)a'") == "rejected");
  CHECK(rejected(two_links("revolute", limit + "<origin rpy='0 0 ${pi/2}'/>"), "'0 0 ${pi/2}'") == "rejected");
  // Expanded files keep the namespace, and geometry is not read.
  CHECK(corio::urdf::parse("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>" +
                           link_xml("a", "<visual><mesh filename='$(find r)/a.stl'/></visual>") + "</robot>")
            .name() == "r");
}

TEST_CASE("urdf: missing and repeated names are rejected") {
  CHECK(rejection(robot_xml("<link/>"), {"a <link> has no name"}) == "rejected");
  CHECK(rejection(robot_xml("<link name=''/>"), {"a <link> has no name"}) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + "<joint type='fixed'/>"), {"line 2", "a <joint> has no name"}) ==
        "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + link_xml("a")),
                  {"line 2", "two links are named 'a'", "line 1", "unique"}) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + link_xml("b") + link_xml("c") + joint_xml("j", "revolute", "a", "b") +
                            joint_xml("j", "revolute", "b", "c")),
                  {"line 5", "two joints are named 'j'", "line 4", "unique"}) == "rejected");
}

TEST_CASE("urdf: joints whose links are missing are rejected") {
  CHECK(rejection(robot_xml(link_xml("b") + joint_xml("j", "revolute", "a", "b")),
                  {"joint 'j'", "parent link 'a' is not in the file", "add <link name=\"a\"/>"}) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + joint_xml("j", "revolute", "a", "b")), {"joint 'j'", "child link 'b'"}) ==
        "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + "<joint name='j' type='fixed'><child link='a'/></joint>"),
                  {"joint 'j' has no <parent>"}) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + "<joint name='j' type='fixed'><parent link='a'/></joint>"),
                  {"joint 'j' has no <child>"}) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + "<joint name='j' type='fixed'><parent link='a'/><child/></joint>"),
                  {"joint 'j'", "<child> has no attribute link"}) == "rejected");
}

TEST_CASE("urdf: links and joints that are not one tree are rejected") {
  const std::string links = link_xml("a") + link_xml("b") + link_xml("c");
  CHECK(rejection(robot_xml(links + joint_xml("j", "revolute", "a", "b")),
                  {"links 'a', 'c' have no parent joint", "all but one"}) == "rejected");
  std::string loose;
  for (int i = 0; i < 12; ++i) loose += link_xml("l" + std::to_string(i));
  CHECK(rejection(robot_xml(loose), {"links 'l0', 'l1', ", "'l9' and 2 more have no parent joint"}) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + link_xml("b") + joint_xml("j", "revolute", "a", "b") +
                            joint_xml("k", "revolute", "b", "a")),
                  {"every link is the child of a joint", "loop", "one link must be the root"}) == "rejected");
  CHECK(rejection(robot_xml(links + joint_xml("j", "revolute", "b", "c") + joint_xml("k", "revolute", "c", "b")),
                  {"its child link", "is also its ancestor", "tree"}) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + link_xml("b") + joint_xml("j", "revolute", "b", "b")),
                  {"joint 'j'", "'b' is also its ancestor"}) == "rejected");
  CHECK(rejection(robot_xml(links + joint_xml("j", "revolute", "a", "b") + joint_xml("k", "revolute", "a", "c") +
                            joint_xml("m", "revolute", "b", "c")),
                  {"joint 'm'", "child link 'c'", "joint 'k'", "one parent joint"}) == "rejected");
}

TEST_CASE("urdf: unknown and missing joint types are rejected") {
  CHECK(rejection(two_links("ball"), {"joint 'j'", "\"ball\"", "revolute, continuous, prismatic"}) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + "<joint name='j'/>"), {"joint 'j'", "no attribute type"}) == "rejected");
}

TEST_CASE("urdf: values that are not finite numbers are rejected with their attribute") {
  for (const std::string bad : {"nan", "inf", "1e999", "1,5", "", "one", "1.0m"}) {
    CAPTURE(bad);
    const auto with_inertial = [](const std::string& content) { return robot_xml(link_xml("a", content)); };
    CHECK(rejection(with_inertial(inertial(bad, moments)), {"link 'a'", "<mass value=", "a finite number"}) ==
          "rejected");
    CHECK(rejection(with_inertial(inertial("1", "ixx='" + bad + "' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'")),
                    {"link 'a'", "<inertia ixx=", "a finite number"}) == "rejected");
    for (const std::string key : {"xyz", "rpy"}) {
      const std::string origin = "<origin " + key + "=\"0 0 " + bad + "\"/>";
      CHECK(rejection(with_inertial(inertial("1", moments, origin)), {"link 'a'", "<origin ", "3 finite numbers"}) ==
            "rejected");
      CHECK(rejection(two_links("fixed", origin), {"joint 'j'", "<origin ", "3 finite numbers"}) == "rejected");
    }
    CHECK(rejection(two_links("continuous", "<axis xyz='0 1 " + bad + "'/>"),
                    {"joint 'j'", "<axis xyz=", "3 finite"}) == "rejected");
    CHECK(rejection(two_links("revolute", limit + "<dynamics damping='" + bad + "'/>"),
                    {"joint 'j'", "<dynamics damping=", "a finite number"}) == "rejected");
    if (bad.find("inf") != bad.npos) continue;  // limits may be infinite
    for (const std::string key : {"lower", "velocity", "jerk"})
      CHECK(rejection(two_links("revolute", "<limit " + key + "='" + bad + "'/>"),
                      {"joint 'j'", ("<limit " + key + "=").c_str(), "a number, inf or -inf"}) == "rejected");
  }
  CHECK(rejection(two_links("fixed", "<origin xyz='0 0'/>"), {"joint 'j'", "3 finite numbers"}) == "rejected");
  CHECK(rejection(two_links("fixed", "<origin xyz='0 0 0 0'/>"), {"joint 'j'", "3 finite numbers"}) == "rejected");
}

TEST_CASE("urdf: numbers stand between blanks") {
  CHECK(rejection(two_links("fixed", "<origin xyz='0, 0, 1'/>"),
                  {"joint 'j'", "xyz='0, 0, 1'", "3 finite numbers between blanks, without commas"}) == "rejected");
}

TEST_CASE("urdf: an incomplete inertial is rejected") {
  const auto one = [](const std::string& content) { return robot_xml(link_xml("a", content)); };
  CHECK(rejection(one("<inertial><mass/><inertia " + moments + "/></inertial>"), {"link 'a'", "no attribute value"}) ==
        "rejected");
  CHECK(rejection(one(inertial("1", "ixx='1' iyy='1'")), {"link 'a'", "no attribute izz"}) == "rejected");
}

TEST_CASE("urdf: a negative mass is rejected, and what no body has if strictness is asked for") {
  const Options strict{.inertias = corio::Inertias::strict};
  const std::string hinge = joint_xml("j", "revolute", "a", "b");
  CHECK(rejection(robot_xml(link_xml("a") + link_xml("b", inertial("-1", moments)) + hinge),
                  {"link 'b'", "mass is -1 kg", "must not be negative"}) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") +
                            link_xml("b", inertial("1", "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='3'")) + hinge),
                  {"URDF text", "'b'", "1, 1, 3", "triangle inequality"}, strict) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") +
                            link_xml("b", inertial("1", "ixx='1' ixy='2' ixz='0' iyy='1' iyz='0' izz='1'")) + hinge),
                  {"'b'", "nonnegative"}, strict) == "rejected");
  CHECK(rejection(robot_xml(link_xml("a") + link_xml("b", "") + hinge), {"joint 'j'", "moves no inertia", "'b'"},
                  strict) == "rejected");
}

TEST_CASE("urdf: a zero or unfinished axis is rejected") {
  for (const std::string type : {"revolute", "continuous", "prismatic", "planar"}) {
    CHECK(rejection(two_links(type, limit + "<axis xyz='0 0 0'/>"), {"joint 'j'", "axis is zero", "direction"}) ==
          "rejected");
    CHECK(rejection(two_links(type, limit + "<axis/>"), {"joint 'j'", "<axis> has no attribute xyz"}) == "rejected");
  }
}

TEST_CASE("urdf: contradictory limits, negative damping and friction are rejected") {
  for (const std::string type : {"revolute", "prismatic"}) {
    CHECK(rejection(two_links(type, "<limit lower='inf' upper='inf'/>"), {"joint 'j'", "leave no position"}) ==
          "rejected");
    CHECK(rejection(two_links(type, "<limit lower='-inf' upper='-inf'/>"), {"joint 'j'", "leave no position"}) ==
          "rejected");
    CHECK(rejection(two_links(type, limit + "<dynamics damping='-2'/>"), {"line 3", "joint 'j'", "damping is -2"}) ==
          "rejected");
    CHECK(rejection(two_links(type, limit + "<dynamics friction='-2'/>"), {"joint 'j'", "friction is -2"}) ==
          "rejected");
  }
  CHECK(rejection(two_links("revolute", limit + "<safety_controller soft_lower_limit='1' k_velocity='1'/>"),
                  {"line 3", "joint 'j'", "soft_lower_limit 1 exceeds its soft_upper_limit 0"}) == "rejected");
  for (const std::string role : {"parent", "child"})
    CHECK(rejection(two_links("revolute", limit + "<" + role + " link='a'/>"),
                    {"joint 'j'", ("two <" + role + ">").c_str()}) == "rejected");
}

TEST_CASE("urdf: all joints that mimic others are rejected in one message where that is asked for") {
  const std::string text = robot_xml(link_xml("a") + link_xml("b") + link_xml("c") + link_xml("d") +
                                     joint_xml("j", "revolute", "a", "b", limit + "<mimic joint='k'/>") +
                                     joint_xml("k", "revolute", "b", "c") +
                                     joint_xml("l", "revolute", "c", "d", limit + "<mimic joint='k' offset='1'/>"));
  CHECK(rejection(text,
                  {"line 5: joint 'j' mimics joint 'k'", "line 7: joint 'l' mimics joint 'k'", "Mimic::couple",
                   "Mimic::independent"},
                  {.mimic = corio::urdf::Mimic::reject}) == "rejected");
  // A joint that does not exist is reported where it is needed.
  const std::string without = two_links("revolute", limit + "<mimic joint='k'/>");
  CHECK(rejection(without, {"line 3", "joint 'j'", "'k'", "not in the file", "Mimic::independent"}) == "rejected");
  CHECK(rejection(without, {"line 3", "joint 'j'", "'k'"}, {.mimic = corio::urdf::Mimic::reject}) == "rejected");
  CHECK(corio::urdf::parse(without, {.mimic = corio::urdf::Mimic::independent}).nv() == 1);
  CHECK(rejection(two_links("revolute", limit + "<mimic/>"), {"joint 'j'", "<mimic> has no attribute joint"},
                  {.mimic = corio::urdf::Mimic::independent}) == "rejected");
}

TEST_CASE("urdf: armature for a joint that the file does not have is rejected") {
  CHECK(rejection(two_links("revolute"), {"Options::armature", "joint 'elbow'", "not in the file"},
                  {.armature = {{"elbow", 1.0}}}) == "rejected");
  CHECK(rejection(two_links("revolute"), {"URDF text", "joint 'j'", "armature must not be negative"},
                  {.armature = {{"j", -1.0}}}) == "rejected");
  CHECK(rejection(two_links("fixed"), {"Options::armature", "joint 'j'", "is fixed"}, {.armature = {{"j", 1.0}}}) ==
        "rejected");
  CHECK(rejection(two_links("floating"), {"joint 'j'", "armature", "expected 6"}, {.armature = {{"j", 1.0}}}) ==
        "rejected");
}

TEST_CASE("urdf: what only build() rejects bears the name and line of the file, too") {
  const TemporaryFile file(robot_xml(link_xml("a", inertial("1e200", moments))));
  CHECK(message_of([&] {
          corio::urdf::load(file.path());
        }).find(file.path().string() + ": line 1: model 'r': body 'a'") == 0);
  CHECK_NOTHROW(corio::urdf::builder(file.path()));
}

TEST_CASE("urdf: the joint of the root has a free name, or the one that is asked for") {
  const corio::joint::FreeFlyer free;
  const std::string text =
      robot_xml(link_xml("a") + link_xml("b") + link_xml("c") + joint_xml("root_joint", "revolute", "a", "b") +
                joint_xml("root_joint_", "revolute", "b", "c"));
  const auto chosen = corio::urdf::parse(text, free);
  CHECK(chosen.joints()[0].name() == "root_joint__");
  CHECK(chosen.joint("root_joint").nv() == 1);
  REQUIRE(chosen.notes().size() == 1);
  CHECK(to_string(chosen.notes()[0]) ==
        "line 4: joint 'root_joint': has the name that the joint of the root has elsewhere; that one is "
        "'root_joint__'; Options::root_name gives it another name");
  CHECK(corio::urdf::parse(text, Options{.root = free, .root_name = "base"}).joint("base").nv() == 6);
  CHECK(corio::urdf::parse(text).nv() == 2);
  CHECK(corio::urdf::parse(two_links("revolute"), free).joint("root_joint").nv() == 6);
  CHECK(corio::urdf::parse(two_links("revolute"), free).notes().empty());
  CHECK(rejection(two_links("revolute"), {"line 3: joint 'j'", "Options::root_name", "choose another"},
                  Options{.root = free, .root_name = "j"}) == "rejected");
}
