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


def test_friction_of_three_forms(rng):
    v = rng.uniform(-2, 2, 4000)
    true = 0.1 + 0.5 * v + (1.5 + 0.8 * np.exp(-((v / 0.3) ** 2))) * np.tanh(v / 0.02)
    found = corio.fit_friction(v, true, "stribeck", smoothing=0.02)
    # The grid of speeds has a ratio of 1.25; offset and damping are linear parameters.
    assert found.stribeck_speed == pytest.approx(0.3, rel=0.2) and found.stiction == pytest.approx(2.3, rel=0.05)
    assert found(v) == pytest.approx(true, abs=0.1) and found(v[0]) == pytest.approx(found(v[:1])[0])
    assert found.rms == pytest.approx(np.sqrt(np.mean((found(v) - true) ** 2)))
    torque = 0.1 + np.where(v > 0, 0.5, 0.3) * v + np.where(v > 0, 1.5, 1.1) * np.tanh(v / 0.05)
    two = corio.fit_friction(v, torque, form="asymmetric")
    given = corio.fit_friction(v, torque, "asymmetric", direction=np.tanh(v / 0.05))
    for f in (two, given):
        assert (f.damping_negative, f.coulomb_positive, f.coulomb_negative) == pytest.approx((0.3, 1.5, 1.1))
    assert repr(two).startswith(f"JointFriction(offset={two.offset}, smoothing=0.05, damping_positive=")
    assert corio.fit_friction(v, 0.5 * v + 0.2 * np.tanh(v / 0.05)).damping_positive == pytest.approx(0.5)
    with pytest.raises(corio.Error, match="'stribeck'"):
        corio.fit_friction(v, true, "coulomb")
    with pytest.raises(corio.SizeError, match="tau"):
        corio.fit_friction(v, true[1:])


def test_drive_gains_by_a_payload(arm, rng):
    gains = rng.uniform(5, 20, arm.nv)
    loaded = arm.with_payload(arm.bodies[-1], 4.0, com=[0.05, 0.1, 0.2])
    drives = corio.DriveGainEstimator(arm.nv, 10 * len(arm.bodies))
    for model in (arm, loaded):
        x = rng.uniform(-2, 2, (3, 200, arm.nv))
        known = corio.rnea(model, *x) - corio.rnea(arm, *x) + arm.armature * x[2]
        Y, current = corio.inverse_dynamics_regressor(arm, *x), corio.rnea(model, *x) / gains
        drives.add(Y, current, known, np.full(current.shape, 1e6))
    found = drives.estimate()
    assert found.gains == pytest.approx(gains, rel=1e-5) and all(found.is_identifiable)
    step = corio.DriveGainEstimator(found)
    step.add(Y[0], current[0], known[0], np.ones(arm.nv))
    with pytest.raises(corio.SizeError, match="joints"):
        step.add(Y, current[0], known, current)
    with pytest.raises(corio.SizeError):
        step.add_prior(np.ones(3))


def test_robust_weights_and_structural_base_parameters(arm, base, rng):
    errors = rng.standard_normal((500, 2))
    errors[3, 1] = 100.0
    weights = corio.robust_weights(errors, np.ones(errors.shape))
    s = 1.4826 * np.median(abs(errors[:, 1]))
    assert weights[3, 1] == pytest.approx((8 * s / 100) ** 2, rel=0.05) and (np.delete(weights, 3, 0) == 1).all()
    assert corio.structural_base_parameters(arm, joints=False).columns == base.columns


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
