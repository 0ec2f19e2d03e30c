#include "corio/io/mjcf.hpp"
#include "io/rejection.hpp"
#include "support/catch.hpp"
#include "support/temporary_file.hpp"

// Every rejection names the file, the line, the element and a correct form.

using namespace corio;

namespace {

std::string rejection(const std::string& text, std::initializer_list<const char*> parts) {
  return test::rejection_of([&] { mjcf::parse(text); }, parts);
}

const std::string some_inertial = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>";

/// Places the section on line 2 of the text.
std::string section(const std::string& content) {
  return "<mujoco>\n" + content + "<worldbody><body name='b'><joint/>" + some_inertial + "</body></worldbody></mujoco>";
}
std::string in_body(const std::string& content) {
  return "<mujoco><worldbody><body name='b'>\n" + content + "</body></worldbody></mujoco>";
}

}  // namespace

TEST_CASE("mjcf: what is not known or not read is rejected") {
  CHECK(rejection("<robot/>", {"MJCF text: line 1", "<robot>", "MJCF has <mujoco>", "corio::urdf::load"}) ==
        "rejected");
  CHECK(rejection("<mujoco>\n<worldbody></mujoco>", {"MJCF text: line 2", "malformed"}) == "rejected");
  CHECK(rejection("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>", {"no <body>", "would be empty"}) ==
        "rejected");
  CHECK(rejection(section("<bodies/>"), {"line 2: <bodies>", "not known in <mujoco>", "worldbody"}) == "rejected");
  for (const std::string part : {"geom", "texture", "joint"})
    CHECK(rejection("<mujoco>\n<" + part + "/></mujoco>",
                    {"line 2: <", part.c_str(), "not known in <mujoco>", "include"}) == "rejected");
  CHECK(rejection(in_body("<link name='l'/>"), {"line 2: link 'l'", "not known in <body>"}) == "rejected");
  CHECK(rejection(in_body("<joint name='j' armatur='1'/>"), {"line 2: joint 'j'", "armatur='1'", "armature"}) ==
        "rejected");
  CHECK(rejection(in_body("<joint type='screw'/>"), {"line 2", "type='screw'", "free, ball, slide, hinge"}) ==
        "rejected");
  CHECK(rejection(in_body("<joint springdamper='0 1'/>" + some_inertial), {"springdamper", "two positive numbers"}) ==
        "rejected");
  CHECK(rejection(in_body("<joint springdamper='1'/>" + some_inertial), {"springdamper='1'", "2 finite numbers"}) ==
        "rejected");
  CHECK(rejection(in_body("<joint/><joint axis='1 0 0' springdamper='1 1'/><joint axis='0 1 0'/><joint type='slide'/>"),
                  {"line 2: <joint>", "springdamper", "mass matrix, which is singular"}) == "rejected");
  CHECK(rejection(in_body("<geom type='cone'/>"), {"line 2: <geom>", "type='cone'", "capsule"}) == "rejected");
  CHECK(rejection(in_body("<geom type='mesh' mesh='m'/>"),
                  {"mesh", "solid_of_mesh = corio::mesh::solid", "<inertial>", "Meshes::massless"}) == "rejected");
  CHECK(rejection(in_body("<geom type='sdf' mesh='m'/>"), {"from a mesh", "MuJoCo 3.0.0", "<inertial>"}) == "rejected");
  CHECK(rejection(in_body("<freejoint align='true'/>"),
                  {"align", "MuJoCo 3.2.3 or newer", "align=\"false\"", "mj_saveLastXML"}) == "rejected");
  CHECK(rejection(section("<compiler alignfree='true'/><worldbody><body><freejoint/></body></worldbody>"),
                  {"alignfree (MuJoCo 3.2.3 or newer)"}) == "rejected");
  // Elements that generate bodies, with the versions of MuJoCo that write the bodies out.
  for (const auto& [generator, versions] : {std::pair{"<composite/>", "3.2.7 or older"},
                                            {"<composite type='particle'/>", "3.2.7 or older"},
                                            {"<composite type='grid'/>", "3.2.7 or older"},
                                            {"<composite type='cable'/>", "2.3.0 or newer"},
                                            {"<composite type='rope'/>", "2.3.7 or older"},
                                            {"<composite type='loop'/>", "2.3.7 or older"},
                                            {"<composite type='cloth'/>", "2.3.7 or older"},
                                            {"<composite type='ellipsoid'/>", "3.2.4 or older"},
                                            {"<flexcomp/>", "3.0.0 or newer"},
                                            {"<flexcomp type='mesh' rigid='false'/>", "3.0.0 or newer"}})
    CHECK(rejection(in_body(generator), {"line 2", "MuJoCo ", versions, "mj_saveLastXML"}) == "rejected");
  CHECK(rejection(in_body("<joint/>" + some_inertial + "<flexcomp rigid='true'/>"), {}) == "(no ModelError)");
  CHECK(rejection(section("<compiler coordinate='global'/>"),
                  {"line 2: <compiler>", "2.3.3 or older, which writes local"}) == "rejected");
  CHECK(rejection(section("<compiler eulerseq='xyw'/>"), {"eulerseq='xyw'", "X, Y, Z"}) == "rejected");
  CHECK(rejection(section("<compiler angle='grad'/>"), {"angle='grad'", "degree, radian"}) == "rejected");
  CHECK(rejection(section("<option><flags/></option>"), {"<flags>", "did you mean flag?"}) == "rejected");
}

