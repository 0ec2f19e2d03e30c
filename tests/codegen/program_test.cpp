#include <dlfcn.h>

#include "codegen/program_support.hpp"

using namespace codegen_test;

namespace {

int operations_in(const std::string& out, const std::string& function) {
  return std::stoi(out.substr(out.find(function + ": ") + function.size() + 2));
}

/// Two fingers of 1 and 3 kg move as one; with three fingers, the third follows the second.
std::string gripper_text(int fingers) {
  std::string text = "<robot name='gripper'><link name='base'/>" + link_text("f1", 1) +
                     joint_text("j1", "prismatic", "base", "f1", "<axis xyz='0 1 0'/>");
  for (int i = 2; i <= fingers; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    text += link_text("f" + n, 3) +
            joint_text("j" + n, "prismatic", "base", "f" + n, "<axis xyz='0 -1 0'/><mimic joint='j" + before + "'/>");
  }
  return text + "</robot>";
}
/// A parallelogram of bars of 0.4 m, closed by a pin, which moves on a circle without turning.
std::string parallelogram_text() {
  return "<robot name='bars'><link name='base'/>" + link_text("a", 1) + link_text("b", 1) + link_text("c", 1) +
         "<joint name='ja' type='continuous'><parent link='base'/><child link='a'/><axis xyz='0 1 0'/></joint>"
         "<joint name='jb' type='continuous' independent='false'><parent link='a'/><child link='b'/>"
         "<origin xyz='0 0 -0.4'/><axis xyz='0 1 0'/></joint>"
         "<joint name='jc' type='continuous' independent='false'><parent link='base'/><child link='c'/>"
         "<origin xyz='0.4 0 0'/><axis xyz='0 1 0'/></joint>"
         "<loop name='pin' type='revolute'><predecessor link='b'><origin xyz='0.4 0 0'/></predecessor>"
         "<successor link='c'><origin xyz='0 0 -0.4'/></successor><axis xyz='0 1 0'/></loop></robot>";
}
/// Calls a generated function with these inputs; returns its results, one after the other.
VectorXd call(const std::string& robot, const std::string& function, const std::vector<VectorXd>& in, int size) {
  REQUIRE(runs("gcc -std=c11 -O0 -Wall -Wextra -Werror -fPIC -shared " + robot + ".c -lm -o " + robot + ".so"));
  void* const library = dlopen(fs::absolute(robot + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library);
  void* const f = dlsym(library, (robot + "_" + function).c_str());
  REQUIRE(f);
  VectorXd out = VectorXd::Constant(size, std::nan(""));
  if (in.size() == 1) reinterpret_cast<void (*)(const double*, double*)>(f)(in[0].data(), out.data());
  if (in.size() == 3)
    reinterpret_cast<void (*)(const double*, const double*, const double*, double*)>(f)(in[0].data(), in[1].data(),
                                                                                        in[2].data(), out.data());
  dlclose(library);
  return out;
}

}  // namespace

TEST_CASE("code of coupled joints moves them as one, and notes say so", "[codegen][program]") {
  const test::WorkingFolder folder;
  if (!exists("gcc")) return;
  for (const int fingers : {2, 3}) {
    write_text("gripper.urdf", gripper_text(fingers));
    const Run run({"gripper.urdf", "--functions=crba,aba,coriolis_matrix"});
    INFO(run.errors);
    REQUIRE(run.status == 0);
    CHECK(test::mentions(run.out, {"mimic", "1 of " + std::to_string(fingers) + " speeds", "q[1]: j2, driven"}));
    const VectorXd q = VectorXd::Constant(fingers, 0.02);
    const double mass = 1 + 3 * (fingers - 1);
    CHECK(std::abs(call("gripper", "crba", {q}, 1)[0] - mass) < 1e-14 * mass);
    CHECK(std::abs(call("gripper", "aba", {q, VectorXd{{0.1}}, VectorXd{{2.0}}}, 1)[0] - 2 / mass) < 1e-14);
  }
  const Run tree({"gripper.urdf", "--tree", "--functions", "aba"});
  REQUIRE(tree.status == 0);
  const VectorXd zero = VectorXd::Zero(3);
  CHECK(
      (call("gripper", "aba", {zero, zero, VectorXd{{1.0, 1.0, 1.0}}}, 3) - VectorXd{{1.0, 1.0 / 3, 1.0 / 3}}).norm() <
      1e-14);
}

TEST_CASE("code of loops asks for a nominal configuration, or for the tree", "[codegen][program]") {
  const test::WorkingFolder folder;
  if (!exists("gcc")) return;
  write_text("bars.urdf", parallelogram_text());
  const Run open({"bars.urdf"});
  CHECK(open.status == 1);
  CHECK(test::mentions(open.errors, {"'pin'", "--nominal", "--tree"}));
  CHECK_FALSE(fs::exists("bars.c"));
  CHECK(Run({"bars.urdf", "--tree", "--functions", "crba"}).status == 0);
  write_text("near.csv", "0.3, -0.29\n0.3\n");
  const Run closed({"bars.urdf", "--nominal", "near.csv", "--functions", "crba,aba,forward_dynamics_derivatives"});
  INFO(closed.errors);
  REQUIRE(closed.status == 0);
  CHECK(test::mentions(closed.out, {"changes the nominal configuration", "1 of 3 speeds"}));
  // Two links turn, and the third moves on the circle of the pins: 2 (I + m l^2 / 64) with the centres at 0.05 m.
  const double M = 2 * (0.01 + 0.05 * 0.05) + 1 * 0.4 * 0.4;
  for (const double angle : {0.3, 0.7})
    CHECK(std::abs(call("bars", "crba", {VectorXd{{angle, -angle, angle}}}, 1)[0] - M) < 1e-13);
  write_text("far.csv", "0.3 0.3 2.5");
  write_text("short.csv", "0.3 0.3");
  write_text("words.csv", "0.3 -0.3 east");
  CHECK(test::mentions(Run({"bars.urdf", "--nominal", "short.csv"}).errors, {"2 numbers", "nq = 3", "q[2], v[2]: jc"}));
  CHECK(test::mentions(Run({"bars.urdf", "--nominal", "words.csv"}).errors, {"'east'"}));
  CHECK(Run({"bars.urdf", "--nominal", "near.csv", "--tree"}).status == 1);
  auto rods = parallelogram_text();  // one of them cannot reach the pin
  rods.replace(rods.find("0.4 0 0'/></predecessor>"), 3, "5.0");
  write_text("bars.urdf", rods);
  CHECK(test::mentions(Run({"bars.urdf", "--nominal", "near.csv"}).errors, {"do not close", "'pin'"}));
}

TEST_CASE("robots are read from MJCF, too", "[codegen][program]") {
  const test::WorkingFolder folder;
  if (!exists("gcc")) return;
  write_text("hand.xml", R"(<mujoco model="hand"><worldbody>
    <body name="a"><joint name="ja" type="slide" axis="0 1 0"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>
    <body name="b"><joint name="jb" type="slide" axis="0 1 0"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body>
    </worldbody><equality><joint joint1="jb" joint2="ja" polycoef="0 -2 0 0 0"/></equality></mujoco>)");
  const Run run({"hand.xml", "--functions", "crba"});
  INFO(run.errors);
  REQUIRE(run.status == 0);
  CHECK(std::abs(call("hand", "crba", {VectorXd{{0.1, -0.2}}}, 1)[0] - (1 + 2 * 4)) < 1e-14);
  CHECK(test::mentions(Run({"hand.xml", "--floating"}).errors, {"<freejoint>"}));
}

TEST_CASE("dust of rotations is snapped", "[codegen][program]") {
  const test::WorkingFolder folder;
  const auto count = [](const std::string& quarter, const Names& more) {
    write_text("arm.urdf", arm_text(quarter));
    Names arguments{"arm.urdf", "--functions", "rnea"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Run run(arguments);
    INFO(run.errors);
    REQUIRE(run.status == 0);
    return operations_in(run.out, "rnea");
  };
  const int exact = count("1.5707963267948966", {}), general = count("1.4", {}), rounded = count("1.5707963268", {});
  CHECK(exact < 0.85 * rounded);
  CHECK(rounded < general);  // the axes are alone in their row and column
  CHECK(count("1.5707963268", {"--snap", "1e-9"}) == exact);
  CHECK(count("1.4", {"--snap", "1e-9"}) == general);
  Matrix3<double> R = rotation_rpy<double>(0.3, 1.2, -0.7);
  const Matrix3<double> before = R;
  codegen::Snapped done;
  codegen::snap(R, 1e-9, done);
  CHECK(done.count == 0);
  CHECK(R == before);
  R << 0, -1 + 1e-12, 1e-11, 1 - 1e-12, 0, 0, 0, 0, 1;  // a turn of a quarter, rounded
  codegen::snap(R, 1e-9, done);
  Matrix3<double> quarter;
  quarter << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  CHECK(R == quarter);
  CHECK(done.count == 3);
}

TEST_CASE("a mistake in the arguments is an error before anything is read or written", "[codegen][program]") {
  const test::WorkingFolder folder;
  write_text("arm.urdf", arm_text("0"));
  write_text("file", "");
  const auto refused = [](Names arguments, const Names& words) {
    CAPTURE(arguments);
    arguments.insert(arguments.begin(), {"--out", "new"});
    const Run run(arguments);
    CHECK(run.status == 1);
    CHECK(run.out.empty());
    CHECK(test::mentions(run.errors, words));
    CHECK_FALSE(fs::exists("new"));
  };
  refused({}, {"--help"});
  refused({"none.urdf"}, {"'none.urdf'", "does not exist"});
  refused({"arm.urdf", "arm.urdf"}, {"one robot"});
  refused({"arm.urdf", "--speed", "3"}, {"--speed", "--help"});
  refused({"arm.urdf", "--functions", "rnea,abba"}, {"'abba'", "body_pose:FRAME"});
  refused({"arm.urdf", "--functions", "rnea,rnea"}, {"twice"});
  refused({"arm.urdf", "--functions", "body_pose"}, {"'body_pose'"});
  refused({"arm.urdf", "--functions", "crba:l1"}, {"'crba:l1'"});
  refused({"arm.urdf", "--functions="}, {"there is no function ''"});
  refused({"arm.urdf", "--functions"}, {"needs a value"});
  refused({"arm.urdf", "--scalar", "half"}, {"float or double", "'half'"});
  refused({"arm.urdf", "--scalar=float", "--scalar=float"}, {"twice"});
  refused({"arm.urdf", "--lanes", "3"}, {"power of two"});
  refused({"arm.urdf", "--lanes", "four"}, {"--lanes", "'four'"});
  refused({"arm.urdf", "--lanes", "4", "--language", "CUDA"}, {"of C alone"});
  refused({"arm.urdf", "--name", "my arm"}, {"'my arm'"});
  refused({"arm.urdf", "--name", "math"}, {"'math.h'"});
  refused({"arm.urdf", "--tree=yes"}, {"no value"});
  refused({"arm.urdf", "--snap", "0.1"}, {"--snap"});
  refused({"arm.urdf", "--nominal", "none.csv"}, {"none.csv"});
  CHECK(test::mentions(Run({"arm.urdf", "--out", "file/code"}).errors, {"'file/code'"}));
  CHECK(test::mentions(Run({"arm.urdf", "--functions", "body_pose:hand"}).errors, {"'hand'"}));
  CHECK(test::mentions(Run({"-h"}).out, {"--nominal", "inverse_dynamics_regressor", "step"}));
  CHECK(Run({"--help"}).out == Run({"-h"}).out);
  CHECK(Run({"--version"}).out == std::string("corio_generate ") + version() + "\n");
}

TEST_CASE("zeros of matrices are left out on request", "[codegen][program]") {
  const test::WorkingFolder folder;
  write_text("gripper.urdf", gripper_text(2));
  const Run run({"gripper.urdf", "--tree", "--packed", "--python", "--functions", "crba"});
  INFO(run.errors);
  REQUIRE(run.status == 0);
  CHECK(test::mentions(text_of("gripper.h"), {"extern const int gripper_crba_M_row[2], gripper_crba_M_column[2];"}));
  CHECK(test::mentions(text_of("gripper.py"), {"crba_M_row = np.array([0, 1])", "crba_M_column = np.array([0, 1])"}));
}

TEST_CASE("robots have code whatever their name, and without joints", "[codegen][program]") {
  const test::WorkingFolder folder;
  for (const auto& [name, file] : {std::pair("math", "robot_math"), std::pair("String", "robot_String"),
                                   std::pair("r\xC3\xB6\xC3\xA9", "r____"), std::pair("7 axes", "robot_7_axes")}) {
    write_text("arm.urdf", arm_text("0", name));
    const Run run({"arm.urdf", "--functions", "generalized_gravity"});
    CHECK(run.status == 0);
    CHECK(fs::exists(std::string(file) + ".h"));
  }
  write_text("rock.urdf", "<robot name='rock'>" + link_text("rock", 2) + "</robot>");
  const Run rock({"rock.urdf"});
  INFO(rock.errors);
  CHECK(rock.status == 0);
  if (exists("gcc")) CHECK(runs("gcc -std=c11 -Wall -Wextra -Werror -c *.c"));
  for (const auto& entry : fs::directory_iterator(".")) CHECK(entry.path().extension() != ".part");
}

TEST_CASE("CMake refuses wrong arguments, and knows the functions", "[codegen][program]") {
  const test::WorkingFolder folder;
  if (!exists("cmake")) return;
  const std::string module = CORIO_EXAMPLES_DIR "/../cmake/corioGenerate.cmake";
  write_text("arm.urdf", arm_text("0"));
  const auto message = [&](const std::string& arguments) {
    write_text("call.cmake", "cmake_minimum_required(VERSION 3.20)\ninclude(" + module +
                                 ")\ncorio_generate_arguments(" + arguments +
                                 ")\nmessage(\"arguments ${arguments}\")\n");
    const bool ran = runs("cmake -P call.cmake");
    std::string text = text_of("log");
    std::ranges::replace(text, '\n', ' ');
    CHECK(ran == (text.find("arguments") == 0));
    return text;
  };
  std::string all;
  for (const auto& f : codegen::named_functions) all += std::string(f.name) + " ";
  CHECK(test::mentions(
      message("panda URDF arm.urdf FUNCTIONS " + all + " SNAP 1e-9 LANES 4 TREE PACKED SCALAR float"),
      {"arm.urdf;--functions;rnea,crba", "--snap;1e-9", "--lanes;4", "--tree", "--packed", "--scalar;float"}));
  CHECK(test::mentions(message("panda URDF none.urdf FUNCTIONS rnea"), {"none.urdf"}));
  CHECK(test::mentions(message("panda URDF arm.urdf"), {"FUNCTIONS"}));
  CHECK(test::mentions(message("panda URDF arm.urdf MJCF arm.urdf FUNCTIONS rnea"), {"URDF or MJCF"}));
  CHECK(test::mentions(message("panda URDF arm.urdf FUNCTIONS abba"), {"abba", "there are rnea"}));
  CHECK(test::mentions(message("panda URDF arm.urdf FUNCTIONS rnea rnea"), {"twice"}));
  CHECK(test::mentions(message("panda URDF arm.urdf FUNCTIONS rnea LANES 3"), {"LANES"}));
  CHECK(test::mentions(message("panda URDF arm.urdf FUNCTIONS rnea SCALAR half"), {"SCALAR"}));
  CHECK(test::mentions(message("panda URDF arm.urdf FUNCTIONS rnea LANGUAGE Fortran"), {"LANGUAGE"}));
  CHECK(test::mentions(message("\"my arm\" URDF arm.urdf FUNCTIONS rnea"), {"no identifier"}));
  CHECK(test::mentions(message("panda URDF arm.urdf FUNCTIONS rnea NOMINAL none.csv"), {"none.csv"}));
  CHECK(test::mentions(message("panda URDF arm.urdf FUNCTIONS rnea SCALAR"), {"SCALAR"}));
  CHECK(test::mentions(message("panda URDF arm.urdf FUNCTIONS rnea CASADI"), {"--casadi"}));
  CHECK(test::mentions(message("panda URDF arm.urdf FUNCTIONS rnea CASADI SCALAR float"),
                       {"CASADI is of C over double"}));
}

TEST_CASE("code for a microcontroller needs no double arithmetic and little memory", "[codegen][program]") {
  const test::WorkingFolder folder;
  fs::create_directory("include");  // clang has no headers for it
  write_text("include/math.h", "float sinf(float);\nfloat cosf(float);\nfloat sqrtf(float);\n");
  const std::string cortex =
      " -std=c11 -Os -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -ffreestanding "
      "-Iinclude -Wall -Wdouble-promotion -Werror -fstack-usage -c arm.c -o arm.o";
  write_text("arm.c", "");
  std::string compiler = "arm-none-eabi-gcc";
  if (!exists(compiler)) compiler = "clang --target=arm-none-eabihf";
  if (!runs(compiler + cortex)) return;
  write_text("arm.urdf", arm_text("1.5707963267948966"));
  REQUIRE(Run({"arm.urdf", "--scalar", "float", "--functions", "rnea,crba,aba,coriolis_matrix"}).status == 0);
  const bool compiled = runs(compiler + cortex);
  INFO(text_of("log"));
  REQUIRE(compiled);
  // Arithmetic of double would call functions in the compiler's library.
  const std::string object = text_of("arm.o");
  for (const char* call : {"__aeabi_", "__adddf3", "__muldf3"}) CHECK(object.find(call) == std::string::npos);
  CHECK(fs::file_size("arm.o") < 100000);
  std::istringstream frames(text_of("arm.su"));
  int largest = 0, bytes = 0;
  for (std::string function, kind; frames >> function >> bytes >> kind;) largest = std::max(largest, bytes);
  CHECK(largest > 0);
  CHECK(largest < 1024);
}
