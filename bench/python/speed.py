"""What a call from Python costs beside the same call in C++, and rows beside single calls.

PYTHONPATH=build/include/corio/python/package python3 bench/python/speed.py [ROBOT.urdf]
"""
import sys
import time

import numpy as np

import corio


def best(f, n, repeat=7):
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        for _ in range(n):
            f()
        times.append((time.perf_counter() - begin) / n)
    return min(times)


model = corio.urdf.load(sys.argv[1]) if len(sys.argv) > 1 else corio.zoo.serial_chain(7)
rng = np.random.default_rng(0)
q, (v, a) = model.random_configuration(rng), rng.standard_normal((2, model.nv))
out, C = np.empty(model.nv), (np.empty((model.nv, model.nv)),) * 3
# Rows of one thread show the time of a state in C++ without Python: batch::rnea with packs of states.
n = 100_000
Q, V, A = (np.tile(x, (n, 1)) for x in (q, v, a))
Tau = np.empty((n, model.nv))
print(f"{model}\n{'one call':40s} ns")
for name, f in {
    "rnea": lambda: corio.rnea(model, q, v, a),
    "rnea, out=": lambda: corio.rnea(model, q, v, a, out=out),
    "rnea, keywords": lambda: corio.rnea(model, q=q, v=v, a=a),
    "aba": lambda: corio.aba(model, q, v, a),
    "coriolis_matrix": lambda: corio.coriolis_matrix(model, q, v),
    "numpy.empty": lambda: np.empty(model.nv),
}.items():
    print(f"{name:40s} {best(f, 20000) * 1e9:.0f}")
print(f"{'rows of ' + str(n):40s} ns a state")
for threads in (1, 2):
    t = best(lambda: corio.rnea(model, Q, V, A, threads=threads, out=Tau), 1)
    print(f"{'rnea, threads=' + str(threads):40s} {t / n * 1e9:.0f}")
try:
    import pinocchio
    chain = pinocchio.buildModelFromUrdf(sys.argv[1])
    data = chain.createData()
    print(f"{'pinocchio.rnea':40s} {best(lambda: pinocchio.rnea(chain, data, q, v, a), 20000) * 1e9:.0f}")
except (ImportError, IndexError):
    pass
