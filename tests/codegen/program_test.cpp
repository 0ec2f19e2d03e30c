#define CORIO_GENERATE_WITHOUT_MAIN
#include "corio/codegen/generate.cpp"

#include <dlfcn.h>

#include "codegen/compiled_support.hpp"

using namespace codegen_test;

namespace {

/// What the program says, in a folder that the case works in.
struct Run {
  int status;
  std::string out, errors;
  explicit Run(const Names& arguments) {
    std::ostringstream said, failed;
    status = codegen::generate(arguments, said, failed);
    out = said.str(), errors = failed.str();
  }
};
void write_text(const char* file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }
int operations_in(const std::string& out, const std::string& function) {
  return std::stoi(out.substr(out.find(function + ": ") + function.size() + 2));
}

std::string link_text(const std::string& name, double mass) {
  return "<link name='" + name + "'><inertial><mass value='" + std::to_string(mass) +
         "'/><origin xyz='0 0 0.05'/><inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial>"
         "</link>\n";
}
std::string joint_text(const std::string& name, const std::string& type, const std::string& parent,
                       const std::string& child, const std::string& inside) {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" + child + "'/>" +
         inside + "<limit lower='-1' upper='1' velocity='1' effort='1'/></joint>\n";
}
/// Fingers of 1 and 3 kg that move as one; with three, the third follows the second.
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
/// Six hinges about axes along the axes of the links, turned by this text.
std::string arm_text(const std::string& quarter, const std::string& name = "arm") {
  std::string text = "<robot name='" + name + "'><link name='l0'/>";
  for (int i = 1; i <= 6; ++i)
    text += link_text("l" + std::to_string(i), i) +
            joint_text("j" + std::to_string(i), "revolute", "l" + std::to_string(i - 1), "l" + std::to_string(i),
                       "<origin xyz='0 0.1 0.3' rpy='" + quarter + " 0 " + (i % 2 == 0 ? quarter : "0") + "'/>" +
                           "<axis xyz='0 0 1'/>");
  return text + "</robot>";
}

/// A generated function with these inputs; its results, one after the other.
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
  // Two links turn, and the third moves on the circle of the pins: 2 (I + m l^2 / 64) with their centres at 0.05 m.
  const double M = 2 * (0.01 + 0.05 * 0.05) + 1 * 0.4 * 0.4;
  for (const double angle : {0.3, 0.7})
    CHECK(std::abs(call("bars", "crba", {VectorXd{{angle, -angle, angle}}}, 1)[0] - M) < 1e-13);
  write_text("far.csv", "0.3 0.3 2.5");
  write_text("short.csv", "0.3 0.3");
  write_text("words.csv", "0.3 -0.3 east");
  CHECK(test::mentions(Run({"bars.urdf", "--nominal", "short.csv"}).errors, {"2 numbers", "nq = 3", "q[2], v[2]: jc"}));
  CHECK(test::mentions(Run({"bars.urdf", "--nominal", "words.csv"}).errors, {"'east'"}));
  CHECK(Run({"bars.urdf", "--nominal", "near.csv", "--tree"}).status == 1);
  auto rods = parallelogram_text();  // of which one cannot reach the pin
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
  CHECK(rounded < general);  // axes that are alone in their row and column
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
  refused({"arm.urdf", "--functions", "rnea:l1"}, {"'rnea:l1'"});
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
}

