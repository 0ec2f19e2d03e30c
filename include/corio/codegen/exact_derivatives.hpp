#pragma once

#include <optional>
#include <random>

#include "corio/codegen/functions.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {
namespace detail {

/// Records results of another recording again, with x in place of its inputs.
inline MatrixX<Recorded> recorded_again(MatrixX<Recorded> results, const VectorX<Recorded>& x) {
  std::vector<Recorded*> variables;
  for (Recorded& y : results.reshaped())
    if (!y.is_constant()) variables.push_back(&y);
  if (variables.empty()) return results;
  Tape& tape = variables[0]->tape();
  VectorX<Recorded> again(tape.size());
  const Eigen::ArrayX<bool> is_needed = needed_entries(tape, results);
  for (int i = 0; i < tape.size(); ++i) {
    if (!is_needed[i]) continue;
    const Tape::Entry& e = tape[i];
    again[i] = e.is(operation::input) ? x[e.operand[0]]
               : e.is(operation::constant)
                   ? Recorded(e.value)
                   : Recorded::of(*e.operation, again[e.operand[0]], again[e.operand[1]], again[e.operand[2]]);
  }
  for (Recorded* y : variables) *y = again[y->entry(tape)];
  return results;
}

/// Returns the derivative of A^T w with respect to x, for constant w, by the tape.
inline MatrixX<Recorded> product_derivative(const MatrixX<Recorded>& A, const VectorX<Recorded>& w,
                                            const VectorX<Recorded>& x) {
  MatrixX<Recorded> sum = MatrixX<Recorded>::Constant(A.cols(), x.size(), Recorded(0));
  for (Eigen::Index k = 0; k < A.rows(); ++k) sum += jacobian(A.row(k).transpose(), x) * w[k];
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

/// Records what rnea, aba and step have beside rnea, of x = (q, v, a, last): forces e with rnea(q, v, a) = tau + e, and
/// results y for aba and step. For wrenches w = last at frames with the Jacobian J, e = J^T w and y = a. For step, y is
/// the end of the step, with a = (v' - v) / h and h = last; damping and stiffness give
///   e = passive(q, v) - h D(v) a - h K v'.
/// The code of aba and step is right for quaternions of any length.
inline Recording beside_rnea(const std::string& function, const Model<Recorded>& robot, Eigen::Index num_last) {
  Recording f("beside");
  const int n = robot.nv();
  const VectorX<Recorded> raw = f.input("q", robot.nq()), v = f.input("v", n), a = f.input("a", n),
                          last = f.input("last", static_cast<int>(num_last)), q = unit_coordinates(robot, raw).q;
  Data<Recorded> data(robot);
  VectorX<Recorded> e = zeros<Recorded>(n);
  MatrixX<Recorded> J(6, n);
  for (Eigen::Index row = 0; const auto& point : frame_points(robot, function)) {
    body_jacobian<Recorded>(robot, data, q, point, J);
    e += J.transpose() * last.segment(row, 6), row += 6;
  }
  if (function == "step") {
    auto& step = data.of<algorithm::Step<Recorded>>(robot);
    VectorX<Recorded> q_next = q, v_next = v;
    step.run(robot, data, q_next, v_next, a, last[0], Integrator::semi_implicit_euler, Friction::smooth);
    v_next = v + last[0] * a;
    e = step.passive.tau - last[0] * (step.damping.cwiseProduct(a) + robot.stiffness().cwiseProduct(v_next));
    f.output("q_next", integrate<Recorded>(robot, q, VectorX<Recorded>(last[0] * v_next)));
    f.output("v_next", v_next);
  } else {
    f.output("y", a);
  }
  f.output("e", e);
  return f;
}

/// Returns derivatives of rnea, aba and step of a tree, also with wrenches, from those of rnea by the library's
/// algorithms, which take half the operations of the tape, and those of y and e of beside_rnea by the tape. With
/// x = (q, v, tau, last) let R be the derivatives of
///   rnea(q, v, a) - tau - e
/// with respect to x, A those with respect to a, and X = d(q, v, a, last)/dx, in which da/dx = -A^-1 R. Then y has the
/// derivatives y' X, and lambda^T y the second derivatives
///   X^T P X - H_xx + R^T W + W^T R,   W = A^-1 H_ax,
/// with P those of lambda^T y + mu^T e and H those of mu^T rnea, both with respect to (q, v, a, last), and
/// mu = A^-1 (dy/da)^T lambda. The library's derivatives d and H along the degrees of freedom become those with respect
/// to the numbers q, with E of velocities_of, by
///   E^T d   and   E^T H E + sum_k d_k dE(k,:)/dq.
/// @param f  recorded by record with any_length
/// @returns nothing for another function or robots without E
inline std::optional<Differentiated> exact_derivatives(const std::string& function, const Model<Recorded>& robot,
                                                       Recording& f) {
  const std::string name = name_and_frame(function).first;
  if (name != "rnea" && name != "aba" && name != "step") return {};
  const VectorX<Recorded> raw = f.input("q"), v = f.input("v");
  const UnitCoordinates unit = unit_coordinates(robot, raw);
  const auto found = velocities_of(robot, unit);
  if (!found) return {};
  const MatrixX<Recorded> E = *found;
  const VectorX<Recorded> q = unit.q;
  const int n = robot.nv(), nq = robot.nq(), at_a = nq + n;
  VectorX<Recorded> x = f.numbers(f.inputs());  // becomes (q, v, a, last)
  const auto part = std::make_shared<Recording>(beside_rnea(function, robot, x.size() - at_a - n));
  const VectorX<Recorded> results = part->numbers(part->outputs());
  const Differentiated of_part = differentiated(*part);
  const MatrixX<Recorded> P = of_part.second(part->input("weight", static_cast<int>(results.size())));
  const auto data = std::make_shared<Data<Recorded>>(robot);
  const MatrixX<Recorded> M = crba(robot, *data, q);
  MatrixX<Recorded> A = M;
  const auto solve = [&robot](const MatrixX<Recorded>& factor,
                              Eigen::Matrix<Recorded, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> b) {
    corio::detail::solve_mass_matrix(robot, factor, b.data(), b.cols());
    return b;
  };
  if (name != "rnea") {
    const VectorX<Recorded> tau = x.segment(at_a, n);
    x.segment(at_a, n).setConstant(Recorded(0));
    A -= recorded_again(of_part.first.bottomRows(n).middleCols(at_a, n), x);
    corio::detail::factorize_mass_matrix(robot, A);
    x.segment(at_a, n) = solve(A, tau + recorded_again(results.tail(n), x) - nonlinear_effects(robot, *data, q, v));
  }

  const VectorX<Recorded> a = x.segment(at_a, n);
  const MatrixX<Recorded> first = recorded_again(of_part.first, x), dy = first.topRows(first.rows() - n);
  const auto& d = inverse_dynamics_derivatives(robot, *data, q, v, a);
  const MatrixX<Recorded> dtau_dq = d.dtau_dq;
  MatrixX<Recorded> R = -first.bottomRows(n);
  R.leftCols(nq) += dtau_dq * E, R.middleCols(nq, n) += d.dtau_dv, R.middleCols(at_a, n) += M;
  const auto second_of_part = [=](const VectorX<Recorded>& lambda, const VectorX<Recorded>& mu) {
    return recorded_again(P, (VectorX<Recorded>(x.size() + part->num_outputs()) << x, lambda, mu).finished());
  };
  const auto second_of_rnea = [=, &robot](const VectorX<Recorded>& mu) {  // the lower triangle
    const auto& along = inverse_dynamics_hessian(robot, *data, q, v, a, mu);
    MatrixX<Recorded> H = MatrixX<Recorded>::Constant(x.size(), x.size(), Recorded(0));
    H.topLeftCorner(nq, nq) = E.transpose() * along.qq * E;
    H.topLeftCorner(nq, nq) += product_derivative(E, dtau_dq.transpose() * mu, raw);
    H.block(nq, 0, n, nq) = along.vq * E, H.block(nq, nq, n, n) = along.vv, H.block(at_a, 0, n, nq) = along.aq * E;
    return H;
  };
  if (name == "rnea")
    return Differentiated{R, [=](const VectorX<Recorded>& lambda) -> MatrixX<Recorded> {
                            const MatrixX<Recorded> H =
                                second_of_rnea(lambda) - second_of_part(zeros<Recorded>(n), lambda);
                            return H.selfadjointView<Eigen::Lower>();
                          }};
  R.middleCols(at_a, n) = -MatrixX<Recorded>::Identity(n, n);
  MatrixX<Recorded> X = MatrixX<Recorded>::Identity(x.size(), x.size());
  X.middleRows(at_a, n) = -solve(A, R);
  return Differentiated{dy * X, [=](const VectorX<Recorded>& lambda) -> MatrixX<Recorded> {
                          const VectorX<Recorded> mu = solve(A, dy.middleCols(at_a, n).transpose() * lambda);
                          MatrixX<Recorded> H = second_of_rnea(mu);
                          const MatrixX<Recorded> product = R.transpose() * solve(A, H.middleRows(at_a, n));
                          H.middleRows(at_a, n).setConstant(Recorded(0));
                          H = X.transpose() * second_of_part(lambda, mu) * X - H + product + product.transpose();
                          return H.selfadjointView<Eigen::Lower>();
                        }};
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
