from __future__ import annotations

import importlib.util
import os
import pathlib
import shlex
import shutil
import sysconfig
import tempfile
import timeit
import weakref
from types import ModuleType
from typing import Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import _corio
from ._corio import Error, Mechanism, Model


def generate(robot: Model | Mechanism, functions: str | Sequence[str], *, language: str = "C", name: str = "robot",
             folder: str | os.PathLike[str] | None = None, packed: bool = False, q: ArrayLike | None = None) -> ModuleType:
    """The module with C code of these functions for this robot alone, compiled here: module.rnea(q, v, a), one state or rows.

    The compiler is CC, or that of sysconfig. The files stay in the folder if one is given. The loops of a mechanism are
    closed near q, and the code is right where the pivots that are chosen there stay away from zero. language="CUDA" is
    compiled by nvcc, for tensors. Raises Error for what is unknown, and without a compiler.
    """
    if language not in ("C", "CUDA"):
        raise Error(f"generate: language is {language!r}, expected 'C' or 'CUDA'")
    if not isinstance(robot, (Model, Mechanism)):
        raise TypeError(f"generate: robot is a {type(robot).__name__}, expected a corio.Model or corio.Mechanism")
    functions = [functions] if isinstance(functions, str) else list(functions)
    if not all(isinstance(text, str) for text in [name, *functions]):
        raise TypeError("generate: functions must be a list of names, and name a str")
    variable, usual = ("CC", sysconfig.get_config_var("CC") or "cc") if language == "C" else ("NVCC", "nvcc")
    before = os.environ.get(variable)
    if not shutil.which(shlex.split(before or usual)[0]):
        raise Error(f"generate: no compiler {before or usual!r}; install one, or name it in the variable {variable}")
    near = robot.assemble(robot.model.neutral() if q is None else q) if isinstance(robot, Mechanism) else ()
    made = pathlib.Path(folder or tempfile.mkdtemp())
    try:
        made.mkdir(parents=True, exist_ok=True)
        _corio._generate(robot, functions, made, name, language == "CUDA", bool(packed), near)
        os.environ[variable] = before or usual
        spec = importlib.util.spec_from_file_location(name, made / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except BaseException as error:
        if folder is None:
            shutil.rmtree(made, ignore_errors=True)
        if isinstance(error, ImportError):
            raise Error(f"generate: {error}") from error
        raise
    finally:
        os.environ.update({variable: before}) if before else os.environ.pop(variable, None)
    if folder is None:
        weakref.finalize(module, shutil.rmtree, made, ignore_errors=True)
    return module


def report(model: Model, folder: str | os.PathLike[str]) -> pathlib.Path:
    """Writes a page into the folder, one file: the tree, a skeleton that moves, M and C, torques, errors, times. Returns it."""
    q, (v, a) = model.random_configuration(np.random.default_rng(1)), np.ones((2, model.nv))
    calls = {"rnea": ((q, v, a), "tau"), "aba": ((q, v, a), "a"), "crba": ((q,), "M"),
             "coriolis_matrix": ((q, v), "C, M, dM/dt"), "generalized_gravity": ((q,), "g")}
    times = [(name, min(timeit.repeat(lambda: getattr(_corio, name)(model, *x), number=200)) / 200 * 1e6, result)
             for name, (x, result) in calls.items()]
    summary = f"{len(model.bodies)} moving bodies, {len(model.joints)} joints, nq = {model.nq}, nv = {model.nv}"
    return _corio._report(model, folder, pathlib.Path(__file__).parent / "page.html", summary, times)
