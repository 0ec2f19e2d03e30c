import os
import pathlib
import re

import numpy as np
import pytest

import corio

root = pathlib.Path(os.environ.get("CORIO_ROOT", pathlib.Path(__file__).parents[2]))
models = root / "examples/models"
table = {name: f.__doc__.split("\n\n")[0] for name, f in vars(corio).items() if getattr(f, "__text_signature__", None) and " -> " in f.__doc__}


def split(text):
    return re.findall(r"(\w+)(\[[^]]*\])?(=(?:\([^)]*\)|[^,])*)?", text)


def arguments(robot, name, rng, states=()):
    """Random arguments of a function of the table, by its line."""
    model = robot.model if isinstance(robot, corio.Mechanism) else robot
    line = re.search(r"\w+\((.*)\) -> ", table[name]).group(1)
    made = {}
    for argument, size, fallback in split(line):
        if fallback:
            continue
        if argument in ("frame", "base"):
            made[argument] = model.bodies[-1 if argument == "frame" else 0]
        elif argument == "joints":
            made[argument] = [model.joints[0]]
        elif argument == "dt":
            made[argument] = 1e-3
        elif argument[0] == "q":
            shape = states or (1,)
            q = [closed(robot, model, rng) for _ in range(int(np.prod(shape)))]
            made[argument] = np.reshape(q, (*states, model.nq))
        else:
            made[argument] = rng.standard_normal((*states, 10 * len(model.bodies) if size == "[10b]" else robot.nv))
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
