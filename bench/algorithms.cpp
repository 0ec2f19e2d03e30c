// Time per call of every algorithm on the sample robots. One benchmark is <algorithm>[_float]/<robot>:
//
//   corio_bench --benchmark_filter='coriolis_matrix/' --benchmark_repetitions=9 --benchmark_report_aggregates_only=true
//
// A plain name, such as crba, is the complete call from (q, v, a), kinematics pass included. <algorithm>_reuse is
// f(model, data) right after a kinematics pass, which is not timed.

#include <benchmark/benchmark.h>

#include <iostream>
#include <memory>
#include <random>

#include "corio/corio.hpp"
#include "corio/model/zoo.hpp"

namespace {

template <class S>
struct Case {
  struct State {
    corio::VectorX<S> q, v, a;
  };
  std::string name;
  corio::Model<S> model;
  corio::Data<S> data;
  std::vector<State> states;

  Case(std::string name_, const corio::Model<double>& model_)
      : name(std::move(name_)), model(model_.cast<S>()), data(model) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const auto vector = [&] {
      return corio::VectorX<S>::NullaryExpr(model.nv(), [&] { return S(uniform(random)); }).eval();
    };
    // Enough states that branch predictors cannot learn them, few enough to stay in the cache.
    for (int i = 0; i < 64; ++i) {
      auto q = corio::random_configuration(model, random);
      states.push_back({std::move(q), vector(), vector()});
    }
  }
};

/// Times f(model, data, state) over the states in turn.
template <class S, class F>
void add(const std::string& algorithm, const std::shared_ptr<Case<S>>& robot, F f) {
  const auto run = [robot, f](benchmark::State& loop) {
    std::size_t i = 0;
    for (auto _ : loop) {
      benchmark::DoNotOptimize(f(robot->model, robot->data, robot->states[i]));
      benchmark::ClobberMemory();
      i = (i + 1) % robot->states.size();
    }
  };
  const std::string scalar = std::is_same_v<S, double> ? "" : "_float";
  benchmark::RegisterBenchmark((algorithm + scalar + "/" + robot->name).c_str(), run);
}

/// Times f(model, data) on the state that a kinematics pass left.
template <class S, class F>
void add_reuse(const std::string& algorithm, const std::shared_ptr<Case<S>>& robot, F f) {
  corio::forward_kinematics(robot->model, robot->data, robot->states[0].q, robot->states[0].v);
  add(algorithm + "_reuse", robot, [f](const auto& model, auto& data, const auto&) {
    data.end_pass(model, corio::Pass::velocity);  // as after a pass: composites have yet to be summed
    return f(model, data);
  });
}

template <class Tensor>
void add_christoffel(const std::string& algorithm, const std::shared_ptr<Case<double>>& robot) {
  const auto Gamma = std::make_shared<Tensor>(robot->model);
  add(algorithm, robot, [Gamma](const auto& m, auto& d, const auto& s) {
    corio::christoffel_symbols(m, d, s.q, *Gamma);
    return Gamma.get();
  });
  add_reuse(algorithm, robot, [Gamma](const auto& m, auto& d) {
    corio::christoffel_symbols(m, d, *Gamma);
    return Gamma.get();
  });
}

/// Of the last body, into one matrix.
void add_jacobians(const std::shared_ptr<Case<double>>& robot) {
  const auto J = std::make_shared<corio::MatrixX<double>>(6, robot->model.nv());
  const corio::Where<double> last = robot->model.bodies().back();
  add("body_jacobian", robot, [J, last](const auto& m, auto& d, const auto& s) {
    corio::body_jacobian(m, d, s.q, last, *J);
    return J->data();
  });
  add_reuse("body_jacobian", robot, [J, last](const auto& m, auto& d) {
    corio::body_jacobian(m, d, last, *J);
    return J->data();
  });
  add_reuse("body_jacobian_dot", robot, [J, last](const auto& m, auto& d) {
    corio::body_jacobian_dot(m, d, last, *J);
    return J->data();
  });
  add("body_jacobian_ddot", robot, [J, last](const auto& m, auto& d, const auto& s) {
    corio::body_jacobian_ddot(m, d, s.q, s.v, s.a, last, *J);
    return J->data();
  });
  const auto D = std::make_shared<corio::JacobianDerivatives<double>>(robot->model);
  add_reuse("body_jacobian_derivatives", robot, [D, last](const auto& m, auto& d) {
    corio::body_jacobian_derivatives(m, d, last, *D);
    return D.get();
  });
}

