#pragma once

#include "corio/algorithms/derivatives/forward_dynamics_hessian.hpp"
#include "corio/algorithms/derivatives/inverse_dynamics_second_derivatives.hpp"
#include "derivatives_cases.hpp"

/// Times for chains, and their growth, of the second derivatives, which the paper leaves to later work.
namespace paper {

class SecondOrder {
 public:
  static constexpr const char* name[] = {"dtau: dtau_dq, dtau_dv, M",     "Hessian of lambda^T tau",
                                         "da: da_dq, da_dv, M^-1",        "Hessian of lambda^T a",
                                         "all second derivatives of tau", "the same by central differences of dtau"};
  static constexpr int rows = 6;

  explicit SecondOrder(Timer& timer) {
    for (const int n : {7, 20, 50, 100}) {
      const auto w = std::make_shared<Workspace>(n);
      const auto add = [&](int row, int calls, auto f) {
        time_[row].push_back(timer.add(calls, [w, calls, f] {
          for (int i = 0; i < calls; ++i)
            f(*w, w->robot.model, w->robot.data, w->robot.states[static_cast<std::size_t>(i)]);
        }));
      };
      size_.push_back(n);
      constexpr int count = Robot::count;
      add(0, count, [](auto&, auto& m, auto& d, auto& s) { corio::inverse_dynamics_derivatives(m, d, s.q, s.v, s.a); });
      add(1, count,
          [](auto&, auto& m, auto& d, auto& s) { corio::inverse_dynamics_hessian(m, d, s.q, s.v, s.a, s.tau); });
      add(2, count,
          [](auto&, auto& m, auto& d, auto& s) { corio::forward_dynamics_derivatives(m, d, s.q, s.v, s.tau); });
      add(3, count,
          [](auto&, auto& m, auto& d, auto& s) { corio::forward_dynamics_hessian(m, d, s.q, s.v, s.tau, s.a); });
      add(4, 4, [](auto& x, auto& m, auto& d, auto& s) {
        corio::inverse_dynamics_second_derivatives(m, d, s.q, s.v, s.a, x.second);
      });
      add(5, 1, [](auto& x, auto& m, auto& d, auto& s) { x.differentiate(m, d, s); });
    }
  }

  void print(Report& report, const Timer& timer) const {
    report.print("\nSecond order: chains, time [ns]\n    N                                   ");
    for (const double n : size_) report.print(" %10.0f", n);
    report.print("   ~ N^b\n");
    for (int row = 0; row < rows; ++row) {
      std::vector<double> t;
      for (const std::size_t at : time_[row]) t.push_back(1000 * timer.microseconds(at));
      report.print("  %-41s", name[row]);
      for (const double x : t) report.print(" %10.0f", x);
      report.print("   %5.2f\n", fit_power_law(size_, t).order);
    }
    report.print("  The tensors have 4 N^3 entries; the Hessians are what an optimiser needs of them.\n");
  }

 private:
  struct Workspace {
    explicit Workspace(int n) : robot(corio::zoo::serial_chain(n)), second(robot.model), q(n), v(n) {}

    /// Differentiates along q and v, and writes the derivatives to the pages of the last index.
    void differentiate(const Model& model, corio::Data<double>& data, const Robot::State& s) {
      constexpr double h = 6e-6;
      const int n = model.nv();
      for (int l = 0; l < n; ++l)
        for (const double sign : {1.0, -1.0}) {
          const double scale = sign / (2 * h);
          const auto add = [&](corio::Tensor3<double>& T, const Eigen::MatrixXd& D) {
            for (int j = 0; j < n; ++j)
              for (int i = 0; i < n; ++i) T(i, j, l) = (sign > 0 ? 0 : T(i, j, l)) + scale * D(i, j);
          };
          q = s.q, v = s.v;
          q[l] += sign * h;
          const auto& along_q = corio::inverse_dynamics_derivatives(model, data, q, v, s.a);
          add(second.d2tau_dqdq, along_q.dtau_dq);
          add(second.d2tau_dvdq, along_q.dtau_dv);
          add(second.dM_dq, along_q.M);
          v[l] += sign * h;
          add(second.d2tau_dvdv, corio::inverse_dynamics_derivatives(model, data, s.q, v, s.a).dtau_dv);
        }
    }

    Robot robot;
    corio::InverseDynamicsSecondDerivativesResult<double> second;
    Eigen::VectorXd q, v;
  };

  std::vector<double> size_;
  std::vector<std::size_t> time_[rows];
};

}  // namespace paper
