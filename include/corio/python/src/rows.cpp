#include <Python.h>

#include <limits>

#include <unistd.h>

#include "robot.hpp"

namespace corio::python {
namespace {

/// The lock of the interpreter is not held while rows are computed.
struct Released {
  PyThreadState* const state = PyEval_SaveThread();
  ~Released() { PyEval_RestoreThread(state); }
};

batch::Executor executor(int threads) {
  if (threads == 1) return batch::Serial();
  // Pools live as long as the module, one for each number of threads that was asked for. The threads of a process do
  // not exist in its fork, which has pools of its own and cannot end the others.
  static auto& pools = *new std::map<std::pair<pid_t, int>, std::unique_ptr<batch::ThreadPool>>;
  static const int cores = batch::physical_cores();
  auto& pool = pools[{getpid(), threads > 0 ? threads : cores}];
  if (!pool) pool = std::make_unique<batch::ThreadPool>(threads > 0 ? threads : cores);
  return [p = pool.get()](std::ptrdiff_t n, const std::function<void(std::ptrdiff_t)>& f) { (*p)(n, f); };
}

/// Whether all inputs of a state are finite.
bool finite(const Rows& rows, Eigen::Index state) {
  for (const auto& x : rows.in)
    for (Eigen::Index k = 0; k < x.rows(); ++k)
      if (!std::isfinite(x(k, state))) return false;
  return true;
}

/// Is copied by Packed, so that the loops of the robot fit the copy; a cast makes another robot.
template <class R>
struct Copy {
  const R& robot;
  template <class>
  R cast() const {
    return robot;
  }
};

/// Calls a line for all states: P is double, or a pack of states.
template <class P, class R>
void evaluate(const batch::Packed<P, R>& robot, Body<R> f, const Rows& rows, const Constants& c) {
  constexpr Eigen::Index lanes = sizeof(P) / sizeof(double), of_task = 64;
  const Eigen::Index tasks = (rows.states + of_task - 1) / of_task;
  const batch::Executor run = executor(tasks > 1 ? rows.threads : 1);
  const Released released;
  run(tasks, [&](std::ptrdiff_t task) {
    robot.with_workspace([&](auto& own) {
      own.inputs.resize(most_inputs), own.outputs.resize(most_outputs);
      const auto call = [&](Eigen::Index begin, Eigen::Index end) {
        const P* from[most_inputs];
        P* to[most_outputs];
        if constexpr (lanes == 1) {
          for (std::size_t k = 0; k < rows.in.size(); ++k) from[k] = &rows.in[k](0, begin);
          for (std::size_t k = 0; k < rows.out.size(); ++k) to[k] = &rows.out[k](0, begin);
        } else {
          for (std::size_t k = 0; k < rows.in.size(); ++k)
            rows.in[k].load(begin, end, own.inputs[k]), from[k] = own.inputs[k].data();
          for (std::size_t k = 0; k < rows.out.size(); ++k)
            own.outputs[k].resize(rows.out[k].rows()), to[k] = own.outputs[k].data();
        }
        f(robot.model(), own.data, from, to, c);
        if constexpr (lanes > 1)
          for (std::size_t k = 0; k < rows.out.size(); ++k) rows.out[k].store(begin, end, to[k]);
      };
      const Eigen::Index last = std::min(rows.states, (task + 1) * of_task);
      for (Eigen::Index begin = task * of_task; begin < last; begin += lanes) {
        const Eigen::Index end = std::min(begin + lanes, last);
        try {
          call(begin, end);
        } catch (const Error&) {
          // The states of a failed pack are repeated one by one. One that is not finite has NaN for its results.
          for (Eigen::Index i = begin; i < end; ++i) try {
              call(i, i + 1);
            } catch (const Error& e) {
              const std::string text = "state " + std::to_string(i) + ": " + e.what();
              if (finite(rows, i) && dynamic_cast<const ModelError*>(&e)) throw ModelError(text);
              if (finite(rows, i) && dynamic_cast<const StateError*>(&e)) throw StateError(text);
              if (finite(rows, i)) throw Error(text);
              for (const auto& out : rows.out)
                for (Eigen::Index k = 0; k < out.rows(); ++k) out(k, i) = std::numeric_limits<double>::quiet_NaN();
            }
        }
      }
    });
  });
}

}  // namespace

template <class R>
void RobotHolder<R>::many(const Entry& f, const Rows& rows, const Constants& c) {
  // A fork may have copied the robots while a thread that it does not have held their locks.
  if (std::exchange(process, getpid()) != process) changed();
  const auto shared = [&]<class Robots>(std::shared_ptr<const Robots>& own, const auto& from) {
    if (!own) own = std::make_shared<const Robots>(from);
    return own;
  };
  if constexpr (std::is_same_v<R, Model<double>>)
    if (const auto body = std::get<Body<Model<Pack8>>>(f)) return evaluate(*shared(packs, robot), body, rows, c);
  evaluate(*shared(singles, Copy<R>{robot}), std::get<Body<R>>(f), rows, c);
}
template struct RobotHolder<Model<double>>;
template struct RobotHolder<Mechanism<double>>;

}  // namespace corio::python
