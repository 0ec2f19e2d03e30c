"""Rigid-body dynamics: one state or a million rows, by the same call."""
import ctypes as _ctypes
import sys as _sys

# The module of pybind11 would wait for ever for the lock of the main interpreter.
if len({_ctypes.PYFUNCTYPE(_ctypes.c_void_p)((f"PyInterpreterState_{s}", _ctypes.pythonapi))() for s in ("Get", "Main")}) > 1:
    raise ImportError("corio cannot be used in a subinterpreter; use threads or processes")
from . import _corio
from ._corio import *  # noqa: F401,F403
from ._corio import mjcf as mjcf, urdf as urdf, zoo as zoo  # a name that is imported as itself is public, PEP 484
from ._text import generate as generate, report as _report

__version__: str = _corio.__version__
_sys.modules |= {f"corio.{_module}": getattr(_corio, _module) for _module in ("mjcf", "urdf", "zoo")}  # from corio.zoo import ..
Model.report = _report  # noqa: F405
