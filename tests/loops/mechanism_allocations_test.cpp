#include "corio/algorithms/dynamics/relative_jacobian.hpp"
#include "corio/algorithms/dynamics/subtree_com.hpp"
#include "corio/loops/constrained_dynamics_derivatives.hpp"
#include "corio/mechanism/constrained_inverse_dynamics_derivatives.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/mechanism/regressors.hpp"
#include "loops/mechanism_table.hpp"
#include "support/allocation_counter.hpp"
#include "support/catch.hpp"

namespace loops_test {
using namespace contracts;

namespace {

using Call = std::pair<const char*, std::function<void()>>;
Call call(const char* name, std::function<void()> f) { return {name, f}; }

// These calls discard their results: matrices would be returned as copies, which allocate. STATE and EXTRA as in the
// table of functions.
#define ALL(...) __VA_ARGS__
#define CALL(f, STATE) call(#f, [&] { f<double>(s.mechanism, s.data ALL STATE); })
#define WRITES_CALL(f, EXTRA, result, ...) \
  call(#f, [&, out = result(s)]() mutable { f(s.mechanism, s.data ALL EXTRA, out __VA_ARGS__); })
#define REGRESSOR_CALLS(f, EXTRA)                                                                      \
  WRITES_CALL(f##_regressor, EXTRA, regressor), WRITES_CALL(f##_regressor_product, EXTRA, parameters), \
      WRITES_CALL(f##_regressor_transpose_product, (ALL EXTRA, x.x), parameters)

}  // namespace

TEST_CASE("functions of mechanisms do not allocate from the second call on", "[loops]") {
  for (const int seed : {0, 6}) {
    Closed s(seed);
    const Arguments x = arguments(s, 31);
    const VectorXd slow = 0.1 * x.y;
    const std::vector<std::pair<const char*, std::function<void()>>> calls{
        {"rnea", [&] { rnea<double>(s.mechanism, s.data, x.q, x.y, x.ydot); }},
        {"nonlinear_effects", [&] { nonlinear_effects<double>(s.mechanism, s.data, x.q, x.y); }},
        {"generalized_gravity", [&] { generalized_gravity<double>(s.mechanism, s.data, x.q); }},
        {"crba", [&] { crba<double>(s.mechanism, s.data, x.q); }},
        {"aba", [&] { aba<double>(s.mechanism, s.data, x.q, x.y, x.x); }},
        {"mass_matrix_inverse", [&] { mass_matrix_inverse<double>(s.mechanism, s.data, x.q); }},
        {"coriolis_matrix", [&] { coriolis_matrix<factorization::Plain>(s.mechanism, s.data, x.q, x.y); }},
        {"coriolis_matrix_dot",
         [&] { coriolis_matrix_dot<factorization::Plain>(s.mechanism, s.data, x.q, x.y, x.ydot); }},
        {"coriolis_product", [&] { coriolis_product(s.mechanism, s.data, x.x); }},
        {"coriolis_transpose_product", [&] { coriolis_transpose_product(s.mechanism, s.data, x.x); }},
        CALL(mass_matrix_inverse_product, (, x.q, x.x)),
        CALL(kinetic_energy, (, x.q, x.y)),
        CALL(com_jacobian, (, x.q)),
        CALL(com_jacobian_dot, (, x.q, x.y)),
        CALL(centroidal_momentum_matrix, (, x.q)),
        CALL(centroidal_momentum_matrix_dot, (, x.q, x.y)),
        CALL(centroidal_momentum_dot, (, x.q, x.y, x.ydot)),
        CALL(centroidal_momentum_derivatives, (, x.q, x.y, x.ydot)),
        WRITES_CALL(relative_jacobian_dot, (, s.model.bodies().front(), s.model.bodies().back()), six_rows),
        WRITES_CALL(subtree_com_jacobian, (, s.model.bodies().front()), three_rows),
        WRITES_CALL(body_velocity_derivatives, (, s.model.bodies().back()), six_rows),
        REGRESSOR_CALLS(inverse_dynamics, ()),
        REGRESSOR_CALLS(slotine_li, (, x.x, x.ydot)),
        REGRESSOR_CALLS(momentum, ()),
        REGRESSOR_CALLS(coriolis_transpose, ()),
        REGRESSOR_CALLS(gravity, ()),
        WRITES_CALL(slotine_li_regressor, (, x.x, x.ydot), regressor, , {}, factorization::Plain()),
        WRITES_CALL(mass_matrix_parameter_derivative, (, s.model.bodies().back(), InertialParameter::Ixx), square),
        WRITES_CALL(coriolis_parameter_derivative, (, s.model.bodies().back(), InertialParameter::Ixx), square),
        WRITES_CALL(gravity_parameter_derivative, (, s.model.bodies().back(), InertialParameter::Ixx), speeds),
        WRITES_CALL(joint_regressor, (), joint_columns),
        WRITES_CALL(christoffel_symbols, (), symbols),
        WRITES_CALL(structure_constants, (), constants),
        {"christoffel_symbols_second_kind",
         [&, first = symbols(s), out = constants(s)]() mutable {
           christoffel_symbols_second_kind(s.mechanism, s.data, first, out);
         }},
        {"covariant_derivative",
         [&] { covariant_derivative<factorization::Plain>(s.mechanism, s.data, x.q, x.y, x.x, x.ydot); }},
        {"geodesic_residual", [&] { geodesic_residual(s.mechanism, s.data, x.q, x.y, x.x); }},
        {"parallel_transport", [&] { parallel_transport(s.mechanism, s.data, x.q, slow, x.x, 2); }},
        {"hamel_equations", [&] { hamel_equations(s.mechanism, s.data, x.q, x.y, x.ydot); }},
        {"contorsion",
         [&, out = constants(s)]() mutable { contorsion(s.mechanism, s.data, factorization::Plain(), out); }},
        {"inverse_dynamics_derivatives",
         [&] { inverse_dynamics_derivatives<double>(s.mechanism, s.data, x.q, x.y, x.ydot); }},
        {"forward_dynamics_derivatives",
         [&] { forward_dynamics_derivatives<double>(s.mechanism, s.data, x.q, x.y, x.x); }},
        {"inverse_dynamics_hessian",
         [&] { inverse_dynamics_hessian<double>(s.mechanism, s.data, x.q, x.y, x.ydot, x.x); }},
        {"forward_dynamics_hessian",
         [&] { forward_dynamics_hessian<double>(s.mechanism, s.data, x.q, x.y, x.x, x.x); }},
        {"constrained_inverse_dynamics",
         [&] { constrained_inverse_dynamics<double>(s.mechanism, s.data, x.q, x.y, x.ydot, x.tree); }},
        {"constrained_inverse_dynamics_derivatives",
         [&] { constrained_inverse_dynamics_derivatives<double>(s.mechanism, s.data, x.q, x.y, x.ydot, x.tree); }},
        {"constrained_forward_dynamics",
         [&] { constrained_forward_dynamics<double>(s.model, s.data.tree, s.loops, x.tree); }},
        {"constrained_forward_dynamics_derivatives",
         [&] { constrained_forward_dynamics_derivatives<double>(s.model, s.data.tree, s.loops, x.q, x.tree, x.tree); }},
        {"constrained_impulse", [&] { constrained_impulse<double>(s.model, s.data.tree, s.loops); }},
    };
    for (const auto& [name, call] : calls) {
      CAPTURE(seed, name);
      call();
      const NoEigenAllocation guard;
      const long before = allocation_count();
      call();
      CHECK(allocation_count() == before);
    }
  }
}

#undef ALL
#undef CALL
#undef WRITES_CALL
#undef REGRESSOR_CALLS

}  // namespace loops_test
