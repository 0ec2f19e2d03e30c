#include <limits>

#include "corio/corio.hpp"
#include "io/urdf_text.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"

// Limits, passive terms, rotors behind transmissions, and what is noted about a file.

using namespace corio::test;
using corio::Model;
using corio::urdf::Mimic;
using corio::urdf::Options;
using corio::urdf::parse;

namespace {

std::string pendulum(const std::string& extra) {
  return robot_xml(link_xml("a") + link_xml("b") + joint_xml("j", "revolute", "a", "b") + extra);
}
double armature(const std::string& transmission) { return parse(pendulum(transmission)).armature()[0]; }

/// Returns whether the only note of a model contains all parts; if not, the text of its notes.
std::string noted(const Model<double>& model, std::initializer_list<const char*> parts) {
  std::string all;
  for (const auto& note : model.notes()) all += to_string(note) + '\n';
  bool right = model.notes().size() == 1;
  for (const char* part : parts) right = right && all.find(part) != all.npos;
  return right ? "noted" : all;
}
std::string noted(const std::string& text, std::initializer_list<const char*> parts, const Options& options = {}) {
  return noted(parse(text, options), parts);
}

}  // namespace

TEST_CASE("urdf: limits come through, and are infinite where the file has none") {
  const auto of = [](const std::string& type, const std::string& content = limit) {
    const auto model = parse(two_links(type, content));
    return std::vector<double>{model.lower_limit()[0], model.upper_limit()[0], model.velocity_limit()[0],
                               model.effort_limit()[0]};
  };
  CHECK(of("revolute") == std::vector<double>{-1, 2, 4, 30});
  CHECK(of("prismatic") == std::vector<double>{-1, 2, 4, 30});
  CHECK(of("continuous") == std::vector<double>{-inf, inf, 4, 30});
  for (const std::string type : {"revolute", "prismatic", "continuous"})
    CHECK(of(type, "") == std::vector<double>{-inf, inf, inf, inf});
  CHECK(of("revolute", "<limit lower='-3' upper='3'/>") == std::vector<double>{-3, 3, inf, inf});
  // URDF defines that lower and upper default to zero.
  CHECK(of("revolute", "<limit effort='0' velocity='0'/>") == std::vector<double>{0, 0, 0, 0});
  CHECK(of("revolute", "<limit upper='1' effort='0' velocity='0'/>") == std::vector<double>{0, 1, 0, 0});
  for (const std::string type : {"planar", "floating"}) {
    const auto model = parse(two_links(type));
    CHECK(model.lower_limit().size() == model.nq());
    CHECK(model.upper_limit().minCoeff() == inf);
    CHECK(model.effort_limit().minCoeff() == inf);
  }
}

TEST_CASE("urdf: the limits and gains of safety controllers come through, where they mean something") {
  const auto of = [](const std::string& type, const std::string& content) {
    const auto safety = parse(two_links(type, limit + content)).safety();
    return std::vector<double>{safety.lower[0], safety.upper[0], safety.position_gain[0], safety.velocity_gain[0]};
  };
  const std::string all =
      "<safety_controller soft_lower_limit='-0.5' soft_upper_limit='1' k_position='7' k_velocity='8'/>";
  CHECK(of("revolute", all) == std::vector<double>{-0.5, 1, 7, 8});
  CHECK(of("prismatic", all) == std::vector<double>{-0.5, 1, 7, 8});
  CHECK(of("continuous", all) == std::vector<double>{-inf, inf, 7, 8});
  CHECK(of("revolute", "") == std::vector<double>{-inf, inf, 0, 0});
  CHECK(of("revolute", "<safety_controller k_velocity='8'/>") == std::vector<double>{-inf, inf, 0, 8});
  // URDF defines that the missing one of the two limits is zero.
  CHECK(of("revolute", "<safety_controller soft_upper_limit='1' k_velocity='8'/>") == std::vector<double>{0, 1, 0, 8});
  CHECK(noted(two_links("planar", all + "<axis xyz='0 0 1'/>"), {"'j'", "<safety_controller>", "planar"}) == "noted");
  for (const std::string key : {"k_position", "k_velocity"})
    CHECK(rejection(two_links("revolute", limit + "<safety_controller " + key + "='-1'/>"),
                    {"joint 'j'", key.c_str(), "must not be negative"}) == "rejected");
}

