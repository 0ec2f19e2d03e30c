#pragma once

#include "baselines/abacr_inward.hpp"

namespace corio::baseline {

/// ABACR, the chain rule through the articulated-body algorithm in the axes of the bodies: derivatives of a body's
/// velocity along the degrees of freedom above it, of its articulated inertia along the degrees of freedom below it, of
/// its bias force along both kinds, then of its acceleration along all degrees of freedom. The inward sweep takes O(n
/// d) with a 6 x 6 matrix for every pair, the outward sweep O(n^2).
///
/// Quantities are stored as in Rneacr; degrees of freedom are eliminated one at a time, as in aba.
class Abacr : AbacrInward {
 public:
  explicit Abacr(const Model<double>& model)
      : AbacrInward(model),
        da_dq(MatrixX<double>::Zero(model.nv(), model.nv())),
        da_dv(da_dq),
        a(model.nv()),
        acceleration_(static_cast<std::size_t>(model.num_nodes()), Motion<double>::zero()) {}

  void operator()(const Model<double>& model, VectorIn<double> q, VectorIn<double> v, VectorIn<double> tau) {
    inward(model, q, v, tau);
    for (std::size_t b = 0; b < acceleration_.size(); ++b) accelerations(model, b);
    for (int k = 0; k < model.nv(); ++k)
      for (int j = 0; j < model.nv(); ++j) da_dq(k, j) = dq_.rows(j, k), da_dv(k, j) = dv_.rows(j, k);
  }

  MatrixX<double> da_dq, da_dv;  // nv x nv
  VectorX<double> a;

 private:
  void accelerations(const Model<double>& model, std::size_t b) {
    const Node<double>& node = model.node(static_cast<int>(b));
    const auto& me = frames_.body[b];
    const Motion<double> carried =
        me.X.act_inverse(node.parent >= 0 ? acceleration_[static_cast<std::size_t>(node.parent)]
                                          : Motion<double>{zero3<double>(), -model.gravity()});
    Motion<double> sum = carried;
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const Motion<double>& S = frames_.column_of(k);
      a[k] = scaled_u_[k] - dot(w_[static_cast<std::size_t>(k)], sum);
      const Motion<double> towards = sum + S * a[k];  // U and d change: dU . (sum + S a_k)
      double* const row = dq_.row(k);
      for_each_pack<double>(node.v_end, node.subtree_v_end, [&](int j, auto count) CORIO_INLINE_LAMBDA {
        const Forces U = Forces::load(dU_, begin_dU_[static_cast<std::size_t>(k)] + j);
        (Pack::load(row + j) - dot(towards, U)).store(row + j, count);
      });
      sum = towards;
    }
    acceleration_[b] = sum + cross(me.V, me.joint_V);

    const Paths::Path path = paths_.of[b];
    for (Derivatives* d : {&dq_, &dv_}) {
      Columns<double, 6>& A = d->a.enter(static_cast<int>(b), 0);
      for (int k = node.v_begin; k < node.v_end && d == &dq_; ++k)
        add(A, k, me.X.act(cross(carried, frames_.column_of(k))));
      for (int j = 0; j < model.nv(); j += Pack::width) {
        Motions x = act_inverse(me.X, Motions::load(A, j));
        for (int k = node.v_begin; k < node.v_end; ++k) {
          double* const at = d->row(k) + j;
          const Pack dk = reciprocal_d_[k] * Pack::load(at) - dot(w_[static_cast<std::size_t>(k)], x);
          dk.store(at);
          x = x + frames_.column_of(k) * dk;
        }
        x.store(A, j);
      }
      for (int j = path.begin; j < path.begin + path.count; j += Pack::width)
        minus_cross(me.joint_V, Motions::load(d->V, j)).add_to(A, paths_.dof.data() + j);
      for (int k = node.v_begin; k < node.v_end && d == &dv_; ++k) add(A, k, cross(me.V, frames_.column_of(k)));
    }
  }

  std::vector<Motion<double>> acceleration_;
};

}  // namespace corio::baseline
