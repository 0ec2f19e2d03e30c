#include "io/urdf_text.hpp"
#include "support/catch.hpp"

// Each message has to name the cause and a correct form.

using namespace corio::test;
using corio::urdf::Options;

TEST_CASE("urdf: a missing file, a folder and a bad file are refused under their path") {
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

TEST_CASE("urdf: malformed XML is refused with its line") {
  const auto malformed = [](const std::string& text, const char* line) {
    return refusal(text, {"URDF text: line ", line, ": malformed XML: "});
  };
  CHECK(refusal("", {"malformed XML", "empty"}) == "refused");
  CHECK(refusal("robot.urdf", {"malformed XML", "no element", "load the name of a file"}) == "refused");
  CHECK(refusal("<!-- a comment -->", {"malformed XML", "no element"}) == "refused");
  CHECK(malformed("<robot name='r'>\n<link name='a'>", "2") == "refused");
  CHECK(malformed("<robot name='r'>\n<link name='a'></robot>", "2") == "refused");
  CHECK(malformed("<robot name='r'/>\n<robot name='s'/>", "2") == "refused");
  CHECK(malformed("<robot name=r/>", "1") == "refused");
  CHECK(malformed("<robot name='r/>", "1") == "refused");
  CHECK(malformed("<robot name='r' name='s'/>", "1") == "refused");
  CHECK(malformed("<robot name/>", "1") == "refused");
  CHECK(malformed("<robot name='r'><!-- open </robot>", "1") == "refused");
  CHECK(malformed("<robot name='r'><![CDATA[ open </robot>", "1") == "refused");
  CHECK(malformed("<?xml version='1.0'", "1") == "refused");
  CHECK(malformed("<robot name='r'><link name='a' <joint/></robot>", "1") == "refused");
  CHECK(malformed("<robot name='r'><link name='a'", "1") == "refused");
  CHECK(malformed("<robot name='r'></robot", "1") == "refused");
  CHECK(malformed("<>", "1") == "refused");
  CHECK(refusal(std::string("<robot\0 name='r'/>", 18), {"zero byte", "UTF-8"}) == "refused");
}

TEST_CASE("urdf: what is not an expanded robot description is refused") {
  CHECK(refusal("<sdf version='1.6'/>", {"<sdf>", "a URDF has <robot>"}) == "refused");
  CHECK(refusal("<mujoco/>", {"<mujoco>", "a URDF has <robot>", "corio::mjcf::load"}) == "refused");
  CHECK(refusal("<robot/>", {"has no links"}) == "refused");
  CHECK(refusal("<robot name='r'/>", {"has no links", "<link name="}) == "refused");
  CHECK(refusal("<robot name='r' version='9.0'>" + link_xml("a") + "</robot>",
                {"line 1", "version '9.0'", "expected 1.0"}) == "refused");
  for (const std::string version : {"1", "1.0", "1.2"})
    CHECK(corio::urdf::parse("<robot name='r' version='" + version + "'>" + link_xml("a") + "</robot>").nv() == 0);
}

TEST_CASE("urdf: a file of xacro is refused with the command that expands it") {
  const auto refused = [](const std::string& text, const char* found) {
    return refusal(text, {"line ", found, "belongs to xacro", "xacro robot.urdf.xacro > robot.urdf"});
  };
  CHECK(refused(robot_xml("<xacro:include filename='x'/>"), "<xacro:include>") == "refused");
  CHECK(refused(robot_xml(link_xml("a", "<xacro:box_inertia m='1'/>")), "<xacro:box_inertia>") == "refused");
  CHECK(refused(robot_xml(link_xml("a", inertial("${m}", moments))), "'${m}'") == "refused");
  CHECK(refused(robot_xml(link_xml("$(arg prefix)a")), "'$(arg prefix)a'") == "refused");
  CHECK(refused(two_links("revolute", limit + "<origin rpy='0 0 ${pi/2}'/>"), "'0 0 ${pi/2}'") == "refused");
  // Expanded files keep the namespace, and geometry is not read.
  CHECK(corio::urdf::parse("<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>" +
                           link_xml("a", "<visual><mesh filename='$(find r)/a.stl'/></visual>") + "</robot>")
            .name() == "r");
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
  std::string loose;
  for (int i = 0; i < 12; ++i) loose += link_xml("l" + std::to_string(i));
  CHECK(refusal(robot_xml(loose), {"links 'l0', 'l1', ", "'l9' and 2 more have no parent joint"}) == "refused");
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
    CHECK(refusal(with_inertial(inertial(bad, moments)), {"link 'a'", "<mass value=", "a finite number"}) == "refused");
    CHECK(refusal(with_inertial(inertial("1", "ixx='" + bad + "' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'")),
                  {"link 'a'", "<inertia ixx=", "a finite number"}) == "refused");
    for (const std::string key : {"xyz", "rpy"}) {
      const std::string origin = "<origin " + key + "=\"0 0 " + bad + "\"/>";
      CHECK(refusal(with_inertial(inertial("1", moments, origin)), {"link 'a'", "<origin ", "3 finite numbers"}) ==
            "refused");
      CHECK(refusal(two_links("fixed", origin), {"joint 'j'", "<origin ", "3 finite numbers"}) == "refused");
    }
    CHECK(refusal(two_links("continuous", "<axis xyz='0 1 " + bad + "'/>"), {"joint 'j'", "<axis xyz=", "3 finite"}) ==
          "refused");
    CHECK(refusal(two_links("revolute", limit + "<dynamics damping='" + bad + "'/>"),
                  {"joint 'j'", "<dynamics damping=", "a finite number"}) == "refused");
    if (bad.find("inf") != bad.npos) continue;  // limits may be infinite
    for (const std::string key : {"lower", "velocity", "jerk"})
      CHECK(refusal(two_links("revolute", "<limit " + key + "='" + bad + "'/>"),
                    {"joint 'j'", ("<limit " + key + "=").c_str(), "a number, inf or -inf"}) == "refused");
  }
  CHECK(refusal(two_links("fixed", "<origin xyz='0 0'/>"), {"joint 'j'", "3 finite numbers"}) == "refused");
  CHECK(refusal(two_links("fixed", "<origin xyz='0 0 0 0'/>"), {"joint 'j'", "3 finite numbers"}) == "refused");
}