TEST_CASE("urdf: damping and friction are passive terms and leave inverse dynamics alone") {
  const auto of = [](const std::string& dynamics) {
    const auto model = parse(two_links("revolute", limit + dynamics));
    return std::pair(model.damping()[0], model.friction()[0]);
  };
  CHECK(of("<dynamics damping='0.5' friction='0.25'/>") == std::pair(0.5, 0.25));
  CHECK(of("<dynamics damping='0.5'/>") == std::pair(0.5, 0.0));
  CHECK(of("<dynamics friction='0.25'/>") == std::pair(0.0, 0.25));
  CHECK(of("") == std::pair(0.0, 0.0));
  const auto model = parse(two_links("revolute", limit + "<dynamics damping='0.5' friction='0.25'/>"));
  const auto plain = parse(two_links("revolute"));
  corio::Data<double> data(model), plain_data(plain);
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
  CHECK(corio::rnea(model, data, one, one, one) == corio::rnea(plain, plain_data, one, one, one));
}

TEST_CASE("urdf: a rotor behind a reduction is an armature in every common layout") {
  // The motor has 1e-4 kg m^2 behind 50 : 1, as in a small servo; by hand 2500e-4.
  for (const std::string layout : {
           "<transmission name='t'><type>transmission_interface/SimpleTransmission</type><joint name='j'>"
           "<hardwareInterface>EffortJointInterface</hardwareInterface></joint><actuator name='m'>"
           "<mechanicalReduction>50</mechanicalReduction><motorInertia>1e-4</motorInertia></actuator></transmission>",
           "<transmission name='t'><joint name='j'><mechanicalReduction> 50 </mechanicalReduction></joint>"
           "<actuator name='m'><rotorInertia>0.0001</rotorInertia></actuator></transmission>",
           "<transmission name='t' type='SimpleTransmission'><actuator name='m'/><joint name='j'/>"
           "<mechanicalReduction>50</mechanicalReduction><rotorInertia>1e-4</rotorInertia></transmission>",
           "<transmission name='t'><joint name='j'/><actuator name='m'><drake:gear_ratio value='50'/>"
           "<drake:rotor_inertia value='1e-4'/></actuator></transmission>",
           "<transmission name='t'><joint name='j' mechanical_reduction='-50'/>"
           "<actuator name='m' motor_inertia='1e-4'/></transmission>",
       }) {
    CAPTURE(layout);
    CHECK(armature(layout) == Approx(0.25).epsilon(1e-14));
    CHECK(parse(pendulum(layout)).notes().empty());
  }
  const std::string joint = "<transmission name='t'><joint name='j'/>";
  CHECK(armature(joint + "<actuator><motorInertia>3e-4</motorInertia></actuator></transmission>") == 3e-4);
  CHECK(armature(joint + "<actuator><mechanicalReduction>50</mechanicalReduction></actuator></transmission>") == 0.0);
  // Two motors act on one joint, each by a transmission of its own.
  const std::string motor = joint + "<actuator><motorInertia>2</motorInertia></actuator></transmission>";
  CHECK(armature(motor + motor) == 4.0);
  // M gains the armature on its diagonal.
  const auto model = parse(pendulum(motor)), plain = parse(pendulum(""));
  corio::Data<double> data(model), plain_data(plain);
  const Eigen::VectorXd q = Eigen::VectorXd::Ones(1);
  CHECK(corio::crba(model, data, q)(0, 0) == Approx(corio::crba(plain, plain_data, q)(0, 0) + 2.0).epsilon(1e-14));
}

