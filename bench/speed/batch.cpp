// What a state costs in a pack of states, beside corio's own calls for one state at a time:
//
//   corio_batch_bench [rounds]
//
// For an arm of 7, a chain of 20 and a humanoid, nanoseconds for each state: calls over double; calls over the packs of
// double and of float that fill a register, with states that are in packs already; and batch::rnea, which puts them
// there, in one thread and in as many as there are cores. The variants take turns, and the least time of so many rounds
// (default 200) counts, so that what else runs on the machine does not. In brackets: how many times faster than the
// calls over double.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "corio/batch/batch.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using namespace corio;
constexpr int functions = 8;
constexpr const char* names[functions] = {"kinematics", "rnea", "crba", "aba", "C, M, Mdot", "dID", "dFD", "M^-1"};

/// One state, or those of a pack.
template <class S>
struct Robot {
  explicit Robot(const Model<double>& from) : model(from.cast<S>()), data(model), q(model.nq()), v(model.nv()), a(v) {
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (int l = 0; l < states_of<S>; ++l) {
      const VectorX<double> start = random_configuration(from, generator);
      for (int i = 0; i < model.nq(); ++i) set(q[i], l, start[i]);
      for (int k = 0; k < model.nv(); ++k) set(v[k], l, uniform(generator)), set(a[k], l, uniform(generator));
    }
  }
  static void set(S& x, int l, double number) {
    if constexpr (states_of < S >> 1)
      x.set(l, static_cast<typename S::Number>(number));
    else
      x = S(number);
  }
  void call(int function) {
    switch (function) {
      case 0: forward_kinematics<S>(model, data, q, v); break;
      case 1: rnea<S>(model, data, q, v, a); break;
      case 2: crba<S>(model, data, q); break;
      case 3: aba<S>(model, data, q, v, a); break;
      case 4: coriolis_matrix(model, data, q, v); break;
      case 5: inverse_dynamics_derivatives<S>(model, data, q, v, a); break;
      case 6: forward_dynamics_derivatives<S>(model, data, q, v, a); break;
      default: mass_matrix_inverse<S>(model, data, q);
    }
  }

  Model<S> model;
  Data<S> data;
  VectorX<S> q, v, a;
};

/// Nanoseconds that f takes, if that is less than before.
template <class F>
void time(double& least, int calls, F&& f) {
  const auto begin = Clock::now();
  for (int i = 0; i < calls; ++i) f();
  least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / calls);
}

template <class S>
using Full = batch::FullPack<S>;

void compare_calls(const Model<double>& model, int rounds) {
  Robot<double> one(model);
  Robot<Full<double>> doubles(model);
  Robot<Full<float>> floats(model);
  constexpr int n = Full<double>::lanes, m = Full<float>::lanes, calls = 10;
  for (int f = 0; f < functions; ++f) {
    double t[3];
    std::fill(t, t + 3, std::numeric_limits<double>::infinity());
    for (int round = 0; round < rounds; ++round) {
      time(t[0], calls, [&] { one.call(f); });
      time(t[1], calls, [&] { doubles.call(f); });
      time(t[2], calls, [&] { floats.call(f); });
    }
    t[1] /= n, t[2] /= m;
    std::printf("  %-12s %8.0f   %8.0f (%.1f) %8.0f (%.1f)\n", names[f], t[0], t[1], t[0] / t[1], t[2], t[0] / t[2]);
  }
}

void compare_batches(const Model<double>& model, int rounds) {
  constexpr int states = 2048;
  using Matrix = Eigen::MatrixXd;
  std::mt19937 generator(1);
  Matrix Q(model.nq(), states), V = Matrix::Random(model.nv(), states), A = V, Tau = V;
  for (int j = 0; j < states; ++j) Q.col(j) = random_configuration(model, generator);
  const batch::Packed<Full<double>> doubles(model);
  const batch::Packed<Full<float>> floats(model);
  batch::Options serial;
  serial.executor = batch::Serial();
  double t[4];
  std::fill(t, t + 4, std::numeric_limits<double>::infinity());
  Data<double> data(model);
  for (int round = 0; round < rounds / 10; ++round) {
    time(t[0], 1, [&] {
      for (int j = 0; j < states; ++j) Tau.col(j) = rnea(model, data, Q.col(j), V.col(j), A.col(j));
    });
    time(t[1], 1, [&] { batch::rnea(doubles, Q, V, A, Tau, serial); });
    time(t[2], 1, [&] { batch::rnea(floats, Q, V, A, Tau, serial); });
    time(t[3], 1, [&] { batch::rnea(doubles, Q, V, A, Tau); });
  }
  for (double& x : t) x /= states;
  std::printf("  %-12s %8.0f   %8.0f (%.1f) %8.0f (%.1f)   in %d threads %.0f, %.2f times as fast as in one\n",
              "batch::rnea", t[0], t[1], t[0] / t[1], t[2], t[0] / t[2], batch::physical_cores(), t[3], t[1] / t[3]);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(10, std::atoi(argv[1])) : 200;
  const std::pair<const char*, Model<double>> robots[] = {
      {"arm of 7", zoo::serial_chain(7)}, {"chain of 20", zoo::serial_chain(20)}, {"humanoid", zoo::humanoid()}};
  for (const auto& [name, model] : robots) {
    std::printf("%s, ns for each state: one at a time, in packs of %d doubles, of %d floats\n", name,
                Full<double>::lanes, Full<float>::lanes);
    compare_calls(model, rounds);
    compare_batches(model, rounds);
  }
}
