import importlib.util
import os
import pathlib
import shlex
import shutil
import sysconfig
import tempfile
import timeit
import weakref

import numpy as np

from . import _corio


def generate(robot, functions, *, language="C", name="robot", folder=None, packed=False, q=None):
    """The module with C code of these functions for this robot alone, compiled here: module.rnea(q, v, a), one state or rows.

    The compiler is CC, or that of sysconfig. The files stay in the folder if one is given. The loops of a mechanism are
    closed near q, and the code is right where the pivots that are chosen there stay away from zero. language="CUDA" is
    compiled by nvcc, for tensors. Raises Error for what is unknown, and without a compiler.
    """
    if language not in ("C", "CUDA"):
        raise _corio.Error(f"generate: language is {language!r}, expected 'C' or 'CUDA'")
    variable, usual = ("CC", sysconfig.get_config_var("CC") or "cc") if language == "C" else ("NVCC", "nvcc")
    before = os.environ.get(variable)
    if not shutil.which(shlex.split(before or usual)[0]):
        raise _corio.Error(f"generate: no compiler {before or usual!r}; install one, or name it in the variable {variable}")
    if isinstance(robot, _corio.Mechanism):
        q = robot.assemble(robot.model.neutral() if q is None else q)
    made = pathlib.Path(folder or tempfile.mkdtemp())
    made.mkdir(parents=True, exist_ok=True)
    try:
        _corio._generate(robot, [functions] if isinstance(functions, str) else list(functions), made, name, language == "CUDA", packed, () if q is None else q)
        os.environ[variable] = before or usual
        spec = importlib.util.spec_from_file_location(name, made / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError as error:
        raise _corio.Error(f"generate: {error}") from error
    finally:
        os.environ.update({variable: before}) if before else os.environ.pop(variable, None)
    if folder is None:
        weakref.finalize(module, shutil.rmtree, made, ignore_errors=True)
    return module


def report(model, folder):
    """Writes a page into the folder, one file: the tree, a skeleton that moves, M and C, torques, errors, times. Returns it."""
    q, (v, a) = model.random_configuration(np.random.default_rng(1)), np.ones((2, model.nv))
    calls = {"rnea": ((q, v, a), "tau"), "aba": ((q, v, a), "a"), "crba": ((q,), "M"),
             "coriolis_matrix": ((q, v), "C, M, dM/dt"), "generalized_gravity": ((q,), "g")}
    times = [(name, min(timeit.repeat(lambda: getattr(_corio, name)(model, *x), number=200)) / 200 * 1e6, result)
             for name, (x, result) in calls.items()]
    summary = f"{len(model.bodies)} moving bodies, {len(model.joints)} joints, nq = {model.nq}, nv = {model.nv}"
    return _corio._report(model, folder, pathlib.Path(__file__).parent / "page.html", summary, times)
