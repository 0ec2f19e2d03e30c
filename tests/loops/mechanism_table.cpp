#include "loops/mechanism_table.hpp"

#include "corio/algorithms/dynamics/position_jacobian.hpp"
#include "corio/algorithms/dynamics/relative_jacobian.hpp"
#include "corio/algorithms/dynamics/subtree_com.hpp"
#include "corio/loops/constrained_dynamics_derivatives.hpp"
#include "corio/mechanism/constrained_inverse_dynamics_derivatives.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/geometry.hpp"
#include "corio/mechanism/hessian.hpp"
#include "corio/mechanism/quantities.hpp"
#include "corio/mechanism/regressors.hpp"
#include "support/call_with_state.hpp"

namespace loops_test::contracts {
namespace {

// The arguments that follow the state in a call.
namespace given {
constexpr auto x = [](Closed&, const Views& all) -> auto& { return all.x; };
constexpr auto ydot = [](Closed&, const Views& all) -> auto& { return all.ydot; };
constexpr auto tree = [](Closed&, const Views& all) -> auto& { return all.tree; };
constexpr auto pi = [](Closed& s, const Views&) { return parameters(s); };
constexpr auto first = [](Closed & s, const Views&) -> auto& { return s.model.bodies().front(); };
constexpr auto last = [](Closed & s, const Views&) -> auto& { return s.model.bodies().back(); };
constexpr auto prescribed = [](Closed&, const Views&) -> auto& { return first_speed(); };
constexpr auto Ixx = [](Closed&, const Views&) { return InertialParameter::Ixx; };
constexpr auto plain = [](Closed&, const Views&) { return factorization::Plain(); };
}  // namespace given

/// Returns any result as a matrix.
template <class A>
MatrixXd numbers(const Closed&, const Eigen::MatrixBase<A>& result) {
  return result;
}
MatrixXd numbers(const Closed&, double result) { return MatrixXd::Constant(1, 1, result); }
MatrixXd numbers(const Closed&, const Force<double>& result) { return result.vector(); }
MatrixXd numbers(const Closed&, const Vector3<double>& result) {
  return Eigen::Vector3d(result[0], result[1], result[2]);
}
template <class Tensor>
requires requires(const Tensor& t, MatrixXd& sum) { t.contract(VectorXd(), sum); }
MatrixXd numbers(const Closed& s, const Tensor& result) {
  MatrixXd sum;
  result.contract(s.y, sum);
  return sum;
}

/// The state in the form that call_with_state reads.
struct StateViews {
  const Views& all;
  auto& q() const { return all.q; }
  auto& v() const { return all.y; }
  auto& a() const { return all.ydot; }
};
template <Pass pass, class F, class... Rest>
decltype(auto) with_state(const F& f, Closed& s, const Views& all, Rest&&... rest) {
  const StateViews state{all};
  return test::call_with_state<pass>(f, s.mechanism, s.data, state, rest...);
}
/// Adds a function that returns its result.
template <Pass pass, class F, class... Rest>
Entry row(const char* name, F f, Rest... rest) {
  return {name, pass,
          [=](Closed& s, const Views& all) { return numbers(s, with_state<pass>(f, s, all, rest(s, all)...)); },
          [=](Closed& s, const Views& all) { return numbers(s, f(s.mechanism, s.data, rest(s, all)...)); }};
}
/// Adds a function that writes to the object that make(s) returns, its last argument.
template <Pass pass, class F, class Make, class... Rest>
Entry writes(const char* name, F f, Make make, Rest... rest) {
  return {name, pass,
          [=](Closed& s, const Views& all) {
            auto out = make(s);
            with_state<pass>(f, s, all, rest(s, all)..., out);
            return numbers(s, out);
          },
          [=](Closed& s, const Views& all) {
            auto out = make(s);
            f(s.mechanism, s.data, rest(s, all)..., out);
            return numbers(s, out);
          }};
}
/// Adds a function without a form that takes the state: f(s, all) after the pass.
template <Pass pass, class F>
Entry after_pass(const char* name, F f) {
  const auto pass_before = [](auto&&... state) { forward_kinematics<double>(state...); };
  return {name, pass,
          [=](Closed& s, const Views& all) {
            with_state<pass>(pass_before, s, all);
            return numbers(s, f(s, all));
          },
          [=](Closed& s, const Views& all) { return numbers(s, f(s, all)); }};
}
// CORIO_FUNCTION for a member of a function's result.
#define PART(f, ...) #f, [](auto&&... all) { return f(all...).__VA_ARGS__; }

void add_dynamics(std::vector<Entry>& table) {
  using enum Pass;
  using namespace given;
  const std::vector<Entry> entries{
      row<acceleration>(CORIO_FUNCTION(rnea)),
      row<velocity>(CORIO_FUNCTION(nonlinear_effects)),
      row<position>(CORIO_FUNCTION(generalized_gravity)),
      row<position>(CORIO_FUNCTION(crba)),
      row<velocity>(CORIO_FUNCTION(aba), x),
      row<acceleration>(CORIO_FUNCTION(joint_reactions)),
      row<velocity>(PART(hybrid_dynamics, tau), ydot, x, prescribed),
      row<acceleration>(PART(hybrid_dynamics_derivatives, dz_dq), prescribed),
      row<acceleration>(PART(inverse_dynamics_time_derivative, tau_dot), x),
      row<position>(CORIO_FUNCTION(mass_matrix_inverse)),
      row<position>(CORIO_FUNCTION(mass_matrix_inverse_product), x),
      row<velocity>(PART(coriolis_matrix, C)),
      row<acceleration>(PART(coriolis_matrix_dot, Cdot)),
      row<velocity>(CORIO_FUNCTION(coriolis_product), x),
      row<velocity>(CORIO_FUNCTION(coriolis_transpose_product), x),
      row<velocity>(CORIO_FUNCTION(slotine_li_inverse_dynamics), x, ydot),
      row<velocity>(PART(generalized_momentum, drift)),
      row<velocity>(CORIO_FUNCTION(passive_forces)),
      row<velocity>(PART(energy, total())),
      row<velocity>(CORIO_FUNCTION(kinetic_energy)),
      row<position>(CORIO_FUNCTION(potential_energy)),
      row<acceleration>(PART(inverse_dynamics_derivatives, dtau_dq)),
      row<acceleration>(PART(inverse_dynamics_hessian, qq), x),
      row<acceleration>(PART(constrained_inverse_dynamics, tau), tree),
      row<acceleration>(PART(constrained_inverse_dynamics_derivatives, dtau_dq), tree),
      row<velocity>(PART(forward_dynamics_derivatives, da_dq), x),
      row<velocity>(PART(forward_dynamics_hessian, qq), x, ydot),
      after_pass<acceleration>(
          "forward_dynamics_derivatives, at dy/dt",
          [](Closed& s, const Views&) { return forward_dynamics_derivatives(s.mechanism, s.data).da_dq; }),
      after_pass<acceleration>(
          "forward_dynamics_hessian, at dy/dt",
          [](Closed& s, const Views& all) { return forward_dynamics_hessian(s.mechanism, s.data, all.x).qq; }),
      after_pass<velocity>("constrained_forward_dynamics",
                           [](Closed& s, const Views& all) {
                             return constrained_forward_dynamics(s.model, s.data.tree, s.loops, all.tree, 3.0).a;
                           }),
      after_pass<acceleration>(
          "constrained_forward_dynamics_derivatives",
          [](Closed& s, const Views& all) {
            return constrained_forward_dynamics_derivatives(s.model, s.data.tree, s.loops, {all.forces}).da_dq;
          }),
      after_pass<velocity>("constrained_impulse", [](Closed& s, const Views&) {
        return constrained_impulse(s.model, s.data.tree, s.loops).v;
      })};
  table.insert(table.end(), entries.begin(), entries.end());
}

void add_motions(std::vector<Entry>& table) {
  using enum Pass;
  using namespace given;
  const std::vector<Entry> entries{
      row<position>(CORIO_FUNCTION(center_of_mass)),
      row<velocity>(CORIO_FUNCTION(center_of_mass_velocity)),
      row<acceleration>(CORIO_FUNCTION(center_of_mass_acceleration)),
      row<position>(CORIO_FUNCTION(com_jacobian)),
      row<velocity>(CORIO_FUNCTION(com_jacobian_dot)),
      row<velocity>(CORIO_FUNCTION(centroidal_momentum)),
      row<acceleration>(CORIO_FUNCTION(centroidal_momentum_dot)),
      row<position>(CORIO_FUNCTION(centroidal_momentum_matrix)),
      row<velocity>(CORIO_FUNCTION(centroidal_momentum_matrix_dot)),
      row<acceleration>(PART(centroidal_momentum_derivatives, dhdot_dq)),
      writes<position>(CORIO_FUNCTION(body_jacobian), six_rows, last),
      writes<velocity>(CORIO_FUNCTION(body_jacobian_dot), six_rows, last),
      writes<position>(CORIO_FUNCTION(body_position_jacobian), three_rows, last),
      writes<velocity>(CORIO_FUNCTION(body_position_jacobian_dot), three_rows, last),
      writes<position>(CORIO_FUNCTION(relative_jacobian), six_rows, first, last),
      writes<velocity>(CORIO_FUNCTION(relative_jacobian_dot), six_rows, first, last),
      writes<velocity>(CORIO_FUNCTION(body_velocity_derivatives), six_rows, last),
      {"body_acceleration_derivatives", acceleration,
       [](Closed& s, const Views& all) {
         MatrixXd both(12, s.mechanism.nv());
         body_acceleration_derivatives(s.mechanism, s.data, all.q, all.y, all.ydot, last(s, all), both.topRows(6),
                                       both.bottomRows(6));
         return both;
       },
       [](Closed& s, const Views& all) {
         MatrixXd both(12, s.mechanism.nv());
         body_acceleration_derivatives(s.mechanism, s.data, last(s, all), both.topRows(6), both.bottomRows(6));
         return both;
       }},
      writes<position>(CORIO_FUNCTION(christoffel_symbols), symbols),
      writes<position>(CORIO_FUNCTION(structure_constants), constants),
      writes<position>(CORIO_FUNCTION(contorsion), constants, plain),
      after_pass<position>("christoffel_symbols_second_kind", [](Closed& s, const Views&) { return second_kind(s); }),
      row<velocity>(CORIO_FUNCTION(covariant_derivative), x, ydot),
      row<velocity>(CORIO_FUNCTION(geodesic_residual), x),
      row<acceleration>(PART(hamel_equations, tau))};
  table.insert(table.end(), entries.begin(), entries.end());
}

// Adds a regressor Y, and its products with parameters and with a vector.
#define REGRESSOR(f, pass, ...)                                                        \
  writes<pass>(CORIO_FUNCTION(f##_regressor), regressor __VA_OPT__(, ) __VA_ARGS__),   \
      row<pass>(CORIO_FUNCTION(f##_regressor_product) __VA_OPT__(, ) __VA_ARGS__, pi), \
      writes<pass>(CORIO_FUNCTION(f##_regressor_transpose_product), parameters __VA_OPT__(, ) __VA_ARGS__, x)

void add_regressors(std::vector<Entry>& table) {
  using enum Pass;
  using namespace given;
  const std::vector<Entry> entries{
      REGRESSOR(inverse_dynamics, acceleration),
      REGRESSOR(slotine_li, velocity, x, ydot),
      REGRESSOR(momentum, velocity),
      REGRESSOR(coriolis_transpose, velocity),
      REGRESSOR(gravity, position),
      writes<velocity>(
          "slotine_li_regressor", [](auto&... all) { slotine_li_regressor(all..., {}, factorization::Plain()); },
          regressor, x, ydot),
      writes<velocity>(CORIO_FUNCTION(kinetic_energy_regressor), parameters),
      writes<position>(CORIO_FUNCTION(potential_energy_regressor), parameters),
      writes<position>(CORIO_FUNCTION(mass_matrix_parameter_derivative), square, last, Ixx),
      writes<velocity>(CORIO_FUNCTION(coriolis_parameter_derivative), square, last, Ixx),
      writes<position>(CORIO_FUNCTION(gravity_parameter_derivative), speeds, last, Ixx),
      writes<acceleration>(CORIO_FUNCTION(joint_regressor), joint_columns)};
  table.insert(table.end(), entries.begin(), entries.end());
}

#undef PART
#undef REGRESSOR

}  // namespace

const std::vector<Entry>& table() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> all;
    add_dynamics(all), add_motions(all), add_regressors(all);
    return all;
  }();
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
