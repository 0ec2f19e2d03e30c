#pragma once

#include "baselines/body_frames.hpp"
#include "baselines/column_blocks.hpp"
#include "baselines/derivatives_strip.hpp"
#include "corio/kernels/packed_triples.hpp"

namespace corio::baseline {

/// corio's inverse_dynamics_derivatives with the same formulas and compact operators, but in the axes of the bodies:
/// composites and the force columns of the whole subtree are transformed from body to body. Since every body has other
/// columns, several degrees of freedom cannot be multiplied by them at once. Cost O(n d). Source: Singh, Russell and
/// Wensing (2022), Algorithm 1 and Fig. 3.
class IdsvaBody {
 public:
  explicit IdsvaBody(const Model<double>& model)
      : result{MatrixX<double>::Zero(model.nv(), model.nv()), MatrixX<double>::Zero(model.nv(), model.nv()),
               MatrixX<double>::Zero(model.nv(), model.nv())},
        frames_(model),
        inertia_(static_cast<std::size_t>(model.num_nodes()), Inertia<double>::zero()),
        coriolis_(inertia_.size(), BodyCoriolis<double>::zero()),
        force_(inertia_.size(), Force<double>::zero()),
        F1_(model.nv()),
        F2_(model.nv()),
        F3_(model.nv()),
        F4_(model.nv()),
        dv_(model.nv()) {}

  void operator()(const Model<double>& model, VectorIn<double> q, VectorIn<double> v, VectorIn<double> a) {
    corio::detail::check_size("a", a.size(), model.nv());
    dv_ = a;
    frames_.update(model, q, v, &dv_);
    for (std::size_t b = 0; b < inertia_.size(); ++b) {
      const auto& body = frames_.body[b];
      inertia_[b] = model.node(static_cast<int>(b)).inertia;
      coriolis_[b] = BodyCoriolis<double>::from(body.V, inertia_[b]);
      force_[b] = inertia_[b] * body.a + coriolis_[b] * body.V;
    }
    for (std::size_t b = inertia_.size(); b-- > 0;) inward(model.node(static_cast<int>(b)), b);
    for (int k = 0; k < model.nv(); ++k) result.M(k, k) += model.armature()[k];
  }

  InverseDynamicsDerivativesResult<double> result;

 private:
  struct Variation {
    Motion<double> psi, psi_dot, chi;
  };

  void inward(const Node<double>& node, std::size_t b) {
    const auto& me = frames_.body[b];
    const Inertia<double>& I = inertia_[b];
    const BodyCoriolis<double> B = coriolis_[b] + coriolis_[b];
    const int begin = node.v_begin, own_end = node.v_end, end = node.subtree_v_end;
    Variation x[joint::max_nv];
    Force<double> f2[joint::max_nv], f3[joint::max_nv];
    Vector3<double> f4[joint::max_nv];
    for (int j = begin; j < own_end; ++j) {
      const Motion<double>& S = frames_.column_of(j);
      const Motion<double> psi = cross(me.carried_V, S);
      const auto& [p, psi_dot, chi] =
          x[j - begin] = {psi, cross(me.carried_a, S) + cross(me.carried_V, psi), psi + cross(me.V, S)};
      F1_.set(j, cross(S, force_[b]) + I * psi_dot + B * psi);
      F2_.set(j, f2[j - begin] = I * chi + B * S);
      F3_.set(j, f3[j - begin] = I * S);
      F4_.set(j, f4[j - begin] = B.transpose_times(S).moment);
    }
    const bool single = own_end == begin + 1;
    for (int i = begin; i < own_end; ++i) {
      const Motion<double>& S = frames_.column_of(i);
      const auto& [psi, psi_dot, chi] = x[i - begin];
      corio::detail::derivatives_strip(S, psi, psi_dot, chi, F1_, F2_, F3_, F4_, i, single ? begin : own_end, end,
                                       result);
      for (int k = begin; k < own_end && !single; ++k) {
        result.M(i, k) = dot(S, f3[k - begin]);
        result.dtau_dq(k, i) = dot(psi_dot, f3[k - begin]) + dot(psi.angular, f4[k - begin]);
        result.dtau_dv(i, k) = dot(S, f2[k - begin]);
      }
    }
    if (node.parent < 0) return;
    const auto parent = static_cast<std::size_t>(node.parent);
    inertia_[parent] += me.X.act(I);
    coriolis_[parent] += me.X.act(coriolis_[b]);
    force_[parent] += me.X.act(force_[b]);
    for (auto* F : {&F1_, &F2_, &F3_}) carry(me.X, *F, begin, end);
    for_each_pack<double>(begin, end, [&](int k, auto count) CORIO_INLINE_LAMBDA {
      store3(F4_, 0, k, count, me.X.rotation * load3(F4_, 0, k));  // moments without forces
    });
  }

  BodyFrames frames_;
  std::vector<Inertia<double>> inertia_;        // node: composite, once the sweep is there
  std::vector<BodyCoriolis<double>> coriolis_;  // composite
  std::vector<Force<double>> force_;            // composite
  Columns<double, 6> F1_, F2_, F3_;
  Columns<double, 3> F4_;
  VectorX<double> dv_;
};

}  // namespace corio::baseline
