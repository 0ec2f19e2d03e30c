"""The stub of the package: its names are the names of the module, and a type checker accepts the page and finds errors."""
import ast
import inspect
import pathlib
import re

import pytest
from conftest import root

import corio

package = pathlib.Path(corio.__file__).parent
RIGHT = """
import numpy as np
import corio
from corio.urdf import load
from corio.zoo import quadruped

model = quadruped()
data = corio.Data(model)
q, v = model.neutral(), np.zeros(model.nv)
poses = corio.forward_kinematics(model, data, q, v, v)
first, second = corio.rnea(model, data), corio.rnea(model, data, external={"trunk": [0, 0, 0, 0, 0, 1]})
third = corio.rnea(model, [0.0] * 27, [0] * 26, [0] * 26, out=np.zeros(26))
print((first + second + third).sum(), poses.V, corio.exp6([0.0] * 6).rotation)
model.gravity = [0, 0, -1]
model.armature = np.ones(26)
print(model.armature.shape, model.inertial_parameters.sum(), model.inverse_kinematics({"trunk": [0, 0, 1]}, q)[0])
wrenches = corio.body_wrenches(model, q, np.zeros((6, 21)))
twist = corio.body_velocity(model, q, v, model.bodies[0], reference="world", point=[0, 0, 1])
locked = model.lock_joints(tuple(model.joints[1:2]), q)
try:
    corio.rnea(model, [1], v, v)
except ValueError:
    pass
"""
WRONG = """
import corio
model = corio.zoo.quadruped()
corio.rnea(model)
corio.body_pose(model, [0.0], 3)
corio.Estimate(1)
corio.zoo.nothing()
model.nv = 3
corio.generate(None, ["rnea"])
"""


def names_of(body):
    """The statements with a name, by it."""
    return {getattr(x, "name", None) or x.target.id: x for x in body if isinstance(x, (ast.ClassDef, ast.FunctionDef, ast.AnnAssign))}


def test_stub_and_docs_have_all_names():
    stub = {path.stem: names_of(ast.parse(path.read_text(encoding="utf-8")).body) for path in package.glob("*.pyi")}
    public = {n: x for n, x in vars(corio._corio).items() if not n.startswith("_") and not inspect.ismodule(x)}
    assert set(stub.pop("_corio")) - {"Numbers"} == set(public)
    assert {n: set(names) for n, names in stub.items()} == {n: {f for f in vars(getattr(corio, n)) if f[0] != "_"} for n in ("mjcf", "urdf", "zoo")}
    there = names_of(ast.parse((package / "_corio.pyi").read_text(encoding="utf-8")).body)
    for name, x in public.items():
        if isinstance(x, type) and not issubclass(x, (BaseException, tuple)):
            assert not {k for k in vars(x) if not k.startswith("_")} - set(names_of(there[name].body)), name
        assert isinstance(x, type) or " object at " not in x.__doc__, name
    assert [a.arg for a in there["fit_friction"].args.args] == ["v", "tau", "form", "smoothing", "direction"]
    for cls in (corio.ComputedTorque, corio.MomentumObserver, corio.StreamingLeastSquares, corio.JointFriction):
        assert "Declared in corio/" in cls.__doc__


def test_calls_that_a_type_checker_accepts_are_right():
    exec(RIGHT, {})


def test_a_type_checker(tmp_path, monkeypatch):
    api = pytest.importorskip("mypy.api")
    page = re.findall(r"```python\n(.*?)```", (root / "include/corio/guide/python.md").read_text(), re.S)
    for name, text in {"page": "\n".join(page), "right": RIGHT, "wrong": WRONG}.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setenv("MYPYPATH", str(package.parent))
    monkeypatch.chdir(tmp_path)
    strict = ["--strict", "--follow-imports=silent", "--hide-error-context", "--cache-dir", str(tmp_path)]
    found, _, status = api.run([*strict, "page.py", "right.py", *map(str, package.glob("*.pyi"))])
    assert status == 0, found
    lines = {int(n) for n in re.findall(r"^wrong\.py:(\d+): error", api.run([*strict, "wrong.py"])[0], re.M)}
    assert lines == set(range(4, 10))
