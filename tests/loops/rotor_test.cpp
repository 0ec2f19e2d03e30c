#include <Eigen/Geometry>

#include "corio/corio.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"

// Compares rotors behind gears with the kinetic energy of discs that turn on the links of a tree without rotors.

namespace {

using namespace corio::test;
using corio::Matrix3;
using corio::Mechanism;
using corio::MechanismData;
using corio::Model;
using corio::ModelBuilder;
using corio::Vector3;
using corio::joint::JointSpec;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A disc: the link that carries it ("" for the ground), its axis there, and the joint that turns it.
struct Disc {
  std::string link;
  Eigen::Vector3d axis;
  int dof;
  double inertia, ratio;
};

Eigen::Matrix3d turned(const Eigen::Vector3d& by) { return Eigen::AngleAxisd(by.norm(), by.normalized()).matrix(); }

/// Four links, on hinges and a slider, in a tree with a branch; no two axes are parallel.
ModelBuilder<double> links() {
  ModelBuilder<double> builder("arm");
  const char* parents[] = {"", "a", "b", "b"};
  const JointSpec<double> joints[] = {corio::joint::Revolute({0, 0.6, 0.8}), corio::joint::Revolute({1, 0.2, 0}),
                                      corio::joint::Prismatic({0.1, 1, 0}), corio::joint::Helical({0, 0.3, -1}, 0.1)};
  for (int i = 0; i < 4; ++i) {
    Matrix3<double> at;
    at = turned(Eigen::Vector3d(0.3 * i, 0.2, -0.4 * i));
    builder.add_body({.name = std::string(1, char('a' + i)),
                      .parent = parents[i],
                      .joint = joints[i],
                      .placement = {at, {0.1, 0.05 * i, 0.3}},
                      .inertia = {1.0 + i, {0.02, 0.01, 0.1}, corio::diagonal3(0.05 + 0.01 * i)}});
  }
  return builder;
}

std::vector<Disc> add_rotors(ModelBuilder<double>& builder) {
  builder.add_rotor({.joint = "a_joint", .inertia = 3e-3, .ratio = 20.0});
  builder.add_rotor({.joint = "b_joint", .inertia = 2e-3, .ratio = -15.0});
  builder.add_rotor({.joint = "c_joint", .inertia = 4e-3, .ratio = 50.0, .axis = {0, 0.3, 2}});
  builder.add_rotor({.joint = "d_joint", .inertia = 1e-3, .ratio = 30.0});
  const auto at = [](double i) { return turned(Eigen::Vector3d(0.3 * i, 0.2, -0.4 * i)); };
  return {{"", at(0) * Eigen::Vector3d(0, 0.6, 0.8), 0, 3e-3, 20.0},
          {"a", at(1) * Eigen::Vector3d(1, 0.2, 0).normalized(), 1, 2e-3, -15.0},
          {"b", at(2) * Eigen::Vector3d(0, 0.3, 2).normalized(), 2, 4e-3, 50.0},
          {"b", at(3) * Eigen::Vector3d(0, 0.3, -1).normalized(), 3, 1e-3, 30.0}};
}

/// Returns twice the kinetic energy as a quadratic form of v: for the tree, and for each disc J (n . w)^2 + J/2 |w - n
/// (n . w)|^2 with w the angular velocity of its link plus ratio v along n.
MatrixXd mass_matrix(const Model<double>& tree, const std::vector<Disc>& discs, const VectorXd& q) {
  corio::Data<double> data(tree);
  MatrixXd M = corio::crba<double>(tree, data, q);
  for (const Disc& disc : discs) {
    MatrixXd w = MatrixXd::Zero(3, tree.nv());
    Eigen::Vector3d n = disc.axis;
    if (!disc.link.empty()) {
      MatrixXd J(6, tree.nv());
      corio::body_jacobian<double>(tree, data, {tree.body(disc.link), corio::ReferenceFrame::world}, J);
      w = J.topRows(3);
      n = corio::body_pose(tree, data, tree.body(disc.link)).rotation * n;
    }
    w.col(disc.dof) += disc.ratio * n;
    M += disc.inertia / 2 * w.transpose() * (Eigen::Matrix3d::Identity() + n * n.transpose()) * w;
  }
  return M;
}

}  // namespace

