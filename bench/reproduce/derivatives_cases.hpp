#pragma once

#include <algorithm>
#include <limits>
#include <memory>

#include "baselines/autodiff.hpp"
#include "baselines/idsva_body.hpp"
#include "derivatives_errors.hpp"
#include "humanoid_50.hpp"

/// The mechanisms of Singh, Russell and Wensing (2022), section V, and the algorithms that are timed on them.
namespace paper {

using Model = corio::Model<double>;

/// A model, random states, and the workspaces of all algorithms.
struct Robot {
  struct State {
    Eigen::VectorXd q, v, a, tau;
  };
  static constexpr int count = 20;

  explicit Robot(const Model& model_)
      : model(model_), data(model), rneacr(model), idsva_body(model), fdcr(model), abacr(model) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> real(-1, 1);
    for (int i = 0; i < count; ++i) {
      State s{corio::random_configuration(model, random), Eigen::VectorXd(model.nv()), Eigen::VectorXd(model.nv()),
              Eigen::VectorXd(model.nv())};
      for (auto* x : {&s.v, &s.a, &s.tau})
        for (double& y : *x) y = real(random);
      states.push_back(std::move(s));
    }
  }
  Model model;
  corio::Data<double> data;
  corio::baseline::Rneacr rneacr;
  corio::baseline::IdsvaBody idsva_body;
  corio::baseline::Fdcr fdcr;
  corio::baseline::Abacr abacr;
  std::vector<State> states;
};

/// The last two belong to Pinocchio, if it was found.
enum Algorithm { idsva, rneacr, idsva_body, fdsva, fdcr, abacr, dmm, aza, peer_id, peer_fd, algorithms };

/// A mechanism, and the places of its times in the timer.
struct Point {
  int n;
  std::shared_ptr<Robot> robot;
  std::size_t time[algorithms] = {};
  bool has_peer = false;

  /// NaN if Pinocchio was not found.
  double microseconds(const Timer& timer, Algorithm a) const {
    return a >= peer_id && !has_peer ? std::numeric_limits<double>::quiet_NaN() : timer.microseconds(time[a]);
  }
  /// The time of a over the time of b, both measured in the same rounds.
  double ratio(const Timer& timer, Algorithm a, Algorithm b) const {
    return microseconds(timer, a) / microseconds(timer, b);
  }
};

inline Point add_point(Timer& timer, int n, const Model& model, int first = idsva, int last = aza) {
  using corio::DerivativeRoute;
  Point point{n, std::make_shared<Robot>(model)};
  const auto add = [&](Algorithm a, auto f) {
    if (a < first || a > last) return;
    point.time[a] = timer.add(Robot::count, [r = point.robot, f] {
      for (const auto& s : r->states) f(*r, s);
    });
  };
  const auto by_route = [](DerivativeRoute route) {
    return [route](Robot& r, const auto& s) {
      corio::forward_dynamics_derivatives(r.model, r.data, s.q, s.v, s.tau, {}, route);
    };
  };
  add(idsva, [](Robot& r, const auto& s) { corio::inverse_dynamics_derivatives(r.model, r.data, s.q, s.v, s.a); });
  add(rneacr, [](Robot& r, const auto& s) { r.rneacr(r.model, s.q, s.v, s.a); });
  add(idsva_body, [](Robot& r, const auto& s) { r.idsva_body(r.model, s.q, s.v, s.a); });
  add(fdsva, by_route(DerivativeRoute::automatic));
  add(fdcr, [](Robot& r, const auto& s) { r.fdcr(r.model, s.q, s.v, s.tau); });
  add(abacr, [](Robot& r, const auto& s) { r.abacr(r.model, s.q, s.v, s.tau); });
  add(dmm, by_route(DerivativeRoute::dense));
  add(aza, by_route(DerivativeRoute::articulated));
  return point;
}

/// The trees of one branching factor.
struct Series {
  const char *key, *title;
  int branching;
  std::vector<int> sizes;
  std::vector<Point> points = {};

  Model make(int n) const { return branching == 1 ? corio::zoo::serial_chain(n) : corio::zoo::tree(n, branching); }
  const Point& at(int n) const {
    return *std::find_if(points.begin(), points.end(), [n](const Point& p) { return p.n == n; });
  }
  /// The order of growth of the time over the upper half of the sizes, where the work done once per call matters less.
  /// The size 128 is left out, since there the rows of a matrix compete for the same lines of the cache.
  PowerLaw fit(const Timer& timer, Algorithm a) const {
    std::vector<double> x, y;
    for (std::size_t i = points.size() / 2; i < points.size() - 1; ++i) {
      x.push_back(points[i].n);
      y.push_back(points[i].microseconds(timer, a));
    }
    return fit_power_law(x, y);
  }
};

inline std::vector<Series> make_series() {
  const std::vector<int> sizes = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 120, 128};
  return {{"chain", "chain", 1, sizes}, {"tree2", "bf 2", 2, sizes}, {"tree4", "bf 4", 4, sizes}};
}

/// The size from which on the curve `second` is below the curve `first`, interpolated between the last size at which it
/// is not and the next one; zero if it is below at all sizes, negative if at none.
inline double crossover(const std::vector<double>& size, const std::vector<double>& first,
                        const std::vector<double>& second) {
  std::size_t i = size.size();
  while (i > 0 && second[i - 1] < first[i - 1]) --i;
  if (i == 0) return 0;
  if (i == size.size()) return -1;
  const double before = std::log(second[i - 1] / first[i - 1]), after = std::log(second[i] / first[i]);
  return size[i - 1] * std::pow(size[i] / size[i - 1], before / (before - after));
}

