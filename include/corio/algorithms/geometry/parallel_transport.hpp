#pragma once

#include "corio/algorithms/geometry/connection.hpp"
#include "corio/kinematics/configuration.hpp"

namespace corio::inline CORIO_ABI {
namespace algorithm {

template <class S, class Factorization = factorization::Christoffel>
struct ParallelTransport {
  static constexpr const char* name = "parallel_transport";
  VectorX<S> result;
  VectorX<S> q0, v, q, dq, start, w, slope, zero;
  CovariantDerivative<S, Factorization> nabla;

  explicit ParallelTransport(const Model<S>& m)
      : result(zeros<S>(m.nv())),
        q0(zeros<S>(m.nq())),
        v(result),
        q(q0),
        dq(v),
        start(v),
        w(v),
        slope(v),
        zero(v),
        nabla(m) {}
  void run(const Model<S>& model, Data<S>& data, VectorIn<S> from, VectorIn<S> along, VectorIn<S> field, int steps,
           const Factorization& B);
};
template <class S, class Factorization>
void ParallelTransport<S, Factorization>::run(const Model<S>& model, Data<S>& data, VectorIn<S> from, VectorIn<S> along,
                                              VectorIn<S> field, int steps, const Factorization& B) {
  detail::check_vector("q", from, model.nq(), name);
  detail::check_vector("v", along, model.nv(), name);
  detail::check_vector("w", field, model.nv(), name);
  if (steps < 1) throw Error(detail::join({name, ": ", std::to_string(steps), " steps, expected at least one"}));
  q0 = from, v = along, result = field;
  const S h = S(1) / S(steps);
  const auto move_to_half_step = [&](int i) {
    dq = S(i) / S(2 * steps) * v;
    integrate(model, q0, dq, VectorOut<S>(q));
    forward_kinematics(model, data, q, v);
  };
  // slope = -h M^-1 C w for w = start + share slope; adds weight times slope to the result.
  const auto stage = [&](const S& share, const S& weight) {
    w = start + share * slope;
    nabla.run(model, data, w, zero, B);
    slope = -h * nabla.result;
    result += weight * slope;
  };
  move_to_half_step(0);
  for (int i = 0; i < 2 * steps; i += 2) {
    start = result;
    stage(S(0), S(1) / S(6));
    move_to_half_step(i + 1);
    stage(S(0.5), S(1) / S(3)), stage(S(0.5), S(1) / S(3));
    move_to_half_step(i + 2);
    stage(S(1), S(1) / S(6));
  }
}

}  // namespace algorithm

/// Parallel transport of a vector w along the curve integrate(q, s v), 0 <= s <= 1, by dw/ds = -M^-1 C(q, v) w, so that
/// its covariant derivative (connection.hpp) is zero. Transport along any other curve piece by piece. With an
/// admissible B inner products w^T M u of transported vectors are constant; the Riemannian connection does not twist
/// vectors about the curve, those of other factorizations do.
///
/// @param v      nv, the displacement of the curve
/// @param w      nv, in the same basis, at q
/// @param steps  of the classical Runge-Kutta method, each with three kinematics passes: the error is O(1 / steps^4)
/// @param B      the factorization, as for coriolis_matrix
/// @returns nv, at the end of the curve, whose state Data then holds; valid until the next call.
/// @throws SizeError; Error for no steps; ModelError for a joint that moves no inertia. O(n d^2) for each step.
/// Source: Wensing and Slotine (2023), sections III-B and IV; do Carmo (1992), ch. 2.
template <class Factorization = factorization::Christoffel, class S>
const VectorX<S>& parallel_transport(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> w,
                                     int steps, const Factorization& B = {}) {
  using Algorithm = algorithm::ParallelTransport<S, Factorization>;
  data.check_fits(model);
  model.check_regular(Algorithm::name);
  auto& own = data.template of<Algorithm>(model);
  own.run(model, data, q, v, w, steps, B);
  return own.result;
}

}  // namespace corio
