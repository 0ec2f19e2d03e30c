#include "codegen/program_support.hpp"

// Modules for Python beside C and CUDA.

using namespace codegen_test;

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
fixed = q.copy()
fixed.flags.writeable = False
close(robot.crba(fixed), robot.crba(q[::-1])[::-1])
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
  // The library of another robot is rejected.
  write_text("arm.urdf", arm_text("1.4", "longer"));
  REQUIRE(
      Run({"arm.urdf", "--python", "--scalar", single ? "double" : "float", "--name", "robot", "--functions", "rnea"})
          .status == 0);
  fs::remove("robot.c");
  CHECK_FALSE(runs("python3 -c 'import robot'"));
  CHECK(test::mentions(text_of("log"), {"another robot, scalar or version"}));
}

TEST_CASE("a module for Python calls CUDA with arrays of cupy, and has gradients for torch", "[codegen][program]") {
  // The code is compiled for the host; the arrays are numpy's with the interface of cupy, and torch's if it is
  // installed.
  const test::WorkingFolder folder;
  write_text("arm.urdf", arm_text("1.4"));
  const Run run({"arm.urdf", "--python", "--language", "CUDA", "--name", "robot", "--functions",
                 "rnea,crba,aba,energy,step,inverse_dynamics_derivatives,forward_dynamics_derivatives"});
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
cupy.full = lambda shape, x, dtype: np.full(shape, x, dtype).view(Array)
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
for wrong, error in (((q[:, :5],), ValueError), ((q.astype(np.float32),), TypeError), (([0] * 6,), TypeError)):
    try:
        robot.crba(*wrong)
    except error as message:
        assert "robot.crba: " in str(message)
    else:
        raise AssertionError(wrong)
np.testing.assert_allclose(robot.step(q, v, a, 0.01)[0], q + 0.01 * robot.step(q, v, a, 0.01)[1], atol=1e-12)
)");
  const bool ran = runs("python3 call.py");
  INFO(text_of("log"));
  CHECK(ran);
}

TEST_CASE("gradients of torch are derivatives of differences", "[codegen][program]") {
  const test::WorkingFolder folder;
  const std::string compiler = exists("clang++") ? "clang++" : exists("g++") ? "g++" : "";
  if (compiler.empty() || !runs("python3 -c 'import torch'")) {
    WARN("python3 has no torch here");
    return;
  }
  for (const bool one : {false, true}) {
    const std::string name = one ? "one" : "six";
    write_text("arm.urdf", one ? "<robot name='one'><link name='l0'/>" + link_text("l1", 1) +
                                     joint_text("j1", "revolute", "l0", "l1", "<axis xyz='0 1 0'/>") + "</robot>"
                               : arm_text("1.4"));
    const Run run({"arm.urdf", "--python", "--language", "CUDA", "--name", name, "--functions",
                   one ? "rnea,crba,aba,inverse_dynamics_derivatives"
                       : "rnea,crba,aba,inverse_dynamics_derivatives,forward_dynamics_derivatives"});
    INFO(run.errors);
    REQUIRE(run.status == 0);
    write_text("host.cpp",
               "#include \"" CORIO_EXAMPLES_DIR "/../tests/codegen/host_cuda.hpp\"\n#include \"" + name + ".cu\"\n");
    REQUIRE(runs(compiler + " -std=c++20 -O0 -D_GNU_SOURCE -fPIC -shared host.cpp -pthread -o lib" + name + ".so"));
  }
  write_text("call.py", R"(
import contextlib, os, sys, types
import torch
sys.path.insert(0, os.getcwd())
torch.cuda.device = lambda device: contextlib.nullcontext()
torch.cuda.current_stream = lambda: types.SimpleNamespace(cuda_stream=0)
import one, six
for robot, n in ((one, 1), (six, 6)):
    q, v, a = (torch.rand(5, n, dtype=torch.float64, requires_grad=True) for _ in range(3))
    first, plain = q[0].detach().clone().requires_grad_(), q.detach()
    for x in ((q, v, a), (first, v, a), (plain, v, a), (first, v[1].detach(), a[1].detach())):
        assert torch.autograd.gradcheck(robot.rnea, x)
assert torch.autograd.gradcheck(six.aba, (q, v, a))
for f, x, words in ((six.crba, (q,), "no gradient"), (one.aba, [x[:, :1] for x in (q, v, a)], "needs a function more")):
    try:
        f(*x).sum().backward()
    except RuntimeError as error:
        assert words in str(error), error
    else:
        raise AssertionError(words)
)");
  const bool ran = runs("python3 call.py");
  INFO(text_of("log"));
  CHECK(ran);
}

