#include <Eigen/Cholesky>
#include <complex>

#include "corio/corio.hpp"
#include "support/compiled.hpp"
#include "trials/newton.hpp"
#include "trials/robots.hpp"
#include "trials/trees.hpp"

namespace corio::trials {
namespace {

using Real = Newton::Real;
using Reals = Newton::Reals;
using RealMatrix = Newton::RealMatrix;
using Complex = std::complex<double>;

/// Allow some tens of roundings on each of some ten bodies; a wrong term is of order one, or of the share that the body
/// has in the robot.
constexpr double rounding = 5e-14;
/// This is the tolerance of functions that eliminate, in which rounding errors grow with the number of degrees of
/// freedom.
constexpr double elimination = 1e-11;

/// Returns the largest |x_i| / scale_i.
double largest(const RealMatrix& x, const RealMatrix& scale) {
  Real worst = 0;
  for (Eigen::Index j = 0; j < x.cols(); ++j)
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      if (x(i, j) == 0) continue;
      const Real ratio = std::abs(x(i, j)) / scale(i, j);
      if (!(ratio <= worst)) worst = ratio;
    }
  return static_cast<double>(worst);
}

double error(const Matrix& x, const Matrix& reference, const RealMatrix& scale) {
  return largest(x.cast<Real>() - reference.cast<Real>(), scale);
}

/// Returns whether M is singular up to rounding, as if joints allow the same motion in slightly other directions: the
/// inverse is then meaningless.
bool is_singular(const Reals& S, const Matrix& inverse) {
  return S.cwiseAbs2().cwiseProduct(inverse.diagonal().cast<Real>().cwiseAbs()).maxCoeff() > 1e12L;
}

/// Returns the terms of the sums in M M^-1, with the accuracy of M^-1 relative to its diagonal, as for a symmetric
/// matrix.
RealMatrix terms_of_unit(const Reals& S, const Matrix& inverse) {
  const Reals root = inverse.diagonal().cast<Real>().cwiseAbs().cwiseSqrt();
  return S * root.transpose() * S.dot(root) + RealMatrix::Identity(S.size(), S.size());
}

}  // namespace

void tree_dynamics(Random& random, Figures& figures) {
  const Robot robot = random_robot(random);
  const auto& model = robot.model;
  const auto& q = robot.q;
  const auto& v = robot.v;
  const auto& a = robot.a;
  figures.set_robot(model, q);
  const Newton newton(model, q);
  Data<double> data(model);
  const Reals& S = newton.sizes();
  const Reals none = Reals::Zero(model.nv());
  const Vector zero = Vector::Zero(model.nv());

  const RealMatrix M = newton.mass_matrix();
  const RealMatrix SS = S * S.transpose();
  figures.note("crba", largest(crba<double>(model, data, q).cast<Real>() - M, SS), rounding);

  const RealMatrix effort = S * newton.effort(v, a), bias_effort = S * newton.effort(v, zero);
  const Reals tau = newton.inverse_dynamics(v, a), bias = newton.inverse_dynamics(v, zero);
  const Reals gravity = newton.inverse_dynamics(zero, zero);
  figures.note("rnea", largest(rnea<double>(model, data, q, v, a).cast<Real>() - tau, effort), rounding);
  figures.note("nonlinear_effects",
               largest(nonlinear_effects<double>(model, data, q, v).cast<Real>() - bias, bias_effort), rounding);
  figures.note("generalized_gravity",
               largest(generalized_gravity<double>(model, data, q).cast<Real>() - gravity, S * newton.weight()),
               rounding);

  const auto& [C, M_of_C, Mdot] = coriolis_matrix(model, data, q, v);
  figures.note("coriolis_matrix, C v + g", largest(C.cast<Real>() * v.cast<Real>() + gravity - bias, bias_effort),
               rounding);
  figures.note("coriolis_matrix, M", largest(M_of_C.cast<Real>() - M, SS), rounding);
  figures.note("coriolis_matrix, dM/dt = C + C^T", error(C + C.transpose(), Mdot, newton.efforts_of_Mdot(v)), rounding);
  const auto complex = model.cast<Complex>();
  Data<Complex> complex_data(complex);
  constexpr double h = 1e-40;
  const auto moved = [&](const Vector& direction) -> VectorX<Complex> {
    return integrate<Complex>(complex, q.cast<Complex>(), direction.cast<Complex>() * std::complex(0.0, h));
  };
  figures.note("dM/dt",
               error(Mdot, crba<Complex>(complex, complex_data, moved(v)).imag() / h, newton.efforts_of_Mdot(v)),
               rounding);
  figures.note("coriolis_product",
               error(coriolis_product(model, data, q, v, a), C * a,
                     2 * S * (newton.turn(v) * newton.pace(a) + newton.turn(a) * newton.pace(v))),
               rounding);
  figures.note("coriolis_transpose_product",
               error(coriolis_transpose_product(model, data, q, v, v), C.transpose() * v,
                     newton.efforts_of_C(v).transpose() * v.cast<Real>().cwiseAbs()),
               rounding);

  // Compares aba through the forces that its acceleration needs.
  const Vector drive = tau.cast<double>();
  const Vector found = aba<double>(model, data, q, v, drive);
  Reals left = M * found.cast<Real>() + bias - drive.cast<Real>();
  const Reals scale =
      S * (newton.effort(v, zero) + S.dot(found.cast<Real>().cwiseAbs())) + drive.cast<Real>().cwiseAbs();
  figures.note("aba", largest(left, scale), elimination);
  const Matrix inverse = mass_matrix_inverse<double>(model, data, q);
  const RealMatrix unit = M * inverse.cast<Real>() - RealMatrix::Identity(model.nv(), model.nv());
  const RealMatrix of_terms = terms_of_unit(S, inverse);
  if (is_singular(S, inverse)) return figures.skip("M is singular to rounding");
  figures.note("mass_matrix_inverse", largest(unit, of_terms), elimination);

  const auto relative = [](Real x, Real y, Real size) {
    return static_cast<double>(size == 0 ? std::abs(x - y) : std::abs(x - y) / size);
  };
  const Real pace = newton.pace(v);
  figures.note("kinetic_energy",
               relative(kinetic_energy<double>(model, data, q, v), newton.kinetic_energy(v), pace * pace), rounding);
  const auto& momentum = generalized_momentum<double>(model, data, q, v);
  const Reals p = M * v.cast<Real>();
  figures.note("generalized_momentum", largest(momentum.p.cast<Real>() - p, S * pace), rounding);
  const Reals drift = C.transpose().cast<Real>() * v.cast<Real>() - gravity;
  figures.note("generalized_momentum, rate", largest(momentum.drift.cast<Real>() - drift, bias_effort), rounding);

  // Compares the momentum of all bodies, whose linear part needs no reference point.
  const auto sum = newton.momentum(v);
  Real mass = 0;
  for (int b = 0; b < model.num_nodes(); ++b) mass += static_cast<Real>(Inertia<double>(model.node(b).inertia).mass);
  if (mass > 0) {
    const Force<double> centroidal = centroidal_momentum<double>(model, data, q, v);
    figures.note("centroidal_momentum",
                 relative((centroidal.force.cast<Real>() - sum.tail<3>()).norm(), 0, std::sqrt(mass) * pace), rounding);
  }
}

