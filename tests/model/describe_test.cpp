#include "corio/model/describe.hpp"

#include <sstream>

#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"

using namespace corio;

namespace {

Model<double> described_robot() {
  ModelBuilder<double> builder("robot");
  const InertialParameters<double> ball(2.0, {0, 0, 0}, 0.1 * Matrix3<double>::Identity());
  builder.add_body({.name = "base", .inertia = ball});
  builder.add_body({.name = "cart",
                    .parent = "base",
                    .joint = joint::Prismatic({0, 0, -2}),
                    .inertia = ball,
                    .joint_name = "rail",
                    .limits = {{-1}, {2.5}, {3}, {}}});
  builder.add_body({.name = "gimbal", .parent = "cart", .joint = joint::Universal(), .inertia = ball, .line = 12});
  builder.add_body({.name = "drone", .joint = joint::FreeFlyer(), .inertia = ball, .line = 12});
  builder.add_frame("camera", "gimbal", {identity3<double>(), {0.5, 0, -1}});
  builder.add_note({"link 'drone'", 12, "it has no colour", "paint it"});
  return builder.build();
}
template <class T>
std::string printed(const T& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

}  // namespace

TEST_CASE("a description is the tree as a table", "[model][describe]") {
  const std::string expected =
      R"(model 'robot': bodies 3, frames 5, nq 10, nv 9, mass 6 kg

body or frame  joint         type        axis                 q     v     mass  limits     velocity  effort
- base
cart           rail          prismatic   (0, 0, -1)           0     0     2     [-1, 2.5]  3
  gimbal       gimbal_joint  universal   (1, 0, 0) (0, 1, 0)  1..2  1..2  2
    - camera
drone          drone_joint   free_flyer                       3..9  3..8  2

notes
  line 12: link 'drone': it has no colour; paint it
)";
  CHECK(describe(described_robot()) == expected);
}

TEST_CASE("joints that are outside their limits at neutral are named", "[model][describe]") {
  const InertialParameters<double> ball(2.0, {0, 0, 0}, 0.1 * Matrix3<double>::Identity());
  const double inf = std::numeric_limits<double>::infinity();
  const auto said = [&](const joint::JointSpec<double>& joint, const JointLimits& limits) {
    ModelBuilder<double> builder("robot");
    builder.add_body({.name = "a", .joint = joint::Revolute(), .inertia = ball});
    builder.add_body(
        {.name = "b", .parent = "a", .joint = joint, .inertia = ball, .joint_name = "elbow", .limits = limits});
    const auto model = builder.build();
    const std::string text = describe_neutral(model);
    CHECK(text.empty() == (describe(model).find("neutral") == std::string::npos));
    if (!text.empty()) CHECK(describe(model).find("\nnotes\n  " + text) != std::string::npos);
    return text;
  };
  CHECK(said(joint::Revolute(), {{-3}, {-0.1}}) ==
        "joint 'elbow': q[1] is 0 at neutral, outside its limits [-3, -0.1]\n");
  CHECK(said(joint::Prismatic(), {{0.5}, {inf}}) ==
        "joint 'elbow': q[1] is 0 at neutral, outside its limits [0.5, inf]\n");
  CHECK(said(joint::Cylindrical(), {{-1, 1}, {1, 2}}) ==
        "joint 'elbow': q[2] is 0 at neutral, outside its limits [1, 2]\n");
  CHECK(said(joint::Revolute(), {{0}, {0}}) == "");
  CHECK(said(joint::Revolute(), {}) == "");
  // The neutral value is 1 for a cosine and for a quaternion's last number.
  CHECK(said(joint::Planar(), {{-1, -1, 0.5, -1}, {1, 1, 1, 1}}) == "");
}

TEST_CASE("models, joints, bodies and frames are printed in a line", "[model][describe]") {
  const auto model = described_robot();
  CHECK(printed(model) == "model 'robot': bodies 3, frames 5, nq 10, nv 9, mass 6 kg");
  CHECK(printed(model.joint("rail")) == "joint 'rail' (prismatic): q 0, v 0");
  CHECK(printed(model.joint("drone_joint")) == "joint 'drone_joint' (free_flyer): q 3..9, v 3..8");
  CHECK(printed(model.body("gimbal")) == "body 'gimbal', number 1, on body 0");
  CHECK(printed(model.body("drone")) == "body 'drone', number 2, on the ground");
  CHECK(printed(model.frame("camera")) == "frame 'camera' on node 2");
  CHECK(printed(model.frame("base")) == "frame 'base' on the ground");
  CHECK(printed(zoo::serial_chain<float>(2)).starts_with("model 'serial_chain': bodies 2, frames 2"));
}

TEST_CASE("limits of several numbers stand in their order", "[model][describe]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "a",
                    .joint = joint::Cylindrical(),
                    .inertia = {1.0, {0, 0, 0}, Matrix3<double>::Identity()},
                    .limits = {{-1, -2}, {1, std::numeric_limits<double>::infinity()}, {}, {7, 8}}});
  CHECK(describe(builder.build()).find("[-1, 1] [-2, inf]            7 8\n") != std::string::npos);
}

TEST_CASE("notes that say the same of elements of one kind are described together", "[model][describe]") {
  const std::vector<Note> notes{{"joint 'a'", 3, "has no <limit>", "unlimited"},
                                {"link 'b'", 4, "it is green", ""},
                                {"joint 'c', the elbow", 7, "has no <limit>", "unlimited"},
                                {"robot", 1, "it is green", ""},
                                {"joint 'd'", 9, "has no <limit>", "unlimited"},
                                {"joint 'd'", 9, "has no <limit>", "taken as zero"}};
  CHECK(describe(notes) ==
        "lines 3, 7, 9: joint 'a', 'c', the elbow, 'd': has no <limit>; unlimited\n"
        "line 4: link 'b': it is green\n"
        "line 1: robot: it is green\n"
        "line 9: joint 'd': has no <limit>; taken as zero\n");
  std::vector<Note> many;
  for (int i = 0; i < 30; ++i) many.push_back({"joint '" + std::to_string(i) + "'", 2 + i / 2, "has no <limit>", ""});
  CHECK(describe(many) == "lines 2, 3, ..: joint '0', '1', '2', '3' and 26 others: has no <limit>\n");
  many.resize(5);
  for (Note& note : many) note.line = 7;
  CHECK(describe(many) == "line 7: joint '0', '1', '2', '3' and 1 other: has no <limit>\n");
  many[4].line = 8;
  CHECK(describe(many).starts_with("lines 7, ..: joint '0'"));
  // Elements without a name are counted.
  for (Note& note : many) note.element = "<joint>";
  CHECK(describe(many).starts_with("lines 7, ..: <joint> and 4 others: has"));
  for (Note& note : many) note.line = 0;
  CHECK(describe(many) == "<joint> and 4 others: has no <limit>\n");
  CHECK(describe(std::vector<Note>{}).empty());
  CHECK(describe(std::vector<Note>{{"", 2, "nothing is said", ""}}).find("nothing is said") != std::string::npos);
}
