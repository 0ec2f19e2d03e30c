import os
import pathlib
import re

import numpy as np
import pytest

import corio

root = pathlib.Path(os.environ.get("CORIO_ROOT", pathlib.Path(__file__).parents[2]))
models = root / "examples/models"
every_line = {name: f.__doc__.split("\n\n")[0] for name, f in vars(corio).items() if getattr(f, "__text_signature__", None) and " -> " in f.__doc__}
table = {name: text for name, text in every_line.items() if getattr(corio, name).__text_signature__.startswith("(model")}


def split(text):
    return re.findall(r"(\w+)(\[[^]]*\])?(=(?:\([^)]*\)|[^,])*)?", text)


def sizes(model, robot):
    return {"q": model.nq, "v": robot.nv, "t": model.nv, "b": len(model.bodies), "p": 2,
            "c": len(corio.constraint_residual(model, model.neutral()))}


def shape(text, letters):
    """(6, nv) for "6,v", with letters such as v = nv."""
    parts = [re.fullmatch(r"(\d*)(\w?)", d).groups() for d in text.replace(" ", "").split(",") if d]
    return tuple(int(n or 1) * (letters[letter] if letter else 1) for n, letter in parts)


def mechanism_alone(name):
    return name.startswith("constrained_inverse")


def robot_for(name):
    """A model, or a mechanism for functions that models do not have."""
    return corio.Mechanism(corio.zoo.four_bar_leg()) if mechanism_alone(name) else corio.zoo.quadruped()


def arguments(robot, name, rng, states=()):
    """Random arguments of a function of the table, by its line."""
    model = robot.model if isinstance(robot, corio.Mechanism) else robot
    line = re.search(r"\w+\((.*)\) -> ", table[name]).group(1)
    names = {"frame": model.bodies[-1], "base": model.bodies[0], "joints": [model.joints[0]], "frames": model.bodies[-2:],
             "dt": 1e-3, "parameter": "Ixx", "steps": 5}
    made = {}
    if name == "center_of_pressure":
        made["external"] = {model.bodies[-1]: [1.0, 2, 3, 4, 5, 6]}
    if name == "step" and robot is not model:
        made["integrator"] = "rk4"
    for argument, size, fallback in split(line):
        if fallback:
            continue
        if argument in names and not size:
            made[argument] = names[argument]
        elif argument[0] == "q":
            q = [closed(robot, model, rng) for _ in range(int(np.prod(states or (1,))))]
            made[argument] = np.reshape(q, (*states, model.nq))
        else:
            own = shape(size[1:-1], sizes(model, robot)) if size else (robot.nv,)
            made[argument] = rng.standard_normal((*states, *own))
            if argument == "effort":
                made[argument] = 1 + abs(made[argument])
    return made


def closed(robot, model, rng):
    if not isinstance(robot, corio.Mechanism):
        return model.random_configuration(rng)
    return robot.assemble(model.neutral())


def as_list(x):
    return list(x) if isinstance(x, tuple) else [x]


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture
def arm():
    return corio.urdf.load(models / "arm7.urdf")
