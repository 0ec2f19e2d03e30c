#pragma once

#include <Eigen/LU>
#include <memory>
#include <numbers>
#include <random>

#include "baselines/coriolis_columns.hpp"
#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/geometry/christoffel_symbols.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/zoo/zoo.hpp"
#include "timing.hpp"

/// The robots of Echeandia and Wensing (2021), section 5, and the algorithms that are timed on them.
namespace paper {

using Model = corio::Model<double>;

/// A model and 100 random states, as in the paper: q in [0, 2 pi], v in [0, 10]. A floating base has any position and
/// orientation.
struct Robot {
  struct State {
    Eigen::VectorXd q, v;
  };
  explicit Robot(const Model& model_) : model(model_), data(model), columns(model), dense(model), packed(model) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> angle(0, 2 * std::numbers::pi), speed(0, 10);
    for (int i = 0; i < 100; ++i) {
      State s{corio::random_configuration(model, random), Eigen::VectorXd(model.nv())};
      for (const corio::Joint& joint : model.joints())
        if (joint.nq() == 1) s.q[joint.q_index()] = angle(random);
      for (double& v : s.v) v = speed(random);
      states.push_back(std::move(s));
    }
  }
  Model model;
  corio::Data<double> data;
  corio::baseline::CoriolisColumns<double> columns;
  corio::ChristoffelTensor<double> dense;
  corio::PackedChristoffelTensor<double> packed;
  std::vector<State> states;
};

/// The largest absolute value of the entries.
inline double largest(const Eigen::MatrixXd& A) {
  double max = 0;
  for (const double x : A.reshaped()) max = std::max(max, std::abs(x));
  return max;
}

/// Writes a constant to all entries that christoffel_symbols writes, to measure the time that its stores take.
inline void write_only(const Model&, corio::ChristoffelTensor<double>& Gamma) {
  const auto n = static_cast<Eigen::Index>(Gamma.size());
  std::fill_n(Gamma.tensor().data(), n * n * n, 1.0);
}
inline void write_only(const Model& model, corio::PackedChristoffelTensor<double>& Gamma) {
  auto& triples = Gamma.triples();
  triples.for_each_row(model, [&](int j) {
    const int begin = triples.dof(j).begin, length = triples.dof(j).end - begin;
    triples.for_each_run(j, [&](int, double* strip) {
      std::fill_n(strip + begin, length, 1.0);
      std::fill_n(strip + triples.kind() + begin, length, 1.0);
    });
  });
}

/// The number of the n^3 symbols that are not zero for every state.
inline int count_written(const Model& model) {
  corio::PackedChristoffelTensor<double> packed(model);
  corio::ChristoffelTensor<double> marks(model);
  write_only(model, packed);
  packed.unpack(marks);
  int count = 0;
  for (int i = 0; i < model.nv(); ++i) count += static_cast<int>((marks.page(i).array() != 0).count());
  return count;
}

/// A robot with a given number of joint degrees of freedom, and the places of its times in the timer.
struct Point {
  enum Algorithm { coriolis, symbols, packed, columns };
  int joints;
  std::shared_ptr<Robot> robot;
  std::size_t time[4];

  /// Numbers of pairs and triples of related degrees of freedom, i at or above j at or above k, over which the loops of
  /// the algorithms run.
  double pairs() const {
    double count = 0;
    for (int j = 0; j < robot->model.nv(); ++j)
      for (int i = j; i >= 0; i = robot->model.parent_dof(i)) ++count;
    return count;
  }
  double triples() const { return static_cast<double>(robot->packed.stored()) / 2; }
};

inline Point add_point(Timer& timer, int joints, const Model& model) {
  auto r = std::make_shared<Robot>(model);
  const auto add = [&](auto f) {
    return timer.add(static_cast<int>(r->states.size()), [r, f] {
      for (const auto& s : r->states) f(*r, s);
    });
  };
  return {joints,
          r,
          {add([](Robot& x, const auto& s) { corio::coriolis_matrix(x.model, x.data, s.q, s.v); }),
           add([](Robot& x, const auto& s) { corio::christoffel_symbols(x.model, x.data, s.q, x.dense); }),
           add([](Robot& x, const auto& s) { corio::christoffel_symbols(x.model, x.data, s.q, x.packed); }),
           add([](Robot& x, const auto& s) { x.columns(x.model, x.data, s.q, s.v); })}};
}