TEST_CASE("urdf: numbers stand between blanks") {
  CHECK(refusal(two_links("fixed", "<origin xyz='0, 0, 1'/>"),
                {"joint 'j'", "xyz='0, 0, 1'", "3 finite numbers between blanks, without commas"}) == "refused");
}

TEST_CASE("urdf: an incomplete inertial is refused") {
  const auto one = [](const std::string& content) { return robot_xml(link_xml("a", content)); };
  CHECK(refusal(one("<inertial><mass/><inertia " + moments + "/></inertial>"), {"link 'a'", "no attribute value"}) ==
        "refused");
  CHECK(refusal(one(inertial("1", "ixx='1' iyy='1'")), {"link 'a'", "no attribute izz"}) == "refused");
}

TEST_CASE("urdf: a negative mass is refused, and what no body has if strictness is asked for") {
  const Options strict{.inertias = corio::Inertias::strict};
  const std::string hinge = joint_xml("j", "revolute", "a", "b");
  CHECK(refusal(robot_xml(link_xml("a") + link_xml("b", inertial("-1", moments)) + hinge),
                {"link 'b'", "mass is -1 kg", "must not be negative"}) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") +
                          link_xml("b", inertial("1", "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='3'")) + hinge),
                {"URDF text", "'b'", "1, 1, 3", "triangle inequality"}, strict) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") +
                          link_xml("b", inertial("1", "ixx='1' ixy='2' ixz='0' iyy='1' iyz='0' izz='1'")) + hinge),
                {"'b'", "nonnegative"}, strict) == "refused");
  CHECK(refusal(robot_xml(link_xml("a") + link_xml("b", "") + hinge), {"joint 'j'", "moves no inertia", "'b'"},
                strict) == "refused");
}

