"""The table has what corio's own tables of contracts have, and its values obey the equations of motion."""
import re

import numpy as np
import pytest
from conftest import arguments, as_list, mechanism_alone, robot_for, root, shape, sizes, table

import corio

# Names of the guide that the package leaves out, by the reason.
LEFT_OUT = {
    "other scalars": "taylor_motion Taylor ComplexStep",
    "factorizations of users": "is_admissible is_valid is_christoffel_consistent contorsion_defects add_jacobian_form crm_selection repeated",
    "joints of users, in other coordinates, or with several axes": "Composite Universal SphericalExp SphericalInParentAxes FreeFlyerEuler "
                                                                   "FreeFlyerExp FreeFlyerInParentAxes joint_conditioning",
    "streams are pickled and merged": "CounterRandom Shard store merge_shards merge_over_mpi",
    "arrays are indexed, filtered and resampled by numpy and scipy": "remap LowPass central_differences resample delay moving_range correlation_time",
    "it needs a further library": "yaml::add_loops",
    "mjcf.load reads meshes": "mesh::solid",
    "read_recording does it": "LogTable sample_timing time_unit_of driven_joints",
    "inverse_dynamics_regressor and joint_regressor do it": "TorqueRegressor",
    "excite does it": "optimize_excitation random_motion within_limits",
    "consistent_estimate does it": "bounded_least_squares",
    "euler_rates returns a tuple": "EulerRates",
    "each model has its own": "Loops",
    "it is called to_urdf": "write_urdf",
}
PAGES = ("functions", "robots", "motion", "dynamics", "matrices", "derivatives", "geometry", "identification")


def functions_of_the_guide():
    """Names in the first columns of tables, without joints, which are words for Python's builder."""
    corio_ = root / "include/corio"
    pages = [*(corio_ / f"guide/{page}.md" for page in PAGES), corio_ / "control/README.md", corio_ / "loops/README.md"]
    rows = [r.split("|")[1] for page in pages for r in page.read_text().splitlines() if r.startswith("|")]
    names = {n for r in rows for n in re.findall(r"`([A-Za-z][\w:]+)`", r)}
    with pytest.raises(corio.ModelError) as error:
        corio.ModelBuilder().add_body("body", joint="")
    joints = {"".join(map(str.capitalize, word.split("_"))) for word in re.findall(r"'(\w+)'", str(error.value))}
    return {n.removeprefix("joint::").removeprefix("zoo::") for n in names} - joints


def test_package_has_the_functions_of_the_guide():
    names, left = functions_of_the_guide(), " ".join(LEFT_OUT.values()).split()
    there = {n for x in (corio, corio.Model, corio.Mechanism, corio.zoo) for n in dir(x)} | {"urdf::load"}
    assert len(names) > 190
    assert not names - there - set(left), "in the guide, not in Python"
    assert not set(left) & there, "left out, yet there"
    assert not set(left) - names, "left out, yet not in the guide"


def test_table_has_the_functions_of_the_contracts():
    names = set()
    for path in (root / "tests/contracts").glob("table_*.hpp"):
        names |= set(re.findall(r"CORIO_(?:FUNCTION|NUMBER|REGRESSOR)\((\w+)\)", path.read_text()))
    names.discard("f")  # the parameter of a macro
    assert len(names) > 50
    assert not names - set(table) - set(" ".join(LEFT_OUT.values()).split()), "in the contracts, not in Python"


@pytest.mark.parametrize("name", table)
def test_docs_and_shapes(name, rng):
    f = getattr(corio, name)
    assert f.__text_signature__.startswith("(model")
    assert len(f.__doc__.split("\n\n", 1)[1]) > 40
    robot = robot_for(name)
    letters = sizes(getattr(robot, "model", robot), robot)
    results = as_list(f(robot, **arguments(robot, name, rng)))
    named = re.findall(r"(\w+)\[([^]]*)\]", table[name].split(" -> ")[1])
    assert len(named) == len(results)
    for (_, text), result in zip(named, results):
        assert np.shape(result) == shape(text, letters)


