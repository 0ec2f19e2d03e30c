#pragma once

#include <type_traits>
#include <utility>

#include "corio/algorithms/geometry/connection.hpp"
#include "corio/kernels/runge_kutta.hpp"
#include "corio/kinematics/robot.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S, class Factorization = factorization::Christoffel, class Robot = Model<S>>
struct ParallelTransport;

}  // namespace algorithm

/// Transports a vector w in parallel along the curve integrate(q, s v), 0 <= s <= 1, by dw/ds = -M^-1 C(q, v) w, so
/// that its covariant derivative (connection.hpp) is zero. For any other curve, call it for one piece after the other.
/// With an admissible B, inner products w^T M u of transported vectors are constant. The Riemannian connection does not
/// twist vectors about the curve; connections of other factorizations do. The curve of a Mechanism has constant
/// independent speeds v; its loops are closed after every step.
///
/// @param v      nv, the displacement of the curve
/// @param w      nv, in the basis of v, at q
/// @param steps  number of steps of the classical Runge-Kutta method, each with four covariant derivatives: the error
/// is O(1 / steps^4)
/// @param B      the factorization, as for coriolis_matrix
/// @returns nv, at the end of the curve, whose state Data then holds; valid until the next call.
/// @throws SizeError; Error for no steps; ModelError for a joint that moves no inertia; as forward_kinematics of a
/// Mechanism, StateError for loops that stay open because steps are too long. O(n d^2) for each step.
/// Source: Wensing and Slotine (2023), sections III-B and IV; do Carmo (1992), ch. 2.
template <class Factorization = factorization::Christoffel, class S, template <class> class Robot>
const VectorX<S>& parallel_transport(const Robot<S>& robot, DataOf<Robot<S>>& data, VectorIn<S> q, VectorIn<S> v,
                                     VectorIn<S> w, int steps, const Factorization& B = {}) {
  using Algorithm = algorithm::ParallelTransport<S, Factorization, Robot<S>>;
  data.check_fits(robot);
  if constexpr (std::is_same_v<Robot<S>, Model<S>>) robot.check_regular(Algorithm::name);
  auto& own = data.template of<Algorithm>(robot);
  own.run(robot, data, q, v, w, steps, B);
  return own.result;
}

namespace algorithm {

template <class S, class Factorization, class Robot>
struct ParallelTransport {
  static constexpr const char* name = "parallel_transport";
  VectorX<S> result;
  VectorX<S> q, v, next_q, next_w, rate, zero;
  detail::RungeKutta4<S> runge_kutta;
  CovariantDerivative<S, Factorization, Robot> nabla;

  explicit ParallelTransport(const Robot& m)
      : result(zeros<S>(m.nv())),
        q(zeros<S>(m.tree().nq())),
        v(result),
        next_q(q),
        next_w(v),
        rate(v),
        zero(v),
        runge_kutta(m.tree(), m.nv()),
        nabla(m) {}
  void run(const Robot& robot, DataOf<Robot>& data, VectorIn<S> from, VectorIn<S> along, VectorIn<S> field, int steps,
           const Factorization& B);
};
template <class S, class Factorization, class Robot>
void ParallelTransport<S, Factorization, Robot>::run(const Robot& robot, DataOf<Robot>& data, VectorIn<S> from,
                                                     VectorIn<S> along, VectorIn<S> field, int steps,
                                                     const Factorization& B) {
  detail::check_coordinates("q", from, robot.tree(), name);
  detail::check_speeds("v", along, robot, name);
  detail::check_speeds("w", field, robot, name);
  if (steps < 1) throw Error(detail::join({name, ": ", std::to_string(steps), " steps, expected at least one"}));
  q = from, v = along, result = field;
  forward_kinematics<S>(robot, data, q, v, name);
  bool is_start = true;
  for (int i = 0; i < steps; ++i, is_start = true) {
    runge_kutta.run(
        robot.tree(), q, result, S(1) / S(steps),
        [&](const VectorX<S>& at, const VectorX<S>& w, double, VectorX<S>& tree_v) -> const VectorX<S>& {
          if (!std::exchange(is_start, false)) pass_within_step<S>(robot, data, at, v);
          tree_v = data.of_tree().v;
          nabla.run(robot, data, w, zero, B);
          rate = -nabla.result;
          return rate;
        },
        next_q, next_w);
    close_loops<S>(robot, data, next_q, next_w);
    q.swap(next_q), result.swap(next_w);
    forward_kinematics<S>(robot, data, q, v, name);
  }
}

}  // namespace algorithm

}}  // namespace corio
