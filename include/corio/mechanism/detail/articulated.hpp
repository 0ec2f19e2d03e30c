#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "corio/kernels/composites.hpp"
#include "corio/mechanism/kinematics.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// The smallest set of nodes that contains all joints of a cluster, and whose nodes have their parents in the set or
/// have one common parent outside, the carrier. A node whose joint is in no cluster is an aggregate of its own. An
/// aggregate acts on the rest of the tree through its carrier alone, as a body does, and so has an articulated inertia.
struct Aggregate {
  int carrier = -1;         // -1 for the ground
  std::vector<int> nodes;   // ascending
  std::vector<int> speeds;  // independent speeds of the joints of these nodes, ascending
};

using Aggregates = Table<Aggregate, struct OfAggregates>;

/// Returns the aggregates, each one behind the aggregate of its carrier.
template <class S>
Aggregates find_aggregates(const Mechanism<S>& mechanism) {
  const Model<S>& tree = mechanism.tree();
  PerNode<int> set_of(tree.num_nodes());
  std::iota(set_of.begin(), set_of.end(), 0);
  const auto merge = [&](int a, int b) {
    const int to = set_of[a], from = set_of[b];
    if (from != to) std::replace(set_of.begin(), set_of.end(), from, to);
  };
  for (const auto& cluster : mechanism.clusters()) {
    const int first = tree.node_of(cluster.dofs[0]);
    for (const int k : cluster.dofs) merge(first, tree.node_of(k));
    // While the nodes have different parents outside the set, the last of these parents carries some of the nodes, but
    // not all, and joins the set.
    for (;;) {
      int least = tree.num_nodes(), most = -1;
      for (int b = 0; b < tree.num_nodes(); ++b)
        if (const int parent = tree.node(b).parent;
            set_of[b] == set_of[first] && (parent < 0 || set_of[parent] != set_of[first]))
          least = (std::min)(least, parent), most = (std::max)(most, parent);
      if (least == most) break;
      merge(first, most);
    }
  }
  Aggregates all;
  PerNode<int> number(tree.num_nodes(), -1);  // the number of the aggregate, by set
  for (int b = 0; b < tree.num_nodes(); ++b) {
    int& of_set = number[set_of[b]];
    if (of_set < 0) of_set = all.size(), all.push_back({tree.node(b).parent, {}, {}});
    all[of_set].nodes.push_back(b);
  }
  for (int i = 0; i < mechanism.nv(); ++i)
    all[number[set_of[tree.node_of(mechanism.dof_of_speed(i))]]].speeds.push_back(i);
  return all;
}

/// Computes x = M^-1 f in O(n), without M, by the articulated-body algorithm with an aggregate in place of each body.
/// Let Psi_j(b) be the motion of node b relative to the carrier for a unit of speed j. For an aggregate, sums over its
/// nodes b give
///   D_ij = Psi_i . I^A Psi_j + (G^T armature G)_ij,   U_j = I^A Psi_j,   I^A - U D^-1 U^T for the carrier,
/// where D is eliminated one speed at a time, from the last to the first. Inertias and U are about the origin of the
/// node at which they are summed, all other quantities about the origin of the tree. Source: Featherstone (2008, ch. 7)
/// for single bodies.
template <class S>
class ArticulatedMechanism {
 public:
  explicit ArticulatedMechanism(const Mechanism<S>& mechanism)
      : aggregates_(find_aggregates(mechanism)),
        first_psi_(mechanism.tree().num_nodes()),
        place_(mechanism.nv()),
        inertia_(mechanism.tree().num_nodes()),
        force_(mechanism.tree().num_nodes()),
        acceleration_(mechanism.tree().num_nodes()),
        psi_here_(mechanism.nv()),
        U_(mechanism.nv()),
        gain_(mechanism.nv()),
        reciprocal_d_(zeros<S>(mechanism.nv())) {
    int psis = 0;
    for (const auto& [carrier, nodes, speeds] : aggregates_) {
      const int m = static_cast<int>(std::ssize(speeds));
      for (const int b : nodes) first_psi_[b] = psis, psis += m;
      for (int i = 0; const int speed : speeds) place_[speed] = i++;
      D_.push_back(MatrixX<S>::Zero(m, m));
    }
    psi_ = {psis, Motion<N>::zero()};
  }

  /// Eliminates all speeds at the position of data.
  /// @param held  by speed, nonzero for a speed that does not move: solve sets it to 0; nullptr if all move
  /// @throws ModelError for a speed that moves no inertia
  ArticulatedMechanism& compute(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                const PerDof<char>* held = nullptr) {
    const Model<S>& tree = mechanism.tree();
    compute_body_inertias(tree, data.tree);
    for (int b = 0; b < tree.num_nodes(); ++b)
      inertia_[b] = ArticulatedInertia<N>::from(Inertia<N>(load(data.tree.inertia[b])));
    for (int a = D_.size() - 1; a >= 0; --a) {
      const Aggregate& one = aggregates_[a];
      const auto& [carrier, nodes, speeds] = one;
      D_[a].setZero();
      for (const int j : speeds) U_[j] = Force<N>::zero();
      for (const int b : nodes) {
        move(mechanism, data, one, b, D_[a]);
        const auto origin = load(data.tree.pose[b].translation);
        for (const int j : speeds) {
          psi_here_[j] = about(psi(b, j), origin);
          const Force<N> F = inertia_[b] * psi_here_[j];
          for (const int i : speeds)
            if (i <= j) D_[a](place_[i], place_[j]) += S(dot(psi_here_[i], F));
          if (carrier >= 0) U_[j] += about(F, load(data.tree.pose[carrier].translation) - origin);
        }
        if (carrier >= 0) inertia_[carrier] += about(inertia_[b], load(data.tree.pose[carrier].translation) - origin);
      }
      eliminate(mechanism, data.tree, one, D_[a], held);
    }
    return *this;
  }

