#include "loops/mechanism_table.hpp"

#include "corio/algorithms/dynamics/position_jacobian.hpp"
#include "corio/algorithms/dynamics/relative_jacobian.hpp"
#include "corio/algorithms/dynamics/subtree_com.hpp"
#include "corio/loops/constrained_dynamics_derivatives.hpp"
#include "corio/loops/constrained_inverse_dynamics_derivatives.hpp"
#include "corio/loops/mechanism_dynamics.hpp"
#include "corio/loops/mechanism_geometry.hpp"
#include "corio/loops/mechanism_hessian.hpp"
#include "corio/loops/mechanism_quantities.hpp"
#include "corio/loops/mechanism_regressors.hpp"

namespace loops_test::contracts {
namespace {

Entry row(const char* name, Pass pass, Function complete, Function reuse) { return {name, pass, complete, reuse}; }
// Rows of functions f with their arguments, (, q, ..) of the state and (, ..) between it and what is written or given
// last.
#define ALL(...) __VA_ARGS__
#define RETURNS(f, pass, STATE, ...)                                                                     \
  row(                                                                                                   \
      #f, Pass::pass,                                                                                    \
      [](auto& s, auto& x) -> MatrixXd { return f<double>(s.mechanism, s.data ALL STATE) __VA_ARGS__; }, \
      [](auto& s, auto&) -> MatrixXd { return f(s.mechanism, s.data) __VA_ARGS__; })
#define WRITES(f, pass, STATE, EXTRA, result, ...)                   \
  row(                                                               \
      #f, Pass::pass,                                                \
      [](auto& s, auto& x) -> MatrixXd {                             \
        auto out = result(s);                                        \
        f(s.mechanism, s.data ALL STATE ALL EXTRA, out __VA_ARGS__); \
        return out;                                                  \
      },                                                             \
      [](auto& s, [[maybe_unused]] auto& x) -> MatrixXd {            \
        auto out = result(s);                                        \
        f(s.mechanism, s.data ALL EXTRA, out __VA_ARGS__);           \
        return out;                                                  \
      })
#define GIVES(f, pass, STATE, EXTRA)                                                                           \
  row(                                                                                                         \
      #f, Pass::pass, [](auto& s, auto& x) -> MatrixXd { return f(s.mechanism, s.data ALL STATE ALL EXTRA); }, \
      [](auto& s, [[maybe_unused]] auto& x) -> MatrixXd { return f(s.mechanism, s.data ALL EXTRA); })
#define REGRESSOR(f, pass, STATE, EXTRA)                                     \
  WRITES(f##_regressor, pass, STATE, EXTRA, regressor),                      \
      GIVES(f##_regressor_product, pass, STATE, (ALL EXTRA, parameters(s))), \
      WRITES(f##_regressor_transpose_product, pass, STATE, (ALL EXTRA, x.x), parameters)

}  // namespace

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries{
      {"rnea", Pass::acceleration, [](auto& s, auto& x) { return rnea<double>(s.mechanism, s.data, x.q, x.y, x.ydot); },
       [](auto& s, auto&) { return rnea<double>(s.mechanism, s.data); }},
      {"nonlinear_effects", Pass::velocity,
       [](auto& s, auto& x) { return nonlinear_effects<double>(s.mechanism, s.data, x.q, x.y); },
       [](auto& s, auto&) { return nonlinear_effects<double>(s.mechanism, s.data); }},
      {"generalized_gravity", Pass::position,
       [](auto& s, auto& x) { return generalized_gravity<double>(s.mechanism, s.data, x.q); },
       [](auto& s, auto&) { return generalized_gravity<double>(s.mechanism, s.data); }},
      {"crba", Pass::position, [](auto& s, auto& x) { return crba<double>(s.mechanism, s.data, x.q); },
       [](auto& s, auto&) { return crba<double>(s.mechanism, s.data); }},
      {"aba", Pass::velocity, [](auto& s, auto& x) { return aba<double>(s.mechanism, s.data, x.q, x.y, x.x); },
       [](auto& s, auto& x) { return aba<double>(s.mechanism, s.data, x.x); }},
      RETURNS(joint_reactions, acceleration, (, x.q, x.y, x.ydot)),
      {"hybrid_dynamics", Pass::velocity,
       [](auto& s, auto& x) {
         return hybrid_dynamics<double>(s.mechanism, s.data, x.q, x.y, x.ydot, x.x, first_speed()).tau;
       },
       [](auto& s, auto& x) { return hybrid_dynamics<double>(s.mechanism, s.data, x.ydot, x.x, first_speed()).tau; }},
      {"hybrid_dynamics_derivatives", Pass::acceleration,
       [](auto& s, auto& x) {
         return hybrid_dynamics_derivatives<double>(s.mechanism, s.data, x.q, x.y, x.ydot, first_speed()).dz_dq;
       },
       [](auto& s, auto&) { return hybrid_dynamics_derivatives<double>(s.mechanism, s.data, first_speed()).dz_dq; }},
      {"inverse_dynamics_time_derivative", Pass::acceleration,
       [](auto& s, auto& x) {
         return inverse_dynamics_time_derivative<double>(s.mechanism, s.data, x.q, x.y, x.ydot, x.x).tau_dot;
       },
       [](auto& s, auto& x) { return inverse_dynamics_time_derivative<double>(s.mechanism, s.data, x.x).tau_dot; }},
      {"mass_matrix_inverse", Pass::position,
       [](auto& s, auto& x) { return mass_matrix_inverse<double>(s.mechanism, s.data, x.q); },
       [](auto& s, auto&) { return mass_matrix_inverse<double>(s.mechanism, s.data); }},
      {"body_jacobian", Pass::position,
       [](auto& s, auto& x) {
         MatrixXd J(6, s.mechanism.nv());
         body_jacobian<double>(s.mechanism, s.data, x.q, s.model.bodies().back(), J);
         return J;
       },
       [](auto& s, auto&) {
         MatrixXd J(6, s.mechanism.nv());
         body_jacobian<double>(s.mechanism, s.data, s.model.bodies().back(), J);
         return J;
       }},
      {"body_jacobian_dot", Pass::velocity,
       [](auto& s, auto& x) {
         MatrixXd J(6, s.mechanism.nv());
         body_jacobian_dot<double>(s.mechanism, s.data, x.q, x.y, s.model.bodies().back(), J);
         return J;
       },
       [](auto& s, auto&) {
         MatrixXd J(6, s.mechanism.nv());
         body_jacobian_dot<double>(s.mechanism, s.data, s.model.bodies().back(), J);
         return J;
       }},
      {"coriolis_matrix", Pass::velocity,
       [](auto& s, auto& x) {
         return coriolis_matrix<factorization::Christoffel, double>(s.mechanism, s.data, x.q, x.y).C;
       },
       [](auto& s, auto&) { return coriolis_matrix(s.mechanism, s.data).C; }},
      {"coriolis_matrix_dot", Pass::acceleration,
       [](auto& s, auto& x) {
         return coriolis_matrix_dot<factorization::Christoffel, double>(s.mechanism, s.data, x.q, x.y, x.ydot).Cdot;
       },
       [](auto& s, auto&) { return coriolis_matrix_dot(s.mechanism, s.data).Cdot; }},
      {"coriolis_product", Pass::velocity,
       [](auto& s, auto& x) {
         forward_kinematics<double>(s.mechanism, s.data, x.q, x.y);
         return coriolis_product(s.mechanism, s.data, x.x);
       },
       [](auto& s, auto& x) { return coriolis_product(s.mechanism, s.data, x.x); }},
      {"coriolis_transpose_product", Pass::velocity,
       [](auto& s, auto& x) {
         forward_kinematics<double>(s.mechanism, s.data, x.q, x.y);
         return coriolis_transpose_product(s.mechanism, s.data, x.x);
       },
       [](auto& s, auto& x) { return coriolis_transpose_product(s.mechanism, s.data, x.x); }},
      {"slotine_li_inverse_dynamics", Pass::velocity,
       [](auto& s, auto& x) { return slotine_li_inverse_dynamics(s.mechanism, s.data, x.q, x.y, x.x, x.ydot); },
       [](auto& s, auto& x) { return slotine_li_inverse_dynamics(s.mechanism, s.data, x.x, x.ydot); }},
      {"generalized_momentum", Pass::velocity,
       [](auto& s, auto& x) { return generalized_momentum<double>(s.mechanism, s.data, x.q, x.y).drift; },
       [](auto& s, auto&) { return generalized_momentum(s.mechanism, s.data).drift; }},
      {"passive_forces", Pass::velocity,
       [](auto& s, auto& x) { return passive_forces<double>(s.mechanism, s.data, x.q, x.y); },
       [](auto& s, auto&) { return passive_forces(s.mechanism, s.data); }},
      {"energy", Pass::velocity,
       [](auto& s, auto& x) { return MatrixXd::Constant(1, 1, energy<double>(s.mechanism, s.data, x.q, x.y).total()); },
       [](auto& s, auto&) { return MatrixXd::Constant(1, 1, energy(s.mechanism, s.data).total()); }},
      GIVES(mass_matrix_inverse_product, position, (, x.q), (, x.x)),
      RETURNS(kinetic_energy, velocity, (, x.q, x.y), *MatrixXd::Ones(1, 1)),
      RETURNS(potential_energy, position, (, x.q), *MatrixXd::Ones(1, 1)),
      RETURNS(center_of_mass, position, (, x.q)),
      RETURNS(center_of_mass_velocity, velocity, (, x.q, x.y)),
      RETURNS(center_of_mass_acceleration, acceleration, (, x.q, x.y, x.ydot)),
      RETURNS(com_jacobian, position, (, x.q)),
      RETURNS(com_jacobian_dot, velocity, (, x.q, x.y)),
      RETURNS(centroidal_momentum, velocity, (, x.q, x.y), .vector()),
      RETURNS(centroidal_momentum_dot, acceleration, (, x.q, x.y, x.ydot), .vector()),
      RETURNS(centroidal_momentum_matrix, position, (, x.q)),
      RETURNS(centroidal_momentum_matrix_dot, velocity, (, x.q, x.y)),
      RETURNS(centroidal_momentum_derivatives, acceleration, (, x.q, x.y, x.ydot), .dhdot_dq),
      WRITES(body_position_jacobian, position, (, x.q), (, s.model.bodies().back()), three_rows),
      WRITES(body_position_jacobian_dot, velocity, (, x.q, x.y), (, s.model.bodies().back()), three_rows),
      WRITES(relative_jacobian, position, (, x.q), (, s.model.bodies().front(), s.model.bodies().back()), six_rows),
      WRITES(relative_jacobian_dot, velocity, (, x.q, x.y), (, s.model.bodies().front(), s.model.bodies().back()),
             six_rows),
      WRITES(body_velocity_derivatives, velocity, (, x.q, x.y), (, s.model.bodies().back()), six_rows),
      {"body_acceleration_derivatives", Pass::acceleration,
       [](auto& s, auto& x) {
         MatrixXd both(12, s.mechanism.nv());
         body_acceleration_derivatives<double>(s.mechanism, s.data, x.q, x.y, x.ydot, s.model.bodies().back(),
                                               both.topRows(6), both.bottomRows(6));
         return both;
       },
       [](auto& s, auto&) {
         MatrixXd both(12, s.mechanism.nv());
         body_acceleration_derivatives<double>(s.mechanism, s.data, s.model.bodies().back(), both.topRows(6),
                                               both.bottomRows(6));
         return both;
       }},
      REGRESSOR(inverse_dynamics, acceleration, (, x.q, x.y, x.ydot), ()),
      REGRESSOR(slotine_li, velocity, (, x.q, x.y), (, x.x, x.ydot)),
      REGRESSOR(momentum, velocity, (, x.q, x.y), ()),
      REGRESSOR(coriolis_transpose, velocity, (, x.q, x.y), ()),
      REGRESSOR(gravity, position, (, x.q), ()),
      WRITES(slotine_li_regressor, velocity, (, x.q, x.y), (, x.x, x.ydot), regressor, , {}, factorization::Plain()),
      WRITES(kinetic_energy_regressor, velocity, (, x.q, x.y), (), parameters),
      WRITES(potential_energy_regressor, position, (, x.q), (), parameters),
      WRITES(mass_matrix_parameter_derivative, position, (, x.q), (, s.model.bodies().back(), InertialParameter::Ixx),
             square),
      WRITES(coriolis_parameter_derivative, velocity, (, x.q, x.y), (, s.model.bodies().back(), InertialParameter::Ixx),
             square),
      WRITES(gravity_parameter_derivative, position, (, x.q), (, s.model.bodies().back(), InertialParameter::Ixx),
             speeds),
      WRITES(joint_regressor, acceleration, (, x.q, x.y, x.ydot), (), joint_columns),
      {"christoffel_symbols", Pass::position,
       [](auto& s, auto& x) {
         return contracted(s, symbols(s), [&](auto& out) { christoffel_symbols(s.mechanism, s.data, x.q, out); });
       },
       [](auto& s, auto&) {
         return contracted(s, symbols(s), [&](auto& out) { christoffel_symbols(s.mechanism, s.data, out); });
       }},
      {"structure_constants", Pass::position,
       [](auto& s, auto& x) {
         return contracted(s, constants(s), [&](auto& out) { structure_constants(s.mechanism, s.data, x.q, out); });
       },
       [](auto& s, auto&) {
         return contracted(s, constants(s), [&](auto& out) { structure_constants(s.mechanism, s.data, out); });
       }},
      GIVES(covariant_derivative, velocity, (, x.q, x.y), (, x.x, x.ydot)),
      GIVES(geodesic_residual, velocity, (, x.q, x.y), (, x.x)),
      RETURNS(hamel_equations, acceleration, (, x.q, x.y, x.ydot), .tau),
      {"christoffel_symbols_second_kind", Pass::position,
       [](auto& s, auto& x) {
         forward_kinematics<double>(s.mechanism, s.data, x.q);
         return second_kind(s);
       },
       [](auto& s, auto&) { return second_kind(s); }},
      {"contorsion", Pass::position,
       [](auto& s, auto& x) {
         return contracted(s, constants(s),
                           [&](auto& out) { contorsion(s.mechanism, s.data, x.q, factorization::Plain(), out); });
       },
       [](auto& s, auto&) {
         return contracted(s, constants(s),
                           [&](auto& out) { contorsion(s.mechanism, s.data, factorization::Plain(), out); });
       }},
      {"inverse_dynamics_derivatives", Pass::acceleration,
       [](auto& s, auto& x) {
         return inverse_dynamics_derivatives<double>(s.mechanism, s.data, x.q, x.y, x.ydot).dtau_dq;
       },
       [](auto& s, auto&) { return inverse_dynamics_derivatives<double>(s.mechanism, s.data).dtau_dq; }},
      {"forward_dynamics_derivatives", Pass::acceleration,
       [](auto& s, auto& x) {
         forward_kinematics<double>(s.mechanism, s.data, x.q, x.y, x.ydot);
         return forward_dynamics_derivatives<double>(s.mechanism, s.data).da_dq;
       },
       [](auto& s, auto&) { return forward_dynamics_derivatives<double>(s.mechanism, s.data).da_dq; }},
      {"inverse_dynamics_hessian", Pass::acceleration,
       [](auto& s, auto& x) { return inverse_dynamics_hessian<double>(s.mechanism, s.data, x.q, x.y, x.ydot, x.x).qq; },
       [](auto& s, auto& x) { return inverse_dynamics_hessian<double>(s.mechanism, s.data, x.x).qq; }},
      {"forward_dynamics_hessian", Pass::acceleration,
       [](auto& s, auto& x) {
         forward_kinematics<double>(s.mechanism, s.data, x.q, x.y, x.ydot);
         return forward_dynamics_hessian<double>(s.mechanism, s.data, x.x).qq;
       },
       [](auto& s, auto& x) { return forward_dynamics_hessian<double>(s.mechanism, s.data, x.x).qq; }},
      {"constrained_inverse_dynamics", Pass::acceleration,
       [](auto& s, auto& x) {
         return constrained_inverse_dynamics<double>(s.mechanism, s.data, x.q, x.y, x.ydot, x.tree).tau;
       },
       [](auto& s, auto& x) { return constrained_inverse_dynamics<double>(s.mechanism, s.data, x.tree).tau; }},
      {"constrained_inverse_dynamics_derivatives", Pass::acceleration,
       [](auto& s, auto& x) {
         return constrained_inverse_dynamics_derivatives<double>(s.mechanism, s.data, x.q, x.y, x.ydot, x.tree).dtau_dq;
       },
       [](auto& s, auto& x) {
         return constrained_inverse_dynamics_derivatives<double>(s.mechanism, s.data, x.tree).dtau_dq;
       }},
      {"constrained_forward_dynamics", Pass::velocity,
       [](auto& s, auto& x) {
         forward_kinematics<double>(s.mechanism, s.data, x.q, x.y);
         return constrained_forward_dynamics<double>(s.model, s.data.tree, s.loops, x.tree, 3.0).a;
       },
       [](auto& s, auto& x) {
         return constrained_forward_dynamics<double>(s.model, s.data.tree, s.loops, x.tree, 3.0).a;
       }},
      {"constrained_forward_dynamics_derivatives", Pass::acceleration,
       [](auto& s, auto& x) {
         forward_kinematics<double>(s.mechanism, s.data, x.q, x.y, x.ydot);
         return constrained_forward_dynamics_derivatives<double>(s.model, s.data.tree, s.loops, {x.forces}).da_dq;
       },
       [](auto& s, auto& x) {
         return constrained_forward_dynamics_derivatives<double>(s.model, s.data.tree, s.loops, {x.forces}).da_dq;
       }},
      {"constrained_impulse", Pass::velocity,
       [](auto& s, auto& x) {
         forward_kinematics<double>(s.mechanism, s.data, x.q, x.y);
         return constrained_impulse<double>(s.model, s.data.tree, s.loops).v;
       },
       [](auto& s, auto&) { return constrained_impulse<double>(s.model, s.data.tree, s.loops).v; }},
  };
  return entries;
}

Arguments arguments(const Closed& s, int seed) {
  const int n = s.mechanism.nv();
  return {s.q,
          random_vector<double>(n, seed),
          random_vector<double>(n, seed + 1),
          random_vector<double>(n, seed + 2),
          random_vector<double>(s.model.nv(), seed + 3).cwiseAbs() + VectorXd::Ones(s.model.nv()),
          random_vector<double>(s.loops.rows(), seed + 4)};
}

}  // namespace loops_test::contracts
