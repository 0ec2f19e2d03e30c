#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "corio/batch/executor.hpp"
#include "corio/batch/view.hpp"
#include "corio/kinematics/data.hpp"

namespace corio { inline namespace CORIO_ABI {

template <class S>
class Mechanism;

namespace batch {

/// Options of a batch.
struct Options {
  /// Runs the tasks (executor.hpp). The default is a pool with one thread per core, which the whole program shares.
  Executor executor;
  /// Called after each task with the numbers of states done and of all states, one call at a time, from any of the
  /// threads. If it returns false no further tasks begin, and results of states that were not done are NaN.
  std::function<bool(Eigen::Index done, Eigen::Index all)> progress;
  /// Size of a task, the states that one thread takes at a time, in packs; at least 1.
  int packs_per_task = 8;
};

/// The pack that fills one register: 8 doubles or 16 floats with AVX-512, half of that with AVX2, a quarter without.
template <class S>
using FullPack = Pack<S, corio::detail::longest_register_bytes / static_cast<int>(sizeof(S))>;

/// A robot over packs with the workspaces of the threads that use it. Every function of corio/batch takes a Packed in
/// place of a Model or Mechanism; from a Model or Mechanism each call makes a new Packed, which costs some
/// microseconds. Threads may share it. To compute in float, or with longer packs, name the type: Packed<Pack<float,
/// 16>> packed(model), Packed<P, Mechanism<P>> packed(mechanism).
/// @tparam Robot  Model<P> or Mechanism<P>
template <class P, class Robot = Model<P>>
class Packed {
 public:
  template <class R>
  explicit Packed(const R& robot) : model_(robot.template cast<P>()) {}

  const Robot& model() const { return model_; }

  /// The workspace of one thread.
  struct Workspace {
    explicit Workspace(const Robot& model) : data(model) {}
    DataOf<Robot> data;
    std::vector<VectorX<P>> inputs, outputs;
  };
  /// Calls f(workspace) with a workspace that no other thread uses meanwhile.
  template <class F>
  void with_workspace(F&& f) const {
    std::unique_ptr<Workspace> own;
    {
      const std::lock_guard lock(mutex_);
      if (!idle_.empty()) own = std::move(idle_.back()), idle_.pop_back();
    }
    if (!own) own = std::make_unique<Workspace>(model_);
    f(*own);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(own));
  }

 private:
  Robot model_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Workspace>> idle_;
};

/// Evaluates a function of one state for many states, several at a time in packs, and in several threads:
///
///   batch::for_each(model, batch::inputs(Q, V), batch::outputs(P), [](const auto& m, auto& data, const auto& q,
///                   const auto& v, auto& p) { p = corio::generalized_momentum(m, data, q, v).p; });
///
/// @param model    a Model, a Mechanism, or a Packed
/// @param f        f(model, data, inputs.., outputs..) with a Model and a Data over packs, and a vector of packs for
///                 each matrix, of the size of its columns; f fills the outputs. Or f(model, data, inputs..) that
///                 returns std::tie(results..) of vectors and matrices in data, as corio's functions do, which saves a
///                 copy. f is called by several threads at a time, and its lanes must not depend on each other, as in
///                 all of corio.
/// @returns the number of states done: all, unless Options::progress returned false
///
/// Memory does not grow with the number of states, apart from one byte per task. Results are bitwise the same for any
/// number of threads, and for any number of states in the batch. If f throws for a state, the others are finished, and
/// then an Error names the first such state. Results of states that were not computed are NaN, also after an exception,
/// and also if an output shares memory with an input.
/// @throws before anything is written: SizeError, and Error for packs_per_task below 1. Afterwards: Error for the first
/// state for which f threw; any exception of the executor or Options::progress; exceptions of f that are not a
/// std::exception
template <class Robot, class Inputs, class Outputs, class F>
Eigen::Index for_each(const Robot& model, const Inputs& in, const Outputs& out, const F& f,
                      const Options& options = {});

namespace detail {

template <class S>
Packed<FullPack<S>> packed(const Model<S>& model) {
  return Packed<FullPack<S>>(model);
}
template <class S>
Packed<FullPack<S>, Mechanism<FullPack<S>>> packed(const Mechanism<S>& mechanism) {
  return Packed<FullPack<S>, Mechanism<FullPack<S>>>(mechanism);
}
template <class P, class Robot>
const Packed<P, Robot>& packed(const Packed<P, Robot>& robot) {
  return robot;
}

/// The progress of a batch: the number of states that are done, and the errors.
class Progress {
 public:
  Progress(Eigen::Index all, const Options& options) : all_(all), options_(options) {}

