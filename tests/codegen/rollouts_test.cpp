#include "corio/codegen/rollouts.hpp"

#include <dlfcn.h>

#include "codegen/compiled_support.hpp"

using namespace codegen_test;

// Compares rollouts in C and CUDA with steps of the library, and their gradients with differences.

namespace rollouts_of_code {

constexpr double dt = 0.01;
constexpr int steps = 12, rollouts = 6, parameters = 3;

/// The cost of a state and its torques: a point of the last body near p, speeds and torques.
constexpr auto stage_cost = [](const auto& model, auto& data, const auto& q, const auto& v, const auto& tau,
                               const auto& p) {
  using S = typename std::decay_t<decltype(q)>::Scalar;
  const auto at = body_pose(model, data, model.bodies().back()).translation;
  S sum = S(0.01) * v.dot(v) + S(1e-3) * tau.dot(tau);
  for (int i = 0; i < 3; ++i) sum += (at[i] - p[i]) * (at[i] - p[i]);
  return S(sum);
};

/// A robot, its motors, and the numbers for some rollouts.
struct Problem {
  Model<double> model;
  std::vector<int> actuated;
  int nq = model.nq(), nv = model.nv(), nu = static_cast<int>(actuated.size());
  MatrixX<double> q{nq, rollouts}, v{nv, rollouts}, u{nu * steps, rollouts};
  VectorXd p = VectorXd::Constant(parameters, 0.2), sigma = VectorXd::LinSpaced(nu, 0.5, 1.5);

  Problem(const Model<double>& m, std::vector<int> dofs) : model(m), actuated(std::move(dofs)) {
    std::mt19937_64 generator(1);
    for (int i = 0; i < rollouts; ++i) {
      const auto x = state(model, 0, generator);
      q.col(i) = x[0], v.col(i) = x[1];
    }
    std::uniform_real_distribution<double> uniform(-3, 3);
    for (double& x : u.reshaped()) x = uniform(generator);
  }
  Recording step() const { return codegen::record_step(model, dt, actuated, parameters, stage_cost); }
  /// Returns cost and end of a rollout by the library.
  std::pair<double, VectorXd> exact(int i, const VectorXd& controls) const {
    Data<double> data(model);
    VectorXd at_q = q.col(i), at_v = v.col(i), tau = VectorXd::Zero(nv);
    double total = 0;
    for (int k = 0; k < steps; ++k) {
      for (int j = 0; j < nu; ++j) {
        const double limit = model.effort_limit()[actuated[std::size_t(j)]];
        tau[actuated[std::size_t(j)]] = std::clamp(controls[k * nu + j], -limit, limit);
      }
      forward_kinematics<double>(model, data, at_q, at_v);
      total += stage_cost(model, data, at_q, at_v, tau, p);
      corio::step<double>(model, data, at_q, at_v, tau, dt);
    }
    VectorXd end(nq + nv);
    end << at_q, at_v;
    return {total, end};
  }
};
/// Returns a floating base with legs, and a ball joint with a hinge that has dampers, springs and motors with limits.
std::vector<Problem> problems() {
  auto legs = zoo::quadruped(8);
  std::vector<int> motors;
  for (int k = 6; k < legs.nv(); ++k) motors.push_back(k);
  auto builder = to_builder(test::sprung(joint::Spherical{}));
  builder.body("first").limits.effort = {2, 2, 2}, builder.body("second").limits.effort = {2};
  auto ball = builder.build();
  ball.set_damping(VectorXd::LinSpaced(ball.nv(), 0.1, 0.4));
  std::vector<int> all;
  for (int k = 0; k < ball.nv(); ++k) all.push_back(k);
  return {{legs, motors}, {ball, all}};
}

/// A second implementation of Philox4x32-10 and Box-Muller.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::uint32_t k0, std::uint32_t k1) {
  for (int r = 0; r < 10; ++r, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const std::uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
    c = {std::uint32_t(b >> 32) ^ c[1] ^ k0, std::uint32_t(b), std::uint32_t(a >> 32) ^ c[3] ^ k1, std::uint32_t(a)};
  }
  return c;
}
double normal(unsigned rollout, int step, int control, unsigned seed) {
  const auto c = philox({rollout, unsigned(step), unsigned(control / 4), 0}, seed, 0);
  const auto at = std::size_t(control % 4 / 2 * 2);
  const double size = std::sqrt(-2 * std::log((c[at] + 0.5) * 0x1p-32));
  const double angle = 2 * std::numbers::pi * c[at + 1] * 0x1p-32;
  return size * (control % 2 == 0 ? std::cos(angle) : std::sin(angle));
}
VectorXd with_noise(const Problem& of, const VectorXd& u, unsigned rollout, unsigned seed) {
  VectorXd out = u;
  for (int k = 0; k < steps; ++k)
    for (int j = 0; j < of.nu; ++j) out[k * of.nu + j] += of.sigma[j] * normal(rollout, k, j, seed);
  return out;
}
/// Returns the result of an update for these costs.
VectorXd updated(const Problem& of, const VectorXd& u, const VectorXd& costs, double temperature, unsigned seed) {
  VectorXd sum = VectorXd::Zero(u.size());
  double weights = 0, lowest = INFINITY;
  for (const double c : costs)
    if (std::isfinite(c) && c < lowest) lowest = c;
  for (int i = 0; i < costs.size(); ++i) {
    if (!std::isfinite(costs[i])) continue;
    const double weight = std::exp((lowest - costs[i]) / temperature);
    weights += weight, sum += weight * (with_noise(of, u, unsigned(i), seed) - u);
  }
  return u + sum / weights;
}