/// Times of all ways to compute the derivatives of inverse and forward dynamics of a chain, and their errors against
/// the complex step.
class Methods {
 public:
  struct Row {
    const char* name;
    std::size_t time[2];  // inverse, forward dynamics
    double error[2];
  };

  Methods(Timer& timer, int n) : size(n), w_(std::make_shared<Workspace>(n)) {
    using corio::baseline::Difference;
    auto& w = *w_;
    const auto& s = w.robot.states.front();
    w.exact.of_rnea(s.q, s.v, s.a);
    const Eigen::MatrixXd tau_q = w.exact.along_q, tau_v = w.exact.along_v;
    w.exact.of_aba(s.q, s.v, s.tau);
    const Eigen::MatrixXd a_q = w.exact.along_q, a_v = w.exact.along_v;
    // f and g leave their results in the matrices.
    const auto add = [&](const char* name, int calls, auto f, const Eigen::MatrixXd& fq, const Eigen::MatrixXd& fv,
                         auto g, const Eigen::MatrixXd& gq, const Eigen::MatrixXd& gv) {
      Row row{name, {}, {}};
      f(w, s);
      row.error[0] = both(fq, tau_q, fv, tau_v);
      g(w, s);
      row.error[1] = both(gq, a_q, gv, a_v);
      const auto timed = [&](auto h) {
        return timer.add(calls, [workspace = w_, calls, h] {
          for (int i = 0; i < calls; ++i) h(*workspace, workspace->robot.states[static_cast<std::size_t>(i)]);
        });
      };
      row.time[0] = timed(f), row.time[1] = timed(g);
      rows.push_back(row);
    };
    const auto& id = corio::inverse_dynamics_derivatives(w.robot.model, w.robot.data, s.q, s.v, s.a);
    const auto& fd = corio::forward_dynamics_derivatives(w.robot.model, w.robot.data, s.q, s.v, s.tau);
    add(
        "analytic (corio)", Robot::count,
        [](auto& x, auto& t) { corio::inverse_dynamics_derivatives(x.robot.model, x.robot.data, t.q, t.v, t.a); },
        id.dtau_dq, id.dtau_dv,
        [](auto& x, auto& t) { corio::forward_dynamics_derivatives(x.robot.model, x.robot.data, t.q, t.v, t.tau); },
        fd.da_dq, fd.da_dv);
    add(
        "RNEACR, FDCR", Robot::count, [](auto& x, auto& t) { x.robot.rneacr(x.robot.model, t.q, t.v, t.a); },
        w.robot.rneacr.dtau_dq, w.robot.rneacr.dtau_dv,
        [](auto& x, auto& t) { x.robot.fdcr(x.robot.model, t.q, t.v, t.tau); }, w.robot.fdcr.da_dq, w.robot.fdcr.da_dv);
    add(
        "automatic, forward", 2, [](auto& x, auto& t) { x.automatic.of_rnea(t.q, t.v, t.a); }, w.automatic.along_q,
        w.automatic.along_v, [](auto& x, auto& t) { x.automatic.of_aba(t.q, t.v, t.tau); }, w.automatic.along_q,
        w.automatic.along_v);
    add(
        "complex step", 2, [](auto& x, auto& t) { x.exact.of_rnea(t.q, t.v, t.a); }, w.exact.along_q, w.exact.along_v,
        [](auto& x, auto& t) { x.exact.of_aba(t.q, t.v, t.tau); }, w.exact.along_q, w.exact.along_v);
    add(
        "forward differences", 2, [](auto& x, auto& t) { x.forward.of_rnea(x.robot.model, t.q, t.v, t.a); },
        w.forward.along_q, w.forward.along_v,
        [](auto& x, auto& t) { x.forward.of_aba(x.robot.model, t.q, t.v, t.tau); }, w.forward.along_q,
        w.forward.along_v);
    add(
        "central differences", 2, [](auto& x, auto& t) { x.central.of_rnea(x.robot.model, t.q, t.v, t.a); },
        w.central.along_q, w.central.along_v,
        [](auto& x, auto& t) { x.central.of_aba(x.robot.model, t.q, t.v, t.tau); }, w.central.along_q,
        w.central.along_v);
  }

  int size;
  std::vector<Row> rows;

 private:
  struct Workspace {
    explicit Workspace(int n)
        : robot(corio::zoo::serial_chain(n)),
          automatic(robot.model),
          exact(robot.model),
          forward(robot.model, corio::baseline::Difference::forward),
          central(robot.model, corio::baseline::Difference::central) {}
    Robot robot;
    corio::baseline::AutoDiff<8> automatic;
    corio::baseline::ComplexStep exact;
    corio::baseline::FiniteDifferences forward, central;
  };
  static double both(const Eigen::MatrixXd& A, const Eigen::MatrixXd& A0, const Eigen::MatrixXd& B,
                     const Eigen::MatrixXd& B0) {
    const double x = rms_error(A, A0), y = rms_error(B, B0);
    return std::sqrt((x * x + y * y) / 2);
  }

  std::shared_ptr<Workspace> w_;
};

}  // namespace paper
