#include "distributed.hpp"

std::vector<Reading> make_readings(int n) {
  std::vector<Reading> readings;
  for (int i = 0; i < n; ++i)
    readings.push_back(
        {'r', Eigen::Vector4d(1, 2, 3, i), Eigen::Matrix4f::Constant(2), Eigen::Quaterniond(1, 0, 0, i)});
  return readings;
}
double sum_of(const std::vector<Reading>& readings, const Eigen::Matrix4d& gain) {
  double sum = 0;
  for (const Reading& r : readings) sum += (gain * r.force).sum() + r.pose.sum() + r.orientation.z() + r.name;
  return sum;
}
Eigen::Matrix4d unit_gain() { return Eigen::Matrix4d::Identity(); }
Eigen::MatrixXd grown(Eigen::MatrixXd x) {
  x.conservativeResize(x.rows() + 1, x.cols() + 1);
  x.bottomRows(1).setOnes();
  x.rightCols(1).setOnes();
  return x;
}
