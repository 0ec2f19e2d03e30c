#include "trials/newton.hpp"

#include <cmath>

#include "corio/corio.hpp"
#include "support/user_joints.hpp"

namespace corio::trials {
namespace {

using Real = Newton::Real;
using Jet = Newton::Jet;

/// Calls f(joint) with the joint of a node as a class whose members are templates on the scalar, which the model has
/// hidden for joints that are not among its primitive ones.
template <class F>
void visit(const Model<double>& model, int b, F&& f) {
  const std::string type = model.joint_of_node(b).type();
  model.node(b).joint.visit([&]<class J>(const J& joint) {
    if constexpr (requires(Jet * x) { joint.neutral(x); }) {
      f(joint);
    } else {
      if (type == test::Cam::type) return f(test::Cam(0.3));
      if (type == test::EulerZyx::type) return f(test::EulerZyx());
      if (type == test::ParentBall::type) return f(test::ParentBall());
      if (type == joint::SphericalInParentAxes::type) return f(joint::SphericalInParentAxes());
      if (type == joint::FreeFlyerInParentAxes::type) return f(joint::FreeFlyerInParentAxes());
      if (type == joint::SphericalExp::type || type == joint::FreeFlyerExp::type) return f(joint::SphericalExp());
      throw std::logic_error("Newton does not know the joint type " + type);
    }
  });
}

/// A relation may be a function of the dual numbers of Loops; the second derivative along a line is found with these
/// numbers.
Jet relation(const Loops<double>::Loop& loop, const std::vector<Jet>& x) {
  using Inner = Loops<double>::RelatedScalar;
  Loops<double>::Related at(static_cast<Eigen::Index>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto to = [](Real r) { return static_cast<double>(r); };
    const Dual<double> value(to(x[i].x.x), to(x[i].x.dx)), rate(to(x[i].dx.x), to(x[i].dx.dx));
    at[static_cast<Eigen::Index>(i)] = Inner(Dual<Dual<double>>(value, rate));
  }
  const Inner y = loop.relation(at);
  return {{y.x.x.x, y.x.x.dx}, {y.x.dx.x, y.x.dx.dx}};
}

}  // namespace

Newton::Newton(const Model<double>& model, const Vector& q) : model_(model), q_(q) {
  const int n = model.num_nodes();
  gravity_.setZero();
  gravity_.block<3, 1>(0, 3) = model.gravity().cast<Real>();
  for (int b = 0; b < n; ++b) {
    const Inertia<Real> I = Inertia<double>(model.node(b).inertia).cast<Real>();
    Square J;
    J << I.sigma.matrix(), I.h, I.h.transpose(), I.mass;
    J_.push_back(J);
  }
  for (int k = 0; k < model.nv(); ++k) {
    VectorX<Jet> step = VectorX<Jet>::Constant(model.nv(), Jet(0));
    step[k].x.dx = 1;
    const Poses X = poses(step);
    E_.emplace_back();
    for (const auto& pose : X) E_.back().push_back(part(pose, 1));
    if (k == 0)
      for (const auto& pose : X) X_.push_back(part(pose, 0));
  }

  sizes_ = turns_ = Reals::Zero(model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    for (int b = 0; b < n; ++b) {
      const Square& E = E_[static_cast<std::size_t>(k)][static_cast<std::size_t>(b)];
      const Square& X = X_[static_cast<std::size_t>(b)];
      const Square& J = J_[static_cast<std::size_t>(b)];
      // Computes the turn, as seen in the world, and the distance of the body from the base of its tree.
      const Real turn = E.block<3, 3>(0, 0).norm();
      turns_[k] = std::max(turns_[k], turn);
      const int base = std::max(0, model.node(b).base);
      const Real far = (X.block<3, 1>(0, 3) - X_[static_cast<std::size_t>(base)].block<3, 1>(0, 3)).norm();
      // The place of a joint above the base is found by a difference of places in the world.
      const Real above = model.node_of(k) < base ? X.block<3, 1>(0, 3).norm() : 0;
      const Real velocity = E.block<3, 1>(0, 3).norm() + turn * (2 * far + above);
      sizes_[k] += J(3, 3) * velocity * velocity + turn * turn * J.block<3, 3>(0, 0).trace();
    }
    sizes_[k] = std::sqrt(sizes_[k] + static_cast<Real>(model.armature()[k]));
  }
}

Newton::Poses Newton::poses(const VectorX<Jet>& step) const {
  Poses all;
  for (int b = 0; b < model_.num_nodes(); ++b) {
    const auto& node = model_.node(b);
    Pose<Jet> frame;
    frame.rotation = node.placement.rotation.cast<Jet>(), frame.translation = node.placement.translation.cast<Jet>();
    if (node.parent >= 0) frame = all[static_cast<std::size_t>(node.parent)] * frame;
    Jet q[7], moved[7];
    for (int i = 0; i < node.joint.nq(); ++i) q[i] = Jet(static_cast<Real>(q_[node.q_begin + i]));
    visit(model_, b, [&](const auto& joint) {
      joint.integrate(q, step.data() + node.v_begin, moved);
      all.push_back(joint.compose(frame, moved));
    });
  }
  return all;
}

Newton::Square Newton::part(const Pose<Jet>& X, int order) {
  const auto of = [&](const Jet& x) { return order == 0 ? x.x.x : order == 1 ? x.x.dx : x.dx.dx; };
  Square result = Square::Zero();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) result(i, j) = of(X.rotation(i, j));
    result(i, 3) = of(X.translation[i]);
  }
  result(3, 3) = order == 0 ? 1 : 0;
  return result;
}

