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

/// Numbers in q, of a mechanism in that of its tree.
template <class Robot>
int num_coordinates(const Robot& robot) {
  if constexpr (requires { robot.tree(); })
    return robot.tree().nq();
  else
    return robot.nq();
}

/// A function of a tree or of a mechanism, with the inputs that it has of q, v, and a or tau. A robot with joints of
/// the user's is built with ModelBuilder<Recorded>.
/// @param nominal  a closed configuration of a mechanism whose loops are more than gears: pivots are chosen there, and
///   what the code computes is right near it, where these are not small
/// @throws Error for such a mechanism without it
template <template <class> class Robot>
Recording record(const std::string& function, const Robot<Recorded>& robot, const VectorX<double>& nominal = {}) {
  const bool forward = function == "aba" || function == "forward_dynamics_derivatives";
  const bool has_a = forward || function == "rnea" || function == "inverse_dynamics_derivatives";
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
  for_each_result<Recorded, Robot>(function, robot, data, q, v, a,
                                   [&](const char* name, const auto& x) { f.output(name, x); });
  return f;
}
template <template <class> class Robot>
Recording record(const std::string& function, const Robot<double>& robot, const VectorX<double>& nominal = {}) {
  return record<Robot>(function, robot.template cast<Recorded>(), nominal);
}

/// Where code is cut, as measured on an H200 and with GCC 12. Short code is fastest in one piece, and so is longer code
/// over float that leaves results behind all the way. Of more than 9000 operations over double the assembler of CUDA
/// gives up to distribute registers; GCC takes a time that grows with the square of the length.
inline Cut cut_for(const Recording& f, const Language& language) {
  const int operations = f.schedule().operations;
  if (!language.cuda) return operations > 3000 ? Cut{1000, 0} : Cut{};
  if (operations <= 9000) return {};
  if (!language.single_precision) return {3000, 24};
  return 20 * f.num_outputs() >= operations ? Cut{} : Cut{3000, operations < 20000 ? 60 : 24};
}

}  // namespace corio::codegen
