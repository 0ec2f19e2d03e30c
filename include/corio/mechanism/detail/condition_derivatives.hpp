#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/mechanism/kinematics.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Computes (D_k K) G of a cluster for its speeds k, where D_k is the derivative as q moves along G e_k. The G of a
/// cluster depends on the cluster's own speeds alone, D_k G_d = -K_d^-1 (D_k K) G, because a common motion of all
/// bodies of a loop does not change its conditions. With the motion Psi_j = sum_s Phi_s G_sj of the second body of a
/// closure relative to the first,
///   (D_k K G)_rj = D_k F_r . Psi_j + sum_s (F_r . D_k Phi_s) G_sj,   F . (V x Phi) = (Phi x* F) . V.
template <class S>
class ConditionDerivatives {
  using Loop = typename Loops<S>::Loop;
  using P = Lanes<S>;

 public:
  void compute(const Mechanism<S>& mechanism, const MechanismData<S>& data, const LoopCluster& cluster) {
    begin(mechanism, data, cluster, std::ssize(cluster.rows));
    for_each_loop(mechanism, cluster, [&](const Loop& loop, int row) {
      if (loop.relation)
        add_relation(mechanism, data, loop, row, S(1));
      else if (!loop.frames.empty())
        add_closure(mechanism, data, loop, row);
    });
  }
  /// Subtracts lambda^T (D_k K) G from dtau_dq for the speeds k of the cluster. dtau_dq already has the derivatives of
  /// the tree on which the wrenches of closures act, fixed in their bodies. Let F act on the second body and -F on the
  /// first, and V_1 and V_0 be the twists of these bodies relative to the last body that carries both. The terms that
  /// dtau_dq does not have are
  ///   D_k F . (V_1j - V_0j) - (V_1k x* F) . V_1j + (V_0k x* F) . V_0j,
  /// and for each degree of freedom r that moves both bodies, where F and -F cancel, -((V_1k - V_0k) x* F) . Phi_r.
  void subtract_forces(const Mechanism<S>& mechanism, const MechanismData<S>& data, const LoopCluster& cluster,
                       const S* lambda, MatrixX<S>& dtau_dq) {
    begin(mechanism, data, cluster, 1);
    for_each_loop(mechanism, cluster, [&](const Loop& loop, int) {
      if (loop.relation)
        add_relation(mechanism, data, loop, 0, lambda[loop.begin]);
      else if (!loop.frames.empty())
        add_force(mechanism, data, cluster, loop, lambda + loop.begin, dtau_dq);
    });
    for (Eigen::Index k = 0; const int column : cluster.speeds)
      for (const S* x = row(k++, 0); const int i : cluster.speeds) dtau_dq(i, column) -= *x++;
  }
  /// Returns row r of (D_k K) G for the k-th speed of the cluster: a number for each speed. The row for the next k
  /// follows in memory.
  S* row(Eigen::Index k, Eigen::Index r) { return entries_.data() + (r * n_ + k) * length_; }
  /// Calls f(k, x) once for each speed k of the cluster, with x = lambda^T (D_k K) G.
  template <class F>
  void for_each_sum(const LoopCluster& cluster, const VectorX<S>& lambda, F&& f) {
    std::fill_n(sums_.data(), n_ * length_, S(0));
    for (Eigen::Index r = 0; const int row_of_lambda : cluster.rows)
      add_multiple<S>(sums_.data(), lambda[row_of_lambda], row(0, r++), n_ * length_);
    for (Eigen::Index k = 0; const int column_k : cluster.speeds) f(column_k, sums_.data() + length_ * k++);
  }
  /// Computes D_k G x for constant x and all speeds k: where entry e of G is in row r and column k, out[e] is row r of
  /// D_k G x.
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
  /// Returns row s of G: a number for each speed of the cluster.
  const S* row_of_G(const Mechanism<S>& mechanism, int s) const {
    return G_.data() + mechanism.column_of_K(s) * length_;
  }

  void begin(const Mechanism<S>& mechanism, const MechanismData<S>& data, const LoopCluster& cluster,
             Eigen::Index rows) {
    n_ = std::ssize(cluster.speeds), rows_ = rows, length_ = (n_ + P::width - 1) / P::width * P::width;
    const auto size = n_ * rows_ * length_;
    if (entries_.size() < size) entries_.resize(size);
    std::fill_n(entries_.data(), size, S(0));
    G_.resize(cluster.dofs.size() * static_cast<std::size_t>(length_));
    read_map(mechanism, cluster, data.G, static_cast<std::size_t>(length_), G_.data());
    if (sums_.size() < n_ * length_) sums_.resize(n_ * length_);
  }
  void add_relation(const Mechanism<S>& mechanism, const MechanismData<S>& data, const Loop& loop, Eigen::Index r,
                    const S& lambda) {
    for (Eigen::Index k = 0; k < n_; ++k) {
      const auto along_k = [&](int s) { return std::pair(row_of_G(mechanism, s)[k], S(0)); };
      for_each_coupling_rate(data.tree, loop, Pass::velocity, along_k, [&](int s, const S&, const S& rate, const S&) {
        add_multiple<S>(row(k, r), lambda * rate, row_of_G(mechanism, s), length_);
      });
    }
  }