void add_centroidal(const std::shared_ptr<Case<double>>& robot) {
  add("center_of_mass", robot,
      [](const auto& m, auto& d, const auto& s) { return corio::center_of_mass(m, d, s.q)[0]; });
  add("com_jacobian", robot,
      [](const auto& m, auto& d, const auto& s) { return corio::com_jacobian(m, d, s.q).data(); });
  add("centroidal_momentum_matrix", robot,
      [](const auto& m, auto& d, const auto& s) { return corio::centroidal_momentum_matrix(m, d, s.q).data(); });
  add("centroidal_momentum_matrix_dot", robot, [](const auto& m, auto& d, const auto& s) {
    return corio::centroidal_momentum_matrix_dot(m, d, s.q, s.v).data();
  });
  add("centroidal_momentum", robot,
      [](const auto& m, auto& d, const auto& s) { return corio::centroidal_momentum(m, d, s.q, s.v).force[0]; });
  add_reuse("centroidal_momentum_matrix", robot,
            [](const auto& m, auto& d) { return corio::centroidal_momentum_matrix(m, d).data(); });
}

void add_all(const std::shared_ptr<Case<double>>& robot) {
  add("forward_kinematics", robot, [](const auto& model, auto& data, const auto& s) {
    corio::forward_kinematics(model, data, s.q, s.v);
    return data.velocity.data();
  });
  add("rnea", robot, [](const auto& m, auto& d, const auto& s) { return corio::rnea(m, d, s.q, s.v, s.a).data(); });
  add("nonlinear_effects", robot,
      [](const auto& m, auto& d, const auto& s) { return corio::nonlinear_effects(m, d, s.q, s.v).data(); });
  add("generalized_gravity", robot,
      [](const auto& m, auto& d, const auto& s) { return corio::generalized_gravity(m, d, s.q).data(); });
  add("crba", robot, [](const auto& m, auto& d, const auto& s) { return corio::crba(m, d, s.q).data(); });
  add_reuse("crba", robot, [](const auto& m, auto& d) { return corio::crba(m, d).data(); });
  add("aba", robot, [](const auto& m, auto& d, const auto& s) { return corio::aba(m, d, s.q, s.v, s.a).data(); });
  add("coriolis_matrix", robot,
      [](const auto& m, auto& d, const auto& s) { return corio::coriolis_matrix(m, d, s.q, s.v).C.data(); });
  add_reuse("coriolis_matrix", robot, [](const auto& m, auto& d) { return corio::coriolis_matrix(m, d).C.data(); });
  add("mass_matrix_dot", robot,
      [](const auto& m, auto& d, const auto& s) { return corio::mass_matrix_dot(m, d, s.q, s.v).data(); });
  add_reuse("mass_matrix_dot", robot, [](const auto& m, auto& d) { return corio::mass_matrix_dot(m, d).data(); });
  add("coriolis_product", robot,
      [](const auto& m, auto& d, const auto& s) { return corio::coriolis_product(m, d, s.q, s.v, s.a).data(); });
  add("coriolis_transpose_product", robot, [](const auto& m, auto& d, const auto& s) {
    return corio::coriolis_transpose_product(m, d, s.q, s.v, s.a).data();
  });
  const corio::VectorX<double> x = robot->states[0].a;
  add_reuse("coriolis_product", robot, [x](const auto& m, auto& d) { return corio::coriolis_product(m, d, x).data(); });
  add_reuse("coriolis_transpose_product", robot,
            [x](const auto& m, auto& d) { return corio::coriolis_transpose_product(m, d, x).data(); });
  add_jacobians(robot);
  add_centroidal(robot);
  add_christoffel<corio::ChristoffelTensor<double>>("christoffel_symbols", robot);
  add_christoffel<corio::PackedChristoffelTensor<double>>("christoffel_symbols_packed", robot);
  add("mass_matrix_inverse", robot,
      [](const auto& m, auto& d, const auto& s) { return corio::mass_matrix_inverse(m, d, s.q).data(); });
  add("inverse_dynamics_derivatives", robot, [](const auto& m, auto& d, const auto& s) {
    return corio::inverse_dynamics_derivatives(m, d, s.q, s.v, s.a).dtau_dq.data();
  });
  for (const auto& [name, route] : {std::pair("dense", corio::DerivativeRoute::dense),
                                    std::pair("articulated", corio::DerivativeRoute::articulated)})
    add(std::string("forward_dynamics_derivatives_") + name, robot,
        [route = route](const auto& m, auto& d, const auto& s) {
          return corio::forward_dynamics_derivatives(m, d, s.q, s.v, s.a, {}, route).da_dq.data();
        });
  add("inverse_dynamics_hessian", robot, [](const auto& m, auto& d, const auto& s) {
    return corio::inverse_dynamics_hessian(m, d, s.q, s.v, s.a, s.a).qq.data();
  });
  add("forward_dynamics_hessian", robot, [](const auto& m, auto& d, const auto& s) {
    return corio::forward_dynamics_hessian(m, d, s.q, s.v, s.a, s.a).qq.data();
  });
  const auto second = std::make_shared<corio::InverseDynamicsSecondDerivatives<double>>(robot->model);
  add("inverse_dynamics_second_derivatives", robot, [second](const auto& m, auto& d, const auto& s) {
    corio::inverse_dynamics_second_derivatives(m, d, s.q, s.v, s.a, *second);
    return second->d2tau_dqdq.data();
  });
}

