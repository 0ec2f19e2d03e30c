#pragma once

#include <cmath>

#include "corio/model/edit.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// The changes of snap: how many numbers changed, and the largest change.
struct Snapped {
  int count = 0;
  double largest = 0;
  void operator()(double& x, double to) {
    if (x == to) return;
    ++count, largest = (std::max)(largest, std::abs(x - to));
    x = to;
  }
};

/// Makes entries of a rotation within `dust` of zero zero, and then those alone in their row and column +-1: cos(pi/2)
/// is 6e-17 in double, and 4.9e-12 for an angle that a file has with ten digits. Zeros make the code shorter, by up to
/// 46 % for a real robot. R stays orthogonal up to `dust`.
inline void snap(Matrix3<double>& R, double dust, Snapped& done) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (std::abs(R(i, j)) <= dust) done(R(i, j), 0.0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      int others = 0;
      for (int k = 0; k < 3; ++k) others += (k != j && R(i, k) != 0.0) + (k != i && R(k, j) != 0.0);
      if (others == 0) done(R(i, j), std::round(R(i, j)));
    }
}
/// Snaps the axes and placements of a body and its joint, and, relative to the trace, the products of its inertia.
inline void snap(BodySpec<double>& body, double dust, Snapped& done) {
  snap(body.placement.rotation, dust, done), snap(body.body_placement.rotation, dust, done);
  for (auto& link : body.joint.chain) snap(link.axes, dust, done);
  snap(body.joint.tail, dust, done);
  Matrix3<double>& inertia = body.inertia.inertia;
  const double trace = inertia(0, 0) + inertia(1, 1) + inertia(2, 2);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      if (i != j && std::abs(inertia(i, j)) <= dust * trace) done(inertia(i, j), 0.0);
}

/// The dust of any model: entries are rounded to 1e-16, and products of rotations to a few times this.
inline constexpr double rounded = 1e-15;

/// Returns a model without dust: the model itself if it has none.
inline Model<double> snapped(const Model<double>& model, double dust = rounded) {
  Snapped done;
  const auto changed = [&](BodySpec<double> body) {
    snap(body, dust, done);
    return body;
  };
  const auto builder = corio::detail::to_builder_without_notes(model, changed);
  return done.count > 0 ? builder.build() : model;
}

}}}  // namespace corio::codegen