  void add_closure(const Mechanism<S>& mechanism, const MechanismData<S>& data, const Loop& loop, Eigen::Index first) {
    const Model<S>& model = mechanism.tree();
    const ClosureInMotion<S>& moving = data.closure(mechanism, loop);
    path_.clear(), wrenches_.clear();
    for (const auto& row : moving.rows()) wrenches_.push_back(ClosureWrench<S>(row));
    for_each_between<S>(model, loop, [&](int s, int side) { path_.push_back({s, side}); });
    std::ranges::reverse(path_);
    start_motions();
    for (const auto& [s, side] : path_) {
      const Node<S>& node = model.node(model.node_of(s));
      for (int l = s; s == node.v_begin && l < node.v_end; ++l) add_motion(mechanism, data.tree, moving, l, side);
      const Motion<S> phi = about(data.tree.phi[s], moving.point[side]);
      const S* const G_s = row_of_G(mechanism, s);
      for (Eigen::Index r = first; const auto& wrench : wrenches_) {
        const Force<S> F = side == 1 ? wrench.F : -wrench.F;
        const Force<P> turned = broadcast<P>(Force<S>(cross(phi, F)));
        for (Eigen::Index p = 0; p < length_ / P::width; ++p)
          dot(turned, V_[side][static_cast<std::size_t>(p)]).store(sums_.data() + p * P::width);
        for (int l = node.v_begin; node.partials_begin >= 0 && l < node.v_end; ++l) {
          const Motion<S> partial = about(column_partial(model, data.tree, l, s), moving.point[side]);
          add_multiple<S>(sums_.data(), dot(F, partial), row_of_G(mechanism, l), length_);
        }
        S* to = row(0, r++);
        with_length<S>(length_ / P::width, [&](auto packs) CORIO_INLINE_LAMBDA {
          for (Eigen::Index k = 0; k < n_; ++k, to += packs * P::width)
            add_multiple<S>(to, sums_[k], G_s, packs * P::width);
        });
      }
    }
    for (Eigen::Index r = first; const auto& wrench : wrenches_) {
      add_products(r++, [&](const Motion<P>& V_0, const Motion<P>& V_1) {
        const Force<P> F_k = wrench.rate(V_0, V_1);
        return std::pair(-F_k, F_k);
      });
    }
  }

  void add_force(const Mechanism<S>& mechanism, const MechanismData<S>& data, const LoopCluster& cluster,
                 const Loop& loop, const S* lambda, MatrixX<S>& dtau_dq) {
    const Model<S>& model = mechanism.tree();
    const ClosureInMotion<S>& moving = data.closure(mechanism, loop);
    const ClosureWrench<S> wrench(moving.rows(), lambda);
    start_motions();
    int carrier = -1;  // the last degree of freedom that moves both frames
    for_each_between<S>(model, loop, [&](int s, int side) {
      add_motion(mechanism, data.tree, moving, s, side);
      carrier = model.parent_dof(s);
    });
    const Force<P> F = broadcast<P>(wrench.F);
    add_products(0, [&](const Motion<P>& V_0, const Motion<P>& V_1) {
      const Force<P> F_k = wrench.rate(V_0, V_1);
      return std::pair(cross(V_0, F) - F_k, F_k - cross(V_1, F));
    });
    for (std::size_t k = 0; carrier >= 0 && k < static_cast<std::size_t>(n_); ++k) {
      const auto motion = [&](int side) {
        return lane<Motion, S>(V_[side][k / P::width], static_cast<int>(k % P::width));
      };
      const Force<S> lost = moving.on_body(cross(motion(1), wrench.F) - cross(motion(0), wrench.F), 1);
      for (int r = carrier; r >= 0; r = model.parent_dof(r)) {
        const S x = dot(lost, data.tree.phi[r]);
        mechanism.for_each_entry(r, [&](int i, int e) { dtau_dq(i, cluster.speeds[k]) += data.G[e] * x; });
      }
    }
  }
  void start_motions() {
    for (auto& V : V_) V.assign(static_cast<std::size_t>(length_ / P::width), Motion<P>::zero());
  }
  /// Adds Phi_s G_s, about the origin of the second frame, to V_.
  void add_motion(const Mechanism<S>& mechanism, const Data<S>& data, const FramesInMotion<S>& frames, int s,
                  int side) {
    const Motion<P> phi = broadcast<P>(about(data.phi[s], frames.point[side]));
    const S* G_s = row_of_G(mechanism, s);
    for (Motion<P>& V : V_[side]) V += phi * P::load(G_s), G_s += P::width;
  }
  /// Adds F_0 . V_0j + F_1 . V_1j to row r for all speeds k and j, where {F_0, F_1} = forces(V_0k, V_1k).
  template <class Forces>
  void add_products(Eigen::Index r, Forces&& forces) {
    Eigen::Index k = 0;
    for (std::size_t p = 0; p < V_[0].size(); ++p) {
      const auto [all_0, all_1] = forces(V_[0][p], V_[1][p]);
      for (int l = 0; l < P::width && k < n_; ++l, ++k) {
        const Force<P> on_0 = broadcast<P>(lane<Force, S>(all_0, l)), on_1 = broadcast<P>(lane<Force, S>(all_1, l));
        S* out = row(k, r);
        for (std::size_t q = 0; q < V_[0].size(); ++q, out += P::width)
          (P::load(out) + dot(on_0, V_[0][q]) + dot(on_1, V_[1][q])).store(out);
      }
    }
  }

