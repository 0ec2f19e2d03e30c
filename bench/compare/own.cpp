#include "own.hpp"

#include <tuple>

#include "corio/corio.hpp"
#include "corio/loops/constrained_dynamics.hpp"

namespace compare {
namespace {

corio::VectorX<double> vector(const std::vector<double>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// The entries of matrices and vectors, one after the other.
template <class... Matrices>
std::vector<double> numbers(const std::tuple<Matrices...>& all) {
  std::vector<double> result;
  std::apply([&](const auto&... A) { (result.insert(result.end(), A.data(), A.data() + A.size()), ...); }, all);
  return result;
}
struct Robot {
  struct Sample {
    corio::VectorX<double> q, v, a, tau;
  };
  corio::Model<double> model;
  corio::Data<double> data;
  corio::InverseDynamicsSecondDerivativesResult<double> second;
  corio::MatrixX<double> Y, V_q, a_q, a_v, J;
  corio::VectorX<double> q;
  Eigen::Vector3d com;
  Eigen::Vector2d energies;
  corio::Vector6<double> momentum;
  corio::FramePoint<double> last;
  corio::Loops<double> held;
  std::vector<Sample> states;

  Robot(const corio::Model<double>& m, const Mechanism& mechanism)
      : model(m),
        data(model),
        second(model),
        q(model.nq()),
        last(model.bodies().back(), corio::ReferenceFrame::world_aligned),
        held(model) {
    held.close("last body", model.ground_frame(corio::Pose<double>::identity()), model.bodies().back(),
               corio::closure::Point{});
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
/// Converts to the axes of the node, which the peers use.
std::vector<double> task_derivatives(const Robot& r) {
  const corio::Pose<double>& X = r.model.bodies().back().placement();
  std::vector<double> result;
  for (const auto* x : {&r.V_q, &r.a_q, &r.a_v, &r.J})
    for (Eigen::Index k = 0; k < x->cols(); ++k)
      for (const double y : X.act(corio::Motion<double>::from(x->col(k))).vector()) result.push_back(y);
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

/// The regressor for the parameters of the bodies in the axes of the nodes, which the peers use.
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
  return numbers(std::tie(Y));
}

}  // namespace

Peer make_corio(const corio::Model<double>& model, const Mechanism& mechanism) {
  using namespace corio;
  using std::tie;
  using A = Algorithm;
  using R = Robot;
  using X = Robot::Sample;
  Peer peer{"corio", "templates, compiled here with the flags above", {}};
  const auto robot = std::make_shared<R>(model, mechanism);
  // compute(robot, sample) returns references to its results.
  const auto row = [&](A algorithm, const char* how, auto compute) {
    add(peer, algorithm, how, robot, compute, [compute](R& r, const X& s) { return numbers(compute(r, s)); });
  };

  add(
      peer, A::kinematics, "forward_kinematics(q, v)", robot,
      [](R& r, const X& s) { forward_kinematics(r.model, r.data, s.q, s.v); },
      [](const R& r, const X&) { return compare::kinematics(r); });
  row(A::inverse_dynamics, "rnea", [](R& r, const X& s) { return tie(rnea(r.model, r.data, s.q, s.v, s.a)); });
  row(A::bias, "nonlinear_effects", [](R& r, const X& s) { return tie(nonlinear_effects(r.model, r.data, s.q, s.v)); });
  row(A::mass_matrix, "crba", [](R& r, const X& s) { return tie(crba(r.model, r.data, s.q)); });
  row(A::forward_dynamics, "aba", [](R& r, const X& s) { return tie(aba(r.model, r.data, s.q, s.v, s.tau)); });
  row(A::inverse_mass, "mass_matrix_inverse",
      [](R& r, const X& s) { return tie(mass_matrix_inverse(r.model, r.data, s.q)); });
  row(A::coriolis, "coriolis_matrix: C, M, dM/dt",
      [](R& r, const X& s) { return tie(coriolis_matrix(r.model, r.data, s.q, s.v).C); });
  row(A::inverse_derivatives, "inverse_dynamics_derivatives", [](R& r, const X& s) {
    const auto& [dtau_dq, dtau_dv, M] = inverse_dynamics_derivatives(r.model, r.data, s.q, s.v, s.a);
    return tie(dtau_dq, dtau_dv, M);
  });
  row(A::forward_derivatives, "forward_dynamics_derivatives", [](R& r, const X& s) {
    const auto& [da_dq, da_dv, da_dtau] = forward_dynamics_derivatives(r.model, r.data, s.q, s.v, s.tau);
    return tie(da_dq, da_dv, da_dtau);
  });
  add(
      peer, A::second_derivatives, "inverse_dynamics_second_derivatives", robot,
      [](R& r, const X& s) { inverse_dynamics_second_derivatives(r.model, r.data, s.q, s.v, s.a, r.second); },
      [](const R& r, const X&) { return compare::second_derivatives(r); });
  row(A::hessian, "inverse_dynamics_hessian", [](R& r, const X& s) {
    const auto& [qq, vq, vv, aq] = inverse_dynamics_hessian(r.model, r.data, s.q, s.v, s.a, s.tau);
    return tie(qq, vq, vv, aq);
  });
  add(
      peer, A::regressor, "inverse_dynamics_regressor", robot,
      [](R& r, const X& s) { inverse_dynamics_regressor(r.model, r.data, s.q, s.v, s.a, r.Y); },
      [](const R& r, const X&) { return compare::regressor(r); });
  row(A::frame_jacobian, "body_jacobian",
      [](R& r, const X& s) { return body_jacobian(r.model, r.data, s.q, r.last, r.J), tie(r.J); });
  add(
      peer, A::task_derivatives, "body_acceleration_derivatives, with dV/dq and J", robot,
      [](R& r, const X& s) { compare::task_derivatives(r, s); },
      [](const R& r, const X&) { return compare::task_derivatives(r); });
  row(A::center_of_mass, "center_of_mass",
      [](R& r, const X& s) { return tie(r.com = center_of_mass(r.model, r.data, s.q)); });
  row(A::com_jacobian, "com_jacobian", [](R& r, const X& s) { return tie(com_jacobian(r.model, r.data, s.q)); });
  row(A::momentum, "centroidal_momentum",
      [](R& r, const X& s) { return tie(r.momentum = centroidal_momentum(r.model, r.data, s.q, s.v).vector()); });
  row(A::momentum_matrix, "centroidal_momentum_matrix",
      [](R& r, const X& s) { return tie(centroidal_momentum_matrix(r.model, r.data, s.q)); });
  row(A::momentum_derivatives, "centroidal_momentum_derivatives", [](R& r, const X& s) {
    const auto& D = centroidal_momentum_derivatives(r.model, r.data, s.q, s.v, s.a);
    return tie(D.dh_dq, D.dhdot_dq, D.dhdot_dv, D.A);
  });
  row(A::energies, "kinetic_energy, potential_energy", [](R& r, const X& s) {
    r.energies[0] = kinetic_energy(r.model, r.data, s.q, s.v);
    r.energies[1] = potential_energy(r.model, r.data);
    return tie(r.energies);
  });
  row(A::integration, "integrate",
      [](R& r, const X& s) { return integrate(r.model, s.q, s.v, VectorOut<double>(r.q)), tie(r.q); });
  row(A::constrained_dynamics, "constrained_forward_dynamics", [](R& r, const X& s) {
    return tie(constrained_forward_dynamics<double>(r.model, r.data, r.held, s.q, s.v, s.tau).a);
  });
  return peer;
}

}  // namespace compare
