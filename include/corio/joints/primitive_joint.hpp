#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "corio/joints/along_axis.hpp"
#include "corio/joints/check_joint.hpp"
#include "corio/joints/converted_joint.hpp"
#include "corio/joints/free_flyer.hpp"
#include "corio/joints/planar.hpp"
#include "corio/joints/spherical.hpp"
#include "corio/joints/translation.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// Every built-in joint that moves. To add one, write it like along_axis.hpp and name it here. Its only parameters are
/// an axis and, if it has a member pitch(), a pitch. It is constructed without arguments unless it has a pitch.
#define CORIO_BUILT_IN_JOINTS(DO) \
  DO(Revolute)                    \
  DO(Continuous) DO(Prismatic) DO(Helical) DO(Cylindrical) DO(Planar) DO(Translation) DO(Spherical) DO(FreeFlyer)

/// The joint of one node of a model's tree. In its own axes a built-in joint is given by its kind and at most a pitch:
/// a switch over the kind compiles in a fraction of the time of a variant.
template <class S>
class PrimitiveJoint {
 public:
  /// True if J is a built-in joint, as opposed to a user's class derived from one.
  template <class J>
  static constexpr bool holds =
#define CORIO_IS(Joint) std::is_same_v<J, Joint> ||
      CORIO_BUILT_IN_JOINTS(CORIO_IS) false;
#undef CORIO_IS

#define CORIO_CONSTRUCTOR(Joint) \
  explicit PrimitiveJoint(const Joint& joint) : kind_(Kind::Joint), pitch_(pitch_of(joint)) {}
  CORIO_BUILT_IN_JOINTS(CORIO_CONSTRUCTOR)
#undef CORIO_CONSTRUCTOR
  explicit PrimitiveJoint(CustomPointer<S> joint) : kind_(Kind::custom), custom_(std::move(joint)) {
    if constexpr (states_of<S> == 1) wrong_columns_ = &detail::wrong_columns<S>;  // models over packs are cast
  }

  /// Returns the advance per rad of a helical joint, zero for others.
  double pitch() const { return pitch_; }
  /// Returns a user's joint, null for a built-in one.
  const Custom<S>* custom() const { return custom_.get(); }

  /// Returns whether the joint is Revolute or Continuous.
  bool is_revolute() const { return kind_ == Kind::Revolute || kind_ == Kind::Continuous; }
  /// Returns whether the joint never turns, so that its columns do not depend on the point.
  bool only_translates() const { return kind_ == Kind::Prismatic || kind_ == Kind::Translation; }

  /// Calls f(joint) once with this joint, in axes in which it moves about or along z.
  template <class F>
  decltype(auto) visit(F&& f) const {
    switch (kind_) {
#define CORIO_CASE(Joint) \
  case Kind::Joint: return f(built_in<Joint>());
      CORIO_BUILT_IN_JOINTS(CORIO_CASE)
#undef CORIO_CASE
      default: return f(*custom_);
    }
  }

  int nq() const { return custom_ ? custom_->nq : facts().nq; }
  int nv() const { return custom_ ? custom_->nv : facts().nv; }
  /// Returns whether configurations are added and subtracted as vectors. False for users' joints, which need not be
  /// vectors.
  bool adds() const { return !custom_ && facts().adds; }

  /// Returns the pose of the child when the joint frame is at A.
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return visit([&](const auto& joint) { return joint.compose(A, q); });
  }
  /// Computes world columns of the degrees of freedom for the child's pose X.
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    visit([&](const auto& joint) { joint.columns(X, q, phi); });
  }
  /// Computes pose and columns together, for the kinematics pass. With `origin` (at the base of a tree) the child's
  /// position is written to `origin`, and pose and columns are about that point.
  void place(const Pose<S>& A, const S* q, Pose<S>& X, Motion<S>* phi, Vector3<S>* origin = nullptr) const {
    visit([&](const auto& joint) {
      X = joint.compose(A, q);
      if (origin) {
        *origin = X.translation;
        X.translation = zero3<S>();
      }
      joint.columns(X, q, phi);
    });
  }
  /// Returns whether the columns move in the child's own axes. Only a user's joint, and a built-in joint that is
  /// handled like one, has such columns.
  bool has_column_rates() const { return custom_ && custom_->has_column_rates(); }

  /// Describes the error in the parameters of the joint, for ModelBuilder; empty if the parameters are valid.
  std::string check() const {
    return visit([](const auto& joint) { return detail::check(joint); });
  }
  /// Describes an error in the columns of a user's joint, for ModelBuilder; empty if the columns are right.
  std::string wrong_columns() const { return wrong_columns_ ? wrong_columns_(*custom_) : std::string(); }

  /// Returns this joint over another scalar, or null for a user's joint whose members are not templates on the scalar.
  template <class T>
  std::unique_ptr<PrimitiveJoint<T>> cast() const {
    return visit([this]<class J>(const J& joint) -> std::unique_ptr<PrimitiveJoint<T>> {
      if constexpr (!std::is_same_v<J, Custom<S>>) {
        return std::make_unique<PrimitiveJoint<T>>(joint);
      } else {
        const CustomPointer<T> other = over<T>(custom_);
        return other ? std::make_unique<PrimitiveJoint<T>>(other) : nullptr;
      }
    });
  }

 private:
  enum class Kind {
#define CORIO_KIND(Joint) Joint,
    CORIO_BUILT_IN_JOINTS(CORIO_KIND) custom
#undef CORIO_KIND
  };

  struct Facts {
    int nq, nv;
    bool adds;
  };
  template <class J>
  static constexpr Facts facts_of() {
    if constexpr (requires { J::adds; })
      return {J::nq, J::nv, J::adds};
    else
      return {J::nq, J::nv, false};
  }
  const Facts& facts() const {
    static constexpr Facts by_kind[] = {
#define CORIO_FACTS(Joint) facts_of<Joint>(),
        CORIO_BUILT_IN_JOINTS(CORIO_FACTS)
#undef CORIO_FACTS
    };
    return by_kind[static_cast<int>(kind_)];
  }

  template <class J>
  static double pitch_of(const J& joint) {
    if constexpr (requires { joint.pitch(); })
      return joint.pitch();
    else
      return 0.0;
  }
  template <class J>
  J built_in() const {
    if constexpr (requires(const J& joint) { joint.pitch(); })
      return J(unit3<double>(2), pitch_);
    else
      return J();
  }

  Kind kind_;
  double pitch_ = 0.0;
  CustomPointer<S> custom_;
  std::string (*wrong_columns_)(const Custom<S>&) = nullptr;  // compiled only if there are users' joints
};

#undef CORIO_BUILT_IN_JOINTS

}}}  // namespace corio::joint
