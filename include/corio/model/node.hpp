#pragma once

#include <type_traits>

#include "corio/core/detail/inline.hpp"
#include "corio/core/scalar.hpp"
#include "corio/joints/joint_spec.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// A T<S> with the same value in all states of the Pack S: stored as plain numbers, broadcast when it is read.
template <template <class> class T, class S>
class Broadcast {
 public:
  using Plain = T<typename NumberOf<S>::Type>;
  Broadcast(const Plain& x) : x_(x) {}                                  // NOLINT(google-explicit-constructor)
  CORIO_INLINE operator T<S>() const { return x_.template cast<S>(); }  // NOLINT(google-explicit-constructor)
  template <class Other>
  T<Other> cast() const {
    return x_.template cast<Other>();
  }

 private:
  Plain x_;
};

/// The largest number of nodes of a tree. It is chosen so that sizes of a few numbers per node are ints.
inline constexpr int most_nodes = 10'000'000;

}  // namespace detail

/// The storage of a model's constants of type T<S>: T<S> itself, or for a Pack plain numbers (as packs the constants of
/// a humanoid would not fit into the first-level cache).
template <template <class> class T, class S>
using Constant = std::conditional_t<states_of<S> == 1, T<S>, detail::Broadcast<T, S>>;

/// One node of the tree, as the algorithms see it.
template <class S>
struct Node {
  int parent;                   // -1 for the ground; otherwise less than the node's own number
  int q_begin;                  // first index of its joint in q
  int v_begin, v_end;           // range of its joint's degrees of freedom
  int subtree_v_end;            // [v_begin, subtree_v_end) belong to its subtree
  int partials_begin;           // first index in Data::phi_partial, -1 if its columns are constant in the body
  int body;                     // the body whose joint it belongs to, as an index into Model::bodies()
  int base;                     // the node whose position is the reference point of its tree, see Model
  Constant<Pose, S> placement;  // pose of the joint frame in the parent node's axes
  joint::PrimitiveJoint<S> joint;
  Constant<Inertia, S> inertia;                // inertia of the node with welded bodies, about its origin, in its axes
  Constant<InertialParameters, S> parameters;  // the same inertia about the centre of mass

  bool is_leaf() const { return v_end == subtree_v_end; }
  /// Returns whether the node is the last child of this parent.
  bool is_last_of(const Node& parent_node) const { return subtree_v_end == parent_node.subtree_v_end; }

  void set_inertia(const Inertia<S>& own) {
    inertia = own;
    parameters = InertialParameters<S>(own);
  }
};

}}  // namespace corio
