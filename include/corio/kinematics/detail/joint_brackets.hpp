#pragma once

#include "corio/kinematics/detail/variations.hpp"
#include "corio/solvers/definite.hpp"

/// Lie brackets of the motions of one joint.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Returns x . y for two motions as lists of six numbers.
template <class S>
S inner(const Motion<S>& x, const Motion<S>& y) {
  return dot(x.angular, y.angular) + dot(x.linear, y.linear);
}

/// Computes the coefficients x with sum_l x_l basis_l = y, for n linearly independent motions and y in their span. It
/// solves the normal equations, whose matrix is positive definite.
template <class S>
void expand(const Motion<S>* basis, int n, const Motion<S>& y, S* x) {
  S G[joint::max_nv][joint::max_nv];
  for (int i = 0; i < n; ++i) {
    x[i] = inner(basis[i], y);
    for (int j = 0; j < n; ++j) G[i][j] = inner(basis[i], basis[j]);
  }
  solve_definite(G, x, n);
}

/// The brackets of the motions of node n's joint, from its columns S_k in the body:
///   sum_l c(l,a,b) S_l = S_a x S_b - D_b S_a + D_a S_b.
template <class S>
struct JointBrackets {
  int nv;
  Motion<S> basis[joint::max_nv], bracket[joint::max_nv][joint::max_nv];

  CORIO_NOINLINE JointBrackets(const Model<S>& model, const Data<S>& data, int n)
      : nv(model.node(n).v_end - model.node(n).v_begin) {
    const int begin = model.node(n).v_begin;
    for (int a = 0; a < nv; ++a) {
      basis[a] = data.pose[n].act_inverse(data.phi[begin + a]);
      for (int b = 0; b <= a; ++b) bracket[a][b] = cross(basis[a], basis[b]), bracket[b][a] = -bracket[a][b];
    }
    for (int a = 0; a < nv; ++a)
      for_column_partials(model, data, begin + a, [&](int b, const Motion<S>& D_a) {
        const Motion<S> seen = data.pose[n].act_inverse(D_a);
        bracket[a][b - begin] += seen, bracket[b - begin][a] += -seen;
      });
  }
  /// Computes c(l,a,b) for every l.
  void constants(int a, int b, S* c) const { expand(basis, nv, bracket[a][b], c); }
  /// Computes out_l = sum_ab c(l,a,b) x_a y_b.
  void apply(const S* x, const S* y, S* out) const {
    Motion<S> sum = Motion<S>::zero();
    for (int i = 0; i < nv; ++i)
      for (int j = 0; j < nv; ++j) sum += bracket[i][j] * (x[i] * y[j]);
    expand(basis, nv, sum, out);
  }
};

}}}  // namespace corio::detail
