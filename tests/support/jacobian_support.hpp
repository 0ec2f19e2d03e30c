#pragma once

#include <limits>
#include <string>
#include <vector>

#include "corio/algorithms/derivatives/jacobian_derivatives.hpp"
#include "support/derivatives_support.hpp"

/// Points and frames for Jacobians, and their Jacobians as results, written over NaN.
namespace corio::test {

using enum ReferenceFrame;

/// A Where that can be made for the same model over several scalars.
struct Place {
  std::string frame;
  ReferenceFrame reference;
  Vector3<double> point;

  template <class S>
  FramePoint<S> on(const Model<S>& model) const {
    return {model.frame(frame), reference, point.cast<S>()};
  }
};

/// Returns a point of every body, in every reference frame.
inline std::vector<Place> places(const Model<double>& model, Random<double>& random) {
  std::vector<Place> all;
  for (const auto& frame : model.frames())
    for (const auto reference : all_references) all.push_back({frame.name(), reference, random.vector()});
  return all;
}

template <class S>
MatrixX<S> jacobian(const Model<S>& model, const Data<S>& data, const FramePoint<S>& where) {
  MatrixX<S> J = MatrixX<S>::Constant(6, model.nv(), S(std::numeric_limits<double>::quiet_NaN()));
  body_jacobian(model, data, where, J);
  return J;
}
template <class S>
MatrixX<S> jacobian_dot(const Model<S>& model, const Data<S>& data, const FramePoint<S>& where) {
  MatrixX<S> J = MatrixX<S>::Constant(6, model.nv(), S(std::numeric_limits<double>::quiet_NaN()));
  body_jacobian_dot(model, data, where, J);
  return J;
}
template <class S>
MatrixX<S> jacobian_ddot(const Model<S>& model, const Data<S>& data, const FramePoint<S>& where) {
  MatrixX<S> J = MatrixX<S>::Constant(6, model.nv(), S(std::numeric_limits<double>::quiet_NaN()));
  body_jacobian_ddot(model, data, where, J);
  return J;
}

}  // namespace corio::test