TEST_CASE("mjcf: numbers that are missing, too many, or out of their range are rejected") {
  CHECK(rejection(in_body("<joint axis='1 0'/>"), {"line 2: <joint>", "axis='1 0'", "3 finite numbers"}) == "rejected");
  CHECK(rejection(in_body("<joint axis='0 0 0'/>"), {"axis='0 0 0'", "zero vector"}) == "rejected");
  CHECK(rejection(in_body("<joint damping='-1'/>"), {"damping='-1'", "negative"}) == "rejected");
  CHECK(rejection(in_body("<joint damping='1 2 3 4'/>"), {"damping='1 2 3 4'", "1 to 3 finite numbers"}) == "rejected");
  CHECK(rejection(in_body("<joint range='2 1'/>"), {"range must grow"}) == "rejected");
  CHECK(rejection(in_body("<inertial mass='1' diaginertia='1 1 1'/>"), {"line 2: <inertial>", "pos"}) == "rejected");
  CHECK(rejection(in_body("<inertial pos='0 0 0'/>"), {"needs the attribute mass"}) == "rejected");
  CHECK(rejection(in_body("<inertial pos='0 0 0' mass='-1'/>"), {"mass='-1'", "negative"}) == "rejected");
  CHECK(rejection(in_body("<geom type='box' size='1 1'/>"), {"size='1 1'", "3 finite numbers"}) == "rejected");
  CHECK(rejection(in_body("<geom size='0'/>"), {"size='0'", "positive"}) == "rejected");
  CHECK(rejection(in_body("<geom/>"), {"needs the attribute size"}) == "rejected");
  CHECK(rejection(in_body("<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>"), {"fromto"}) == "rejected");
  CHECK(rejection(in_body("<body quat='0 0 0 0'/>"), {"quat is zero"}) == "rejected");
  CHECK(rejection(in_body("<body xyaxes='1 0 0 2 0 0'/>"), {"xyaxes"}) == "rejected");
  CHECK(rejection(section("<keyframe><key qpos='1 2'/></keyframe>"), {"<key>", "qpos='1 2'", "a finite number"}) ==
        "rejected");
  CHECK(rejection(section("<compiler autolimits='false'/><default><joint range='0 1'/></default>"),
                  {"range='0 1'", "limited"}) == "rejected");
}

TEST_CASE("mjcf: what contradicts itself is rejected") {
  CHECK(rejection(in_body("<body quat='1 0 0 0' euler='0 0 0'/>"), {"twice", "quat and euler"}) == "rejected");
  CHECK(rejection(in_body("<inertial pos='0 0 0' mass='1' quat='1 0 0 0' fullinertia='1 1 1 0 0 0'/>"),
                  {"fullinertia and quat"}) == "rejected");
  CHECK(rejection(in_body("<inertial pos='0 0 0' mass='1' diaginertia='1 1 1' fullinertia='1 1 1 0 0 0'/>"),
                  {"fullinertia and diaginertia"}) == "rejected");
  for (const char* pos : {"1 0 0", "0 1 0", "0 0 1"})
    CHECK(rejection(in_body("<geom type='box' size='1' fromto='0 0 0 0 0 1' pos='" + std::string(pos) + "'/>"),
                    {"pos and fromto"}) == "rejected");
  CHECK(rejection(in_body(some_inertial + some_inertial), {"second <inertial>"}) == "rejected");
  CHECK(rejection(in_body("<frame>" + some_inertial + "</frame>"), {"<frame>"}) == "rejected");
  CHECK(rejection(in_body("<freejoint/><joint/>"), {"free joint"}) == "rejected");
  CHECK(rejection(in_body("<body><freejoint/></body>"), {"free joint"}) == "rejected");
  CHECK(rejection(in_body("<body name='b'/>"), {"line 2: body 'b'", "another body"}) == "rejected");
  CHECK(rejection(in_body("<joint name='j'/><joint name='j'/>"), {"joint 'j'", "another joint"}) == "rejected");
  CHECK(rejection(in_body("<site name=''/>"), {"empty"}) == "rejected");
  CHECK(rejection("<mujoco><worldbody><joint/></worldbody></mujoco>", {"the world has no"}) == "rejected");
  CHECK(rejection(in_body("<joint class='c'/>"), {"class='c'", "not a class"}) == "rejected");
  CHECK(rejection(section("<default><default/></default>"), {"needs a name"}) == "rejected");
  CHECK(rejection(section("<default><default class='a'/><default class='a'/></default>"), {"another class"}) ==
        "rejected");
  CHECK(rejection(section("<default><joint class='x'/></default>"), {"<joint>", "attribute class='x'"}) == "rejected");
  CHECK(rejection(section("<default><geom euler='1 0 0'/></default>"), {}) == "(no ModelError)");
  // Between an inherited Euler angle and an own quaternion, versions of MuJoCo choose differently.
  CHECK(rejection("<mujoco><default><site euler='1 0 0'/></default><worldbody><site name='s' quat='1 0 0 0'/>"
                  "</worldbody></mujoco>",
                  {"site 's'", "quat and euler", "default class"}) == "rejected");
}

