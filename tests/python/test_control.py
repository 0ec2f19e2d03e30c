"""Control laws and observers: closed loops and identities, against numpy and other functions."""
import numpy as np
import pytest

import corio
from conftest import models


@pytest.fixture(params=["arm", "leg"])
def robot(request):
    return corio.urdf.load(models / "arm7.urdf") if request.param == "arm" else corio.Mechanism(corio.zoo.four_bar_leg())


def state(robot, rng):
    tree = robot.model if isinstance(robot, corio.Mechanism) else robot
    q = robot.assemble(tree.neutral()) if isinstance(robot, corio.Mechanism) else tree.random_configuration(rng)
    return q, *rng.standard_normal((2, robot.nv))


def test_laws_at_the_desired_state_are_inverse_dynamics(robot, rng):
    q, v, a = state(robot, rng)
    gains = np.full(robot.nv, 3.0), np.full(robot.nv, 4.0)
    # Without errors, all laws feed forward the same torque, without passive forces.
    expected = corio.rnea(robot, q, v, a)
    for law in (corio.ComputedTorque, corio.PDPlus, corio.SlotineLi):
        controller = law(robot, *gains)
        assert controller.update(robot, q, v, q, v, a) == pytest.approx(expected, rel=1e-10, abs=1e-9)
        assert not controller.error.any()


def test_computed_torque_is_m_times_the_commanded_acceleration(arm, rng):
    q, v, a = state(arm, rng)
    e, edot = 0.1 * rng.standard_normal((2, arm.nv))
    tau = corio.ComputedTorque(arm, stiffness=np.full(arm.nv, 9.0), damping=np.full(arm.nv, 5.0)).update(
        arm, q, v, q_d=q - e, v_d=v - edot, a_d=a)
    # The differences are rounding errors of q - (q - e), times 9/s^2 and M.
    assert tau == pytest.approx(corio.rnea(arm, q, v, a - 5 * edot - 9 * e), rel=1e-9, abs=1e-9)


def test_slotine_li_with_errors(arm, rng):
    q, v, a = state(arm, rng)
    e, edot = 0.1 * rng.standard_normal((2, arm.nv))
    tau = corio.SlotineLi(arm, np.full(arm.nv, 3.0), np.full(arm.nv, 7.0)).update(arm, q, v, q - e, v - edot, a)
    C, M, _ = corio.coriolis_matrix(arm, q, v)
    v_r, a_r = v - edot - 3 * e, a - 3 * edot
    expected = M @ a_r + C @ v_r + corio.generalized_gravity(arm, q) - 7 * (v - v_r)
    assert tau == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_gains_and_names_are_checked(arm):
    with pytest.raises(ValueError, match="K_P"):
        corio.PDPlus(arm, np.ones(2), np.ones(arm.nv))
    with pytest.raises(corio.Error, match="rk4"):
        corio.Simulation(arm, arm.neutral(), np.zeros(arm.nv), 1e-3, integrator="rk5")
    with pytest.raises(TypeError, match="q_d"):
        corio.SlotineLi(arm, np.ones(arm.nv), np.ones(arm.nv)).update(arm, arm.neutral())


def test_a_simulated_loop_follows_its_path(robot, rng):
    q, v, _ = state(robot, rng)
    law = corio.ComputedTorque(robot, np.full(robot.nv, 100.0), np.full(robot.nv, 20.0))
    plant = corio.Simulation(robot, q, 0.1 * v, 1e-3)
    still = np.zeros(robot.nv)
    for _ in range(1500):
        plant.advance(law.update(robot, plant.q, plant.v, q, still, still) - corio.passive_forces(robot, plant.q, plant.v))
    # Errors of the double pole at 10/s after 1.5 s: 0.1 (1 + 15) exp(-15) < 1e-6; friction of joints adds to them.
    assert abs(law.error).max() < 1e-3
    assert plant.time == pytest.approx(1.5) and abs(plant.energy_error) < 1e-3