TEST_CASE("urdf: a rotor that cannot be attributed to a joint is noted, a malformed one rejected") {
  const std::string rotor = "<actuator name='m'><motorInertia>1e-4</motorInertia></actuator></transmission>";
  CHECK(noted(pendulum("<transmission name='t'><joint name='k'/>" + rotor),
              {"transmission 't'", "joint 'k', which is not in the file", "Options::armature"}) == "noted");
  CHECK(noted(pendulum("<transmission name='t'><joint name='j'/><joint name='j'/>" + rotor),
              {"transmission 't'", "one actuator and one joint"}) == "noted");
  CHECK(noted(robot_xml(link_xml("a") + link_xml("b") + joint_xml("j", "floating", "a", "b", "") +
                        "<transmission name='t'><joint name='j'/>" + rotor),
              {"transmission 't'", "joint 'j', whose type is"}) == "noted");
  CHECK(noted(pendulum("<transmission name='t'><joint name='j' gearRatio='2'/><gear_ratio>3</gear_ratio>" + rotor),
              {"several reductions", "product is taken, 6"}) == "noted");
  const auto with = [](const std::string& inertia) {
    return pendulum("<transmission name='t'><joint name='j'/><actuator><motorInertia>" + inertia +
                    "</motorInertia></actuator></transmission>");
  };
  CHECK(rejection(with("-1"), {"line 4", "transmission 't'", "rotor inertia is -1", "negative"}) == "rejected");
  for (const std::string bad : {"", "1 2", "inf", "one", "1e999"})
    CHECK(rejection(with(bad), {"line 4", "transmission 't'", "<motorInertia>", "finite number"}) == "rejected");
}

TEST_CASE("urdf: armature can be given by joint, in place of the file's") {
  const std::string motor =
      "<transmission name='t'><joint name='j'/><actuator><motorInertia>2</motorInertia></actuator></transmission>";
  CHECK(parse(pendulum(""), Options{.armature = {{"j", 0.3}}}).armature()[0] == 0.3);
  CHECK(parse(pendulum(motor), Options{.armature = {{"j", 0.3}}}).armature()[0] == 0.3);
  const std::string massless = robot_xml(link_xml("a") + link_xml("b", "") + joint_xml("j", "revolute", "a", "b"));
  CHECK(noted(massless, {"line 3", "joint 'j'", "moves no inertia"}) == "noted");
  const auto held = parse(massless, Options{.armature_of_massless = 0.01});
  CHECK(held.armature()[0] == 0.01);
  CHECK(noted(held, {"line 3", "joint 'j'", "armature of 0.01"}) == "noted");
}

TEST_CASE("urdf: inertias are taken as asked for") {
  const std::string moved = "ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='3'";
  const std::string text =
      robot_xml(link_xml("a") + link_xml("b", inertial("1", moved)) + joint_xml("j", "continuous", "a", "b"));
  CHECK(noted(text, {"line 2: body 'b'", "1, 1, 3", "taken as given"}) == "noted");
  CHECK(parse(text).inertia("b").inertia(2, 2) == 3.0);
  // The second moments are 1.5, 1.5, -0.5; without the negative one the moments are 1.5, 1.5, 3.
  const auto nearest = parse(text, Options{.inertias = corio::Inertias::nearest});
  CHECK(noted(nearest, {"line 2: body 'b'", "changed to 1.5, 1.5, 3"}) == "noted");
  CHECK(nearest.inertia("b").inertia(0, 0) == Approx(1.5).epsilon(1e-14));
}

TEST_CASE("urdf: a sound file has no notes, whatever it says to simulators") {
  const std::string silent = R"(<material name="m"><color rgba="1 0 0 1"/></material>
    <gazebo reference="a"><mu1>1</mu1><inertail/></gazebo><sensor name="s"/><ros2_control name="c" type="system"/>)";
  const std::string shape = "<visual><geometry><torus r='1'/></geometry></visual><collision name='c'/>";
  const auto model = parse("<robot name='r' version='1.0' xmlns:xacro='http://wiki.ros.org/xacro'>" + silent +
                           link_xml("a", shape + inertial("3", moments)) + link_xml("b") +
                           joint_xml("j", "revolute", "a", "b",
                                     limit + "<safety_controller k_velocity='10' soft_lower_limit='0'/>"
                                             "<calibration rising='0'/>") +
                           "</robot>");
  CHECK(noted(model, {}) == "");
}