void tree_derivatives(Random& random, Figures& figures) {
  const Robot robot = random_robot(random, {.bodies = 10, .mixed = 1});
  const auto& model = robot.model;
  const auto& q = robot.q;
  const auto& v = robot.v;
  const auto& a = robot.a;
  figures.set_robot(model, q);
  const Newton newton(model, q);
  Data<double> data(model);
  const Reals& S = newton.sizes();
  const int n = model.nv();
  const Vector zero = Vector::Zero(n);
  const Vector tau = rnea<double>(model, data, q, v, a);

  const auto complex = model.cast<Complex>();
  Data<Complex> complex_data(complex);
  constexpr double h = 1e-40;
  const VectorX<Complex> vc = v.cast<Complex>(), ac = a.cast<Complex>();
  const auto along = [&](int k) -> VectorX<Complex> {
    VectorX<Complex> step = VectorX<Complex>::Zero(n);
    step[k] = {0.0, h};
    return step;
  };
  // If a massless body moves, exact zeros are compared with rounding errors of the step in its row.
  const auto of_step = [&](const RealMatrix& scale) -> RealMatrix {
    return scale + 1e-2L * scale.rowwise().maxCoeff() * Reals::Ones(n).transpose();
  };
  Matrix by_q(n, n), by_v(n, n), gravity_by_q(n, n);
  std::vector<Matrix> M_by_q;
  for (int k = 0; k < n; ++k) {
    const VectorX<Complex> moved = integrate<Complex>(complex, q.cast<Complex>(), along(k));
    by_q.col(k) = rnea<Complex>(complex, complex_data, moved, vc, ac).imag() / h;
    gravity_by_q.col(k) = generalized_gravity<Complex>(complex, complex_data, moved).imag() / h;
    M_by_q.push_back(crba<Complex>(complex, complex_data, moved).imag() / h);
    const VectorX<Complex> faster = vc + along(k);
    by_v.col(k) = rnea<Complex>(complex, complex_data, q.cast<Complex>(), faster, ac).imag() / h;
  }
  {
    const auto& found = inverse_dynamics_derivatives<double>(model, data, q, v, a);
    figures.note("dtau/dq", error(found.dtau_dq, by_q, of_step(newton.efforts_by_q(v, a))), rounding);
    figures.note("dtau/dv", error(found.dtau_dv, by_v, newton.efforts_by_v(v)), rounding);
    figures.note("dtau/da", error(found.M, crba<double>(model, data, q), S * S.transpose()), rounding);
  }
  figures.note(
      "dg/dq",
      error(gravity_derivatives<double>(model, data, q), gravity_by_q, of_step(newton.efforts_by_q(zero, zero))),
      rounding);
  {
    // Derivatives of accelerations are compared by the forces that they need: M da/dq = -dtau/dq.
    const auto& found = forward_dynamics_derivatives<double>(model, data, q, v, tau);
    const Matrix M = crba<double>(model, data, q);
    // Takes the acceleration that the forces give, which has rounding errors of its own where M is near singular.
    const Vector of_forces = aba<double>(model, data, q, v, tau);
    Matrix at_forces(n, n);
    for (int k = 0; k < n; ++k) {
      const VectorX<Complex> moved = integrate<Complex>(complex, q.cast<Complex>(), along(k));
      at_forces.col(k) = rnea<Complex>(complex, complex_data, moved, vc, of_forces.cast<Complex>()).imag() / h;
    }
    // Both results are products with M^-1, whose rounding errors enter.
    const RealMatrix unit = terms_of_unit(S, found.da_dtau);
    const auto check = [&](const char* name, const Matrix& x, const Matrix& needed, const RealMatrix& size) {
      const RealMatrix left = M.cast<Real>() * x.cast<Real>() - needed.cast<Real>();
      figures.note(name, largest(left, unit * size), elimination);
    };
    if (is_singular(S, found.da_dtau)) return figures.skip("M is singular to rounding");
    check("M da/dq", found.da_dq, -at_forces, newton.efforts_by_q(v, of_forces));
    check("M da/dv", found.da_dv, -by_v, newton.efforts_by_v(v));
    check("M da/dtau", found.da_dtau, Matrix::Identity(n, n), RealMatrix::Identity(n, n));
  }
  // Compares Christoffel's symbols with C of each unit speed, and with differences of derivatives of M where v is
  // dq/dt.
  ChristoffelTensor<double> tensor(model);
  christoffel_symbols<double>(model, data, q, tensor);
  Matrix contracted = Matrix::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) contracted(i, j) += tensor(i, j, k) * v[k];
  figures.note("Christoffel symbols", error(contracted, coriolis_matrix(model, data, q, v).C, newton.efforts_of_C(v)),
               rounding);
  // Compares dM/dt with the sum of v_k times the derivative of M along degree of freedom k.
  Matrix rate = Matrix::Zero(n, n);
  for (int k = 0; k < n; ++k) rate += v[k] * M_by_q[static_cast<std::size_t>(k)];
  figures.note("dM/dt", error(mass_matrix_dot<double>(model, data, q, v), rate, newton.efforts_of_Mdot(v)), rounding);
}

