#pragma once

#include <functional>
#include <string>
#include <vector>

#include "corio/model/builder.hpp"
#include "support/homogeneous.hpp"
#include "support/spatial_random.hpp"

/// Slow and obvious dynamics of point masses. Poses are products of 4 x 4 matrices, their derivatives are
/// products with further factors, and everything else is Newton's law for each point. Nothing here knows
/// spatial algebra, composites or recursions, and of the library only its names and argument types appear.
namespace corio::test {

/// One moving factor of a joint's transform, and the constant twists in the child's axes along which it
/// moves: E_k T = T hat(S_k).
struct Factor {
  int nq;
  std::function<Matrix4<double>(const double* q)> transform;
  std::vector<Motion<double>> twists;
};

/// A joint as the library takes it, and as the oracle does.
struct JointPlan {
  joint::Any<double> joint;
  std::vector<Factor> factors;
};

/// Body number i is named "body<i>", its joint "body<i>_joint".
struct BodyPlan {
  int parent;
  JointPlan joint;
  Pose<double> placement;
  std::vector<PointMass<double>> points;
  std::vector<double> armature{};
};

struct Plan {
  std::string name;
  std::vector<BodyPlan> bodies;
  Vector3<double> gravity{0.3, -0.2, -9.81};
};

inline std::string body_name(int i) { return "body" + std::to_string(i); }

inline Model<double> build(const Plan& plan) {
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

/// A force at a point and a couple, all in world axes and coordinates, on a body of the plan.
struct Push {
  int body;
  Vector3<double> couple, force, point;
};

class Oracle {
 public:
  using Vector = VectorX<double>;
  using Matrix = MatrixX<double>;

  Oracle(const Plan& plan, const Model<double>& model)
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
  Oracle(const Oracle&) = delete;  // chains point into plan_

  void set_configuration(const Vector& q) {
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

  /// T_b, E_k T_b and E_k E_j T_b.
  const Matrix4<double>& pose(int b) const { return at(b).pose; }
  const Matrix4<double>& first(int b, int k) const { return at(b).first[static_cast<std::size_t>(k)]; }
  const Matrix4<double>& second(int b, int k, int j) const { return at(b).second[pair(k, j)]; }

  /// dT_b/dt and its rate, for speeds v and their rates a.
  Matrix4<double> pose_rate(int b, const Vector& v) const {
    Matrix4<double> sum = Matrix4<double>::Zero();
    for (int k = 0; k < nv_; ++k) sum += v[k] * first(b, k);
    return sum;
  }
  Matrix4<double> first_rate(int b, int j, const Vector& v) const {
    Matrix4<double> sum = Matrix4<double>::Zero();
    for (int k = 0; k < nv_; ++k) sum += v[k] * second(b, k, j);
    return sum;
  }
  Matrix4<double> pose_second_rate(int b, const Vector& v, const Vector& a) const {
    Matrix4<double> sum = pose_rate(b, a);
    for (int j = 0; j < nv_; ++j) sum += v[j] * first_rate(b, j, v);
    return sum;
  }

  /// Sum over points of m (E_i x).(E_j x), and the rotors.
  Matrix mass_matrix() const {
    Matrix M = armature_.asDiagonal();
    for_each_body([&](int b) {
      for (int i = 0; i < nv_; ++i)
        for (int j = 0; j < nv_; ++j) M(i, j) += moment(b, first(b, i), first(b, j));
    });
    return M;
  }

  /// Sum over points of m (E_i x).(E_k E_j x) v_k: the Levi-Civita connection of the flat space of all
  /// points.
  Matrix coriolis_matrix(const Vector& v) const {
    Matrix C = Matrix::Zero(nv_, nv_);
    for_each_body([&](int b) {
      for (int j = 0; j < nv_; ++j) {
        const Matrix4<double> rate = first_rate(b, j, v);
        for (int i = 0; i < nv_; ++i) C(i, j) += moment(b, first(b, i), rate);
      }
    });
    return C;
  }

  /// The same for unit speeds: page k holds sum of m (E_i x).(E_k E_j x) at (i, j).
  std::vector<Matrix> christoffel_symbols() const {
    std::vector<Matrix> pages(static_cast<std::size_t>(nv_), Matrix::Zero(nv_, nv_));
    for_each_body([&](int b) {
      const std::vector<int> dofs = dofs_of(at(b).chain);
      for (const int k : dofs)
        for (const int j : dofs)
          for (const int i : dofs) pages[static_cast<std::size_t>(k)](i, j) += moment(b, first(b, i), second(b, k, j));
    });
    return pages;
  }

  /// d'Alembert: sum over points of (E_i x).(m x'' - m g), the rotors, and minus the virtual work of the
  /// pushes.
  Vector inverse_dynamics(const Vector& v, const Vector& a, const std::vector<Push>& pushes = {}) const {
    Vector tau = armature_.cwiseProduct(a);
    for_each_body([&](int b) {
      const Matrix4<double> rate = pose_second_rate(b, v, a);
      for (const auto& [mass, r] : plan_.bodies[static_cast<std::size_t>(b)].points)
        for (int i = 0; i < nv_; ++i) tau[i] += mass * at_point(first(b, i), r).dot(at_point(rate, r) - plan_.gravity);
    });
    for (const Push& push : pushes) tau -= generalized_force(push);
    return tau;
  }

  /// Virtual work of a push along each degree of freedom.
  Vector generalized_force(const Push& push) const {
    Vector Q(nv_);
    for (int i = 0; i < nv_; ++i) {
      const Matrix4<double> twist = first(push.body, i) * pose(push.body).inverse();
      const Vector3<double> w{twist(2, 1), twist(0, 2), twist(1, 0)};
      Q[i] = push.couple.dot(w) + push.force.dot(at_point(twist, push.point));
    }
    return Q;
  }

  double kinetic_energy(const Vector& v) const {
    double twice = v.dot(armature_.cwiseProduct(v));
    for_each_body([&](int b) {
      const Matrix4<double> rate = pose_rate(b, v);
      twice += moment(b, rate, rate);
    });
    return twice / 2;
  }
  double potential_energy() const {
    double sum = 0;
    for_each_body([&](int b) {
      for (const auto& [mass, r] : plan_.bodies[static_cast<std::size_t>(b)].points)
        sum -= mass * plan_.gravity.dot(at_point(pose(b), r, 1));
    });
    return sum;
  }

  const Plan& plan() const { return plan_; }

  /// A point of a body's frame under a 4 x 4 matrix.
  static Vector3<double> at_point(const Matrix4<double>& A, const Vector3<double>& r, double w = 1) {
    return A.topLeftCorner<3, 3>() * r + A.topRightCorner<3, 1>() * w;
  }

 private:
  struct Link {
    Matrix4<double> transform;
    const Factor* factor;  // null for a placement
    int q_index, v_index;
  };
  using Chain = std::vector<Link>;
  struct Body {
    Chain chain{};
    Matrix4<double> pose{};
    std::vector<Matrix4<double>> first{}, second{};
  };

  const Body& at(int b) const { return bodies_[static_cast<std::size_t>(b)]; }
  std::size_t pair(int k, int j) const { return static_cast<std::size_t>(k * nv_ + j); }

  static std::vector<int> dofs_of(const Chain& chain) {
    std::vector<int> dofs;
    for (const Link& link : chain)
      for (int k = 0; link.factor && k < static_cast<int>(link.factor->twists.size()); ++k)
        dofs.push_back(link.v_index + k);
    return dofs;
  }

  /// The product of the chain, with hat(S_k) after the factor of each k. Within one factor the order is that
  /// of `along`: E_k (G hat(S_j)) = G hat(S_k) hat(S_j).
  static Matrix4<double> product(const Chain& chain, const std::vector<int>& along) {
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

  template <class F>
  void for_each_body(F&& f) const {
    for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) f(b);
  }

  /// Sum over the points of a body of m (A x).(B x).
  double moment(int b, const Matrix4<double>& A, const Matrix4<double>& B) const {
    double sum = 0;
    for (const auto& [mass, r] : plan_.bodies[static_cast<std::size_t>(b)].points)
      sum += mass * at_point(A, r).dot(at_point(B, r));
    return sum;
  }

  Plan plan_;
  int nv_;
  Vector armature_;
  std::vector<Body> bodies_;
};

}  // namespace corio::test
