#include "contracts/control_loop.hpp"

#include <memory>

#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/mechanism/regressors.hpp"
#include "corio/mechanism/step.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "corio/zoo/random_tree.hpp"

namespace corio::test {
namespace {

/// Controllers and observers for a robot at rest, and one step.
template <class R>
void add_control(const std::string& of, const R& robot, std::vector<NamedCall>& calls) {
  struct Loop {
    R robot;
    DataOf<R> data;
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
  };
  const auto l = std::make_shared<Loop>(robot);
  const auto add = [&](const char* name, std::function<void()> run) {
    calls.push_back({name + (", " + of), std::move(run)});
  };
  add("SlotineLi", [l] { l->tau = l->sliding.update(l->robot, l->data, l->q, l->v, l->q, l->v, l->v); });
  add("PDPlus", [l] { l->tau += l->pd.update(l->robot, l->data, l->q, l->v, l->q, l->v, l->v); });
  add("ComputedTorque", [l] { l->tau += l->computed.update(l->robot, l->data, l->q, l->v, l->q, l->v, l->v); });
  add("AdaptiveSlotineLi",
      [l] { l->tau += l->adaptive.update(l->robot, l->data, l->q, l->v, l->q, l->v, l->v, 1e-3); });
  add("MomentumObserver and CollisionDetector", [l] {
    l->observer.update(l->robot, l->data, l->q, l->v, l->tau, 1e-3);
    l->detector.detect(l->robot, l->data, l->observer);
  });
  add("FilteredRegressors", [l] { l->filtered.update(l->robot, l->data, l->q, l->v, l->tau, 1e-3); });
  add("OperationalSpace", [l] { l->operational.update(l->robot, l->data, {}, l->tau); });
  add("step", [l] { step<double>(l->robot, l->data, l->q, l->v, l->tau, 1e-6); });
}

}  // namespace

void add_operations(const Model<double>& robot, std::vector<NamedCall>& calls) {
  struct State {
    Model<double> model;
    Arguments<double> x;
    Data<double> data;
    explicit State(const Model<double>& m) : model(m), x(model, random_numbers(model, 2), 3), data(model) {}
  };
  const auto s = std::make_shared<State>(robot);
  for (const auto& f : operations<double>())
    if (suits(f, s->model))
      calls.push_back(
          {f.name(), [s, call = std::shared_ptr(f.prepare(s->model))] { call->complete(s->model, s->data, s->x); }});
}

std::vector<NamedCall> control_loop() {
  std::vector<NamedCall> calls;
  add_operations(zoo::random_tree(5, {.bodies = 20, .floating_base = true, .armature = true, .passive = true}), calls);
  add_control("quadruped", zoo::quadruped(), calls);
  add_control("mechanism", Mechanism<double>(zoo::four_bar_leg<double>()), calls);
  return calls;
}

}  // namespace corio::test
