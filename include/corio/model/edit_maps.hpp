#pragma once

#include "corio/model/joint_geometry.hpp"

namespace corio { inline namespace CORIO_ABI {

/// For each index of q, and of v (a, tau, armature, ...), of one model the corresponding index of another model, or -1.
struct IndexMaps {
  std::vector<int> q, v;
};

/// Returns for each index of q and v of `to` the corresponding index of `from`.
///
///   const auto maps = corio::index_maps(arm, locked);
///   const Eigen::VectorXd v = corio::remap(maps.v, v_of_arm, zeros);
///
/// Joints correspond if their names and sizes are equal. For a joint reversed by reroot, the axes of a chain such as
/// Universal correspond in the opposite order. A joint on the ground corresponds only to a joint that carries the same
/// body, since its coordinates are the pose of that body. O(n).
/// @param prefix  precedes the names of `from` in `to`, as after attach
template <class S>
IndexMaps index_maps(const Model<S>& from, const Model<S>& to, const std::string& prefix = "") {
  IndexMaps maps;
  for (const Body<S>& body : to.bodies()) {
    const Joint& joint = to.joints().data()[body.joint()];
    std::vector<int> nodes;  // the nodes of `from` that correspond to the joint's nodes
    const std::string name = joint.name().substr((std::min)(prefix.size(), joint.name().size()));
    if (joint.name() == prefix + name && from.has_joint(name) && from.joint(name).nq() == joint.nq() &&
        from.joint(name).nv() == joint.nv()) {
      const Body<S>& old = detail::carried_body(from, from.joint(name));
      for (int b = detail::first_node(from, old); b <= old.node(); ++b) nodes.push_back(b);
      if (body.name() != prefix + old.name()) {
        std::reverse(nodes.begin(), nodes.end());
        if (body.parent() < 0) nodes.clear();
      }
    }
    auto next = nodes.begin();
    for (int b = detail::first_node(to, body); b <= body.node(); ++b) {
      const Node<S>& node = to.node(b);
      const Node<S>* same = next == nodes.end() ? nullptr : &from.node(*next++);
      const int nq = node.joint.nq(), nv = node.joint.nv();
      if (same && (same->joint.nq() != nq || same->joint.nv() != nv)) same = nullptr;
      for (int i = 0; i < nq; ++i) maps.q.push_back(same ? same->q_begin + i : -1);
      for (int k = 0; k < nv; ++k) maps.v.push_back(same ? same->v_begin + k : -1);
    }
  }
  return maps;
}

/// Returns the vector of the new model for the vector x of the old model: entry i is x[map[i]], or missing[i] if map[i]
/// is -1.
///
///   q = remap(maps.q, q_old, neutral(model))
///
/// @throws SizeError if `missing` is not of the size of the map, or x too short for it
template <class S>
VectorX<S> remap(const std::vector<int>& map, const VectorX<S>& x, VectorX<S> missing) {
  detail::check_size("missing", missing.size(), std::ssize(map));
  for (Eigen::Index i = 0; i < missing.size(); ++i) {
    const int from = map.begin()[i];
    if (from >= x.size()) detail::throw_size("x", x.size(), from + 1, "remap");
    if (from >= 0) missing[i] = x[from];
  }
  return missing;
}

}}  // namespace corio