void tree_regressors(Random& random, Figures& figures) {
  const Robot robot = random_robot(random);
  const auto& model = robot.model;
  const auto& q = robot.q;
  const auto& v = robot.v;
  const auto& a = robot.a;
  figures.set_robot(model, q);
  const Newton newton(model, q);
  Data<double> data(model);
  const Vector pi = inertial_parameters(model);
  const Vector zero = Vector::Zero(model.nv());
  Matrix Y(model.nv(), pi.size());
  const Reals& S = newton.sizes();
  const auto armature = [&](const Vector& x) -> Reals {
    return model.armature().cast<Real>().cwiseProduct(x.cast<Real>());
  };
  // A row of Y pi sums moments about the bodies' own frames, which may cancel where their centres are far from these.
  const auto check = [&](const char* name, const Reals& reference, Real size) {
    const Reals found = Y.cast<Real>() * pi.cast<Real>();
    const Reals terms = Y.cast<Real>().cwiseAbs() * pi.cast<Real>().cwiseAbs();
    figures.note(name, largest(found - reference, terms + S * size), rounding);
  };
  inverse_dynamics_regressor<double>(model, data, q, v, a, Y);
  check("inverse_dynamics_regressor", newton.inverse_dynamics(v, a) - armature(a), newton.effort(v, a));
  momentum_regressor<double>(model, data, q, v, Y);
  check("momentum_regressor", newton.mass_matrix() * v.cast<Real>() - armature(v), newton.pace(v));
  gravity_regressor<double>(model, data, q, Y);
  check("gravity_regressor", newton.inverse_dynamics(zero, zero), newton.weight());
  slotine_li_regressor<double>(model, data, q, v, v, a, Y);
  check("slotine_li_regressor", newton.inverse_dynamics(v, a) - armature(a), newton.effort(v, a));
}

}  // namespace corio::trials
