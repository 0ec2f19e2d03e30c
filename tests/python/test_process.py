"""Memory, threads of Python, and subinterpreters."""
import contextlib
import functools
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from conftest import arguments

import corio


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_memory_does_not_grow(arm, rng):
    x = arguments(arm, "rnea", rng)
    q, v, a = x["q"], x["v"], x["a"]
    rows = np.tile(q, (5, 1))

    tip = arm.bodies[-1]
    errors = [lambda: corio.rnea(arm, q, q[:3], a), lambda: corio.rnea(arm, q, "x", a), lambda: corio.rnea(arm, rows, rows[:3], a),
              lambda: corio.rnea(arm, q, v, a, out=rows), lambda: corio.body_jacobian(arm, q, tip, reference="w"),
              lambda: corio.rnea(arm, q, v, a, external={tip: q}), lambda: corio.body_pose(arm, q, "nowhere")]

    def calls(n):
        for _ in range(n):
            corio.rnea(arm, q, v, a)
            corio.coriolis_matrix(arm, q, v=v)
            corio.aba(arm, rows, v, a, threads=1)
            for call in errors:
                with contextlib.suppress(ValueError, TypeError, corio.Error):
                    call()
                    raise AssertionError

    calls(2000)
    before = resident()
    calls(30000)  # 300,000 calls, of which 210,000 are errors
    assert resident() - before < 1_000_000  # a leak of one object in one of them, of 50 bytes at least, would be 1,500,000


def test_functions_and_results_are_pickled(arm):
    x = np.ones((3, 7))
    with multiprocessing.get_context("fork").Pool(2) as pool:
        both = pool.starmap(corio.coriolis_matrix, [(arm, x, x)] * 2)
        torques = pool.map(functools.partial(corio.rnea, arm, x, x), [x, 2 * x])
    assert np.array_equal(both[1].Mdot, corio.coriolis_matrix(arm, x, x).Mdot)
    assert np.array_equal(torques[1], corio.rnea(arm, x, x, 2 * x))
    assert pickle.loads(pickle.dumps(corio.exp3)) is corio.exp3
    assert both[0]._fields == ("C", "M", "Mdot") and list(both[0]._asdict()) == ["C", "M", "Mdot"]


def test_threads_of_python(rng):
    model = corio.zoo.humanoid()
    x = arguments(model, "rnea", rng, (200,))
    one = {n: value[0] for n, value in x.items()}
    right, single, results = corio.rnea(model, **x), corio.rnea(model, **one), []

    def work():
        for _ in range(20):
            results.append(np.array_equal(corio.rnea(model, **x), right))
            results.append(np.array_equal(corio.rnea(model, **one), single))
            results.append(corio.mass_matrix_dot(model, x["q"], x["v"]).shape == (200, model.nv, model.nv))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 240 and all(results)


def test_the_lock_is_released(rng):
    model = corio.zoo.humanoid()
    x = arguments(model, "inverse_dynamics_derivatives", rng, (1,))
    x = {n: np.repeat(value, 3000, 0) for n, value in x.items()}
    ended, counts = threading.Event(), []

    def count():
        while not ended.is_set():
            counts.append(1)
            ended.wait(1e-4)

    t = threading.Thread(target=count)
    t.start()
    before = len(counts)
    corio.inverse_dynamics_derivatives(model, **x, threads=1)
    during = len(counts) - before
    ended.set()
    t.join()
    assert during > 1


@pytest.mark.parametrize("before", ["import corio", ""])
def test_a_subinterpreter_is_told_what_to_use(before):
    pytest.importorskip("_xxsubinterpreters")  # CPython 3.8 to 3.12
    script = f"""
{before}
import _xxsubinterpreters as sub
try:
    sub.run_string(sub.create(), "import corio")
except sub.RunFailedError as error:
    assert "ImportError" in str(error) and "use threads or processes" in str(error), error
else:
    raise AssertionError("corio was imported")
import corio
assert corio.crba(corio.zoo.serial_chain(2), [0, 0]).shape == (2, 2)
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)


def test_a_fork_computes_rows_while_another_thread_does(arm, rng):
    x = rng.standard_normal((3, 300, arm.nv))
    right, stop = corio.rnea(arm, *x), threading.Event()

    def work():
        while not stop.is_set():
            corio.rnea(arm, *x, threads=2)
            corio.mass_matrix_dot(arm, *x[:2])

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(20):
            child = os.fork()
            if child == 0:
                signal.alarm(20)  # ends a child that waits for a lock that nobody holds
                same = np.array_equal(corio.rnea(arm, *x, threads=2), right) and corio.mass_matrix_dot(arm, *x[:2]).any()
                os._exit(0 if same else 1)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        stop.set()
        thread.join()


def test_threads_add_to_one_stream(arm):
    samples, Y, tau = corio.StreamingLeastSquares(40), np.ones((300, 40)), np.ones(300)
    threads = [threading.Thread(target=lambda: [samples.add(Y, tau) for _ in range(20)]) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert samples.rows == 4 * 20 * 300
