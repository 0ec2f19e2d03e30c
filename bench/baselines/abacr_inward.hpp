#pragma once

#include "baselines/articulated_blocks.hpp"
#include "baselines/body_frames.hpp"
#include "baselines/branch_columns.hpp"

namespace corio::baseline {

/// The inward sweep of Abacr: derivatives of a body's velocity along the degrees of freedom above it, of its
/// articulated inertia along the degrees of freedom below it, of its bias force p and of u_k = tau_k - S_k . p along
/// both kinds.
class AbacrInward {
 protected:
  explicit AbacrInward(const Model<double>& model)
      : frames_(model),
        paths_(model),
        inertia_(static_cast<std::size_t>(model.num_nodes()),
                 ArticulatedInertia<double>::from(Inertia<double>::zero())),
        force_(inertia_.size(), Force<double>::zero()),
        w_(static_cast<std::size_t>(model.nv()), Force<double>::zero()),
        reciprocal_d_(model.nv()),
        scaled_u_(model.nv()),
        dq_(model, paths_.size()),
        dv_(model, paths_.size()),
        dI_(model.nv()),
        begin_dU_(w_.size()),
        dU_(count_pairs(model)) {}

  void inward(const Model<double>& model, VectorIn<double> q, VectorIn<double> v, VectorIn<double> tau) {
    corio::detail::check_size("tau", tau.size(), model.nv());
    frames_.update(model, q, v, nullptr);
    for (std::size_t b = 0; b < inertia_.size(); ++b) velocities(model.node(static_cast<int>(b)), b);
    for (std::size_t b = inertia_.size(); b-- > 0;) {
      const Node<double>& node = model.node(static_cast<int>(b));
      eliminate(model, node, b, tau);
      eliminate_above(node, b);
      eliminate_below(node, b);
      if (node.parent >= 0) to_parent(node, b);
    }
  }

  struct Derivatives {
    Derivatives(const Model<double>& model, int path)
        : V(path), p(path), below(model.nv()), a(model), rows(model.nv() + Pack::width, model.nv()) {}
    double* row(int k) { return rows.data() + k * rows.rows(); }
    Columns<double, 6> V, p;   // columns of each body for its path; p is the bias force
    Columns<double, 6> below;  // bias force along the degrees of freedom strictly below the body
    BranchColumns<double> a;   // acceleration along all degrees of freedom
    MatrixX<double> rows;      // in column k, derivatives of u_k and then of the acceleration of k
  };

  BodyFrames frames_;
  Paths paths_;
  std::vector<ArticulatedInertia<double>> inertia_;
  std::vector<Force<double>> force_;  // bias
  std::vector<Force<double>> w_;      // dof: U / d
  VectorX<double> reciprocal_d_, scaled_u_;
  Derivatives dq_, dv_;
  Columns<double, ArticulatedInertias::rows> dI_;  // along the degrees of freedom strictly below the body
  std::vector<int> begin_dU_;
  Columns<double, 6>
      dU_;  // for each degree of freedom, along all strictly below its body, from column begin_dU_ + v_end on

 private:
  int count_pairs(const Model<double>& model) {
    int pairs = 0;
    for (const auto& node : model.nodes())
      for (int k = node.v_begin; k < node.v_end; ++k) {
        begin_dU_[static_cast<std::size_t>(k)] = pairs - node.v_end;
        pairs += node.subtree_v_end - node.v_end;
      }
    return pairs;
  }
  int own_column(const Paths::Path& path, const Node<double>& node, int k) const {
    return path.begin + path.above + k - node.v_begin;
  }

  /// Derivatives of V and of the rigid body's bias force along the path.
  void velocities(const Node<double>& node, std::size_t b) {
    const auto& me = frames_.body[b];
    const Inertia<double>& I = node.inertia;
    const auto half = BodyCoriolis<double>::from(me.V, I);
    const BodyCoriolis<double> B = half + half;
    inertia_[b] = ArticulatedInertia<double>::from(I);
    force_[b] = half * me.V;
    const Paths::Path path = paths_.of[b];
    const int from = node.parent >= 0 ? paths_.of[static_cast<std::size_t>(node.parent)].begin : 0;
    for (Derivatives* d : {&dq_, &dv_})
      for (int j = 0; j < path.above; j += Pack::width) {
        const Motions V = act_inverse(me.X, Motions::load(d->V, from + j));
        V.store(d->V, path.begin + j);
        (I * cross(me.V, V) + B * V).store(d->p, path.begin + j);
      }
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const Motion<double>& S = frames_.column_of(k);
      for (Derivatives* d : {&dq_, &dv_}) {
        const Motion<double> V = d == &dq_ ? cross(me.carried_V, S) : S;
        baseline::set(d->V, own_column(path, node, k), V);
        d->p.set(own_column(path, node, k), I * cross(me.V, V) + B * V);
      }
    }
  }

