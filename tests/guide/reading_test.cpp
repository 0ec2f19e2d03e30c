// The code of include/corio/guide/reading.md and plain_forms.md, on random trees, beside the library.

#include <algorithm>
#include <utility>
#include <vector>

#include "corio/corio.hpp"
#include "support/dynamics_support.hpp"
#include "support/guide.hpp"

namespace guide_test {

using Eigen::Matrix3d, Eigen::MatrixXd, Eigen::Vector3d, Eigen::VectorXd;
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Vector6d = Eigen::Matrix<double, 6, 1>;

Vector6d join(const Vector3d& angular, const Vector3d& linear) { return (Vector6d() << angular, linear).finished(); }
Matrix6d blocks(const Matrix3d& a, const Matrix3d& b, const Matrix3d& c, const Matrix3d& d) {
  return (Matrix6d() << a, b, c, d).finished();
}
Matrix3d skew(const Vector3d& r) { return (Matrix3d() << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0).finished(); }
Matrix6d crm(const Vector6d& V) {
  return blocks(skew(V.head<3>()), Matrix3d::Zero(), skew(V.tail<3>()), skew(V.head<3>()));
}
Matrix6d crf(const Vector6d& V) { return -crm(V).transpose(); }
Matrix6d bar(const Vector6d& F) {
  return -blocks(skew(F.head<3>()), skew(F.tail<3>()), skew(F.tail<3>()), Matrix3d::Zero());
}

// The page indexes arrays by int, as a reader expects.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
// clang-format off
struct Link {
  int parent;            // its number, lower than this one's, or -1: the ground
  Matrix3d R;            // pose of the joint in the parent at q = 0                        model/builder.hpp
  Vector3d p, axis;      // axis of the joint: a unit vector                                joints/along_axis.hpp
  double mass;           // kg
  Vector3d com;          // in the frame of the joint, m
  Matrix3d inertia;      // about com, kg m^2
};
struct Pass {  //                                                              kinematics/forward_kinematics.hpp
  std::vector<Vector6d> Phi, dPhi;  // for each joint, the twist of its link per v_k, and the rate of this column
  std::vector<Vector6d> V;          // for each link, its twist,
  std::vector<Matrix6d> I, B;       // its inertia, and the operator with B V = V x* I V and dI/dt = B + B^T

