#pragma once

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/loops/mechanism_kinematics.hpp"

namespace corio::inline CORIO_ABI::detail {

/// (D_k K) G of a cluster for its speeds k, with the derivatives D_k as q moves along G e_k. G of a cluster depends
/// only on its own speeds, by D_k G_d = -K_d^-1 (D_k K) G, since motions of all bodies of a loop together do not change
/// its conditions. Of a closure, with the motions Psi_j = sum_s Phi_s G_sj of the second body against the first,
///   (D_k K G)_rj = D_k F_r . Psi_j + sum_s (F_r . D_k Phi_s) G_sj,   F . (V x Phi) = (Phi x* F) . V.
template <class S>
class ConditionDerivatives {
  using Loop = typename Loops<S>::Loop;

 public:
  /// @param lambda  forces of the conditions, for lambda^T (D_k K) G as a single row; nullptr for all rows
  void compute(const Mechanism<S>& mechanism, const MechanismData<S>& data, const LoopCluster& cluster,
               const S* lambda = nullptr) {
    n_ = std::ssize(cluster.speeds), rows_ = lambda ? 1 : std::ssize(cluster.rows);
    if (entries_.size() < n_ * rows_ * n_) entries_.resize(n_ * rows_ * n_);
    std::fill_n(entries_.data(), n_ * rows_ * n_, S(0));
    G_.resize(cluster.dofs.size() * cluster.speeds.size());
    read_map(mechanism, cluster, data.G, G_.data());
    for_each_loop(mechanism, cluster, [&](const Loop& loop, int row) {
      if (loop.relation)
        add_relation(mechanism, data, loop, lambda ? 0 : row, lambda);
      else if (!loop.frames.empty())
        add_closure(mechanism, data, loop, lambda ? 0 : row, lambda);
    });
  }
  /// Row r for the k-th speed of the cluster: a number for each of its speeds.
  const S* row(Eigen::Index k, Eigen::Index r) const { return entries_.data() + (k * rows_ + r) * n_; }
  /// The derivatives D_k G x for constant speeds x and all speeds k: number e of `out` is that of row r along speed k
  /// for the entry e of G in row r and column k.
  void differentiate_map(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x, VectorX<S>& out) {
    for (const std::size_t c : mechanism.varying()) {
      const LoopCluster& cluster = mechanism.clusters()[c];
      ClusterSolver<S>& solver = data.solvers[c];
      compute(mechanism, data, cluster);
      for (Eigen::Index k = 0; k < n_; ++k)
        for (Eigen::Index r = 0; r < rows_; ++r) {
          solver.B(k, r) = S(0);
          for (Eigen::Index j = 0; const int speed : cluster.speeds) solver.B(k, r) += row(k, r)[j++] * x[speed];
        }
      write_map(mechanism, cluster, solver.minus_solve(solver.B, solver.X), out);
    }
  }

 private:
  S* out_row(std::size_t k, Eigen::Index r) {
    return entries_.data() + (static_cast<Eigen::Index>(k) * rows_ + r) * n_;
  }
  /// Row s of G: a number for each speed of the cluster.
  const S* row_of_G(const Mechanism<S>& mechanism, int s) const { return G_.data() + mechanism.column_of_K(s) * n_; }