TEST_CASE("mjcf: inclusion is bounded, and its errors name the file") {
  const test::TemporaryFolder folder;
  const auto message = [&](const char* name) {
    try {
      mjcf::load(folder.path() / name);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("(no ModelError)");
  };
  const auto holds = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  const std::string body = "<body><joint/>" + some_inertial + "</body>";
  folder.write("loop.xml", "<mujoco>\n<include file='loop.xml'/></mujoco>");
  folder.write("twice.xml",
               "<mujoco><worldbody><include file='part.xml'/>\n<include file='./part.xml'/></worldbody></mujoco>");
  folder.write("part.xml", "<x>" + body + "</x>");
  folder.write("absent.xml", "<mujoco><include file='nowhere.xml'/></mujoco>");
  folder.write("outer.xml", "<mujoco><worldbody><include file='parts/inner.xml'/></worldbody></mujoco>");
  folder.write("parts/inner.xml", "<x><include file='wrong.xml'/></x>");
  folder.write("parts/wrong.xml", "<x>\n\n<body name='w' poss='1 0 0'/></x>");
  folder.write("empty.xml", "<mujoco><include file='nothing.xml'/></mujoco>");
  folder.write("nothing.xml", "<x/>");
  CHECK(holds(message("loop.xml"), "loop.xml: line 2: <include>: file 'loop.xml' is included a second time"));
  CHECK(holds(message("twice.xml"), "twice.xml: line 2"));
  CHECK(holds(message("absent.xml"), "nowhere.xml' does not exist"));
  CHECK(holds(message("outer.xml"), "parts/wrong.xml: line 3: body 'w': attribute poss"));
  CHECK(holds(message("empty.xml"), "has no elements"));
  CHECK(holds(message("no such file.xml"), "does not exist"));
  CHECK(holds(message("parts"), "is a folder"));
  // A text finds its files in the folder that the options name.
  mjcf::Options options;
  options.folder = folder.path();
  CHECK(mjcf::parse("<mujoco><worldbody><include file='part.xml'/></worldbody></mujoco>", options).nv() == 1);
  // Backslashes separate folders, too.
  folder.write("parts/body.xml", "<x>" + body + "</x>");
  CHECK(mjcf::parse("<mujoco><worldbody><include file='parts\\body.xml'/></worldbody></mujoco>", options).nv() == 1);
  folder.write("parts/model.xml", "<mujoco><worldbody>" + body + "</worldbody></mujoco>");
  CHECK(mjcf::parse("<mujoco><asset><model name='m' file='.\\parts\\model.xml'/></asset><worldbody><attach model='m' "
                    "prefix='p'/></worldbody></mujoco>",
                    options)
            .nv() == 1);
  std::filesystem::path opened;
  options.solid_of_mesh = [&](const mesh::Source& source) {
    opened = source.file;
    return mesh::Solid{1, zero3<double>(), identity3<double>()};
  };
  const std::string geom = "<worldbody><body><joint/><geom type='mesh' mesh='link'/></body></worldbody></mujoco>";
  mjcf::parse("<mujoco><compiler meshdir='a\\b'/><asset><mesh file='c\\link.stl'/></asset>" + geom, options);
  CHECK(opened == folder.path() / "a/b/c/link.stl");
  mjcf::parse("<mujoco><compiler strippath='true'/><asset><mesh file='C:\\c\\link.stl'/></asset>" + geom, options);
  CHECK(opened.filename() == "link.stl");
}

TEST_CASE("mjcf: elements that nest without end are rejected") {
  std::string text = "<mujoco><worldbody>";
  for (int i = 0; i < 100000; ++i) text += "<body>";
  CHECK(rejection(text, {"MJCF text: line 1", "depth"}) == "rejected");
}
