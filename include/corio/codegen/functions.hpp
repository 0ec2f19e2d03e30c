#pragma once

#include "corio/codegen/named_functions.hpp"
#include "corio/codegen/snap.hpp"
#include "corio/codegen/writer.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// As for_each_result for functions of a tree that divide by M, and nothing for others, by the factor L^T D L of M
/// instead of articulated inertias, whose sweeps are O(n) but longer where paths to the root are short.
template <class F>
void for_each_result_by_factor(const std::string& function, const Model<Recorded>& model, Data<Recorded>& data,
                               const VectorX<Recorded>& q, const VectorX<Recorded>& v, const VectorX<Recorded>& tau,
                               F&& f) {
  const bool is_inverse = function == "mass_matrix_inverse", is_aba = function == "aba";
  if (!is_inverse && !is_aba && function != "forward_dynamics_derivatives") return;
  using Rows = Eigen::Matrix<Recorded, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  MatrixX<Recorded> factor = crba(model, data, q);
  corio::detail::factorize_mass_matrix(model, factor);
  const auto solve = [&](Rows x) {
    corio::detail::solve_mass_matrix(model, factor, x.data(), x.cols());
    return x;
  };
  const auto M_inverse = [&] { return solve(Rows::Identity(model.nv(), model.nv())); };
  if (is_inverse) return f("M_inverse", M_inverse());
  const VectorX<Recorded> a = solve(tau - nonlinear_effects(model, data, q, v));
  if (is_aba) return f("a", a);
  const auto& inverse = inverse_dynamics_derivatives(model, data, q, v, a);
  f("da_dq", solve(-inverse.dtau_dq)), f("da_dv", solve(-inverse.dtau_dv)), f("da_dtau", M_inverse());
}

/// A lower bound of the operations of for_each_result_by_factor, which for a chain of 100 would be recorded for
/// seconds: those of L^T D L, sum d_k (d_k + 2) for the d_k degrees of freedom that carry each.
template <class S>
int operations_of_factor(const Model<S>& model) {
  int sum = 0;
  for (int k = 0; k < model.nv(); ++k) {
    int d = 0;
    for (int i = model.parent_dof(k); i >= 0; i = model.parent_dof(i)) ++d;
    sum += d * (d + 2);
  }
  return sum;
}

/// A function of a tree or mechanism, with those of the inputs q, v, a or tau, and dt that it needs. For a tree the
/// shorter of for_each_result and for_each_result_by_factor. Build robots with joints of your own by
/// ModelBuilder<Recorded>.
/// @param nominal  for mechanisms with loops other than gears, a closed configuration at which pivots are chosen: the
///   code is right where these stay away from zero
/// @param leave_out_zeros  whether matrices are packed
/// @throws Error for such a mechanism without it, and as for_each_result; StateError if the loops of a mechanism over
///   double are open there
template <template <class> class Robot>
Recording record(const std::string& function, const Robot<Recorded>& robot, const VectorX<double>& nominal = {},
                 bool leave_out_zeros = false) {
  const NamedFunction& named = named_function(function);
  const auto record_by = [&](auto algorithm) {
    Recording f(identifier(function), named.summary);
    const auto input = [&](const char* name, const VectorX<double>& rest) -> VectorX<Recorded> {
      if (!named.takes(name)) return {};
      return nominal.size() > 0 ? f.input(name, rest) : f.input(name, static_cast<int>(rest.size()));
    };
    const VectorX<double> rest = zeros<double>(robot.nv());
    const VectorX<Recorded> q = input("q", nominal.size() > 0 ? nominal : zeros<double>(robot.tree().nq()));
    const VectorX<Recorded> v = input("v", rest), a = input("a", rest), tau = input("tau", rest);
    const VectorX<Recorded> dt = input("dt", VectorX<double>::Constant(1, 1e-3));
    DataOf<Robot<Recorded>> data(robot);
    const auto output = [&](const char* name, const auto& x) {
      leave_out_zeros&& x.cols() > 1 ? f.output(name, packed(x)) : f.output(name, x);
    };
    algorithm(data, q, v, named.takes("tau") ? tau : a, output, dt.size() > 0 ? dt[0] : Recorded(0));
    return f;
  };
  Recording f =
      record_by([&](auto& data, const auto&... in) { for_each_result<Recorded, Robot>(function, robot, data, in...); });
  if constexpr (std::is_same_v<Robot<Recorded>, Model<Recorded>>) {
    const int operations = f.schedule().operations;
    if (operations_of_factor(robot) >= operations) return f;
    Recording g = record_by([&](auto& data, const auto& q, const auto& v, const auto& tau, const auto& output, auto&&) {
      for_each_result_by_factor(function, robot, data, q, v, tau, output);
    });
    if (g.num_outputs() > 0 && g.schedule().operations < operations) return g;
  }
  return f;
}
/// Of a tree without the dust in its rotations (snap).
inline Recording record(const std::string& function, const Model<double>& model) {
  return record<Model>(function, snapped(model).cast<Recorded>());
}
inline Recording record(const std::string& function, const Mechanism<double>& mechanism,
                        const VectorX<double>& nominal = {}) {
  if (nominal.size() > 0) {  // whether loops are closed is not checked over Recorded
    MechanismData<double> data(mechanism);
    forward_kinematics<double>(mechanism, data, nominal, zeros<double>(mechanism.nv()));
  }
  return record<Mechanism>(function, mechanism.cast<Recorded>(), nominal);
}

}}}  // namespace corio::codegen
