#pragma once

#include <string>
#include <vector>

#include "corio/loops/closing_steps.hpp"
#include "corio/loops/constraint_jacobian.hpp"

namespace corio {

/// What assemble returns.
template <class S>
struct Assembly {
  VectorX<S> q;         // the best configuration found; the given one if none was better
  bool closed = false;  // whether the residual is below the tolerance
  int iterations = 0;
  S residual = S(0);    // the largest |k_i|, m or rad
  std::string worst{};  // the loop that it belongs to
};

/// Closes the loops near a configuration by Levenberg-Marquardt steps of least length on the configuration manifold,
///   q <- q (+) -K^T (K K^T + mu)^-1 k   (closing_steps.hpp).
/// Redundant conditions do no harm. If the loops cannot be closed, the residual ends at a local minimum, and the result
/// names the loop with the largest one. Conditions on the sense of axes are included.
///
/// @param held       degrees of freedom that keep their value, such as that of a driven crank
/// @param tolerance  of the largest residual, m or rad
/// @throws SizeError; ModelError for loops of another model, an index out of range, or a relation whose gradient is not
/// finite; Error for a q that is not finite. Allocates; some ten iterations of O(m d + m^2 (n + m)).
template <std::floating_point S>
Assembly<S> assemble(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> q,
                     const std::vector<int>& held = {}, double tolerance = 1e3 * std::numeric_limits<S>::epsilon()) {
  const Loops<S> senses = loops.senses();
  const int own = loops.rows(), m = own + senses.rows();
  Assembly<S> result{.q = q};
  check_configuration<S>(model, q, 1e-3);
  for (std::size_t i = 0; i < held.size(); ++i)
    detail::check_dof(detail::join({"held[", std::to_string(i), "]"}).c_str(), held[i], model.nv(), "assemble");
  detail::ClosingSteps<S> steps(model, m);
  for (const int j : held) steps.lower[j] = steps.upper[j] = S(0);
  const auto residual_at = [&](const VectorX<S>& at, VectorX<S>& out) {
    forward_kinematics<S>(model, data, at);
    constraint_residual<S>(model, data, loops, out.head(own));
    constraint_residual<S>(model, data, senses, out.tail(m - own));
  };
  const auto jacobian = [&] {
    constraint_jacobian<S>(model, data, loops, steps.K.topRows(own));
    constraint_jacobian<S>(model, data, senses, steps.K.bottomRows(m - own));
  };
  residual_at(result.q, steps.k);
  result.iterations =
      steps.run(result.q, static_cast<S>(1e-2 * tolerance), residual_at, jacobian, [](const VectorX<S>&) {});
  Eigen::Index row = 0;
  if (m > 0) {
    result.residual = steps.k.cwiseAbs().maxCoeff(&row);
    const int i = static_cast<int>(row);
    result.worst = (i < own ? loops.of_row(i) : senses.of_row(i - own)).name;
  }
  result.closed = result.residual <= static_cast<S>(tolerance);
  return result;
}

}  // namespace corio
