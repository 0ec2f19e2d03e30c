#include <iostream>

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/io/mjcf.hpp"
#include "corio/kinematics/configuration.hpp"
#include "io/attached_models.hpp"
#include "io/rejection.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/temporary_file.hpp"

#ifdef CORIO_TEST_MUJOCO
#include "io/mjcf_mujoco.hpp"
#include "io/mjcf_random.hpp"
#endif

// Compares the result of <attach> and <replicate> with the same model written out by hand.

using namespace corio;
using namespace corio::test;

namespace {

struct Contents {
  std::vector<std::string> bodies, joints, frames, loops;
  std::vector<VectorX<double>> numbers;
};
Contents contents(const Model<double>& model) {
  Contents all;
  for (const auto& body : model.bodies()) all.bodies.push_back(body.name());
  for (const auto& joint : model.joints()) all.joints.push_back(joint.name());
  for (const auto& frame : model.frames()) all.frames.push_back(frame.name());
  for (const auto& loop : model.loops()) all.loops.push_back(loop.name);
  Data<double> data(model);
  VectorX<double> q = neutral(model);
  const VectorX<double> v = VectorX<double>::LinSpaced(model.nv(), -1, 2);
  q = integrate<double>(model, q, VectorX<double>::LinSpaced(model.nv(), 1, -0.4));
  const MatrixX<double> M = crba<double>(model, data, q);
  const auto finite = [](const VectorX<double>& x) { return x.cwiseMax(-10).cwiseMin(10).eval(); };
  all.numbers = {M.reshaped(),
                 nonlinear_effects<double>(model, data, q, v),
                 model.damping(),
                 model.stiffness(),
                 model.armature(),
                 finite(model.lower_limit()),
                 finite(model.upper_limit())};
  return all;
}
/// Both compute the same products, at most in another order: allow some ten roundings.
void check_equal(const Model<double>& a, const Model<double>& b) {
  const Contents x = contents(a), y = contents(b);
  CHECK(x.bodies == y.bodies);
  CHECK(x.joints == y.joints);
  CHECK(x.frames == y.frames);
  CHECK(x.loops == y.loops);
  for (std::size_t i = 0; i < x.numbers.size(); ++i) {
    CAPTURE(i);
    REQUIRE(x.numbers[i].size() == y.numbers[i].size());
    CHECK((x.numbers[i] - y.numbers[i]).norm() <= 1e-12 * y.numbers[i].norm());
  }
}

std::string exact(double x) {
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, x).ptr};
}
/// Returns the quaternion for turns by z, y and x about fixed axes, as MJCF defines them.
std::string quaternion_of(double z, double y, double x) {
  const auto turn = quaternion_from_rotation<double>(Matrix3<double>(rotation_x(x) * rotation_y(y) * rotation_z(z)));
  return exact(turn[3]) + " " + exact(turn[0]) + " " + exact(turn[1]) + " " + exact(turn[2]);
}
/// The expected model is written without <attach>: 'upper' and its content are in radians, with its own angles and
/// limits.
std::string written_out(const std::string& around) {
  const std::string equality = R"(<equality>
    <connect name="a_grip" body1="a_upper" body2="a_lower" anchor=".1 0 0"/>
    <joint name="a_coupled" joint1="a_j" joint2="a_k" polycoef="0 2 0 0 0"/></equality></mujoco>)";
  const std::string upper = R"(<body name="a_upper" pos="0 0 1" quat="QUAT">
      <joint name="a_j" axis="1 1 0" range="-57.29577951308232 114.59155902616465" damping="3" stiffness="5"/>
      <inertial pos="0 0 0" mass="MASS" diaginertia="ACROSS ACROSS ALONG"/><site name="a_s" pos="0 1 0"/>
      <body name="a_lower" pos="0 .5 0">
        <joint axis="0 0 1" range="-28.64788975654116 28.64788975654116" damping="3"/>
        <joint type="slide" name="a_k" range="-1 2" damping="3" stiffness="5"/>
        <inertial pos="0 0 0" mass=".5" diaginertia="4e-4 4e-4 4e-4"/></body></body>)";
  std::string text = scene(around + upper, "");
  text.replace(text.find("<asset>"), text.find("</asset>") + 8 - text.find("<asset>"), "");
  text.replace(text.find("</mujoco>"), 9, equality);
  const auto put = [&](const std::string& word, const std::string& value) {
    for (std::size_t at; (at = text.find(word)) != text.npos;) text.replace(at, word.size(), value);
  };
  put("QUAT", quaternion_of(.4, .5, .6));
  // A capsule: a cylinder of radius 0.1 and length 0.4, and two half spheres.
  const double disc = std::numbers::pi * 0.01, tube = 200 * disc * 0.4, ends = 200 * disc * 4.0 / 3.0 * 0.1;
  const double across = tube * (0.01 / 4 + 0.04 / 3) + ends * (0.4 * 0.01 + 0.2 * (0.2 + 0.75 * 0.1));
  put("MASS", exact(tube + ends));
  put("ACROSS", exact(across));
  put("ALONG", exact(tube * 0.01 / 2 + ends * 0.4 * 0.01));
  return text;
}

}  // namespace

