"""What a call from Python costs beside the same call in C++, and rows beside batch::rnea.

PYTHONPATH=build/include/corio/python/package python3 bench/python/speed.py [--threads] [ROBOT.urdf]

With --threads it only compares rows by one thread and by two. Else it compiles speed.cpp with the options of the package
($CXX, $EIGEN: the folder of Eigen) and runs it before and after.
Times are the least of some measurements, of one thread in processor time, which other programs hardly change; those of
threads are of the clock and need idle cores.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

import corio

here = pathlib.Path(__file__).resolve().parent
robot = next((x for x in sys.argv[1:] if x != "--threads"), str(here / "../../examples/models/arm7.urdf"))
SINGLE, ROWS = 20000, 100_000


def nanoseconds(f, calls=SINGLE, repeat=15, clock=time.process_time_ns):
    least = float("inf")
    for _ in range(repeat):
        begin = clock()
        for _ in range(calls):
            f()
        least = min(least, (clock() - begin) / calls)
    return least


def compiled(folder):
    program = pathlib.Path(folder, "speed")
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O2", "-march=native", here / "speed.cpp", "-o", program,
                    f"-I{here / '../../include'}", "-isystem", os.environ.get("EIGEN", "/usr/include/eigen3"),
                    "-ltinyxml2", "-pthread"], check=True)
    return lambda: {k: float(x) for k, x in map(str.split, subprocess.check_output([program, robot], text=True).splitlines())}


model = corio.urdf.load(robot)
rng = np.random.default_rng(0)
q, (v, a) = rng.uniform(-0.5, 0.5, model.nq), rng.standard_normal((2, model.nv))
Q, V, A = (np.tile(x, (ROWS, 1)) for x in (q, v, a))
out, Tau = np.empty(model.nv), np.empty((ROWS, model.nv))
calls = {
    "rnea": lambda: corio.rnea(model, q, v, a),
    "rnea, out=": lambda: corio.rnea(model, q, v, a, out=out),
    "rnea, keywords": lambda: corio.rnea(model, q=q, v=v, a=a),
    "aba": lambda: corio.aba(model, q, v, a),
    "coriolis_matrix": lambda: corio.coriolis_matrix(model, q, v),
}


def rows(threads):
    return lambda: corio.rnea(model, Q, V, A, threads=threads, out=Tau)


def print_threads():
    """Both are measured in turn, so that another program slows both."""
    one, two = np.min([[nanoseconds(rows(n), 1, 1, time.perf_counter_ns) for n in (1, 2)] for _ in range(20)], axis=0)
    print(f"{'rnea of 100,000 rows, by the clock':34s}{one / ROWS:8.1f}\n{'2 threads':34s}{two / ROWS:8.1f}{'':8s}{one / two:8.2f} times faster")


if "--threads" in sys.argv:
    print(f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, ns a state")
    print_threads()
    sys.exit()
with tempfile.TemporaryDirectory() as folder:
    program = compiled(folder)
    before = program()
    times = {name: nanoseconds(f) for name, f in calls.items()}
    of_rows = nanoseconds(rows(1), 1) / ROWS
    cpp = {name: min(x, before[name]) for name, x in program().items()}
print(f"{model}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n{'ns':34s}{'Python':>8s}{'C++':>8s}{'more':>8s}")
for name, t in times.items():
    other = cpp[name.split(",")[0]]
    print(f"{name:34s}{t:8.0f}{other:8.0f}{t - other:8.0f}")
print(f"{'rnea of 100,000 rows, a state':34s}{of_rows:8.1f}{cpp['rows']:8.1f}{of_rows / cpp['rows']:8.2f} times")
print_threads()


def of_pinocchio():
    import pinocchio
    chain = pinocchio.buildModelFromUrdf(robot)
    data = chain.createData()
    return lambda: pinocchio.rnea(chain, data, q, v, a)


def of_dart():
    import dartpy
    loader = dartpy.utils.DartLoader()
    none = dartpy.dynamics.Inertia(1e-9, np.zeros(3), 1e-9 * np.eye(3))  # links without inertia have 1 kg otherwise
    loader.setOptions(dartpy.utils.DartLoaderOptions(defaultRootJointType=loader.RootJointType.FIXED, defaultInertia=none))
    skeleton = loader.parseSkeleton(os.path.abspath(robot))

    def call():
        skeleton.setPositions(q), skeleton.setVelocities(v), skeleton.setAccelerations(a)
        skeleton.computeInverseDynamics()
        return skeleton.getForces()

    return call


def of_mujoco():
    import mujoco
    chain = mujoco.MjModel.from_xml_path(robot)
    data = mujoco.MjData(chain)

    def call():
        data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
        mujoco.mj_inverse(chain, data)
        return data.qfrc_inverse

    return call


tau = corio.rnea(model, q, v, a)
for name, bindings in ("pinocchio.rnea", of_pinocchio), ("dartpy, computeInverseDynamics", of_dart), ("mujoco.mj_inverse", of_mujoco):
    try:
        call = bindings()
    except ImportError:
        print(f"{name:34s}not there")
        continue
    same = "" if np.allclose(call(), tau, atol=1e-6) else "  (other torques)"
    print(f"{name:34s}{nanoseconds(call, 2000):8.0f}{same}")