using Rollout = void (*)(const double* q, const double* v, const double* u, const double* p, const double* sigma,
                         unsigned seed, unsigned number, std::size_t steps, double* q_end, double* v_end, double* cost);
using Update = void (*)(const double* cost, std::size_t rollouts, double temperature, const double* sigma,
                        unsigned seed, std::size_t steps, double* u);
using Gradient = void (*)(const double* q, const double* v, const double* u, const double* p, std::size_t steps,
                          double* memory, double* d_q, double* d_v, double* d_u, double* cost);

}  // namespace rollouts_of_code
using namespace rollouts_of_code;

TEST_CASE("rollouts in C are steps of the library, in lanes too, with noise of Philox", "[codegen]") {
  const test::WorkingFolder folder;
  const int lanes = GENERATE(1, 2);
  const std::string compiler = exists("gcc") ? "gcc" : exists("clang") ? "clang" : "";
  if (compiler.empty()) return;
  int number = 0;
  for (const Problem& of : problems()) {
    CAPTURE(lanes, of.model.name());
    const std::string name = "robot" + std::to_string(number++);
    codegen::Writer writer(name, codegen::layout(of.model), {false, false, lanes});
    writer.add_rollouts(of.step());
    write_sources(writer);
    require(compiler + " -std=c11 -O0 -Wall -Wextra -Wconversion -Wno-psabi -Werror -fPIC -shared " + name +
            ".c -lm -o " + name + ".so");
    void* const library = dlopen(fs::absolute(name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(library);
    const auto rollout = reinterpret_cast<Rollout>(dlsym(library, (name + "_step_rollout").c_str()));
    const auto update = reinterpret_cast<Update>(dlsym(library, (name + "_step_update").c_str()));
    const auto gradient = reinterpret_cast<Gradient>(dlsym(library, (name + "_step_gradient").c_str()));
    REQUIRE((rollout && update && gradient));
    /// Packs columns of some rollouts into vectors of lanes.
    const auto packed = [&](const MatrixX<double>& x) { return MatrixX<double>(x.transpose()); };
    VectorXd costs(rollouts);
    for (int first = 0; first < rollouts; first += lanes)
      for (const bool noise : {true, false}) {
        const MatrixX<double> u =
            noise ? MatrixX<double>(of.u.col(0).replicate(1, lanes)) : of.u.middleCols(first, lanes);
        const MatrixX<double> at_q = packed(of.q.middleCols(first, lanes)),
                              at_v = packed(of.v.middleCols(first, lanes)), controls = packed(u),
                              p = packed(of.p.replicate(1, lanes));
        MatrixX<double> q_end(lanes, of.nq), v_end(lanes, of.nv), total(lanes, 1);
        rollout(at_q.data(), at_v.data(), controls.data(), p.data(), noise ? of.sigma.data() : nullptr, 7,
                unsigned(first), steps, q_end.data(), v_end.data(), total.data());
        for (int l = 0; l < lanes; ++l) {
          const auto [exact, end] =
              of.exact(first + l, noise ? with_noise(of, u.col(l), unsigned(first + l), 7) : u.col(l));
          VectorXd got(of.nq + of.nv);
          got << q_end.row(l).transpose(), v_end.row(l).transpose();
          CHECK(std::abs(total(l) - exact) < 1e-12 * exact);
          CHECK(test::relative_error(got, end) < 1e-12);
        }
        if (noise) continue;
        costs.segment(first, lanes) = total.col(0);

        // Compares the gradient, each lane alone, with central differences of the library: errors of h^2 and of
        // rounding / h.
        MatrixX<double> memory(lanes, steps * (of.nq + of.nv)), d_q(lanes, of.nq), d_v(lanes, of.nv),
            d_u(lanes, steps * of.nu);
        gradient(at_q.data(), at_v.data(), controls.data(), p.data(), steps, memory.data(), d_q.data(), d_v.data(),
                 d_u.data(), total.data());
        for (int l = 0; l < lanes && first == 0; ++l) {
          CHECK(std::abs(total(l) - costs[l]) < 1e-14 * costs[l]);
          VectorXd differences(5), found(5);
          for (int k = 0; k < 5; ++k) {
            const int at = k * (steps * of.nu - 1) / 4;
            VectorXd up = u.col(l), down = up;
            up[at] += 1e-5, down[at] -= 1e-5;
            differences[k] = (of.exact(l, up).first - of.exact(l, down).first) / 2e-5, found[k] = d_u(l, at);
          }
          CHECK((found - differences).norm() < 1e-8 * (1 + found.norm()));
          Problem moved = of;
          moved.v(of.nv - 1, l) += 1e-5;
          const double up = moved.exact(l, u.col(l)).first;
          moved.v(of.nv - 1, l) -= 2e-5;
          CHECK(std::abs((up - moved.exact(l, u.col(l)).first) / 2e-5 - d_v(l, of.nv - 1)) < 1e-7 * (1 + d_v.norm()));
        }
      }
    VectorXd u = of.u.col(0);
    costs[1] = std::nan(""), costs[2] = -INFINITY, costs[3] = INFINITY;
    update(costs.data(), rollouts, 0.7, of.sigma.data(), 7, steps, u.data());
    CHECK(test::relative_error(u, updated(of, of.u.col(0), costs, 0.7, 7)) < 1e-12);
    u = of.u.col(0);
    for (const double temperature : {0.0, -1.0, std::nan("")})
      update(costs.data(), rollouts, temperature, of.sigma.data(), 7, steps, u.data());
    costs.setConstant(-INFINITY);
    update(costs.data(), rollouts, 0.7, of.sigma.data(), 7, steps, u.data());
    CHECK(u == of.u.col(0));
    dlclose(library);
  }
}

TEST_CASE("rollouts in CUDA, on the host, are steps of the library", "[codegen]") {
  const test::WorkingFolder folder;
  const std::string compiler = exists("clang++") ? "clang++" : exists("g++") ? "g++" : "";
  if (compiler.empty()) return;
  const bool single = GENERATE(false, true);
  for (const Problem& of : problems()) {
    CAPTURE(single, of.model.name());
    codegen::Writer writer("robot", codegen::layout(of.model), {true, single});
    writer.add_rollouts(of.step());
    write_sources(writer);
    std::ofstream("main.cpp") << "#include \"" << CORIO_EXAMPLES_DIR << "/../tests/codegen/host_cuda.hpp\"\n"
                              << "#include \"robot.cu\"\nconstexpr size_t n = " << rollouts << ", steps = " << steps
                              << ", nq = " << of.nq << ", nv = " << of.nv << ", nu = " << of.nu << ";\n"
                              << R"(using Numbers = std::vector<robot_real>;
Numbers read(size_t size) {
  std::vector<double> x(size);
  if (fread(x.data(), 8, size, stdin) != size) exit(2);
  return Numbers(x.begin(), x.end());
}
void write(const Numbers& x) {
  for (const double number : x) fwrite(&number, 8, 1, stdout);
}
int main() {
  const Numbers q = read(n * nq), v = read(n * nv), u = read(n * nu * steps), p = read(3), sigma = read(nu);
  Numbers plan = read(nu * steps), q_end(n * nq), v_end(n * nv), cost(n);
  if (robot_step_rollout(q.data(), v.data(), u.data(), p.data(), nullptr, 0, steps, n, 0, q_end.data(), v_end.data(), cost.data(), nullptr)) exit(3);
  write(cost), write(q_end), write(v_end);
  Numbers q0(nq), v0(nv);
  for (size_t k = 0; k < nq; ++k) q0[k] = q[k * n];
  for (size_t k = 0; k < nv; ++k) v0[k] = v[k * n];
  if (robot_step_rollout(q0.data(), v0.data(), plan.data(), p.data(), sigma.data(), 7, steps, n, 1, nullptr, nullptr, cost.data(), nullptr)) exit(4);
  write(cost);
  if (robot_step_update(cost.data(), n, robot_real(0.7), sigma.data(), 7, steps, plan.data(), nullptr)) exit(5);
  write(plan);
  const Numbers before = plan;
  for (const double temperature : {0.0, -1.0, std::nan("")})
    if (robot_step_update(cost.data(), n, robot_real(temperature), sigma.data(), 7, steps, plan.data(), nullptr) != cudaErrorInvalidValue) exit(8);
  Numbers costs(n, -INFINITY);
  if (robot_step_update(costs.data(), n, 1, sigma.data(), 7, steps, plan.data(), nullptr) || plan != before) exit(9);
  costs[1] = 3, costs[2] = NAN;
  if (robot_step_update(costs.data(), n, 1, sigma.data(), 7, steps, plan.data(), nullptr) || plan == before) exit(10);
  for (const robot_real x : plan) if (!(x - x == 0)) exit(11);
  Numbers memory(steps * (nq + nv) * n), d_q(n * nq), d_v(n * nv), d_u(n * nu * steps);
  const auto gradient = [&](size_t rollouts, robot_real* states) {
    return robot_step_gradient(q.data(), v.data(), u.data(), p.data(), steps, rollouts, 0, states, d_q.data(), d_v.data(), d_u.data(), cost.data(), nullptr);
  };
  if (gradient(n, nullptr) != cudaErrorInvalidValue || gradient(0, nullptr) || gradient(n, memory.data())) exit(7);
  write(cost), write(d_q), write(d_v), write(d_u);
  return robot_step_rollout(q0.data(), v0.data(), plan.data(), p.data(), nullptr, 0, steps, size_t(1) << 31, 1, nullptr, nullptr, cost.data(), nullptr) == cudaErrorInvalidValue ? 0 : 6;
}
)";
    {
      std::ofstream x("x", std::ios::binary);
      const auto put = [&](const MatrixX<double>& m) {  // [number][rollout]
        const MatrixX<double> rows = m.transpose();
        x.write(reinterpret_cast<const char*>(rows.data()), rows.size() * 8);
      };
      put(of.q), put(of.v), put(of.u), put(of.p), put(of.sigma), put(of.u.col(0));
    }
    require(compiler + " -std=c++20 -O0 -D_GNU_SOURCE main.cpp -pthread -o main && (./main < x > y)");
    if (compiler == "clang++")
      for (const char* kernel : {"robot_step_rollout_kernel", "robot_step_update_kernel", "robot_step_gradient_kernel"})
        CHECK(gpu_code("robot.cu").find(std::string(kernel) + "P") != std::string::npos);
    const auto bytes = text_of("y");
    REQUIRE(bytes.size() == std::size_t(8 * (rollouts * (3 + 2 * (of.nq + of.nv) + steps * of.nu) + steps * of.nu)));
    const double* at = reinterpret_cast<const double*>(bytes.data());
    const auto next = [&](int rows, int columns) {
      const MatrixX<double> m = MatrixX<double>::Map(at, columns, rows).transpose();
      at += m.size();
      return m;
    };
    const MatrixX<double> costs = next(1, rollouts), q_end = next(of.nq, rollouts), v_end = next(of.nv, rollouts),
                          sampled = next(1, rollouts), plan = next(steps * of.nu, 1), again = next(1, rollouts),
                          d_q = next(of.nq, rollouts), d_v = next(of.nv, rollouts), d_u = next(steps * of.nu, rollouts);
    const double within = single ? 1e-3 : 1e-12;  // seven digits of float, minus those that twelve steps cost
    Problem from_one = of;
    from_one.q = of.q.col(0).replicate(1, rollouts).eval(), from_one.v = of.v.col(0).replicate(1, rollouts).eval();
    for (int i = 0; i < rollouts; ++i) {
      const auto [exact, end] = of.exact(i, of.u.col(i));
      VectorXd got(of.nq + of.nv);
      got << q_end.col(i), v_end.col(i);
      CHECK(std::abs(costs(i) - exact) < within * exact);
      CHECK(test::relative_error(got, end) < within);
      const double noisy = from_one.exact(i, with_noise(of, of.u.col(0), unsigned(i), 7)).first;
      CHECK(std::abs(sampled(i) - noisy) < within * noisy);
    }
    const VectorXd expected = updated(of, of.u.col(0), sampled.transpose(), 0.7, 7);
    CHECK(test::relative_error(VectorXd(plan), expected) < within);

    // Compares the gradient with central differences along one direction for all inputs: errors of h^2 and of rounding
    // / h.
    CHECK(again == costs);
    for (const int i : {0, rollouts - 1}) {
      const VectorXd way = VectorXd::LinSpaced(steps * of.nu, -1, 1), turn = VectorXd::LinSpaced(of.nv, -1, 1);
      const auto start = [&](double h) { return integrate<double>(of.model, of.q.col(i), (h * turn).eval()); };
      const auto cost_at = [&](double h) {
        Problem moved = of;
        moved.q.col(i) = start(h), moved.v.col(i) += h * turn;
        return moved.exact(i, of.u.col(i) + h * way).first;
      };
      const double h = 1e-5, difference = (cost_at(h) - cost_at(-h)) / (2 * h);
      const VectorXd q_way = (start(h) - start(-h)) / (2 * h);
      const double size = d_u.col(i).norm() * way.norm() + d_v.col(i).norm() * turn.norm() + d_q.col(i).norm();
      const double slope = d_u.col(i).dot(way) + d_v.col(i).dot(turn) + d_q.col(i).dot(q_way);
      CHECK(std::abs(slope - difference) < (single ? 1e-3 : 1e-7) * size);
    }
  }
}