/// A curve of a figure for each algorithm, and a row of Table 1.
struct Series {
  const char *key, *title;
  int figure, base;  // base: number of degrees of freedom of the floating base
  Model (*make)(int);
  std::vector<int> sizes;
  double paper_coriolis, paper_symbols;  // Table 1, microseconds
  double (*depth)(double);               // the depth d in costs n d and n d^2, up to a factor
  const char *coriolis_law, *symbols_law;
  std::vector<Point> points = {};
  std::size_t write_dense = 0, write_packed = 0;  // indices in the timer, for the robot of Table 1

  const Point& table_1() const {
    return *std::find_if(points.begin(), points.end(), [](const Point& p) { return p.joints == 20; });
  }
  std::size_t fit_begin() const { return points.size() / 2; }
  /// The order of growth of f(point) over the upper half of the sizes, where the work done once per call matters less.
  template <class F>
  PowerLaw fit(F f) const {
    std::vector<double> x, y;
    for (std::size_t i = fit_begin(); i < points.size(); ++i) {
      x.push_back(points[i].joints);
      y.push_back(f(points[i]));
    }
    return fit_power_law(x, y);
  }
  PowerLaw fit(const Timer& timer, Point::Algorithm a) const {
    return fit([&](const Point& p) { return timer.microseconds(p.time[a]); });
  }
  /// t = per_dof * nv + per_term * terms(point) [ns], by least squares of the relative deviation over all sizes.
  struct Parts {
    double per_dof, per_term;
    double deviation;  // the largest relative deviation
  };
  Parts split(const Timer& timer, Point::Algorithm a, double (Point::*terms)() const) const {
    std::vector<Eigen::Vector2d> rows;
    Eigen::Matrix2d A = Eigen::Matrix2d::Zero();
    Eigen::Vector2d b = Eigen::Vector2d::Zero();
    for (const Point& p : points) {
      const double t = 1000 * timer.microseconds(p.time[a]);
      rows.emplace_back(p.robot->model.nv() / t, (p.*terms)() / t);
      A += rows.back() * rows.back().transpose();
      b += rows.back();
    }
    const Eigen::Vector2d cost = A.inverse() * b;
    double deviation = 0;
    for (const auto& row : rows) deviation = std::max(deviation, std::abs(row.dot(cost) - 1));
    return {cost[0], cost[1], deviation};
  }
  /// The order of growth that n d^power has over the same sizes.
  double theory(int power) const {
    return fit([&](const Point& p) { return (base + p.joints) * std::pow(depth(p.joints), power); }).order;
  }
};

inline std::vector<Series> make_series() {
  const std::vector<int> sizes = {5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60};
  std::vector<int> more = sizes, legged;
  more.insert(more.end(), {80, 100});
  for (int n = 4; n <= 40; n += 4) legged.push_back(n);
  namespace zoo = corio::zoo;
  return {
      {"serial_chain", "Serial chain", 2, 0, zoo::serial_chain<double>, sizes, 18, 122, [](double n) { return n; },
       "n^2", "n^3"},
      {"binary_tree", "Binary tree", 3, 0, zoo::binary_tree<double>, more, 10, 33, [](double n) { return std::log(n); },
       "n log n", "n (log n)^2"},
      {"biped", "Biped", 4, 6, zoo::biped<double>, legged, 13, 64, [](double n) { return 6 + n / 2; }, "n d", "n d^2"},
      {"quadruped", "Quadruped", 4, 6, zoo::quadruped<double>, legged, 10, 37, [](double n) { return 6 + n / 4; },
       "n d", "n d^2"}};
}

}  // namespace paper
