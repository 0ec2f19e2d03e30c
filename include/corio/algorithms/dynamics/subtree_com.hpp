#pragma once

#include <span>

#include "corio/kernels/composites.hpp"
#include "corio/kinematics/robot.hpp"

/// Mass and centre of mass of subtrees, each a body with all that it carries, in world axes, from the composites of the
/// pass. A body without a joint of its own is welded into the body that carries it, and its own mass is not stored:
/// neither such bodies nor other frames have a subtree.
///
/// @throws SizeError; ModelError for a body of another model, a frame that is not the own frame of a body with a joint,
/// or a subtree without mass; functions of all bodies at once return NaN for such a subtree instead
namespace corio { inline namespace CORIO_ABI {
namespace detail {

template <class S>
int subtree_root(const Model<S>& model, const Frame<S>& body, const char* function);
template <class S>
Vector3<S> subtree_com_in_tree(const Data<S>& data, int b);
template <class S, template <class> class Robot>
int root_with_mass(const Robot<S>& robot, DataOf<Robot<S>>& data, const Frame<S>& body, const char* function);
template <class S, template <class> class Robot, class Roots>
void fill_subtree_jacobians(const Robot<S>& robot, DataOf<Robot<S>>& data, const Roots& roots, const MatrixOut<S>& J);

}  // namespace detail

/// Returns the mass of the subtree of a body, kg. O(n).
template <class S, template <class> class Robot>
S subtree_mass(const Robot<S>& robot, const Frame<std::type_identity_t<S>>& body) {
  const Model<S>& model = robot.tree();
  const int root = detail::subtree_root<S>(model, body, "subtree_mass"), end = model.node(root).subtree_v_end;
  S mass(0);
  for (int b = root; b < model.num_nodes() && model.node(b).v_begin < end; ++b) {
    const InertialParameters<S>& own = model.node(b).parameters;
    mass += own.mass;
  }
  return mass;
}

/// Returns the centre of mass of the subtree of a body, world coordinates, m. O(1), plus the composites of the pass.
template <class S, template <class> class Robot>
Vector3<S> subtree_center_of_mass(const Robot<S>& robot, DataOf<Robot<S>>& data,
                                  const Frame<std::type_identity_t<S>>& body) {
  const int b = detail::root_with_mass<S>(robot, data, body, "subtree_center_of_mass");
  return detail::subtree_com_in_tree(data.of_tree(), b) + data.of_tree().origin[b];
}
/// Computes the centres of mass of the subtrees of all bodies. O(n).
/// @param com  3 x the number of bodies, overwritten: columns in the order of Model::bodies()
template <class S, template <class> class Robot>
void subtree_centers_of_mass(const Robot<S>& robot, DataOf<Robot<S>>& data, MatrixOut<S> com) {
  data.require(robot, Pass::position, "subtree_centers_of_mass");
  const auto& bodies = robot.tree().bodies();
  detail::check_shape("com", com.rows(), com.cols(), 3, std::ssize(bodies), "subtree_centers_of_mass");
  Data<S>& state = data.of_tree();
  detail::compute_composite_inertias(robot.tree(), state);
  for (const auto& body : bodies) {
    const Vector3<S> c = detail::subtree_com_in_tree(state, body.node()) + state.origin[body.node()];
    for (int r = 0; r < 3; ++r) com(r, body.index()) = c[r];
  }
}

/// Computes J with the velocity J v of the centre of mass of the subtree of a body. O(n).
/// @param J  3 x nv, overwritten
template <class S, template <class> class Robot>
void subtree_com_jacobian(const Robot<S>& robot, DataOf<Robot<S>>& data, const Frame<std::type_identity_t<S>>& body,
                          MatrixOut<S> J) {
  detail::root_with_mass<S>(robot, data, body, "subtree_com_jacobian");
  detail::check_shape("J", J.rows(), J.cols(), 3, robot.nv(), "subtree_com_jacobian");
  detail::fill_subtree_jacobians<S>(robot, data, std::span<const Frame<S>, 1>(&body, 1), J);
}
/// Computes the Jacobians of the centres of mass of the subtrees of all bodies. O(n^2), the size of J.
/// @param J  (3 x number of bodies) x nv, overwritten: three rows for each, in the order of Model::bodies()
template <class S, template <class> class Robot>
void subtree_com_jacobians(const Robot<S>& robot, DataOf<Robot<S>>& data, MatrixOut<S> J) {
  data.require(robot, Pass::position, "subtree_com_jacobians");
  const auto& bodies = robot.tree().bodies();
  detail::check_shape("J", J.rows(), J.cols(), 3 * std::ssize(bodies), robot.nv(), "subtree_com_jacobians");
  detail::fill_subtree_jacobians<S>(robot, data, bodies, J);
}

namespace detail {

template <class S>
int subtree_root(const Model<S>& model, const Frame<S>& body, const char* function) {
  model.check_owns(body);
  if (body.node() < 0) throw ModelError(join({function, ": '", body.name(), "' is on the ground"}));
  if (!model.has_body(body.name()))
    throw ModelError(
        join({function, ": '", body.name(),
              "' has no joint of its own, so that its mass is not known "
              "separately: it is part of body '",
              model.bodies().begin()[model.node(body.node()).body].name(), "'; ask for the subtree of that body"}));
  return body.node();
}
/// Returns the centre of mass of the subtree of node b, from the origin of its tree. Call it after
/// compute_composite_inertias.
template <class S>
Vector3<S> subtree_com_in_tree(const Data<S>& data, int b) {
  const Inertia<S>& I_C = data.composite_inertia[b];
  return data.pose[b].translation + S(S(1) / I_C.mass) * I_C.h;
}
/// Returns the root node of a subtree after all checks (the subtree must have mass). Computes the composite inertias.
template <class S, template <class> class Robot>
int root_with_mass(const Robot<S>& robot, DataOf<Robot<S>>& data, const Frame<S>& body, const char* function) {
  data.require(robot, Pass::position, function);
  const int b = subtree_root<S>(robot.tree(), body, function);
  Data<S>& state = data.of_tree();
  compute_composite_inertias(robot.tree(), state);
  if (finds_fault<S>(real_value(state.composite_inertia[b].mass) == 0))
    throw ModelError(join({function, ": the subtree of '", body.name(), "' has no mass"}));
  return b;
}
/// Computes J for the subtrees of `roots`, three rows for each. If k carries all of the subtree, column k is the
/// velocity of the centre of mass as a point that k carries; if k is in the subtree, it is the linear momentum of k's
/// own subtree divided by the mass.
template <class S, template <class> class Robot, class Roots>
void fill_subtree_jacobians(const Robot<S>& robot, DataOf<Robot<S>>& data, const Roots& roots, const MatrixOut<S>& J) {
  const Model<S>& model = robot.tree();
  Data<S>& state = data.of_tree();
  compute_composite_inertias(model, state);
  J.set_zero();
  for (int k = 0; k < model.nv(); ++k) {
    const int own = model.node_of(k);
    const Vector3<S> momentum = (at_node(state, state.composite_inertia, own) * state.phi[k]).force;
    for (int row = 0; const Frame<S>& root : roots) {
      const int b = root.node();
      const Node<S>& node = model.node(b);
      const bool inside = k >= node.v_begin && k < node.subtree_v_end;
      if (inside || (k < node.v_begin && node.v_begin < model.node(own).subtree_v_end)) {
        const Motion<S>& phi = state.phi[k];
        const Vector3<S> x = inside ? Vector3<S>(S(S(1) / state.composite_inertia[b].mass) * momentum)
                                    : Vector3<S>(phi.linear + cross(phi.angular, subtree_com_in_tree(state, b)));
        for_each_speed(robot, data, k, [&](int c, const S& g) {
          for (int r = 0; r < 3; ++r) J(row + r, c) += x[r] * g;
        });
      }
      row += 3;
    }
  }
}

}  // namespace detail

}}  // namespace corio
