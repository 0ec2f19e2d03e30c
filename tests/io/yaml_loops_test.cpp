#ifdef CORIO_TEST_YAML

#include "corio/io/yaml_loops.hpp"

#include <numbers>

#include "corio/kinematics/configuration.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "io/rejection.hpp"
#include "io/urdf_text.hpp"
#include "support/catch.hpp"
#include "support/no_files.hpp"

// Loops of a YAML file beside a URDF, against the same loops as URDF+ in the file itself.

using namespace corio;
using namespace corio::test;

namespace {

/// A parallelogram of cranks a and c and a coupler b, whose ends are links on fixed joints; `loop` is added.
std::string four_bar(const std::string& loop = "") {
  const auto hinge = [](const std::string& name, const std::string& parent, const std::string& child,
                        const std::string& at) {
    return joint_xml(name, "continuous", parent, child, "<axis xyz='0 0 1'/><origin xyz='" + at + "'/>");
  };
  const std::string heavy =
      "<inertial><origin xyz='.2 0 0'/><mass value='2'/><inertia ixx='.1' iyy='.1' izz='.1' ixy='0' ixz='0' iyz='0'/>"
      "</inertial>";
  return robot_xml(link_xml("base") + link_xml("a", heavy) + link_xml("b", heavy) + link_xml("c", heavy) +
                   link_xml("loop_A") + link_xml("loop_B") + hinge("motor", "base", "a", "0 0 0") +
                   hinge("knee", "a", "b", "0.4 0 0") + hinge("rocker", "base", "c", "0 0.5 0") +
                   joint_xml("end_b", "fixed", "b", "loop_A", "<origin xyz='0.5 0 0'/>") +
                   joint_xml("end_c", "fixed", "c", "loop_B", "<origin xyz='0.4 0 0'/>") + loop);
}

std::string rejected(const std::string& text, std::initializer_list<const char*> parts) {
  const TemporaryFile file(text);
  auto builder = urdf::builder_from_text(four_bar());
  return rejection_of([&] { yaml::add_loops(builder, file.path()); }, parts);
}

}  // namespace

TEST_CASE("yaml: loops are those of URDF+", "[yaml]") {
  for (const auto& [kind, type] : {std::pair{"6d", "fixed"}, std::pair{"6D", "fixed"}, std::pair{"3d", "spherical"}}) {
    CAPTURE(kind);
    const TemporaryFile file("# a comment\nclosed_loop: [['loop_A', \"loop_B\"]]\ntype: ['" + std::string(kind) +
                             "']\nname_mot: ['motor']\n");
    auto builder = urdf::builder_from_text(four_bar());
    CHECK(yaml::add_loops(builder, file.path()) == std::vector<std::string>{"motor"});
    const auto model = builder.build();
    const auto expected = urdf::parse(four_bar("<loop name='pin' type='" + std::string(type) +
                                               "'><predecessor link='loop_A'/><successor link='loop_B'/></loop>"));
    REQUIRE(model.loops().size() == 1);
    CHECK(model.loops()[0].first == "loop_A");
    CHECK(model.loops()[0].second == "loop_B");
    const Loops<double> loops(model), others(expected);
    REQUIRE(loops.rows() == others.rows());
    for (unsigned seed = 1; seed <= 3; ++seed) {
      const Eigen::VectorXd q = random_configuration(model, std::mt19937(seed));
      Data<double> data(model), other(expected);
      forward_kinematics<double>(model, data, q), forward_kinematics<double>(expected, other, q);
      Eigen::VectorXd k(loops.rows()), of_other(loops.rows());
      constraint_residual<double>(model, data, loops, k),
          constraint_residual<double>(expected, other, others, of_other);
      CHECK(k == of_other);
    }
  }
}

TEST_CASE("yaml: a parallelogram moves by its motor", "[yaml]") {
  // One frame is named by a link, the other one by the joint that carries its link.
  const TemporaryFile file("closed_loop: [['loop_A', 'end_c']]\ntype: ['3d']\nname_mot: ['motor']\n");
  auto builder = urdf::builder_from_text(four_bar());
  const auto motors = yaml::add_loops(builder, file.path());
  const auto model = builder.build();
  const Mechanism<double> mechanism(model, motors);
  REQUIRE(mechanism.nv() == 1);
  MechanismData<double> data(mechanism);
  Eigen::VectorXd q = neutral(model);
  q[model.joint("motor").q_index()] = 0.3, q[model.joint("knee").q_index()] = 1.2;
  const auto assembly = assemble<double>(mechanism, data, q);
  REQUIRE(assembly.closed);
  forward_kinematics<double>(mechanism, data, assembly.q, Eigen::VectorXd::Constant(1, 2.0));
  // Opposite sides are parallel, so that both cranks turn alike.
  CHECK(std::abs(data.tree.v[model.joint("rocker").v_index()] - 2.0) < 1e-12);
}

