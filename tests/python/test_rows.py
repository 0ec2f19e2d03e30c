"""Rows of states are the same calls as single states, whatever their shape, strides and type."""
import numpy as np
import pytest
from conftest import arguments, as_list, table

import corio

FLOATING = {"com_decoupled", "locked_decoupled"}
# Results of packs and of single states differ by rounding, which 1/condition of M enlarges.
TOLERANCE = {"rtol": 1e-8, "atol": 1e-8}


def same(a, b):
    return np.allclose(a, b, rtol=TOLERANCE["rtol"], atol=TOLERANCE["atol"] * max(1.0, np.abs(b).max(initial=0.0)))


@pytest.mark.parametrize("make", [lambda: corio.zoo.serial_chain(3), corio.zoo.quadruped], ids=["chain", "quadruped"])
@pytest.mark.parametrize("name", table)
def test_rows_are_single_states(make, name, rng):
    model = make()
    if name in FLOATING and model.nq == model.nv:
        with pytest.raises(corio.ModelError):
            getattr(corio, name)(model, **arguments(model, name, rng))
        return
    f, many = getattr(corio, name), arguments(model, name, rng, (11,))
    states = {n: x for n, x in many.items() if isinstance(x, np.ndarray)}
    got = as_list(f(model, **many))
    for k in range(11):
        for a, b in zip(got, as_list(f(model, **{**many, **{n: x[k] for n, x in states.items()}}))):
            assert same(a[k], b), name
    shaped = {n: x[:10].reshape(2, 5, -1) for n, x in states.items()}
    for a, b in zip(as_list(f(model, **{**many, **shaped})), got):
        assert same(a.reshape(b[:10].shape), b[:10])
    out = tuple(np.empty_like(x) for x in got)
    result = as_list(f(model, **{**many, **{n: np.asfortranarray(x) for n, x in states.items()}}, threads=2, out=out))
    for a, b, c in zip(result, got, out):
        assert a is c and same(a, b)
    for a in as_list(f(model, **{**many, **{n: x[:0] for n, x in states.items()}})):
        assert a.shape[0] == 0
    first = next(iter(states))
    if len(states) > 1:
        one = f(model, **{**many, first: states[first][0]})
        whole = f(model, **{**many, first: np.repeat(states[first][:1], 11, 0)})
        for a, b in zip(as_list(one), as_list(whole)):
            assert same(a, b)


@pytest.mark.parametrize("name", table)
def test_wrong_sizes_are_named(name, rng):
    model = corio.zoo.quadruped()
    good = arguments(model, name, rng)
    for n, x in good.items():
        if isinstance(x, np.ndarray):
            with pytest.raises(corio.SizeError, match=f"{name}: {n} has shape"):
                getattr(corio, name)(model, **{**good, n: x[:-1]})
            with pytest.raises(ValueError):
                getattr(corio, name)(model, **{**good, n: np.zeros((3, 2))})


def test_strides_and_types(arm, rng):
    q, v, a = (arguments(arm, "rnea", rng, (20,))[n] for n in "qva")
    tau = corio.rnea(arm, q, v, a)
    assert np.array_equal(corio.rnea(arm, q[::2], v[::2], a[::2]), tau[::2])
    assert np.array_equal(corio.rnea(arm, q[::-1], v[::-1], a[::-1]), tau[::-1])
    wide = np.zeros((20, 14))
    wide[:, ::2] = q
    assert np.array_equal(corio.rnea(arm, wide[:, ::2], v, a), tau)
    single = q.astype(np.float32)
    assert np.array_equal(corio.rnea(arm, single, v, a), corio.rnea(arm, single.astype(float), v, a))
    assert np.array_equal(corio.rnea(arm, [0] * 7, np.ones(7, int), [0.0] * 7), corio.rnea(arm, np.zeros(7), np.ones(7), np.zeros(7)))
    assert corio.rnea(arm, q[:, None], v[None, :1], a[:3]).shape == (20, 3, 7)
    for bad in (q * 1j, np.full((20, 7), "x"), None, "text"):
        with pytest.raises((TypeError, ValueError)):
            corio.rnea(arm, bad, v, a)
    with pytest.raises(corio.SizeError):
        corio.rnea(arm, q, v[:3], a)


@pytest.mark.parametrize("name", ["rnea", "aba", "step", "coriolis_matrix", "inverse_dynamics_regressor", "body_jacobian", "integrate"])
def test_nan_stays_in_its_row(name, arm, rng):
    many = arguments(arm, name, rng, (50,))
    right = as_list(getattr(corio, name)(arm, **many))
    many["q"][7] = np.nan
    for a, b in zip(as_list(getattr(corio, name)(arm, **many)), right):
        assert np.isnan(a[7]).any()
        assert same(np.delete(a, 7, 0), np.delete(b, 7, 0))


def test_two_forms(rng):
    model = corio.zoo.quadruped()
    data, x = corio.Data(model), arguments(model, "rnea", rng)
    with pytest.raises(corio.StateError):
        corio.rnea(model, data)
    tau = corio.rnea(model, data, **x)
    assert np.array_equal(corio.rnea(model, data), tau)
    assert np.array_equal(corio.crba(model, data), corio.crba(model, x["q"]))
    with pytest.raises(corio.StateError):
        corio.rnea(corio.zoo.quadruped(), data, **x)


def test_misuse_is_an_error_of_python(arm):
    q = np.zeros(7)
    for call in (lambda: corio.rnea(arm, q), lambda: corio.rnea(arm, q, q, q, q), lambda: corio.rnea(arm, q, q, q, b=1),
                 lambda: corio.rnea(arm, q, q, q, a=q), lambda: corio.rnea(1, q), lambda: corio.rnea(),
                 lambda: corio.body_pose(arm, q, 3), lambda: corio.rnea(arm, q, q, q, external=3)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(corio.Error, match="expected one of"):
        corio.body_jacobian(arm, q, arm.bodies[0], reference="w")
    with pytest.raises(corio.Error, match="nowhere"):
        corio.body_pose(arm, q, "nowhere")
    with pytest.raises(corio.Error):
        corio.step(arm, q, q, q, -1.0)
