"""Functions without a robot: maps of rotations and poses, against series and differences of numpy."""
import numpy as np
import pytest
from conftest import as_list, every_line, table

import corio

ALONE = sorted(set(every_line) - set(table))


def skew(w):
    return np.cross(w, np.eye(3)).T


def exponential(X):
    """By its series, which converges to rounding for the angles below."""
    term = total = np.eye(len(X))
    for k in range(1, 60):
        term = term @ X / k
        total = total + term
    return total


def inputs(name, rng):
    w = rng.standard_normal(3)
    R, pi = corio.exp3(w), corio.zoo.serial_chain(1).inertial_parameters
    return {"exp3": (w,), "log3": (R,), "Jexp3": (w,), "Jlog3": (R,), "exp6": (rng.standard_normal(6),), "log6": (R, w),
            "Jexp6": (rng.standard_normal(6),), "Jlog6": (R, w), "rotation_rpy": (*w,), "rotation_from_quaternion": (rng.standard_normal(4),),
            "quaternion_from_rotation": (R,), "log_cholesky": (pi * rng.uniform(1, 2),), "from_log_cholesky": (rng.standard_normal(10),)}[name]


@pytest.mark.parametrize("name", ALONE)
def test_rows_and_errors(name, rng):
    f = getattr(corio, name)
    one = [inputs(name, rng) for _ in range(70)]
    rows = [np.array(x) for x in zip(*one)]
    got = as_list(f(*rows, threads=2))
    for k, x in enumerate(one):
        for a, b in zip(got, as_list(f(*x))):
            assert np.allclose(a[k], b, rtol=1e-13, atol=1e-13)
    out = tuple(np.empty_like(x) for x in got)
    f(*rows, out=out)
    assert all(np.array_equal(a, b) for a, b in zip(got, out))
    with pytest.raises(corio.SizeError, match=f"{name}: .* has shape"):
        f(*(np.zeros(2 + k) for k in range(len(rows))))
    with pytest.raises(TypeError, match="missing argument"):
        f()
    with pytest.raises(TypeError, match=r"takes \d arguments by position"):
        f(*rows, 1.0)
    assert len(f.__doc__.split("\n\n", 1)[1]) > 40 and "model" not in f.__text_signature__


def test_exponentials_and_logarithms(rng):
    for _ in range(20):
        V = rng.standard_normal(6)
        rotation, translation = corio.exp6(V)
        X = np.zeros((4, 4))
        X[:3, :3], X[:3, 3] = skew(V[:3]), V[3:]
        T = exponential(X)
        assert np.allclose(rotation, T[:3, :3], atol=1e-13) and np.allclose(translation, T[:3, 3], atol=1e-13)
        assert np.allclose(corio.exp3(V[:3]), rotation, atol=1e-14)
        near = V * min(1, 3 / np.linalg.norm(V[:3]))  # log has angles below pi
        assert np.allclose(corio.log6(*corio.exp6(near)), near, atol=1e-11)
        assert np.allclose(corio.log3(corio.exp3(near[:3])), near[:3], atol=1e-11)
        assert np.allclose(corio.rotation_from_quaternion(corio.quaternion_from_rotation(rotation)), rotation, atol=1e-14)


def test_jacobians_are_slopes(rng):
    h = 1e-6  # errors of central differences: h^2 and 1e-16 / h
    V = 0.5 * rng.standard_normal(6)
    R, p = corio.exp6(V)
    slope = np.empty((6, 6))
    for k in range(6):
        ends = [corio.exp6(V + s * h * np.eye(6)[k]) for s in (1, -1)]
        plus, minus = (corio.log6(R.T @ e.rotation, R.T @ (e.translation - p)) for e in ends)
        slope[:, k] = (plus - minus) / (2 * h)
    assert np.allclose(corio.Jexp6(V), slope, atol=1e-8)
    assert np.allclose(corio.Jlog6(R, p) @ corio.Jexp6(V), np.eye(6), atol=1e-12)
    assert np.allclose(corio.Jexp3(V[:3]), slope[:3, :3], atol=1e-8)
    assert np.allclose(corio.Jlog3(R) @ corio.Jexp3(V[:3]), np.eye(3), atol=1e-12)


def test_angles_and_quaternions():
    about = [np.cos, np.sin]
    roll, pitch, yaw = 0.3, -0.7, 1.9

    def turn(i, x):
        R, (j, k) = np.eye(3), ((i + 1) % 3, (i + 2) % 3)
        R[j, j] = R[k, k] = about[0](x)
        R[k, j], R[j, k] = about[1](x), -about[1](x)
        return R

    assert np.allclose(corio.rotation_rpy(roll, pitch, yaw), turn(2, yaw) @ turn(1, pitch) @ turn(0, roll))
    assert corio.rotation_rpy(np.zeros(4), pitch, yaw=yaw).shape == (4, 3, 3)
    half = np.sqrt(0.5)
    assert np.allclose(corio.rotation_from_quaternion([0, 0, half, half]), turn(2, np.pi / 2))


def test_log_cholesky_makes_consistent_parameters(rng):
    theta = rng.standard_normal((9, 10))
    pi = corio.from_log_cholesky(theta)
    assert np.allclose(corio.log_cholesky(pi), theta, atol=1e-8)
    assert all(map(corio.is_physically_consistent, pi)) and not corio.is_physically_consistent(-pi[0])
    for mass, *h, xx, yy, zz, xy, xz, yz in pi:  # the pseudo-inertia is positive definite
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        J = np.block([[np.trace(I) / 2 * np.eye(3) - I, np.array(h)[:, None]], [np.array(h)[None], np.array([[mass]])]])
        assert np.linalg.eigvalsh(J)[0] > 0
