#pragma once

#include <Eigen/Core>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "compare/peer.hpp"

/// Errors of results in double and in float against the same algorithm in long double.
namespace accuracy {

using Exact = long double;
using Matrix = Eigen::Matrix<Exact, Eigen::Dynamic, Eigen::Dynamic>;
template <class S>
using Vector = Eigen::Matrix<S, Eigen::Dynamic, 1>;

/// A state in corio's conventions. Its numbers are rounded to S, so that the algorithm in long double starts from the
/// same numbers as the algorithm in float.
struct State {
  Vector<Exact> q, v, a, tau;
};

/// The quantities that are compared, and the scales of their errors.
enum Quantity { mass_matrix, coriolis, along_q, along_v, inverse, accelerations, accelerations_along_q, quantities };
inline constexpr const char* title[quantities] = {"M", "C", "dtau_dq", "dtau_dv", "M^-1", "aba", "da_dq"};

/// A vector for each quantity, empty if the algorithm does not compute it.
struct Results {
  Matrix of[quantities];
};

/// The largest |x - exact| over the entries, relative to the scale of the quantity.
inline Exact error(Quantity quantity, const Matrix& x, const Matrix& exact) {
  const bool by_diagonal = quantity == mass_matrix || quantity == inverse;
  const bool by_row = quantity == coriolis || quantity == along_q || quantity == along_v;
  const Exact largest = exact.cwiseAbs().maxCoeff();
  Exact worst = 0;
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      const Exact scale = by_diagonal ? std::sqrt(exact(i, i) * exact(j, j))
                          : by_row    ? exact.row(i).cwiseAbs().maxCoeff()
                                      : largest;
      const Exact relative = std::abs(x(i, j) - exact(i, j)) / scale;
      // The comparison is negated so that NaN counts as the largest error.
      if (scale > 0 && !(relative <= worst)) worst = std::isnan(relative) ? HUGE_VALL : relative;
    }
  return worst;
}

/// A function that computes all quantities in one state.
using Compute = std::function<Results(const State&)>;

struct Errors {
  std::string who;
  Exact worst[quantities];  // over all states, negative if the quantity was not computed
};

inline Errors errors(std::string who, const std::vector<State>& states, const Compute& compute, const Compute& exact) {
  Errors result{std::move(who), {-1, -1, -1, -1, -1, -1, -1}};
  for (const State& state : states) {
    const Results x = compute(state), reference = exact(state);
    for (int i = 0; i < quantities; ++i)
      if (x.of[i].size() > 0)
        result.worst[i] = std::max(result.worst[i], error(static_cast<Quantity>(i), x.of[i], reference.of[i]));
  }
  return result;
}

#ifdef CORIO_BENCH_PINOCCHIO
/// Pinocchio's algorithms. The model's numbers are rounded to float if `in_float`.
std::vector<Errors> of_pinocchio(const compare::Mechanism& mechanism, const std::vector<State>& states, bool in_float);
#endif

}  // namespace accuracy
