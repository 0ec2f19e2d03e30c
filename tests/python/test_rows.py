"""Rows of states are the same calls as single states, whatever their shape, strides and type."""
import numpy as np
import pytest
from conftest import arguments, as_list, robot_for, table

import corio

FLOATING = {"com_decoupled", "locked_decoupled"}
WITHOUT_DATA = {"integrate", "difference", "integrate_derivatives", "difference_derivatives", "integrate_transport", "interpolate", "distance"}
# These functions make states of their own, one after the other.
ONE_FORM = {"step", "parallel_transport", "constrained_forward_dynamics_derivatives"}
# Results over packs and over single states differ by rounding, which the condition of M enlarges.
TOLERANCE = {"rtol": 1e-8, "atol": 1e-8}


def same(a, b):
    return np.allclose(a, b, rtol=TOLERANCE["rtol"], atol=TOLERANCE["atol"] * max(1.0, np.abs(b).max(initial=0.0)))


def mechanism():
    return corio.Mechanism(corio.zoo.four_bar_leg())


def calls(robot, name, rng, states=()):
    """The arguments of a line that this robot has; else the test is skipped."""
    made = arguments(robot, name, rng, states)
    try:
        getattr(corio, name)(robot, **arguments(robot, name, rng))
    except corio.ModelError:
        assert name in FLOATING and robot.nq == robot.nv
        pytest.skip("for floating bases")
    except corio.Error as error:
        assert "takes a " in str(error)
        pytest.skip("for other robots")
    return made


ROBOTS = {"chain": lambda: corio.zoo.serial_chain(3), "quadruped": corio.zoo.quadruped, "mechanism": mechanism}


@pytest.mark.parametrize("make", ROBOTS)
@pytest.mark.parametrize("name", table)
def test_rows_are_single_states(make, name, rng):
    robot = ROBOTS[make]()
    f, many = getattr(corio, name), calls(robot, name, rng, (11,))
    states = {n: x for n, x in many.items() if isinstance(x, np.ndarray)}
    if not states:
        assert name == "subtree_mass"
        return
    got = as_list(f(robot, **many))
    for k in range(11):
        for a, b in zip(got, as_list(f(robot, **{**many, **{n: x[k] for n, x in states.items()}}))):
            assert same(a[k], b), name
    shaped = {n: x[:10].reshape(2, 5, *x.shape[1:]) for n, x in states.items()}
    for a, b in zip(as_list(f(robot, **{**many, **shaped})), got):
        assert same(a.reshape(b[:10].shape), b[:10])
    out = tuple(np.empty_like(x) for x in got)
    result = as_list(f(robot, **{**many, **{n: np.asfortranarray(x) for n, x in states.items()}}, threads=2, out=out))
    for a, b, c in zip(result, got, out):
        assert a is c and same(a, b)
    for a in as_list(f(robot, **{**many, **{n: x[:0] for n, x in states.items()}})):
        assert a.shape[0] == 0
    for n in states:  # (n, nq) beside (nq,)
        if len(states) > 1:
            one = f(robot, **{**many, n: states[n][0]})
            whole = f(robot, **{**many, n: np.repeat(states[n][:1], 11, 0)})
            for a, b in zip(as_list(one), as_list(whole)):
                assert same(a, b)


@pytest.mark.parametrize("name", table)
def test_wrong_sizes_are_named(name, rng):
    robot = robot_for(name)
    good = arguments(robot, name, rng)
    for n, x in good.items():
        if isinstance(x, np.ndarray) and x.ndim:
            with pytest.raises(corio.SizeError, match=f"{name}: {n} has shape"):
                getattr(corio, name)(robot, **{**good, n: x[:-1]})
            with pytest.raises(ValueError):
                getattr(corio, name)(robot, **{**good, n: np.zeros((3, 7, 2))})


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


@pytest.mark.parametrize("make", ROBOTS)
@pytest.mark.parametrize("name", table)
def test_nan_stays_in_its_row(make, name, rng):
    robot = ROBOTS[make]()
    many = calls(robot, name, rng, (20,))
    first = next((n for n, x in many.items() if isinstance(x, np.ndarray)), None)
    if first is None:
        return
    right = as_list(getattr(corio, name)(robot, **many))
    many[first][7] = np.nan
    got = as_list(getattr(corio, name)(robot, **many))
    for a, b in zip(got, right):
        assert same(np.delete(a, 7, 0), np.delete(b, 7, 0))
    # Some results do not depend on q, such as the columns of joint_regressor.
    other = as_list(getattr(corio, name)(robot, **{**many, first: arguments(robot, name, rng, (20,))[first]}))
    assert all(same(a, b) for a, b in zip(other, right)) or any(np.isnan(a[7]).any() for a in got)


