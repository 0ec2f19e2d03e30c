#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <vector>

#include "contracts/operations.hpp"
#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/loops/mechanism_regressors.hpp"
#include "corio/loops/mechanism_step.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "support/catch.hpp"

// A control loop asks the operating system for nothing: no memory, lock, file or clock. The kernel itself watches a
// child process, which it kills at its first system call.

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define CORIO_TEST_ADDRESS_SANITIZER 1
#endif
#endif
#if !defined(CORIO_TEST_ADDRESS_SANITIZER) && !defined(__SANITIZE_ADDRESS__)  // it makes system calls of its own

using namespace corio;
using namespace corio::test;

namespace {

enum class End { quiet, killed, unwatched };

/// Calls all once, then `rounds` times under watch.
End end_of(const std::vector<std::function<void()>>& calls, int rounds) {
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& call : calls) call();
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(1);
    for (int i = 0; i < rounds; ++i)
      for (const auto& call : calls) call();
    syscall(SYS_exit, 0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) return End::killed;
  return WEXITSTATUS(status) == 0 ? End::quiet : End::unwatched;
}

/// Controllers and observers of a robot at rest, and a step of it.
template <class R>
void add_control(const R& robot, std::vector<std::function<void()>>& calls) {
  struct Loop {
    R robot;
    typename R::DataType data;
    Vectord q, v, k;
    SlotineLi<double> sliding;
    PDPlus<double> pd;
    ComputedTorque<double> computed;
    MomentumObserver<double> observer;
    CollisionDetector<double> detector;
    AdaptiveSlotineLi<double> adaptive;
    FilteredRegressors<double> filtered;
    OperationalSpace<double> operational;
    Vectord tau;

    explicit Loop(const R& r)
        : robot(r),
          data(robot),
          q(neutral(r.tree())),
          v(Vectord::Zero(r.nv())),
          k(Vectord::Ones(r.nv())),
          sliding(robot, {k, k}),
          pd(robot, {k, k}),
          computed(robot, {k, k}),
          observer(robot, k),
          detector(robot, {k, k}, k),
          adaptive(robot, {k, k}, {.parameters = Vectord::Ones(std::ssize(r.tree().bodies()))}),
          filtered(robot, 10.0),
          operational(robot),
          tau(v) {}
    void tick() {
      tau = sliding.update(robot, data, q, v, q, v, v);
      tau += pd.update(robot, data, q, v, q, v, v);
      tau += computed.update(robot, data, q, v, q, v, v);
      tau += adaptive.update(robot, data, q, v, q, v, v, 1e-3);
      observer.update(robot, data, q, v, tau, 1e-3);
      detector.detect(robot, data, observer);
      filtered.update(robot, data, q, v, tau, 1e-3);
      operational.update(robot, data, {}, tau);
      step<double>(robot, data, q, v, tau, 1e-6);
    }
  };
  calls.push_back([loop = std::make_shared<Loop>(robot)] { loop->tick(); });
}

}  // namespace

TEST_CASE("a system call under watch is the last one", "[contracts][real_time]") {
  const End end = end_of({[] { getppid(); }}, 1);
  if (end == End::unwatched) WARN("the kernel watches no process here: nothing is tested");
  CHECK(end != End::quiet);
}

TEST_CASE("nothing that a control loop calls makes a system call after its first call", "[contracts][real_time]") {
  const Model<double> model =
      zoo::random_tree(5, {.bodies = 20, .floating_base = true, .armature = true, .passive = true});
  const Arguments<double> x(model, random_numbers(model, 2), 3);
  Data<double> data(model);
  std::vector<std::function<void()>> calls;
  for (const auto& f : operations<double>())
    if (suits(f, model))
      calls.push_back([&, call = std::shared_ptr(f.prepare(model))] { call->complete(model, data, x); });
  REQUIRE(calls.size() > 50);
  add_control(zoo::quadruped(), calls);
  add_control(Mechanism<double>(zoo::four_bar_leg<double>()), calls);
  CHECK(end_of(calls, 50) != End::killed);
}

#endif
