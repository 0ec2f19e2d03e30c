#pragma once

#include <Eigen/Geometry>
#include <initializer_list>

#include "peer.hpp"

/// Conversion from corio's conventions to a peer's and back. Each peer compiles this header with its own flags.
namespace compare {

using Eigen::MatrixXd, Eigen::VectorXd, Eigen::Matrix3d, Eigen::Vector3d;

inline Matrix3d rotation(const Body& body) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(body.rotation.data());
}
inline Vector3d position(const Body& body) { return Eigen::Map<const Vector3d>(body.position.data()); }
inline Vector3d com(const Body& body) { return Eigen::Map<const Vector3d>(body.com.data()); }
inline Matrix3d inertia(const Body& body) { return Eigen::Map<const Matrix3d>(body.inertia.data()); }

/// The product A B by columns, since GCC 12 with -march=native warns of Eigen's own product.
inline MatrixXd product(const MatrixXd& A, const MatrixXd& B) {
  MatrixXd C = MatrixXd::Zero(A.rows(), B.cols());
  for (Eigen::Index j = 0; j < B.cols(); ++j)
    for (Eigen::Index k = 0; k < A.cols(); ++k) C.col(j) += B(k, j) * A.col(k);
  return C;
}

/// The conventions of peers for the velocity of a floating base, which is [angular, linear] in body axes in corio.
enum class Base { angular_linear, linear_angular, world_linear_angular };

/// A state in a peer's coordinates, v_peer = T v with an orthogonal T, dv_peer/dt = T dv/dt + drift; q is corio's.
struct PeerState {
  VectorXd q, v, a, tau;
  MatrixXd T;
  VectorXd drift;

  PeerState(const State& state, Base base, bool floats) {
    const auto map = [](const std::vector<double>& x) {
      return Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
    };
    const VectorXd nu = map(state.v);
    q = map(state.q);
    T = MatrixXd::Identity(nu.size(), nu.size());
    drift = VectorXd::Zero(nu.size());
    if (floats && base != Base::angular_linear) {
      Matrix3d R = Matrix3d::Identity();
      if (base == Base::world_linear_angular) {
        R = Eigen::Quaterniond(q[6], q[3], q[4], q[5]).toRotationMatrix();
        const Vector3d w = nu.head<3>(), linear = nu.segment<3>(3);
        drift.head<3>() = R * w.cross(linear);
      }
      T.topLeftCorner<6, 6>().setZero();
      T.block<3, 3>(0, 3) = R;
      T.block<3, 3>(3, 0).setIdentity();
    }
    v = product(T, nu);
    a = product(T, map(state.a)) + drift;
    tau = product(T, map(state.tau));
  }
};

inline std::vector<PeerState> convert(const Mechanism& mechanism, Base base) {
  std::vector<PeerState> states;
  for (const State& s : mechanism.states) states.emplace_back(s, base, mechanism.floats());
  return states;
}

// The numbers to compare: the results of a peer in corio's coordinates.

inline std::vector<double> numbers(const VectorXd& x) { return {x.data(), x.data() + x.size()}; }
inline std::vector<double> force(const PeerState& s, const VectorXd& tau) {
  return numbers(product(s.T.transpose(), tau));
}
/// A peer's bias is the force at which its own accelerations vanish, which are not corio's.
inline std::vector<double> bias(const PeerState& s, const VectorXd& tau, const MatrixXd& M) {
  return force(s, tau + product(M, s.drift));
}
inline std::vector<double> acceleration(const PeerState& s, const VectorXd& a) {
  return numbers(product(s.T.transpose(), a - s.drift));
}
/// Converts stacked matrices with [angular; linear] rows and a column for each of the peer's degrees of freedom.
inline std::vector<double> columns(const PeerState& s, std::initializer_list<MatrixXd> all) {
  MatrixXd A(0, s.T.rows());
  for (const MatrixXd& part : all) {
    MatrixXd longer(A.rows() + part.rows(), A.cols());
    longer << A, part;
    A = longer;
  }
  A = product(A, s.T);
  return {A.data(), A.data() + A.size()};
}
inline std::vector<double> matrices(const PeerState& s, std::initializer_list<MatrixXd> all) {
  std::vector<double> result;
  for (const MatrixXd& A : all) {
    const MatrixXd B = product(product(s.T.transpose(), A), s.T);
    result.insert(result.end(), B.data(), B.data() + B.size());
  }
  return result;
}
inline void append(std::vector<double>& result, const Vector3d& a) {
  result.insert(result.end(), a.data(), a.data() + 3);
}

}  // namespace compare
