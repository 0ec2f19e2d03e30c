#include "corio/io/mjcf.hpp"
#include "corio/io/write_urdf.hpp"
#include "io/urdf_text.hpp"
#include "support/catch.hpp"

// The option that turns joints without limits into joint::Continuous.

using namespace corio;
using namespace corio::test;

TEST_CASE("urdf: continuous joints have the shorter difference if asked to", "[urdf][continuous]") {
  const std::string text =
      robot_xml(link_xml("a") + link_xml("b") + link_xml("c") + link_xml("d") + link_xml("e") +
                joint_xml("wheel", "continuous", "a", "b", "<axis xyz=\"0 1 0\"/>") +
                joint_xml("arm", "revolute", "b", "c") + joint_xml("leader", "continuous", "c", "d", "") +
                joint_xml("follower", "continuous", "d", "e", "<mimic joint=\"leader\" multiplier=\"2\"/>"));
  const auto plain = urdf::parse(text), round = urdf::parse(text, urdf::Options{.wrap_continuous = true});
  const auto types = [](const Model<double>& model) {
    std::string all;
    for (const Joint& joint : model.joints()) all += joint.type() + " ";
    return all;
  };
  CHECK(types(plain) == "revolute revolute revolute revolute ");
  // Coupled angles count turns, so they stay revolute.
  CHECK(types(round) == "continuous revolute revolute revolute ");
  const VectorX<double> q0 = VectorX<double>::Constant(4, -3.1), q1 = -q0;
  CHECK(difference(plain, q0, q1)[0] == 6.2);
  CHECK(std::abs(difference(round, q0, q1)[0] + 0.0831853) < 1e-7);
  CHECK(round.notes().size() == plain.notes().size());
  // In URDF both are the same.
  CHECK(write_urdf(round) == write_urdf(plain));
  CHECK(types(urdf::parse(write_urdf(round), urdf::Options{.wrap_continuous = true})) == types(round));
}

TEST_CASE("mjcf: hinges without limits have the shorter difference if asked to", "[mjcf][continuous]") {
  const std::string text =
      "<mujoco><compiler autolimits='true'/><worldbody><body><joint name='wheel'/><geom size='1'/><body>"
      "<joint name='arm' range='-9 9'/><geom size='1'/></body></body></worldbody></mujoco>";
  for (const bool wrapped : {false, true}) {
    const auto model = mjcf::parse(text, {.wrap_continuous = wrapped});
    CHECK(model.joint("wheel").type() == (wrapped ? "continuous" : "revolute"));
    CHECK(model.joint("arm").type() == "revolute");
  }
}
