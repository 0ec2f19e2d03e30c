#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

/// Robots with values computed by others: a header with `nq N`, `nv N` and one line `joint NAME TYPE idx_q I nq N idx_v
/// I nv N` per joint, then per state `state K` and matrices, each as `mat NAME rows cols` followed by its numbers.
namespace corio::test {

struct ReferenceJoint {
  std::string name, type;
  int q_index, nq, v_index, nv;
};

struct ReferenceFile {
  int nq = 0, nv = 0;
  std::vector<ReferenceJoint> joints;
  std::vector<std::map<std::string, Eigen::MatrixXd>> states;

  explicit ReferenceFile(const std::string& path);
};

}  // namespace corio::test
