// Times a state in a pack of states, beside calls of corio for one state at a time:
//
//   corio_batch_bench [rounds]
//
// prints, for an arm of 7, a chain of 20, a quadruped of 26 and two humanoids of 36 and 50, nanoseconds for each state:
// calls over double; calls over the packs of double and of float that fill a register, with states that are in packs
// already; and batch::rnea, which puts states into packs, in one thread and in one thread per core. The variants take
// turns, and the least time of the given number of rounds (default 200) counts, so that other processes do not. Numbers
// in brackets are ratios to the calls over double. The next columns are the flops of a state, counted in one call with
// a scalar that counts; the share of the peak that packs of double reach, where the peak is measured by a loop of
// multiplications and additions; and the size of the Model and Data of a pack, the least that a function reads and
// writes. Further tables show batches of 256 states of functions that return matrices, beside calls that leave them in
// Data and calls that copy them to the places of the batch, with both ratios; small batches in threads; and mechanisms.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "corio/batch/batch.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "reproduce/humanoid_50.hpp"
#include "reproduce/timing.hpp"
#include "support/counting_scalar.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using namespace corio;
constexpr int functions = 8;
constexpr const char* names[functions] = {"kinematics", "rnea", "crba", "aba", "C, M, Mdot", "dID", "dFD", "M^-1"};

/// One state, or the states of a pack.
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

/// Updates the least time of f, in nanoseconds.
template <class F>
void time(double& least, int calls, F&& f) {
  const auto begin = Clock::now();
  for (int i = 0; i < calls; ++i) f();
  least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / calls);
}

template <class S>
using Full = batch::FullPack<S>;

/// Measures the GFLOP/s of x <- x a + b in enough independent sums to keep the units busy.
double peak(int rounds) {
  using P = Full<double>;
  constexpr int sums = 10, steps = 500;
  volatile double start = 0.5;
  double least = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const P a(start), b(0.5 * start);
    P x[sums], sum(0);
    for (int i = 0; i < sums; ++i) x[i] = a + P(i) * b;
    time(least, 1, [&] {
      for (int step = 0; step < steps; ++step)
        corio::detail::repeat<sums>([&](auto i) CORIO_INLINE_LAMBDA { x[i] = x[i] * a + b; });
    });
    for (const P& y : x) sum += y;
    start = 0.5 + 0.0 * sum[0];
  }
  return 2.0 * sums * steps * P::lanes / least;
}

void compare_calls(const Model<double>& model, int rounds) {
  Robot<double> one(model);
  Robot<test::Counting> counting(model);
  const double most = peak(rounds);
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
    counting.call(f);  // the first call allocates, which must not count
    test::Counting::operations = {};
    counting.call(f);
    const double flops = static_cast<double>(test::Counting::operations.total() - test::Counting::operations.function);
    std::printf("  %-12s %8.0f   %8.0f (%.1f) %8.0f (%.1f)   %6.0f flops, %4.1f GFLOP/s, %2.0f %% of %.0f\n", names[f],
                t[0], t[1], t[0] / t[1], t[2], t[0] / t[2], flops, flops / t[1], 100 * flops / t[1] / most, most);
  }
}

using Matrix = Eigen::MatrixXd;

