#pragma once

#include "corio/algorithms/regressors.hpp"
#include "corio/kinematics/composites.hpp"

/// Products with the regressors of regressors.hpp that do not form them: Y pi, for parameters other than the model's,
/// and Y^T x, along which adaptive laws adapt (x the tracking error). Each comes in two forms, for a state and for that
/// of the last forward_kinematics.
///
/// @param pi      10 for each body, see inertial_parameters; need not be physical
/// @param x       nv
/// @param out     10 for each body
/// @param bodies  whose share is wanted and whose parameters pi and out hold; all by default
/// @returns Y pi, nv, in data.regressor_product; valid until the next call
/// @throws SizeError; ModelError for a selection from another model; without a state StateError if there is none. O(n),
/// no allocation.
namespace corio {
namespace detail {

/// Y pi: the sums over subtrees of the bodies' forces H pi, on the columns.
template <class S>
const VectorX<S>& regressor_product(const Model<S>& model, Data<S>& data, const std::vector<Motion<S>>& columns,
                                    const Field<S>& field, VectorIn<S> pi, const BodySelection& bodies) {
  using N = Pack<S>;
  check_parameters(model, bodies, "pi", pi.size());
  auto& force = data.work.force;
  std::fill(force.begin(), force.end(), Force<S>::zero());
  for_selected(model, bodies, [&](int first, const SelectedBodies<S>& lanes) CORIO_INLINE_LAMBDA {
    const Force<N> F = BodyRegressor<N>::of(field(lanes), lanes.pose(data)) * lanes.parameters(pi.data() + 10 * first);
    Force<S> lane[SelectedBodies<S>::width];
    scatter<Force, S>(F, lane, lanes.count);
    for (int l = 0; l < lanes.count; ++l) force[static_cast<std::size_t>(lanes.node(l))] = lane[l];
  });
  add_to_parents(model, force);
  for (int k = 0; k < model.nv(); ++k)
    data.regressor_product[k] =
        dot(columns[static_cast<std::size_t>(k)], force[static_cast<std::size_t>(model.node_of_dof(k))]);
  return data.regressor_product;
}

/// Y^T x: the power of the columns of each H on the motion that x gives its body.
template <class S>
void regressor_transpose_product(const Model<S>& model, Data<S>& data, const std::vector<Motion<S>>& columns,
                                 const Field<S>& field, VectorIn<S> x, VectorOut<S> out, const BodySelection& bodies) {
  check_parameters(model, bodies, "the product Y^T x", out.size());
  check_size("x", x.size(), model.nv());
  auto& W = data.work.virtual_motion;
  for (std::size_t b = 0; b < data.pose.size(); ++b) {
    const Node<S>& node = model.nodes()[b];
    W[b] = node.parent < 0 ? Motion<S>::zero() : W[static_cast<std::size_t>(node.parent)];
    for (int k = node.v_begin; k < node.v_end; ++k) W[b] += columns[static_cast<std::size_t>(k)] * x[k];
  }
  powers(model, data, field, W, S(1), out.data(), bodies);
}

}  // namespace detail

// ---- inverse_dynamics_regressor

/// Y pi: rnea(q, v, a) of a robot with parameters pi, less the armature's share.
template <class S>
const VectorX<S>& inverse_dynamics_regressor_product(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                                     VectorIn<S> a, VectorIn<S> pi, const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "pi", pi.size());
  forward_kinematics(model, data, q, v, a);
  return inverse_dynamics_regressor_product(model, data, pi, bodies);
}
template <class S>
const VectorX<S>& inverse_dynamics_regressor_product(const Model<S>& model, Data<S>& data, VectorIn<S> pi,
                                                     const BodySelection& bodies = {}) {
  data.require(model, Pass::acceleration, "inverse_dynamics_regressor_product");
  return detail::regressor_product(model, data, data.phi, detail::Field<S>::inertial(model, data), pi, bodies);
}

/// out = Y^T x.
template <class S>
void inverse_dynamics_regressor_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                                  VectorIn<S> a, VectorIn<S> x, VectorOut<S> out,
                                                  const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "the product Y^T x", out.size());
  detail::check_size("x", x.size(), model.nv());
  forward_kinematics(model, data, q, v, a);
  inverse_dynamics_regressor_transpose_product(model, data, x, out, bodies);
}
template <class S>
void inverse_dynamics_regressor_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> x, VectorOut<S> out,
                                                  const BodySelection& bodies = {}) {
  data.require(model, Pass::acceleration, "inverse_dynamics_regressor_transpose_product");
  detail::regressor_transpose_product(model, data, data.phi, detail::Field<S>::inertial(model, data), x, out, bodies);
}

// ---- slotine_li_regressor

/// Y pi: M a_r + C v_r + g of a robot with parameters pi, less the armature's share.
template <class S>
const VectorX<S>& slotine_li_regressor_product(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                               VectorIn<S> v_r, VectorIn<S> a_r, VectorIn<S> pi,
                                               const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "pi", pi.size());
  detail::check_references(model, v_r, a_r);
  forward_kinematics(model, data, q, v);
  return slotine_li_regressor_product(model, data, v_r, a_r, pi, bodies);
}
template <class S>
const VectorX<S>& slotine_li_regressor_product(const Model<S>& model, Data<S>& data, VectorIn<S> v_r, VectorIn<S> a_r,
                                               VectorIn<S> pi, const BodySelection& bodies = {}) {
  data.require(model, Pass::velocity, "slotine_li_regressor_product");
  detail::check_references(model, v_r, a_r);
  detail::reference_motions(model, data, v_r, a_r);
  return detail::regressor_product(model, data, data.phi, detail::Field<S>::reference(model, data), pi, bodies);
}

