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
#include "loops/mechanism_table.hpp"
#include "support/catch.hpp"

// What every function of mechanisms promises, from one table of them.

namespace loops_test {
using namespace contracts;

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

const std::vector<Entry>& contracts::table() {
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

Arguments contracts::arguments(const Closed& s, int seed) {
  const int n = s.mechanism.nv();
  return {s.q,
          random_vector<double>(n, seed),
          random_vector<double>(n, seed + 1),
          random_vector<double>(n, seed + 2),
          random_vector<double>(s.model.nv(), seed + 3).cwiseAbs() + VectorXd::Ones(s.model.nv()),
          random_vector<double>(s.loops.rows(), seed + 4)};
}

TEST_CASE("functions of mechanisms give the same in both forms, and change no other's result", "[loops]") {
  for (const int seed : {0, 6}) {
    Closed s(seed);
    const Arguments x = arguments(s, 31), other = arguments(s, 77);
    forward_kinematics<double>(s.mechanism, s.data, x.q, x.y, x.ydot);
    std::vector<MatrixXd> results;
    for (const auto& f : table()) results.push_back(f.reuse(s, x));
    for (std::size_t i = 0; i < table().size(); ++i) {
      CAPTURE(seed, table()[i].name);
      CHECK(table()[i].reuse(s, x) == results[i]);
    }
    // Each from another state, and after all others.
    for (std::size_t i = 0; i < table().size(); ++i) {
      CAPTURE(seed, table()[i].name);
      forward_kinematics<double>(s.mechanism, s.data, other.q, other.y, other.ydot);
      CHECK(relative_error(table()[i].complete(s, x), results[i]) < bound);
    }
  }
}

namespace {

using Vectors = std::vector<Eigen::Ref<const VectorXd>>;

/// The vectors that a MechanismData holds: of a state, and of the results of functions.
Vectors held_state(Closed& s, const Arguments& x) {
  forward_kinematics<double>(s.mechanism, s.data, x.q, x.y, x.ydot);
  return {s.data.y, s.data.ydot, s.data.drift, s.data.tree.q, s.data.tree.v, s.data.tree.a};
}
Vectors held_results(Closed& s, const Arguments& x) {
  forward_kinematics<double>(s.mechanism, s.data, x.q, x.y, x.ydot);
  const auto& momentum = generalized_momentum(s.mechanism, s.data);
  const auto& drives = constrained_inverse_dynamics<double>(s.mechanism, s.data, x.tree);
  const auto& constrained = constrained_forward_dynamics<double>(s.model, s.data.tree, s.loops, x.tree);
  return {rnea<double>(s.mechanism, s.data),
          nonlinear_effects<double>(s.mechanism, s.data),
          generalized_gravity<double>(s.mechanism, s.data),
          passive_forces(s.mechanism, s.data),
          aba<double>(s.mechanism, s.data, x.x),
          crba<double>(s.mechanism, s.data).col(0),
          mass_matrix_inverse<double>(s.mechanism, s.data).col(0),
          mass_matrix_inverse_product<double>(s.mechanism, s.data, x.x),
          coriolis_matrix(s.mechanism, s.data).C.col(0),
          coriolis_product(s.mechanism, s.data, x.x),
          coriolis_transpose_product(s.mechanism, s.data, x.x),
          slotine_li_inverse_dynamics(s.mechanism, s.data, x.x, x.ydot),
          momentum.p,
          momentum.drift,
          rnea(s.model, s.data.tree),
          nonlinear_effects(s.model, s.data.tree),
          drives.tau,
          drives.lambda,
          constrained.a,
          constrained.lambda};
}

}  // namespace

TEST_CASE("functions of mechanisms take anything that their data hold for any argument", "[loops][state]") {
  for (const int seed : {0, 6})
    for (const auto& f : table()) {
      Closed s(seed), other(seed);
      const std::string name = f.name;
      const Arguments right = arguments(s, 31), before = arguments(s, 77);
      for (int slot = 1; slot < 6; ++slot) {
        const auto with = [&](const Eigen::Ref<const VectorXd>& x) -> Views {
          const auto at = [&](int k, const VectorXd& own) { return slot == k ? x : Eigen::Ref<const VectorXd>(own); };
          return {right.q, at(1, right.y), at(2, right.ydot), at(3, right.x), at(4, right.tree), at(5, right.forces)};
        };
        const Eigen::Index size = (slot == 4 ? right.tree : slot == 5 ? right.forces : right.y).size();
        const auto check = [&](const Eigen::Ref<const VectorXd>& view) {
          const VectorXd copy = view;
          if (view.size() != size) return;
          if (slot == 4 && name.starts_with("constrained_inverse") && !(copy.array() > 0).all()) return;  // an effort
          const MatrixXd expected = f.complete(other, with(copy));
          CHECK(f.complete(s, with(view)) == expected);
        };
        const Vectors results = held_results(s, before);
        for (std::size_t i = 0; i < 6; ++i) {
          CAPTURE(seed, f.name, slot, i);
          check(held_state(s, before)[i]);
        }
        for (std::size_t i = 0; i < results.size(); ++i) {
          CAPTURE(seed, f.name, slot, i);
          check(results[i]);
        }
      }
    }
}

TEST_CASE("after an exception of a joint or relation functions of mechanisms give what they should",
          "[loops][throws]") {
  for (const auto& f : table()) {
    Closed s(7), other(7);
    const Arguments x = arguments(s, 31), before = arguments(s, 77);
    const MatrixXd expected = f.complete(other, x);
    forward_kinematics<double>(other.mechanism, other.data, x.q, x.y, x.ydot);
    const MatrixXd reused = f.reuse(other, x);
    long k = 0;
    for (bool blew = true; blew; ++k) {
      CAPTURE(f.name, k);
      REQUIRE(k < 1000);
      f.complete(s, before);
      blew = blows(k, [&] { f.complete(s, x); });
      if (blew) {
        MatrixXd whole = expected;
        try {
          whole = f.reuse(s, x);
        } catch (const StateError&) {
        }
        CHECK(whole == expected);
      }
      CHECK(f.complete(s, x) == expected);
      forward_kinematics<double>(s.mechanism, s.data, x.q, x.y, x.ydot);
      blew = blows(k, [&] { f.reuse(s, x); }) || blew;
      // What shares its parts with it as well.
      if (f.pass >= Pass::velocity)
        CHECK(coriolis_matrix(s.mechanism, s.data).C == coriolis_matrix(other.mechanism, other.data).C);
      CHECK(f.reuse(s, x) == reused);
    }
    CHECK(k > 1);
  }
}

TEST_CASE("functions of mechanisms refuse a state that does not go far enough, or is not theirs", "[loops][errors]") {
  for (const auto& f : table()) {
    CAPTURE(f.name);
    Closed s(0);
    const Arguments x = arguments(s, 31);
    if (f.pass == Pass::acceleration) forward_kinematics<double>(s.mechanism, s.data, x.q, x.y);
    if (f.pass == Pass::velocity) forward_kinematics<double>(s.mechanism, s.data, x.q);
    if (f.pass == Pass::position) s.data = MechanismData<double>(s.mechanism);
    CHECK(mentions(message_of<StateError>([&] { f.reuse(s, x); }), {f.name}));
    const std::string name = f.name;
    if (name.starts_with("constrained_forward") || name == "constrained_impulse") continue;  // of a tree
    VectorXd elsewhere = x.q;
    elsewhere[0] += 0.1;
    forward_kinematics<double>(s.model, s.data.tree, elsewhere, VectorXd::Ones(3), VectorXd::Ones(3));
    CHECK(mentions(message_of<StateError>([&] { f.reuse(s, x); }), {f.name, "forward_kinematics of the mechanism"}));
  }
}

TEST_CASE("data of another mechanism of the same tree is refused", "[loops][errors]") {
  Closed s(0);
  const Mechanism<double> other(s.model, s.loops, {"rocker_joint"});
  CHECK(mentions(message_of<StateError>([&] { crba<double>(other, s.data, s.q); }), {"another mechanism"}));
  CHECK(mentions(message_of<StateError>([&] { crba<double>(other, s.data); }), {"another mechanism"}));
  // Another acceleration at the same q and v is noticed.
  forward_kinematics<double>(s.mechanism, s.data, s.q, s.y, s.y);
  const VectorXd v = s.data.tree.v;
  forward_kinematics<double>(s.model, s.data.tree, s.q, v, VectorXd::Ones(3));
  CHECK(mentions(message_of<StateError>([&] { rnea<double>(s.mechanism, s.data); }), {"rnea"}));
}

TEST_CASE("what needs M^-1 of a mechanism names a speed that moves no inertia", "[loops][errors]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "arm",
                    .joint = joint::Revolute({0, 0, 1}),
                    .inertia = InertialParameters<double>(Random<double>(1).inertia())});
  for (const char* name : {"crank", "wheel"})
    builder.add_body({.name = name, .parent = "arm", .joint = joint::Revolute({0, 0, 1})});
  builder.couple("belt", {{"crank_joint", 1.0}, {"wheel_joint", -2.0}}, 0.0, {"wheel_joint"});
  const Mechanism<double> mechanism(builder.build());
  MechanismData<double> data(mechanism);
  const VectorXd q = VectorXd::Zero(3), y = VectorXd::Zero(2);
  const std::vector<std::string> words{"M^-1", "'crank_joint'", "move no inertia"};
  CHECK(mentions(message_of<ModelError>([&] { aba<double>(mechanism, data, q, y, y); }), words));
  CHECK(mentions(message_of<ModelError>([&] { mass_matrix_inverse<double>(mechanism, data, q); }), words));
  CHECK(rnea<double>(mechanism, data, q, y, y).allFinite());
}

}  // namespace loops_test