TEST_CASE("urdf: what is not part of URDF is noted with its line") {
  CHECK(noted(robot_xml(link_xml("a", "\n<inertail/>")), {"nothing in it moves"}) != "noted");
  const corio::joint::FreeFlyer free;
  const auto message = [&](const std::string& text) { return parse(text, Options{.root = free}); };
  CHECK(noted(message(robot_xml(link_xml("a", inertial("3", moments) + "\n<inertail/>"))),
              {"line 2: link 'a'", "<inertail>", "ignored", "did you mean inertial?"}) == "noted");
  CHECK(noted(message(robot_xml(link_xml("a") + "<jiont name='j'/>")), {"line 2: robot 'r'", "<jiont>"}) == "noted");
  CHECK(noted(two_links("revolute", "\n<limit lower='1' uper='2' upper='2' efort='1' effort='1' velocity='1'/>"),
              {"line 4: joint 'j'", "<limit>", "uper, efort"}) == "noted");
  CHECK(noted(two_links("revolute", limit + "<dynamics damping='1' spring_stiffness='2'/>"),
              {"line 3: joint 'j'", "<dynamics>: spring_stiffness", "known are: damping, friction"}) == "noted");
  CHECK(noted(two_links("revolute", limit + "<safety_controller k_velocty='10'/>"),
              {"joint 'j'", "<safety_controller>: k_velocty", "did you mean k_velocity?"}) == "noted");
  CHECK(noted(two_links("revolute", limit + "<origin quat_xyzv='0 0 0 1'/>"),
              {"joint 'j'", "<origin>: quat_xyzv", "did you mean quat_xyzw?"}) == "noted");
}

TEST_CASE("urdf: what is not part of URDF has one note for all its places") {
  std::string all = link_xml("l0");
  for (int i = 1; i < 20; ++i)
    all += link_xml("l" + std::to_string(i)) + joint_xml("j" + std::to_string(i), "revolute",
                                                         "l" + std::to_string(i - 1), "l" + std::to_string(i),
                                                         limit + "\n<gains p='" + std::to_string(i) + "'/>");
  const auto notes = parse(robot_xml(all)).notes();
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].element == "joint 'j1'");
  CHECK(notes[0].found == "not part of URDF in a <joint>: <gains>, here and in 18 more places");
}

TEST_CASE("urdf: of elements that stand twice the first one is taken, with a note") {
  const auto twice = [](const std::string& in_joint, const std::string& in_link = "") {
    return robot_xml(
        link_xml("a") + link_xml("b", inertial("3", moments) + in_link) +
        joint_xml("j", "revolute", "a", "b", limit + "<axis xyz='0 0 1'/><dynamics damping='1'/>" + in_joint));
  };
  CHECK(noted(twice("", "\n" + inertial("2", moments)),
              {"line 3: link 'b'", "another <inertial> in its <link>", "first one, in line 2, is taken"}) == "noted");
  CHECK(parse(twice("", inertial("2", moments))).total_mass() == parse(twice("")).total_mass());
  CHECK(noted(twice("<axis xyz='1 0 0'/>"), {"joint 'j'", "another <axis> in its <joint>"}) == "noted");
  CHECK(noted(twice("<dynamics damping='2'/>"), {"joint 'j'", "another <dynamics>"}) == "noted");
  CHECK(parse(twice("<dynamics damping='2'/>")).damping()[0] == 1.0);
}

