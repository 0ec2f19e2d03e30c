#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "corio/codegen/functions.hpp"
#include "corio/loops/assemble.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// Returns a line for each joint with its indices in q and v. In a mechanism v are the independent speeds; joints that
/// others drive have indices in q alone.
template <class S, template <class> class Robot>
std::string layout(const Robot<S>& robot) {
  const auto dof = [&](int k) {
    if constexpr (std::is_same_v<Robot<S>, Model<S>>)
      return k;
    else
      return robot.dof_of_speed(k);
  };
  const auto range = [](const char* of, int begin, int n) {
    const std::string last = n > 1 ? ".." + std::to_string(begin + n - 1) : "";
    return corio::detail::join({of, "[", std::to_string(begin), last, "]"});
  };
  std::string text;
  for (const auto& joint : robot.tree().joints()) {
    if (joint.nv() == 0) continue;
    int speed = -1, speeds = 0;  // the first independent speed of the joint, and how many it has
    for (int k = robot.nv(); k-- > 0;)
      if (dof(k) >= joint.v_index() && dof(k) < joint.v_index() + joint.nv()) speed = k, ++speeds;
    text += range("q", joint.q_index(), joint.nq()) + (speeds > 0 ? range(", v", speed, speeds) : "") + ": " +
            joint.name() + (speeds > 0 ? "" : ", driven by others") + "\n";
  }
  return text;
}

/// Returns q, v, and a or tau of a test state. Three of four states are random; the fourth is at the neutral
/// configuration, half a turn away from it about one degree of freedom, or at rest.
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
/// Returns a test state of a mechanism: gears are closed in any of these configurations, other loops up to 0.1 rad or m
/// away from the nominal one in each independent joint, less if the loops do not close.
template <class Generator>
VectorX<double> test_state(const Mechanism<double>& mechanism, int number, Generator& generator,
                           const VectorX<double>& nominal) {
  const Model<double>& tree = mechanism.tree();
  const VectorX<double> of_tree = test_state(tree, number, generator);
  const int n = mechanism.nv(), nq = tree.nq();
  VectorX<double> x(nq + 2 * n);
  x.head(nq) = of_tree.head(nq);
  for (int k = 0; k < n; ++k)
    for (int part : {0, 1}) x[nq + part * n + k] = of_tree[nq + part * tree.nv() + mechanism.dof_of_speed(k)];
  MechanismData<double> data(mechanism);
  if (nominal.size() == 0) x.head(nq) = assemble<double>(mechanism, data, x.head(nq).eval()).q;
  for (double reach = 0.1; nominal.size() > 0 && reach > 1e-4; reach /= 4) {
    forward_kinematics<double>(mechanism, data, nominal, (reach * x.segment(nq, n)).eval());
    const auto assembly = assemble<double>(mechanism, data, integrate<double>(tree, nominal, data.tree.v));
    x.head(nq) = assembly.closed ? assembly.q : nominal;
    if (assembly.closed) break;
  }
  return x;
}

/// Returns the largest error of the results of a recorded function in test states, for each result by itself: |y -
/// exact| / |exact|. An `exact` that is zero up to rounding, as the C of a single joint, counts as |M|, or as 1 if it
/// is kinematic. NaN if a result is NaN.
///
/// If M is singular to rounding, the templates are no more exact than the code. Functions that divide by M are
/// therefore judged by the backward error, the size of E / M with which y comes from M + E: with a = M^-1 (tau - h)
/// and x = M^-1 B(a), such as da/dq,
///   M (y - x) = -E x - B(M^-1 E a) - rounding of B(a)
///   =>   |M (y - x)| / (|M| |x| + |B(M^-1 u)| + |M| |a|),   |u| = |M| |a|,
/// for a random u, and B(M^-1 u) = M (x(tau + u) - x(tau)) since x is linear in tau; aba and M^-1 have the first term
/// alone.
/// @param nominal  as in record
template <template <class> class Robot>
double largest_difference(const std::string& function, const Robot<double>& robot, const Recording& f,
                          const Schedule& schedule, int states, const VectorX<double>& nominal = {}) {
  const int n = robot.nv(), nq = robot.tree().nq();
  std::mt19937_64 generator(1), directions(2);
  std::normal_distribution<double> normal;
  DataOf<Robot<double>> data(robot), of_mass(robot);
  const std::string name = name_and_frame(function).first;
  const Eigen::Index extra = f.inputs().size() < 4 ? 1 : f.inputs()[3].size();
  const bool divides_by_M = name == "aba" || name == "mass_matrix_inverse" || name == "forward_dynamics_derivatives";
  const bool is_kinematic =
      name.starts_with("body_") || name == "velocity_map" || name == "center_of_mass" || name == "com_jacobian";
  double worst = 0;
  for (int s = 0; s < states; ++s) {
    VectorX<double> x(nq + 2 * n + extra), last;
    if constexpr (std::is_same_v<Robot<double>, Model<double>>)
      x << test_state(robot, s, generator), VectorX<double>::Constant(extra, 1e-3);
    else
      x << test_state(robot, s, generator, nominal), VectorX<double>::Constant(extra, 1e-3);
    last = x.tail(extra);
    if (f.inputs().size() > 3 && name != "step")
      for (double& entry : last) entry = normal(directions);
    x.tail(extra) = last;
    const VectorX<double> q = x.head(nq), v = x.segment(nq, n), a = x.segment(nq + n, n);
    const MatrixX<double> M = crba<double>(robot, of_mass, q);
    const double mass = (std::max)(M.norm(), 1e-300), zero = is_kinematic ? 1.0 : mass;
    const auto results_at = [&](const VectorX<double>& tau) {
      std::vector<MatrixX<double>> all;
      for_each_result<double, Robot>(
          function, robot, data, q, v, tau, [&](const char*, const MatrixX<double>& result) { all.push_back(result); },
          last);
      return all;
    };
    const auto exact = results_at(a);
    auto moved = exact;
    double force = 0;
    if (name == "forward_dynamics_derivatives" && n > 0) {
      const VectorX<double> u = VectorX<double>::NullaryExpr(n, [&] { return normal(directions); });
      force = mass * aba<double>(robot, of_mass, q, v, a).norm();
      moved = results_at(a + force / u.norm() * u);
    }
    const std::vector<double> y = f.evaluate(schedule, x.data());
    const double* number = y.data();
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const Recording::Array& array = f.outputs()[i];
      MatrixX<double> error = -exact[i];
      for (int k = 0; k < array.size(); ++k) error(array.row_of(k), array.column_of(k)) += *number++;
      const double size =
          divides_by_M ? mass * exact[i].norm() + (M * (moved[i] - exact[i])).norm() + force : exact[i].norm();
      const double relative =
          (divides_by_M ? MatrixX<double>(M * error) : error).norm() / (size > 1e-12 * zero ? size : zero);
      if (!(relative <= worst)) worst = relative;  // a NaN stays the worst
    }
    if (std::isnan(worst)) break;
  }
  return worst;
}

}}}  // namespace corio::codegen
