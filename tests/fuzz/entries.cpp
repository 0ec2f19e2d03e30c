#include "fuzz/entries.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "corio/corio.hpp"
#include "corio/io/write_urdf.hpp"
#include "corio/loops/assemble.hpp"
#include "corio/mechanism/dynamics.hpp"

namespace corio::fuzz {
namespace {

/// Sums of products of numbers up to this size stay finite, so that NaN or infinity has another cause.
constexpr double moderate = 1e30;

bool is_moderate(const Model<double>& model) {
  double size = model.gravity().cwiseAbs().maxCoeff();
  for (int b = 0; b < model.num_nodes(); ++b) {
    const auto& node = model.node(b);
    const Pose<double> placement = node.placement;
    const InertialParameters<double> of_node = node.parameters;
    size = std::max({size, placement.translation.cwiseAbs().maxCoeff(), std::abs(of_node.mass),
                     of_node.com.cwiseAbs().maxCoeff(), of_node.inertia.cwiseAbs().maxCoeff(),
                     std::abs(node.joint.pitch())});
  }
  return size < moderate;
}

void exercise_loops(const Model<double>& model) {
  if (model.loops().empty()) return;
  try {
    const Loops<double> loops(model);
    Data<double> tree(model);
    const auto assembly = assemble<double>(model, tree, loops, neutral(model));
    require(assembly.q.allFinite(), "assemble returned a number that is not finite");
    if (!assembly.closed) return;
    const Mechanism<double> mechanism(model, loops, assembly.q);
    MechanismData<double> data(mechanism);
    const VectorX<double> y = VectorX<double>::Ones(mechanism.nv());
    require(rnea<double>(mechanism, data, assembly.q, y, y).allFinite(), "rnea of a mechanism is not finite");
  } catch (const Error&) {
  }
}

}  // namespace

void require(bool condition, const char* text) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", text);
  std::abort();
}

double Source::number() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double rare[] = {
      0.0,   -0.0,   1e-6,  1e6,    1e12,     1e-300,    1e100,
      1e103, -1e200, 1e308, 5e-324, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
  const int x = byte();
  if (x < static_cast<int>(std::size(rare))) return rare[x];
  return (x - 128) / 32.0;
}
Vector3<double> Source::vector() {
  const double x = number(), y = number();
  return {x, y, number()};
}
Pose<double> Source::pose() {
  const Vector3<double> turn = vector();
  return {rotation_from_quaternion(exp_quaternion(turn)), vector()};
}

void exercise(const Model<double>& model) {
  Data<double> data(model);
  const VectorX<double> q = neutral(model), ones = VectorX<double>::Ones(model.nv());
  const bool finite = rnea<double>(model, data, q, ones, ones).allFinite() && crba<double>(model, data, q).allFinite();
  require(finite || !is_moderate(model), "an accepted model has dynamics that are not finite");
  if (!is_moderate(model)) return;
  try {
    write_urdf(model);
  } catch (const Error&) {  // joints that URDF does not have
  }
  exercise_loops(model);
}

}  // namespace corio::fuzz
