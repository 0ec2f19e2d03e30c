#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "corio/codegen/functions.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// The indices in q and v of each joint, one line per joint.
template <class S>
std::string layout(const Model<S>& model) {
  std::string text;
  for (const auto& joint : model.joints()) {
    if (joint.nv() == 0) continue;
    const auto range = [](int begin, int n) {
      return "[" + std::to_string(begin) + (n > 1 ? ".." + std::to_string(begin + n - 1) : "") + "]";
    };
    text += "q" + range(joint.q_index(), joint.nq()) + ", v" + range(joint.v_index(), joint.nv()) + ": " +
            joint.name() + "\n";
  }
  return text;
}
/// A name made an identifier of C.
inline std::string identifier(std::string name) {
  for (char& c : name)
    if (!is_identifier({'_', c})) c = '_';
  return is_identifier(name) ? name : "robot_" + name;
}

/// q, v, and a or tau of a test state, one after the other. Three of four states are random; the fourth is at the
/// neutral configuration, half a turn away from it about one degree of freedom, or at rest.
template <class Generator>
VectorX<double> test_state(const Model<double>& model, int number, Generator& generator) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int n = model.nv(), nq = model.nq();
  VectorX<double> x(nq + 2 * n), turn = zeros<double>(n);
  x.head(nq) = random_configuration(model, generator);
  for (int i = nq; i < x.size(); ++i) x[i] = uniform(generator);
  if (number % 4 != 3 || n == 0) return x;
  turn[number / 12 % n] = std::numbers::pi;
  if (number / 4 % 3 == 0) x.head(nq) = neutral(model);
  if (number / 4 % 3 == 1) x.head(nq) = integrate<double>(model, neutral(model), turn);
  if (number / 4 % 3 == 2) x.segment(nq, n).setZero();
  return x;
}

/// The largest difference of a recorded function from the templates in test states, as |y - exact| / |exact|, or / |M|
/// where `exact` is rounding of zero, as the C of a single joint; NaN if a result is.
inline double largest_difference(const std::string& function, const Model<double>& model, const Recording& f,
                                 const Schedule& schedule, int states) {
  const int n = model.nv(), nq = model.nq();
  std::mt19937_64 generator(1);
  Data<double> data(model);
  const double mass = (std::max)(crba<double>(model, data, neutral(model)).norm(), 1e-300);
  double worst = 0;
  for (int s = 0; s < states; ++s) {
    const VectorX<double> x = test_state(model, s, generator);
    const std::vector<double> y = f.evaluate(schedule, x.data());
    double size = 0, difference = 0;
    auto number = y.begin();
    for_each_result<double, Model>(function, model, data, x.head(nq), x.segment(nq, n), x.tail(n),
                                   [&](const char*, const MatrixX<double>& exact) {
                                     size = std::hypot(size, exact.norm());
                                     for (const double e : exact.reshaped())
                                       difference = std::hypot(difference, *number++ - e);
                                   });
    const double error = difference / (size > 1e-12 * mass ? size : mass);
    if (std::isnan(error)) return error;
    worst = (std::max)(worst, error);
  }
  return worst;
}

}  // namespace corio::codegen