  /// Computes x <- M^-1 x after compute.
  void solve(const Mechanism<S>& mechanism, const MechanismData<S>& data, VectorX<S>& x) {
    const Model<S>& tree = mechanism.tree();
    const auto& phi = data.tree.phi;
    std::fill(force_.begin(), force_.end(), Force<S>::zero());
    for (int a = D_.size() - 1; a >= 0; --a) {
      const auto& [carrier, nodes, speeds] = aggregates_[a];
      for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
        const int b = *at;
        const Node<S>& node = tree.node(b);
        for (int k = node.v_begin; k < node.v_end; ++k) {
          const S along = dot(phi[k], force_[b]);
          mechanism.for_each_entry(k, [&](int i, int e) { x[i] -= data.G[e] * along; });
        }
        if (node.parent >= 0) force_[node.parent] += force_[b];
      }
      for (auto at = speeds.rbegin(); at != speeds.rend(); ++at) {
        const int j = *at;
        for (const int i : speeds)
          if (i < j) x[i] -= D_[a](place_[i], place_[j]) * x[j];
        if (carrier >= 0) force_[carrier] += gain_[j] * x[j];
        x[j] *= reciprocal_d_[j];
      }
    }
    for (int a = 0; a < D_.size(); ++a) {
      const auto& [carrier, nodes, speeds] = aggregates_[a];
      for (const int j : speeds) {
        for (const int i : speeds)
          if (i < j) x[j] -= D_[a](place_[i], place_[j]) * x[i];
        if (carrier >= 0) x[j] -= dot(acceleration_[carrier], gain_[j]);
      }
      for (const int b : nodes) {
        const Node<S>& node = tree.node(b);
        acceleration_[b] = node.parent < 0 ? Motion<S>::zero() : acceleration_[node.parent];
        for (int k = node.v_begin; k < node.v_end; ++k) {
          S rate(0);
          mechanism.for_each_entry(k, [&](int i, int e) { rate += data.G[e] * x[i]; });
          acceleration_[b] += phi[k] * rate;
        }
      }
    }
  }

  /// Returns 1 / d_k of the last compute, where d_k is the inertia that speed k moves while the speeds before k are
  /// held and the speeds after k are free.
  const VectorX<S>& reciprocal_d() const { return reciprocal_d_; }

 private:
  using N = InRegisters<S>;

  Motion<N>& psi(int b, int speed) { return psi_[first_psi_[b] + place_[speed]]; }

  /// Computes Psi of node b, and adds the armature of its joint to D.
  void move(const Mechanism<S>& mechanism, const MechanismData<S>& data, const Aggregate& one, int b, MatrixX<S>& D) {
    const Node<S>& node = mechanism.tree().node(b);
    for (const int j : one.speeds) psi(b, j) = node.parent == one.carrier ? Motion<N>::zero() : psi(node.parent, j);
    for (int k = node.v_begin; k < node.v_end; ++k) {
      const Motion<N> phi = load(data.tree.phi[k]);
      const S& armature = mechanism.tree().armature()[k];
      mechanism.for_each_entry(k, [&](int j, int e) {
        psi(b, j) += phi * N(data.G[e]);
        mechanism.for_each_entry(k, [&](int i, int f) {
          if (i <= j) D(place_[i], place_[j]) += data.G[f] * armature * data.G[e];
        });
      });
    }
  }

  /// Factorizes D = L^T diag(d) L in place, with L_ji above the diagonal, and subtracts U D^-1 U^T from I^A of the
  /// carrier.
  void eliminate(const Mechanism<S>& mechanism, const Data<S>& data, const Aggregate& one, MatrixX<S>& D,
                 const PerDof<char>* held) {
    for (auto at = one.speeds.rbegin(); at != one.speeds.rend(); ++at) {
      const int j = *at;
      const S d = D(place_[j], place_[j]);
      mechanism.require_inertia(j, d);
      reciprocal_d_[j] = held && (*held)[j] ? S(0) : S(S(1) / d);
      for (const int i : one.speeds) {
        if (i == j) break;
        const S factor = D(place_[i], place_[j]) * reciprocal_d_[j];
        D.col(place_[i]).head(place_[i] + 1) -= factor * D.col(place_[j]).head(place_[i] + 1);
        U_[i] += U_[j] * N(-factor);
      }
      D.col(place_[j]).head(place_[j]) *= reciprocal_d_[j];
      if (one.carrier < 0) continue;
      const N r(reciprocal_d_[j]);
      store(about(U_[j] * r, -load(data.pose[one.carrier].translation)), gain_[j]);
      inertia_[one.carrier].subtract_outer(U_[j], r);
    }
  }

  Aggregates aggregates_;
  PerNode<int> first_psi_;
  PerDof<int> place_;                       // the place of a speed in its aggregate
  PerNode<ArticulatedInertia<N>> inertia_;  // I^A of a node before its aggregate is eliminated
  PerNode<Force<S>> force_;
  PerNode<Motion<S>> acceleration_;
  Table<Motion<N>, struct OfPsi> psi_;  // by aggregate, node and speed
  PerDof<Motion<N>> psi_here_;
  PerDof<Force<N>> U_;
  PerDof<Force<S>> gain_;
  VectorX<S> reciprocal_d_;
  Table<MatrixX<S>, struct OfAggregates> D_;
};

}}}  // namespace corio::detail