def test_the_observer_finds_a_constant_external_torque(arm, rng):
    q, v = arm.random_configuration(rng), np.zeros(arm.nv)
    inertia = np.diag(corio.crba(arm, q))
    pushed = 10 * inertia * rng.standard_normal(arm.nv)
    plant = corio.Simulation(arm, q, v, 1e-3)
    observer = corio.MomentumObserver(arm, np.full(arm.nv, 50.0), passive_forces=True)
    assert not observer.residual.any()
    damping = 20 * inertia  # more is unstable at this dt for the light bodies of the wrist
    for _ in range(500):
        tau = corio.rnea(arm, plant.q, plant.v, np.zeros(arm.nv)) - damping * plant.v
        plant.advance(tau + pushed)
        observer.update(arm, plant.q, plant.v, tau, 1e-3)  # the torque since the last tick
    kept = observer.residual
    # After 0.5 s the transient, exp(-25), is gone; integration by trapezoids in the observer leaves errors of order
    # dt^2.
    assert kept == pytest.approx(pushed, rel=1e-2, abs=1e-2)
    detector = corio.CollisionDetector(arm, np.full(arm.nv, 1e-9), np.zeros(arm.nv), floor=0.5 * abs(pushed))
    hit = detector.detect(arm, plant.q, plant.v, observer)
    outermost = max(np.flatnonzero(abs(kept) > detector.threshold))
    assert hit == [arm.bodies[outermost]] and detector.excess > 1
    observer.reset()
    assert kept.any()  # a copy
    assert not observer.residual.any()


def test_operational_space_gives_the_tasks_their_accelerations(arm, rng):
    q, v = arm.random_configuration(rng), rng.standard_normal(arm.nv)
    hand = {"frame": arm.bodies[-1], "reference": "world_aligned"}
    J, Jdot = corio.body_jacobian(arm, q, **hand)[3:], corio.body_jacobian_dot(arm, q, v, **hand)[3:]
    wanted, tau_0 = rng.standard_normal(3), rng.standard_normal(arm.nv)
    control = corio.OperationalSpace(arm)
    control.relax(0.0)
    tau = control.update(arm, q, v, [corio.OperationalTask(J, Jdot, wanted)], tau_0)
    a = np.linalg.solve(corio.crba(arm, q), tau - corio.rnea(arm, q, v, np.zeros(arm.nv)))
    assert a == pytest.approx(control.acceleration, rel=1e-8, abs=1e-8)
    assert J @ a + Jdot @ v == pytest.approx(wanted, rel=1e-8, abs=1e-8)


def test_task_dynamics_are_those_of_the_joints(arm, rng):
    q, v = arm.random_configuration(rng), rng.standard_normal(arm.nv)
    J, Jdot = corio.body_jacobian(arm, q, arm.bodies[-1]), corio.body_jacobian_dot(arm, q, v, arm.bodies[-1])
    Lambda, mu, Jbar, N, force, p, rank = corio.operational_space_dynamics(arm, q, v, J, Jdot)
    M = corio.crba(arm, q)
    assert rank == 6 and np.linalg.inv(Lambda) == pytest.approx(J @ np.linalg.solve(M, J.T))
    assert np.allclose(J @ Jbar, np.eye(6)) and np.allclose(N, np.eye(7) - Jbar @ J)
    assert p == pytest.approx(Jbar.T @ corio.generalized_gravity(arm, q))
    tau = rng.standard_normal(arm.nv)
    a = corio.aba(arm, q, v, tau)
    assert Lambda @ (J @ a + Jdot @ v) + force + p == pytest.approx(Jbar.T @ tau, rel=1e-8, abs=1e-8)


def test_contacts_hold_a_floating_robot_without_motors_in_its_base(rng):
    dog = corio.zoo.quadruped()
    q, v = dog.neutral(), np.zeros(dog.nv)
    feet = [b for b in dog.bodies if b.endswith("leg5")]
    J = np.vstack([corio.body_jacobian(dog, q, b, reference="world_aligned")[3:] for b in feet])
    contacts = corio.OperationalTask(J, np.zeros_like(J), np.zeros(len(J)))
    control = corio.OperationalSpace(dog, [dog.joints[0]])
    tau = control.update(dog, q, v, [], np.zeros(dog.nv), contacts)
    assert not tau[:6].any()
    a = np.linalg.solve(corio.crba(dog, q), tau + J.T @ control.contact_forces - corio.generalized_gravity(dog, q))
    assert a == pytest.approx(control.acceleration, abs=1e-7) and abs(J @ a).max() < 1e-7


