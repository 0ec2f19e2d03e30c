"""The stub of the package: its names are the names of the module, and a type checker accepts the page and finds errors."""
import ast
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


def names_of(path):
    return {x.name for x in ast.parse(path.read_text(encoding="utf-8")).body if hasattr(x, "name")}


def test_names():
    assert names_of(package / "_corio.pyi") - {"Numbers"} == {x for x in vars(corio._corio) if x[0] != "_"} - {"urdf", "mjcf", "zoo"}
    for module in (corio.urdf, corio.mjcf, corio.zoo):
        name = module.__name__.rpartition(".")[2]
        assert names_of(package / f"{name}.pyi") == {x for x in vars(module) if x[0] != "_"}


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