namespace modules_of_python {

bool has_compiler() { return exists("python3") && exists("cc") && runs("python3 -c 'import numpy'"); }
void require_python(const std::string& script) {
  write_text("script.py", "import os, sys\nsys.path.insert(0, os.getcwd())\n" + script);
  const bool ran = runs("python3 script.py");
  INFO(text_of("log"));
  REQUIRE(ran);
}
void write_files(const codegen::Writer& writer) {
  for (const auto& [name, text] : writer.files()) write_text(name.c_str(), text);
}
/// Writes the module `robot` with y = factor x and functions with these names.
void write_module(double factor, const Names& names = {"f"}) {
  codegen::Writer writer("robot", "", {.python = true});
  for (const auto& name : names) {
    Recording f(name);
    f.output("y", VectorX<Recorded>(Recorded(factor) * f.input("x", 2)));
    writer.add(f);
  }
  write_files(writer);
}

}  // namespace modules_of_python
using namespace modules_of_python;

TEST_CASE("a module for Python compiles what is of another text, also when it is reloaded", "[codegen][program]") {
  const test::WorkingFolder folder;
  if (!has_compiler()) return;
  const auto keep = [](const std::string& name) {
    for (const char* end : {".py", ".c", ".h"}) fs::rename("robot" + std::string(end), name + end);
  };
  write_module(2), keep("two"), write_module(3, {"f", "g"}), keep("three"), write_module(4), keep("four");
  require_python(R"(
import importlib, shutil, subprocess
sys.dont_write_bytecode = True
def take(name, date=1e9):  # as copies that keep dates
    for end in (".py", ".c", ".h"):
        shutil.copy(name + end, "robot" + end)
        os.utime("robot" + end, (date, date))
take("two")
import robot
assert list(robot.f([1, 2])) == [2, 4]
f = robot.f
take("three")
importlib.reload(robot)
assert list(robot.f([1, 2])) == list(robot.g([1, 2])) == list(f([1, 2])) == [3, 6]
del sys.modules["robot"]
take("four")
import robot
assert list(robot.f([1, 2])) == [4, 8]
take("two")  # compiled by another process
subprocess.run([sys.executable, "-B", "-c", "import robot"], check=True)
importlib.reload(robot)
assert list(robot.f([1, 2])) == [2, 4]
# A text edited by hand is newer.
text = open("robot.c").read()
assert text.count("2.0 * ") == 2
open("robot.c", "w").write(text.replace("2.0 * ", "5.0 * "))
importlib.reload(robot)
assert list(robot.f([1, 2])) == [5, 10]
)");
  const auto refused = [](const std::string& script, const Names& words) {
    require_python(
        "import shutil, subprocess, tempfile\nsys.dont_write_bytecode = True\n" + script +
        "\ntry:\n    import robot\nexcept ImportError as error:\n    print(error)\nelse:\n    sys.exit(1)\n");
    CHECK(test::mentions(text_of("log"), words));
  };
  refused("shutil.copy('three.py', 'robot.py')", {"another text", "generate all again"});
  fs::copy_file("two.py", "robot.py", fs::copy_options::overwrite_existing);
  fs::copy_file("two.c", "robot.c", fs::copy_options::overwrite_existing);
  // A truncated library is compiled again; a library for another machine, and a folder that cannot be written, are
  // rejected.
  require_python("import robot\nsize = os.path.getsize('librobot.so')\nos.truncate('librobot.so', size - 100)");
  require_python("import robot\nassert list(robot.f([1, 2])) == [2, 4]\n");
  refused(
      "data = bytearray(open('librobot.so', 'rb').read())\ndata[18:20] = bytes((0xF3, 0))\n"
      "open('librobot.so', 'wb').write(data)",
      {"librobot.so cannot be loaded", "delete it"});
  fs::remove("librobot.so");
  refused("def no(dir):\n    raise PermissionError(13, 'Permission denied', dir)\ntempfile.TemporaryDirectory = no",
          {"Permission denied", "in a folder that can be written", "run cc -O2 -shared"});
  refused("os.environ['CC'] = 'no_such_compiler'", {"no_such_compiler", "with a compiler"});
  fs::remove("robot.c");
  refused("", {"not there"});
}