TEST_CASE("mjcf: an attached body keeps the units, rules and classes of its model") {
  const TemporaryFolder folder;
  folder.write("parts/arm.xml", arm);
  const auto attached = mjcf::read(folder.write("scene.xml", scene("<attach model='arm' body='upper' prefix='a_'/>")));
  const auto plain = mjcf::read(folder.write("plain.xml", written_out("")));
  check_equal(attached.builder.build(), plain.builder.build());
  // Elements that name the body are copied, elements that name other bodies are not.
  REQUIRE(attached.tendons.size() == 1);
  CHECK(attached.tendons[0].get("name") == "a_t");
  CHECK(attached.tendons[0].children[0].get("joint") == "a_j");
  CHECK(attached.equalities.size() == 2);
  std::string notes;
  for (const Note& note : attached.builder.build().notes()) notes += to_string(note) + "\n";
  CHECK(
      notes.find("arm.xml: <joint>: it names copied objects and other objects, such as the world; it is not copied by "
                 "<attach>, as in MuJoCo") != notes.npos);
  CHECK(notes.find("arm.xml: <option>: gravity or flags of an attached model") != notes.npos);
  CHECK(notes.find("arm.xml: <tendon>") != notes.npos);
  CHECK(notes.find("arm.xml: <actuator>") != notes.npos);
  // Another copy does not repeat the same notes.
  const auto twice = mjcf::load(folder.write("scene.xml", scene("<attach model='arm' body='upper' prefix='a_'/><attach "
                                                                "model='arm' body='upper' prefix='b_'/>")));
  CHECK(twice.notes().size() == attached.builder.build().notes().size());
}

TEST_CASE("mjcf: an attached frame keeps its own pose, not those around it; a whole world is a frame") {
  const TemporaryFolder folder;
  folder.write("parts/arm.xml", arm);
  const auto frame = mjcf::load(folder.write("scene.xml", scene("<attach model='arm' frame='rail' prefix='a_'/>")));
  std::string text = written_out("<frame pos='0 1 0' quat='" + quaternion_of(.1, .2, .3) + "'>");
  text.insert(text.find("</frame></body></frame>"), "</frame>");
  check_equal(frame, mjcf::load(folder.write("plain.xml", text)));

  // The geom of the arm's world becomes a geom of the cart; the body 'world' becomes a body welded to the cart.
  for (const std::string which : {"", "body='world'"}) {
    const auto all = mjcf::load(folder.write("scene.xml", scene("<attach model='arm' " + which + " prefix='a_'/>")));
    CHECK(all.nv() == 5);
    CHECK(all.has_frame("a_world") == !which.empty());
    CHECK(all.joint("a_o").name() == "a_o");
    CHECK(all.loops().size() == 3);
    const double ball = 4.0 / 3.0 * std::numbers::pi * 1000;
    CHECK(all.inertia("cart").mass == Approx(ball * (0.125 + 0.027)));
  }
}

TEST_CASE("mjcf: a model attaches models, and a body of its own") {
  const TemporaryFolder folder;
  const std::string body = "<body name='b'><joint name='j' axis='1 0 0'/><geom size='.1' pos='0 .2 0'/>";
  folder.write("one/two/inner.xml", "<mujoco><worldbody>" + body + "</body></worldbody></mujoco>");
  folder.write("one/middle.xml",
               "<mujoco model='mid'><asset><model name='in' file='two/inner.xml'/></asset><worldbody>" + body +
                   "<attach model='in' prefix='i_'/></body></worldbody></mujoco>");
  const auto nested = mjcf::load(
      folder.write("scene.xml",
                   "<mujoco><asset><model file='one/middle.xml'/></asset><worldbody><attach model='mid' prefix='x_'/>"
                   "<attach model='mid' body='b' prefix='y_'/></worldbody></mujoco>"));
  const auto two = [&](const std::string& p) {
    return "<body name='" + p + "b'><joint name='" + p + "j' axis='1 0 0'/><geom size='.1' pos='0 .2 0'/><body name='" +
           p + "i_b'><joint name='" + p + "i_j' axis='1 0 0'/><geom size='.1' pos='0 .2 0'/></body></body>";
  };
  check_equal(nested, mjcf::parse("<mujoco><worldbody>" + two("x_") + two("y_") + "</worldbody></mujoco>"));

  const auto self =
      mjcf::read_text("<mujoco><worldbody>" + body +
                      "</body><body name='c' pos='1 0 0'><attach body='b' "
                      "prefix='p_'/></body></worldbody><equality><joint joint1='j'/></equality></mujoco>");
  CHECK(self.builder.build().joint("p_j").name() == "p_j");
  REQUIRE(self.equalities.size() == 2);
  CHECK(self.equalities[0].get("joint1") == "j");
  CHECK(self.equalities[1].get("joint1") == "p_j");
}