/// Times a small batch of vectors, `states` states repeatedly, in threads and in one thread.
void compare_threads(const Model<double>& model, int rounds) {
  const batch::Packed<Full<double>> packed(model);
  batch::Options serial;
  serial.executor = batch::Serial();
  for (const int states : {128, 256, 512, 1024}) {
    const Matrix Q = Matrix::Random(model.nq(), states), V = Matrix::Random(model.nv(), states);
    Matrix Tau(model.nv(), states);
    double t[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (int round = 0; round < rounds; ++round) {
      time(t[0], 20, [&] { batch::rnea(packed, Q, V, V, Tau, serial); });
      time(t[1], 20, [&] { batch::rnea(packed, Q, V, V, Tau); });
    }
    std::printf("  batch::rnea of %4d states: %.1f us, in %d threads %.1f us (%.2f)\n", states, t[0] / 1000,
                batch::physical_cores(), t[1] / 1000, t[0] / t[1]);
  }
}

/// Times matrices of a batch, beside calls that leave their results in Data, and calls that copy them to the places of
/// the batch.
void compare_matrices(const Model<double>& model, int rounds) {
  constexpr int states = 256;
  const int n = model.nv();
  std::mt19937 generator(1);
  Matrix Q(model.nq(), states), V = Matrix::Random(n, states), A = V, X[3];
  for (int j = 0; j < states; ++j) Q.col(j) = random_configuration(model, generator);
  for (Matrix& x : X) x.setZero(n * n, states);
  const batch::Packed<Full<double>> packed(model);
  Data<double> data(model);
  batch::Options serial;
  serial.executor = batch::Serial();
  const auto compare = [&](const char* name, auto&& call, auto&& many) {
    double t[3];
    std::fill(t, t + 3, std::numeric_limits<double>::infinity());
    const auto copy = [&](int j, const auto&... results) {
      Matrix* x = X;
      ((Eigen::Map<Matrix>(x++->col(j).data(), n, n) = results), ...);
    };
    for (int round = 0; round < rounds / 10; ++round) {
      time(t[0], 1, [&] {
        for (int j = 0; j < states; ++j) call(j);
      });
      time(t[1], 1, [&] {
        for (int j = 0; j < states; ++j) std::apply([&](const auto&... x) { copy(j, x...); }, call(j));
      });
      time(t[2], 1, many);
    }
    for (double& x : t) x /= states;
    std::printf("  batch of %-11s %8.0f, stored %8.0f   batch %8.0f (%.2f, %.2f)\n", name, t[0], t[1], t[2],
                t[0] / t[2], t[1] / t[2]);
  };
  compare(
      "M", [&](int j) { return std::tie(crba(model, data, Q.col(j))); }, [&] { batch::crba(packed, Q, X[0], serial); });
  compare(
      "M^-1", [&](int j) { return std::tie(mass_matrix_inverse(model, data, Q.col(j))); },
      [&] { batch::mass_matrix_inverse(packed, Q, X[0], serial); });
  compare(
      "C, M, Mdot",
      [&](int j) {
        const auto& x = coriolis_matrix(model, data, Q.col(j), V.col(j));
        return std::tie(x.C, x.M, x.Mdot);
      },
      [&] { batch::coriolis_matrix(packed, Q, V, X[0], X[1], X[2], serial); });
  compare(
      "dID",
      [&](int j) {
        const auto& x = inverse_dynamics_derivatives(model, data, Q.col(j), V.col(j), A.col(j));
        return std::tie(x.dtau_dq, x.dtau_dv, x.M);
      },
      [&] { batch::inverse_dynamics_derivatives(packed, Q, V, A, X[0], X[1], X[2], serial); });
  compare(
      "dFD",
      [&](int j) {
        const auto& x = forward_dynamics_derivatives(model, data, Q.col(j), V.col(j), A.col(j));
        return std::tie(x.da_dq, x.da_dv, x.da_dtau);
      },
      [&] { batch::forward_dynamics_derivatives(packed, Q, V, A, X[0], X[1], X[2], serial); });
}

void compare_batches(const Model<double>& model, int rounds) {
  constexpr int states = 2048;
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

/// Times functions of mechanisms at a closed configuration.
void compare_mechanisms(const Model<double>& tree, int rounds) {
  const Mechanism<double> one(tree);
  const auto many = one.cast<Full<double>>();
  MechanismData<double> data(one);
  MechanismData<Full<double>> packs(many);
  const VectorX<double> start = neutral(tree), y = VectorX<double>::LinSpaced(one.nv(), -0.5, 0.5);
  const auto assembly = assemble<double>(one, data, start);
  const VectorX<Full<double>> packed_q = assembly.q.cast<Full<double>>(), packed_y = y.cast<Full<double>>();
  const auto compare = [&](const char* name, auto&& f) {
    double t[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    for (int round = 0; round < rounds; ++round) {
      time(t[0], 10, [&] { f(one, data, assembly.q, y); });
      time(t[1], 10, [&] { f(many, packs, packed_q, packed_y); });
    }
    t[1] /= Full<double>::lanes;
    std::printf("  %-12s %8.0f   %8.0f (%.1f)\n", name, t[0], t[1], t[0] / t[1]);
  };
  compare("kinematics", [](auto& m, auto& d, auto& q, auto& v) { forward_kinematics(m, d, q, v); });
  compare("rnea", [](auto& m, auto& d, auto& q, auto& v) { rnea(m, d, q, v, v); });
  compare("aba", [](auto& m, auto& d, auto& q, auto& v) { aba(m, d, q, v, v); });
  compare("C, M, Mdot", [](auto& m, auto& d, auto& q, auto& v) { coriolis_matrix(m, d, q, v); });
  compare("dID", [](auto& m, auto& d, auto& q, auto& v) { inverse_dynamics_derivatives(m, d, q, v, v); });
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::max(10, std::atoi(argv[1])) : 200;
  const double load = paper::load_average();
  const std::pair<const char*, Model<double>> robots[] = {{"arm of 7", zoo::serial_chain(7)},
                                                          {"chain of 20", zoo::serial_chain(20)},
                                                          {"quadruped", zoo::quadruped()},
                                                          {"humanoid", zoo::humanoid()},
                                                          {"humanoid with hands", paper::humanoid_50()}};
  for (const auto& [name, model] : robots) {
    std::printf("%s, ns for each state: one at a time, in packs of %d doubles, of %d floats\n", name,
                Full<double>::lanes, Full<float>::lanes);
    compare_calls(model, rounds);
    compare_batches(model, rounds);
    compare_matrices(model, rounds);
  }
  std::printf("arm of 7, one batch after the other\n");
  compare_threads(robots[0].second, rounds);
  for (const auto& model : {zoo::geared_arm(3), zoo::four_bar_leg(), zoo::parallel_biped(), zoo::delta_robot()}) {
    std::printf("%s: one at a time, in packs of %d doubles\n", model.name().c_str(), Full<double>::lanes);
    compare_mechanisms(model, rounds);
  }
  std::fputs(paper::machine(CORIO_BENCH_COMPILER, CORIO_BENCH_FLAGS, load).c_str(), stdout);
}
