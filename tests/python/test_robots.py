"""Robots: files, the builder, edits; copies and pickles are equal to the last bit."""
import copy
import multiprocessing
import pathlib
import pickle

import numpy as np
import pytest
from conftest import models, root

import corio

SAMPLES = {name: make for name, make in vars(corio.zoo).items() if callable(make)}
WITH_SIZE = {"serial_chain": (4,), "binary_tree": (7,), "tree": (7, 3), "random_tree": (1,)}
FILES = sorted([*models.glob("*.urdf"), *models.glob("*.xml"), *(root / "../shared/models").rglob("*.urdf"),
                *(root / "../shared/models").rglob("*.xml")])


def same_bits(a, b):
    q = a.neutral()
    v = np.linspace(-1, 1, a.nv)
    for name, x in (("rnea", (q, v, v)), ("crba", (q,)), ("center_of_mass", (q,))):
        one, other = getattr(corio, name)(a, *x), getattr(corio, name)(b, *x)
        assert one.tobytes() == other.tobytes(), name
    for name in ("joints", "bodies", "frames", "loops", "notes", "name"):
        assert getattr(a, name) == getattr(b, name)
    for name in ("lower_limit", "upper_limit", "velocity_limit", "effort_limit", "armature", "damping", "friction", "gravity"):
        assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), name
    assert a == b and not a != b


def comes_back(model):
    for other in (pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model), model.copy()):
        same_bits(model, other)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_come_back(name):
    model = SAMPLES[name](*WITH_SIZE.get(name, ()))
    comes_back(model)
    if model.loops:
        mechanism = corio.Mechanism(model)
        other = pickle.loads(pickle.dumps(mechanism))
        assert mechanism == other == copy.deepcopy(mechanism) and mechanism.nv == other.nv
        q = mechanism.assemble(model.neutral())
        v = np.ones(mechanism.nv)
        assert corio.rnea(mechanism, q, v, v).tobytes() == corio.rnea(other, q, v, v).tobytes()
        mechanism.set_closing_tolerance(0.5)
        assert mechanism != other and mechanism.copy() == mechanism and mechanism.copy().closing_tolerance == 0.5


def test_loops_may_be_open_by_the_closing_tolerance():
    mechanism = corio.Mechanism(corio.zoo.four_bar_leg())
    q, v = mechanism.assemble(mechanism.model.neutral()) + 1e-2, np.ones(mechanism.nv)
    with pytest.raises(corio.StateError, match="open by .* set_closing_tolerance"):
        corio.rnea(mechanism, q, v, v)
    mechanism.set_closing_tolerance(0.5)
    assert np.isfinite(corio.rnea(mechanism.copy(), q, v, v)).all()


def load(path):
    return corio.urdf.load(path) if path.suffix == ".urdf" else corio.mjcf.load(path)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_files_come_back(path):
    try:
        model = load(path)
    except corio.ModelError:
        pytest.skip("no robot")  # pieces that others include
    comes_back(model)


def test_changes_come_back():
    model = corio.zoo.quadruped()
    unchanged = model.copy()
    model.gravity = [0, 0, -1.62]
    model.damping = np.linspace(0, 1, model.nv)
    model.set_inertia(model.bodies[1], 0.1234567, [0.01, 0.02, 0.03], np.diag([0.1, 0.2, 0.25]))
    comes_back(model)
    assert model != unchanged
    q, v = model.neutral(), np.ones(model.nv)
    assert not np.allclose(corio.rnea(model, q, v, v), corio.rnea(unchanged, q, v, v))
    rows = corio.rnea(model, np.tile(q, (9, 1)), v, v)
    assert np.allclose(rows, corio.rnea(model, q, v, v))


