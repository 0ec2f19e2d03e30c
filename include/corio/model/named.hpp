#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "corio/core/error.hpp"
#include "corio/spatial/pose.hpp"

/// The joints, frames and bodies of a model, which users address by name.
namespace corio { inline namespace CORIO_ABI {

/// A named joint and its place in q (nq scalars from q_index) and in v, tau (nv scalars from v_index).
class Joint {
 public:
  Joint(std::string name, std::string type, int q_index, int nq, int v_index, int nv)
      : name_(std::move(name)), type_(std::move(type)), q_index_(q_index), nq_(nq), v_index_(v_index), nv_(nv) {}
  const std::string& name() const { return name_; }
  const std::string& type() const { return type_; }
  int q_index() const { return q_index_; }
  int nq() const { return nq_; }
  int v_index() const { return v_index_; }
  int nv() const { return nv_; }

 private:
  std::string name_, type_;
  int q_index_, nq_, v_index_, nv_;
};

namespace detail {

/// The name of speed i of a joint, as Model::v_indices takes it.
inline std::string name_of_speed(const Joint& joint, int i) { return join({joint.name(), "[", Digits(i), "]"}); }

}  // namespace detail

/// A named frame fixed to a body: the body's own frame, the frame of a welded body, or a frame added by name.
template <class S>
class Frame {
 public:
  Frame(std::string name, int node, const Pose<S>& placement, std::uint64_t topology_id)
      : name_(std::move(name)), node_(node), placement_(placement), topology_id_(topology_id) {}
  const std::string& name() const { return name_; }
  /// The node that carries the frame, -1 for the ground, and the pose of the frame in the node's axes (see Model).
  int node() const { return node_; }
  const Pose<S>& placement() const { return placement_; }
  /// Model::topology_id() of the frame's model.
  std::uint64_t topology_id() const { return topology_id_; }

 private:
  std::string name_;
  int node_;
  Pose<S> placement_;
  std::uint64_t topology_id_;
};

/// A named moving body with the joint that carries it: indices into Model::joints() and Model::bodies(), -1 for a
/// parent that is the ground.
template <class S>
class Body : public Frame<S> {
 public:
  Body(const Frame<S>& frame, int index, int parent) : Frame<S>(frame), index_(index), parent_(parent) {}
  /// Index of the body and of its joint.
  int index() const { return index_; }
  int joint() const { return index_; }
  int parent() const { return parent_; }

 private:
  int index_, parent_;
};

}}  // namespace corio