  Pass(const std::vector<Link>& links, const VectorXd& q, const VectorXd& v) {
    std::vector<Matrix3d> R;
    std::vector<Vector3d> p;
    for (int k = 0; k < q.size(); ++k) {  // from the root to the leaves
      const auto& [parent, R_tree, p_tree, axis, mass, com, inertia] = links[k];
      const bool base = parent < 0;
      p.push_back(base ? p_tree : p[parent] + R[parent] * p_tree);
      R.push_back((base ? R_tree : R[parent] * R_tree) * Eigen::AngleAxisd(q[k], axis).toRotationMatrix());
      const Vector3d z = R[k] * axis;
      Phi.push_back(join(z, p[k].cross(z)));
      V.push_back(Phi[k] * v[k]);
      if (!base) V[k] += V[parent];
      dPhi.push_back(crm(V[k]) * Phi[k]);
      const Matrix3d c = skew(p[k] + R[k] * com), Ibar = R[k] * inertia * R[k].transpose();
      const Matrix3d mc = mass * c;
      I.push_back(blocks(Ibar - mc * c, mc, -mc, mass * Matrix3d::Identity()));  //             spatial/inertia.hpp
      B.push_back((crf(V[k]) * I[k] + bar(I[k] * V[k]) - I[k] * crm(V[k])) / 2);  //        spatial/body_coriolis.hpp
    }
  }
};
MatrixXd mass_matrix(const std::vector<Link>& links, const VectorXd& q) {  //               algorithms/dynamics/crba.hpp
  auto [Phi, dPhi, V, I, B] = Pass(links, q, 0 * q);
  MatrixXd M = MatrixXd::Zero(q.size(), q.size());
  for (auto j = q.size() - 1; j >= 0; --j) {  // from the leaves to the root
    const Vector6d momentum = I[j] * Phi[j];
    for (auto i = j; i >= 0; i = links[i].parent) M(i, j) = M(j, i) = Phi[i].dot(momentum);  // kernels/pairs.hpp
    if (links[j].parent >= 0) I[links[j].parent] += I[j];  //                                  kernels/composites.hpp
  }
  return M;
}
MatrixXd coriolis(const std::vector<Link>& links, const VectorXd& q, const VectorXd& v) {  // .. /coriolis_matrix.hpp
  auto [Phi, dPhi, V, I, B] = Pass(links, q, v);
  MatrixXd C = MatrixXd::Zero(q.size(), q.size());
  for (auto j = q.size() - 1; j >= 0; --j) {
    const Vector6d F = I[j] * dPhi[j] + B[j] * Phi[j], momentum = I[j] * Phi[j], B_T_phi = B[j].transpose() * Phi[j];
    for (auto i = j; i >= 0; i = links[i].parent) {
      C(j, i) = dPhi[i].dot(momentum) + Phi[i].dot(B_T_phi);
      C(i, j) = Phi[i].dot(F);
    }
    if (links[j].parent >= 0) I[links[j].parent] += I[j], B[links[j].parent] += B[j];
  }
  return C;
}
const Vector6d gravity = join(Vector3d::Zero(), {0, 0, -9.81});
VectorXd inverse_dynamics(const std::vector<Link>& links, const VectorXd& q, const VectorXd& v, const VectorXd& vdot) {
  const auto [Phi, dPhi, V, I, B] = Pass(links, q, v);
  std::vector<Vector6d> a, F;
  VectorXd tau(q.size());
  for (int k = 0; k < q.size(); ++k) {
    a.push_back((links[k].parent < 0 ? -gravity : a[links[k].parent]) + Phi[k] * vdot[k] + dPhi[k] * v[k]);
    F.push_back(I[k] * a[k] + crf(V[k]) * I[k] * V[k]);  //              newton_euler of spatial/detail/newton_euler.hpp
  }
  for (auto k = q.size() - 1; k >= 0; --k) {
    tau[k] = Phi[k].dot(F[k]);
    if (links[k].parent >= 0) F[links[k].parent] += F[k];
  }
  return tau;
}
VectorXd forward_dynamics(const std::vector<Link>& links, const VectorXd& q, const VectorXd& v, const VectorXd& tau) {
  auto [Phi, dPhi, V, I, B] = Pass(links, q, v);  // I becomes the inertia of a subtree whose joints are free
  std::vector<Vector6d> bias, p, U(q.size()), A;  // bias: the acceleration for vdot = 0;  A: the part due to vdot
  VectorXd d(q.size()), u(q.size()), vdot(q.size());
  for (int k = 0; k < q.size(); ++k) {
    bias.push_back((links[k].parent < 0 ? -gravity : bias[links[k].parent]) + dPhi[k] * v[k]);
    p.push_back(I[k] * bias[k] + crf(V[k]) * I[k] * V[k]);
  }
  for (auto k = q.size() - 1; k >= 0; --k) {
    U[k] = I[k] * Phi[k], d[k] = Phi[k].dot(U[k]), u[k] = tau[k] - Phi[k].dot(p[k]);
    if (links[k].parent < 0) continue;
    I[links[k].parent] += I[k] - U[k] * U[k].transpose() / d[k];
    p[links[k].parent] += p[k] + U[k] * u[k] / d[k];
  }
  for (int k = 0; k < q.size(); ++k) {
    A.push_back(links[k].parent < 0 ? Vector6d(Vector6d::Zero()) : A[links[k].parent]);
    vdot[k] = (u[k] - U[k].dot(A[k])) / d[k];
    A[k] += Phi[k] * vdot[k];
  }
  return vdot;
}
std::pair<MatrixXd, MatrixXd> inverse_dynamics_derivatives(  //               {dtau_dq, dtau_dv}
    const std::vector<Link>& links, const VectorXd& q, const VectorXd& v, const VectorXd& vdot) {
  auto [Phi, dPhi, V, I, B] = Pass(links, q, v);
  std::vector<Vector6d> a, F, psi, psi_a, chi;
  for (int k = 0; k < q.size(); ++k) {
    const int parent = links[k].parent;
    const Vector6d A = parent < 0 ? -gravity : a[parent], W = parent < 0 ? Vector6d(Vector6d::Zero()) : V[parent];
    a.push_back(A + Phi[k] * vdot[k] + dPhi[k] * v[k]);
    F.push_back(I[k] * a[k] + crf(V[k]) * I[k] * V[k]);
    psi.push_back(crm(W) * Phi[k]);  //                                           kinematics/detail/variations.hpp
    psi_a.push_back(crm(A) * Phi[k] + crm(W) * psi[k]);
    chi.push_back(psi[k] + dPhi[k]);
  }
  MatrixXd dtau_dq = MatrixXd::Zero(q.size(), q.size()), dtau_dv = dtau_dq;
  for (auto j = q.size() - 1; j >= 0; --j) {
    const Vector6d dF_dq = crf(Phi[j]) * F[j] + I[j] * psi_a[j] + 2 * B[j] * psi[j];
    const Vector6d dF_dv = I[j] * chi[j] + 2 * B[j] * Phi[j];
    const Vector6d momentum = I[j] * Phi[j], B_T_phi = B[j].transpose() * Phi[j];
    for (auto i = j; i >= 0; i = links[i].parent) {
      dtau_dq(j, i) = psi_a[i].dot(momentum) + psi[i].dot(2 * B_T_phi);
      dtau_dv(j, i) = chi[i].dot(momentum) + Phi[i].dot(2 * B_T_phi);
      if (i != j) dtau_dq(i, j) = Phi[i].dot(dF_dq);
      dtau_dv(i, j) = Phi[i].dot(dF_dv);
    }
    if (links[j].parent < 0) continue;
    I[links[j].parent] += I[j], B[links[j].parent] += B[j], F[links[j].parent] += F[j];
  }
  return {dtau_dq, dtau_dv};
}
std::vector<MatrixXd> christoffel(const std::vector<Link>& links, const VectorXd& q) {  // Gamma[k](i, j)
  auto [Phi, dPhi, V, I, B] = Pass(links, q, 0 * q);
  std::vector<MatrixXd> Gamma(q.size(), MatrixXd::Zero(q.size(), q.size()));
  for (auto k = q.size() - 1; k >= 0; --k) {
    const Matrix6d B_k = (crf(Phi[k]) * I[k] + bar(I[k] * Phi[k]) - I[k] * crm(Phi[k])) / 2;
    for (auto j = k; j >= 0; j = links[j].parent) {
      const Vector6d F = B_k * Phi[j], n = B_k.transpose() * Phi[j];
      for (auto i = j; i >= 0; i = links[i].parent) {
        Gamma[k](i, j) = Gamma[j](i, k) = Phi[i].dot(F);
        Gamma[k](j, i) = Gamma[i](j, k) = Phi[i].dot(n);
        if (j != k) Gamma[j](k, i) = Gamma[i](k, j) = -Phi[i].dot(n);
      }
    }
    if (links[k].parent >= 0) I[links[k].parent] += I[k];
  }
  return Gamma;
}
// clang-format on
#pragma GCC diagnostic pop

TEST_CASE("the page to read first and the algorithms in plain form", "[guide]") {
  CHECK(corio::test::check_blocks("include/corio/guide/reading.md", "tests/guide/reading_test.cpp") == 1);
  CHECK(corio::test::check_blocks("include/corio/guide/plain_forms.md", "tests/guide/reading_test.cpp") == 4);
  for (int seed = 1; seed <= 6; ++seed) {
    corio::test::Random<double> random(seed);
    const int n = 9;
    std::vector<Link> links;
    corio::ModelBuilder<double> builder("tree");
    const auto name = [](int k) { return "link" + std::to_string(k); };
    for (int k = 0; k < n; ++k) {
      // A chain, then trees, some with several links on the ground.
      const int parent = seed == 1 ? k - 1 : std::min(k - 1, static_cast<int>(k * (1 + random.real()) / 2) - seed % 2);
      const corio::InertialParameters<double> body(random.inertia());
      links.push_back(
          {parent, random.rotation(), random.vector(), random.direction(), body.mass, body.com, body.inertia});
      builder.add_body({.name = name(k),
                        .parent = parent < 0 ? corio::Parent() : corio::Parent(name(parent)),
                        .joint = corio::joint::Revolute(links.back().axis),
                        .placement = {links.back().R, links.back().p},
                        .inertia = body});
    }
    const auto model = builder.build();
    corio::Data data(model);
    VectorXd q(n), v(n), a(n), q_model(n), v_model(n), a_model(n);
    Eigen::VectorXi index(n);  // the library numbers joints depth first
    for (int k = 0; k < n; ++k) {
      index[k] = model.joint(name(k) + "_joint").v_index();
      q_model[index[k]] = q[k] = 3 * random.real();
      v_model[index[k]] = v[k] = random.real();
      a_model[index[k]] = a[k] = random.real();
    }
    const auto& of_library = corio::coriolis_matrix(model, data, q_model, v_model);
    // Inertias about the origin of the world, some metres off: a digit or two less than the library's.
    constexpr double tolerance = 1e-12;
    CHECK((mass_matrix(links, q) - of_library.M(index, index)).norm() < tolerance * of_library.M.norm());
    CHECK((coriolis(links, q, v) - of_library.C(index, index)).norm() < tolerance * of_library.C.norm());
    const VectorXd tau = inverse_dynamics(links, q, v, a);
    CHECK((tau - corio::rnea(model, data, q_model, v_model, a_model)(index)).norm() < tolerance * tau.norm());
    // The condition of M amplifies the rounding errors of forces.
    CHECK((forward_dynamics(links, q, v, tau) - a).norm() < 1e3 * tolerance * a.norm());
    const auto [dtau_dq, dtau_dv] = inverse_dynamics_derivatives(links, q, v, a);
    const auto& derivatives = corio::inverse_dynamics_derivatives(model, data, q_model, v_model, a_model);
    CHECK((dtau_dq - derivatives.dtau_dq(index, index)).norm() < tolerance * dtau_dq.norm());
    CHECK((dtau_dv - derivatives.dtau_dv(index, index)).norm() < tolerance * dtau_dv.norm());
    corio::ChristoffelTensor<double> Gamma(model);
    corio::christoffel_symbols(model, data, q_model, Gamma);
    const std::vector<MatrixXd> plain = christoffel(links, q);
    double largest = 0, error = 0;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
          const double symbol = Gamma(index[i], index[j], index[k]);
          largest = std::max(largest, std::abs(symbol));
          error = std::max(error, std::abs(plain[static_cast<std::size_t>(k)](i, j) - symbol));
        }
    CHECK(error < tolerance * largest);
  }
}

}  // namespace guide_test