def work(job):
    model, q = job
    return corio.crba(model, q)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes(method):
    model = corio.zoo.quadruped()
    corio.crba(model, np.tile(model.neutral(), (99, 1)), threads=2)  # threads that the fork does not have
    with multiprocessing.get_context(method).Pool(2) as pool:
        for M in pool.map(work, [(model, np.tile(model.neutral(), (99, 1)))] * 4):
            assert M.tobytes() == corio.crba(model, np.tile(model.neutral(), (99, 1))).tobytes()


def test_builder_with_keywords():
    builder = corio.ModelBuilder("pendulum")
    builder.add_body("rod", joint="revolute", axis=[0, 1, 0], mass=2.0, com=[0, 0, -0.5], inertia=np.diag([0.1, 0.1, 0.01]), damping=[0.2])
    builder.add_frame("tip", "rod", translation=[0, 0, -1])
    model = builder.build()
    # Gravity at an angle q is m g l sin q.
    assert np.allclose(corio.generalized_gravity(model, [0.3]), 2.0 * 9.81 * 0.5 * np.sin(0.3))
    assert np.allclose(corio.crba(model, [0.3]), 0.1 + 2.0 * 0.25)
    assert np.allclose(corio.body_pose(model, [np.pi / 2], "tip").translation, [-1, 0, 0])
    assert model.damping == [0.2] and model.joints == ["rod_joint"] and "pendulum" in repr(model)
    comes_back(model)
    with pytest.raises(corio.ModelError, match="expected one of 'revolute'"):
        builder.add_body("other", joint="hinge")


def test_edits(arm):
    q = arm.random_configuration(np.random.default_rng(3))
    heavier = arm.with_payload(arm.bodies[-1], 1.5)
    assert np.isclose(heavier.total_mass, arm.total_mass + 1.5)
    locked = arm.lock_joints([arm.joints[-1]], q)
    M = corio.crba(arm, q)
    assert locked.nv == 6 and np.allclose(corio.crba(locked, q[:6]), M[:6, :6])
    both = arm.attach(arm.bodies[-1], corio.zoo.serial_chain(2), "second_")
    assert both.nv == 9 and both.joints[:7] == arm.joints
    assert arm.replace_joint(arm.joints[0], "prismatic").nv == 7
    again = corio.urdf.parse(arm.to_urdf())
    assert np.allclose(corio.crba(again, q), M)
    moved = arm.with_base(corio.rotation_rpy(0.0, 0.0, 0.5), [1, 2, 3])
    turned = corio.exp3([0, 0, 0.5]) @ corio.center_of_mass(arm, q) + [1, 2, 3]
    assert np.allclose(corio.center_of_mass(moved, q), turned)
    marked = arm.add_frame("mark", arm.bodies[-1], translation=[0, 0, 0.1])
    rotation, translation = corio.body_pose(arm, q, arm.bodies[-1])
    assert np.allclose(corio.body_pose(marked, q, "mark").translation, translation + 0.1 * rotation[:, 2])
    turned = corio.zoo.quadruped().reroot(corio.zoo.quadruped().bodies[3])
    assert turned.bodies[0] == corio.zoo.quadruped().bodies[3] and np.isclose(turned.total_mass, corio.zoo.quadruped().total_mass)
    built = corio.to_builder(arm).build()
    assert built == arm
    for model in (heavier, locked, both, moved, marked, turned, built):
        comes_back(model)
    of_q, of_v = arm.index_maps(locked)
    assert of_q == of_v == list(range(6)) and both.index_maps(arm)[0] == list(range(7))


def test_joints_have_places_and_axes(arm):
    q = arm.random_configuration(np.random.default_rng(3))
    tip = corio.body_pose(arm, q, arm.bodies[0])
    rotation, translation = arm.joint_placement(arm.joints[0])
    turned = rotation @ corio.exp3(q[0] * arm.joint_axis(arm.joints[0]))
    assert np.allclose(tip.translation, translation) and np.allclose(tip.rotation, turned)
    with pytest.raises(corio.ModelError, match="axis"):
        corio.zoo.quadruped().joint_axis(corio.zoo.quadruped().joints[0])


