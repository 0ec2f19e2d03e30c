#include "support/oracle.hpp"

#include <Eigen/LU>

namespace corio::test {

Model<double> build(const Plan& plan) {
  ModelBuilder<double> builder(plan.name);
  builder.set_gravity(plan.gravity);
  int i = 0;
  for (const BodyPlan& body : plan.bodies)
    builder.add_body({.name = body_name(i++),
                      .parent = body.parent < 0 ? Parent() : Parent(body_name(body.parent)),
                      .joint = body.joint.joint,
                      .placement = body.placement,
                      .inertia = InertialParameters<double>(inertia_of(body.points)),
                      .armature = body.armature});
  return builder.build();
}

Oracle::Oracle(const Plan& plan, const Model<double>& model)
    : plan_(plan), nv_(model.nv()), armature_(Vector::Zero(nv_)), bodies_(plan.bodies.size()) {
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    const BodyPlan& body = plan_.bodies[b];
    Chain& chain = bodies_[b].chain;
    if (body.parent >= 0) chain = bodies_[static_cast<std::size_t>(body.parent)].chain;
    chain.push_back({homogeneous(body.placement), nullptr, 0, 0});
    if (body.joint.factors.empty()) continue;
    const Joint& joint = model.joint(body_name(static_cast<int>(b)) + "_joint");
    int q_index = joint.q_index(), v_index = joint.v_index();
    for (const Factor& factor : body.joint.factors) {
      chain.push_back({Matrix4<double>::Identity(), &factor, q_index, v_index});
      q_index += factor.nq;
      v_index += static_cast<int>(factor.twists.size());
    }
    for (std::size_t k = 0; k < body.armature.size(); ++k)
      armature_[joint.v_index() + static_cast<int>(k)] = body.armature[k];
  }
}

void Oracle::set_configuration(const Vector& q) {
  const auto n = static_cast<std::size_t>(nv_);
  for (Body& body : bodies_) {
    for (Link& link : body.chain)
      if (link.factor) link.transform = link.factor->transform(q.data() + link.q_index);
    body.pose = product(body.chain, {});
    body.first.assign(n, Matrix4<double>::Zero());
    body.second.assign(n * n, Matrix4<double>::Zero());
    const std::vector<int> dofs = dofs_of(body.chain);
    for (const int j : dofs) {
      body.first[static_cast<std::size_t>(j)] = product(body.chain, {j});
      for (const int k : dofs) body.second[pair(k, j)] = product(body.chain, {k, j});
    }
  }
}

Matrix4<double> Oracle::pose_rate(int b, const Vector& v) const {
  Matrix4<double> sum = Matrix4<double>::Zero();
  for (int k = 0; k < nv_; ++k) sum += v[k] * first(b, k);
  return sum;
}

Matrix4<double> Oracle::first_rate(int b, int j, const Vector& v) const {
  Matrix4<double> sum = Matrix4<double>::Zero();
  for (int k = 0; k < nv_; ++k) sum += v[k] * second(b, k, j);
  return sum;
}

Matrix4<double> Oracle::pose_second_rate(int b, const Vector& v, const Vector& a) const {
  Matrix4<double> sum = pose_rate(b, a);
  for (int j = 0; j < nv_; ++j) sum += v[j] * first_rate(b, j, v);
  return sum;
}

Oracle::Matrix Oracle::mass_matrix() const {
  Matrix M = armature_.asDiagonal();
  for_each_body([&](int b) {
    for (int i = 0; i < nv_; ++i)
      for (int j = 0; j < nv_; ++j) M(i, j) += moment(b, first(b, i), first(b, j));
  });
  return M;
}

Oracle::Matrix Oracle::coriolis_matrix(const Vector& v) const {
  Matrix C = Matrix::Zero(nv_, nv_);
  for_each_body([&](int b) {
    for (int j = 0; j < nv_; ++j) {
      const Matrix4<double> rate = first_rate(b, j, v);
      for (int i = 0; i < nv_; ++i) C(i, j) += moment(b, first(b, i), rate);
    }
  });
  return C;
}

std::vector<Oracle::Matrix> Oracle::christoffel_symbols() const {
  std::vector<Matrix> pages(static_cast<std::size_t>(nv_), Matrix::Zero(nv_, nv_));
  for_each_body([&](int b) {
    const std::vector<int> dofs = dofs_of(at(b).chain);
    for (const int k : dofs)
      for (const int j : dofs)
        for (const int i : dofs) pages[static_cast<std::size_t>(k)](i, j) += moment(b, first(b, i), second(b, k, j));
  });
  return pages;
}

Oracle::Vector Oracle::inverse_dynamics(const Vector& v, const Vector& a, const std::vector<Push>& pushes) const {
  Vector tau = armature_.cwiseProduct(a);
  for_each_body([&](int b) {
    const Matrix4<double> rate = pose_second_rate(b, v, a);
    for (const auto& [mass, r] : plan_.bodies[static_cast<std::size_t>(b)].points)
      for (int i = 0; i < nv_; ++i) tau[i] += mass * at_point(first(b, i), r).dot(at_point(rate, r) - plan_.gravity);
  });
  for (const Push& push : pushes) tau -= generalized_force(push);
  return tau;
}

Oracle::Vector Oracle::generalized_force(const Push& push) const {
  Vector Q(nv_);
  for (int i = 0; i < nv_; ++i) {
    const Matrix4<double> twist = first(push.body, i) * pose(push.body).inverse();
    const Vector3<double> w{twist(2, 1), twist(0, 2), twist(1, 0)};
    Q[i] = push.couple.dot(w) + push.force.dot(at_point(twist, push.point));
  }
  return Q;
}

double Oracle::kinetic_energy(const Vector& v) const {
  double twice = v.dot(armature_.cwiseProduct(v));
  for_each_body([&](int b) {
    const Matrix4<double> rate = pose_rate(b, v);
    twice += moment(b, rate, rate);
  });
  return twice / 2;
}

double Oracle::potential_energy() const {
  double sum = 0;
  for_each_body([&](int b) {
    for (const auto& [mass, r] : plan_.bodies[static_cast<std::size_t>(b)].points)
      sum -= mass * plan_.gravity.dot(at_point(pose(b), r, 1));
  });
  return sum;
}

Vector3<double> Oracle::at_point(const Matrix4<double>& A, const Vector3<double>& r, double w) {
  return A.topLeftCorner<3, 3>() * r + A.topRightCorner<3, 1>() * w;
}

std::vector<int> Oracle::dofs_of(const Chain& chain) {
  std::vector<int> dofs;
  for (const Link& link : chain)
    for (int k = 0; link.factor && k < static_cast<int>(link.factor->twists.size()); ++k)
      dofs.push_back(link.v_index + k);
  return dofs;
}

Matrix4<double> Oracle::product(const Chain& chain, const std::vector<int>& along) {
  Matrix4<double> T = Matrix4<double>::Identity();
  for (const Link& link : chain) {
    T = T * link.transform;
    for (const int k : along) {
      if (!link.factor || k < link.v_index) continue;
      const auto i = static_cast<std::size_t>(k - link.v_index);
      if (i < link.factor->twists.size()) T = T * hat(link.factor->twists[i]);
    }
  }
  return T;
}

double Oracle::moment(int b, const Matrix4<double>& A, const Matrix4<double>& B) const {
  double sum = 0;
  for (const auto& [mass, r] : plan_.bodies[static_cast<std::size_t>(b)].points)
    sum += mass * at_point(A, r).dot(at_point(B, r));
  return sum;
}

}  // namespace corio::test