  /// The step of the algorithm at a body: eliminates its joint from I and p.
  void eliminate(const Model<double>& model, const Node<double>& node, std::size_t b, VectorIn<double> tau) {
    ArticulatedInertia<double>& I = inertia_[b];
    Force<double>& p = force_[b];
    const auto& me = frames_.body[b];
    p += I * cross(me.V, me.joint_V);
    // Adds I times the derivative of V x S v along the path.
    const Paths::Path path = paths_.of[b];
    const auto lanes = ArticulatedInertias::all(I);
    for (Derivatives* d : {&dq_, &dv_})
      for (int j = path.begin; j < path.begin + path.count; j += Pack::width)
        (Forces::load(d->p, j) + lanes * minus_cross(me.joint_V, Motions::load(d->V, j))).store(d->p, j);
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const int at = own_column(path, node, k);
      dv_.p.set(at, baseline::force(dv_.p, at) + I * cross(me.V, frames_.column_of(k)));
    }
    for (int k = node.v_end - 1; k >= node.v_begin; --k) {
      const Motion<double>& S = frames_.column_of(k);
      const Force<double> U = I * S;
      const double r = reciprocal_d_[k] = 1 / (dot(S, U) + model.armature()[k]);
      scaled_u_[k] = r * (tau[k] - dot(S, p));
      w_[static_cast<std::size_t>(k)] = U * r;
      I.subtract_outer(U, r);
      p += U * scaled_u_[k];
      for (Derivatives* d : {&dq_, &dv_}) std::fill(d->row(k), d->row(k) + d->rows.rows(), 0.0);
    }
  }

  void eliminate_above(const Node<double>& node, std::size_t b) {
    const Paths::Path path = paths_.of[b];
    for (Derivatives* d : {&dq_, &dv_})
      for (int j = 0; j < path.count; j += Pack::width) {
        Forces p = Forces::load(d->p, path.begin + j);
        for (int k = node.v_end - 1; k >= node.v_begin; --k) {
          const Pack u = -dot(frames_.column_of(k), p);
          p = p + w_[static_cast<std::size_t>(k)] * u;
          for (int l = 0; l < std::min(Pack::width, path.count - j); ++l)
            d->row(k)[paths_.dof[static_cast<std::size_t>(path.begin + j + l)]] = u[l];
        }
        p.store(d->p, path.begin + j);
      }
  }

  void eliminate_below(const Node<double>& node, std::size_t b) {
    const Motion<double> c = cross(frames_.body[b].V, frames_.body[b].joint_V);
    for_each_pack<double>(node.v_end, node.subtree_v_end, [&](int j, auto count) CORIO_INLINE_LAMBDA {
      auto I = ArticulatedInertias::load(dI_, j);
      Forces p = Forces::load(dq_.below, j) + I * c, p_v = Forces::load(dv_.below, j);
      for (int k = node.v_end - 1; k >= node.v_begin; --k) {
        const Motion<double>& S = frames_.column_of(k);
        const Force<double>& w = w_[static_cast<std::size_t>(k)];
        const Forces U = I * S;
        const Pack d = dot(S, U), u = -dot(S, p), u_v = -dot(S, p_v);
        U.store(dU_, begin_dU_[static_cast<std::size_t>(k)] + j, count);
        u.store(dq_.row(k) + j, count);
        u_v.store(dv_.row(k) + j, count);
        I.subtract(U + w * Pack(-0.5 * d), w);
        p = p + scaled_u_[k] * U + w * Pack(u - scaled_u_[k] * d);
        p_v = p_v + w * u_v;
      }
      I.store(dI_, j, count);
      p.store(dq_.below, j, count);
      p_v.store(dv_.below, j, count);
    });
  }

  /// Along its own degrees of freedom a body rotates all quantities that it transmits.
  void to_parent(const Node<double>& node, std::size_t b) {
    const Pose<double>& X = frames_.body[b].X;
    const Paths::Path path = paths_.of[b];
    const auto parent = static_cast<std::size_t>(node.parent);
    const int to = paths_.of[parent].begin;
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const Motion<double>& S = frames_.column_of(k);
      const int at = own_column(path, node, k);
      set_turned(dI_, k, S, inertia_[b]);
      dq_.below.set(k, baseline::force(dq_.p, at) + cross(S, force_[b]));
      dv_.below.set(k, baseline::force(dv_.p, at));
    }
    for_each_pack<double>(node.v_begin, node.subtree_v_end, [&](int j, auto count) CORIO_INLINE_LAMBDA {
      act(X, ArticulatedInertias::load(dI_, j)).store(dI_, j, count);
    });
    for (Derivatives* d : {&dq_, &dv_}) {
      carry(X, d->below, node.v_begin, node.subtree_v_end);
      for (int j = 0; j < path.above; j += Pack::width)
        (Forces::load(d->p, to + j) + act(X, Forces::load(d->p, path.begin + j))).store(d->p, to + j);
    }
    inertia_[parent] += act(X, ArticulatedInertias::all(inertia_[b])).first();
    force_[parent] += X.act(force_[b]);
  }
};

}  // namespace corio::baseline
