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
