// Measures the time of a tick of a control loop:
//
//   corio_control_bench [ticks]
//
// prints for each control law and observer, from the measured q and v on, the median, the 99.999th percentile and the
// maximum over the given number of ticks (default 1,000,000), each timed by itself with a new state and desired motion.
// The first tick is not counted, since it allocates. The first lines are an empty tick, for the time of the clock, and
// a tick that only waits, for the interruptions by other work of the machine. Where the system allows it, the ticks run
// at real-time priority (SCHED_FIFO) with their memory locked, and the kernel ends them at their first system call.
// "Allocations" counts calls of malloc and free, of locks and of throw, "stack" the bytes of the stack that one tick
// uses.

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/zoo/zoo.hpp"
#include "reproduce/timing.hpp"
#include "support/interposed.hpp"
#include "support/painted_stack.hpp"

namespace {

using Vector = Eigen::VectorXd;
using Clock = std::chrono::steady_clock;

/// States and desired motions, more than fit into the first-level cache.
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

/// The permissions of the system, found by the first child process.
struct Allowed {
  bool real_time = false, locked = false, watched = true;
};

/// Lets the kernel kill this process at any system call other than write and exit. The strict mode of seccomp is not
/// used, since it also forbids the processor's clock.
bool watch_system_calls() {
  const auto number = static_cast<__u32>(offsetof(seccomp_data, nr));
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{sizeof code / sizeof code[0], code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// Prints a line of the table and exits.
template <class Tick>
void time_in_child(const char* what, long ticks, bool watched, const Tick& tick) {
  std::vector<float> times(static_cast<std::size_t>(ticks));
  corio::test::PaintedStack stack;
  tick(0);
  const std::size_t bytes = stack.use([&] { tick(1); }) - stack.use([] {});
  if (watched && !watch_system_calls()) return;
  const auto calls = corio::test::interposed([&] {
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto begin = Clock::now();
      tick(i % 256);
      times[i] = std::chrono::duration<float, std::micro>(Clock::now() - begin).count();
    }
  });
  std::sort(times.begin(), times.end());
  const auto share = [&](double x) { return times[static_cast<std::size_t>(x * static_cast<double>(ticks - 1))]; };
  char line[200];
  const int length = std::snprintf(line, sizeof line, "  %-34s %9.3f %12.3f %12.3f %12ld %7zu\n", what, share(0.5),
                                   share(0.99999), times.back(), calls.memory + calls.locks + calls.throws, bytes);
  syscall(SYS_exit, write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) == length ? 0 : 1);
}

Allowed& allowed() {
  static Allowed found;
  return found;
}
/// Asks for priority and locked memory in this process.
Allowed ask() {
  Allowed found;
  sched_param priority{};
  priority.sched_priority = sched_get_priority_max(SCHED_FIFO) / 2;
  found.real_time = sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
  found.locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
  return found;
}

/// @returns whether the child ended by itself
template <class Tick>
bool time(const char* what, long ticks, const Tick& tick) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    ask();
    time_in_child(what, ticks, allowed().watched, tick);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS) std::printf("  %-34s made a system call\n", what);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
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
  corio::SlotineLi<double> simulated(model, {one, one});
  time("SlotineLi and aba", ticks, [&](std::size_t i) {
    const auto& tau = simulated.update(model, data, s.q[i], s.v[i], s.q_d[i], s.v_d[i], s.a_d[i]);
    corio::aba<double>(model, data, tau);
  });
  const auto adapt = [&](const char* what, corio::AdaptationGains<double> gains) {
    corio::AdaptiveSlotineLi<double> controller(model, {one, one}, gains);
    time(what, ticks,
         [&](std::size_t i) { controller.update(model, data, s.q[i], s.v[i], s.q_d[i], s.v_d[i], s.a_d[i], 1e-3); });
  };
  // The gains are so small that a thousand seconds of random samples change nothing.
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
  const corio::FramePoint<double> hand(model.bodies().back());
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
  const double load = paper::load_average();
  std::printf("microseconds of %-18ld %11s %12s %12s %12s %7s\n", ticks, "median", "99.999 %", "worst", "allocations",
              "stack");
  const auto empty = [](std::size_t) {};
  if (!time("an empty tick", ticks, empty)) {
    allowed().watched = false;  // otherwise the clock is a system call here
    time("an empty tick", ticks, empty);
  }
  // Waits as long as a control law takes, so that the system interrupts both equally often.
  time("1 us of waiting", ticks, [](std::size_t) {
    for (const auto end = Clock::now() + std::chrono::microseconds(1); Clock::now() < end;) {
    }
  });
  time_all(corio::zoo::serial_chain(7), ticks);
  time_all(corio::zoo::tree(25, 2), ticks);
  time_all(corio::zoo::quadruped(), ticks);
  const Allowed found = ask();
  std::printf("\nSCHED_FIFO: %s. Memory locked: %s. Watched for system calls: %s.\n",
              found.real_time ? "yes" : "refused", found.locked ? "yes" : "refused",
              allowed().watched ? "yes" : "refused");
  std::fputs(paper::machine(CORIO_BENCH_COMPILER, CORIO_BENCH_FLAGS, load).c_str(), stdout);
}
