#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/algorithms/geometry/coordinates.hpp"
#include "corio/joints/composite.hpp"
#include "corio/joints/euler_angles.hpp"
#include "corio/joints/exponential_coordinates.hpp"
#include "corio/joints/free_flyer.hpp"
#include "corio/model/joint_geometry.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"
#include "support/user_joints.hpp"

/// Makes trees with ball joints and floating bases in other coordinates or speeds, beside the same trees on Spherical
/// and FreeFlyer.
namespace corio::test {

/// The joints whose axes move in the body.
using MovingAxes = std::tuple<joint::SphericalExp, joint::SphericalInParentAxes, joint::FreeFlyerInParentAxes>;

/// Calls f(SphericalEuler) once for each of the twelve sequences.
template <class F>
void for_each_sequence(F&& f) {
  using joint::SphericalEuler;
  f(SphericalEuler<'x', 'y', 'z'>()), f(SphericalEuler<'y', 'z', 'x'>()), f(SphericalEuler<'z', 'x', 'y'>());
  f(SphericalEuler<'x', 'z', 'y'>()), f(SphericalEuler<'z', 'y', 'x'>()), f(SphericalEuler<'y', 'x', 'z'>());
  f(SphericalEuler<'x', 'y', 'x'>()), f(SphericalEuler<'y', 'z', 'y'>()), f(SphericalEuler<'z', 'x', 'z'>());
  f(SphericalEuler<'x', 'z', 'x'>()), f(SphericalEuler<'z', 'y', 'z'>()), f(SphericalEuler<'y', 'x', 'y'>());
}

/// Makes one user's joint of a chain of primitive joints: its columns move in the body.
template <class Chain>
struct OnePiece : joint::VectorSpace<std::string_view(Chain::type).starts_with("spherical") ? 3 : 6> {
  static constexpr const char* type = Chain::type;

  Pose<double> compose(const Pose<double>& A, const double* q) const {
    return pass(A, q, [](auto&&...) {});
  }
  void columns(const Pose<double>& X, const double* q, Motion<double>* phi) const {
    const Pose<double> T = compose(Pose<double>::identity(), q);
    pass(X * T.inverse(), q,
         [&](int v, const joint::PrimitiveJoint<double>& cell, const Pose<double>& at, const double* own) {
           cell.columns(at, own, phi + v);
         });
  }
  /// Computes the rates of a column in the child: the column moves with the body of its own primitive joint.
  void column_rates(const Pose<double>& X, const double* q, const double* nu, Motion<double>* rates) const {
    Motion<double> phi[6], twist[7] = {Motion<double>::zero()};
    columns(X, q, phi);
    for (int k = 0; k < this->nv; ++k) twist[k + 1] = twist[k] + phi[k] * nu[k];
    const Pose<double> T = compose(Pose<double>::identity(), q);
    pass(X * T.inverse(), q,
         [&](int v, const joint::PrimitiveJoint<double>& cell, const Pose<double>& at, const double* own) {
           Motion<double> change[6];
           for (auto& x : change) x = Motion<double>::zero();
           if (cell.has_column_rates()) cell.custom()->column_rates(at, own, nu + v, change);
           for (int k = v; k < v + cell.nv(); ++k)
             rates[k] = cross(twist[v + cell.nv()] - twist[this->nv], phi[k]) + change[k - v];
         });
  }

