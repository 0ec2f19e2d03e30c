#include "robot.hpp"

#include <array>
#include <limits>
#include <thread>

#include <unistd.h>

namespace corio::python {
namespace {

/// A line called by for_each, whose inputs and outputs are padded with views without rows.
struct Caller {
  Body<Model<Pack8>> body;
  const Constants& constants;
  template <class... V>
  requires(sizeof...(V) == most_inputs + most_outputs)  //
      void
      operator()(const Model<Pack8>& model, Data<Pack8>& data, V&... x) const {
    Pack8* const all[] = {const_cast<Pack8*>(x.data())...};
    body(model, data, all, all + most_inputs, constants);
  }
};

using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
batch::View<T> view(const std::vector<Rows>& rows, std::size_t i, Eigen::Index states) {
  static double none;
  const Rows r = i < rows.size() ? rows[i] : Rows{&none, 0, 0};
  return {r.begin, Eigen::Map<Eigen::MatrixXd, 0, Strides>(r.begin, r.size, states, Strides(r.stride, 1))};
}
template <class T, std::size_t... i>
auto views(const std::vector<Rows>& rows, Eigen::Index states, std::index_sequence<i...>) {
  return std::array<batch::View<T>, sizeof...(i)>{view<T>(rows, i, states)...};
}

/// Errors for a state that is not finite become NaN in its row; other errors are thrown.
bool finite(const std::vector<Rows>& in, Eigen::Index state) {
  for (const Rows& x : in)
    for (Eigen::Index k = 0; k < x.size; ++k)
      if (!std::isfinite(x.begin[state * x.stride + k])) return false;
  return true;
}

}  // namespace

batch::Executor executor(int threads) {
  if (threads == 1) return batch::Serial();
  // Pools live as long as the module, one for each number of threads that was asked for. The threads of a process do
  // not exist in its fork, which has pools of its own and cannot end the others.
  static std::mutex mutex;
  static auto& pools = *new std::map<std::pair<pid_t, int>, std::unique_ptr<batch::ThreadPool>>;
  const std::lock_guard lock(mutex);
  if (threads <= 0) threads = batch::physical_cores();
  auto& pool = pools[{getpid(), threads}];
  if (!pool) pool = std::make_unique<batch::ThreadPool>(threads);
  return [p = pool.get()](std::ptrdiff_t n, const std::function<void(std::ptrdiff_t)>& f) { (*p)(n, f); };
}

template <class R>
void RobotHolder<R>::rows_by_packs(const Entry& f, const std::vector<Rows>& in, const std::vector<Rows>& out,
                                   Eigen::Index states, const Constants& c, const batch::Executor& run) {
  if constexpr (std::is_same_v<R, Model<double>>) {
    std::shared_ptr<const batch::Packed<Pack8>> own;
    {
      const std::lock_guard lock(mutex);
      if (!packed) packed = std::make_shared<const batch::Packed<Pack8>>(robot);
      own = packed;
    }
    batch::Options options;
    options.executor = run;
    batch::for_each(*own, views<const double>(in, states, std::make_index_sequence<most_inputs>()),
                    views<double>(out, states, std::make_index_sequence<most_outputs>()),
                    Caller{std::get<Body<Model<Pack8>>>(f), c}, options);
  }
}

template <class R>
void RobotHolder<R>::many(const Entry& f, const std::vector<Rows>& in, const std::vector<Rows>& out,
                          Eigen::Index states, const Constants& c, int threads) {
  const batch::Executor run = executor(threads);
  if (std::is_same_v<R, Model<double>> && std::get<Body<Model<Pack8>>>(f))
    return rows_by_packs(f, in, out, states, c, run);
  constexpr Eigen::Index of_task = 64;
  run((states + of_task - 1) / of_task, [&](std::ptrdiff_t task) {
    std::unique_ptr<DataOf<R>> own;
    {
      const std::lock_guard lock(mutex);
      if (!workspaces.empty()) own = std::move(workspaces.back()), workspaces.pop_back();
    }
    if (!own) own = std::make_unique<DataOf<R>>(robot);
    for (Eigen::Index i = task * of_task; i < std::min(states, (task + 1) * of_task); ++i) {
      const double* from[most_inputs];
      double* to[most_outputs];
      for (std::size_t k = 0; k < in.size(); ++k) from[k] = in[k].begin + i * in[k].stride;
      for (std::size_t k = 0; k < out.size(); ++k) to[k] = out[k].begin + i * out[k].stride;
      try {
        std::get<Body<R>>(f)(robot, *own, from, to, c);
      } catch (const Error&) {
        if (finite(in, i)) throw;
        for (std::size_t k = 0; k < out.size(); ++k)
          std::fill_n(to[k], out[k].size, std::numeric_limits<double>::quiet_NaN());
      }
    }
    const std::lock_guard lock(mutex);
    workspaces.push_back(std::move(own));
  });
}
template struct RobotHolder<Model<double>>;
template struct RobotHolder<Mechanism<double>>;

}  // namespace corio::python