def test_equations_of_motion(rng):
    for model in (corio.zoo.quadruped(), corio.zoo.serial_chain(5)):
        x = arguments(model, "rnea", rng, (50,))
        q, v, a = x["q"], x["v"], x["a"]
        C, M, Mdot = corio.coriolis_matrix(model, q, v)
        tau = corio.rnea(model, q, v, a)
        gravity = corio.generalized_gravity(model, q)
        assert np.allclose(np.einsum("nij,nj->ni", M, a) + np.einsum("nij,nj->ni", C, v) + gravity, tau)
        assert np.allclose(Mdot, C + C.swapaxes(1, 2))
        assert np.allclose(corio.aba(model, q, v, tau), a)
        Gamma = corio.christoffel_symbols(model, q)
        assert np.allclose(np.einsum("nijk,nk->nij", Gamma, v), C)
        pi = np.concatenate([ten_parameters(model, body) for body in model.bodies])
        Y = corio.inverse_dynamics_regressor(model, q, v, a)
        assert np.allclose(Y @ pi + model.armature * a, tau)
        assert np.allclose(corio.inverse_dynamics_regressor_product(model, q, v, a, pi) + model.armature * a, tau)
        h = 1e-6
        slope = (corio.rnea(model, q, v + h * np.eye(model.nv)[0], a) - corio.rnea(model, q, v - h * np.eye(model.nv)[0], a)) / (2 * h)
        # The difference errs by eps tau / h.
        assert np.allclose(corio.inverse_dynamics_derivatives(model, q, v, a).dtau_dv[:, :, 0], slope, atol=1e-7 * np.abs(tau).max())


def ten_parameters(model, body):
    mass, com, inertia = model.inertia(body)
    at_origin = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = at_origin
    return np.array([mass, *(mass * com), xx, yy, zz, xy, xz, yz])


def test_external_forces_are_by_jacobians(arm, rng):
    q, v = 0.1 * np.arange(7), np.zeros(7)
    f, tip = np.array([0, 0, 0, 1.0, 2.0, 3.0]), arm.bodies[-1]
    J = corio.body_jacobian(arm, q, tip, reference="world_aligned")
    assert np.allclose(corio.rnea(arm, q, v, v) - corio.rnea(arm, q, v, v, external={tip: f}), J.T @ f)
    J = corio.body_jacobian(arm, q, tip, reference="body")
    assert np.allclose(corio.rnea(arm, q, v, v) - corio.rnea(arm, q, v, v, external={(tip, "body"): f}), J.T @ f)
    assert corio.rnea(arm, q, v, v, external={tip: np.stack([f, 2 * f])}).shape == (2, 7)


def test_mechanism(rng):
    mechanism = corio.Mechanism(corio.zoo.four_bar_leg())
    q = mechanism.assemble(mechanism.model.neutral())
    y, tau = rng.standard_normal((2, mechanism.nv))
    C, M, _ = corio.coriolis_matrix(mechanism, q, y)
    a = corio.aba(mechanism, q, y, tau)
    assert np.allclose(M @ a + C @ y + corio.generalized_gravity(mechanism, q), tau)
    assert np.allclose(corio.aba(mechanism, np.tile(q, (9, 1)), y, tau, threads=2), a)
    both = 0
    for name in table:
        try:
            getattr(corio, name)(mechanism, **arguments(mechanism, name, rng))
            both += 1
        except corio.Error as error:
            assert re.search("takes a Model|no form", str(error)), name
    assert both > 40


def test_tensors_have_their_direction_last(rng):
    """Derivatives along each speed, by central differences of order 1e-8 at a floating base, whose tensors are not symmetric."""
    model = corio.zoo.quadruped()
    q, v, step = model.random_configuration(rng), rng.standard_normal(model.nv), 1e-4
    tip = model.bodies[-1]
    for tensor, of in ((corio.com_jacobian_derivatives(model, q), lambda q: corio.com_jacobian(model, q)),
                       (corio.mass_matrix_derivatives(model, q), lambda q: corio.crba(model, q)),
                       (corio.coriolis_matrix_derivatives(model, q, v), lambda q: corio.coriolis_matrix(model, q, v).C),
                       (corio.body_jacobian_derivatives(model, q, tip).dJ_dq, lambda q: corio.body_jacobian(model, q, tip))):
        for k, along in enumerate(step * np.eye(model.nv)):
            change = of(corio.integrate(model, q, along)) - of(corio.integrate(model, q, -along))
            assert tensor[:, :, k] == pytest.approx(change / (2 * step), abs=1e-5)
