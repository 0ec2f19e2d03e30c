#pragma once

#include <algorithm>  // std::uniform_random_bit_generator, without all of <random>
#include <functional>

#include "corio/model/detail/check_vectors.hpp"

/// The configuration manifold: q is a vector of nq numbers, displacements are velocities times time (nv numbers).
/// @throws SizeError. O(n).
namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// Calls f(joint, q_index, v_index) once for each primitive joint.
template <class S, class F>
void for_each_primitive_joint(const Model<S>& model, F&& f) {
  for (const Node<S>& node : model.nodes())
    node.joint.visit([&](const auto& joint) { f(joint, node.q_begin, node.v_begin); });
}

/// Works like for_each_primitive_joint, but neighbouring joints whose q are added as vectors are one
/// joint::VectorSpaces.
template <class S, class F>
CORIO_INLINE void for_each_factor(const Model<S>& model, F&& f) {
  for (int b = 0; b < model.num_nodes();) {
    const Node<S>& node = model.node(b);
    const int i = node.q_begin, k = node.v_begin, end = model.vectors_end(b);
    if (end == b) {
      node.joint.visit([&](const auto& joint) { f(joint, i, k); });
      ++b;
    } else {
      f(joint::VectorSpaces{(end < model.num_nodes() ? model.node(end).q_begin : model.nq()) - i}, i, k);
      b = end;
    }
  }
}

/// Returns whether `out` may be written joint by joint while `in` is read: the two do not overlap, or begin at one
/// address and `out` is not longer, so that numbers are read before they are overwritten (nq >= nv for every joint).
template <class Out, class In>
bool may_overwrite(const Out& out, const In& in) {
  const auto *const a = out.data(), *const b = in.data();
  const std::less_equal<> before;
  return before(a + out.size(), b) || before(b + in.size(), a) || (a == b && out.size() <= in.size());
}

template <class S>
void check_violation(const Model<S>& model, int v_index, double violation, double tolerance, const char* function) {
  if (violation <= tolerance) return;
  const Joint& joint = model.joint_of_node(model.node_of(v_index));
  throw Error(
      join({function, ": configuration of joint '", joint.name(), "' (", joint.type(), ") is off its manifold by ",
            number(violation), ", for instance a quaternion whose norm is not 1: call corio::normalize"}));
}

/// Implements check_configuration.
template <class S>
void check_on_manifold(const char* what, VectorIn<S> q, const Model<S>& model, double tolerance,
                       const char* function = __builtin_FUNCTION()) {
  check_finite_coordinates(what, q, model, function);
  for_each_factor(model, [&](const auto& primitive, int i, int k) {
    check_violation(model, k, primitive.violation(q.data() + i), tolerance, function);
  });
}

}  // namespace detail

/// Returns the neutral configuration, where every joint's transform is the identity.
template <class S>
VectorX<S> neutral(const Model<S>& model) {
  VectorX<S> q(model.nq());
  detail::for_each_factor(model, [&](const auto& joint, int i, int) { joint.neutral(q.data() + i); });
  return q;
}

/// Returns a random configuration. It is uniform within the limits of joints for which both are finite and q is a plain
/// vector. Otherwise angles and orientations are uniform and lengths are in [-1, 1]; users' joints call their member
/// random.
/// @param generator  any uniform random bit generator, for instance std::mt19937
template <class S, class Generator>
VectorX<S> random_configuration(const Model<S>& model, Generator&& generator) requires
    std::uniform_random_bit_generator<std::remove_reference_t<Generator>> {
  using G = std::remove_reference_t<Generator>;
  const joint::Uniform uniform = [&generator] {
    constexpr double range = static_cast<double>((G::max)() - (G::min)()) + 1.0;
    return static_cast<double>(generator() - (G::min)()) / range;
  };
  VectorX<S> q(model.nq());
  detail::for_each_primitive_joint(model, [&](const auto& joint, int i, int) { joint.random(uniform, q.data() + i); });
  for (const Joint& joint : model.joints())
    for (int i = joint.q_index(); i < joint.q_index() + joint.nq() && joint.nq() == joint.nv(); ++i) {
      const double low = model.lower_limit()[i], high = model.upper_limit()[i];
      if (std::isfinite(low) && std::isfinite(high)) q[i] = S(low + (high - low) * uniform());
    }
  return q;
}

