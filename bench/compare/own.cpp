#include "own.hpp"

#include "corio/corio.hpp"

namespace compare {
namespace {

std::vector<double> numbers(const corio::VectorX<double>& x) { return {x.data(), x.data() + x.size()}; }
corio::VectorX<double> vector(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

std::vector<double> join(std::initializer_list<const corio::MatrixX<double>*> all) {
  std::vector<double> result;
  for (const auto* A : all) result.insert(result.end(), A->data(), A->data() + A->size());
  return result;
}

struct Robot {
  struct Sample {
    corio::VectorX<double> q, v, a, tau;
  };
  corio::Model<double> model;
  corio::Data<double> data;
  corio::InverseDynamicsSecondDerivatives<double> second;
  corio::MatrixX<double> Y, V_q, a_q, a_v, J;
  std::vector<Sample> states;

  Robot(const corio::Model<double>& m, const Mechanism& mechanism) : model(m), data(model), second(model) {
    Y.resize(model.nv(), corio::num_inertial_parameters(model));
    for (auto* x : {&V_q, &a_q, &a_v, &J}) x->resize(6, model.nv());
    for (const auto& s : mechanism.states) states.push_back({vector(s.q), vector(s.v), vector(s.a), vector(s.tau)});
  }
};

std::vector<double> kinematics(const Robot& r) {
  std::vector<double> result;
  for (const auto& body : r.model.bodies()) {
    const auto p = corio::body_pose(r.model, r.data, body).translation;
    const auto V = corio::body_velocity(r.model, r.data, body, corio::ReferenceFrame::world_aligned);
    for (const auto& x : {p, V.angular, V.linear})
      for (int i = 0; i < 3; ++i) result.push_back(x[i]);
  }
  return result;
}

void task_derivatives(Robot& r, const Robot::Sample& s) {
  const auto& body = r.model.bodies().back();
  corio::forward_kinematics(r.model, r.data, s.q, s.v, s.a);
  corio::body_acceleration_derivatives(r.model, r.data, body, r.V_q, r.a_q, r.a_v, r.J);
}
/// In the axes of the node, as peers have them.
std::vector<double> task_derivatives(const Robot& r) {
  const corio::Pose<double>& X = r.model.bodies().back().placement();
  std::vector<double> result;
  for (const auto* x : {&r.V_q, &r.a_q, &r.a_v, &r.J})
    for (Eigen::Index k = 0; k < x->cols(); ++k)
      for (const double y : X.act(corio::Motion<double>::from(x->col(k))).vector()) result.push_back(y);
  return result;
}
std::vector<double> join(const corio::CentroidalMomentumDerivatives<double>& D) {
  std::vector<double> result;
  for (const auto* A : {&D.dh_dq, &D.dhdot_dq, &D.dhdot_dv, &D.A})
    result.insert(result.end(), A->data(), A->data() + A->size());
  return result;
}

std::vector<double> second_derivatives(const Robot& r) {
  std::vector<double> result;
  const int n = r.model.nv();
  for (const auto* t : {&r.second.d2tau_dqdq, &r.second.d2tau_dvdq, &r.second.d2tau_dvdv, &r.second.dM_dq})
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) result.push_back((*t)(i, j, k));
  return result;
}

/// With the parameters of the bodies in the axes of the nodes, as peers have them.
std::vector<double> regressor(const Robot& r) {
  corio::MatrixX<double> Y(r.Y.rows(), r.Y.cols());
  for (Eigen::Index i = 0; i < Y.cols(); ++i) {
    const auto& body = r.model.bodies()[static_cast<std::size_t>(i / 10)];
    const auto unit = [h = i % 10](int k) { return h == k ? 1.0 : 0.0; };
    const corio::Symmetric3<double> Ibar{unit(4), unit(5), unit(6), unit(7), unit(8), unit(9)};
    const corio::Inertia<double> in_node{unit(0), {unit(1), unit(2), unit(3)}, corio::half_trace_complement(Ibar)};
    const corio::Inertia<double> I = body.placement().act_inverse(in_node);
    const auto of_body = corio::trace_complement(I.sigma);
    const double pi[] = {I.mass,     I.h[0],     I.h[1],     I.h[2],     of_body.xx,
                         of_body.yy, of_body.zz, of_body.xy, of_body.xz, of_body.yz};
    for (Eigen::Index k = 0; k < Y.rows(); ++k) {
      Y(k, i) = 0;
      for (int h = 0; h < 10; ++h) Y(k, i) += r.Y(k, i / 10 * 10 + h) * pi[h];
    }
  }
  return join({&Y});
}

}  // namespace

Peer make_corio(const corio::Model<double>& model, const Mechanism& mechanism) {
  using A = Algorithm;
  using Sample = Robot::Sample;
  Peer peer{"corio", "templates, compiled here with the flags above", {}};
  const auto robot = std::make_shared<Robot>(model, mechanism);

  add(
      peer, A::kinematics, "forward_kinematics(q, v)", robot,
      [](Robot& r, const Sample& s) { corio::forward_kinematics(r.model, r.data, s.q, s.v); },
      [](const Robot& r, const Sample&) { return kinematics(r); });
  add(
      peer, A::inverse_dynamics, "rnea", robot,
      [](Robot& r, const Sample& s) { corio::rnea(r.model, r.data, s.q, s.v, s.a); },
      [](Robot& r, const Sample& s) { return numbers(corio::rnea(r.model, r.data, s.q, s.v, s.a)); });
  add(
      peer, A::bias, "nonlinear_effects", robot,
      [](Robot& r, const Sample& s) { corio::nonlinear_effects(r.model, r.data, s.q, s.v); },
      [](Robot& r, const Sample& s) { return numbers(corio::nonlinear_effects(r.model, r.data, s.q, s.v)); });
  add(
      peer, A::mass_matrix, "crba", robot, [](Robot& r, const Sample& s) { corio::crba(r.model, r.data, s.q); },
      [](Robot& r, const Sample& s) { return join({&corio::crba(r.model, r.data, s.q)}); });
  add(
      peer, A::forward_dynamics, "aba", robot,
      [](Robot& r, const Sample& s) { corio::aba(r.model, r.data, s.q, s.v, s.tau); },
      [](Robot& r, const Sample& s) { return numbers(corio::aba(r.model, r.data, s.q, s.v, s.tau)); });
  add(
      peer, A::inverse_mass, "mass_matrix_inverse", robot,
      [](Robot& r, const Sample& s) { corio::mass_matrix_inverse(r.model, r.data, s.q); },
      [](Robot& r, const Sample& s) { return join({&corio::mass_matrix_inverse(r.model, r.data, s.q)}); });
  add(
      peer, A::coriolis, "coriolis_matrix: C, M, dM/dt", robot,
      [](Robot& r, const Sample& s) { corio::coriolis_matrix(r.model, r.data, s.q, s.v); },
      [](Robot& r, const Sample& s) { return join({&corio::coriolis_matrix(r.model, r.data, s.q, s.v).C}); });
  add(
      peer, A::inverse_derivatives, "inverse_dynamics_derivatives", robot,
      [](Robot& r, const Sample& s) { corio::inverse_dynamics_derivatives(r.model, r.data, s.q, s.v, s.a); },
      [](Robot& r, const Sample& s) {
        const auto& [dtau_dq, dtau_dv, M] = corio::inverse_dynamics_derivatives(r.model, r.data, s.q, s.v, s.a);
        return join({&dtau_dq, &dtau_dv, &M});
      });
  add(
      peer, A::forward_derivatives, "forward_dynamics_derivatives", robot,
      [](Robot& r, const Sample& s) { corio::forward_dynamics_derivatives(r.model, r.data, s.q, s.v, s.tau); },
      [](Robot& r, const Sample& s) {
        const auto& [da_dq, da_dv, da_dtau] = corio::forward_dynamics_derivatives(r.model, r.data, s.q, s.v, s.tau);
        return join({&da_dq, &da_dv, &da_dtau});
      });
  add(
      peer, A::second_derivatives, "inverse_dynamics_second_derivatives", robot,
      [](Robot& r, const Sample& s) {
        corio::inverse_dynamics_second_derivatives(r.model, r.data, s.q, s.v, s.a, r.second);
      },
      [](const Robot& r, const Sample&) { return second_derivatives(r); });
  add(
      peer, A::task_derivatives, "body_acceleration_derivatives, with dV/dq and J", robot,
      [](Robot& r, const Sample& s) { task_derivatives(r, s); },
      [](const Robot& r, const Sample&) { return task_derivatives(r); });
  add(
      peer, A::momentum_derivatives, "centroidal_momentum_derivatives", robot,
      [](Robot& r, const Sample& s) { corio::centroidal_momentum_derivatives(r.model, r.data, s.q, s.v, s.a); },
      [](Robot& r, const Sample& s) {
        return join(corio::centroidal_momentum_derivatives(r.model, r.data, s.q, s.v, s.a));
      });
  add(
      peer, A::regressor, "inverse_dynamics_regressor", robot,
      [](Robot& r, const Sample& s) { corio::inverse_dynamics_regressor(r.model, r.data, s.q, s.v, s.a, r.Y); },
      [](const Robot& r, const Sample&) { return regressor(r); });
  return peer;
}

}  // namespace compare
