#pragma once

#include <limits>
#include <utility>

#include "corio/model/model.hpp"

namespace corio {

/// What ModelBuilder::add_body returns, to be used as parent.
struct BodyHandle {
  int index;
};

/// Parent of a body or frame: the ground (default or empty name), a body by name, which may be added later, or a
/// handle.
class Parent {
 public:
  Parent() = default;
  Parent(const char* name) : name_(name) {}                           // NOLINT(google-explicit-constructor)
  Parent(std::string name) : name_(std::move(name)) {}                // NOLINT(google-explicit-constructor)
  Parent(BodyHandle body) : is_handle_(true), handle_(body.index) {}  // NOLINT(google-explicit-constructor)
  const std::string& name() const { return name_; }
  bool is_handle() const { return is_handle_; }
  int handle() const { return handle_; }
  bool is_ground() const { return name_.empty() && !is_handle_; }

 private:
  std::string name_;
  bool is_handle_ = false;
  int handle_ = -1;
};

/// Limits of one joint: one value per coordinate (position) or degree of freedom, empty for none.
struct JointLimits {
  std::vector<double> lower{}, upper{}, velocity{}, effort{};
};

/// A body and the joint that carries it. All but the name has a default.
template <class S>
struct BodySpec {
  std::string name;
  Parent parent{};
  joint::Any<S> joint = joint::Fixed{};
  /// Pose of the joint frame (the body's frame when the joint is at its neutral configuration) in the parent's frame.
  Pose<S> placement = Pose<S>::identity();
  InertialParameters<S> inertia{};
  /// Default: the body's name followed by "_joint".
  std::string joint_name{};
  /// Reflected rotor inertia, one value per degree of freedom; empty for none.
  std::vector<S> armature{};
  JointLimits limits{};
};

/// Collects bodies in any order that is a tree and makes a Model of them.
///
///   corio::ModelBuilder<double> builder("pendulum");
///   builder.add_body({.name = "rod", .joint = corio::joint::Revolute::y(), .inertia = {1.0, com, inertia}});
///   const corio::Model<double> model = builder.build();
template <class S = double>
class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name = "model") : name_(std::move(name)) {}

  ModelBuilder(const ModelBuilder&) = default;
  ModelBuilder(ModelBuilder&&) = default;
  ModelBuilder& operator=(const ModelBuilder&) = default;
  ModelBuilder& operator=(ModelBuilder&&) = default;
  // Outside of the class like all that is not small, so that corio/instances.hpp can spare compiling it.
  ~ModelBuilder();

  BodyHandle add_body(BodySpec<S> spec);

  /// A named point of interest: `placement` in the frame of `body`.
  void add_frame(std::string name, Parent body, const Pose<S>& placement = Pose<S>::identity());

  void set_gravity(const Vector3<S>& gravity) { gravity_ = gravity; }

  /// The model. ModelError, naming the body or joint, for an empty or duplicate name, an unknown parent, a loop,
  /// numbers that are not finite, an inertia that no mass distribution has, wrong sizes of armature or limits, and a
  /// joint that moves no inertia at all. The builder stays as it is, so one can be extended and built again.
  Model<S> build() const;

 private:
  struct FrameSpec {
    std::string name;
    Parent parent;
    Pose<S> placement;
  };
  class Assembly;

  std::string name_;
  Vector3<S> gravity_{S(0), S(0), S(-9.81)};
  std::vector<BodySpec<S>> specs_;
  std::vector<FrameSpec> frames_;
};

template <class S>
ModelBuilder<S>::~ModelBuilder() = default;

template <class S>
BodyHandle ModelBuilder<S>::add_body(BodySpec<S> spec) {
  if (spec.joint_name.empty()) spec.joint_name = spec.name + "_joint";
  specs_.push_back(std::move(spec));
  return {static_cast<int>(specs_.size()) - 1};
}

template <class S>
void ModelBuilder<S>::add_frame(std::string name, Parent body, const Pose<S>& placement) {
  frames_.push_back({std::move(name), std::move(body), placement});
}

}  // namespace corio

#include "corio/model/assembly.hpp"
