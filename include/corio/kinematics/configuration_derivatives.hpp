#pragma once

#include <algorithm>

#include "corio/kinematics/configuration.hpp"
#include "corio/model/detail/check_vectors.hpp"

/// Derivatives of the configuration manifold's functions, for discrete-time dynamics, trajectory costs and estimators.
/// As everywhere, a derivative with respect to a configuration is along its degrees of freedom, and a change of a
/// configuration is measured in the degrees of freedom at that configuration.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// Calls evaluate(joint, q index, v index), which returns whether the joint has a dual form, for the joint of a node.
/// @throws ModelError if the joint has no dual form
template <class S, class F>
void with_dual_form(const Model<S>& model, const Node<S>& node, const char* function, F&& evaluate) {
  if (!node.joint.visit([&](const auto& joint) { return evaluate(joint, node.q_begin, node.v_begin); }))
    throw ModelError(join({function, ": integrate and difference of joint '", joint_of_dof(model, node.v_begin),
                           "' must be templates on the scalar, to be called with corio::Dual"}));
}
/// Fills two block-diagonal nv x nv matrices: partials(joint, q index, v index, blocks) computes the joints' blocks.
template <class S, class F>
void fill_blocks(const Model<S>& model, const char* function, const MatrixOut<S>& first, const MatrixOut<S>& second,
                 F&& partials) {
  for (const auto* out : {&first, &second}) {
    check_shape("a derivative", out->rows(), out->cols(), model.nv(), model.nv(), function);
    for (int k = 0; k < model.nv(); ++k)
      for (int i = 0; i < model.nv(); ++i) (*out)(i, k) = S(0);
  }
  for (const Node<S>& node : model.nodes()) {
    joint::ManifoldPartials<S> blocks;
    with_dual_form(model, node, function,
                   [&](const auto& joint, int q, int v) { return partials(joint, q, v, blocks); });
    const int k = node.v_begin, nv = node.v_end - k;
    for (int j = 0; j < nv; ++j)
      for (int i = 0; i < nv; ++i) {
        first(k + i, k + j) = blocks.first[i + j * nv];
        second(k + i, k + j) = blocks.second[i + j * nv];
      }
  }
}

/// Computes out = by_q x of integrate(q, dv) for the joint of a node. q is the whole configuration; dv, x and out have
/// the joint's nv numbers.
template <class S>
void integrate_along(const Model<S>& model, const Node<S>& node, const char* function, VectorIn<S> q, const S* dv,
                     const S* x, S* out) {
  with_dual_form(model, node, function,
                 [&](const auto& joint, int i, int) { return integrate_along(joint, q.data() + i, dv, x, out); });
}
/// Computes out = by_q0 x0 + by_q1 x1 of difference(q0, q1) in the same way.
template <class S>
void difference_along(const Model<S>& model, const Node<S>& node, const char* function, VectorIn<S> q0, VectorIn<S> q1,
                      const S* x0, const S* x1, S* out) {
  with_dual_form(model, node, function, [&](const auto& joint, int i, int) {
    return difference_along(joint, q0.data() + i, q1.data() + i, x0, x1, out);
  });
}

/// Returns whether a joint has some nonzero stiffness; true for scalars whose derivatives may be nonzero at zero.
template <class S>
bool has_springs(const S* stiffness, int nv) {
  if constexpr (FloatingPoint<S>)
    return std::any_of(stiffness, stiffness + nv, [](const S& k) { return in_any_state(k != S(0)); });
  else
    return true;
}
/// Calls evaluate(joint, rest, q, stiffness, v index) once for each joint that has springs, with the numbers of this
/// joint; evaluate returns whether the joint has a dual form.
template <class S, class F>
void for_each_sprung_joint(const Model<S>& model, const VectorX<S>& q, const char* function, F&& evaluate) {
  const VectorX<S>&rest = model.rest_configuration(), &stiffness = model.stiffness();
  for (const Node<S>& node : model.nodes())
    with_dual_form(model, node, function, [&](const auto& joint, int i, int k) {
      return !has_springs(stiffness.data() + k, node.v_end - k) ||
             evaluate(joint, rest.data() + i, q.data() + i, stiffness.data() + k, k);
    });
}

}  // namespace detail

