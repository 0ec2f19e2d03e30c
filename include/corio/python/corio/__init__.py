"""Rigid-body dynamics: one state or a million rows, by the same call."""
from . import _corio
from ._corio import *  # noqa: F401,F403
from ._corio import mjcf, urdf, zoo  # noqa: F401
from ._text import generate, report as _report

__version__ = _corio.__version__
__all__ = [name for name in vars(_corio) if not name.startswith("_")] + ["generate"]
Model.report = _report  # noqa: F405
