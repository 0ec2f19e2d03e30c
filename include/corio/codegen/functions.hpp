#pragma once

#include "corio/codegen/writer.hpp"
#include "corio/corio.hpp"
#include "corio/loops/mechanism_derivatives.hpp"
#include "corio/loops/mechanism_dynamics.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// The functions that corio_generate knows by name, in their order.
inline constexpr const char* function_names[] = {"rnea",
                                                 "crba",
                                                 "aba",
                                                 "mass_matrix_inverse",
                                                 "coriolis_matrix",
                                                 "christoffel_symbols",
                                                 "inverse_dynamics_derivatives",
                                                 "forward_dynamics_derivatives"};

/// Calls f(name, x) with each result of a function at q, v, and a, which is tau for those of forward dynamics.
/// @throws Error if there is no function of this name
template <class S, template <class> class Robot, class F>
void for_each_result(const std::string& function, const Robot<S>& model, DataOf<Robot<S>>& data, const VectorX<S>& q,
                     const VectorX<S>& v, const VectorX<S>& a, F&& f) {
  if (function == "rnea") return f("tau", rnea(model, data, q, v, a));
  if (function == "crba") return f("M", crba(model, data, q));
  if (function == "aba") return f("a", aba(model, data, q, v, a));
  if (function == "mass_matrix_inverse") return f("M_inverse", mass_matrix_inverse(model, data, q));
  if (function == "coriolis_matrix") return f("C", coriolis_matrix(model, data, q, v).C);
  if (function == "christoffel_symbols") {
    ChristoffelTensor<S> symbols(model);
    christoffel_symbols(model, data, q, symbols);
    const int n = model.nv();
    MatrixX<S> pages(n, n * n);  // Gamma(i, j, k) in row i and column j + n k
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) pages(i, j + n * k) = symbols(i, j, k);
    return f("Gamma", pages);
  }
  if (function == "inverse_dynamics_derivatives") {
    const auto& x = inverse_dynamics_derivatives(model, data, q, v, a);
    return f("dtau_dq", x.dtau_dq), f("dtau_dv", x.dtau_dv);
  }
  if (function == "forward_dynamics_derivatives") {
    const auto& x = forward_dynamics_derivatives(model, data, q, v, a);
    return f("da_dq", x.da_dq), f("da_dv", x.da_dv), f("da_dtau", x.da_dtau);
  }
  std::string known;
  for (const char* name : function_names) known += std::string(known.empty() ? "" : ", ") + name;
  throw Error(corio::detail::join({"generated code: there is no function '", function, "', there are ", known}));
}

/// The same for functions of a tree that divide by M, and nothing for others, by the factor L^T D L of M instead of
/// articulated inertias, whose sweeps are O(n) but longer where paths to the root are short.
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

/// Size of q, which is that of the tree for a mechanism.
inline int num_coordinates(const Model<Recorded>& robot) { return robot.nq(); }
inline int num_coordinates(const Mechanism<Recorded>& robot) { return robot.tree().nq(); }

/// A function of a tree or mechanism, with those of the inputs q, v, and a or tau that it needs. For a tree the shorter
/// of for_each_result and for_each_result_by_factor. Build robots with joints of your own by ModelBuilder<Recorded>.
/// @param nominal  for mechanisms with loops other than gears, a closed configuration at which pivots are chosen: the
///   code is right where these stay away from zero
/// @throws Error for such a mechanism without it; StateError if the loops of a mechanism over double are open there
template <template <class> class Robot>
Recording record(const std::string& function, const Robot<Recorded>& robot, const VectorX<double>& nominal = {}) {
  const bool forward = function == "aba" || function == "forward_dynamics_derivatives";
  const bool has_a = forward || function == "rnea" || function == "inverse_dynamics_derivatives";
  const auto record_by = [&](auto algorithm) {
    Recording f(function);
    const auto input = [&](const char* name, const VectorX<double>& values, int n) {
      return nominal.size() > 0 ? f.input(name, values) : f.input(name, n);
    };
    const VectorX<double> rest = zeros<double>(robot.nv());
    const VectorX<Recorded> q = input("q", nominal, num_coordinates(robot));
    VectorX<Recorded> v, a;
    if (has_a || function == "coriolis_matrix") v = input("v", rest, robot.nv());
    if (has_a) a = input(forward ? "tau" : "a", rest, robot.nv());
    DataOf<Robot<Recorded>> data(robot);
    algorithm(data, q, v, a, [&](const char* name, const auto& x) { f.output(name, x); });
    return f;
  };
  Recording f =
      record_by([&](auto& data, const auto&... in) { for_each_result<Recorded, Robot>(function, robot, data, in...); });
  if constexpr (std::is_same_v<Robot<Recorded>, Model<Recorded>>) {
    Recording g =
        record_by([&](auto& data, const auto&... in) { for_each_result_by_factor(function, robot, data, in...); });
    if (g.num_outputs() > 0 && g.schedule().operations < f.schedule().operations) return g;
  }
  return f;
}
template <template <class> class Robot>
Recording record(const std::string& function, const Robot<double>& robot, const VectorX<double>& nominal = {}) {
  if constexpr (std::is_same_v<Robot<double>, Mechanism<double>>)
    if (nominal.size() > 0) {  // whether loops are closed is not checked over Recorded
      MechanismData<double> data(robot);
      forward_kinematics<double>(robot, data, nominal, zeros<double>(robot.nv()));
    }
  return record<Robot>(function, robot.template cast<Recorded>(), nominal);
}

/// How code is cut, as measured on an H200 and with GCC 12. Short code is fastest in one piece, and so is longer code
/// over float that writes results all along. Over double CUDA's assembler stops allocating registers well beyond 9000
/// operations or 400 values alive. The time of GCC grows with the square of the length.
inline Cut cut_for(const Recording& f, const Language& language) {
  const Schedule whole = f.schedule();
  if (!language.cuda) return whole.operations > 3000 ? Cut{1000, 0} : Cut{};
  if (!language.single_precision) return whole.operations > 9000 || whole.alive > 400 ? Cut{3000, 24} : Cut{};
  if (whole.operations <= 9000 || 20 * f.num_outputs() >= whole.operations) return {};
  return {3000, whole.operations < 20000 ? 60 : 24};
}

}  // namespace corio::codegen
