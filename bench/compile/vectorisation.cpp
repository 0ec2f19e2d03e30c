// What vectorisation.sh compiles in many ways: inner loops over blocks of columns, each in a function of its own to be
// disassembled, and a program that times algorithms made of them on a chain of 20 joints.
//
//   vectorisation
//
// prints lines "<scalar> <algorithm> <nanoseconds per call>", of the fastest of many samples.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <random>

#include "corio/corio.hpp"

/// The script finds the loops by this name.
namespace kernel {

using namespace corio;

template <class S>
[[gnu::noinline, gnu::flatten]] void symmetric(const Motion<S>& x, const Columns<S, 6>& F, int n, MatrixX<S>& A) {
  detail::symmetric_strip(x, F, 0, n, A);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void coriolis(const Motion<S>& x, const Columns<S, 6>& F, const Columns<S, 3>& N, int n,
                                              CoriolisMatrices<S>& out) {
  detail::coriolis_strip(x, x, F, F, N, 0, 1, n, out);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void derivatives(const Motion<S>& x, const Columns<S, 6>& F, const Columns<S, 3>& N,
                                                 int n, InverseDynamicsDerivatives<S>& out) {
  detail::derivatives_strip(x, x, x, x, F, F, F, N, 0, 1, n, out);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void hessian(const detail::HessianRow<S>& x, const typename Data<S>::Work& columns,
                                             int n, InverseDynamicsHessian<S>& out) {
  detail::hessian_strip(x, columns, 0, 1, n, out);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void operators(const S (&V)[6], const Columns<S, 12>& columns, int k, S* memory) {
  detail::OperatorBlocks<S>(memory).set(V, columns, k);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void product(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out) {
  detail::negative_product_tile<2>(W, D, out, 0, 0);
}

#define KERNELS(S)                                                                                                 \
  template void symmetric(const Motion<S>&, const Columns<S, 6>&, int, MatrixX<S>&);                               \
  template void coriolis(const Motion<S>&, const Columns<S, 6>&, const Columns<S, 3>&, int, CoriolisMatrices<S>&); \
  template void derivatives(const Motion<S>&, const Columns<S, 6>&, const Columns<S, 3>&, int,                     \
                            InverseDynamicsDerivatives<S>&);                                                       \
  template void hessian(const detail::HessianRow<S>&, const Data<S>::Work&, int, InverseDynamicsHessian<S>&);      \
  template void operators(const S(&)[6], const Columns<S, 12>&, int, S*);                                          \
  template void product(const MatrixX<S>&, const MatrixX<S>&, MatrixX<S>&);
KERNELS(double)
KERNELS(float)
#undef KERNELS

}  // namespace kernel

namespace {

/// The fastest of 40 samples of half a millisecond; f is called `calls` times by pass().
template <class F>
double nanoseconds(int calls, F&& pass) {
  using Clock = std::chrono::steady_clock;
  double best = 1e300;
  for (int sample = 0; sample < 40; ++sample) {
    const auto start = Clock::now();
    int passes = 0;
    double elapsed = 0;
    do {
      pass();
      std::atomic_signal_fence(std::memory_order_seq_cst);
      ++passes;
      elapsed = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    } while (elapsed < 5e5);
    best = std::min(best, elapsed / (passes * calls));
  }
  return best;
}

template <class S>
void time(const char* scalar) {
  const auto model = corio::zoo::serial_chain<S>(20);
  corio::Data<S> data(model);
  corio::PackedChristoffelTensor<S> Gamma(model);
  struct State {
    corio::VectorX<S> q, v, a;
  };
  std::vector<State> states;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] {
    return corio::VectorX<S>::NullaryExpr(model.nv(), [&] { return S(uniform(random)); }).eval();
  };
  for (int i = 0; i < 64; ++i) states.push_back({vector(), vector(), vector()});
  const auto add = [&](const char* algorithm, auto f) {
    const double t = nanoseconds(static_cast<int>(states.size()), [&] {
      for (const State& s : states) f(s);
    });
    std::printf("%s %s %.2f\n", scalar, algorithm, t);
  };
  add("rnea", [&](const State& s) { corio::rnea(model, data, s.q, s.v, s.a); });
  add("crba", [&](const State& s) { corio::crba(model, data, s.q); });
  add("coriolis_matrix", [&](const State& s) { corio::coriolis_matrix(model, data, s.q, s.v); });
  add("christoffel_symbols", [&](const State& s) { corio::christoffel_symbols(model, data, s.q, Gamma); });
  add("inverse_dynamics_derivatives",
      [&](const State& s) { corio::inverse_dynamics_derivatives(model, data, s.q, s.v, s.a); });
  add("inverse_dynamics_hessian",
      [&](const State& s) { corio::inverse_dynamics_hessian(model, data, s.q, s.v, s.a, s.v); });
}

}  // namespace

int main() {
  time<double>("double");
  time<float>("float");
}
