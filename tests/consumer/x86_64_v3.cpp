#include <corio/corio.hpp>
#include <cstdint>
#include <iostream>
#include <utility>

#include "distributed.hpp"

// Objects made in the program are read in the library, and the reverse; sizes, alignments and sums must be the same on
// both sides.
int main() {
  static_assert(CORIO_REGISTER_BITS == 256, "corio::x86_64_v3 must allow AVX2");
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 77;
  std::vector<Reading> readings = make_readings(3);
  readings.push_back({'s', Eigen::Vector4d(4, 3, 2, 1), Eigen::Matrix4f::Ones(), Eigen::Quaterniond(0, 0, 0, 1)});
  const Eigen::Matrix4d gain = unit_gain();
  double expected = 0;
  for (const Reading& r : readings) expected += (gain * r.force).sum() + r.pose.sum() + r.orientation.z() + r.name;
  const double got = sum_of(readings, gain);

  Eigen::MatrixXd x = Eigen::MatrixXd::Ones(1, 1);
  for (int n = 1; n < 40; ++n) {
    x = grown(std::move(x));
    x = grown(x * Eigen::MatrixXd::Identity(n + 1, n + 1)).topLeftCorner(n + 1, n + 1).eval();
  }

  const auto model = corio::zoo::quadruped();
  corio::Data<double> data(model);
  const auto& M = corio::crba(model, data, corio::neutral(model));
  const double weight = corio::generalized_gravity(model, data)[5];
  const bool dynamics = std::abs(M(5, 5) * 9.81 - weight) < 1e-9 * weight;
  std::cout << "alignment " << alignof(Reading) << ", sums " << got << " and " << expected << '\n';
  return alignof(Reading) == 16 && got == expected && x.sum() == 1600 && dynamics ? 0 : 1;
}