TEST_CASE("urdf: a negative limit of velocity, effort or their rates is none, with a note") {
  for (const std::string key : {"velocity", "effort", "acceleration", "deceleration", "jerk"})
    for (const std::string x : {"-1", "-inf"}) {
      std::string others;
      for (const std::string other : {"velocity", "effort"})
        if (other != key) others += other + "='inf' ";
      const auto model = parse(two_links("revolute", "<limit lower='0' upper='1' " + others + key + "='" + x + "'/>"));
      CHECK(noted(model, {"joint 'j'", ("its " + key + " limit is " + x).c_str(),
                          "a negative limit means that there is none"}) == "noted");
      for (const auto& most : {model.velocity_limit(), model.effort_limit(), model.acceleration_limit(),
                               model.deceleration_limit(), model.jerk_limit()})
        CHECK(most[0] == inf);
    }
  CHECK(parse(two_links("revolute", "<limit velocity='0' effort='1'/>")).velocity_limit()[0] == 0.0);
}

TEST_CASE("urdf: limits of acceleration and jerk as Drake writes them") {
  const auto model = parse(two_links(
      "revolute", "<limit lower='0' upper='1' velocity='1' effort='2' drake:acceleration='3' drake:jerk='4'/>"));
  CHECK(model.acceleration_limit()[0] == 3.0);
  CHECK(model.jerk_limit()[0] == 4.0);
  CHECK(noted(model, {}) == "");
}

TEST_CASE("urdf: an inertia may have all nine entries of its tensor, or the lower half") {
  const auto with = [](const std::string& products) {
    return parse(robot_xml(link_xml("a") + link_xml("b", inertial("1", "ixx='3' iyy='3' izz='3' " + products)) +
                           joint_xml("j", "revolute", "a", "b", limit)));
  };
  const auto upper = with("ixy='.1' ixz='.2' iyz='.3'");
  for (const auto& other :
       {with("iyx='.1' izx='.2' izy='.3'"), with("ixy='.1' iyx='.1' ixz='.2' izx='.2' iyz='.3' izy='.3'")}) {
    CHECK(other.inertia("b").inertia == upper.inertia("b").inertia);
    CHECK(noted(other, {}) == "");
  }
  CHECK(noted(with("ixy='.1' iyx='-.1' ixz='0' iyz='0'"), {"link 'b'", "its ixy and iyx differ", "ixy is taken"}) ==
        "noted");
}

TEST_CASE("urdf: in transmissions, too, what is not known is noted, and what is read in any spelling is not") {
  const auto with = [](const std::string& in_transmission) {
    const std::string joints =
        link_xml("a") + link_xml("b", inertial("3", moments)) + joint_xml("j", "revolute", "a", "b", limit);
    return robot_xml(joints + "\n<transmission name='t'><type>any</type>" + in_transmission + "</transmission>");
  };
  CHECK(noted(with("<joint name='j'/><actuator name='m'>\n<mechanicalReductoin>5</mechanicalReductoin></actuator>"),
              {"line 6: transmission 't'", "<actuator>: <mechanicalReductoin>", "did you mean mechanicalReduction?"}) ==
        "noted");
  CHECK(noted(with("<joint name='j' rotorInertai='1'/><actuator name='m'/>"),
              {"transmission 't'", "<joint>: rotorInertai", "did you mean rotorInertia?"}) == "noted");
  CHECK(noted(with("<jiont name='j'/>"), {"transmission 't'", "<jiont>", "did you mean joint?"}) == "noted");
  const auto sound =
      parse(with("<joint name='j'><hardwareInterface>effort</hardwareInterface></joint><actuator name='m'>"
                 "<hardwareInterface/><mechanical_reduction>5</mechanical_reduction></actuator><drake:rotor_inertia "
                 "value='2'/>"));
  CHECK(noted(sound, {}) == "");
  CHECK(sound.armature()[0] == 50.0);
}