TEST_CASE("urdf: a zero or unfinished axis is refused") {
  for (const std::string type : {"revolute", "continuous", "prismatic", "planar"}) {
    CHECK(refusal(two_links(type, limit + "<axis xyz='0 0 0'/>"), {"joint 'j'", "axis is zero", "direction"}) ==
          "refused");
    CHECK(refusal(two_links(type, limit + "<axis/>"), {"joint 'j'", "<axis> has no attribute xyz"}) == "refused");
  }
}

TEST_CASE("urdf: contradictory limits, negative damping and friction are refused") {
  for (const std::string type : {"revolute", "prismatic"}) {
    CHECK(refusal(two_links(type, "<limit lower='inf' upper='inf'/>"), {"joint 'j'", "leave no position"}) ==
          "refused");
    CHECK(refusal(two_links(type, "<limit lower='-inf' upper='-inf'/>"), {"joint 'j'", "leave no position"}) ==
          "refused");
    CHECK(refusal(two_links(type, limit + "<dynamics damping='-2'/>"), {"line 3", "joint 'j'", "damping is -2"}) ==
          "refused");
    CHECK(refusal(two_links(type, limit + "<dynamics friction='-2'/>"), {"joint 'j'", "friction is -2"}) == "refused");
  }
  CHECK(refusal(two_links("revolute", limit + "<safety_controller soft_lower_limit='1' k_velocity='1'/>"),
                {"line 3", "joint 'j'", "soft_lower_limit 1 exceeds its soft_upper_limit 0"}) == "refused");
  for (const std::string role : {"parent", "child"})
    CHECK(refusal(two_links("revolute", limit + "<" + role + " link='a'/>"),
                  {"joint 'j'", ("two <" + role + ">").c_str()}) == "refused");
}

TEST_CASE("urdf: all joints that mimic others are refused in one message where that is asked for") {
  const std::string text = robot_xml(link_xml("a") + link_xml("b") + link_xml("c") + link_xml("d") +
                                     joint_xml("j", "revolute", "a", "b", limit + "<mimic joint='k'/>") +
                                     joint_xml("k", "revolute", "b", "c") +
                                     joint_xml("l", "revolute", "c", "d", limit + "<mimic joint='k' offset='1'/>"));
  CHECK(refusal(text,
                {"line 5: joint 'j' mimics joint 'k'", "line 7: joint 'l' mimics joint 'k'", "Mimic::couple",
                 "Mimic::independent"},
                {.mimic = corio::urdf::Mimic::reject}) == "refused");
  // A joint that does not exist is reported where it is needed.
  const std::string without = two_links("revolute", limit + "<mimic joint='k'/>");
  CHECK(refusal(without, {"line 3", "joint 'j'", "'k'", "not in the file", "Mimic::independent"}) == "refused");
  CHECK(refusal(without, {"line 3", "joint 'j'", "'k'"}, {.mimic = corio::urdf::Mimic::reject}) == "refused");
  CHECK(corio::urdf::parse(without, {.mimic = corio::urdf::Mimic::independent}).nv() == 1);
  CHECK(refusal(two_links("revolute", limit + "<mimic/>"), {"joint 'j'", "<mimic> has no attribute joint"},
                {.mimic = corio::urdf::Mimic::independent}) == "refused");
}

TEST_CASE("urdf: armature for a joint that the file does not have is refused") {
  CHECK(refusal(two_links("revolute"), {"Options::armature", "joint 'elbow'", "not in the file"},
                {.armature = {{"elbow", 1.0}}}) == "refused");
  CHECK(refusal(two_links("revolute"), {"URDF text", "joint 'j'", "armature must not be negative"},
                {.armature = {{"j", -1.0}}}) == "refused");
  CHECK(refusal(two_links("fixed"), {"Options::armature", "joint 'j'", "is fixed"}, {.armature = {{"j", 1.0}}}) ==
        "refused");
  CHECK(refusal(two_links("floating"), {"joint 'j'", "armature", "expected 6"}, {.armature = {{"j", 1.0}}}) ==
        "refused");
}

TEST_CASE("urdf: what only build() refuses bears the name and line of the file, too") {
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
  CHECK(refusal(two_links("revolute"), {"line 3: joint 'j'", "Options::root_name", "choose another"},
                Options{.root = free, .root_name = "j"}) == "refused");
}
