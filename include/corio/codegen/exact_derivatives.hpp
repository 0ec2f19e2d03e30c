#pragma once

#include <optional>
#include <random>

#include "corio/codegen/functions.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {
namespace detail {

/// Returns sum_k dA(:,k)/dx w_k, for constant w, by the tape.
inline MatrixX<Recorded> product_derivative(const MatrixX<Recorded>& A, const VectorX<Recorded>& w,
                                            const VectorX<Recorded>& x) {
  MatrixX<Recorded> sum = MatrixX<Recorded>::Constant(A.rows(), x.size(), Recorded(0));
  const MatrixX<Recorded> d = jacobian(A.reshaped(), x);
  for (Eigen::Index k = 0; k < A.cols(); ++k) sum += d.middleRows(k * A.rows(), A.rows()) * w[k];
  return sum;
}

/// Returns the nv x nq matrix E with v = E dq/dt for quaternions and other unit parts of any length: with the tangent
/// map T at the unit q, whose columns are orthogonal, E = (T^T T)^-1 T^T / length.
/// @returns nothing if the columns of T are not orthogonal or vary in length, as for exponential coordinates
inline std::optional<MatrixX<Recorded>> velocities_of(const Model<Recorded>& robot, const UnitCoordinates& unit) {
  std::mt19937_64 generator(1);
  MatrixX<double> square;
  for (int sample = 0; sample < 2; ++sample) {
    const MatrixX<double> T = tangent_map(robot, random_configuration(robot, generator)).template cast<double>();
    const MatrixX<double> here = T.transpose() * T, lengths = here.diagonal().asDiagonal();
    if ((here - lengths).norm() > 1e-9 || (sample > 0 && (here - square).norm() > 1e-9)) return {};
    square = here;
  }
  MatrixX<Recorded> E = tangent_map(robot, unit.q).transpose();
  for (Eigen::Index i = 0; i < E.cols(); ++i)
    for (Eigen::Index k = 0; k < E.rows(); ++k)
      E(k, i) *= Recorded(std::round(1 / square(k, k))) * unit.inverse_length[i];
  return E;
}

/// Returns the Jacobian of step with respect to raw coordinates q, v, tau and dt, from the equation of its change x of
/// v,
///   A x = h (tau - C v - g + passive(q, v) - h K v),   A = M + h D(v) + h^2 K,
/// differentiated with rnea's derivatives at a = x / h; second derivatives by the tape.
/// @param E  as velocities_of
/// @param f  recorded by record with any_length
inline Differentiated step_derivatives(const Model<Recorded>& robot, Recording& f, const VectorX<Recorded>& q,
                                       const MatrixX<Recorded>& E) {
  using Rows = Eigen::Matrix<Recorded, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const int n = robot.nv(), nq = robot.nq();
  const VectorX<Recorded> v = f.input("v"), tau = f.input("tau");
  const Recorded h = f.input("dt")[0];
  Data<Recorded> data(robot);
  auto& step = data.of<algorithm::Step<Recorded>>(robot);
  VectorX<Recorded> q_next = q, v_next = v;
  step.run(robot, data, q_next, v_next, tau, h, Integrator::semi_implicit_euler, Friction::smooth);
  const VectorX<Recorded> x = step.change, D = step.damping, K = h * robot.stiffness();
  VectorX<Recorded> a = tau - step.bias.tau + step.passive.tau - K.cwiseProduct(v);  // becomes x / h, also for h = 0
  MatrixX<Recorded> A = crba(robot, data, q);
  A.diagonal() += h * (D + K);
  corio::detail::factorize_mass_matrix(robot, A);
  corio::detail::solve_mass_matrix(robot, A, a.data(), 1);
  const auto& of_tau = inverse_dynamics_derivatives(robot, data, q, v, a);
  const auto& of_passive = passive_force_derivatives(robot, data, q, v);
  Rows dv(n, 3 * n + 1);
  dv << h * (of_passive.dtau_dq - of_tau.dtau_dq), h * (of_passive.dtau_dv - of_tau.dtau_dv),
      MatrixX<Recorded>::Identity(n, n) * h, -D.cwiseProduct(x) - K.cwiseProduct(x + v_next);
  const VectorX<Recorded> dD = jacobian(D, v).diagonal();
  dv.middleCols(n, n).diagonal() -= h * (dD.cwiseProduct(x) + K);
  corio::detail::solve_mass_matrix(robot, A, dv.data(), dv.cols());
  for (int k = 0; k < n; ++k) dv(k, n + k) += Recorded(1);
  dv.col(3 * n) += a;
  Rows move = dv * h;
  move.col(3 * n) += v_next;
  const auto held = [&](int rows) { return MatrixX<Recorded>::Constant(rows, n, Recorded(0)); };
  const MatrixX<Recorded> by_q = integrate_along(robot, q, tangent_map(robot, q), h * v_next, held(n));
  const MatrixX<Recorded> by_move = integrate_along(robot, q, held(nq), h * v_next, MatrixX<Recorded>::Identity(n, n));
  MatrixX<Recorded> first(nq + n, nq + 2 * n + 1);
  first << (by_q + by_move * move.leftCols(n)) * E, by_move * move.rightCols(2 * n + 1), dv.leftCols(n) * E,
      dv.rightCols(2 * n + 1);
  return differentiated(f, first);
}

/// Returns derivatives of rnea and aba of a tree, also with wrenches, from the library's algorithms, which take half
/// the operations of the tape. Along the degrees of freedom lambda^T y has the derivatives d and H of
/// inverse_dynamics_hessian and forward_dynamics_hessian, with respect to the numbers q, with E of velocities_of,
///   E^T d   and   E^T H E + sum_k d_k dE(k,:)/dq.
/// A wrench w at a frame with the Jacobian J enters tau as -J^T w, and a as M^-1 J^T w.
/// @param f  recorded by record with any_length
/// @returns nothing for another function or robots without E
inline std::optional<Differentiated> exact_derivatives(const std::string& function, const Model<Recorded>& robot,
                                                       Recording& f) {
  const auto [name, frames] = name_and_frame(function);
  const bool is_rnea = name == "rnea";
  if (!is_rnea && name != "aba" && name != "step") return {};
  const int n = robot.nv();
  const VectorX<Recorded> raw = f.input("q");
  const UnitCoordinates unit = unit_coordinates(robot, raw);
  const auto found = velocities_of(robot, unit);
  if (!found) return {};
  const MatrixX<Recorded> E = *found;
  if (name == "step") return step_derivatives(robot, f, unit.q, E);
  const VectorX<Recorded> q = unit.q, v = f.input("v"), u = f.input(is_rnea ? "a" : "tau"),
                          w = frames.empty() ? VectorX<Recorded>(0) : f.input("wrench");
  const auto data = std::make_shared<Data<Recorded>>(robot);
  const auto forces = external_forces(robot, function, w);
  MatrixX<Recorded> J = MatrixX<Recorded>::Constant(w.size(), n, Recorded(0));
  for (int row = 0; const auto& point : frame_points(robot, function)) {
    MatrixX<Recorded> of_frame(6, n);
    body_jacobian<Recorded>(robot, *data, q, point, of_frame);
    J.middleRows(row, 6) = of_frame, row += 6;
  }
  MatrixX<Recorded> dq, dv, du;
  if (is_rnea) {
    const auto& d = inverse_dynamics_derivatives(robot, *data, q, v, u, forces);
    dq = d.dtau_dq, dv = d.dtau_dv, du = crba(robot, *data, q);
  } else if (frames.empty() && operations_of_factor(robot) < 2000) {
    for_each_result_by_factor("forward_dynamics_derivatives", robot, *data, q, v, u, [&](const char*, const auto& x) {
      (dq.size() == 0 ? dq : dv.size() == 0 ? dv : du) = x;
    });
  } else {
    const auto& d = forward_dynamics_derivatives(robot, *data, q, v, u, forces);
    dq = d.da_dq, dv = d.da_dv, du = d.da_dtau;
  }
  MatrixX<Recorded> first(n, raw.size() + 2 * n + w.size());
  first << dq * E, dv, du, is_rnea ? MatrixX<Recorded>(-J.transpose()) : MatrixX<Recorded>(du * J.transpose());
  const auto second = [=, &robot](const VectorX<Recorded>& lambda) {
    MatrixX<Recorded> qq, vq, vv, uq;
    if (is_rnea) {
      const auto& H = inverse_dynamics_hessian(robot, *data, q, v, u, lambda, forces);
      qq = H.qq, vq = H.vq, vv = H.vv, uq = H.aq;
    } else {
      const auto& H = forward_dynamics_hessian(robot, *data, q, v, u, lambda, forces);
      qq = H.qq, vq = H.vq, vv = H.vv, uq = H.tau_q;
    }
    const Eigen::Index nq = raw.size(), size = nq + 2 * n + w.size();
    MatrixX<Recorded> H = MatrixX<Recorded>::Constant(size, size, Recorded(0));
    H.topLeftCorner(nq, nq) = E.transpose() * qq * E;
    H.topLeftCorner(nq, nq) += product_derivative(E.transpose(), dq.transpose() * lambda, raw);
    H.block(nq, 0, n, nq) = vq * E, H.block(nq, nq, n, n) = vv, H.block(nq + n, 0, n, nq) = uq * E;
    if (w.size() > 0) {
      const VectorX<Recorded> motion = is_rnea ? VectorX<Recorded>(-lambda) : VectorX<Recorded>(du * lambda);
      H.bottomLeftCorner(w.size(), nq) = product_derivative(J, motion, raw);
      if (!is_rnea) H.bottomLeftCorner(w.size(), nq) += J * uq * E;
    }
    for (Eigen::Index j = 0; j < size; ++j)  // the matrix is symmetric to the bit
      for (Eigen::Index i = j + 1; i < size; ++i) H(j, i) = H(i, j);
    return H;
  };
  return Differentiated{first, second};
}

}  // namespace detail

/// Returns derivatives of a function with respect to all its inputs, by the library's algorithms where
/// exact_derivatives has them, else by the tape.
/// @param f  recorded by record with any_length
template <template <class> class Robot>
Differentiated derivatives(const std::string& function, const Robot<Recorded>& robot, Recording& f) {
  if constexpr (std::is_same_v<Robot<Recorded>, Model<Recorded>>)
    if (const auto exact = detail::exact_derivatives(function, robot, f)) return *exact;
  return differentiated(f);
}

}}}  // namespace corio::codegen
