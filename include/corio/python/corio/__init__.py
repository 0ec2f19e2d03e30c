"""Rigid-body dynamics: one state or a million rows, by the same call."""
import ctypes

# The module of pybind11 would wait for ever for the lock of the main interpreter.
if len({ctypes.PYFUNCTYPE(ctypes.c_void_p)((f"PyInterpreterState_{s}", ctypes.pythonapi))() for s in ("Get", "Main")}) > 1:
    raise ImportError("corio cannot be used in a subinterpreter; use threads or processes")
from . import _corio
from ._corio import *  # noqa: F401,F403
from ._corio import mjcf, urdf, zoo  # noqa: F401
from ._text import generate, report as _report

__version__ = _corio.__version__
__all__ = [name for name in vars(_corio) if not name.startswith("_")] + ["generate"]
Model.report = _report  # noqa: F405
for _x in vars(_corio).values():
    if hasattr(_x, "_fields"):  # the rest of a named tuple
        _x._asdict = lambda self: dict(zip(self._fields, self))