Newton::Poses Newton::along(const Vector& v, const Vector& a) const {
  VectorX<Jet> step(model_.nv());
  // t = e1 + e2, so that t^2 = 2 e1 e2.
  for (int k = 0; k < model_.nv(); ++k) step[k] = Jet({0, v[k]}, {v[k], a[k]});
  return poses(step);
}

Newton::RealMatrix Newton::mass_matrix() const {
  RealMatrix M = model_.armature().cast<Real>().asDiagonal();
  for (std::size_t i = 0; i < E_.size(); ++i)
    for (std::size_t b = 0; b < J_.size(); ++b) {
      const Square EJ = E_[i][b] * J_[b];
      for (std::size_t j = 0; j < E_.size(); ++j)
        M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) += EJ.cwiseProduct(E_[j][b]).sum();
    }
  return M;
}

Newton::Reals Newton::inverse_dynamics(const Vector& v, const Vector& a) const {
  const Poses X = along(v, a);
  Reals tau = model_.armature().cast<Real>().cwiseProduct(a.cast<Real>());
  for (std::size_t b = 0; b < J_.size(); ++b) {
    const Square force = (part(X[b], 2) - gravity_) * J_[b];
    for (std::size_t i = 0; i < E_.size(); ++i) tau[static_cast<Eigen::Index>(i)] += E_[i][b].cwiseProduct(force).sum();
  }
  return tau;
}

Newton::Real Newton::kinetic_energy(const Vector& v) const {
  const Poses X = along(v, Vector::Zero(v.size()));
  Real twice = 0;
  for (std::size_t b = 0; b < J_.size(); ++b) twice += (part(X[b], 1) * J_[b]).cwiseProduct(part(X[b], 1)).sum();
  return twice / 2 + (model_.armature().cast<Real>().array() * v.cast<Real>().array().square()).sum() / 2;
}

Newton::Real Newton::potential_energy() const {
  Real sum = 0;
  for (std::size_t b = 0; b < J_.size(); ++b) sum -= gravity_.col(3).dot((X_[b] * J_[b]).col(3));
  return sum;
}

Eigen::Matrix<Newton::Real, 6, 1> Newton::momentum(const Vector& v) const {
  const Poses X = along(v, Vector::Zero(v.size()));
  Eigen::Matrix<Real, 6, 1> sum = Eigen::Matrix<Real, 6, 1>::Zero();
  for (std::size_t b = 0; b < J_.size(); ++b) {
    // A is sum m x' x^T, whose antisymmetric part is the moment.
    const Square A = part(X[b], 1) * J_[b] * X_[b].transpose();
    sum[0] += A(2, 1) - A(1, 2), sum[1] += A(0, 2) - A(2, 0), sum[2] += A(1, 0) - A(0, 1);
    sum.tail<3>() += A.block<3, 1>(0, 3);
  }
  return sum;
}

