#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/algorithms/dynamics/com_jacobian.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/loops/constraint_jacobian.hpp"

/// Targets of inverse_kinematics, and the errors of targets and loops as one vector.
namespace corio { inline namespace CORIO_ABI {

/// A target: the desired pose of a body or frame in the world.
template <class S>
struct PoseTarget {
  enum class Of { pose, position, orientation };

  Frame<S> frame;
  Pose<std::type_identity_t<S>> pose;
  Of of = Of::pose;  // the part of the pose that is prescribed

  bool turns() const { return of != Of::position; }
  bool moves() const { return of != Of::orientation; }
  int rows() const { return turns() && moves() ? 6 : 3; }
};

namespace detail {

/// Returns the largest coordinate of a node, from the base of its tree or from the origin of the world. The origin may
/// be so far away that open loops would count as closed relative to this distance.
template <class S>
S largest_coordinate(const Data<S>& data, bool from_origin) {
  S largest(0);
  for (int b = 0; b < data.pose.size(); ++b) {
    const Vector3<S> p = from_origin ? data.pose[b].translation + data.origin[b] : data.pose[b].translation;
    largest = (std::max)(largest, S(p.cwiseAbs().maxCoeff()));
  }
  return largest;
}

/// Returns the size, at least 1, of the coordinates whose differences are the conditions of a loop.
template <class S>
S size_of_loop(const Model<S>& model, const Data<S>& data, const typename Loops<S>::Loop& loop) {
  S largest(1);
  for (const auto& [joint, factor] : loop.terms)
    largest = (std::max)(largest, std::abs(data.q[joint.q_index()] * (loop.relation ? S(1) : S(factor))));
  if (loop.frames.empty()) return largest;
  const auto base = [&](std::size_t i) {
    const int b = loop.frames[i].node();
    return b < 0 ? -1 : model.node(b).base;
  };
  return (std::max)(largest, largest_coordinate(data, base(0) != base(1)));
}

/// The errors k(q) of targets and loops, one after the other. In world axes, a target has log(R R_target^T) for its
/// orientation and p - p_target for its position. The conditions of the loops follow, with the senses of their axes.
template <std::floating_point S>
class TargetsAndLoops {
 public:
  /// @param com  the desired position of the centre of mass
  TargetsAndLoops(const Model<S>& model, Data<S>& data, const Loops<S>& loops, std::vector<PoseTarget<S>> targets = {},
                  std::optional<Vector3<S>> com = {})
      : model_(model), data_(data), loops_(loops.with_senses()), targets_(std::move(targets)), com_(std::move(com)) {}

  const Model<S>& model() const { return model_; }
  Eigen::Index rows() const { return first_of_loops() + loops_.rows(); }
  void residual(const VectorX<S>& q, VectorX<S>& k) const {
    forward_kinematics<S>(model_, data_, q);
    Eigen::Index row = 0;
    for (const auto& target : targets_) {
      const Pose<S> at = body_pose<S>(model_, data_, target.frame);
      if (target.turns())
        k.template segment<3>(std::exchange(row, row + 3)) =
            log_rotation<S>(at.rotation * transpose(target.pose.rotation));
      if (target.moves()) k.template segment<3>(std::exchange(row, row + 3)) = at.translation - target.pose.translation;
    }
    if (com_) k.template segment<3>(row) = center_of_mass(model_, data_) - *com_;
    constraint_residual<S>(model_, data_, loops_, k.tail(loops_.rows()));
  }
  /// Computes the scale, at least 1, of the rounding errors of each error at the q of the last call of residual(): the
  /// size of the coordinates whose difference the error is.
  void sizes(VectorX<S>& size) const {
    using Form = closure::Condition::Form;
    size.setOnes();
    Eigen::Index row = 0;
    const auto set_position = [&](const Vector3<S>& p) {
      size.template segment<3>(row - 3).setConstant(
          (std::max)({S(1), largest_coordinate(data_, true), S(p.cwiseAbs().maxCoeff())}));
    };
    for (const auto& target : targets_) {
      row += target.rows();
      if (target.moves()) set_position(target.pose.translation);
    }
    if (com_) row += 3, set_position(*com_);
    for (const auto& loop : loops_.all()) {
      const S largest = size_of_loop(model_, data_, loop);
      for (int i = 0; i < loop.rows(); ++i) {
        const Form form = loop.frames.empty() ? Form::offset : loop.conditions[static_cast<std::size_t>(i)].form;
        if (form != Form::direction && form != Form::sense) size[row + loop.begin + i] = largest;
      }
    }
  }
  /// Computes K, with dk/dt = K v, at the q of the last call of residual(), whose result is k.
  void jacobian(const VectorX<S>& k, MatrixX<S>& K) const {
    K.topRows(first_of_loops()).setZero();
    Eigen::Index row = 0;
    for (const auto& target : targets_) {
      const int b = target.frame.node();
      const Vector3<S> p = (data_.pose[b] * target.frame.placement()).translation;
      const bool turns = target.turns();
      const Matrix3<S> L = left_jacobian_inverse<S>(turns ? Vector3<S>(k.template segment<3>(row)) : zero3<S>());
      for (int j = model_.node(b).v_end - 1; j >= 0; j = model_.parent_dof(j)) {
        const Motion<S> phi = about(data_.phi[j], p);
        if (turns) K.col(j).template segment<3>(row) = L * phi.angular;
        if (target.moves()) K.col(j).template segment<3>(row + (turns ? 3 : 0)) = phi.linear;
      }
      row += target.rows();
    }
    if (com_) K.template middleRows<3>(row) = com_jacobian(model_, data_);
    constraint_jacobian<S>(model_, data_, loops_, K.bottomRows(loops_.rows()));
  }
  /// Returns the name of the frame or loop that a row belongs to, or "centre of mass".
  std::string name_of(Eigen::Index row) const {
    const Eigen::Index of_loops = row - first_of_loops();
    if (of_loops >= 0) return loops_.of_row(static_cast<int>(of_loops)).name;
    for (const auto& target : targets_)
      if ((row -= target.rows()) < 0) return target.frame.name();
    return "centre of mass";
  }

 private:
  Eigen::Index first_of_loops() const {
    Eigen::Index row = com_ ? 3 : 0;
    for (const auto& target : targets_) row += target.rows();
    return row;
  }

  const Model<S>& model_;
  Data<S>& data_;
  const Loops<S> loops_;
  const std::vector<PoseTarget<S>> targets_;
  const std::optional<Vector3<S>> com_;
};

}  // namespace detail
}}  // namespace corio
