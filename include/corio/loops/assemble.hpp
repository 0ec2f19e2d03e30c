#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "corio/core/compiled.hpp"
#include "corio/loops/detail/closing_steps.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The result of assemble.
template <class S>
struct Assembly {
  VectorX<S> q;         // the best configuration found; the given one if none was better
  bool closed = false;  // whether the residual is below the tolerance
  int iterations = 0;
  S residual = S(0);    // the largest |k_i|, m or rad
  std::string worst{};  // the loop with this residual
};

/// Closes the loops near a configuration by Levenberg-Marquardt steps of least length on the configuration manifold,
///   q <- q (+) -K^T (K K^T + mu)^-1 k   (ClosingSteps).
/// Redundant conditions do no harm. If the loops cannot be closed, the residual ends at a local minimum, and the result
/// names the loop with the largest residual. Conditions on the sense of axes are included.
///
/// @param held       degrees of freedom that keep their value, such as a driven crank
/// @param tolerance  bound of the largest residual, m or rad; relative to coordinates larger than 1 if the residual is
///   their difference: angles of a coupling, distances of bodies from the base of their tree, or from the origin if a
///   loop joins two trees or one to the ground
/// @throws SizeError; ModelError for loops of another model, an index out of range, or a relation whose gradient is not
/// finite; Error for a q that is not finite or a negative tolerance. Allocates; some ten iterations of O(m d + m^2 (n +
/// m)).
template <std::floating_point S>
Assembly<S> assemble(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> q,
                     const std::vector<int>& held = {}, double tolerance = 1e3 * std::numeric_limits<S>::epsilon()) {
  const detail::TargetsAndLoops<S> conditions(model, data, loops);
  detail::check_tolerance("tolerance", tolerance);
  detail::check_on_manifold<S>("q", q, model, 1e-3);
  for (std::size_t i = 0; i < held.size(); ++i)
    detail::check_dof(detail::join({"held[", std::to_string(i), "]"}).c_str(), held[i], model.nv(), "assemble");
  detail::ClosingSteps<S> steps(conditions, false);
  for (const int j : held) steps.lower[j] = steps.upper[j] = S(0);
  Assembly<S> result{.q = q};
  result.closed = steps.reach(result.q, tolerance) <= static_cast<S>(tolerance);
  steps.report(result);
  return result;
}

#define CORIO_COMPILED_ASSEMBLE(EXTERN, S)                                                      \
  EXTERN template Assembly<S> assemble(const Model<S>&, Data<S>&, const Loops<S>&, VectorIn<S>, \
                                       const std::vector<int>&, double);
CORIO_DECLARE_COMPILED(ASSEMBLE)

}}  // namespace corio
