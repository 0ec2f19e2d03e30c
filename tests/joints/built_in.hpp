#pragma once

#include <array>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "corio/joints/joint_spec.hpp"
#include "support/model_support.hpp"

/// Lists the built-in joints once for all tests that use them.
namespace corio::test {

using BuiltIn = std::tuple<joint::Revolute, joint::Continuous, joint::Prismatic, joint::Helical, joint::Cylindrical,
                           joint::Translation, joint::Planar, joint::Spherical, joint::FreeFlyer>;
/// The first joints in this order have one axis, about or along which they move, as their argument.
inline constexpr int axial_joints = 5;
/// The first joints up to this number have plain vectors as configurations; the others hold numbers whose squares sum
/// up to one.
inline constexpr int plain_joints = 6;
inline constexpr int built_in_joints = std::tuple_size_v<BuiltIn>;

/// Holds the functions of a joint over S: tests of all joints are compiled once for each scalar, not for each joint.
template <class S>
class JointOver {
 public:
  virtual ~JointOver() = default;
  virtual Pose<S> compose(const Pose<S>& A, const S* q) const = 0;
  virtual void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const = 0;
  virtual void neutral(S* q) const = 0;
  virtual void random(const joint::Uniform& uniform, S* q) const = 0;
  virtual void integrate(const S* q, const S* dv, S* out) const = 0;
  virtual void difference(const S* q0, const S* q1, S* dv) const = 0;
  virtual void normalize(S* q) const = 0;
  virtual double violation(const S* q) const = 0;
  virtual Matrix3<double> axes() const = 0;
  virtual joint::JointSpec<S> any() const = 0;

  std::string type;
  int nq, nv;
  int normed;  ///< how many numbers at the end of q have norm one

 protected:
  JointOver(std::string name, int num_q, int num_v, int num_normed)
      : type(std::move(name)), nq(num_q), nv(num_v), normed(num_normed) {}
};

template <class S, class J>
class JointAs final : public JointOver<S> {
 public:
  JointAs() : JointOver<S>(J::type, J::nq, J::nv, of_norm_one) {}
  Pose<S> compose(const Pose<S>& A, const S* q) const override { return joint_.compose(A, q); }
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const override { joint_.columns(X, q, phi); }
  void neutral(S* q) const override { joint_.neutral(q); }
  void random(const joint::Uniform& uniform, S* q) const override { joint_.random(uniform, q); }
  void integrate(const S* q, const S* dv, S* out) const override { joint_.integrate(q, dv, out); }
  void difference(const S* q0, const S* q1, S* dv) const override { joint_.difference(q0, q1, dv); }
  void normalize(S* q) const override { joint_.normalize(q); }
  double violation(const S* q) const override { return joint_.violation(q); }
  Matrix3<double> axes() const override {
    if constexpr (requires { joint_.axes(); })
      return joint_.axes();
    else
      return Matrix3<double>::Identity();
  }
  joint::JointSpec<S> any() const override { return joint::JointSpec<S>(joint_); }

 private:
  static constexpr int of_norm_one = std::is_same_v<J, joint::Planar> ? 2 : J::nq > J::nv ? 4 : 0;
  const J joint_ = oblique_joint<J>();
};

/// Returns one joint of the tuple above.
template <class S>
const JointOver<S>& built_in(int i) {
  static const auto all = []<class... J>(std::type_identity<std::tuple<J...>>) {
    return std::array<std::unique_ptr<JointOver<S>>, sizeof...(J)>{std::make_unique<JointAs<S, J>>()...};
  }(std::type_identity<BuiltIn>());
  return *all[static_cast<std::size_t>(i)];
}

}  // namespace corio::test
