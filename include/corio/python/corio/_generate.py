import importlib.util
import os
import pathlib
import shlex
import shutil
import sysconfig
import tempfile
import weakref

from . import _corio


def generate(robot, functions, *, language="C", name="robot", folder=None, packed=False, q=None):
    """The module with C code of these functions for this robot alone, compiled here: module.rnea(q, v, a), one state or rows.

    The compiler is CC, or that of sysconfig. The files stay in the folder if one is given. The loops of a mechanism are
    closed near q, and the code is right where the pivots that are chosen there stay away from zero. language="CUDA" is
    compiled by nvcc, for tensors. Raises Error for what is unknown, and without a compiler.
    """
    if language not in ("C", "CUDA"):
        raise _corio.Error(f"generate: language is {language!r}, expected 'C' or 'CUDA'")
    variable = {"C": "CC", "CUDA": "NVCC"}[language]
    compiler = os.environ.get(variable) or {"CC": sysconfig.get_config_var("CC") or "cc", "NVCC": "nvcc"}[variable]
    if not shutil.which(shlex.split(compiler)[0]):
        raise _corio.Error(f"generate: there is no compiler {compiler!r}; install one, or name it in the variable {variable}")
    if isinstance(robot, _corio.Mechanism):
        q = robot.assemble(robot.model.neutral() if q is None else q)
    made = pathlib.Path(folder or tempfile.mkdtemp())
    made.mkdir(parents=True, exist_ok=True)
    before = os.environ.get(variable)
    try:
        _corio._generate(robot, list(functions), str(made), name, language == "CUDA", packed, () if q is None else q)
        os.environ[variable] = compiler
        spec = importlib.util.spec_from_file_location(name, made / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    except ImportError as error:
        raise _corio.Error(f"generate: {error}") from error
    finally:
        os.environ.pop(variable, None) if before is None else os.environ.update({variable: before})
    if folder is None:
        weakref.finalize(module, shutil.rmtree, made, ignore_errors=True)
    return module
