#pragma once

#include "corio/algorithms/center_of_mass.hpp"
#include "corio/algorithms/rnea.hpp"

/// Momentum of all that moves about its centre of mass, world axes, [angular; linear]. Rotors (armature) have none;
/// bodies welded to the ground do not count. Source: Orin, Goswami and Lee (2013); for the rates Echeandia and Wensing
/// (2021), since the rate of an inertia is B + B^T.
namespace corio {
namespace detail {

/// F about the point c instead.
template <class N>
CORIO_INLINE Force<N> moved(const Force<N>& F, const Vector3<N>& c) {
  return {F.moment - cross(c, F.force), F.force};
}

/// Sum over bodies of of(b), forces about the origin of their tree, about the centre of mass.
template <class S, class F>
Force<S> sum_about_com(const Model<S>& model, const Data<S>& data, const char* function, F&& of) {
  const Vector3<S> c = center_of_mass_in_tree(model, data, function);
  Force<S> sum = Force<S>::zero();
  for (std::size_t b = 0; b < data.pose.size(); ++b) sum += moved<S>(of(b), c - (data.origin[b] - data.origin[0]));
  return sum;
}

/// Calls f(root, c - origin of the root's tree) for the tree of each root, c the centre of mass.
template <class S, class F>
CORIO_INLINE void for_trees(const Model<S>& model, const Data<S>& data, const S& reciprocal_mass, F&& f) {
  Vector3<S> h = zero3<S>();
  for_roots(model, [&](std::size_t b) {
    h += data.composite_inertia[b].h + data.composite_inertia[b].mass * (data.origin[b] - data.origin[0]);
  });
  const Vector3<S> c = reciprocal_mass * h;
  for_roots(model, [&](std::size_t b) { f(model.nodes()[b], c - (data.origin[b] - data.origin[0])); });
}

/// A(:,k) = column(k, neighbours) for the degrees of freedom of a tree, a block at a time.
template <class S, class F>
CORIO_INLINE void fill_momentum_columns(const Model<S>& model, const Node<S>& root, Matrix6X<S>& A, F&& column) {
  const int end = root.subtree_v_end;
  for (int k = root.v_begin; k < end; k += Neighbours<S>::width) {
    const Force<Pack<S>> F_k = column(Neighbours<S>(model, k));
    const int lanes = std::min(Neighbours<S>::width, end - k);
    store_columns(F_k.moment, A.data() + 6 * k, 6, lanes);
    store_columns(F_k.force, A.data() + 6 * k + 3, 6, lanes);
  }
}

}  // namespace detail

/// A_G with h = A_G v for the momentum h = [angular about the centre of mass; linear], kg m^2/s and kg m/s: columns
/// I^C Phi_k moved to the centre of mass. Its lower half is the mass times com_jacobian.
///
/// @returns 6 x nv, world axes, in data.centroidal_momentum_matrix; valid until the next call.
/// @throws SizeError, ModelError for a model without mass. O(n), no allocation.
/// Source: Orin, Goswami and Lee (2013).
template <class S>
const Matrix6X<S>& centroidal_momentum_matrix(const Model<S>& model, Data<S>& data, VectorIn<S> q) {
  forward_kinematics(model, data, q);
  return centroidal_momentum_matrix(model, data);
}

/// The same for the state of the last forward_kinematics.
/// @throws StateError without it
template <class S>
const Matrix6X<S>& centroidal_momentum_matrix(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::position, "centroidal_momentum_matrix");
  detail::composite_inertias(model, data);
  const S reciprocal = detail::reciprocal_mass(model, data, "centroidal_momentum_matrix");
  Matrix6X<S>& A = data.centroidal_momentum_matrix;
  detail::for_trees(model, data, reciprocal, [&](const Node<S>& root, const Vector3<S>& c) {
    const auto com = detail::broadcast<detail::Pack<S>>(c);
    detail::fill_momentum_columns(model, root, A, [&](const detail::Neighbours<S>& at) CORIO_INLINE_LAMBDA {
      return detail::moved(detail::momentum(data, at), com);
    });
  });
  return A;
}

