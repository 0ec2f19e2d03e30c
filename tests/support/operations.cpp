#include "support/operations.hpp"

#include <cmath>

namespace corio::test {
namespace {

using Input = OperationInput;
using Result = Numbers;

constexpr double untouched = 1234.5;

/// What fill(Y) writes to a part of a larger matrix, the rest of which it must leave alone: else not numbers.
template <class F>
Matrixd written(Eigen::Index rows, Eigen::Index cols, F&& fill) {
  constexpr int margin = 9;
  Matrixd around = Matrixd::Constant(rows + 2 * margin, cols + 2 * margin, untouched);
  fill(around.block(margin, margin, rows, cols));
  const Matrixd inside = around.block(margin, margin, rows, cols);
  around.block(margin, margin, rows, cols).setConstant(untouched);
  return (around.array() == untouched).all() ? inside : Matrixd::Constant(rows, cols, std::nan(""));
}
template <class F>
Vectord written(Eigen::Index size, F&& fill) {
  constexpr int margin = 9;
  Vectord around = Vectord::Constant(size + 2 * margin, untouched);
  fill(around.segment(margin, size));
  const Vectord inside = around.segment(margin, size);
  around.segment(margin, size).setConstant(untouched);
  return (around.array() == untouched).all() ? inside : Vectord::Constant(size, std::nan(""));
}

template <class Tensor, class F>
Result of_tensor(const Model<double>& model, F&& fill) {
  Tensor tensor(model);
  fill(tensor);
  return Result() << tensor;
}

using M = Model<double>;
using D = Data<double>;

template <class Factorization>
void add_coriolis(std::vector<Operation>& all, const std::string& name) {
  const Factorization B;
  all.push_back({"coriolis_matrix of " + name, not_at_all, [B](const M& m, D& d, const Input&) {
                   const auto& x = coriolis_matrix(m, d, B);
                   return Result() << x.C << x.M << x.Mdot;
                 }});
  all.push_back({"coriolis_matrix_dot of " + name, not_at_all, [B](const M& m, D& d, const Input&) {
                   const auto& x = coriolis_matrix_dot(m, d, B);
                   return Result() << x.C << x.M << x.Mdot << x.Cdot;
                 }});
  all.push_back({"coriolis_product of " + name, not_at_all,
                 [B](const M& m, D& d, const Input& in) { return Result() << coriolis_product(m, d, in.other, B); }});
  all.push_back({"coriolis_transpose_product of " + name, not_at_all, [B](const M& m, D& d, const Input& in) {
                   return Result() << coriolis_transpose_product(m, d, in.other, B);
                 }});
}

/// A regressor, its products, and those of some bodies.
template <class Y, class Yp, class Yx>
void add_regressor(std::vector<Operation>& all, const std::string& name, Y fill, Yp product, Yx transpose_product) {
  for (const bool selected : {false, true}) {
    const auto of = [selected](const Input& in) { return selected ? in.some : BodySelection(); };
    const std::string suffix = selected ? " of some bodies" : "";
    all.push_back({name + suffix, not_at_all, [=](const M& m, D& d, const Input& in) {
                     const BodySelection bodies = of(in);
                     return Result() << written(m.nv(), bodies.num_parameters(m),
                                                [&](auto out) { fill(m, d, in, MatrixOut<double>(out), bodies); });
                   }});
    all.push_back({name + "_product" + suffix, not_at_all, [=](const M& m, D& d, const Input& in) {
                     const BodySelection bodies = of(in);
                     const Vectord pi = Vectord::LinSpaced(bodies.num_parameters(m), -1, 1.5);
                     return Result() << product(m, d, in, pi, bodies);
                   }});
    all.push_back({name + "_transpose_product" + suffix, not_at_all, [=](const M& m, D& d, const Input& in) {
                     const BodySelection bodies = of(in);
                     return Result() << written(bodies.num_parameters(m), [&](auto out) {
                              transpose_product(m, d, in, VectorOut<double>(out), bodies);
                            });
                   }});
  }
}

std::vector<Operation> make_dynamics() {
  std::vector<Operation> all;
  const auto add = [&](const char* name, Conditioned conditioned, auto run) {
    all.push_back({name, conditioned, run});
  };
  add("kinematics", not_at_all, [](const M& m, D& d, const Input&) {
    Result result;
    for (std::size_t b = 0; b < m.nodes().size(); ++b)
      result << d.pose[b].rotation << d.pose[b].translation << d.origin[b] << d.velocity[b].vector()
             << d.bias[b].vector() << d.acceleration[b].vector();
    for (std::size_t k = 0; k < static_cast<std::size_t>(m.nv()); ++k)
      result << d.phi[k].vector() << d.phi_dot[k].vector();
    return result;
  });
  add("rnea", not_at_all, [](const M& m, D& d, const Input& in) { return Result() << rnea(m, d, in.forces); });
  add("nonlinear_effects", not_at_all,
      [](const M& m, D& d, const Input&) { return Result() << nonlinear_effects(m, d); });
  add("generalized_gravity", not_at_all,
      [](const M& m, D& d, const Input&) { return Result() << generalized_gravity(m, d); });
  add("crba", not_at_all, [](const M& m, D& d, const Input&) { return Result() << crba(m, d); });
  add("mass_matrix_inverse", once,
      [](const M& m, D& d, const Input&) { return Result() << mass_matrix_inverse(m, d); });
  add("aba", once, [](const M& m, D& d, const Input& in) { return Result() << aba(m, d, in.other, in.forces); });
  add("mass_matrix_dot", not_at_all, [](const M& m, D& d, const Input&) { return Result() << mass_matrix_dot(m, d); });
  add_coriolis<factorization::Christoffel>(all, "christoffel");
  add_coriolis<factorization::Plain>(all, "plain");
  add("centroidal_momentum_matrix", not_at_all,
      [](const M& m, D& d, const Input&) { return Result() << centroidal_momentum_matrix(m, d); });
  add("centroidal_momentum_matrix_dot", not_at_all,
      [](const M& m, D& d, const Input&) { return Result() << centroidal_momentum_matrix_dot(m, d); });
  // There once, but of the composites of either version.
  add("com_jacobian", not_at_all, [](const M& m, D& d, const Input&) { return Result() << com_jacobian(m, d); });
  add("com_jacobian_dot", not_at_all,
      [](const M& m, D& d, const Input&) { return Result() << com_jacobian_dot(m, d); });
  return all;
}

std::vector<Operation> make_derivatives() {
  std::vector<Operation> all;
  const auto add = [&](const char* name, Conditioned conditioned, auto run) {
    all.push_back({name, conditioned, run});
  };
  const auto add_tensor = [&]<class Tensor>(const char* name, std::type_identity<Tensor>, auto fill) {
    all.push_back({name, not_at_all, [fill](const M& m, D& d, const Input&) {
                     return of_tensor<Tensor>(m, [&](Tensor& out) { fill(m, d, out); });
                   }});
  };
  const auto symbols = [](const M& m, D& d, auto& out) { christoffel_symbols(m, d, out); };
  const auto mass = [](const M& m, D& d, auto& out) { mass_matrix_derivatives(m, d, out); };
  const auto coriolis = [](const M& m, D& d, auto& out) { coriolis_matrix_derivatives(m, d, out); };
  add("gravity_derivatives", not_at_all,
      [](const M& m, D& d, const Input&) { return Result() << gravity_derivatives(m, d); });
  add_tensor("christoffel_symbols", std::type_identity<ChristoffelTensor<double>>(), symbols);
  add_tensor("packed christoffel_symbols", std::type_identity<PackedChristoffelTensor<double>>(), symbols);
  add_tensor("mass_matrix_derivatives", std::type_identity<MassMatrixDerivatives<double>>(), mass);
  add_tensor("packed mass_matrix_derivatives", std::type_identity<PackedMassMatrixDerivatives<double>>(), mass);
  add_tensor("coriolis_matrix_derivatives", std::type_identity<CoriolisMatrixDerivatives<double>>(), coriolis);
  add_tensor("packed coriolis_matrix_derivatives", std::type_identity<PackedCoriolisMatrixDerivatives<double>>(),
             coriolis);
  add("inverse_dynamics_derivatives", not_at_all, [](const M& m, D& d, const Input& in) {
    const auto& x = inverse_dynamics_derivatives(m, d, in.forces);
    return Result() << x.dtau_dq << x.dtau_dv << x.M;
  });
  add("inverse_dynamics_hessian", not_at_all, [](const M& m, D& d, const Input& in) {
    const auto& x = inverse_dynamics_hessian(m, d, in.other, in.forces);
    return Result() << x.qq << x.vq << x.vv << x.aq;
  });
  add("inverse_dynamics_second_derivatives", not_at_all, [](const M& m, D& d, const Input& in) {
    InverseDynamicsSecondDerivatives<double> x(m);
    inverse_dynamics_second_derivatives(m, d, x, in.forces);
    return Result() << x.d2tau_dqdq << x.d2tau_dvdq << x.d2tau_dvdv << x.dM_dq;
  });
  for (const auto route : {DerivativeRoute::automatic, DerivativeRoute::dense, DerivativeRoute::articulated})
    add("forward_dynamics_derivatives", twice, [route](const M& m, D& d, const Input& in) {
      const auto& x = forward_dynamics_derivatives(m, d, in.other, in.forces, route);
      return Result() << x.da_dq << x.da_dv << x.da_dtau;
    });
  add("forward_dynamics_hessian", twice, [](const M& m, D& d, const Input& in) {
    const auto& x = forward_dynamics_hessian(m, d, in.other, in.state.a, in.forces);
    return Result() << x.qq << x.vq << x.vv << x.tau_q;
  });
  return all;
}

std::vector<Operation> make_regressors() {
  std::vector<Operation> all;
  using Bodies = const BodySelection&;
  add_regressor(
      all, "inverse_dynamics_regressor",
      [](const M& m, D& d, const Input&, MatrixOut<double> Y, Bodies b) { inverse_dynamics_regressor(m, d, Y, b); },
      [](const M& m, D& d, const Input&, const Vectord& pi, Bodies b) {
        return inverse_dynamics_regressor_product(m, d, pi, b);
      },
      [](const M& m, D& d, const Input& in, VectorOut<double> out, Bodies b) {
        inverse_dynamics_regressor_transpose_product(m, d, in.other, out, b);
      });
  add_regressor(
      all, "slotine_li_regressor",
      [](const M& m, D& d, const Input& in, MatrixOut<double> Y, Bodies b) {
        slotine_li_regressor(m, d, in.other, in.state.a, Y, b);
      },
      [](const M& m, D& d, const Input& in, const Vectord& pi, Bodies b) {
        return slotine_li_regressor_product(m, d, in.other, in.state.a, pi, b);
      },
      [](const M& m, D& d, const Input& in, VectorOut<double> out, Bodies b) {
        slotine_li_regressor_transpose_product(m, d, in.other, in.state.a, in.state.v, out, b);
      });
  add_regressor(
      all, "momentum_regressor",
      [](const M& m, D& d, const Input&, MatrixOut<double> Y, Bodies b) { momentum_regressor(m, d, Y, b); },
      [](const M& m, D& d, const Input&, const Vectord& pi, Bodies b) {
        return momentum_regressor_product(m, d, pi, b);
      },
      [](const M& m, D& d, const Input& in, VectorOut<double> out, Bodies b) {
        momentum_regressor_transpose_product(m, d, in.other, out, b);
      });
  add_regressor(
      all, "coriolis_transpose_regressor",
      [](const M& m, D& d, const Input&, MatrixOut<double> Y, Bodies b) { coriolis_transpose_regressor(m, d, Y, b); },
      [](const M& m, D& d, const Input&, const Vectord& pi, Bodies b) {
        return coriolis_transpose_regressor_product(m, d, pi, b);
      },
      [](const M& m, D& d, const Input& in, VectorOut<double> out, Bodies b) {
        coriolis_transpose_regressor_transpose_product(m, d, in.other, out, b);
      });
  add_regressor(
      all, "gravity_regressor",
      [](const M& m, D& d, const Input&, MatrixOut<double> Y, Bodies b) { gravity_regressor(m, d, Y, b); },
      [](const M& m, D& d, const Input&, const Vectord& pi, Bodies b) {
        return gravity_regressor_product(m, d, pi, b);
      },
      [](const M& m, D& d, const Input& in, VectorOut<double> out, Bodies b) {
        gravity_regressor_transpose_product(m, d, in.other, out, b);
      });
  return all;
}

}  // namespace

const std::vector<Operation>& operations() {
  static const std::vector<Operation> all = [] {
    std::vector<Operation> x = make_dynamics();
    for (const auto& more : {make_derivatives(), make_regressors()}) x.insert(x.end(), more.begin(), more.end());
    return x;
  }();
  return all;
}

}  // namespace corio::test
