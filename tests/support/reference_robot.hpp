#pragma once

#include <limits>

#include "corio/io/urdf.hpp"
#include "corio/joints/free_flyer.hpp"
#include "support/catch.hpp"
#include "support/reference_file.hpp"

namespace corio::test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Returns the largest difference over the largest entry of the reference.
inline double error(const MatrixXd& computed, const MatrixXd& reference) {
  if (computed.rows() != reference.rows() || computed.cols() != reference.cols() || !computed.allFinite())
    return std::numeric_limits<double>::infinity();
  return (computed - reference).cwiseAbs().maxCoeff() / std::max(1e-300, reference.cwiseAbs().maxCoeff());
}

/// A robot with its reference values, reordered to the model's coordinates.
class ReferenceRobot {
 public:
  ReferenceRobot(const std::string& folder, const std::string& file)
      : name(file), reference_(folder + "/" + file + ".ref"), model(load(folder + "/" + file + ".urdf")) {
    REQUIRE(model.nq() == reference_.nq);
    REQUIRE(model.nv() == reference_.nv);
    for (const auto& theirs : reference_.joints) {
      const corio::Joint& ours = model.joint(theirs.name);
      REQUIRE(ours.nq() == theirs.nq);
      REQUIRE(ours.nv() == theirs.nv);
      for (int i = 0; i < theirs.nq; ++i) q_of_.push_back(ours.q_index() + i);
      // The free flyer's twist has the linear part first there and the angular part first here.
      for (int i = 0; i < theirs.nv; ++i) v_of_.push_back(ours.v_index() + (theirs.nv == 6 ? (i + 3) % 6 : i));
    }
  }

  std::size_t states() const { return reference_.states.size(); }
  const MatrixXd& raw(std::size_t state, const std::string& what) const { return reference_.states[state].at(what); }
  VectorXd q(std::size_t state) const { return placed(raw(state, "q"), q_of_); }
  VectorXd v(std::size_t state, const std::string& what) const { return placed(raw(state, what), v_of_); }
  MatrixXd square(std::size_t state, const std::string& what) const {
    const MatrixXd& theirs = raw(state, what);
    MatrixXd ours(theirs.rows(), theirs.cols());
    for (Eigen::Index i = 0; i < theirs.rows(); ++i)
      for (Eigen::Index j = 0; j < theirs.cols(); ++j)
        ours(v_of_[static_cast<std::size_t>(i)], v_of_[static_cast<std::size_t>(j)]) = theirs(i, j);
    return ours;
  }
  /// Returns columns of forces or velocities in the world, in the reference's order of rows.
  MatrixXd columns(std::size_t state, const std::string& what) const {
    const MatrixXd& theirs = raw(state, what);
    MatrixXd ours(theirs.rows(), theirs.cols());
    for (Eigen::Index i = 0; i < theirs.cols(); ++i) ours.col(v_of_[static_cast<std::size_t>(i)]) = theirs.col(i);
    return ours;
  }
  bool has(std::size_t state, const std::string& what) const { return reference_.states[state].contains(what); }
  /// Returns the index here of the reference's degree of freedom number i.
  int v_index(int i) const { return v_of_[static_cast<std::size_t>(i)]; }
  bool floating() const { return reference_.joints.front().nv == 6; }
  const std::vector<ReferenceJoint>& joints() const { return reference_.joints; }

  std::string name;

 private:
  ReferenceFile reference_;

 public:
  corio::Model<double> model;

 private:
  corio::Model<double> load(const std::string& path) const {
    corio::urdf::Options options{.mimic = corio::urdf::Mimic::independent};
    if (floating()) options.root = corio::joint::FreeFlyer{};
    return corio::urdf::load(path, options);
  }
  static VectorXd placed(const VectorXd& theirs, const std::vector<int>& place) {
    VectorXd ours(theirs.size());
    for (Eigen::Index i = 0; i < theirs.size(); ++i) ours[place[static_cast<std::size_t>(i)]] = theirs[i];
    return ours;
  }

  std::vector<int> q_of_, v_of_;
};

}  // namespace corio::test