/// dA_G/dt: the momentum changes by A_G a + dA_G/dt v.
///
/// @returns 6 x nv, world axes, in data.centroidal_momentum_matrix_dot; valid until the next call.
/// @throws SizeError, ModelError for a model without mass. O(n), no allocation.
template <class S>
const Matrix6X<S>& centroidal_momentum_matrix_dot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  forward_kinematics(model, data, q, v);
  return centroidal_momentum_matrix_dot(model, data);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
const Matrix6X<S>& centroidal_momentum_matrix_dot(const Model<S>& model, Data<S>& data) {
  data.require(model, Pass::velocity, "centroidal_momentum_matrix_dot");
  detail::composite_inertias(model, data);
  detail::composite_coriolis(model, data);
  const S reciprocal = detail::reciprocal_mass(model, data, "centroidal_momentum_matrix_dot");
  Vector3<S> momentum = zero3<S>();
  detail::for_roots(model, [&](std::size_t b) { momentum += data.composite_coriolis[b].f; });
  const auto com_dot = detail::broadcast<detail::Pack<S>, S>(reciprocal * momentum);
  Matrix6X<S>& A_dot = data.centroidal_momentum_matrix_dot;
  detail::for_trees(model, data, reciprocal, [&](const Node<S>& root, const Vector3<S>& c) {
    const auto com = detail::broadcast<detail::Pack<S>>(c);
    detail::fill_momentum_columns(model, root, A_dot, [&](const detail::Neighbours<S>& at) CORIO_INLINE_LAMBDA {
      auto rate = detail::moved(detail::momentum_rate(data, at), com);
      rate.moment -= cross(com_dot, detail::momentum(data, at).force);
      return rate;
    });
  });
  return A_dot;
}

/// h = [angular momentum about the centre of mass; linear momentum], world axes.
/// @throws SizeError, ModelError for a model without mass. O(n), no allocation.
template <class S>
Force<S> centroidal_momentum(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v) {
  forward_kinematics(model, data, q, v);
  return centroidal_momentum(model, data);
}

/// The same for the state of the last forward_kinematics(model, data, q, v).
/// @throws StateError without it
template <class S>
Force<S> centroidal_momentum(const Model<S>& model, const Data<S>& data) {
  data.require(model, Pass::velocity, "centroidal_momentum");
  return detail::sum_about_com(model, data, "centroidal_momentum", [&](std::size_t b) -> Force<S> {
    const auto& body = model.nodes()[b].parameters;
    const Pose<S>& X = data.pose[b];
    const Motion<S>& V = data.velocity[b];
    const Vector3<S> x = X.point(body.com);
    const Vector3<S> p = body.mass * (V.linear + cross(V.angular, x));
    return {X.rotation * (body.inertia * transpose_times(X.rotation, V.angular)) + cross(x, p), p};
  });
}

/// dh/dt, the wrench about the centre of mass that gravity and all other external forces have together.
/// @throws SizeError, ModelError for a model without mass. O(n), no allocation.
template <class S>
Force<S> centroidal_momentum_dot(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, VectorIn<S> a) {
  forward_kinematics(model, data, q, v, a);
  return centroidal_momentum_dot(model, data);
}

/// The same for the state of the last forward_kinematics(model, data, q, v, a).
/// @throws StateError without it
template <class S>
Force<S> centroidal_momentum_dot(const Model<S>& model, const Data<S>& data) {
  data.require(model, Pass::acceleration, "centroidal_momentum_dot");
  return detail::sum_about_com(model, data, "centroidal_momentum_dot", [&](std::size_t b) -> Force<S> {
    return detail::newton_euler(data.pose[b], model.nodes()[b].parameters, data.velocity[b], data.acceleration[b]);
  });
}

}  // namespace corio
