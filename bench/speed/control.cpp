// What a tick of a control loop costs:
//
//   corio_control_bench [ticks]
//
// For each control law and observer, from the measured q and v on: the median, the 99.999th percentile and the worst of
// so many ticks (default 1,000,000), each timed by itself, with the state and the desired motion new in each. The first
// tick is not among them, since it allocates. What the clock takes, printed first, is contained in all.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/zoo/zoo.hpp"

namespace {

using Vector = Eigen::VectorXd;
using Clock = std::chrono::steady_clock;

/// States and desired motions, some more than the first cache holds.
struct Samples {
  explicit Samples(const corio::Model<double>& model) {
    std::mt19937 engine(1);
    std::normal_distribution<double> normal;
    const auto vector = [&](double size) {
      Vector x(model.nv());
      for (auto& number : x) number = size * normal(engine);
      return x;
    };
    for (int i = 0; i < 256; ++i) {
      q_d.push_back(corio::random_configuration(model, engine));
      q.push_back(corio::integrate<double>(model, q_d.back(), vector(0.1)));
      v_d.push_back(vector(1)), v.push_back(v_d.back() + vector(0.1)), a_d.push_back(vector(1));
      tau.push_back(vector(1));
    }
  }
  std::vector<Vector> q, v, q_d, v_d, a_d, tau;
};

template <class Tick>
void time(const char* what, long ticks, Tick&& tick) {
  std::vector<float> times;
  times.reserve(static_cast<std::size_t>(ticks));
  tick(0);
  for (long i = 1; i <= ticks; ++i) {
    const auto begin = Clock::now();
    tick(static_cast<std::size_t>(i % 256));
    times.push_back(std::chrono::duration<float, std::micro>(Clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  const auto share = [&](double x) { return times[static_cast<std::size_t>(x * static_cast<double>(ticks - 1))]; };
  std::printf("  %-34s %9.3f %12.3f %12.3f\n", what, share(0.5), share(0.99999), times.back());
}

void time_all(const corio::Model<double>& model, long ticks) {
  const Samples s(model);
  corio::Data<double> data(model);
  const Vector one = Vector::Ones(model.nv());
  std::printf("\n%s, %d degrees of freedom\n", model.name().c_str(), model.nv());
  const auto track = [&](const char* what, auto controller) {
    time(what, ticks,
         [&](std::size_t i) { controller.update(model, data, s.q[i], s.v[i], s.q_d[i], s.v_d[i], s.a_d[i]); });
  };
  track("ComputedTorque", corio::ComputedTorque<double>(model, {one, one}));
  track("PDPlus", corio::PDPlus<double>(model, {one, one}));
  track("SlotineLi", corio::SlotineLi<double>(model, {one, one}));
  const auto adapt = [&](const char* what, corio::AdaptationGains<double> gains) {
    corio::AdaptiveSlotineLi<double> controller(model, {one, one}, gains);
    time(what, ticks,
         [&](std::size_t i) { controller.update(model, data, s.q[i], s.v[i], s.q_d[i], s.v_d[i], s.a_d[i], 1e-3); });
  };
  // Gains so small that a thousand seconds of samples from nowhere change nothing.
  const auto bodies = static_cast<Eigen::Index>(model.bodies().size());
  adapt("AdaptiveSlotineLi, natural metric", {.parameters = Vector::Constant(bodies, 1e-12)});
  adapt("AdaptiveSlotineLi, euclidean",
        {.parameters = Vector::Constant(10 * bodies, 1e-12), .metric = corio::ParameterMetric::euclidean});
  corio::FilteredRegressors<double> filtered(model, 10);
  time("FilteredRegressors, momentum", ticks,
       [&](std::size_t i) { filtered.update(model, data, s.q[i], s.v[i], s.tau[i], 1e-3); });
  corio::FilteredRegressors<double> energy(model, 10, corio::BalanceEquation::energy);
  time("FilteredRegressors, energy", ticks,
       [&](std::size_t i) { energy.update(model, data, s.q[i], s.v[i], s.tau[i], 1e-3); });
  corio::MomentumObserver<double> observer(model, one);
  time("MomentumObserver", ticks, [&](std::size_t i) { observer.update(model, data, s.q[i], s.v[i], s.tau[i], 1e-3); });
  corio::CollisionDetector<double> detector(model, {one, one}, one);
  time("with CollisionDetector", ticks, [&](std::size_t i) {
    observer.update(model, data, s.q[i], s.v[i], s.tau[i], 1e-3);
    detector.detect(model, data, observer);
  });
  const corio::Where<double> hand(model.bodies().back());
  corio::OperationalSpace<double> operational(model);
  std::vector<corio::OperationalTask<double>> tasks(1);
  tasks[0] = {corio::MatrixX<double>(6, model.nv()), corio::MatrixX<double>(6, model.nv()), Vector::Ones(6)};
  time("OperationalSpace, J and Jdot", ticks, [&](std::size_t i) {
    corio::forward_kinematics<double>(model, data, s.q[i], s.v[i]);
    corio::body_jacobian<double>(model, data, hand, tasks[0].J);
    corio::body_jacobian_dot<double>(model, data, hand, tasks[0].Jdot);
    operational.update(model, data, tasks, s.tau[i]);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const long ticks = argc > 1 ? std::atol(argv[1]) : 1000000;
  if (argc > 2 || ticks < 1) {
    std::fprintf(stderr, "usage: corio_control_bench [ticks]\n");
    return 2;
  }
#ifndef __OPTIMIZE__
  std::printf("Compiled without optimisation: these times say nothing.\n");
#endif
  std::printf("microseconds of %-18ld %11s %12s %12s\n", ticks, "median", "99.999 %", "worst");
  time("the clock", ticks, [](std::size_t) {});
  time_all(corio::zoo::serial_chain(7), ticks);
  time_all(corio::zoo::tree(25, 2), ticks);
  time_all(corio::zoo::quadruped(), ticks);
}