/// Computes derivatives of integrate(q, dv):
///   integrate(integrate(q, x), dv + y) = integrate(integrate(q, dv), by_q x + by_dv y) + higher orders of x, y.
/// Both matrices are identities if q is a plain vector. For joints that are groups, by_q = Ad(exp(-dv)) and by_dv is
/// the right Jacobian of exp. Both are block-diagonal by joints.
///
/// @param by_q, by_dv  nv x nv, blocks of larger matrices too; matrices of another size are resized, which allocates
/// @throws SizeError; ModelError for a user's joint that is not a template on the scalar. O(n) plus zeroing the output.
template <class S>
void integrate_derivatives(const Model<S>& model, VectorIn<S> q, VectorIn<S> dv, const MatrixOut<S>& by_q,
                           const MatrixOut<S>& by_dv) {
  detail::check_coordinates("q", q, model);
  detail::check_speeds("dv", dv, model);
  detail::fill_blocks(model, "integrate_derivatives", by_q, by_dv, [&](const auto& joint, int i, int k, auto& out) {
    return integrate_partials(joint, q.data() + i, dv.data() + k, out);
  });
}
template <class S>
void integrate_derivatives(const Model<S>& model, VectorIn<S> q, VectorIn<S> dv, MatrixX<S>& by_q, MatrixX<S>& by_dv) {
  by_q.resize(model.nv(), model.nv()), by_dv.resize(model.nv(), model.nv());
  integrate_derivatives(model, q, dv, MatrixOut<S>(by_q), MatrixOut<S>(by_dv));
}

/// Selects the argument of integrate(q, dv) with respect to which it is differentiated.
enum class IntegrateArgument { q, dv };

/// Computes out = by_q J or by_dv J with the matrices of integrate_derivatives, without forming them. It carries
/// columns given at q, or changes of dv, to integrate(q, dv), such as the Jacobians of a trajectory from knot to knot.
///
/// @param J    nv rows, any number of columns
/// @param out  has the size of J; may be J itself
/// @throws as integrate_derivatives. O(n) per column; nothing is allocated
template <class S>
void integrate_transport(const Model<S>& model, VectorIn<S> q, VectorIn<S> dv, MatrixIn<S> J, const MatrixOut<S>& out,
                         IntegrateArgument argument) {
  detail::check_coordinates("q", q, model);
  detail::check_speeds("dv", dv, model);
  detail::check_shape("J", J.rows(), J.cols(), model.nv(), J.cols(), "integrate_transport");
  detail::check_shape("out", out.rows(), out.cols(), J.rows(), J.cols(), "integrate_transport");
  for (const Node<S>& node : model.nodes()) {
    joint::ManifoldPartials<S> blocks;
    detail::with_dual_form(model, node, "integrate_transport", [&](const auto& joint, int i, int k) {
      return integrate_partials(joint, q.data() + i, dv.data() + k, blocks);
    });
    const S* const block = argument == IntegrateArgument::q ? blocks.first : blocks.second;
    const int begin = node.v_begin, nv = node.v_end - begin;
    for (Eigen::Index c = 0; c < J.cols(); ++c) {
      S sum[joint::max_nv];
      for (int i = 0; i < nv; ++i) {
        sum[i] = S(0);
        for (int j = 0; j < nv; ++j) sum[i] += block[i + j * nv] * J(begin + j, c);
      }
      for (int i = 0; i < nv; ++i) out(begin + i, c) = sum[i];
    }
  }
}

/// Computes derivatives of difference(q0, q1):
///   difference(integrate(q0, x), integrate(q1, y)) = difference(q0, q1) + by_q0 x + by_q1 y + higher orders of x, y.
/// Sizes, errors and cost as for integrate_derivatives.
template <class S>
void difference_derivatives(const Model<S>& model, VectorIn<S> q0, VectorIn<S> q1, const MatrixOut<S>& by_q0,
                            const MatrixOut<S>& by_q1) {
  detail::check_coordinates("q0", q0, model);
  detail::check_coordinates("q1", q1, model);
  detail::fill_blocks(model, "difference_derivatives", by_q0, by_q1, [&](const auto& joint, int i, int, auto& out) {
    return difference_partials(joint, q0.data() + i, q1.data() + i, out);
  });
}
template <class S>
void difference_derivatives(const Model<S>& model, VectorIn<S> q0, VectorIn<S> q1, MatrixX<S>& by_q0,
                            MatrixX<S>& by_q1) {
  by_q0.resize(model.nv(), model.nv()), by_q1.resize(model.nv(), model.nv());
  difference_derivatives(model, q0, q1, MatrixOut<S>(by_q0), MatrixOut<S>(by_q1));
}

}}  // namespace corio