TEST_CASE("a module for Python has the functions, with shapes checked and for many states", "[codegen][program]") {
  const test::WorkingFolder folder;
  CHECK(test::mentions(Run({"arm.urdf", "--python", "--lanes", "4"}).errors, {"Python"}));
  const bool single = GENERATE(false, true);
  write_text("arm.urdf", arm_text("1.4"));
  const Run run({"arm.urdf", "--python", "--scalar", single ? "float" : "double", "--name", "robot", "--functions",
                 "rnea,crba,energy,body_jacobian:l6,step,coriolis_matrix"});
  INFO(run.errors);
  REQUIRE(run.status == 0);
  if (!exists("python3")) return;
  CHECK(runs("python3 -m py_compile robot.py"));
  if (!exists("cc") || !runs("python3 -c 'import numpy'")) return;
  write_text("call.py", R"(
import os, sys
import numpy as np
sys.path.insert(0, os.getcwd())
import robot
rng = np.random.default_rng(1)
q, v, a = rng.uniform(-1, 1, (3, 5, 6))
close = lambda x, y: np.testing.assert_allclose(x, y, rtol=0, atol=1e-3 if robot.crba(q[0]).dtype == np.float32 else 1e-10)
assert robot.rnea(q, v, a).shape == (5, 6) and robot.crba(q).shape == (5, 6, 6) and robot.crba(q[0]).shape == (6, 6)
for i in range(5):
    h = robot.rnea(q[i], v[i], np.zeros(6))
    close(robot.rnea(q, v, a)[i], h + robot.crba(q)[i] @ a[i])
    g = robot.rnea(q[i], np.zeros(6), np.zeros(6))
    close(robot.coriolis_matrix(q[i], v[i]) @ v[i], h - g)
    C, M = robot.coriolis_matrix(q, v)[i], lambda t: robot.crba((q[i] + t * v[i]).tolist())
    if C.dtype == np.float64:
        np.testing.assert_allclose(C + C.T, (M(1e-5) - M(-1e-5)) / 2e-5, atol=1e-6)
close(robot.rnea(q[0], v, a)[3], robot.rnea(q[0], v[3], a[3]))  # one state goes with many
kinetic, potential, springs = robot.energy(q, v)
assert kinetic.shape == (5, 1)
close(kinetic[:, 0], np.einsum("si,sij,sj->s", v, robot.crba(q), v) / 2)
assert robot.body_jacobian_l6(q).shape == (5, 6, 6)
q_next, v_next = robot.step(q[0], v[0], a[0], 0.01)
close(q_next, q[0] + 0.01 * v_next)
assert "kg m^2" in robot.crba.__doc__ and "q[6]" in robot.crba.__doc__ and "j6" in robot.__doc__
for wrong in ((q[0][:5],), (q[:, :5],), (np.zeros((2, 2, 6)),)):
    try:
        robot.crba(*wrong)
    except ValueError as error:
        assert "robot.crba: q has shape" in str(error)
    else:
        raise AssertionError(wrong)
try:
    robot.energy(q, v[:2])
except ValueError as error:
    assert "2 states" in str(error)
else:
    raise AssertionError()
)");
  const bool ran = runs("python3 call.py");
  INFO(text_of("log"));
  CHECK(ran);
  // A library of another robot is not taken.
  write_text("arm.urdf", arm_text("1.4", "longer"));
  REQUIRE(
      Run({"arm.urdf", "--python", "--scalar", single ? "double" : "float", "--name", "robot", "--functions", "rnea"})
          .status == 0);
  fs::remove("robot.c");
  CHECK_FALSE(runs("python3 -c 'import robot'"));
  CHECK(test::mentions(text_of("log"), {"another robot, scalar or version"}));
}