def test_inertial_parameters_are_set_together_or_not_at_all(arm, rng):
    other, q = arm.copy(), np.ones(7)
    pi = arm.inertial_parameters
    Y = corio.inverse_dynamics_regressor(arm, q, q, q)
    other.inertial_parameters = 2 * pi
    assert np.allclose(other.inertial_parameters, 2 * pi)
    assert np.allclose(corio.rnea(other, q, q, q), Y @ (2 * pi) + arm.armature * q)
    comes_back(other)
    for wrong in (-pi, pi[:-1], pi * np.nan):
        before = other.inertial_parameters
        with pytest.raises(corio.Error):
            other.inertial_parameters = wrong
        assert np.array_equal(other.inertial_parameters, before)
    with pytest.raises(corio.SizeError, match="gravity has size 2, expected 3"):
        other.gravity = [0, 0]


def test_random_trees_come_back():
    for seed in range(40):
        comes_back(corio.zoo.random_tree(seed, bodies=8))


def test_configurations_and_inverse_kinematics(arm):
    model = corio.zoo.quadruped()
    rng = np.random.default_rng(5)
    q0, q1 = model.random_configuration(rng), model.random_configuration(rng)
    assert np.allclose(corio.integrate(model, q0, corio.difference(model, q0, q1))[:3], q1[:3])
    assert np.array_equal(model.random_configuration(np.random.default_rng(7)), model.random_configuration(np.random.default_rng(7)))
    q = arm.random_configuration(rng)
    rotation, translation = corio.body_pose(arm, q, arm.bodies[-1])
    found, reached, residual, _ = arm.inverse_kinematics({arm.bodies[-1]: (rotation, translation)}, arm.neutral(), restarts=20)
    assert reached and residual < 1e-9
    assert np.allclose(corio.body_pose(arm, found, arm.bodies[-1]).translation, translation)


def test_notes_and_errors(arm):
    for target in ([1, 2], "here", 3, ([1, 2, 3], [1, 2, 3])):
        with pytest.raises(corio.SizeError, match="target of 'tool0'"):
            arm.inverse_kinematics({"tool0": target}, arm.neutral())
    with pytest.raises(corio.ModelError):
        corio.urdf.parse("<robot")
    with pytest.raises(corio.Error):
        corio.urdf.load(pathlib.Path("/nowhere.urdf"))


def test_arguments_of_classes(arm):
    q = arm.neutral()
    for wrong in (lambda: arm.with_payload("tool0", 1.0, com=[0, 0]), lambda: corio.Simulation(arm, 0, q, 1e-3),
                  lambda: corio.ModelBuilder().set_gravity([0, 0]), lambda: corio.ComputedTorque(arm, 100, q),
                  lambda: arm.with_base(np.eye(2), [0, 0, 0])):
        with pytest.raises(corio.SizeError, match="shape .*, expected"):
            wrong()
    for wrong in (lambda: corio.Simulation(arm, q * 1j, q, 1e-3), lambda: corio.Recording(None, q, q, q),
                  lambda: corio.StreamingLeastSquares(3).add(np.ones((2, 3)) * 1j, [1, 2]), lambda: corio.Data(None),
                  lambda: corio.Mechanism(None), lambda: arm.attach("tool0", None)):
        with pytest.raises(TypeError):
            wrong()
    for lost in (arm.gravity, arm.armature, corio.Simulation(arm, q, q, 1e-3).q):
        with pytest.raises(ValueError, match="read-only"):
            lost[0] = 1
    assert np.array_equal(arm.random_configuration(7), arm.random_configuration(np.random.default_rng(7)))
    base = corio.structural_base_parameters(arm)
    assert len(base.describe(arm)) == base.size
    leg = corio.zoo.four_bar_leg()
    with pytest.raises(corio.ModelError):
        corio.excite(leg, corio.structural_base_parameters(corio.zoo.serial_chain(leg.nv)))