TEST_CASE("rotors have the energy of discs on the links that carry their joints") {
  ModelBuilder<double> builder = links();
  const Model<double> tree = builder.build();
  const auto discs = add_rotors(builder);
  const Model<double> model = builder.build();
  const Mechanism<double> mechanism(model);
  MechanismData<double> data(mechanism);
  REQUIRE(mechanism.nv() == 4);
  for (int k = 0; k < 4; ++k)
    REQUIRE(mechanism.independent()[std::size_t(k)] == model.joint(std::string(1, char('a' + k)) + "_joint").v_index());

  const VectorXd q = VectorXd::Random(4), v = VectorXd::Random(4);
  const auto closed = [&](const VectorXd& x) {
    VectorXd all(model.nq());
    for (int k = 0; k < 4; ++k) {
      const std::string joint = std::string(1, char('a' + k)) + "_joint";
      all[model.joint(joint).q_index()] = x[k];
      all[model.joint(joint + "_rotor_joint").q_index()] = discs[std::size_t(k)].ratio * x[k];
    }
    return all;
  };
  const MatrixXd M = mass_matrix(tree, discs, q);
  CHECK((corio::crba<double>(mechanism, data, closed(q)) - M).norm() < 1e-13 * M.norm());
  // Some entries come from gears alone: rotors couple joints that armatures leave uncoupled.
  corio::Data<double> of_tree(tree);
  CHECK(std::abs(M(0, 1) - corio::crba<double>(tree, of_tree, q)(0, 1)) > 1e-3);

  // Lagrange's equations: dM/dt v - d(v^T M v / 2)/dq, by central differences, with errors of h^2 and 1e-16 / h.
  const double h = 1e-5;
  VectorXd bias = (mass_matrix(tree, discs, q + h * v) - mass_matrix(tree, discs, q - h * v)) * v / (2 * h);
  for (int k = 0; k < 4; ++k) {
    const VectorXd e = h * VectorXd::Unit(4, k);
    bias[k] -= v.dot((mass_matrix(tree, discs, q + e) - mass_matrix(tree, discs, q - e)) * v) / (4 * h);
  }
  bias += corio::generalized_gravity<double>(tree, of_tree, q);
  CHECK((corio::nonlinear_effects<double>(mechanism, data, closed(q), v) - bias).norm() < 1e-8 * bias.norm());
}

TEST_CASE("rotors on the ground are armatures, and the others differ from them where links turn") {
  ModelBuilder<double> builder = links();
  builder.set_armature("a_joint", {0.4});
  const Model<double> reflected = builder.build();
  builder.set_armature("a_joint", {});
  builder.add_rotor({.joint = "a_joint", .inertia = 1e-3, .ratio = 20.0});
  const Mechanism<double> mechanism(builder.build());
  const VectorXd q = VectorXd::Random(4), v = VectorXd::Random(4), a = VectorXd::Random(4);
  VectorXd all(5);
  all << q, 0.0;
  const auto& joint = mechanism.tree().joint("a_joint_rotor_joint");
  REQUIRE(joint.q_index() == 4);
  all[4] = 20.0 * q[0];
  corio::Data<double> of_tree(reflected);
  MechanismData<double> data(mechanism);
  const VectorXd expected = corio::rnea<double>(reflected, of_tree, q, v, a);
  CHECK((corio::rnea<double>(mechanism, data, all, v, a) - expected).norm() < 1e-13 * expected.norm());
}

TEST_CASE("rotors that cannot be are refused in words") {
  const auto refusal = [](const corio::Rotor<double>& rotor) -> std::string {
    ModelBuilder<double> builder = links();
    builder.add_body({.name = "ball", .parent = "d", .joint = corio::joint::Spherical()});
    try {
      builder.add_rotor(rotor);
      builder.build();
    } catch (const corio::ModelError& error) {
      return error.what();
    }
    return "accepted";
  };
  using Catch::Contains;
  CHECK(refusal({.joint = "a_joint", .inertia = 1e-3}) == "accepted");
  CHECK_THAT(refusal({.joint = "x", .inertia = 1e-3}), Contains("no joint 'x'"));
  CHECK_THAT(refusal({.joint = "ball_joint", .inertia = 1e-3}), Contains("'ball_joint' (spherical)"));
  CHECK_THAT(refusal({.joint = "a_joint", .inertia = -1e-3}), Contains("rotor of joint 'a_joint' is -0.001"));
  CHECK_THAT(refusal({.joint = "a_joint", .inertia = 1e-3, .ratio = 0}), Contains("a_joint_rotor_gear"));
  CHECK_THAT(refusal({.joint = "a_joint", .inertia = 1e-3, .ratio = NAN}), Contains("a_joint_rotor_gear"));
  CHECK_THAT(refusal({.joint = "a_joint", .inertia = 1e-3, .axis = {NAN, 0, 0}}), Contains("a_joint_rotor"));
}