  void add_relation(const Mechanism<S>& mechanism, const MechanismData<S>& data, const Loop& loop, Eigen::Index row,
                    const S* lambda) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(n_); ++k) {
      const auto along_k = [&](int s) { return std::pair(row_of_G(mechanism, s)[k], S(0)); };
      for_each_coupling_rate(data.tree, loop, Pass::velocity, along_k, [&](int s, const S&, const S& rate, const S&) {
        add_multiple<S>(out_row(k, row), lambda ? S(lambda[loop.begin] * rate) : rate, row_of_G(mechanism, s), n_);
      });
    }
  }

  void add_closure(const Mechanism<S>& mechanism, const MechanismData<S>& data, const Loop& loop, Eigen::Index first,
                   const S* lambda) {
    const Model<S>& model = mechanism.tree();
    const auto n = static_cast<std::size_t>(n_);
    LoopInMotion<S> moving(model, data.tree, loop);
    path_.clear(), psi_.clear(), wrenches_.clear();
    moving.move(Motion<S>::zero(), Motion<S>::zero());
    for_each_wrench(moving, loop, lambda, [&](const Force<S>& F, const Force<S>&) {
      wrenches_.push_back({moving.on_body(F, 0), moving.on_body(F, 1)});
    });
    for_each_between<S>(model, loop, [&](int s, int side) { path_.push_back({s, side}); });
    std::ranges::reverse(path_);
    for (auto& V : V_) V.assign(n, Motion<S>::zero());
    for (const auto& [s, side] : path_) {
      const Node<S>& node = model.node(model.node_of(s));
      for (int l = s; s == node.v_begin && l < node.v_end; ++l) {
        const S* const G_l = row_of_G(mechanism, l);
        for (std::size_t k = 0; k < n; ++k) V_[side][k] += data.tree.phi[l] * G_l[k];
      }
      const S* const G_s = row_of_G(mechanism, s);
      for (Eigen::Index r = first; const auto& F : wrenches_) {
        const Force<S>& on_body = F[static_cast<std::size_t>(side)];
        const Force<S> turned = cross(data.tree.phi[s], on_body);
        for (std::size_t k = 0; k < n; ++k) add_multiple<S>(out_row(k, r), dot(turned, V_[side][k]), G_s, n_);
        for (int l = node.v_begin; node.partials_begin >= 0 && l < node.v_end; ++l) {
          const S x = dot(on_body, column_partial(model, data.tree, l, s));
          const S* const G_l = row_of_G(mechanism, l);
          for (std::size_t k = 0; k < n; ++k) add_multiple<S>(out_row(k, r), x * G_l[k], G_s, n_);
        }
        ++r;
      }
    }
    for (std::size_t k = 0; k < n; ++k) psi_.push_back(moving.relative(V_[0][k], 0) + moving.relative(V_[1][k], 1));
    for (std::size_t k = 0; k < n; ++k) {
      moving.move(V_[0][k], V_[1][k]);
      for_each_wrench(moving, loop, lambda, [&, out = out_row(k, first)](const Force<S>&, const Force<S>& F_k) mutable {
        for (const Motion<S>& psi : psi_) *out++ += dot(F_k, psi);
      });
    }
  }
  /// f(F, D F) for the rows of a closure, or for their sum with forces lambda.
  template <class F>
  static void for_each_wrench(const LoopInMotion<S>& moving, const Loop& loop, const S* lambda, F&& f) {
    if (lambda) {
      const auto [F_lambda, rate] = moving.wrench(lambda + loop.begin);
      return f(F_lambda, rate);
    }
    for (int r = 0; r < loop.rows(); ++r) {
      const ConditionInMotion<S> c = moving.condition(r);
      f(c.F, c.rate);
    }
  }

  Eigen::Index n_ = 0, rows_ = 0;
  VectorX<S> entries_;
  std::vector<S> G_;                       // its rows for the degrees of freedom of the cluster
  std::vector<std::pair<int, int>> path_;  // degrees of freedom between the frames, root to leaf, and their sides
  std::vector<std::array<Force<S>, 2>> wrenches_;  // F_r on the bodies of both frames
  std::vector<Motion<S>> psi_, V_[2];              // by speeds; V of the last body on the path to each frame
};

/// The four arguments of a virtual power mu^T tau(q, v, a).
enum Argument { by_q, by_v, by_a, by_mu, arguments };

/// x + e dx: over S alone x, over dual numbers of it both.
template <class T, class S>
T moving(const S& x, [[maybe_unused]] const S& dx) {
  if constexpr (std::is_same_v<T, S>)
    return x;
  else
    return T(x, dx);
}
template <class T, class S>
Vector3<T> moving(const Vector3<S>& x, const Vector3<S>& dx) {
  return {moving<T>(x[0], dx[0]), moving<T>(x[1], dx[1]), moving<T>(x[2], dx[2])};
}
template <class T, class S>
Motion<T> moving(const Motion<S>& x, const Motion<S>& dx) {
  return {moving<T>(x.angular, dx.angular), moving<T>(x.linear, dx.linear)};
}

/// A structure constant c(l,a,b) of a joint, see structure_constants.
template <class S>
struct StructureConstant {
  int l, a, b;
  S c;
};

