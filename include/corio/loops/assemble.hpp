#pragma once

#include <Eigen/Cholesky>
#include <concepts>
#include <string>
#include <vector>

#include "corio/kinematics/configuration.hpp"
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

/// Closes the loops near a configuration: Levenberg-Marquardt steps of least length on the configuration manifold,
///   (K K^T + mu) y = k,   q <- q (+) (-K^T y),
/// where mu, the damping, is adapted to the decrease that each step attains. Redundant conditions do no harm. If the
/// loops cannot be closed, the residual ends at a local minimum, and the result names the loop with the largest one.
/// Conditions on the sense of axes are included.
///
/// @param held       degrees of freedom that keep their value, such as that of a driven crank
/// @param tolerance  of the largest residual, m or rad
/// @throws SizeError; ModelError for loops of another model, an index out of range, or a relation whose gradient is not
/// finite; Error for a q that is not finite. Allocates; some ten iterations of O(m d + m^2 (n + m)).
template <std::floating_point S>
Assembly<S> assemble(const Model<S>& model, Data<S>& data, const Loops<S>& loops, VectorIn<S> q,
                     const std::vector<int>& held = {}, double tolerance = 1e3 * std::numeric_limits<S>::epsilon()) {
  constexpr int most_iterations = 200;
  const Loops<S> senses = loops.senses();
  const int own = loops.rows(), m = own + senses.rows();
  Assembly<S> result{.q = q};
  check_configuration<S>(model, q, 1e-3);
  for (std::size_t i = 0; i < held.size(); ++i)
    detail::check_dof(detail::join({"held[", std::to_string(i), "]"}).c_str(), held[i], model.nv(), "assemble");
  VectorX<S> k(m), next_q(model.nq()), next_k(m);
  MatrixX<S> K(m, model.nv());
  const auto residual_at = [&](const VectorX<S>& at, VectorX<S>& out) {
    forward_kinematics<S>(model, data, at);
    constraint_residual<S>(model, data, loops, out.head(own));
    constraint_residual<S>(model, data, senses, out.tail(m - own));
  };
  residual_at(result.q, k);
  // From here on data holds the state at result.q whenever K is computed.
  S mu = static_cast<S>(1e-3);
  for (; result.iterations < most_iterations && k.size() > 0; ++result.iterations) {
    if (k.template lpNorm<Eigen::Infinity>() <= static_cast<S>(1e-2 * tolerance)) break;
    constraint_jacobian<S>(model, data, loops, K.topRows(own));
    constraint_jacobian<S>(model, data, senses, K.bottomRows(m - own));
    for (const int j : held) K.col(j).setZero();
    const MatrixX<S> A = K * K.transpose();
    const S scale = A.diagonal().maxCoeff();
    bool better = false;
    // The residual falls for a mu that is large enough, unless q is at a minimum.
    for (; !better && mu < static_cast<S>(1e12); mu *= better ? static_cast<S>(0.1) : S(10)) {
      const MatrixX<S> damped = A + mu * scale * MatrixX<S>::Identity(m, m);
      const VectorX<S> step = -(K.transpose() * damped.ldlt().solve(k));
      integrate<S>(model, result.q, step, next_q);
      residual_at(next_q, next_k);
      better = next_k.squaredNorm() < k.squaredNorm();
      if (better) result.q.swap(next_q), k.swap(next_k);
    }
    if (!better) break;
    mu = std::max(mu, static_cast<S>(1e-14));
  }
  Eigen::Index row = 0;
  if (m > 0) {
    result.residual = k.cwiseAbs().maxCoeff(&row);
    const int i = static_cast<int>(row);
    result.worst = (i < own ? loops.of_row(i) : senses.of_row(i - own)).name;
  }
  result.closed = result.residual <= static_cast<S>(tolerance);
  return result;
}

}  // namespace corio
