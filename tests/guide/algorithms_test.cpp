// This folder holds the code of the pages: the code on a page of include/corio/guide, or in a README of include/corio,
// is compiled and run here, and its results are compared with those on the page.

#include "corio/corio.hpp"
#include "corio/identification/consistent_estimate.hpp"
#include "support/dynamics_support.hpp"
#include "support/guide.hpp"
#include "support/model_support.hpp"

// The code of include/corio/algorithms/README.md, block by block, on an arm.

namespace guide_test {

using corio::test::random_vector;
using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST_CASE("the guide to the algorithms", "[guide]") {
  auto builder = corio::to_builder(corio::zoo::serial_chain(5));
  builder.add_frame("tool0", "link5", {corio::identity3<double>(), {0, 0, 0.2}});
  const auto model = builder.build();
  corio::Data data(model);
  const VectorXd q = random_vector<double>(5, 1), v = random_vector<double>(5, 2), a = random_vector<double>(5, 3);
  const VectorXd tau = random_vector<double>(5, 4), lambda = random_vector<double>(5, 5);
  constexpr double rounding = 1e-10;
  {
    MatrixXd C(5, 5);
    const int k = 2;
    corio::ChristoffelTensor<double> Gamma(model);  // sized once, reused in the loop
    corio::christoffel_symbols(model, data, q, Gamma);
    Gamma.contract(v, C);                                  // C(i,j) = sum_k Gamma(i,j,k) v_k
    Gamma.along(k);                                        // Gamma(:,:,k) = C for the unit velocity of k, an Eigen map
    corio::PackedChristoffelTensor<double> packed(model);  // a third of the numbers for a chain, far fewer for a tree
    CHECK((C - corio::coriolis_matrix(model, data, q, v).C).norm() < rounding);
    corio::christoffel_symbols(model, data, q, packed);
    CHECK(std::abs(packed(1, 2, 3) - Gamma(1, 2, 3)) < rounding);
  }
  {
    const corio::FramePoint<double> tip(model.frame("tool0"), corio::ReferenceFrame::world_aligned, {0, 0, 0.1});
    Eigen::MatrixXd J(6, model.nv()), Jdot(6, model.nv());
    corio::forward_kinematics(model, data, q, v, a);
    corio::body_jacobian(model, data, tip, J);         // J v = body_velocity(model, data, tip)
    corio::body_jacobian_dot(model, data, tip, Jdot);  // J a + Jdot v = body_classical_acceleration(model, data, tip)
    const auto& A = corio::centroidal_momentum_matrix(model, data);  // A v = centroidal_momentum(model, data)
    const VectorXd V = corio::body_velocity(model, data, tip).vector();
    CHECK((J * v - V).norm() < rounding);
    CHECK((J * a + Jdot * v - corio::body_classical_acceleration(model, data, tip).vector()).norm() < rounding);
    CHECK((A * v - corio::centroidal_momentum(model, data).vector()).norm() < rounding);
  }
  {
    const auto& [dtau_dq, dtau_dv, M] = corio::inverse_dynamics_derivatives(model, data, q, v, a);
    const auto& [da_dq, da_dv, da_dtau] = corio::forward_dynamics_derivatives(model, data, q, v, tau);
    const auto& [qq, vq, vv, tau_q] = corio::forward_dynamics_hessian(model, data, q, v, tau, lambda);  // of lambda^T a
    CHECK((da_dtau * M - MatrixXd::Identity(5, 5)).norm() < rounding);
    CHECK((da_dq + da_dtau * dtau_dq).allFinite());
    CHECK((vv - vv.transpose()).norm() < rounding * (1 + vv.norm()));
    const int j = 3;
    constexpr double h = 1e-5;  // errors of h^2, and of rounding over h
    const VectorXd move = h * VectorXd::Unit(model.nv(), j);
    const VectorXd ahead = corio::rnea(model, data, corio::integrate(model, q, move), v, a);
    const VectorXd behind = corio::rnea(model, data, corio::integrate(model, q, -move), v, a);
    const VectorXd column = (ahead - behind) / (2 * h);  // dtau_dq.col(j)
    CHECK((column - dtau_dq.col(j)).norm() < 1e-7 * (1 + dtau_dq.col(j).norm()));
  }
  {
    MatrixXd Y(5, corio::num_inertial_parameters(model));
    const VectorXd weights = VectorXd::Ones(5);
    corio::StreamingLeastSquares<double> stream(corio::num_inertial_parameters(model));
    corio::inverse_dynamics_regressor(model, data, q, v, a, Y);
    stream.add(Y, tau, weights);                       // for each sample; streams can be merged
    const corio::BaseParameters<double> base(stream);  // base.describe(corio::parameter_names(model))
    const auto found = corio::estimate(stream, base);  // found.beta, found.standard_deviation()
    CHECK(found.beta.size() == base.size());
    MatrixXd Y_joints;
    const Eigen::Index bodies = corio::num_inertial_parameters(model), joints = 4 * model.nv();
    corio::StreamingLeastSquares<double> all(bodies + joints);
    corio::joint_regressor(model, v, a, Y_joints);
    all.add((MatrixXd(model.nv(), bodies + joints) << Y, Y_joints).finished(), tau, weights);  // for each sample
    const corio::ConsistentPrior<double> prior{.spread = 0.2, .deviations = VectorXd::Ones(joints)};
    const VectorXd p = corio::consistent_estimate(model, all, prior).parameters;
    auto identified = model;  // corio::write_urdf(identified, "identified.urdf") stores it
    corio::set_inertial_parameters(identified, p.head(bodies));
    corio::set_joint_parameters(identified, p.tail(joints));
    CHECK(identified.friction() == p.tail(joints).reshaped(4, 5).row(2).transpose());
    CHECK((Y * p.head(bodies) + Y_joints * p.tail(joints) - tau).norm() <
          (Y * corio::inertial_parameters(model) - tau).norm());
  }
  CHECK(corio::test::check_blocks("include/corio/algorithms/README.md", "tests/guide/algorithms_test.cpp") == 6);
}

}  // namespace guide_test