Newton::Real Newton::weight() const {
  Real mass = 0;
  for (const Square& J : J_) mass += J(3, 3);
  return std::sqrt(mass) * gravity_.norm();
}

Newton::RealMatrix Newton::efforts_by_q(const Vector& v, const Vector& a) const {
  const Real all = effort(v, a), turns = turn(a) + 2 * turn(v) * turn(v);
  return (2 * sizes_ * turns_.transpose() + turns_ * sizes_.transpose()) * all + sizes_ * sizes_.transpose() * turns;
}
Newton::RealMatrix Newton::efforts_by_v(const Vector& v) const {
  return 2 * sizes_ * (pace(v) * turns_ + turn(v) * sizes_).transpose();
}
Newton::RealMatrix Newton::efforts_of_Mdot(const Vector& v) const {
  const RealMatrix half = efforts_by_v(v);
  return half + half.transpose();
}

VectorX<Newton::Jet> Newton::conditions(const Loops<double>& loops, const Poses& X, const VectorX<Jet>& step) const {
  using Form = closure::Condition::Form;
  VectorX<Jet> k(loops.rows());
  const auto pose = [&](const Frame<double>& frame) {
    Pose<Jet> at;
    at.rotation = frame.placement().rotation.cast<Jet>(), at.translation = frame.placement().translation.cast<Jet>();
    return frame.node() < 0 ? at : X[static_cast<std::size_t>(frame.node())] * at;
  };
  for (const auto& loop : loops.all()) {
    if (loop.frames.empty()) {
      std::vector<Jet> x;
      Jet sum(static_cast<Real>(-loop.offset));
      for (const auto& [joint, factor] : loop.terms) {
        x.push_back(Jet(static_cast<Real>(q_[joint.q_index()])) + step[joint.v_index()]);
        sum += Jet(static_cast<Real>(factor)) * x.back();
      }
      k[loop.begin] = loop.relation ? relation(loop, x) : sum;
      continue;
    }
    const Pose<Jet> first = pose(loop.frames[0]), second = pose(loop.frames[1]);
    const Vector3<Jet> apart = second.translation - first.translation;
    const Vector3<Jet> p = first.rotation.transpose() * apart;
    const Matrix3<Jet> R = first.rotation.transpose() * second.rotation;
    for (int i = 0; i < loop.rows(); ++i) {
      const auto& [form, a, b, length] = loop.conditions[static_cast<std::size_t>(i)];
      const Vector3<Jet> turned = R * b.cast<Jet>();
      const Jet l(static_cast<Real>(length));
      Jet& value = k[loop.begin + i];
      if (form == Form::offset) value = dot(p, Vector3<Jet>(a.cast<Jet>()));
      if (form == Form::direction) value = dot(turned, Vector3<Jet>(a.cast<Jet>()));
      if (form == Form::distance) value = (dot(p, p) / l - l) / Jet(2);
    }
  }
  return k;
}

Newton::RealMatrix Newton::jacobian(const Loops<double>& loops) const {
  RealMatrix K(loops.rows(), model_.nv());
  for (int j = 0; j < model_.nv(); ++j) {
    VectorX<Jet> step = VectorX<Jet>::Constant(model_.nv(), Jet(0));
    step[j].x.dx = 1;
    const auto k = conditions(loops, poses(step), step);
    for (int i = 0; i < loops.rows(); ++i) K(i, j) = k[i].x.dx;
  }
  return K;
}
Newton::Reals Newton::bias(const Loops<double>& loops, const Vector& v) const {
  VectorX<Jet> step(model_.nv());
  for (int k = 0; k < model_.nv(); ++k) step[k] = Jet({0, v[k]}, {v[k], 0});
  const auto k = conditions(loops, poses(step), step);
  Reals result(loops.rows());
  for (int i = 0; i < loops.rows(); ++i) result[i] = -k[i].dx.dx;
  return result;
}
Newton::Reals Newton::residual(const Loops<double>& loops) const {
  const VectorX<Jet> step = VectorX<Jet>::Constant(model_.nv(), Jet(0));
  const auto k = conditions(loops, poses(step), step);
  Reals result(loops.rows());
  for (int i = 0; i < loops.rows(); ++i) result[i] = k[i].x.x;
  return result;
}

}  // namespace corio::trials
