"""Code for one robot, compiled here, beside the package's own functions."""
import os
import time

import numpy as np
import pytest

import corio
from conftest import as_list


def test_generated_functions_compute_the_same(arm, rng):
    code = corio.generate(arm, ["rnea", "coriolis_matrix"])
    Q, V, A = (rng.standard_normal((50, arm.nv)) for _ in range(3))
    assert code.rnea(Q, V, A) == pytest.approx(corio.rnea(arm, Q, V, A), rel=1e-11, abs=1e-10)
    for mine, other in zip(as_list(code.coriolis_matrix(Q[0], V[0])), corio.coriolis_matrix(arm, Q[0], V[0])):
        assert mine == pytest.approx(other, rel=1e-11, abs=1e-11)


def test_code_of_an_edited_model_and_of_a_mechanism(arm, rng, tmp_path):
    heavier = arm.with_payload(arm.bodies[-1], 3.0)
    q = heavier.random_configuration(rng)
    code = corio.generate(heavier, ["crba"], name="heavier", folder=tmp_path)
    assert code.crba(q) == pytest.approx(corio.crba(heavier, q), rel=1e-11)
    assert {"heavier.c", "heavier.h", "heavier.py"} <= set(os.listdir(tmp_path))
    leg = corio.Mechanism(corio.zoo.four_bar_leg())
    q, (v, a) = leg.assemble(leg.model.neutral()), rng.standard_normal((2, leg.nv))
    assert corio.generate(leg, "rnea").rnea(q, v, a) == pytest.approx(corio.rnea(leg, q, v, a), rel=1e-9)


def test_errors(arm, monkeypatch, tmp_path):
    with pytest.raises(corio.Error, match="rnae"):
        corio.generate(arm, ["rnae"])
    with pytest.raises(corio.Error, match="language"):
        corio.generate(arm, ["rnea"], language="Fortran")
    monkeypatch.setenv("CC", "no_such_compiler")
    with pytest.raises(corio.Error, match="no compiler 'no_such_compiler'.*CC"):
        corio.generate(arm, ["rnea"])
    monkeypatch.setenv("CC", "false")
    with pytest.raises(corio.Error, match="cannot be compiled"):
        corio.generate(arm, ["rnea"])
    assert os.environ["CC"] == "false"


def test_the_generator_does_not_slow_the_package(arm):
    # The generator is compiled without optimisation. If the linker kept the generator's copies of functions, calls
    # would take 20 to 80 times as long; optimised, coriolis_matrix takes about twice the time of rnea.
    q, v = arm.neutral(), np.ones(arm.nv)

    def least(f):
        times = []
        for _ in range(10):
            begin = time.process_time()
            for _ in range(200):
                f()
            times.append(time.process_time() - begin)
        return min(times)

    assert least(lambda: corio.coriolis_matrix(arm, q, v)) < 12 * least(lambda: corio.rnea(arm, q, v, v))