  Eigen::Index n_ = 0, rows_ = 0, length_ = 0;  // numbers of speeds and conditions, and n_ rounded up to whole packs
  VectorX<S> entries_, sums_;
  std::vector<S> G_;                        // the rows of G for the degrees of freedom of the cluster
  std::vector<std::pair<int, int>> path_;   // degrees of freedom between the frames, root to leaf, and their sides
  std::vector<ClosureWrench<S>> wrenches_;  // a unit force of each condition
  std::vector<Motion<P>> V_[2];  // by side and packs of speeds: the motion of the last body on the path so far
};

/// The four arguments of a virtual power mu^T tau(q, v, a).
enum Argument { by_q, by_v, by_a, by_mu, arguments };

/// Returns x + e dx over T = Dual<S>, and x over T = S.
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

/// Computes the gradient of the sum of a cluster's conditions, with constant multipliers L,
///   psi = L_a . d2k/dt2 + L_v . dk/dt + L_mu . K mu + L_q . k,
/// with respect to q, v, a and mu of its degrees of freedom: over T = S the gradient, over T = Dual<S> also its
/// derivative along a direction. As k depends on relative poses alone, motions are relative to the last body that
/// carries both frames. With the motions V, A and U of a node for v, a and mu, the derivatives along its degree of
/// freedom j are, if derivatives along j commute,
///   by q:  L_a (F . (A x Phi + V x dPhi) + 2 dF/dt . dPhi + d2F/dt2 . Phi) + L_v (F . dPhi + dF/dt . Phi)
///          + L_mu (F . (U x Phi) + dF/dmu . Phi) + L_q F . Phi,         dPhi = V x Phi,
///   by v:  2 L_a (F . dPhi + dF/dt . Phi) + L_v F . Phi,   by a:  L_a F . Phi,   by mu:  L_mu F . Phi.
/// Otherwise structure constants c of the joints are added: q moves by x at constant v if dx/dt = -Z(v) x, where
/// Z(v)(l,b) = sum_a c(l,a,b) v_a. The columns of the joints must be constant in their body.
template <class T, class S>
class ConditionGradient {
 public:
  using Multipliers = std::array<VectorX<S>, arguments>;  // a number for each row of the loops

  /// @param rate  rate(argument, s) returns the derivative of that argument of degree of freedom s along the direction
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
    // Subtracts sum_la x_l c(l,a,b) y_a from from_b.
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
    Motion<S> moved[2] = {Motion<S>::zero(),
                          Motion<S>::zero()};  // the last node so far moves by this along the direction
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
      still.set(data, loop.frames[static_cast<std::size_t>(side)]);
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
    // The wrenches that multiply Phi, dPhi, A x Phi + V x dPhi and U x Phi in the derivative with respect to q. of_v
    // also multiplies Phi in the derivative with respect to v.
    const Force<T> zero = Force<T>::zero();
    Force<T> of_phi = zero, of_v = zero, F_a = zero, F_mu = zero;
    for (int r = 0; r < loop.rows(); ++r) {
      if (mechanism.is_idle(loop.begin + r)) continue;
      const auto& condition = loop.conditions[static_cast<std::size_t>(r)];
      ConditionInMotion<T> c, c_mu;
      c.set(condition, frames), c.set_rate(frames), c.set_second_rate(frames);
      c_mu.set(condition, virtual_frames), c_mu.set_rate(virtual_frames);
      // Rates of wrenches about a fixed point: the rates about the moving origin of the second frame, and the moments
      // that its motion adds.
      const FrameInMotion<T>& second = frames.of_side[1];
      const auto lever = [&](const Vector3<T>& x, const Vector3<T>& f) -> Force<T> {
        return {c.turns ? zero3<T>() : Vector3<T>(cross(x, f)), zero3<T>()};
      };
      const Force<T> F = c.wrench(c.f), F_dot = c.wrench(c.rate) + lever(second.velocity, c.f);
      const Force<T> F_dot_mu = c.wrench(c_mu.rate) + lever(virtual_frames.of_side[1].velocity, c.f);
      const Force<T> F_ddot =
          c.wrench(c.second_rate) + lever(second.acceleration, c.f) + lever(second.velocity, Vector3<T>(T(2) * c.rate));
      const auto l = [&](Argument x) { return T(L[x][loop.begin + r]); };
      of_phi += F_ddot * l(by_a) + F_dot * l(by_v) + F_dot_mu * l(by_mu) + F * l(by_q);
      of_v += F_dot * T(T(2) * l(by_a)) + F * l(by_v);
      F_a += F * l(by_a), F_mu += F * l(by_mu);
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

}}}  // namespace corio::detail