TEST_CASE("mjcf: keys of an attached model hold for its joints, the others are at their reference") {
  const TemporaryFolder folder;
  const std::string inertial = "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>";
  folder.write("robot.xml",
               "<mujoco><compiler angle='radian'/><default><default class='b'><joint type='ball'/></default>"
               "</default><worldbody><body name='base'><body name='l' childclass='b'><joint/>" +
                   inertial + "</body><frame><joint/></frame>" + inertial +
                   "</body><body name='other'><joint type='slide'/>" + inertial +
                   "</body></worldbody><keyframe><key name='home' time='3' qpos='1 .5 .5 .5 -.5 7' "
                   "qvel='1 2 3 4 5'/><key name='none'/><key qpos='0 0 0 0 0 0'/></keyframe></mujoco>");
  const auto scene_of = [](const std::string& attach) {
    return "<mujoco><asset><model name='r' file='robot.xml'/></asset><worldbody><body><joint ref='180'/>"
           "<geom size='.1'/></body>" +
           attach + "</worldbody><keyframe><key name='mine'/></keyframe></mujoco>";
  };
  const auto file = mjcf::read(folder.write(
      "scene.xml", scene_of("<replicate count='2'><attach model='r' body='base' prefix='x_'/></replicate>")));
  REQUIRE(file.keyframes.size() == 3);
  const mjcf::Keyframe& key = file.keyframes[1];
  CHECK(key.name == "x_home");
  CHECK(key.time == 3);
  CHECK(key.qpos == std::vector<double>{std::numbers::pi, 1, .5, .5, .5, -.5, 0, 1, 0, 0, 0});
  CHECK(key.qvel == std::vector<double>{0, 1, 2, 3, 4, 0, 0, 0, 0});
  CHECK(file.keyframes[2].name == "x_none");
  CHECK(file.keyframes[2].qpos.empty());
  // Attaches a model that itself attaches the model.
  folder.write("between.xml",
               "<mujoco><asset><model name='r' file='robot.xml'/></asset><worldbody><attach model='r' "
               "prefix='in_'/></worldbody><keyframe><key name='own' qpos='1 0 0 0 5 6'/></keyframe></mujoco>");
  std::string text = scene_of("<attach model='r' prefix='out_'/>");
  text.replace(text.find("robot.xml"), 9, "between.xml");
  const auto nested = mjcf::read(folder.write("scene.xml", text));
  REQUIRE(nested.keyframes.size() == 4);
  CHECK(nested.keyframes[1].name == "out_own");
  CHECK(nested.keyframes[1].qpos == std::vector<double>{std::numbers::pi, 1, 0, 0, 0, 5, 6});
  CHECK(nested.keyframes[2].name == "out_in_home");
  CHECK(nested.keyframes[2].qpos == std::vector<double>{std::numbers::pi, 1, .5, .5, .5, -.5, 7});
  folder.write("robot.xml",
               "<mujoco><worldbody><body/></worldbody><keyframe>\n<key name='k' qpos='1'/></keyframe></mujoco>");
  const auto wrong = folder.write("scene.xml", scene_of("<attach model='r' prefix='x_'/>"));
  CHECK(rejection_of([&] { mjcf::load(wrong); }, {"robot.xml: line 2: key 'k'", "qpos"}) == "rejected");
}

TEST_CASE("mjcf: meshes of an attached model are searched beside it") {
  const TemporaryFolder folder;
  folder.write("parts/part.xml",
               "<mujoco><compiler meshdir='meshes'/><asset><mesh name='m' file='x.stl'/></asset><worldbody>"
               "<body><joint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>");
  std::vector<std::string> files;
  mjcf::Options options;
  options.solid_of_mesh = [&](const mesh::Source& source) {
    files.push_back(source.file.string());
    return mesh::Solid{1.0, zero3<double>(), identity3<double>()};
  };
  mjcf::load(folder.write("scene.xml",
                          "<mujoco><compiler meshdir='elsewhere'/><asset><model name='p' "
                          "file='parts/part.xml'/></asset><worldbody><attach model='p' prefix=''/>"
                          "</worldbody></mujoco>"),
             options);
  CHECK(files == std::vector<std::string>{(folder.path() / "parts/meshes/x.stl").string()});
}