/// out = Y^T x.
template <class S>
void slotine_li_regressor_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                            VectorIn<S> v_r, VectorIn<S> a_r, VectorIn<S> x, VectorOut<S> out,
                                            const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "the product Y^T x", out.size());
  detail::check_size("x", x.size(), model.nv());
  detail::check_references(model, v_r, a_r);
  forward_kinematics(model, data, q, v);
  slotine_li_regressor_transpose_product(model, data, v_r, a_r, x, out, bodies);
}
template <class S>
void slotine_li_regressor_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> v_r, VectorIn<S> a_r,
                                            VectorIn<S> x, VectorOut<S> out, const BodySelection& bodies = {}) {
  data.require(model, Pass::velocity, "slotine_li_regressor_transpose_product");
  detail::check_references(model, v_r, a_r);
  detail::reference_motions(model, data, v_r, a_r);
  detail::regressor_transpose_product(model, data, data.phi, detail::Field<S>::reference(model, data), x, out, bodies);
}

// ---- momentum_regressor

/// Y pi: M v of a robot with parameters pi, less the armature's share.
template <class S>
const VectorX<S>& momentum_regressor_product(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                             VectorIn<S> pi, const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "pi", pi.size());
  forward_kinematics(model, data, q, v);
  return momentum_regressor_product(model, data, pi, bodies);
}
template <class S>
const VectorX<S>& momentum_regressor_product(const Model<S>& model, Data<S>& data, VectorIn<S> pi,
                                             const BodySelection& bodies = {}) {
  data.require(model, Pass::velocity, "momentum_regressor_product");
  return detail::regressor_product(model, data, data.phi, detail::Field<S>::momentum(data), pi, bodies);
}

/// out = Y^T x.
template <class S>
void momentum_regressor_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                          VectorIn<S> x, VectorOut<S> out, const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "the product Y^T x", out.size());
  detail::check_size("x", x.size(), model.nv());
  forward_kinematics(model, data, q, v);
  momentum_regressor_transpose_product(model, data, x, out, bodies);
}
template <class S>
void momentum_regressor_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> x, VectorOut<S> out,
                                          const BodySelection& bodies = {}) {
  data.require(model, Pass::velocity, "momentum_regressor_transpose_product");
  detail::regressor_transpose_product(model, data, data.phi, detail::Field<S>::momentum(data), x, out, bodies);
}

// ---- coriolis_transpose_regressor

/// Y pi: C^T v of a robot with parameters pi.
template <class S>
const VectorX<S>& coriolis_transpose_regressor_product(const Model<S>& model, Data<S>& data, VectorIn<S> q,
                                                       VectorIn<S> v, VectorIn<S> pi,
                                                       const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "pi", pi.size());
  forward_kinematics(model, data, q, v);
  return coriolis_transpose_regressor_product(model, data, pi, bodies);
}
template <class S>
const VectorX<S>& coriolis_transpose_regressor_product(const Model<S>& model, Data<S>& data, VectorIn<S> pi,
                                                       const BodySelection& bodies = {}) {
  data.require(model, Pass::velocity, "coriolis_transpose_regressor_product");
  return detail::regressor_product(model, data, data.phi_dot, detail::Field<S>::momentum(data), pi, bodies);
}

/// out = Y^T x.
template <class S>
void coriolis_transpose_regressor_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v,
                                                    VectorIn<S> x, VectorOut<S> out, const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "the product Y^T x", out.size());
  detail::check_size("x", x.size(), model.nv());
  forward_kinematics(model, data, q, v);
  coriolis_transpose_regressor_transpose_product(model, data, x, out, bodies);
}
template <class S>
void coriolis_transpose_regressor_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> x,
                                                    VectorOut<S> out, const BodySelection& bodies = {}) {
  data.require(model, Pass::velocity, "coriolis_transpose_regressor_transpose_product");
  detail::regressor_transpose_product(model, data, data.phi_dot, detail::Field<S>::momentum(data), x, out, bodies);
}

// ---- gravity_regressor

/// Y pi: g of a robot with parameters pi.
template <class S>
const VectorX<S>& gravity_regressor_product(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> pi,
                                            const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "pi", pi.size());
  forward_kinematics(model, data, q);
  return gravity_regressor_product(model, data, pi, bodies);
}
template <class S>
const VectorX<S>& gravity_regressor_product(const Model<S>& model, Data<S>& data, VectorIn<S> pi,
                                            const BodySelection& bodies = {}) {
  data.require(model, Pass::position, "gravity_regressor_product");
  return detail::regressor_product(model, data, data.phi, detail::Field<S>::weight(model), pi, bodies);
}

/// out = Y^T x.
template <class S>
void gravity_regressor_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> x,
                                         VectorOut<S> out, const BodySelection& bodies = {}) {
  detail::check_parameters(model, bodies, "the product Y^T x", out.size());
  detail::check_size("x", x.size(), model.nv());
  forward_kinematics(model, data, q);
  gravity_regressor_transpose_product(model, data, x, out, bodies);
}
template <class S>
void gravity_regressor_transpose_product(const Model<S>& model, Data<S>& data, VectorIn<S> x, VectorOut<S> out,
                                         const BodySelection& bodies = {}) {
  data.require(model, Pass::position, "gravity_regressor_transpose_product");
  detail::regressor_transpose_product(model, data, data.phi, detail::Field<S>::weight(model), x, out, bodies);
}

}  // namespace corio