TEST_CASE("yaml: joints are replaced", "[yaml]") {
  const TemporaryFile file(
      "joint_name: ['knee', 'rocker', 'motor']\njoint_type: ['SPHERICAL', 'UJOINT_ZX', 'FIXED']\nrotors: 3\n");
  auto builder = urdf::builder_from_text(four_bar());
  CHECK(yaml::add_loops(builder, file.path()).empty());
  const auto model = builder.build();
  CHECK(model.nv() == 5);
  CHECK(model.joint("knee").nq() == 4);
  CHECK_FALSE(model.has_joint("motor"));
  // First about z, then about x: at q = (0, pi / 2) the second turn moves the y axis to the z axis.
  Data<double> data(model);
  Eigen::VectorXd q = neutral(model);
  q[model.joint("rocker").q_index() + 1] = std::numbers::pi / 2;
  forward_kinematics<double>(model, data, q);
  const auto turned = body_pose(model, data, model.frame("c")).rotation;
  CHECK((turned.col(1) - Eigen::Vector3d(0, 0, 1)).norm() < 1e-12);
  CHECK(model.notes().back().found.find("rotors") != std::string::npos);
}

TEST_CASE("yaml: errors name the file and the line", "[yaml]") {
  CHECK(rejected("closed_loop: [['loop_A', 'nowhere']]",
                 {".urdf: line 1", "'nowhere'", "not a link, joint or frame"}) == "rejected");
  CHECK(rejected("\nclosed_loop: [['loop_A', 'loop_B']]\ntype: ['2d']", {"line 3", "'2d'", "6d (weld)"}) == "rejected");
  CHECK(rejected("closed_loop: [['loop_A', 'loop_B']]\ntype: []", {"line 2", "0 entries for 1 loops"}) == "rejected");
  CHECK(rejected("closed_loop: ['loop_A']", {"line 1", "pair of names"}) == "rejected");
  CHECK(rejected("closed_loop: loop_A", {"line 1", "closed_loop must be a list"}) == "rejected");
  CHECK(rejected("name_mot:\n  - motor\n  - engine", {"line 3", "name_mot", "'engine'"}) == "rejected");
  CHECK(rejected("name_mot: [[motor]]", {"line 1", "must be a name"}) == "rejected");
  CHECK(rejected("joint_name: ['knee']\njoint_type: ['UJOINT_XX']", {"line 2", "'UJOINT_XX'", "SPHERICAL"}) ==
        "rejected");
  CHECK(rejected("joint_name: ['knee']", {"joint_name has 1", "joint_type 0"}) == "rejected");
  CHECK(rejected("a: [\n", {".urdf: line ", "malformed YAML"}) == "rejected");
  CHECK(rejected("", {"line 1", "closed_loop: [...]"}) == "rejected");
  CHECK(rejected("[1, 2]", {"line 1", "closed_loop: [...]"}) == "rejected");
}

TEST_CASE("yaml: what is given twice is rejected", "[yaml]") {
  CHECK(rejected("name_mot: [motor]\n---\nname_mot: [knee]\n", {".urdf: line 3", "second document"}) == "rejected");
  CHECK(rejected("name_mot: [motor]\n---\n", {"second document"}) == "rejected");
  CHECK(rejected("name_mot: [motor]\nname_mot: [knee]\n", {"line 2", "a second entry name_mot"}) == "rejected");
  CHECK(rejected("rotors: 1\nrotors: 2\n", {"line 2", "a second entry rotors"}) == "rejected");
  CHECK(rejected("joint_name: [knee,\n knee]\njoint_type: [SPHERICAL, FIXED]",
                 {"line 2", "joint_name names joint 'knee' twice"}) == "rejected");
  CHECK(rejected("name_mot: [motor,\n motor]", {"line 2", "name_mot names joint 'motor' twice"}) == "rejected");
  CHECK(rejected("? [a, b]\n: 1\n", {"line 1", "the keys must be a name"}) == "rejected");
  // The mark of the beginning of a document is no second one.
  const TemporaryFile file("%YAML 1.2\n---\nname_mot: [motor]\n...\n");
  auto builder = urdf::builder_from_text(four_bar());
  CHECK(yaml::add_loops(builder, file.path()) == std::vector<std::string>{"motor"});
}

TEST_CASE("yaml: a builder is as it was after an error", "[yaml]") {
  const TemporaryFile file(
      "joint_name: [knee]\njoint_type: [SPHERICAL]\nrotors: 1\nclosed_loop: [[loop_A, loop_B]]\nname_mot: [engine]");
  auto builder = urdf::builder_from_text(four_bar());
  CHECK_THROWS_AS(yaml::add_loops(builder, file.path()), ModelError);
  const auto model = builder.build();
  CHECK(model.joint("knee").nq() == 1);
  CHECK(model.loops().empty());
  CHECK(model.notes().empty());
}

TEST_CASE("yaml: what is no file or text is rejected in a second", "[yaml]") {
  auto builder = urdf::builder_from_text(four_bar());
  const auto read = [&](const std::filesystem::path& path) { yaml::add_loops(builder, path); };
  const NoFiles no_files(".yaml");
  for (const auto& given : no_files.all) CHECK(not_rejected(read, given) == "");
  CHECK(rejected("\xFF\xFEn\0", {"UTF-16"}) == "rejected");
  CHECK(rejected(std::string(100000, '['), {"malformed YAML"}) == "rejected");
  CHECK(rejected(std::string("a: \0b", 5), {"line 1", "zero byte"}) == "rejected");
  const TemporaryFile file(std::string("name_mot: [motor]\n\0", 19));
  CHECK(yaml::add_loops(builder, file.path()) == std::vector<std::string>{"motor"});
  CHECK(builder.build().notes().back().found == "1 zero bytes follow the text");
}

#endif
