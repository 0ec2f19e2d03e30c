#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "corio/core/detail/shared_eigen.hpp"
#include "corio/model/model.hpp"

namespace corio { inline namespace CORIO_ABI {

/// A handle to a body, returned by ModelBuilder::add_body, to be used as parent: the index of the body in the builder,
/// and a number unique to this call, so that a handle of another builder is detected.
struct BodyHandle {
  int index = -1;
  std::uint64_t stamp = 0;
};

/// The parent of a body or frame: the ground (default or empty name), the name of a body, which may be added later, or
/// a handle.
struct Parent {
  std::string name{};
  std::optional<BodyHandle> handle{};

  Parent() = default;
  Parent(const char* body)  // NOLINT(google-explicit-constructor)
      : name(body ? body : throw ModelError("the name of a parent is a null pointer; the ground is Parent()")) {}
  Parent(std::string body) : name(std::move(body)) {}  // NOLINT(google-explicit-constructor)
  Parent(BodyHandle body) : handle(body) {}            // NOLINT(google-explicit-constructor)
  Parent(std::nullptr_t) = delete;
};

/// The treatment of inertias that no rigid body can have; files of robots contain such inertias.
enum class Inertias {
  as_given,  // accepted, with a note
  nearest,   // replaced by the closest physical one, with a note on the change
  strict     // rejected with a ModelError, and so is a joint that moves no inertia
};

/// The model of rotors in a file: reflected inertia (armature = ratio^2 inertia; exact if the link that carries the
/// motor does not rotate), or bodies of their own, by ModelBuilder::add_rotor.
enum class Rotors { reflected, geared };

/// The rotor of the motor that drives a joint of one degree of freedom, on the link that carries this joint.
template <class S>
struct Rotor {
  /// Name of the driven joint.
  std::string joint;
  /// The moment of inertia about the rotor's axis, kg m^2.
  S inertia;
  /// Gear ratio: speed of the rotor over speed of the joint, of either sign; rad/m for a prismatic joint.
  double ratio = 1.0;
  /// The axis of the rotor in the joint's frame; its length is ignored. The default is the axis of the joint.
  Vector3<double> axis = zero3<double>();
  /// The default is the joint's name followed by "_rotor", and by a number from 2 on if that name is taken. The rotor's
  /// joint is named like the rotor with "_joint" after it, the coupling with "_gear".
  std::string name{};
};

/// A body and the joint that carries it. Everything except the name has a default.
template <class S>
struct BodySpec {
  std::string name;
  Parent parent{};
  joint::JointSpec<S> joint = joint::Fixed{};
  /// Pose of the joint frame in the parent's frame. At the neutral configuration the moving frame coincides with it.
  Pose<S> placement = Pose<S>::identity();
  /// Pose of the body's frame in the moving frame of the joint, for a joint that is not at the body's origin.
  Pose<S> body_placement = Pose<S>::identity();
  InertialParameters<S> inertia{};
  /// The name of the joint. The default is the body's name followed by "_joint".
  std::string joint_name{};
  /// The reflected rotor inertia, one value per degree of freedom. An empty vector here and in the next members means
  /// that nothing was given (see for_each_term).
  std::vector<S> armature{};
  JointLimits limits{};
  JointSafety safety{};
  PassiveTerms<S> passive{};
  /// The lines of the file from which body and joint were read, which notes name; 0 if there is no file.
  int line = 0, joint_line = 0;
};

/// A named point of interest: a pose in the frame of a body.
template <class S>
struct FrameSpec {
  std::string name;
  Parent parent{};
  Pose<S> placement = Pose<S>::identity();
  /// The line of the file from which the frame was read, which messages name; 0 if there is no file.
  int line = 0;
};

namespace detail {

/// A list of one T for each body of a builder, in the order in which the bodies were added.
template <class T>
using PerSpec = Table<T, struct OfSpecs>;

}  // namespace detail

/// Collects bodies in any order and builds a Model, a kinematic tree, from them.
///
///   corio::ModelBuilder<double> builder("pendulum");
///   builder.add_body({.name = "rod", .joint = corio::joint::Revolute::y(), .inertia = {1.0, com, inertia}});
///   const corio::Model<double> model = builder.build();
template <class S = double>
class ModelBuilder {
 public:
  /// @throws Error if another library of the process, compiled with other flags, supplies Eigen's functions
  explicit ModelBuilder(std::string name = "model") : name_(std::move(name)) { detail::check_shared_eigen(); }