 private:
  template <class F>
  static Pose<double> pass(Pose<double> X, const double* q, F&& at_cell) {
    const joint::JointSpec<double> any{Chain()};
    int v = 0;
    for (const auto& link : any.chain) {
      X = link.joint.compose({X.rotation * link.axes, X.translation}, q + v);
      at_cell(v, link.joint, X, q + v);
      v += link.joint.nv();
    }
    return {X.rotation * any.tail, X.translation};
  }
};

struct Parametrisation {
  std::string name;
  Model<double> model, reference;
  Model<Complex> complex, complex_reference;
};

inline Parametrisation parametrisation(const joint::JointSpec<double>& joint,
                                       const joint::JointSpec<Complex>& complex) {
  const bool ball = tree_on<double>(joint).joint("middle_joint").nv() == 3;
  const auto reference =
      ball ? joint::JointSpec<double>(joint::Spherical()) : joint::JointSpec<double>(joint::FreeFlyer());
  const Model<double> model = tree_on<double>(joint), other = tree_on<double>(reference);
  return {joint.type, model, other, tree_on<Complex>(complex), other.cast<Complex>()};
}

inline const std::vector<Parametrisation>& parametrisations() {
  static const std::vector<Parametrisation> all = [] {
    std::vector<Parametrisation> list;
    const auto add = [&](const auto& joint) { list.push_back(parametrisation(joint, joint)); };
    for_each_sequence(add);
    add(joint::SphericalExp());
    add(joint::SphericalInParentAxes());
    add(joint::FreeFlyerInParentAxes());
    add(joint::FreeFlyerEuler<'z', 'y', 'x'>());
    add(joint::FreeFlyerEuler<'x', 'y', 'x'>());
    add(joint::FreeFlyerExp());
    list.push_back(parametrisation(joint::Composite<>{joint::Prismatic::z(), joint::SphericalInParentAxes(),
                                                      joint::Prismatic::x(), joint::Prismatic({1, 2, 0})},
                                   joint::Composite<Complex>{joint::Prismatic::z(), joint::SphericalInParentAxes(),
                                                             joint::Prismatic::x(), joint::Prismatic({1, 2, 0})}));
    return list;
  }();
  return all;
}
template <class F>
void for_each_parametrisation(F&& f) {
  for (const Parametrisation& p : parametrisations()) f(p);
}

/// Returns the map A from all speeds to the speeds of the reference, whose joint has the identity for columns. The
/// block of the joint of interest is its columns S(q) in the axes of its body about its origin.
template <class S>
MatrixX<S> speeds_of_reference(const Model<S>& model, const VectorX<S>& q) {
  Data<S> data(model);
  forward_kinematics(model, data, q);
  const auto& body = model.body("middle");
  const Joint& joint = model.joint("middle_joint");
  const Pose<S> X = data.pose[body.node()] * body.placement();
  MatrixX<S> A = MatrixX<S>::Identity(model.nv(), model.nv());
  for (int k = 0; k < joint.nv(); ++k)
    A.block(joint.v_index(), joint.v_index() + k, joint.nv(), 1) =
        X.act_inverse(data.phi[joint.v_index() + k]).vector().head(joint.nv());
  return A;
}

/// A random state of a parametrisation, and the same state of the reference.
struct Mapped {
  Mapped(const Parametrisation& of, int seed) : p(of) {
    const int n = p.model.nv();
    q = random_q(p.model, seed), v = random_vector<double>(n, seed + 50), a = random_vector<double>(n, seed + 60);
    A = speeds_of_reference(p.model, q), Adot = rate(v);
    v_ref = A * v, a_ref = A * a + Adot * v;

    const Joint& joint = p.model.joint("middle_joint");
    const Pose<double> T =
        (frame_pose(p.model, q, p.model.body("slider")) * joint_placement(p.model, joint)).inverse() *
        frame_pose(p.model, q, p.model.body("middle"));
    q_ref.resize(p.reference.nq());
    q_ref << q.head(2), Vectord::Zero(p.reference.nq() - 4), q.tail(2);
    if (joint.nv() == 3)
      q_ref.segment(2, 4) = quaternion_from_rotation(T.rotation);
    else
      q_ref.segment(2, 7) = joint::FreeFlyer::configuration(T);
  }
  /// Returns dA/dt at speeds u.
  Matrixd rate(const Vectord& u) const {
    constexpr double h = 1e-30;
    const VectorX<Complex> step = Complex(0, h) * u.cast<Complex>(), at = q.cast<Complex>();
    return speeds_of_reference(p.complex, integrate(p.complex, at, step)).imag() / h;
  }
  static EquationsOfMotion<double> equations(const Model<double>& model, const Vectord& q, const Vectord& v,
                                             const Vectord& a) {
    Data<double> data(model);
    const auto& [C, M, Mdot] = coriolis_matrix(model, data, q, v);
    return {M, C, generalized_gravity(model, data), rnea(model, data, q, v, a)};
  }
  EquationsOfMotion<double> of_joint() const { return equations(p.model, q, v, a); }
  EquationsOfMotion<double> of_reference() const {
    Matrixd work;
    EquationsOfMotion<double> to;
    change_of_coordinates(equations(p.reference, q_ref, v_ref, a_ref), A, Adot, work, to);
    return to;
  }

  const Parametrisation& p;
  Vectord q, v, a, q_ref, v_ref, a_ref;
  Matrixd A, Adot;
};

/// Takes one step of the classical Runge-Kutta method in the numbers q and v, without forces.
inline void advance(const Model<double>& model, const Model<Complex>& complex, Vectord& q, Vectord& v, double h) {
  Data<double> data(model);
  const Vectord still = Vectord::Zero(model.nv());
  struct Rate {
    Vectord q, v;
  };
  const auto rate = [&](const Vectord& at, const Vectord& speed) -> Rate {
    constexpr double tiny = 1e-30;
    const VectorX<Complex> step = Complex(0, tiny) * speed.cast<Complex>(), start = at.cast<Complex>();
    return {integrate(complex, start, step).imag() / tiny, aba(model, data, at, speed, still)};
  };
  const Rate a = rate(q, v);
  const Rate b = rate(q + h / 2 * a.q, v + h / 2 * a.v);
  const Rate c = rate(q + h / 2 * b.q, v + h / 2 * b.v);
  const Rate d = rate(q + h * c.q, v + h * c.v);
  q += h / 6 * (a.q + 2 * b.q + 2 * c.q + d.q);
  v += h / 6 * (a.v + 2 * b.v + 2 * c.v + d.v);
}

}  // namespace corio::test
