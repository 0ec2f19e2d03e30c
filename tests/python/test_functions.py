"""The table has what corio's own tables of contracts have, and its values obey the equations of motion."""
import re

import numpy as np
import pytest
from conftest import arguments, as_list, root, table

import corio

LEFT_OUT = {
    "subtree_center_of_mass": "numpy sums masses and centres of bodies; of all bodies at once it is an array of another shape",
    "body_acceleration_derivatives": "two matrices written at once, 6 rows each, in one of two meanings of acceleration",
    "body_jacobian_derivatives": "its tensor is 6 by nv by nv, with the Jacobian beside it",
    "com_jacobian_derivatives": "pages of a matrix of 3 rows",
    "mass_matrix_parameter_derivative": "of one named parameter: differences of regressors give it, which are linear",
    "coriolis_parameter_derivative": "of one named parameter",
    "gravity_parameter_derivative": "of one named parameter: a column of gravity_regressor",
}


def test_table_has_the_functions_of_the_contracts():
    names = set()
    for path in (root / "tests/contracts").glob("table_*.hpp"):
        if "cartesian" not in path.name:  # maximal coordinates are no arrays by state
            names |= set(re.findall(r"CORIO_(?:FUNCTION|NUMBER|REGRESSOR)\((\w+)\)", path.read_text()))
    names.discard("f")  # the parameter of a macro
    assert len(names) > 50
    assert not names - set(table) - set(LEFT_OUT), "in the contracts, not in Python"
    assert not set(LEFT_OUT) & set(table), "left out, yet there"


@pytest.mark.parametrize("name", table)
def test_docs_and_shapes(name, rng):
    f = getattr(corio, name)
    assert f.__text_signature__.startswith("(model")
    assert len(f.__doc__.split("\n\n", 1)[1]) > 40
    model = corio.zoo.quadruped()
    sizes = {"q": model.nq, "v": model.nv, "b": len(model.bodies), "10b": 10 * len(model.bodies)}
    results = as_list(f(model, **arguments(model, name, rng)))
    named = re.findall(r"(\w+)\[([^]]*)\]", table[name].split(" -> ")[1])
    assert len(named) == len(results)
    for (_, shape), result in zip(named, results):
        assert np.shape(result) == tuple(int(sizes.get(d, d)) for d in shape.replace(" ", "").split(",") if d)


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
            further = {"integrator": "rk4"} if name == "step" else {}
            getattr(corio, name)(mechanism, **arguments(mechanism, name, rng), **further)
            both += 1
        except corio.Error as error:
            assert re.search("takes a Model|no form", str(error)), name
    assert both > 40