/// Computes out = q (+) dv: every joint moves along its own exponential, T(out) = T(q) exp(sum s_k dv_k). dv = v dt
/// advances by the constant joint twists v over dt. `out` may overlap q and dv in any way. Nothing is allocated unless
/// `out` overlaps one of them and begins at another address.
/// @throws SizeError
template <class S>
void integrate(const Model<S>& model, VectorIn<S> q, VectorIn<S> dv, VectorOut<S> out) {
  detail::check_coordinates("q", q, model);
  detail::check_speeds("dv", dv, model);
  detail::check_nq("out", out.size(), model);
  if (!detail::may_overwrite(out, q) || !detail::may_overwrite(out, dv)) return void(out = integrate(model, q, dv));
  detail::for_each_factor(
      model, [&](const auto& joint, int i, int k) { joint.integrate(q.data() + i, dv.data() + k, out.data() + i); });
}
template <class S>
VectorX<S> integrate(const Model<S>& model, VectorIn<S> q, VectorIn<S> dv) {
  VectorX<S> out(model.nq());
  integrate(model, q, dv, VectorOut<S>(out));
  return out;
}

/// Computes the shortest dv with integrate(q0, dv) = q1. The angle of a revolute joint counts turns, even if the joint
/// has no limits, like a wheel: the difference from -3.1 to 3.1 is 6.2. For joint::Continuous it is the shorter way
/// round, -0.083: integrate(q0, dv) is then the same place as q1, but may differ by whole turns. Readers make such
/// joints with Options::wrap_continuous, builders with ModelBuilder::wrap_continuous. All functions that compare
/// configurations use difference, such as tracking errors of controllers and postures of inverse_kinematics. `dv` may
/// overlap q0 and q1 as `out` of integrate may overlap its arguments.
/// @throws SizeError
template <class S>
void difference(const Model<S>& model, VectorIn<S> q0, VectorIn<S> q1, VectorOut<S> dv) {
  detail::check_coordinates("q0", q0, model);
  detail::check_coordinates("q1", q1, model);
  detail::check_nv("dv", dv.size(), model);
  if (!detail::may_overwrite(dv, q0) || !detail::may_overwrite(dv, q1)) return void(dv = difference(model, q0, q1));
  detail::for_each_factor(
      model, [&](const auto& joint, int i, int k) { joint.difference(q0.data() + i, q1.data() + i, dv.data() + k); });
}
template <class S>
VectorX<S> difference(const Model<S>& model, VectorIn<S> q0, VectorIn<S> q1) {
  VectorX<S> dv(model.nv());
  difference(model, q0, q1, VectorOut<S>(dv));
  return dv;
}

/// Computes the configuration at fraction t of the way from q0 to q1: integrate(q0, t difference(q0, q1)); t outside
/// [0, 1] extrapolates.
/// @throws SizeError
template <class S>
VectorX<S> interpolate(const Model<S>& model, VectorIn<S> q0, VectorIn<S> q1, const std::type_identity_t<S>& t) {
  VectorX<S> dv = difference(model, q0, q1);
  for (int k = 0; k < model.nv(); ++k) dv[k] *= t;
  return integrate(model, q0, dv);
}
/// Returns |difference(q0, q1)|, with metres and radians summed as numbers: it serves comparisons and is not a length.
/// @throws SizeError
template <class S>
S distance(const Model<S>& model, VectorIn<S> q0, VectorIn<S> q1) {
  using std::sqrt;
  const VectorX<S> dv = difference(model, q0, q1);
  return sqrt(dv.cwiseProduct(dv).sum());  // norm() would conjugate complex numbers
}

/// Scales quaternions, and other unit vectors in q, of any finite nonzero norm to unit norm.
/// @throws SizeError; Error naming the joint whose quaternion is zero or not finite, which is left unchanged
template <class S>
void normalize(const Model<S>& model, VectorOut<S> q) {
  detail::check_coordinates("q", q, model);
  detail::for_each_factor(model, [&](const auto& joint, int i, int k) {
    joint.normalize(q.data() + i);
    // Check the result: before normalization the check would reject every norm other than one.
    detail::check_violation(model, k, joint.violation(q.data() + i), 1e-3, "normalize");
  });
}

/// Throws SizeError for a wrong size, and Error naming the joint for numbers that are not finite, or a quaternion (or
/// other unit vector) whose norm differs from one by more than `tolerance`; Error for a negative tolerance or NaN.
template <class S>
void check_configuration(const Model<S>& model, VectorIn<S> q, double tolerance = 1e-6) {
  detail::check_tolerance("tolerance", tolerance);
  detail::check_on_manifold<S>("q", q, model, tolerance);
}

}}  // namespace corio