TEST_CASE("urdf: missing parts are taken as nothing and noted") {
  const auto with = [](const std::string& inertial) {
    return robot_xml(link_xml("a") + link_xml("b", inertial) + joint_xml("j", "prismatic", "a", "b"));
  };
  const std::string point = with("<inertial>\n<mass value='2'/></inertial>");
  CHECK(noted(point, {"line 2: link 'b'", "no <inertia>", "point mass"}) == "noted");
  CHECK(parse(point).total_mass() == 2.0);
  CHECK(parse(point).inertia("b").inertia.isZero(0.0));
  CHECK(noted(with("<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1'/></inertial>"),
              {"link 'b'", "<inertia> has no ixy, ixz, iyz"}) == "noted");
  const auto massless = parse(with("<inertial><inertia " + moments + "/></inertial>"));
  CHECK(massless.total_mass() == 0.0);
  CHECK(massless.notes().front().found == "its <inertial> has no <mass>");

  CHECK(noted(two_links("revolute", ""), {"line 3: joint 'j'", "no <limit>", "unlimited"}) == "noted");
  CHECK(parse(two_links("continuous", "")).notes().empty());
  CHECK(noted(two_links("revolute", "<limit lower='0' upper='1' velocity='1'/>"),
              {"joint 'j'", "no attribute effort"}) == "noted");
  CHECK(noted(two_links("revolute", "<limit velocity='1' effort='1'/>"),
              {"neither lower nor upper", "both are 0", "inverse_kinematics and random_configuration"}) == "noted");
  CHECK(noted(two_links("planar", limit + "<axis xyz='0 0 1'/>"), {"joint 'j'", "<limit>", "planar", "ignored"}) ==
        "noted");
}

TEST_CASE("urdf: a joint that mimics another is independent when asked for, and noted") {
  const std::string text = two_links("revolute", limit + "\n<mimic joint='j' multiplier='2'/>");
  CHECK(noted(text, {"line 4: joint 'j'", "mimics joint 'j'", "independent"}, Options{.mimic = Mimic::independent}) ==
        "noted");
  // A joint that cannot move mimics nothing.
  CHECK(parse(robot_xml(link_xml("a") + link_xml("b") + joint_xml("j", "fixed", "a", "b", "<mimic joint='other'/>")))
            .nv() == 0);
}

TEST_CASE("urdf: a robot without a name is called after its file, with a note") {
  const std::string text =
      "<robot>\n" + link_xml("a") + link_xml("b") + joint_xml("j", "prismatic", "a", "b") + "</robot>";
  const TemporaryFile file(text);
  const std::string stem = file.path().stem().string();
  const auto model = corio::urdf::load(file.path());
  CHECK(model.name() == stem);
  CHECK(noted(model, {"line 1: robot: has no attribute name", ("'" + stem + "'").c_str()}) == "noted");
  CHECK(parse(text).name() == "robot");
  CHECK(noted(text, {"line 1: robot: has no attribute name", "'robot'"}) == "noted");
}

TEST_CASE("urdf: a robot in which nothing moves loads with a note") {
  for (const std::string& text : {robot_xml(link_xml("a")), two_links("fixed", "")}) {
    const auto model = parse(text);
    CHECK(model.nv() == 0);
    CHECK(noted(model, {"line 1: robot 'r'", "nothing in it moves", "joint::FreeFlyer{}"}) == "noted");
    CHECK(parse(text, corio::joint::FreeFlyer{}).notes().empty());
  }
}

TEST_CASE("urdf: a builder takes more bodies, frames and armature before it builds") {
  auto builder = corio::urdf::builder_from_text(pendulum(""));
  builder.add_frame("tip", "b", {corio::identity3<double>(), Eigen::Vector3d(0, 0, 1)});
  builder.add_body({.name = "tool",
                    .parent = "b",
                    .joint = corio::joint::Revolute::z(),
                    .inertia = {1, {0.1, 0, 0}, corio::identity3<double>()}});
  builder.set_armature("j", {0.5});
  const auto model = builder.build();
  CHECK(model.nv() == 2);
  CHECK(model.has_frame("tip"));
  CHECK(model.armature()[model.joint("j").v_index()] == 0.5);

  const TemporaryFile file(pendulum(""));
  CHECK(corio::urdf::builder(file.path()).build().nv() == 1);
  CHECK(corio::urdf::builder(file.path(), Options{.root = corio::joint::FreeFlyer{}}).build().nv() == 7);
}
