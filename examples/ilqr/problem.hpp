#pragma once

#include <Eigen/Dense>

/// Optimal control in discrete time: minimise  sum_t l(x_t, u_t) + l_N(x_N)  over u, where x_t+1 = f(x_t, u_t).
namespace ilqr {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// First and second derivatives of a cost. The derivatives with respect to u are empty for the final cost.
struct CostDerivatives {
  Vector lx, lu;
  Matrix lxx, lux, luu;
};

/// Second derivatives of a scalar.
struct Curvature {
  Matrix xx, ux, uu;
};

/// The interface of a problem to the solver. States may be points of a manifold: derivatives with respect to x, and
/// differences of states, are in its tangent space.
class Problem {
 public:
  virtual ~Problem() = default;

  virtual int steps() const = 0;                // N
  virtual int num_controls() const = 0;         // size of u
  virtual int num_tangent() const = 0;          // size of a difference of two states
  virtual Vector initial_state() const = 0;     // x_0
  virtual Vector first_guess(int t) const = 0;  // guess of u_t

  /// x (+) dx, and the dx with x (+) dx = y.
  virtual Vector moved(const Vector& x, const Vector& dx) const = 0;
  virtual Vector difference(const Vector& x, const Vector& y) const = 0;

  /// f(x, u), and its derivatives A = df/dx, B = df/du.
  virtual Vector step(const Vector& x, const Vector& u) = 0;
  virtual void linearize(const Vector& x, const Vector& u, Matrix& A, Matrix& B) = 0;
  /// Second derivatives of Vx . f(x, u).
  virtual Curvature curvature(const Vector& x, const Vector& u, const Vector& Vx) = 0;

  virtual double cost(const Vector& x, const Vector& u) = 0;
  virtual double final_cost(const Vector& x) = 0;
  virtual CostDerivatives expand_cost(const Vector& x, const Vector& u) = 0;
  virtual CostDerivatives expand_final_cost(const Vector& x) = 0;
};

}  // namespace ilqr
