#pragma once

#include <benchmark/benchmark.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "corio/kinematics/configuration.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "support/counting_scalar.hpp"

/// The list of algorithms of corio_bench.
namespace speed {

using corio::test::Counting;
using corio::test::Operations;

/// Arguments of a call.
template <class S>
struct State {
  corio::VectorX<S> q, v, a, x, next;  // x: one more vector, next: a second configuration
};

template <class S>
struct Robot {
  corio::Model<S> model;
  corio::Data<S> data;
  std::vector<State<S>> states;

  explicit Robot(const corio::Model<double>& m) : model(m.cast<S>()), data(model) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto vector = [&] {
      return Eigen::VectorXd::NullaryExpr(m.nv(), [&] { return uniform(random); }).template cast<S>().eval();
    };
    const auto configuration = [&] { return corio::random_configuration(m, random).template cast<S>().eval(); };
    // The number of states: so many that branch predictors cannot learn them, so few that they stay in the cache.
    for (int i = 0; i < 64; ++i) {
      State<S> s;
      s.q = configuration(), s.v = vector(), s.a = vector(), s.x = vector(), s.next = configuration();
      states.push_back(std::move(s));
    }
  }
};

/// The result type of calls that leave their results in Data.
struct Nothing {
  template <class Model>
  explicit Nothing(const Model&) {}
};

/// All calls of one robot in one scalar.
template <class S>
class List {
 public:
  struct Entry {
    std::string part, name;
    std::function<void(benchmark::State&)> time;  // for all scalars except Counting
    std::function<Operations()> count;            // for Counting
  };

  explicit List(const corio::Model<double>& model) : robot_(std::make_shared<Robot<S>>(model)) {}
  const corio::Model<S>& model() const { return robot_->model; }
  const std::vector<Entry>& entries() const { return entries_; }

  /// Functions added after this call are shown under this title.
  void part(std::string title) { part_ = std::move(title); }

  /// Adds f(model, data, state), or f(model, data, state, out) with an Out constructed from the model; f returns
  /// nothing, a scalar or a vector of three or six.
  template <class Out = Nothing, class F>
  void add(const std::string& name, F f) {
    put<Out>(
        name, [](Robot<S>&) {}, f);
  }
  /// Adds the form that starts after a kinematics pass. The pass is not timed; sums over subtrees are.
  template <class Out = Nothing, class F>
  void reuse(const std::string& name, F f) {
    const auto pass = [](Robot<S>& r) {
      corio::forward_kinematics(r.model, r.data, r.states[0].q, r.states[0].v, r.states[0].a);
    };
    put<Out>(name + "_reuse", pass, [f](auto& model, auto& data, auto& state, auto&... out) {
      data.end_pass(model, corio::Pass::acceleration);  // the state right after a pass
      return f(model, data, state, out...);
    });
  }

 private:
  template <class Out, class Prepare, class F>
  void put(const std::string& name, Prepare prepare, F f) {
    Entry entry{part_, name, {}, {}};
    if constexpr (std::is_same_v<S, Counting>)
      entry.count = [robot = robot_, prepare, f] {
        Out out(robot->model);
        prepare(*robot);
        return corio::test::operations_of([&] { call(*robot, robot->states[0], out, f); });
      };
    else
      entry.time = [robot = robot_, prepare, f](benchmark::State& loop) {
        Out out(robot->model);
        prepare(*robot);
        std::size_t i = 0;
        for (auto _ : loop) {
          call(*robot, robot->states[i], out, f);
          benchmark::ClobberMemory();
          i = (i + 1) % robot->states.size();
        }
      };
    entries_.push_back(std::move(entry));
  }

  template <class Out, class F>
  static void call(Robot<S>& robot, const State<S>& state, Out& out, F& f) {
    const auto run = [&]() -> decltype(auto) {
      if constexpr (std::is_same_v<Out, Nothing>)
        return f(std::as_const(robot.model), robot.data, state);
      else
        return f(std::as_const(robot.model), robot.data, state, out);
    };
    using Result = decltype(run());
    // A matrix would be copied, so it is not returned.
    static_assert(std::is_void_v<Result> || std::is_same_v<Result, S> || std::is_same_v<Result, corio::Vector3<S>> ||
                      std::is_same_v<Result, corio::Force<S>>,
                  "calls return nothing, a scalar or a vector of fixed size");
    if constexpr (std::is_void_v<Result>)
      run();
    else
      benchmark::DoNotOptimize(run());
  }

  std::shared_ptr<Robot<S>> robot_;
  std::vector<Entry> entries_;
  std::string part_;
};

/// Adds all functions of algorithms.hpp. Each scalar has a translation unit.
template <class S>
List<S> list_for(const corio::Model<double>& model);

}  // namespace speed
