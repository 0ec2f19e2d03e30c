#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <limits>
#include <random>

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/jacobian.hpp"
#include "corio/kinematics/configuration.hpp"
#include "own.hpp"

namespace compare {
namespace {

std::array<double, 9> by_rows(const corio::Matrix3<double>& A) {
  return {A(0, 0), A(0, 1), A(0, 2), A(1, 0), A(1, 1), A(1, 2), A(2, 0), A(2, 1), A(2, 2)};
}
std::array<double, 3> components(const corio::Vector3<double>& a) { return {a[0], a[1], a[2]}; }

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The condition of M from its eigenvalues; infinite if a joint moves no inertia.
double condition(const corio::Model<double>& model, corio::Data<double>& data, const Eigen::VectorXd& q) {
  if (!is_regular(model)) return infinite;
  const auto values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(corio::crba(model, data, q), Eigen::EigenvaluesOnly)
          .eigenvalues()
          .eval();
  return values.maxCoeff() / std::max(values.minCoeff(), std::numeric_limits<double>::min());
}

/// The condition of J M^-1 J^T for the origin of the last body, from the singular values of J L^-T with M = L L^T;
/// infinite if the origin cannot, or can hardly, move in every direction.
double contact_condition(const corio::Model<double>& model, corio::Data<double>& data, const Eigen::VectorXd& q) {
  if (!is_regular(model) || model.nv() < 3) return infinite;
  Eigen::MatrixXd J(6, model.nv());
  corio::body_jacobian(model, data, q, {model.bodies().back(), corio::ReferenceFrame::world_aligned}, J);
  const Eigen::MatrixXd scaled =
      Eigen::LLT<Eigen::MatrixXd>(corio::crba(model, data, q)).matrixL().solve(J.bottomRows(3).transpose());
  const auto values = Eigen::JacobiSVD<Eigen::MatrixXd>(scaled).singularValues().eval();
  const double ratio = values[0] / values[2];
  return ratio < 1e6 ? ratio * ratio : infinite;
}

}  // namespace

Mechanism describe(const corio::Model<double>& model, const std::string& key, const std::string& title, int states) {
  Mechanism mechanism{key, title, {}, {}};
  for (int k = 0; k < model.nv(); ++k)
    if (model.armature()[k] != 0) throw Unsupported(title + " has rotor inertias, which not all peers have");
  // Bodies are described in the axes of their nodes, in which every joint moves along z. A chain of primitive joints
  // has more nodes than bodies.
  if (model.num_nodes() != static_cast<int>(model.bodies().size()))
    throw Unsupported(title + " has joints of several nodes");
  for (const auto& body : model.bodies()) {
    const auto& node = model.node(body.node());
    const std::string& type = model.joints()[static_cast<std::size_t>(body.joint())].type();
    const bool floating = type == "free_flyer";
    if (!floating && type != "revolute" && type != "prismatic") throw Unsupported(title + " has a " + type + " joint");
    if (floating && (node.parent >= 0 || !mechanism.bodies.empty()))
      throw Unsupported(title + " has a floating body inside");
    mechanism.bodies.push_back({.name = body.name(),
                                .parent = node.parent,
                                .joint = floating             ? Body::Joint::floating
                                         : type == "revolute" ? Body::Joint::revolute
                                                              : Body::Joint::prismatic,
                                .rotation = by_rows(node.placement.rotation),
                                .position = components(node.placement.translation),
                                .mass = node.parameters.mass,
                                .com = components(node.parameters.com),
                                .inertia = by_rows(node.parameters.inertia)});
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto sample = [&] {
    std::vector<double> x(static_cast<std::size_t>(model.nv()));
    for (double& y : x) y = uniform(random);
    return x;
  };
  corio::Data<double> data(model);
  for (int i = 0; i < states; ++i) {
    const auto q = corio::random_configuration(model, random);
    mechanism.condition = std::max(mechanism.condition, condition(model, data, q));
    mechanism.contact = std::max(mechanism.contact, contact_condition(model, data, q));
    mechanism.states.push_back({{q.data(), q.data() + q.size()}, sample(), sample(), sample()});
  }
  return mechanism;
}

}  // namespace compare