  ModelBuilder(const ModelBuilder&) = default;
  ModelBuilder(ModelBuilder&&) = default;
  ModelBuilder& operator=(const ModelBuilder&) = default;
  ModelBuilder& operator=(ModelBuilder&&) = default;
  ~ModelBuilder();  // defined outside of the class, as ~Model

  BodyHandle add_body(BodySpec<S> spec);

  /// Adds a named point of interest.
  void add_frame(FrameSpec<S> spec) { frames_.push_back(std::move(spec)); }
  void add_frame(std::string name, Parent body, const Pose<S>& placement = Pose<S>::identity()) {
    add_frame({std::move(name), std::move(body), placement});
  }

  /// Closes a loop by a closure between two bodies or frames, given by name; they may be added later. The Model stays a
  /// tree and lists its closures in loops(): see Mechanism (mechanism/mechanism.hpp).
  ///   builder.close_loop("knee", "rod_tip", "shank_pin", corio::closure::Revolute{{0, 1, 0}}, {"rod_joint"});
  /// @param dependent  joints whose motion the loop determines, see LoopSpec
  template <class Closure>
  void close_loop(std::string name, std::string first, std::string second, const Closure& closure,
                  std::vector<std::string> dependent = {}) {
    add_loop({.name = std::move(name),
              .first = std::move(first),
              .second = std::move(second),
              .conditions = closure.conditions(),
              .dependent = std::move(dependent)});
  }
  /// Couples joints of one coordinate each by sum factor_i q_i = offset: a gear, a mimic joint, a differential.
  ///   builder.couple("gear", {{"motor", 1.0}, {"link", -100.0}}, 0.0, {"motor"});  // motor = 100 link
  void couple(std::string name, std::vector<CouplingTerm> terms, double offset = 0.0,
              std::vector<std::string> dependent = {}) {
    add_loop({.name = std::move(name), .terms = std::move(terms), .offset = offset, .dependent = std::move(dependent)});
  }
  void add_loop(LoopSpec loop) {
    loops_.push_back(std::move(loop));
    add_loops_ = &Construction::add_loops;
  }
  /// Replaces all loops, for instance by an edited copy of loops().
  void set_loops(std::vector<LoopSpec> loops) {
    loops_ = std::move(loops);
    add_loops_ = &Construction::add_loops;
  }

  /// Adds the rotor of a motor with its gyroscopic terms: a body on a revolute joint, coupled to the driven joint. It
  /// is a thin disc (moments inertia / 2 across the axis) without mass, since the mass of a motor is part of its link,
  /// so that its position on the link does not matter. The coupling is named like the body with "_gear" after it.
  ///   builder.add_rotor({.joint = "elbow", .inertia = 2e-5, .ratio = 100.0});
  /// In functions of a Model, which is the tree, the rotor turns freely; a Mechanism couples it.
  /// @throws ModelError  if the joint does not exist yet, does not have exactly one degree of freedom, or is a user's
  ///   without an axis given, or if the inertia is negative
  void add_rotor(const Rotor<S>& rotor);

  void set_gravity(const Vector3<S>& gravity) { gravity_ = gravity; }

  /// Sets the inertia fixed to the ground, in its frame, in addition to the inertia of bodies on fixed joints: see
  /// Model::ground_inertia.
  void set_ground_inertia(const InertialParameters<S>& inertia) { ground_inertia_ = inertia; }
  const InertialParameters<S>& ground_inertia() const { return ground_inertia_; }

  void set_inertias(Inertias inertias) {
    inertias_ = inertias;
    nearest_ = inertias == Inertias::nearest ? &detail::nearest_physical<S> : nullptr;
    check_inertias_ = inertias == Inertias::strict ? &Construction::check_inertias : nullptr;
  }

  /// Replaces revolute joints without position limits by joint::Continuous: the difference of two configurations is
  /// then the shorter way round. Joints with a spring, or in a coupling, are left unchanged, since their turns count.
  void wrap_continuous();