  bool should_continue() const { return should_continue_; }
  Eigen::Index done() const { return done_; }
  void add(Eigen::Index states) {
    const std::lock_guard lock(mutex_);
    done_ += states;
    if (!options_.progress || !should_continue_) return;
    try {
      should_continue_ = options_.progress(done_, all_);
    } catch (...) {
      should_continue_ = false, thrown_ = std::current_exception();
    }
  }
  void add_error(Eigen::Index state, const char* what) {
    const std::lock_guard lock(mutex_);
    if (errors_++ == 0 || state < first_) first_ = state, what_ = what;
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
    if (errors_ > 0)
      throw Error(corio::detail::join({"batch: state ", std::to_string(first_), ": ", what_, "; ",
                                       std::to_string(errors_), " of ", std::to_string(all_),
                                       " states failed and have NaN for results, the others are finished"}));
  }

 private:
  const Eigen::Index all_;
  const Options& options_;
  std::atomic<bool> should_continue_{true};
  std::mutex mutex_;
  Eigen::Index done_ = 0, errors_ = 0, first_ = 0;
  std::string what_;
  std::exception_ptr thrown_;
};

inline void check(const Options& options) {
  if (options.packs_per_task < 1)
    throw Error(corio::detail::join(
        {"batch: packs_per_task is ", std::to_string(options.packs_per_task), ", must be at least 1"}));
}

/// @throws SizeError unless all views have the same number of states (columns)
template <class Views>
void check_states(const char* what, const Views& views, Eigen::Index& states) {
  int number = 0;
  const auto check = [&](const auto& view) {
    ++number;
    if (states < 0) states = view.cols();
    if (view.cols() != states)
      throw SizeError(
          corio::detail::join({"batch: ", what, " ", std::to_string(number), " has ", std::to_string(view.cols()),
                               " columns, the first one has ", std::to_string(states), ": one for each state"}));
  };
  std::apply([&](const auto&... view) { (check(view), ...); }, views);
}

/// Calls f at the end of a scope, also after an exception.
template <class F>
class AtExit {
 public:
  explicit AtExit(const F& f) : f_(f) {}
  AtExit(const AtExit&) = delete;
  AtExit& operator=(const AtExit&) = delete;
  ~AtExit() { f_(); }