TEST_CASE("a module for Python has matrices of one row and column", "[codegen][program]") {
  const test::WorkingFolder folder;
  if (!has_compiler()) return;
  write_text("arm.urdf", "<robot name='one'><link name='l0'/>" + link_text("l1", 1) +
                             joint_text("j1", "revolute", "l0", "l1", "<axis xyz='0 1 0'/>") + "</robot>");
  const Run run({"arm.urdf", "--python", "--functions",
                 "rnea,crba,body_jacobian:l1,com_jacobian,inverse_dynamics_derivatives,coriolis_matrix,energy"});
  INFO(run.errors);
  REQUIRE(run.status == 0);
  require_python(R"(
import numpy as np, one
q = np.linspace(-1, 1, 5).reshape(5, 1)
assert one.crba(q).shape == (5, 1, 1) and one.crba([0.3]).shape == (1, 1) and one.crba(0.3).shape == (1, 1)
assert one.body_jacobian_l1(q).shape == (5, 6, 1) and one.com_jacobian(q[0]).shape == (3, 1)
assert [D.shape for D in one.inverse_dynamics_derivatives(q, q, q)] == [(5, 1, 1)] * 2
assert one.rnea(q, q, q).shape == (5, 1) and one.energy(q, q)[0].shape == (5, 1) and one.crba(q[:0]).shape == (0, 1, 1)
np.testing.assert_allclose(one.crba(q), 0.01 + 0.05**2, rtol=1e-14)  # m = 1 kg, 0.05 m away
np.testing.assert_allclose(one.body_jacobian_l1(q)[:, :, 0], np.tile([0, 1, 0, 0, 0, 0], (5, 1)), atol=1e-15)
assert "M[1][1]" in one.crba.__doc__
)");
}

TEST_CASE("names that Python has, and any summary, give a module that works", "[codegen][program]") {
  const test::WorkingFolder folder;
  const Names names = {"lambda",   "range", "_call",   "np",      "os",  "class", "len", "ctypes",
                       "_library", "tuple", "lambda_", "getattr", "sys", "None",  "x",   "_functions"};
  codegen::Writer writer("robot", "joint K\xFCka \xC3\xBC", {.python = true});
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "lambda_") continue;
    Recording f(names[i], i % 2 == 0 ? "ends \"\"\" K\xFC\n#error no\r\\"
                                     : "\\x \\N{ a ?"
                                       "?/");
    Recorded sum = 0;
    for (const auto& name : names) sum += f.input(name, 1)[0];
    f.output("y", Recorded(sum * Recorded(double(i + 1))));
    writer.add(f);
  }
  write_files(writer);
  for (const char* command : {"gcc -std=c11", "clang -std=c11", "g++ -x c++ -include robot.h -D restrict=__restrict"})
    if (exists(std::string(command).substr(0, 5) == "clang" ? "clang" : "gcc")) {
      const bool compiled = runs(std::string(command) + " -Wall -Wextra -pedantic -Werror -c robot.c -o robot.o");
      INFO(text_of("log"));
      CHECK(compiled);
    }
  if (!has_compiler()) return;
  require_python(R"(
import inspect
import robot
names = "lambda range _call np os class len ctypes _library tuple lambda_ getattr sys None x _functions".split()
for i, name in enumerate(names):
    if name == "lambda_":
        continue
    f = getattr(robot, name if name == "x" else name + "_")
    assert list(inspect.signature(f).parameters)[:2] == ["lambda__", "range_"], inspect.signature(f)
    assert f(*range(len(names)))[0] == (i + 1) * sum(range(len(names)))
    assert (f.__doc__.startswith('ends """ K\u00fc #error no \\') if i % 2 == 0 else "\\x \\N{ a ??/" in f.__doc__)
assert "K\u00fcka \u00fc" in robot.__doc__ and "range of the code" in robot.range_.__doc__
open("robot.h", encoding="utf-8").read(), open("robot.c", encoding="utf-8").read()
)");
  // Both modules define all names that their text uses.
  for (const bool cuda : {false, true}) {
    codegen::Writer plain("plain", "", {.cuda = cuda, .python = true});
    write_text("plain.py", plain.files()[2].text);
    require_python(R"(
import ast, builtins
tree = ast.parse(open("plain.py").read())
top = {name.asname or name.name for x in tree.body if isinstance(x, ast.Import) for name in x.names}
top |= {x.name for x in tree.body if isinstance(x, ast.FunctionDef)}
top |= {name.id for x in tree.body if isinstance(x, ast.Assign) for name in x.targets}
print(*(x.id for x in ast.walk(tree) if isinstance(x, ast.Name) and x.id in top.union(dir(builtins), ["__file__"])))
)");
    std::istringstream used(text_of("log"));
    int number = 0;
    for (std::string name; used >> name; ++number) {
      CAPTURE(name);
      CHECK((codegen::detail::is_python_word(name)));
    }
    CHECK(number > 30);
  }
  for (const char* name : {"json", "class", "numpy", "Sys", "torch", "None"}) {
    CHECK(test::mentions(test::message_of<Error>([&] { codegen::Writer(name, "", {.python = true}); }),
                         {"robot_" + std::string(name)}));
    CHECK_NOTHROW(codegen::Writer(name, ""));
  }
  write_text("arm.urdf", arm_text("1.4", "json"));
  const Run run({"arm.urdf", "--python", "--functions", "crba"});
  CHECK(test::mentions(run.out, {"note: Python has 'json'", "robot_json"}));
  CHECK(fs::exists("robot_json.py"));
}
