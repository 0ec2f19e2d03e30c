#pragma once

#include <memory>
#include <tuple>
#include <type_traits>

#include "corio/joints/custom.hpp"
#include "corio/joints/cylindrical.hpp"
#include "corio/joints/free_flyer.hpp"
#include "corio/joints/helical.hpp"
#include "corio/joints/planar.hpp"
#include "corio/joints/prismatic.hpp"
#include "corio/joints/revolute.hpp"
#include "corio/joints/spherical.hpp"
#include "corio/joints/translation.hpp"

namespace corio::joint {

/// The joint of one node of a model's tree. All that is left of a built-in joint, once its axes are turned, is its kind
/// and perhaps a pitch, so a tag and a switch do what a variant would, at a fraction of the compile time.
/// To add a built-in joint: write it like revolute.hpp and give it a line in Kind, in the constructor and in visit.
template <class S>
class Cell {
 public:
  /// Whether J is one of the built-in joints below, and not a user's class derived from one.
  template <class J>
  static constexpr bool holds =
      []<class... Joints>(std::tuple<Joints...>*) {
        return (std::is_same_v<J, Joints> || ...);
      }(static_cast<std::tuple<Revolute, Prismatic, Helical, Cylindrical, Planar, Translation, Spherical, FreeFlyer>*>(
          nullptr));

  explicit Cell(const Revolute&) : kind_(Kind::revolute) {}
  explicit Cell(const Prismatic&) : kind_(Kind::prismatic) {}
  explicit Cell(const Helical& joint) : kind_(Kind::helical), pitch_(joint.pitch()) {}
  explicit Cell(const Cylindrical&) : kind_(Kind::cylindrical) {}
  explicit Cell(const Planar&) : kind_(Kind::planar) {}
  explicit Cell(const Translation&) : kind_(Kind::translation) {}
  explicit Cell(const Spherical&) : kind_(Kind::spherical) {}
  explicit Cell(const FreeFlyer&) : kind_(Kind::free_flyer) {}
  explicit Cell(std::shared_ptr<const Custom<S>> joint) : kind_(Kind::custom), custom_(std::move(joint)) {}

  /// Advance per rad of a helical joint, zero for others.
  double pitch() const { return pitch_; }
  /// A user's joint, null for a built-in one.
  const Custom<S>* custom() const { return custom_.get(); }

  bool is_revolute() const { return kind_ == Kind::revolute; }

  /// f(joint) for the joint of this cell, in axes where it moves about or along z.
  template <class F>
  decltype(auto) visit(F&& f) const {
    switch (kind_) {
      case Kind::revolute: return f(Revolute());
      case Kind::prismatic: return f(Prismatic());
      case Kind::helical: return f(Helical(unit3<double>(2), pitch_));
      case Kind::cylindrical: return f(Cylindrical());
      case Kind::planar: return f(Planar());
      case Kind::translation: return f(Translation());
      case Kind::spherical: return f(Spherical());
      case Kind::free_flyer: return f(FreeFlyer());
      default: return f(*custom_);
    }
  }

  int nq() const {
    return visit([]<class J>(const J& joint) {
      if constexpr (std::is_same_v<J, Custom<S>>)
        return joint.nq();
      else
        return J::nq;
    });
  }
  int nv() const {
    return visit([]<class J>(const J& joint) {
      if constexpr (std::is_same_v<J, Custom<S>>)
        return joint.nv();
      else
        return J::nv;
    });
  }

  /// Pose of the child when the joint frame is at A.
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    return visit([&](const auto& joint) { return joint.compose(A, q); });
  }
  /// World columns of the degrees of freedom for the child's pose X.
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    visit([&](const auto& joint) { joint.columns(X, q, phi); });
  }
  /// Both at once: what the kinematics pass does at every node. At a root the child's position goes to `origin`, about
  /// which pose and columns then are.
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
  /// Whether the columns move in the child's own axes, as those of a user's joint may.
  bool has_column_rates() const { return custom_ && custom_->has_column_rates(); }

  /// The same built-in joint over another scalar; null for a user's joint.
  template <class T>
  std::unique_ptr<Cell<T>> cast() const {
    return visit([]<class J>(const J& joint) -> std::unique_ptr<Cell<T>> {
      if constexpr (std::is_same_v<J, Custom<S>>)
        return nullptr;
      else
        return std::make_unique<Cell<T>>(joint);
    });
  }

 private:
  enum class Kind { revolute, prismatic, helical, cylindrical, planar, translation, spherical, free_flyer, custom };

  Kind kind_;
  double pitch_ = 0.0;
  std::shared_ptr<const Custom<S>> custom_;
};

}  // namespace corio::joint