void add_float(const std::shared_ptr<Case<float>>& robot) {
  add("rnea", robot, [](const auto& m, auto& d, const auto& s) { return corio::rnea(m, d, s.q, s.v, s.a).data(); });
  add("crba", robot, [](const auto& m, auto& d, const auto& s) { return corio::crba(m, d, s.q).data(); });
  add("aba", robot, [](const auto& m, auto& d, const auto& s) { return corio::aba(m, d, s.q, s.v, s.a).data(); });
  add("coriolis_matrix", robot,
      [](const auto& m, auto& d, const auto& s) { return corio::coriolis_matrix(m, d, s.q, s.v).C.data(); });
}

}  // namespace

int main(int argc, char** argv) {
#if !defined(__OPTIMIZE__) || !defined(NDEBUG)
  std::cerr << "WARNING: corio_bench was built without optimisation or with assertions; its numbers mean nothing.\n"
               "         Configure with -DCMAKE_BUILD_TYPE=Release.\n";
#endif
  namespace zoo = corio::zoo;
  const std::pair<const char*, corio::Model<double>> robots[] = {
      {"chain_7", zoo::serial_chain(7)},
      {"chain_20", zoo::serial_chain(20)},
      {"chain_50", zoo::serial_chain(50)},
      {"tree_20", zoo::binary_tree(20)},
      {"biped", zoo::biped()},
      {"quadruped", zoo::quadruped()},
      {"humanoid", zoo::humanoid()},
  };
  for (const auto& [name, model] : robots) add_all(std::make_shared<Case<double>>(name, model));
  for (const auto& [name, model] : {robots[1], robots[6]}) add_float(std::make_shared<Case<float>>(name, model));

  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
