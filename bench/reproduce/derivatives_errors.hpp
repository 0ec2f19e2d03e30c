#pragma once

#include <Eigen/Core>
#include <random>

#include "baselines/abacr.hpp"
#include "baselines/complex_step.hpp"
#include "baselines/fdcr.hpp"
#include "baselines/finite_differences.hpp"
#include "corio/algorithms/derivatives/forward_dynamics_derivatives.hpp"
#include "corio/zoo/zoo.hpp"
#include "timing.hpp"

/// Growth of the errors of the derivatives of forward dynamics with the length of a chain: Singh, Russell and Wensing
/// (2022), section V-A.
namespace paper {

/// The root mean square of the errors of all entries, relative to the root mean square of the entries.
inline double rms_error(const Eigen::MatrixXd& A, const Eigen::MatrixXd& reference) {
  double errors = 0, entries = 0;
  for (Eigen::Index i = 0; i < A.size(); ++i) {
    const double r = reference.data()[i], e = A.data()[i] - r;
    errors += e * e, entries += r * r;
  }
  return std::sqrt(errors / entries);
}

struct ErrorGrowth {
  enum Method { fdsva, fdcr, abacr, forward_difference, central_difference };
  static constexpr int methods = 5;
  static constexpr const char* name[] = {"FDSVA", "FDCR", "ABACR", "forward differences", "central differences"};

  /// The lengths of chains. All these chains end with the same axis, since the condition of M depends on the axis of
  /// the last link.
  static std::vector<int> all_sizes() { return {2, 5, 8, 11, 17, 26, 38, 56, 80, 98}; }

  /// The errors of da_dq and da_dv together against complex steps of aba.
  /// @param samples  number of random states for each size, over which the geometric mean is taken
  explicit ErrorGrowth(const std::vector<int>& sizes, int samples = 5) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> real(-1, 1);
    for (const int n : sizes) {
      const auto model = corio::zoo::serial_chain(n);
      corio::Data<double> data(model);
      corio::baseline::ComplexStep exact(model);
      corio::baseline::Fdcr chain_rule(model);
      corio::baseline::Abacr articulated(model);
      using corio::baseline::Difference;
      corio::baseline::FiniteDifferences forward(model, Difference::forward), central(model, Difference::central);
      double log_error[methods] = {};
      for (int i = 0; i < samples; ++i) {
        const Eigen::VectorXd q = corio::random_configuration(model, random);
        Eigen::VectorXd v(n), tau(n);
        for (int k = 0; k < n; ++k) v[k] = real(random), tau[k] = real(random);
        exact.of_aba(q, v, tau);
        const auto add = [&](Method m, const Eigen::MatrixXd& along_q, const Eigen::MatrixXd& along_v) {
          const double x = rms_error(along_q, exact.along_q), y = rms_error(along_v, exact.along_v);
          log_error[m] += std::log(std::sqrt((x * x + y * y) / 2)) / samples;
        };
        const auto& d = corio::forward_dynamics_derivatives(model, data, q, v, tau);
        add(fdsva, d.da_dq, d.da_dv);
        chain_rule(model, q, v, tau);
        add(fdcr, chain_rule.da_dq, chain_rule.da_dv);
        articulated(model, q, v, tau);
        add(abacr, articulated.da_dq, articulated.da_dv);
        forward.of_aba(model, q, v, tau);
        add(forward_difference, forward.along_q, forward.along_v);
        central.of_aba(model, q, v, tau);
        add(central_difference, central.along_q, central.along_v);
      }
      size.push_back(n);
      for (int m = 0; m < methods; ++m) error[m].push_back(std::exp(log_error[m]));
    }
  }

  PowerLaw fit(Method m) const { return fit_power_law(size, error[m]); }
  /// The largest factor between an error and the fit.
  double deviation(Method m) const {
    const PowerLaw law = fit(m);
    double worst = 1;
    for (std::size_t i = 0; i < size.size(); ++i) {
      const double ratio = error[m][i] / (law.scale * std::pow(size[i], law.order));
      worst = std::max({worst, ratio, 1 / ratio});
    }
    return worst;
  }

  std::vector<double> size, error[methods];
};

}  // namespace paper
