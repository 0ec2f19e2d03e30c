#pragma once

#include "contracts/calls.hpp"
#include "corio/algorithms/coriolis/coriolis_by_differentiation.hpp"
#include "corio/algorithms/derivatives/com_jacobian_derivatives.hpp"
#include "corio/algorithms/derivatives/task_derivatives.hpp"
#include "corio/algorithms/dynamics/com_decoupled.hpp"
#include "corio/algorithms/dynamics/locked_decoupled.hpp"
#include "corio/algorithms/dynamics/position_jacobian.hpp"
#include "corio/algorithms/dynamics/relative_jacobian.hpp"
#include "corio/algorithms/dynamics/subtree_com.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "corio/algorithms/geometry/hamel_equations.hpp"

/// Kinematics, the equations of motion, and the geometry behind them. In all entries m is the model, d its Data, x the
/// arguments and out what is written to.
namespace corio::test {

/// What is asked of one body, of all of them.
template <class S, class F>
void of_bodies(const Model<S>& m, Framed<S>& out, F&& column) {
  for (std::size_t b = 0; b < m.bodies().size(); ++b)
    out.out().col(static_cast<Eigen::Index>(b)) = column(m.bodies()[b]);
}
template <class S>
Eigen::Matrix<S, 12, 1> numbers_of(const Pose<S>& X) {
  Eigen::Matrix<S, 12, 1> x;
  x << X.rotation.reshaped(), X.translation;
  return x;
}

template <class S>
void add_motions_of_bodies(Table<S>& table, const char* variant, ReferenceFrame reference) {
  const auto where = [reference](auto& frame) { return FramePoint<S>(frame, reference, {S(0.1), S(-0.2), S(0.3)}); };
  const auto last = [where](auto& m) { return where(m.bodies().back()); };
  const auto twists = [](auto& m) { return Framed<S>(6, static_cast<Eigen::Index>(m.bodies().size())); };
  const auto jacobian = [](auto& m) { return Framed<S>(6, m.nv()); };
  const auto add = [&](const char* function, Pass pass, auto make, auto complete, auto reuse) {
    Operation<S>& f = table.into(function, pass, make, complete, reuse).of(variant);
    f.needs_body = true;
    return &f;
  };
  const auto add_of_last = [&](const auto&... line) { add(line...)->of_last_body = true; };

  const auto velocities = [where](auto& m, auto& d, auto&, auto& out) {
    of_bodies(m, out, [&](auto& b) { return body_velocity(m, d, where(b)).vector(); });
  };
  const auto accelerations = [where](auto& m, auto& d, auto&, auto& out) {
    of_bodies(m, out, [&](auto& b) { return body_acceleration(m, d, where(b)).vector(); });
  };
  const auto classical = [where](auto& m, auto& d, auto&, auto& out) {
    of_bodies(m, out, [&](auto& b) { return body_classical_acceleration(m, d, where(b)).vector(); });
  };
  add(
      "body_velocity", Pass::velocity, twists,
      [=](auto& m, auto& d, auto& x, auto& out) {
        forward_kinematics(m, d, x.q(), x.v());
        velocities(m, d, x, out);
      },
      velocities);
  add(
      "body_acceleration", Pass::acceleration, twists,
      [=](auto& m, auto& d, auto& x, auto& out) {
        forward_kinematics(m, d, x.q(), x.v(), x.a());
        accelerations(m, d, x, out);
      },
      accelerations);
  add(
      "body_classical_acceleration", Pass::acceleration, twists,
      [=](auto& m, auto& d, auto& x, auto& out) {
        forward_kinematics(m, d, x.q(), x.v(), x.a());
        classical(m, d, x, out);
      },
      classical);
  const auto of_last = [last](auto& m, auto& d, auto&, auto& out) {
    out.out() = body_acceleration(m, d, last(m)).vector();
  };
  Operation<S>& f = table.into(
      "body_acceleration", Pass::acceleration, [](auto&) { return Framed<S>(6, 1); },
      [=](auto& m, auto& d, auto& x, auto& out) {
        of_last(m, body_kinematics(m, d, x.q(), x.v(), x.a(), last(m)), x, out);
      },
      of_last);
  f.of(std::string(variant) + ", body_kinematics");
  f.needs_body = f.of_last_body = true;
  add_of_last(
      "body_jacobian", Pass::position, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_jacobian(m, d, x.q(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_jacobian(m, d, last(m), out.out()); });
  add_of_last(
      "body_jacobian_dot", Pass::velocity, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_jacobian_dot(m, d, x.q(), x.v(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_jacobian_dot(m, d, last(m), out.out()); });
  const auto position_jacobian = [](auto& m) { return Framed<S>(3, m.nv()); };
  add_of_last(
      "body_position_jacobian", Pass::position, position_jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_position_jacobian(m, d, x.q(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_position_jacobian(m, d, last(m), out.out()); });
  add_of_last(
      "body_position_jacobian_dot", Pass::velocity, position_jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_position_jacobian_dot(m, d, x.q(), x.v(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_position_jacobian_dot(m, d, last(m), out.out()); });
  // Against the first body.
  const auto first = [](auto& m) { return FramePoint<S>(m.bodies()[m.bodies().size() / 3]); };
  add(
      "relative_velocity", Pass::velocity, [](auto&) { return Framed<S>(6, 1); },
      [=](auto& m, auto& d, auto& x, auto& out) {
        forward_kinematics(m, d, x.q(), x.v());
        out.out() = relative_velocity(m, d, first(m), last(m)).vector();
      },
      [=](auto& m, auto& d, auto&, auto& out) { out.out() = relative_velocity(m, d, first(m), last(m)).vector(); });
  add(
      "relative_jacobian", Pass::position, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { relative_jacobian(m, d, x.q(), first(m), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { relative_jacobian(m, d, first(m), last(m), out.out()); });
  add(
      "relative_jacobian_dot", Pass::velocity, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) {
        relative_jacobian_dot(m, d, x.q(), x.v(), first(m), last(m), out.out());
      },
      [=](auto& m, auto& d, auto&, auto& out) { relative_jacobian_dot(m, d, first(m), last(m), out.out()); });
  add_of_last(
      "body_jacobian_ddot", Pass::acceleration, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_jacobian_ddot(m, d, x.q(), x.v(), x.a(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_jacobian_ddot(m, d, last(m), out.out()); });
  add_of_last(
      "body_velocity_derivatives", Pass::velocity, jacobian,
      [=](auto& m, auto& d, auto& x, auto& out) { body_velocity_derivatives(m, d, x.q(), x.v(), last(m), out.out()); },
      [=](auto& m, auto& d, auto&, auto& out) { body_velocity_derivatives(m, d, last(m), out.out()); });
  add_of_last(
      "body_acceleration_derivatives", Pass::acceleration, [](auto& m) { return Framed<S>(12, m.nv()); },
      [=](auto& m, auto& d, auto& x, auto& out) {
        auto both = out.out();
        body_acceleration_derivatives(m, d, x.q(), x.v(), x.a(), last(m), both.topRows(6), both.bottomRows(6));
      },
      [=](auto& m, auto& d, auto&, auto& out) {
        auto both = out.out();
        body_acceleration_derivatives(m, d, last(m), both.topRows(6), both.bottomRows(6));
      });
  add_of_last(
      "body_jacobian_derivatives", Pass::position, [](auto& m) { return JacobianDerivatives<S>(m); },
      [=](auto& m, auto& d, auto& x, auto& out) { body_jacobian_derivatives(m, d, x.q(), last(m), out); },
      [=](auto& m, auto& d, auto&, auto& out) { body_jacobian_derivatives(m, d, last(m), out); });
}

template <class S>
void add_kinematics(Table<S>& table) {
  const auto poses = [](auto& m, auto& d, auto&, auto& out) {
    of_bodies(m, out, [&](auto& b) { return numbers_of(body_pose(m, d, b)); });
  };
  table
      .into(
          "body_pose", Pass::position,
          [](auto& m) { return Framed<S>(12, static_cast<Eigen::Index>(m.bodies().size())); },
          [=](auto& m, auto& d, auto& x, auto& out) { forward_kinematics(m, d, x.q()), poses(m, d, x, out); }, poses)
      .needs_body = true;
  const auto relative = [](auto& m, auto& d, auto&, auto& out) {
    const Frame<S>& first = m.bodies().front();
    of_bodies(m, out, [&](auto& b) { return numbers_of(relative_pose(m, d, first, b)); });
  };
  table
      .into(
          "relative_pose", Pass::position,
          [](auto& m) { return Framed<S>(12, static_cast<Eigen::Index>(m.bodies().size())); },
          [=](auto& m, auto& d, auto& x, auto& out) { forward_kinematics(m, d, x.q()), relative(m, d, x, out); },
          relative)
      .needs_body = true;
  add_motions_of_bodies(table, "world", ReferenceFrame::world);
  add_motions_of_bodies(table, "body", ReferenceFrame::body);
  add_motions_of_bodies(table, "world_aligned", ReferenceFrame::world_aligned);

  const auto add = [&](const char* function, Pass pass, auto complete, auto reuse) {
    table.add(function, pass, complete, reuse).needs_body = true;
  };
  add(
      "center_of_mass", Pass::position, [](auto& m, auto& d, auto& x) { return center_of_mass(m, d, x.q()); },
      [](auto& m, auto& d, auto&) { return center_of_mass(m, d); });
  add(
      "center_of_mass_velocity", Pass::velocity,
      [](auto& m, auto& d, auto& x) { return center_of_mass_velocity(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) { return center_of_mass_velocity(m, d); });
  add(
      "center_of_mass_acceleration", Pass::acceleration,
      [](auto& m, auto& d, auto& x) { return center_of_mass_acceleration(m, d, x.q(), x.v(), x.a()); },
      [](auto& m, auto& d, auto&) { return center_of_mass_acceleration(m, d); });
  add(
      "com_jacobian", Pass::position, [](auto& m, auto& d, auto& x) -> auto& { return com_jacobian(m, d, x.q()); },
      [](auto& m, auto& d, auto&) -> auto& { return com_jacobian(m, d); });
  add(
      "com_jacobian_dot", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return com_jacobian_dot(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return com_jacobian_dot(m, d); });
  add(
      "com_jacobian_ddot", Pass::acceleration,
      [](auto& m, auto& d, auto& x) -> auto& { return com_jacobian_ddot(m, d, x.q(), x.v(), x.a()); },
      [](auto& m, auto& d, auto&) -> auto& { return com_jacobian_ddot(m, d); });
  const auto into = [&](const char* function, auto make, auto of) {
    table
        .into(
            function, Pass::position, make,
            [of](auto& m, auto& d, auto& x, auto& out) { forward_kinematics(m, d, x.q()), of(m, d, out); },
            [of](auto& m, auto& d, auto&, auto& out) { of(m, d, out); })
        .needs_body = true;
  };
  const auto count = [](auto& m) { return static_cast<Eigen::Index>(m.bodies().size()); };
  into(
      "subtree_center_of_mass", [](auto&) { return Framed<S>(3, 1); },
      [](auto& m, auto& d, auto& out) { out.out() = subtree_center_of_mass(m, d, m.bodies().front()); });
  into(
      "subtree_centers_of_mass", [=](auto& m) { return Framed<S>(3, count(m)); },
      [](auto& m, auto& d, auto& out) { subtree_centers_of_mass(m, d, out.out()); });
  into(
      "subtree_com_jacobian", [](auto& m) { return Framed<S>(3, m.nv()); },
      [](auto& m, auto& d, auto& out) { subtree_com_jacobian(m, d, m.bodies().front(), out.out()); });
  into(
      "subtree_com_jacobians", [=](auto& m) { return Framed<S>(3 * count(m), m.nv()); },
      [](auto& m, auto& d, auto& out) { subtree_com_jacobians(m, d, out.out()); });
  add(
      "centroidal_momentum_derivatives", Pass::acceleration,
      [](auto& m, auto& d, auto& x) -> auto& { return centroidal_momentum_derivatives(m, d, x.q(), x.v(), x.a()); },
      [](auto& m, auto& d, auto&) -> auto& { return centroidal_momentum_derivatives(m, d); });
  add(
      "centroidal_momentum_matrix", Pass::position,
      [](auto& m, auto& d, auto& x) -> auto& { return centroidal_momentum_matrix(m, d, x.q()); },
      [](auto& m, auto& d, auto&) -> auto& { return centroidal_momentum_matrix(m, d); });
  add(
      "centroidal_momentum_matrix_dot", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return centroidal_momentum_matrix_dot(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return centroidal_momentum_matrix_dot(m, d); });
  add(
      "centroidal_momentum", Pass::velocity,
      [](auto& m, auto& d, auto& x) { return centroidal_momentum(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) { return centroidal_momentum(m, d); });
  add(
      "centroidal_momentum_dot", Pass::acceleration,
      [](auto& m, auto& d, auto& x) { return centroidal_momentum_dot(m, d, x.q(), x.v(), x.a()); },
      [](auto& m, auto& d, auto&) { return centroidal_momentum_dot(m, d); });
}

template <class S, class Factorization>
void add_coriolis(Table<S>& table, const char* variant) {
  const Factorization B{};
  table
      .add(
          "coriolis_matrix",
          Pass::velocity, [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_matrix(m, d, x.q(), x.v(), B); },
          [B](auto& m, auto& d, auto&) -> auto& { return coriolis_matrix(m, d, B); })
      .of(variant);
  table
      .add(
          "coriolis_product", Pass::velocity,
          [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_product(m, d, x.q(), x.v(), x.x(), B); },
          [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_product(m, d, x.x(), B); })
      .of(variant)
      .given({"v_r"});
  table
      .add(
          "coriolis_transpose_product", Pass::velocity,
          [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_transpose_product(m, d, x.q(), x.v(), x.x(), B); },
          [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_transpose_product(m, d, x.x(), B); })
      .of(variant)
      .given({"x"});
  table
      .add(
          "slotine_li_inverse_dynamics", Pass::velocity,
          [B](auto& m, auto& d, auto& x) -> auto& {
            return slotine_li_inverse_dynamics(m, d, x.q(), x.v(), x.x(), x.y(), B);
          },
          [B](auto& m, auto& d, auto& x) -> auto& { return slotine_li_inverse_dynamics(m, d, x.x(), x.y(), B); })
      .of(variant)
      .given({"v_r", "a_r"});
  table
      .add(
          "coriolis_matrix_dot", Pass::acceleration,
          [B](auto& m, auto& d, auto& x) -> auto& { return coriolis_matrix_dot(m, d, x.q(), x.v(), x.a(), B); },
          [B](auto& m, auto& d, auto&) -> auto& { return coriolis_matrix_dot(m, d, B); })
      .of(variant);
}

/// A user's factorization, which knows B of the bodies alone.
struct UsersFactorization {
  template <class S>
  Matrix6<S> operator()(const Motion<S>& V, const Inertia<S>& I) const {
    return crf_bar(I * V);
  }
};

template <class S>
void add_dynamics(Table<S>& table) {
  table
      .add(
          "rnea", Pass::acceleration,
          [](auto& m, auto& d, auto& x) -> auto& { return rnea(m, d, x.q(), x.v(), x.a(), x.forces); },
          [](auto& m, auto& d, auto& x) -> auto& { return rnea(m, d, x.forces); })
      .under_forces();
  table.add(
      "nonlinear_effects", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return nonlinear_effects(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return nonlinear_effects(m, d); });
  table.add(
      "generalized_momentum", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return generalized_momentum(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return generalized_momentum(m, d); });
  table.add(
      "generalized_gravity", Pass::position,
      [](auto& m, auto& d, auto& x) -> auto& { return generalized_gravity(m, d, x.q()); },
      [](auto& m, auto& d, auto&) -> auto& { return generalized_gravity(m, d); });
  table.add(
      "crba", Pass::position, [](auto& m, auto& d, auto& x) -> auto& { return crba(m, d, x.q()); },
      [](auto& m, auto& d, auto&) -> auto& { return crba(m, d); });
  // Another name of it, for one result.
  table
      .add(
          "crba", Pass::position, [](auto& m, auto& d, auto& x) -> auto& { return mass_matrix(m, d, x.q()); },
          [](auto& m, auto& d, auto&) -> auto& { return mass_matrix(m, d); })
      .of("mass_matrix");
  table
      .add(
          "mass_matrix_inverse", Pass::position,
          [](auto& m, auto& d, auto& x) -> auto& { return mass_matrix_inverse(m, d, x.q()); },
          [](auto& m, auto& d, auto&) -> auto& { return mass_matrix_inverse(m, d); })
      .errors_grow(Conditioned::once);
  table
      .add(
          "mass_matrix_inverse_product", Pass::position,
          [](auto& m, auto& d, auto& x) -> auto& { return mass_matrix_inverse_product(m, d, x.q(), x.x()); },
          [](auto& m, auto& d, auto& x) -> auto& { return mass_matrix_inverse_product(m, d, x.x()); })
      .given({"x"})
      .errors_grow(Conditioned::once);
  table
      .add(
          "aba", Pass::velocity,
          [](auto& m, auto& d, auto& x) -> auto& { return aba(m, d, x.q(), x.v(), x.x(), x.forces); },
          [](auto& m, auto& d, auto& x) -> auto& { return aba(m, d, x.x(), x.forces); })
      .given({"tau"})
      .under_forces()
      .errors_grow(Conditioned::once);
  table
      .add(
          "joint_reactions", Pass::acceleration,
          [](auto& m, auto& d, auto& x) -> auto& { return joint_reactions(m, d, x.q(), x.v(), x.a(), x.forces); },
          [](auto& m, auto& d, auto& x) -> auto& { return joint_reactions(m, d, x.forces); })
      .under_forces();
  const auto pressed = [](auto& m, auto& d, auto&) {
    const Force<S> push{{S(0.3), S(-0.1), S(0.2)}, {S(0.1), S(-0.2), S(1)}};
    return center_of_pressure(m, d, ExternalForce<S>(m.bodies().back(), push, ReferenceFrame::world_aligned));
  };
  table
      .add(
          "center_of_pressure", Pass::position,
          [=](auto& m, auto& d, auto& x) { return pressed(m, forward_kinematics(m, d, x.q()), x); }, pressed)
      .needs_body = true;
  table
      .add(
          "hybrid_dynamics", Pass::velocity, [](auto& m, auto& d, auto& x) -> auto& {
            return hybrid_dynamics(m, d, x.q(), x.v(), x.x(), x.y(), x.prescribed, x.forces);
          },
          [](auto& m, auto& d, auto& x) -> auto& {
            return hybrid_dynamics(m, d, x.x(), x.y(), x.prescribed, x.forces);
          })
      .given({"a", "tau"})
      .under_forces()
      .errors_grow(Conditioned::once)
      .bounded = true;  // the force of a prescribed speed is not read
  table.add(
      "passive_forces", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return passive_forces(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return passive_forces(m, d); });
  // A spring's stiffness is the same everywhere, and friction no longer changes at infinite speed.
  table
      .add(
          "passive_force_derivatives", Pass::velocity,
          [](auto& m, auto& d, auto& x) -> auto& { return passive_force_derivatives(m, d, x.q(), x.v()); },
          [](auto& m, auto& d, auto&) -> auto& { return passive_force_derivatives(m, d); })
      .bounded = true;
  table.add(
      "mass_matrix_dot", Pass::velocity,
      [](auto& m, auto& d, auto& x) -> auto& { return mass_matrix_dot(m, d, x.q(), x.v()); },
      [](auto& m, auto& d, auto&) -> auto& { return mass_matrix_dot(m, d); });
  add_coriolis<S, factorization::Christoffel>(table, "Christoffel");
  add_coriolis<S, factorization::Plain>(table, "Plain");
  if constexpr (std::is_same_v<S, double>) add_coriolis<S, UsersFactorization>(table, "user's");
  table.add(
      "kinetic_energy", Pass::velocity,
      [](auto& m, auto& d, auto& x) { return one(kinetic_energy(m, d, x.q(), x.v())); },
      [](auto& m, auto& d, auto&) { return one(kinetic_energy(m, d)); });
  table.add(
      "potential_energy", Pass::position, [](auto& m, auto& d, auto& x) { return one(potential_energy(m, d, x.q())); },
      [](auto& m, auto& d, auto&) { return one(potential_energy(m, d)); });
}

/// Symbols of the second kind with those of the first kind that they are made from, computed elsewhere.
template <class S>
struct SecondKind {
  explicit SecondKind(const Model<S>& model) : data(model), Gamma(model) {}
  void operator()(const Model<S>& m, Data<S>& d, const Arguments<S>& x) {
    christoffel_symbols(m, data, x.q(), Gamma);
    christoffel_symbols_second_kind(m, d, Gamma, out);
  }
  Data<S> data;
  ChristoffelTensor<S> Gamma;
  Tensor3<S> out;
};
template <class S, class F>
void parts(const SecondKind<S>& x, F&& f) {
  parts(x.out, f);
}

template <class S>
void add_geometry(Table<S>& table) {
  const auto tensor = [](auto&) { return Tensor3<S>(); };
  const auto add_symbols = [&]<class T>(const char* variant, std::type_identity<T>) {
    table
        .into(
            "christoffel_symbols", Pass::position, [](auto& m) { return T(m); },
            [](auto& m, auto& d, auto& x, auto& out) { christoffel_symbols(m, d, x.q(), out); },
            [](auto& m, auto& d, auto&, auto& out) { christoffel_symbols(m, d, out); })
        .of(variant);
  };
  add_symbols("dense", std::type_identity<ChristoffelTensor<S>>());
  add_symbols("packed", std::type_identity<PackedChristoffelTensor<S>>());
  table
      .into(
          "christoffel_symbols_second_kind", Pass::position, [](auto& m) { return SecondKind<S>(m); },
          [](auto& m, auto& d, auto& x, auto& out) { forward_kinematics(m, d, x.q()), out(m, d, x); },
          [](auto& m, auto& d, auto& x, auto& out) { out(m, d, x); })
      .errors_grow(Conditioned::once);
  table.into(
      "structure_constants", Pass::position, tensor,
      [](auto& m, auto& d, auto& x, auto& out) { structure_constants(m, d, x.q(), out); },
      [](auto& m, auto& d, auto&, auto& out) { structure_constants(m, d, out); });
  table.into(
      "structure_constants_first_kind", Pass::position, tensor,
      [](auto& m, auto& d, auto& x, auto& out) { structure_constants_first_kind(m, d, x.q(), out); },
      [](auto& m, auto& d, auto&, auto& out) { structure_constants_first_kind(m, d, out); });
  table
      .add(
          "covariant_derivative", Pass::velocity,
          [](auto& m, auto& d, auto& x) -> auto& { return covariant_derivative(m, d, x.q(), x.v(), x.x(), x.y()); },
          [](auto& m, auto& d, auto& x) -> auto& { return covariant_derivative(m, d, x.x(), x.y()); })
      .given({"w", "wdot"})
      .errors_grow(Conditioned::once);
  table
      .add(
          "geodesic_residual", Pass::velocity,
          [](auto& m, auto& d, auto& x) -> auto& { return geodesic_residual(m, d, x.q(), x.v(), x.x()); },
          [](auto& m, auto& d, auto& x) -> auto& { return geodesic_residual(m, d, x.x()); })
      .given({"a"})
      .errors_grow(Conditioned::once);
  table.add(
      "hamel_equations", Pass::acceleration,
      [](auto& m, auto& d, auto& x) -> auto& { return hamel_equations(m, d, x.q(), x.v(), x.a()).tau; },
      [](auto& m, auto& d, auto&) -> auto& { return hamel_equations(m, d).tau; });
  table
      .into(
          "contorsion", Pass::position, tensor,
          [](auto& m, auto& d, auto& x, auto& out) { contorsion(m, d, x.q(), factorization::Plain{}, out); },
          [](auto& m, auto& d, auto&, auto& out) { contorsion(m, d, factorization::Plain{}, out); })
      .of("Plain");
  table.into(
      "coriolis_matrix_by_differentiation", Pass::velocity, [](auto&) { return MatrixX<S>(); },
      [](auto& m, auto& d, auto& x, auto& out) { coriolis_matrix_by_differentiation(m, d, x.q(), x.v(), out); },
      [](auto& m, auto& d, auto&, auto& out) { coriolis_matrix_by_differentiation(m, d, out); });
  table
      .into(
          "com_decoupled", Pass::velocity, [](auto& m) { return ComDecoupled<S>(m); },
          [](auto& m, auto& d, auto& x, auto& out) { com_decoupled(m, d, x.q(), x.v(), out); },
          [](auto& m, auto& d, auto&, auto& out) { com_decoupled(m, d, out); })
      .needs_floating_base = true;
  table
      .into(
          "locked_decoupled", Pass::velocity, [](auto& m) { return LockedDecoupled<S>(m); },
          [](auto& m, auto& d, auto& x, auto& out) { locked_decoupled(m, d, x.q(), x.v(), out); },
          [](auto& m, auto& d, auto&, auto& out) { locked_decoupled(m, d, out); })
      .errors_grow(Conditioned::once)
      .needs_floating_base = true;
}

}  // namespace corio::test
