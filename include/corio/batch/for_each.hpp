#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "corio/batch/executor.hpp"
#include "corio/batch/view.hpp"
#include "corio/kinematics/data.hpp"

namespace corio::inline CORIO_ABI {

template <class S>
class Mechanism;

namespace batch {

/// How a batch is run.
struct Options {
  /// See executor.hpp; by default a pool of threads, as many as there are cores, which the whole program shares.
  Executor executor;
  /// Called now and then with the number of states done and that of all, one call at a time, from any of the threads.
  /// If it returns false no further states are begun, and what is not done is NaN.
  std::function<bool(Eigen::Index done, Eigen::Index all)> progress;
  /// What one thread takes at a time, at least 1; what exceeds the batch is all of it.
  int packs_per_task = 16;
};

/// The pack that fills a register: 8 doubles or 16 floats with AVX-512, half of that with AVX2, a quarter without.
template <class S>
using FullPack = Pack<S, corio::detail::longest_register_bytes / static_cast<int>(sizeof(S))>;

/// A robot for batches: over packs, and with the memory of the threads that have run one. Every function of
/// corio/batch takes it in place of a Model or Mechanism, and is then spared making it, which costs some microseconds.
/// It may be shared by threads. To compute in float, or with longer packs, say so: Packed<Pack<float, 16>>
/// packed(model), Packed<P, Mechanism<P>> packed(mechanism).
/// @tparam Robot  Model<P> or Mechanism<P>
template <class P, class Robot = Model<P>>
class Packed {
 public:
  template <class R>
  explicit Packed(const R& robot) : model_(robot.template cast<P>()) {}

  const Robot& model() const { return model_; }

  /// What one thread at a time needs.
  struct Workspace {
    explicit Workspace(const Robot& model) : data(model) {}
    DataOf<Robot> data;
    std::vector<VectorX<P>> inputs, outputs;
  };
  /// f(workspace), which no other thread uses meanwhile.
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

/// What happened to the states so far.
class Progress {
 public:
  Progress(Eigen::Index all, const Options& options) : all_(all), options_(options) {}

  bool goes_on() const { return goes_on_; }
  Eigen::Index done() const { return done_; }
  void add(Eigen::Index states) {
    const std::lock_guard lock(mutex_);
    done_ += states;
    if (!options_.progress || !goes_on_) return;
    try {
      goes_on_ = options_.progress(done_, all_);
    } catch (...) {
      goes_on_ = false, thrown_ = std::current_exception();
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
  std::atomic<bool> goes_on_{true};
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

/// @throws SizeError unless all have as many states as the first
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

/// Calls f at the end of a scope, however that is left.
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

/// Makes the results of the states [begin, end) not a number: those of matrices of integers are zero.
template <class Outputs>
void erase(const Outputs& out, Eigen::Index begin, Eigen::Index end) {
  const auto fill = [&](const auto& view) {
    for (Eigen::Index j = begin; j < end; ++j)
      for (Eigen::Index i = 0; i < view.rows(); ++i)
        view(i, j) = std::numeric_limits<std::remove_cvref_t<decltype(view(i, j))>>::quiet_NaN();
  };
  std::apply([&](const auto&... view) { (fill(view), ...); }, out);
}

/// Writes the numbers of x, which lie one after the other, to the states [begin, end).
template <class View, class X>
void store(const View& to, Eigen::Index begin, Eigen::Index end, const X& x) {
  if (x.size() != to.rows())
    throw SizeError(corio::detail::join({"batch: the function has returned ", std::to_string(x.size()),
                                         " numbers, the output has ", std::to_string(to.rows()), " rows"}));
  to.store(begin, end, x.data());
}

/// Function f of the states [begin, end), at most as many as there are lanes.
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

/// A function of one state for each of many, several at a time in packs, and in several threads:
///
///   batch::for_each(model, batch::inputs(Q, V), batch::outputs(P), [](const auto& m, auto& data, const auto& q,
///                   const auto& v, auto& p) { p = corio::generalized_momentum(m, data, q, v).p; });
///
/// @param model    a Model, a Mechanism, or a Packed, which keeps what is made of it
/// @param f        f(model, data, inputs.., outputs..) for the Model and a Data of packs, and vectors of packs with as
///                 many numbers as the matrices have rows; those of the outputs are to be filled. Or f(model, data,
///                 inputs..), which returns std::tie(results..) of vectors and matrices that data holds, as corio's
///                 functions do: large matrices are then spared a copy. Called by several threads at a time. What it
///                 does in one lane must not depend on the others, as with all of corio.
/// @returns how many states were done: all, unless Options::progress ended it
///
/// Memory does not grow with the number of states, but by a byte for each task. Results are bitwise the same for any
/// number of threads, and of states in the batch. If f throws for a state, the others are finished, and then an Error
/// names the first such state. However a batch ends, results of states that were not computed are NaN, also where they
/// lie in the place of inputs.
/// @throws SizeError, or Error for packs_per_task below 1, before anything is written; Error as said; what the executor
/// or Options::progress throw, and what f throws that is no std::exception
template <class Robot, class Inputs, class Outputs, class F>
Eigen::Index for_each(const Robot& model, const Inputs& in, const Outputs& out, const F& f,
                      const Options& options = {}) {
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
    Eigen::Index begin = first;  // of what remains
    const detail::AtExit leave([&] {
      detail::erase(out, begin, last);
      is_left[static_cast<std::size_t>(number)] = true;
    });
    if (!progress.goes_on()) return;
    packed.with_workspace([&](auto& own) {
      own.inputs.resize(std::tuple_size_v<Inputs>), own.outputs.resize(std::tuple_size_v<Outputs>);
      while (begin < last) {
        const Eigen::Index end = (std::min)(begin + P::lanes, last);
        try {
          detail::call(packed.model(), own, in, out, f, begin, end);
        } catch (const std::exception&) {
          // Whose fault it is shows when they are alone.
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
  const detail::AtExit leave([&] {  // what the executor has not called
    for (std::ptrdiff_t number = 0; number < tasks; ++number)
      if (!is_left[static_cast<std::size_t>(number)]) detail::erase(out, first_of(number), end_of(number));
  });
  const Executor executor = options.executor ? options.executor : default_executor();
  executor(tasks, task);
  progress.rethrow();
  return progress.done();
}

}  // namespace batch
}  // namespace corio