TEST_CASE("mjcf: replicas turn and move on, and what names them is copied") {
  const std::string tail = "<geom size='.1' pos='0 .2 0'/></body>";
  const auto replicated = mjcf::read_text(
      "<mujoco><default><default class='c'><joint armature='2'/></default></default><worldbody>"
      "<body name='base'><joint name='j0'/><geom size='1'/>"
      "<replicate count='3' offset='.1 .2 .3' euler='0 0 90' sep='-' childclass='c'><body name='b' pos='1 0 0'>"
      "<joint name='j' axis='0 1 0'/>" +
      tail +
      "</replicate></body></worldbody>"
      "<equality><joint name='e' joint1='j'/><joint name='f' joint1='j0'/></equality><tendon><fixed name='t'><joint "
      "joint='j' coef='1'/><joint joint='j0' coef='1'/></fixed></tendon></mujoco>");
  const auto copy = [&](const std::string& i, const std::string& place) {
    return "<frame " + place + "><body name='b-" + i + "' pos='1 0 0'><joint name='j-" + i +
           "' axis='0 1 0' armature='2'/>" + tail + "</frame>";
  };
  const auto plain =
      mjcf::parse("<mujoco><worldbody><body name='base'><joint name='j0'/><geom size='1'/>" + copy("0", "") +
                  copy("1", "pos='.1 .2 .3' euler='0 0 90'") + copy("2", "pos='-.1 .3 .6' euler='0 0 180'") +
                  "</body></worldbody><equality><joint name='f' joint1='j0'/><joint name='e-0' "
                  "joint1='j-0'/><joint name='e-1' joint1='j-1'/><joint name='e-2' joint1='j-2'/>"
                  "</equality></mujoco>");
  check_equal(replicated.builder.build(), plain);
  REQUIRE(replicated.tendons.size() == 3);
  CHECK(replicated.tendons[2].get("name") == "t-2");
  CHECK(replicated.tendons[2].children[0].get("joint") == "j-2");
  CHECK(replicated.tendons[2].children[1].get("joint") == "j0");

  // Inner suffixes come first; numbers have as many digits as the count.
  const auto nested = mjcf::parse(
      "<mujoco><worldbody><replicate count=' 1e1'><replicate count='2' sep='_'><body name='b'><joint name='j'/>" +
      tail + "</replicate></replicate></worldbody></mujoco>");
  CHECK(nested.nv() == 20);
  CHECK(nested.joints()[0].name() == "j_000");
  CHECK(nested.joints()[19].name() == "j_109");
}

#ifndef CORIO_TEST_MUJOCO

TEST_CASE("mjcf: attached trees move as MuJoCo's do that are written out", "[mujoco]") {
  std::cout << "SKIPPED: MuJoCo was not found (Debian and Ubuntu: libmujoco-dev)\n";
}

#else

/// MuJoCo 2.2 has neither <attach> nor <frame>, but it has bodies without joints.
std::string with_bodies(std::string text) {
  for (std::size_t at; (at = text.find("frame")) != text.npos;) text.replace(at, 5, "body");
  return text;
}

TEST_CASE("mjcf: attached trees move as MuJoCo's do that are written out", "[mujoco]") {
  const TemporaryFolder folder;
  folder.write("parts/arm.xml", arm);
  const auto compared = [&](const std::string& attaching, const std::string& plain, unsigned seed) {
    Mujoco mujoco(folder.write("plain.xml", plain));
    return compare(mjcf::read(folder.write("scene.xml", attaching)), mujoco, 3, seed).largest();
  };
  CHECK(compared(with_bodies(scene("<attach model='arm' body='upper' prefix='a_'/>")), with_bodies(written_out("")),
                 1) < 1e-9);
  // Attaches random models to a world with other settings; masses and gravity follow the settings of the main file.
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const std::string text = random_mjcf(seed, false);
    folder.write("random.xml", text);
    const std::string total = text.find("settotalmass") != text.npos ? " settotalmass=\"12\"" : "";
    const std::size_t option = text.find("<option");
    const std::string attaching = "<mujoco><compiler angle='radian' eulerseq='ZZZ' boundmass='9'" + total + "/>" +
                                  text.substr(option, text.find("/>", option) + 2 - option) +
                                  "<asset><model name='r' file='random.xml'/></asset><worldbody><attach model='r' "
                                  "prefix=''/></worldbody></mujoco>";
    CAPTURE(seed, text);
    CHECK(compared(attaching, text, seed) < 1e-9);
  }
}

#endif