TEST_CASE("a module for Python calls CUDA with arrays of cupy, and has gradients for torch", "[codegen][program]") {
  // The code is compiled for the host, the arrays are of numpy with the interface of cupy; with torch, if it is there.
  const test::WorkingFolder folder;
  write_text("arm.urdf", arm_text("1.4"));
  const Run run({"arm.urdf", "--python", "--language", "CUDA", "--name", "robot", "--functions",
                 "rnea,crba,aba,energy,inverse_dynamics_derivatives,forward_dynamics_derivatives"});
  INFO(run.errors);
  REQUIRE(run.status == 0);
  const std::string compiler = exists("clang++") ? "clang++" : exists("g++") ? "g++" : "";
  if (!exists("python3") || compiler.empty()) return;
  CHECK(runs("python3 -m py_compile robot.py"));
  if (!runs("python3 -c 'import numpy'")) return;
  write_text("host.cpp", "#include \"" CORIO_EXAMPLES_DIR "/../tests/codegen/host_cuda.hpp\"\n#include \"robot.cu\"\n");
  REQUIRE(runs(compiler + " -std=c++20 -O0 -D_GNU_SOURCE -fPIC -shared host.cpp -pthread -o librobot.so"));
  write_text("call.py", R"(
import contextlib, os, sys, types
import numpy as np
sys.path.insert(0, os.getcwd())
class Array(np.ndarray):
    device = contextlib.nullcontext()
    data = property(lambda self: types.SimpleNamespace(ptr=self.ctypes.data))
cupy = types.ModuleType("cupy")
cupy.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=0))
cupy.broadcast_to = np.broadcast_to
cupy.ascontiguousarray = lambda x: np.ascontiguousarray(x).view(Array)
cupy.empty = lambda shape, dtype: np.empty(shape, dtype).view(Array)
sys.modules["cupy"] = cupy
import robot
q, v, a = np.random.default_rng(1).uniform(-1, 1, (3, 5, 6)).view(Array)
M, h = robot.crba(q), robot.rnea(q, v, 0 * a)
assert M.shape == (5, 6, 6) and robot.crba(q[0]).shape == (6, 6) and robot.rnea(q[0], v, a).shape == (5, 6)
np.testing.assert_allclose(robot.rnea(q, v, a), h + np.einsum("sij,sj->si", M, a), rtol=0, atol=1e-10)
np.testing.assert_allclose(robot.energy(q, v)[0][:, 0], np.einsum("si,sij,sj->s", v, M, v) / 2, rtol=0, atol=1e-10)
D, t = robot.inverse_dynamics_derivatives(q, v, a), 1e-6
for j in range(6):
    e = t * np.eye(6)[j]
    np.testing.assert_allclose(D[0][:, :, j], (robot.rnea(q + e, v, a) - robot.rnea(q - e, v, a)) / (2 * t), atol=1e-6)
for wrong, error in (((q[:, :5],), ValueError), ((q.astype(np.float32),), TypeError)):
    try:
        robot.crba(*wrong)
    except error as message:
        assert "robot.crba: q" in str(message)
    else:
        raise AssertionError(wrong)
try:
    import torch
except ImportError:
    sys.exit(0)
torch.cuda.device = lambda device: contextlib.nullcontext()
torch.cuda.current_stream = lambda: types.SimpleNamespace(cuda_stream=0)
q, v, a = (torch.tensor(np.array(x), requires_grad=True) for x in (q, v, a))
one = q[0].detach().clone().requires_grad_()
for f, x in ((robot.rnea, (q, v, a)), (robot.aba, (q, v, a)), (robot.rnea, (one, v, a)),
             (robot.rnea, (q.detach(), v, a.detach()))):
    assert torch.autograd.gradcheck(f, x)
)");
  const bool ran = runs("python3 call.py");
  INFO(text_of("log"));
  CHECK(ran);
}

TEST_CASE("code for a microcontroller needs no double arithmetic and little memory", "[codegen][program]") {
  const test::WorkingFolder folder;
  fs::create_directory("include");  // clang comes without headers for it
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
  // Arithmetic of double would call functions of the compiler's library.
  const std::string object = text_of("arm.o");
  for (const char* call : {"__aeabi_", "__adddf3", "__muldf3"}) CHECK(object.find(call) == std::string::npos);
  CHECK(fs::file_size("arm.o") < 100000);
  std::istringstream frames(text_of("arm.su"));
  int largest = 0, bytes = 0;
  for (std::string function, kind; frames >> function >> bytes >> kind;) largest = std::max(largest, bytes);
  CHECK(largest > 0);
  CHECK(largest < 1024);
}
