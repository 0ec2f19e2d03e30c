#pragma once

#include "corio/corio.hpp"
#include "corio/model/zoo.hpp"
#include "support/dynamics_support.hpp"

/// The same random robot in the same state over several scalars.
namespace corio::test {

struct RandomRobot {
  explicit RandomRobot(int seed)
      : model(zoo::random_tree(static_cast<std::uint64_t>(seed),
                               {.floating_base = seed % 2 == 1, .armature = seed % 3 == 0})),
        data(model) {
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    Random<double> random(seed);
    q = random_configuration(model, generator);
    v = random_vector(random, model.nv());
    a = random_vector(random, model.nv());
  }
  Model<double> model;
  Data<double> data;
  Vectord q, v, a;
};

/// All results over S in one vector, back in double.
template <class S>
struct Over {
  explicit Over(const RandomRobot& r)
      : model(r.model.cast<S>()), data(model), q(r.q.cast<S>()), v(r.v.cast<S>()), a(r.a.cast<S>()) {}
  Vectord dynamics() {
    const auto real = [](const S& x) { return value_of(x); };
    const int n = model.nv();
    Vectord all(3 * n + 3 * n * n + 2);
    all.segment(0, n) = rnea(model, data, q, v, a).unaryExpr(real);
    all.segment(n, n) = nonlinear_effects(model, data).unaryExpr(real);
    all.segment(2 * n, n) = generalized_gravity(model, data).unaryExpr(real);
    const auto& [C, M, Mdot] = coriolis_matrix(model, data);
    all.segment(3 * n, n * n) = C.reshaped().unaryExpr(real);
    all.segment(3 * n + n * n, n * n) = Mdot.reshaped().unaryExpr(real);
    all.segment(3 * n + 2 * n * n, n * n) = crba(model, data).reshaped().unaryExpr(real);
    all[all.size() - 2] = value_of(kinetic_energy(model, data));
    all[all.size() - 1] = value_of(potential_energy(model, data));
    return all;
  }
  /// Jacobians of the last body with their derivatives, and centroidal quantities.
  Vectord jacobians() {
    const int n = model.nv();
    forward_kinematics(model, data, q, v, a);
    std::vector<double> all;
    const auto add = [&all](const auto& A) {
      for (Eigen::Index j = 0; j < A.cols(); ++j)
        for (Eigen::Index i = 0; i < A.rows(); ++i) all.push_back(value_of(A(i, j)));
    };
    MatrixX<S> J(6, n);
    JacobianDerivatives<S> D(model);
    for (const auto reference : {ReferenceFrame::world, ReferenceFrame::body, ReferenceFrame::world_aligned}) {
      const Where<S> where(model.bodies().back(), reference, {S(0.1), S(-0.2), S(0.3)});
      body_jacobian(model, data, where, J), add(J);
      body_jacobian_dot(model, data, where, J), add(J);
      body_jacobian_ddot(model, data, where, J), add(J);
      body_jacobian_derivatives(model, data, where, D);
      for (int l = 0; l < n; ++l) add(D.along(l));
      add(body_classical_acceleration(model, data, where).vector());
    }
    add(center_of_mass(model, data)), add(center_of_mass_velocity(model, data));
    add(center_of_mass_acceleration(model, data));
    add(com_jacobian(model, data)), add(com_jacobian_dot(model, data));
    add(centroidal_momentum_matrix(model, data)), add(centroidal_momentum_matrix_dot(model, data));
    add(centroidal_momentum(model, data).vector()), add(centroidal_momentum_dot(model, data).vector());
    return Eigen::Map<const Vectord>(all.data(), static_cast<Eigen::Index>(all.size()));
  }
  Vectord acceleration() {
    return aba(model, data, q, v, a).unaryExpr([](const S& x) { return value_of(x); });
  }
  Model<S> model;
  Data<S> data;
  VectorX<S> q, v, a;
};

}  // namespace corio::test
