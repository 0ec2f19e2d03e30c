"""From a planned motion and its recording to parameters, against numpy and the parameters that were simulated."""
import copy
import pickle

import numpy as np
import pytest

import corio


@pytest.fixture
def base(arm, rng):
    samples = corio.StreamingLeastSquares(10 * len(arm.bodies))
    Q, V, A = (rng.uniform(-1, 1, (300, arm.nv)) for _ in range(3))
    samples.add(corio.inverse_dynamics_regressor(arm, Q, V, A), np.zeros((300, arm.nv)))
    return corio.BaseParameters(samples)


def test_streams_are_least_squares(rng):
    Y, tau, w = rng.standard_normal((40, 6, 5)), rng.standard_normal((40, 6)), rng.uniform(1, 2, (40, 6))
    whole, parts = corio.StreamingLeastSquares(5), [corio.StreamingLeastSquares(5) for _ in range(2)]
    whole.add(Y, tau, weights=w)
    parts[0].add(Y[:7], tau[:7], w[:7])
    for y, t, s in zip(Y[7:], tau[7:], w[7:]):
        parts[1].add(y, t, s)
    parts[0].merge(pickle.loads(pickle.dumps(parts[1])))
    root = np.sqrt(w.ravel())
    x, (residual,), _, _ = np.linalg.lstsq(root[:, None] * Y.reshape(-1, 5), root * tau.ravel(), rcond=None)
    for stream in (whole, parts[0], copy.deepcopy(whole)):
        assert stream.rows == 240 and stream.residual == pytest.approx(residual)
        assert np.linalg.solve(stream.R, stream.z) == pytest.approx(x)
    found = corio.estimate(whole, corio.BaseParameters(whole))
    Yw = root[:, None] * Y.reshape(-1, 5)
    assert found.beta == pytest.approx(x) and found.degrees_of_freedom == 235
    assert found.covariance == pytest.approx(np.linalg.inv(Yw.T @ Yw))
    assert found.standard_deviation() == pytest.approx(np.sqrt(np.diag(found.covariance) * residual / 235))


def test_refused_rows_leave_a_stream_as_it_was(rng):
    stream = corio.StreamingLeastSquares(3)
    Y, tau = rng.standard_normal((1000, 3)), rng.standard_normal(1000)
    stream.add(Y, tau)
    before = stream.R
    tau[-1] = np.nan
    with pytest.raises(corio.Error, match="finite"):
        stream.add(Y, tau)
    with pytest.raises(ValueError, match="weights"):
        stream.add(Y, tau[:5])
    with pytest.raises(ValueError):
        stream.merge(corio.StreamingLeastSquares(4))
    assert stream.rows == 1000 and np.array_equal(stream.R, before)


def test_base_parameters_give_the_torques(arm, base, rng):
    pi = rng.standard_normal(10 * len(arm.bodies))
    Y = corio.inverse_dynamics_regressor(arm, *rng.standard_normal((3, arm.nv)))
    assert base.size == len(base.columns) == np.linalg.matrix_rank(base.projection)
    assert base.project(pi) == pytest.approx(base.projection @ pi)
    assert Y @ pi == pytest.approx(Y[:, base.columns] @ base.project(pi))
    assert len(base.describe(arm)) == base.size and "(" in base.describe(arm)[0]


def test_a_planned_motion_keeps_its_limits_and_tells_more_than_its_start(arm, base):
    limits = {"velocity": np.full(arm.nv, 1.5), "acceleration": np.full(arm.nv, 6.0)}
    motion = corio.excite(arm, base, period=6.0, harmonics=3, limits=limits)
    t = np.linspace(0, motion.period, 601)
    q, v, a = motion.at(t)
    assert (abs(v) <= 1.5).all() and (abs(a) <= 6.0).all() and (q >= arm.lower_limit).all() and (q <= arm.upper_limit).all()
    assert abs(np.gradient(q, t, axis=0) - v)[1:-1].max() < 1e-3  # differences of order dt^2
    assert abs(v[[0, -1]]).max() < 1e-12
    told = corio.excitation(arm, base, motion, limits)
    assert told.share <= 1 and told.tightest
    Y = np.concatenate(corio.inverse_dynamics_regressor(arm, *motion.at(t[:-1]))[..., base.columns])
    Y /= np.tile(np.where(np.isfinite(arm.effort_limit), arm.effort_limit, 1), 600)[:, None]
    assert told.information == pytest.approx(np.linalg.slogdet(Y.T @ Y / 600)[1], rel=1e-2)
    still = corio.excite(arm, base, period=6.0, harmonics=2, limits=limits | {"velocity": np.full(arm.nv, 0.15)})
    assert corio.excitation(arm, base, still, limits).information < told.information
    with pytest.raises(corio.Error, match="speed"):
        corio.excite(arm, base, limits={"speed": np.ones(arm.nv)})


def test_a_recording_gives_the_parameters_that_were_simulated(arm, base, rng, tmp_path):
    motion = corio.excite(arm, base, period=8.0, harmonics=3)
    t = np.arange(0, 16, 2e-3)
    q, v, a = motion.at(t)
    tau = corio.rnea(arm, q, v, a) + 0.01 * rng.standard_normal(q.shape)
    q[4000, 2] += 1.0  # one sample far from its neighbours
    names = [f"{of}_{joint}" for of in ("q", "v", "tau") for joint in arm.joints]
    np.savetxt(tmp_path / "log.csv", np.column_stack([t, q, v, tau]), delimiter=",", header="time," + ",".join(names), comments="")
    recording = corio.read_recording(arm, tmp_path / "log.csv")
    assert recording.t == pytest.approx(t) and recording.tau == pytest.approx(tau) and recording.v == pytest.approx(v)
    checked = corio.check_recording(arm, recording)
    (fault,) = checked.faults
    assert fault.column == f"q_{arm.joints[2]}" and fault.is_mended and len(checked.recording.t) == len(t) - 1
    assert checked.torque_slope == pytest.approx(np.ones(arm.nv), abs=0.1)
    rows = corio.prepare(checked.recording, cutoff=15.0)
    assert rows.q.shape == rows.a.shape == (len(rows.t), arm.nv) and rows.correlation_time >= 1
    samples = corio.StreamingLeastSquares(10 * len(arm.bodies))
    samples.add(corio.inverse_dynamics_regressor(arm, rows.q, rows.v, rows.a), rows.tau - arm.armature * rows.a, rows.moving)
    found = corio.estimate(samples, base)
    # Compares torques of another motion: errors come from the differences of v at 15 Hz and from the noise.
    x = rng.uniform(-1, 1, (3, arm.nv))
    predicted = corio.inverse_dynamics_regressor(arm, *x)[:, base.columns] @ found.beta + arm.armature * x[2]
    scale = abs(corio.rnea(arm, *x)).max()
    assert predicted == pytest.approx(corio.rnea(arm, *x), abs=0.02 * scale)
    whole = corio.consistent_estimate(arm, samples, spread=0.5)
    assert whole.converged and whole.parameters.shape == (10 * len(arm.bodies),)
    assert base.project(whole.parameters) == pytest.approx(found.beta, abs=0.1 * abs(found.beta).max())
    with pytest.raises(corio.Error, match="no columns"):
        corio.read_recording(corio.zoo.serial_chain(7), tmp_path / "log.csv")
    mine = corio.Recording(recording.t, recording.q, recording.v, recording.tau)
    assert np.array_equal(corio.prepare(mine).q, corio.prepare(recording).q)
