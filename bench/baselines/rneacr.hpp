#pragma once

#include "baselines/body_frames.hpp"
#include "baselines/column_blocks.hpp"

namespace corio::baseline {

/// RNEACR, the chain rule through the recursive Newton-Euler algorithm in the axes of the bodies: derivatives of V, a
/// and the force of every body along all degrees of freedom above it, then of the transmitted forces along the degrees
/// of freedom above and below. Cost O(n d).
///
/// The derivative of each quantity of a body is a 6 x m matrix for the m degrees of freedom on which the quantity
/// depends, computed for a register of columns at a time. The derivative of the force is I (D a + V x D V) + 2 B D V,
/// the shortest form known. Derivatives along the degrees of freedom below a body are stored in one matrix for the
/// whole tree, changed in place from body to body. Source: Carpentier and Mansard (2018), Algorithms 2 and 3.
class Rneacr {
 public:
  explicit Rneacr(const Model<double>& model)
      : dtau_dq(MatrixX<double>::Zero(model.nv(), model.nv())),
        dtau_dv(dtau_dq),
        frames_(model),
        paths_(model),
        force_(static_cast<std::size_t>(model.num_nodes()), Force<double>::zero()),
        dq_(model.nv(), paths_),
        dv_(dq_),
        dv_of_caller_(model.nv()) {}

  void operator()(const Model<double>& model, VectorIn<double> q, VectorIn<double> v, VectorIn<double> a) {
    corio::detail::check_size("a", a.size(), model.nv());
    dv_of_caller_ = a;
    frames_.update(model, q, v, &dv_of_caller_);
    for (std::size_t b = 0; b < force_.size(); ++b) outward(model.node(static_cast<int>(b)), b);
    for (std::size_t b = force_.size(); b-- > 0;) inward(model.node(static_cast<int>(b)), b);
  }

  MatrixX<double> dtau_dq, dtau_dv;  // nv x nv

 private:
  struct Derivatives {
    Derivatives(int nv, const Paths& paths) : V(paths.slots), a(paths.slots), F(paths.size()), below(nv) {}
    Columns<double, 6> V, a;   // columns of each body for its path, in its slot
    Columns<double, 6> F;      // columns of each body for its path
    Columns<double, 6> below;  // transmitted force along the degrees of freedom strictly below the body
  };

  void outward(const Node<double>& node, std::size_t b) {
    const auto& me = frames_.body[b];
    const Inertia<double>& I = node.inertia;
    const auto half = BodyCoriolis<double>::from(me.V, I);
    const BodyCoriolis<double> B = half + half;
    force_[b] = I * me.a + half * me.V;
    const Paths::Path path = paths_.of[b];
    const int slot = paths_.slot[b], from = node.parent >= 0 ? paths_.slot[static_cast<std::size_t>(node.parent)] : 0;
    for (Derivatives* d : {&dq_, &dv_})
      for (int j = 0; j < path.above; j += Pack::width) {
        const Motions V = act_inverse(me.X, Motions::load(d->V, from + j));
        const Motions a = act_inverse(me.X, Motions::load(d->a, from + j)) + minus_cross(me.joint_V, V);
        V.store(d->V, slot + j);
        a.store(d->a, slot + j);
        (I * (a + cross(me.V, V)) + B * V).store(d->F, path.begin + j);
      }
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const Motion<double>& S = frames_.column_of(k);
      const int own = path.above + k - node.v_begin;
      const auto set = [&](Derivatives& d, const Motion<double>& V, const Motion<double>& a) {
        baseline::set(d.V, slot + own, V);
        baseline::set(d.a, slot + own, a);
        d.F.set(path.begin + own, I * (a + cross(me.V, V)) + B * V);
      };
      const Motion<double> turned = cross(me.carried_V, S);
      set(dq_, turned, cross(me.carried_a, S) + cross(turned, me.joint_V));
      set(dv_, S, cross(S, me.joint_V) + cross(me.V, S));
    }
  }

  void inward(const Node<double>& node, std::size_t b) {
    const Pose<double>& X = frames_.body[b].X;
    const Paths::Path path = paths_.of[b];
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const Motion<double>& S = frames_.column_of(k);
      for (const Derivatives* d : {&dq_, &dv_}) {
        MatrixX<double>& out = d == &dq_ ? dtau_dq : dtau_dv;
        double* const row = out.data() + k;
        const Eigen::Index n = out.rows();
        for (int j = 0; j < path.count; j += Pack::width) {
          const Pack x = dot(S, Forces::load(d->F, path.begin + j));
          for (int l = 0; l < std::min(Pack::width, path.count - j); ++l)
            row[paths_.dof[static_cast<std::size_t>(path.begin + j + l)] * n] = x[l];
        }
        for_each_pack<double>(node.v_end, node.subtree_v_end, [&](int j, auto count) CORIO_INLINE_LAMBDA {
          dot(S, Forces::load(d->below, j)).store(row + j * n, n, count);
        });
      }
    }
    if (node.parent < 0) return;
    const auto parent = static_cast<std::size_t>(node.parent);
    const int to = paths_.of[parent].begin;
    for (Derivatives* d : {&dq_, &dv_}) {
      for (int j = 0; j < path.above; j += Pack::width)
        (Forces::load(d->F, to + j) + act(X, Forces::load(d->F, path.begin + j))).store(d->F, to + j);
      carry(X, d->below, node.v_end, node.subtree_v_end);
      for (int k = node.v_begin; k < node.v_end; ++k) {
        Force<double> F = baseline::force(d->F, path.begin + path.above + k - node.v_begin);
        if (d == &dq_) F += cross(frames_.column_of(k), force_[b]);
        d->below.set(k, X.act(F));
      }
    }
    force_[parent] += X.act(force_[b]);
  }

  BodyFrames frames_;
  Paths paths_;
  std::vector<Force<double>> force_;  // for each node: the force on the body, later the transmitted force
  Derivatives dq_, dv_;
  VectorX<double> dv_of_caller_;
};

}  // namespace corio::baseline