def test_numbers_have_rows(arm):
    q, v, tau, dt = np.zeros(7), np.ones(7), np.zeros(7), [1e-3, 2e-3, 5e-3]
    for got, one in zip(corio.step(arm, q, v, tau, dt), zip(*(corio.step(arm, q, v, tau, h) for h in dt))):
        assert np.array_equal(got, one)
    with pytest.raises(corio.Error, match="state 2: .*dt"):
        corio.step(arm, q, v, tau, [1e-3, 2e-3, -1])


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


@pytest.mark.parametrize("name", table)
def test_two_forms_of_all(name, rng):
    """The form without a state, after forward_kinematics, gives what the whole form gives, for mechanisms as for models."""
    for robot in (corio.zoo.quadruped(), mechanism()):
        try:
            whole = as_list(getattr(corio, name)(robot, **arguments(robot, name, rng)))
        except corio.Error:
            continue
        x = arguments(robot, name, rng)
        state = [n for n in ("q", "v", "a") if n in x]
        if not state or name in WITHOUT_DATA:
            continue
        whole = as_list(getattr(corio, name)(robot, **x))
        data = corio.Data(robot)
        passed = {n: x.get(n, np.zeros(robot.nv)) for n in "qva"}
        corio.rnea(robot, data, **passed)
        rest = {n: value for n, value in x.items() if n not in state_of(name)}
        try:
            reused = as_list(getattr(corio, name)(robot, data, **rest))
        except (corio.StateError, TypeError) as error:
            assert name in ONE_FORM, error
            continue
        for a, b in zip(whole, reused):
            assert same(a, b), name


def state_of(name):
    """q, v, a as far as they begin the arguments and belong to the state."""
    if name in ("hybrid_dynamics", "geodesic_residual"):
        return ["q", "v"]
    first = table[name].split("(")[1].split(")")[0].replace(" ", "").split(",")
    return [n for n, expected in zip(first, ("q", "v", "a")) if n == expected]


def test_misuse_is_an_error_of_python(arm):
    q = np.zeros(7)
    for call in (lambda: corio.rnea(arm, q), lambda: corio.rnea(arm, q, q, q, q), lambda: corio.rnea(arm, q, q, q, b=1),
                 lambda: corio.rnea(arm, q, q, q, a=q), lambda: corio.rnea(1, q), lambda: corio.rnea(None, q), lambda: corio.rnea(),
                 lambda: corio.rnea(arm, corio.Data(arm), v=q), lambda: corio.rnea(arm, [q], q, q, threads="x"),
                 lambda: corio.body_pose(arm, q, 3), lambda: corio.hybrid_dynamics(arm, q, q, q, q, arm.joints[0]), lambda: corio.rnea(arm, q, q, q, external=3)):
        with pytest.raises(TypeError):
            call()
    with pytest.raises(corio.Error, match="expected one of"):
        corio.body_jacobian(arm, q, arm.bodies[0], reference="w")
    with pytest.raises(corio.Error, match="nowhere"):
        corio.body_pose(arm, q, "nowhere")
    with pytest.raises(corio.Error):
        corio.step(arm, q, q, q, -1.0)


def test_out_may_overlap_inputs(arm, rng):
    Q, V = rng.standard_normal((2, 9, arm.nv))
    for name, x, at in (("integrate", [Q[0], V], 0), ("aba", [Q, V, V[0]], 2), ("rnea", [Q, V, V], 1)):
        right, shared = getattr(corio, name)(arm, *x), np.concatenate([np.atleast_2d(x[at]), np.zeros((9, arm.nv))])[:9].copy()
        given = list(x)
        given[at] = shared[0] if x[at].ndim == 1 else shared
        assert np.array_equal(getattr(corio, name)(arm, *given, out=shared), right)
    q, v, tau = Q[0].copy(), V[0].copy(), V[1].copy()
    right = corio.step(arm, q, v, tau, 1e-2)
    corio.step(arm, q, v, tau, 1e-2, out=(q, tau))
    assert np.array_equal(q, right.q) and np.array_equal(tau, right.v)
    M = np.zeros((arm.nv, arm.nv))
    with pytest.raises(corio.SizeError, match="overlap"):
        corio.coriolis_matrix(arm, q, v, out=(M, M, M))


def test_what_is_no_number_or_thread(arm):
    q = arm.neutral()
    for wrong in (q * 1j, None, "x"):
        with pytest.raises((TypeError, ValueError), match="rnea: v: "):
            corio.rnea(arm, q, wrong, q)
    for wrong in (-1, 2000):
        with pytest.raises(corio.Error, match="threads is .*, expected 1 to 1024"):
            corio.crba(arm, q, threads=wrong)
    with pytest.raises(TypeError, match="threads"):
        corio.crba(arm, q, threads=2**40)
    assert corio.crba(arm, q, threads=None).shape == (7, 7)
    with pytest.raises(corio.Error, match="2.7.* is no integer"):
        corio.parallel_transport(arm, q, q, q, 2.7)
    with pytest.raises(ValueError):
        corio.crba(arm, np.zeros((1,) * 31 + (7,)))