/// The derivatives of the conditions of a cluster, with multipliers L held,
///   psi = L_a . d2k/dt2 + L_v . dk/dt + L_mu . K mu + L_q . k,
/// by q, v, a and mu of its degrees of freedom, over T = S, or along a direction over T = Dual<S>. As k depends on
/// relative poses alone, motions are those against the last body that carries both frames. With the motions V, A, U of
/// a node for v, a and mu, the derivatives along its degree of freedom j are, if derivatives along j commute,
///   by q:  L_a (F . (A x Phi + V x dPhi) + 2 dF/dt . dPhi + d2F/dt2 . Phi) + L_v (F . dPhi + dF/dt . Phi)
///          + L_mu (F . (U x Phi) + dF/dmu . Phi) + L_q F . Phi,         dPhi = V x Phi,
///   by v:  2 L_a (F . dPhi + dF/dt . Phi) + L_v F . Phi,   by a:  L_a F . Phi,   by mu:  L_mu F . Phi.
/// Otherwise the structure constants c of joints enter: q moves by x at constant v if dx/dt = -Z(v) x, where
/// Z(v)(l,b) = sum_a c(l,a,b) v_a. Columns must not move in their body.
template <class T, class S>
class ConditionGradient {
 public:
  using Multipliers = std::array<VectorX<S>, arguments>;  // by row

  /// @param rate  rate(argument, s): how that argument of degree of freedom s moves along the direction
  template <class Rate>
  void compute(const Mechanism<S>& mechanism, const MechanismData<S>& data, const LoopCluster& cluster,
               const std::vector<StructureConstant<S>>& brackets, const VectorX<S>& mu, const Multipliers& L,
               Rate&& rate) {
    n_ = std::ssize(cluster.dofs);
    out_.assign(static_cast<std::size_t>(arguments * n_), T(0));
    const VectorX<S>* const state[] = {&data.tree.q, &data.tree.v, &data.tree.a, &mu};
    const auto at = [&](Argument x, int s) { return moving<T>((*state[x])[s], rate(x, s)); };
    for_each_loop(mechanism, cluster, [&](const Loop& loop, int) {
      if (loop.frames.empty())
        add_coupling(mechanism, data.tree, loop, L, at, rate);
      else
        add_closure(mechanism, data.tree, loop, L, at, rate);
    });
    // from_b -= sum_la x_l c(l,a,b) y_a.
    const auto subtract = [&](Argument from, Argument x, Argument y) {
      for (const auto& [l, a, b, c] : brackets)
        out(from, mechanism.column_of_K(b)) -=
            out(x, mechanism.column_of_K(l)) * moving<T>(S(c * (*state[y])[a]), S(c * rate(y, a)));
    };
    subtract(by_v, by_a, by_v);
    for (const Argument x : {by_v, by_a, by_mu}) subtract(by_q, x, x);
  }
  const T& operator()(Argument x, int column) const { return out_[static_cast<std::size_t>(x * n_ + column)]; }

 private:
  using Loop = typename Loops<S>::Loop;
  struct Column {
    int s, side;
    Motion<T> phi, V, A, U;
  };
  T& out(Argument x, int column) { return out_[static_cast<std::size_t>(x * n_ + column)]; }

  template <class At, class Rate>
  void add_coupling(const Mechanism<S>& mechanism, const Data<S>& data, const Loop& loop, const Multipliers& L, At&& at,
                    Rate&& rate) {
    const auto l = [&](Argument x) { return T(L[x][loop.begin]); };
    const auto moved = [&](const Joint& joint, const T& v, const T& a) {
      return std::array<T, 3>{moving<T>(data.q[joint.q_index()], rate(by_q, joint.v_index())), v, a};
    };
    for_each_coupling_rate<T, S>(
        loop, Pass::acceleration,
        [&](const Joint& joint) { return moved(joint, at(by_v, joint.v_index()), at(by_a, joint.v_index())); },
        [&](int s, const T& K, const T& dK, const T& ddK) {
          const int k = mechanism.column_of_K(s);
          out(by_q, k) += l(by_a) * ddK + l(by_v) * dK + l(by_q) * K;
          out(by_v, k) += T(2) * l(by_a) * dK + l(by_v) * K;
          out(by_a, k) += l(by_a) * K;
        });
    for_each_coupling_rate<T, S>(
        loop, Pass::velocity, [&](const Joint& joint) { return moved(joint, at(by_mu, joint.v_index()), T(0)); },
        [&](int s, const T& K, const T& dK_mu, const T&) {
          const int k = mechanism.column_of_K(s);
          out(by_q, k) += l(by_mu) * dK_mu, out(by_mu, k) += l(by_mu) * K;
        });
  }