  /// Sets the armature of a joint, one value per degree of freedom; ModelError for a joint that was not added yet.
  void set_armature(const std::string& joint, const std::vector<S>& armature);
  /// Sets an armature for all degrees of freedom of joints that move no inertia and have no armature, so that M is
  /// regular; the default, zero, adds none.
  void set_armature_of_massless(const S& armature) { armature_of_massless_ = armature; }

  /// Adds a note to Model::notes().
  void add_note(Note note) { notes_.push_back(std::move(note)); }

  /// The bodies and frames so far, in the order they were added.
  const detail::PerSpec<BodySpec<S>>& bodies() const& { return specs_; }
  const std::vector<FrameSpec<S>>& frames() const& { return frames_; }
  const std::vector<LoopSpec>& loops() const& { return loops_; }
  void bodies() const&& = delete;
  void frames() const&& = delete;
  void loops() const&& = delete;
  /// The body of that name, which may be changed; ModelError if there is none yet. If its joint is replaced by one with
  /// another nq or nv, build() drops numbers (armature, limits, passive terms, ...) of the wrong count, with a note.
  BodySpec<S>& body(const std::string& name);

  /// Builds the model, in time proportional to the number of bodies. The builder is unchanged: it can be extended and
  /// built again. A model of fixed joints alone is valid and has nv = 0.
  ///
  /// Invalid input is rejected with a ModelError that names the body or joint: an empty or duplicate name, an unknown
  /// parent, a handle of another builder (a copy of a builder accepts the handles of the original), a cycle of parents,
  /// an invalid loop (see Loops), numbers that are not finite or so large that their products are not, a negative mass,
  /// an unsymmetric inertia, numbers of a joint (for_each_term) that must not be negative, or are of the wrong count.
  /// Questionable input is accepted and noted in Model::notes(): an inertia that no rigid body can have (see
  /// set_inertias), a joint that moves no inertia, for which functions that need M^-1 throw a ModelError, and a closure
  /// of two frames that are fixed to each other, which is left out.
  Model<S> build() const;

 private:
  class Construction;
  /// The joint as given to add_body, to find joints that were replaced since, and the stamp of the handle.
  struct Added {
    joint::JointSpec<S> joint;
    std::uint64_t stamp;
  };

  /// Returns whether a body or frame has that name, or a joint or loop has the name that a rotor of that name would
  /// give it.
  bool has_part(const std::string& name) const;
  /// The body carried by the joint of that name.
  BodySpec<S>& carried_by(const std::string& joint, const char* purpose);