def test_adaptation_learns_a_payload(arm, rng):
    lighter = arm
    plant_model = arm.with_payload(arm.bodies[-1], 2.0)
    gains = np.full(arm.nv, 5.0), 20 * np.diag(corio.crba(arm, arm.neutral()))
    law = corio.AdaptiveSlotineLi(lighter, *gains, [0.3], bodies=[arm.bodies[-1]])
    known = corio.SlotineLi(lighter, *gains)
    filtered = corio.FilteredRegressors(lighter, 10.0, bodies=[arm.bodies[-1]])
    middle = arm.neutral()
    ends = []
    for controller in (law, known):
        plant, errors = corio.Simulation(plant_model, middle, np.zeros(arm.nv), 2e-3), []
        for k in range(3000):
            w = 1.0 + 0.2 * np.arange(arm.nv)
            t = plant.time
            desired = middle + 0.3 * (1 - np.cos(w * t)), 0.3 * w * np.sin(w * t), 0.3 * w**2 * np.cos(w * t)
            tau = controller.update(lighter, plant.q, plant.v, *desired, *([2e-3] if controller is law else []))
            plant.advance(tau)
            errors.append(plant.q - desired[0])
        ends.append(np.sqrt(np.mean(np.square(errors[2000:]))))
    assert ends[0] < 0.5 * ends[1]
    W, y = filtered.update(lighter, middle, np.zeros(arm.nv), np.zeros(arm.nv), 1e-3)
    assert W.shape == (arm.nv, 10) and not W.any() and not y.any()


def test_indirect_adaptation_and_an_alarm(arm, rng):
    body = arm.bodies[-1]
    true = arm.with_payload(body, 1.0).inertial_parameters
    learned = corio.AdaptiveParameters(arm, [1.0], bodies=[body])
    before = learned.values
    for _ in range(300):
        W = corio.inverse_dynamics_regressor(arm, *rng.uniform(-2, 2, (3, arm.nv)))
        learned.adapt(W[:, -10:], W @ true - W[:, :-10] @ true[:-10], 1.0, 1e-2)
    assert np.array_equal(learned.values[:-10], before[:-10])
    assert abs(learned.values[-10] - true[-10]) < 0.2 * abs(before[-10] - true[-10])
    alarm = corio.CollisionAlarm(release=0.5, pause=0.1)
    assert [alarm.update(x, 0.06) for x in (0.2, 1.2, 0.7, 0.1, 0.1)] == [False, True, True, True, False]
    assert not alarm.active


def test_filtered_regressors_hold_for_the_true_parameters(arm, rng):
    filtered = corio.FilteredRegressors(arm, 20.0)
    plant = corio.Simulation(arm, arm.random_configuration(rng), np.zeros(arm.nv), 1e-3)
    monitor = corio.ExcitationMonitor(np.eye(10 * len(arm.bodies))[:, :3], 1.0)
    tau = np.zeros(arm.nv)
    for k in range(400):
        W, y = filtered.update(arm, plant.q, plant.v, tau + corio.passive_forces(arm, plant.q, plant.v), 1e-3)
        monitor.add(W, 1e-3)
        tau = 3 * np.sin(0.02 * k + np.arange(arm.nv)) + corio.generalized_gravity(arm, plant.q)
        plant.advance(tau)
    pi = np.concatenate([parameters_of(arm, b) for b in arm.bodies])
    # The filter errs to second order in dt: allow 1e-3^2 times rates of some 100 N m/s^2, and the error of smooth
    # friction.
    assert W @ pi == pytest.approx(y, abs=2e-2 * abs(y).max())
    information = monitor.information
    assert information == pytest.approx(information.T)
    assert monitor.smallest_eigenvalue == pytest.approx(max(0, np.linalg.eigvalsh(information)[0]), rel=1e-6, abs=1e-12)


def parameters_of(model, body):
    mass, com, inertia = model.inertia(body)
    h = mass * np.asarray(com)
    about_origin = np.asarray(inertia) + mass * (com @ com * np.eye(3) - np.outer(com, com))
    return [mass, *h, *np.diag(about_origin), about_origin[0, 1], about_origin[0, 2], about_origin[1, 2]]