  template <class At, class Rate>
  void add_closure(const Mechanism<S>& mechanism, const Data<S>& data, const Loop& loop, const Multipliers& L, At&& at,
                   Rate&& rate) {
    const Model<S>& model = mechanism.tree();
    path_.clear();
    for_each_between<S>(model, loop, [&](int s, int side) { path_.push_back({s, side, {}, {}, {}, {}}); });
    std::ranges::reverse(path_);
    Motion<S> moved[2] = {Motion<S>::zero(), Motion<S>::zero()};  // of the last node so far, along the direction
    Motion<T> V[2] = {Motion<T>::zero(), Motion<T>::zero()}, A[2] = {V[0], V[0]}, U[2] = {V[0], V[0]};
    for (std::size_t begin = 0, end = 0; begin < path_.size(); begin = end) {
      const int side = path_[begin].side, node = model.node_of(path_[begin].s);
      for (; end < path_.size() && model.node_of(path_[end].s) == node; ++end)
        moved[side] += data.phi[path_[end].s] * rate(by_q, path_[end].s);
      Motion<T> own = Motion<T>::zero();
      for (std::size_t i = begin; i < end; ++i) {
        auto& [s, same, phi, V_s, A_s, U_s] = path_[i];
        phi = moving<T>(data.phi[s], cross(moved[side], data.phi[s]));
        own += phi * at(by_v, s), A[side] += phi * at(by_a, s), U[side] += phi * at(by_mu, s);
      }
      V[side] += own, A[side] += cross(V[side], own);
      for (std::size_t i = begin; i < end; ++i) path_[i].V = V[side], path_[i].A = A[side], path_[i].U = U[side];
    }

    FramesInMotion<T> frames;
    for (const int side : {0, 1}) {
      FrameInMotion<S> still;
      still.set(data, loop.frames[static_cast<std::size_t>(side)], Pass::position);
      FrameInMotion<T>& frame = frames.of_side[side];
      const auto& [w, u] = moved[side];
      const Vector3<S>& p = still.pose.translation;
      for (int i = 0; i < 3; ++i) {
        const Vector3<S> axis = still.pose.rotation.col(i);
        const Vector3<T> turned = moving<T>(axis, Vector3<S>(cross(w, axis)));
        for (int r = 0; r < 3; ++r) frame.pose.rotation(r, i) = turned[r];
      }
      frame.pose.translation = moving<T>(p, Vector3<S>(u + cross(w, p)));
      frame.origin = moving<T>(still.origin, zero3<S>());
    }
    frames.find_points();
    FramesInMotion<T> virtual_frames = frames;
    frames.move(V[0], V[1]), virtual_frames.move(U[0], U[1]);
    for (const int side : {0, 1}) frames.of_side[side].accelerate(A[side]);
    // Wrenches that multiply Phi, dPhi, A x Phi + V x dPhi and U x Phi; of_v is that of Phi by v, beside 2 F_a . dPhi.
    const Force<T> zero = Force<T>::zero();
    Force<T> of_phi = zero, of_v = zero, F_a = zero, F_mu = zero;
    for (int r = 0; r < loop.rows(); ++r) {
      const auto& condition = loop.conditions[static_cast<std::size_t>(r)];
      const ConditionInMotion<T> c(condition, frames, Pass::acceleration);
      const ConditionInMotion<T> c_mu(condition, virtual_frames, Pass::velocity);
      const auto l = [&](Argument x) { return T(L[x][loop.begin + r]); };
      of_phi += c.second_rate * l(by_a) + c.rate * l(by_v) + c_mu.rate * l(by_mu) + c.F * l(by_q);
      of_v += c.rate * T(T(2) * l(by_a)) + c.F * l(by_v);
      F_a += c.F * l(by_a), F_mu += c.F * l(by_mu);
    }
    for (const auto& [s, side, phi, V_s, A_s, U_s] : path_) {
      const int k = mechanism.column_of_K(s);
      const Motion<T> dphi = cross(V_s, phi);
      const Force<T> a = frames.on_body(F_a, side), mu = frames.on_body(F_mu, side), v = frames.on_body(of_v, side);
      out(by_q, k) += dot(frames.on_body(of_phi, side), phi) + dot(v, dphi) +
                      dot(a, cross(A_s, phi) + cross(V_s, dphi)) + dot(mu, cross(U_s, phi));
      out(by_v, k) += dot(v, phi) + T(2) * dot(a, dphi);
      out(by_a, k) += dot(a, phi), out(by_mu, k) += dot(mu, phi);
    }
  }

  Eigen::Index n_ = 0;
  std::vector<T> out_;
  std::vector<Column> path_;
};

}  // namespace corio::detail