  std::string name_;
  Vector3<S> gravity_{S(0), S(0), S(-9.81)};
  detail::PerSpec<BodySpec<S>> specs_;
  detail::PerSpec<Added> added_;
  std::vector<FrameSpec<S>> frames_;
  std::vector<LoopSpec> loops_;
  InertialParameters<S> ground_inertia_;
  Inertias inertias_ = Inertias::as_given;
  S armature_of_massless_ = S(0);
  std::vector<Note> notes_;
  // Steps of build() that most programs do not need: null, and not compiled, unless the program calls a member that
  // asks for them. add_loop and set_loops set the first one, set_inertias the others.
  void (Construction::*add_loops_)() = nullptr;
  InertialParameters<S> (*nearest_)(const InertialParameters<S>&) = nullptr;
  void (Construction::*check_inertias_)() = nullptr;
};

template <class S>
ModelBuilder<S>::~ModelBuilder() = default;

template <class S>
BodyHandle ModelBuilder<S>::add_body(BodySpec<S> spec) {
  if (spec.joint_name.empty()) spec.joint_name = spec.name + "_joint";
  const BodyHandle handle{specs_.size(), detail::next_id()};
  added_.push_back({spec.joint, handle.stamp});
  specs_.push_back(std::move(spec));
  return handle;
}

template <class S>
BodySpec<S>& ModelBuilder<S>::body(const std::string& name) {
  for (BodySpec<S>& spec : specs_)
    if (spec.name == name) return spec;
  throw ModelError(detail::join({"model '", name_, "' has no body '", name, "' yet"}));
}

template <class S>
BodySpec<S>& ModelBuilder<S>::carried_by(const std::string& joint, const char* purpose) {
  for (BodySpec<S>& spec : specs_)
    if (spec.joint_name == joint) return spec;
  throw ModelError(detail::join({"model '", name_, "' has no joint '", joint, "' to give ", purpose}));
}

template <class S>
bool ModelBuilder<S>::has_part(const std::string& name) const {
  const std::string joint = name + "_joint", gear = name + "_gear";
  const auto is_body = [&](const BodySpec<S>& x) { return x.name == name || x.joint_name == joint; };
  return std::any_of(specs_.begin(), specs_.end(), is_body) ||
         std::any_of(frames_.begin(), frames_.end(), [&](const FrameSpec<S>& x) { return x.name == name; }) ||
         std::any_of(loops_.begin(), loops_.end(), [&](const LoopSpec& x) { return x.name == gear; });
}

template <class S>
void ModelBuilder<S>::set_armature(const std::string& joint, const std::vector<S>& armature) {
  carried_by(joint, "an armature").armature = armature;
}

template <class S>
void ModelBuilder<S>::wrap_continuous() {
  const auto is_coupled = [this](const std::string& joint) {
    return std::any_of(loops_.begin(), loops_.end(), [&](const LoopSpec& loop) {
      return std::any_of(loop.terms.begin(), loop.terms.end(), [&](const auto& term) { return term.joint == joint; });
    });
  };
  const auto has_spring = [](const BodySpec<S>& spec) {
    return std::ranges::any_of(spec.passive.stiffness,
                               [](const S& k) { return in_any_state(detail::real_value(k) != 0.0); });
  };
  const auto none = [](const std::vector<double>& limit) { return limit.empty() || !std::isfinite(limit.front()); };
  for (int i = 0; i < specs_.size(); ++i) {
    BodySpec<S>& spec = specs_[i];
    if (spec.joint.chain.size() != 1 || spec.joint.type != joint::Revolute::type ||
        !spec.joint.chain.front().joint.is_revolute())
      continue;
    if (!none(spec.limits.lower) || !none(spec.limits.upper) || is_coupled(spec.joint_name) || has_spring(spec))
      continue;
    spec.joint.type = joint::Continuous::type;
    spec.joint.chain.front().joint = joint::PrimitiveJoint<S>(joint::Continuous());
    added_[i].joint = spec.joint;
  }
}

template <class S>
void ModelBuilder<S>::add_rotor(const Rotor<S>& rotor) {
  const BodySpec<S>& driven = carried_by(rotor.joint, "a rotor");
  const auto& joint = driven.joint;
  const bool along_joint = is_zero(rotor.axis);
  if (value_of(rotor.inertia) < 0.0)
    throw ModelError(detail::join({"model '", name_, "': the inertia of the rotor of joint '", rotor.joint, "' is ",
                                   detail::number(value_of(rotor.inertia)), " kg m^2, must not be negative"}));
  if (joint.nv() != 1 || (along_joint && joint.chain[0].joint.custom()))
    throw ModelError(detail::join({"model '", name_, "': joint '", rotor.joint, "' (", joint.type, ") ",
                                   joint.nv() != 1 ? "must have one degree of freedom to have a rotor"
                                                   : "needs Rotor::axis, as the axis of a user's joint is not known"}));
  const joint::Revolute turning(along_joint ? column(joint.chain[0].axes, 2) : rotor.axis);
  const Vector3<double> n = column(turning.axes(), 2);
  Matrix3<S> inertia;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) inertia(i, j) = rotor.inertia * S(0.5 * ((i == j ? 1.0 : 0.0) + n[i] * n[j]));
  std::string name = rotor.name.empty() ? rotor.joint + "_rotor" : rotor.name;
  for (int number = 2; rotor.name.empty() && has_part(name); ++number)
    name = detail::join({rotor.joint, "_rotor", detail::Digits(number)});
  BodySpec<S> body{.name = name,
                   .parent = driven.parent,
                   .joint = turning,
                   .placement = driven.placement,
                   .inertia = {S(0), zero3<S>(), inertia}};
  body.joint_name = body.name + "_joint";
  couple(body.name + "_gear", {{body.joint_name, 1.0}, {rotor.joint, -rotor.ratio}}, 0.0, {body.joint_name});
  add_body(std::move(body));
}

}}  // namespace corio

#include "corio/model/detail/construction.hpp"