 private:
  F f_;
};

/// Sets the results of the states [begin, end) to NaN, or to zero in matrices of integers.
template <class Outputs>
void erase(const Outputs& out, Eigen::Index begin, Eigen::Index end) {
  const auto fill = [&](const auto& view) {
    for (Eigen::Index j = begin; j < end; ++j)
      for (Eigen::Index i = 0; i < view.rows(); ++i)
        view(i, j) = std::numeric_limits<std::remove_cvref_t<decltype(view(i, j))>>::quiet_NaN();
  };
  std::apply([&](const auto&... view) { (fill(view), ...); }, out);
}

/// Writes the numbers of x, which are contiguous, to the states [begin, end).
template <class View, class X>
void store(const View& to, Eigen::Index begin, Eigen::Index end, const X& x) {
  if (x.size() != to.rows())
    throw SizeError(corio::detail::join({"batch: the function returned ", std::to_string(x.size()),
                                         " numbers, the output has ", std::to_string(to.rows()), " rows"}));
  to.store(begin, end, x.data());
}

/// Calls f for the states [begin, end), which fit into one pack.
template <class Robot, class Workspace, class Inputs, class Outputs, class F>
void call(const Robot& model, Workspace& own, const Inputs& in, const Outputs& out, const F& f, Eigen::Index begin,
          Eigen::Index end) {
  constexpr std::size_t n_in = std::tuple_size_v<Inputs>, n_out = std::tuple_size_v<Outputs>;
  [&]<std::size_t... i, std::size_t... o>(std::index_sequence<i...>, std::index_sequence<o...>) {
    (std::get<i>(in).load(begin, end, own.inputs[i]), ...);
    if constexpr (std::is_invocable_v<const F&, const Robot&, decltype(own.data)&,
                                      decltype(std::as_const(own.inputs[i]))...>) {
      const auto& results = f(model, own.data, std::as_const(own.inputs[i])...);
      (store(std::get<o>(out), begin, end, std::get<o>(results)), ...);
    } else {
      (own.outputs[o].resize(std::get<o>(out).rows()), ...);
      f(model, own.data, std::as_const(own.inputs[i])..., own.outputs[o]...);
      (store(std::get<o>(out), begin, end, own.outputs[o]), ...);
    }
  }
  (std::make_index_sequence<n_in>(), std::make_index_sequence<n_out>());
}

}  // namespace detail

template <class Robot, class Inputs, class Outputs, class F>
Eigen::Index for_each(const Robot& model, const Inputs& in, const Outputs& out, const F& f, const Options& options) {
  Eigen::Index states = -1;
  detail::check_states("input", in, states);
  detail::check_states("output", out, states);
  detail::check(options);
  if (states <= 0) return 0;

  const auto& packed = detail::packed(model);
  using P = typename std::remove_cvref_t<decltype(packed.model())>::Scalar;
  detail::Progress progress(states, options);
  const Eigen::Index packs = (states - 1) / P::lanes + 1;
  const Eigen::Index per_task = P::lanes * std::min<Eigen::Index>(options.packs_per_task, packs);
  const Eigen::Index tasks = (states - 1) / per_task + 1;
  std::vector<char> is_left(static_cast<std::size_t>(tasks), false);
  const auto first_of = [&](std::ptrdiff_t number) { return number * per_task; };
  const auto end_of = [&](std::ptrdiff_t number) { return (std::min)(first_of(number) + per_task, states); };
  const auto task = [&](std::ptrdiff_t number) {
    const Eigen::Index first = first_of(number), last = end_of(number);
    Eigen::Index begin = first;  // the first state that is not done
    const detail::AtExit leave([&] {
      detail::erase(out, begin, last);
      is_left[static_cast<std::size_t>(number)] = true;
    });
    if (!progress.should_continue()) return;
    packed.with_workspace([&](auto& own) {
      own.inputs.resize(std::tuple_size_v<Inputs>), own.outputs.resize(std::tuple_size_v<Outputs>);
      while (begin < last) {
        const Eigen::Index end = (std::min)(begin + P::lanes, last);
        try {
          detail::call(packed.model(), own, in, out, f, begin, end);
        } catch (const std::exception&) {
          // The states of a failed pack are repeated one by one, to find the state that fails.
          for (; begin < end; ++begin) try {
              detail::call(packed.model(), own, in, out, f, begin, begin + 1);
            } catch (const std::exception& error) {
              progress.add_error(begin, error.what());
              detail::erase(out, begin, begin + 1);
            }
        }
        begin = end;
      }
    });
    progress.add(last - first);
  };
  const detail::AtExit leave([&] {  // tasks that the executor has not called
    for (std::ptrdiff_t number = 0; number < tasks; ++number)
      if (!is_left[static_cast<std::size_t>(number)]) detail::erase(out, first_of(number), end_of(number));
  });
  const Executor executor = options.executor ? options.executor : default_executor();
  executor(tasks, task);
  progress.rethrow();
  return progress.done();
}

}  // namespace batch
}}  // namespace corio
