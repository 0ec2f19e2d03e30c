#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "corio/core/detail/memory.hpp"
#include "corio/mechanism/mechanism.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The state of a mechanism, one for each thread: the state of its tree, the map G from independent speeds to speeds of
/// the tree, as entries numbered by Mechanism::for_each_entry, and the results of functions.
template <class S>
class MechanismData {
 public:
  explicit MechanismData(const Mechanism<S>& mechanism)
      : tree(mechanism.tree()),
        G(mechanism.constant_entries()),
        y(VectorX<S>::Zero(mechanism.nv())),
        drift(VectorX<S>::Zero(mechanism.tree().nv())),
        ydot(y),
        work{y, y, drift, drift, tree.q, tree.bias, tree.bias},
        closures(mechanism.varies() ? mechanism.loops().all().size() : 0),
        solvers(mechanism.clusters().size()),
        Gdot_(VectorX<S>::Zero(G.size())),
        state_id_(mechanism.topology_id()) {
    for (const std::size_t c : mechanism.varying()) solvers[c].resize(mechanism.clusters()[c]);
  }

  /// The state of the tree, for any function of (Model, Data) except forward_kinematics, which has to be called for the
  /// mechanism.
  Data<S> tree;
  const Data<S>& of_tree() const { return tree; }
  Data<S>& of_tree() { return tree; }
  const VectorX<S>& speeds() const { return y; }

  // Set by forward_kinematics.
  VectorX<S> G;
  VectorX<S> y, drift;  // drift: dG/dt y
  VectorX<S> ydot;

  /// Returns dG/dt, after forward_kinematics with y. The first call at a state computes it and Kdot of the solvers.
  const VectorX<S>& Gdot(const Mechanism<S>& mechanism);

  /// Scratch. During a pass y, ydot and drift belong to the next state, after the pass to the previous one. For
  /// functions: v and q of the tree, twists of its nodes, and sums of dPhi_k v_k.
  struct Work {
    VectorX<S> y, ydot, drift, v, q;
    PerNode<Motion<S>> twist, bias;
  } work;
  /// The closures at the state, one for each loop, without idle conditions. forward_kinematics sets them, with rates if
  /// y is given.
  std::vector<detail::ClosureInMotion<S>> closures;
  /// One for each cluster, used if G of the cluster varies.
  std::vector<detail::ClusterSolver<S>> solvers;

  const detail::ClosureInMotion<S>& closure(const Mechanism<S>& mechanism, const typename Loops<S>::Loop& loop) const {
    return closures[static_cast<std::size_t>(&loop - mechanism.loops().all().data())];
  }

  template <class A>
  using Form = algorithm::ForMechanism<A>;

  /// The results and scratch of algorithm A, or of its form for mechanisms, created by the first request.
  template <class A>
  auto& of(const Mechanism<S>& mechanism) {
    static_assert(std::is_constructible_v<algorithm::ForMechanism<A>, const Mechanism<S>&>,
                  "this function is for trees alone, or its form for mechanisms is in a header of corio/mechanism that "
                  "is not included: quantities.hpp, dynamics.hpp, derivatives.hpp, hessian.hpp, geometry.hpp, "
                  "regressors.hpp");
    return memory_.template of<algorithm::ForMechanism<A>>(mechanism);
  }
  /// Runs algorithm A, or its form for mechanisms, in the present state.
  template <class A, class... Arguments>
  auto& run(const Mechanism<S>& mechanism, Arguments&&... arguments) {
    require(mechanism, A::needs.pass, A::needs.name);
    auto& own = of<A>(mechanism);
    own.run(mechanism, *this, arguments...);
    return own;
  }

  /// @throws StateError unless the last pass over the tree was forward_kinematics of this mechanism, at least up to
  /// `needed`
  void require(const Mechanism<S>& mechanism, Pass needed, const char* function, int b = detail::all_nodes) const {
    check_fits(mechanism);
    tree.require(mechanism.tree(), needed, function, b);
    if (passes_ != tree.passes())
      throw StateError(detail::join({function,
                                     ": the last pass over the tree was not forward_kinematics of the mechanism; call "
                                     "forward_kinematics(mechanism, data, ..) first"}));
  }
  /// @throws StateError for another mechanism; SizeError if this was moved from
  void check_fits(const Mechanism<S>& mechanism) const {
    if (state_id_ != mechanism.topology_id())
      throw StateError(detail::join({"MechanismData was made for another mechanism, not for this one of model '",
                                     mechanism.tree().name(), "'; make one for each mechanism"}));
    tree.check_fits(mechanism.tree());
  }
  /// The state is invalid between begin_pass and end_pass.
  void begin_pass(const Mechanism<S>& mechanism) {
    check_fits(mechanism);
    passes_ = no_pass, has_Gdot_ = !mechanism.varies();
  }
  MechanismData& end_pass() {
    passes_ = tree.passes();
    return *this;
  }

 private:
  VectorX<S> Gdot_;  // at the present state, if has_Gdot_
  bool has_Gdot_ = false;
  std::uint64_t state_id_;
  static constexpr auto no_pass = (std::numeric_limits<std::uint64_t>::max)();
  std::uint64_t passes_ = no_pass;  // Data::passes of the tree at the end of the last pass of the mechanism
  detail::Memory memory_;
};

}}  // namespace corio
