#include "support/body_sums.hpp"

namespace corio::test {

namespace {

/// Returns the twist of a 4 x 4 velocity matrix [S(w), v; 0, 0].
Vector6<double> unhat(const Matrix4<double>& m) {
  return (Vector6<double>() << m(2, 1), m(0, 2), m(1, 0), m(0, 3), m(1, 3), m(2, 3)).finished();
}

}  // namespace

BodyTerms in_world_axes(const Sample& s, int b) {
  const int n = s.model.nv();
  const Matrix4<double>& T = s.oracle.pose(b);
  const Matrix4<double> inverse = T.inverse(), velocity = s.oracle.pose_rate(b, s.v) * inverse;
  BodyTerms body{.J{6, n}, .J_rate{6, n}, .V = Motion<double>::from(unhat(velocity)), .I{}, .inertia{}};
  for (int k = 0; k < n; ++k) {
    const Matrix4<double> column = s.oracle.first(b, k) * inverse;
    body.J.col(k) = unhat(column);
    body.J_rate.col(k) = unhat(s.oracle.first_rate(b, k, s.v) * inverse - column * velocity);
  }
  auto points = s.oracle.plan().bodies[static_cast<std::size_t>(b)].points;
  for (auto& point : points) point.position = Oracle::at_point(T, point.position);
  body.inertia = inertia_of(points);
  body.I = body.inertia.matrix();
  return body;
}

BodyTerms in_body_axes(const Sample& s, int b) {
  const int n = s.model.nv();
  const Matrix4<double> inverse = s.oracle.pose(b).inverse(), velocity = inverse * s.oracle.pose_rate(b, s.v);
  BodyTerms body{.J{6, n}, .J_rate{6, n}, .V = Motion<double>::from(unhat(velocity)), .I{}, .inertia{}};
  for (int k = 0; k < n; ++k) {
    const Matrix4<double> column = inverse * s.oracle.first(b, k);
    body.J.col(k) = unhat(column);
    body.J_rate.col(k) = unhat(inverse * s.oracle.first_rate(b, k, s.v) - velocity * column);
  }
  body.inertia = inertia_of(s.oracle.plan().bodies[static_cast<std::size_t>(b)].points);
  body.I = body.inertia.matrix();
  return body;
}

Matrixd mass_sum_over_bodies(const Sample& s) {
  Matrixd M = s.model.armature().asDiagonal();
  for (int b = 0; b < s.bodies(); ++b) {
    const BodyTerms body = in_world_axes(s, b);
    M += body.J.transpose() * body.I * body.J;
  }
  return M;
}

Matrixd sum_over_bodies(const Sample& s, const AnyFactorization& B) {
  Matrixd C = Matrixd::Zero(s.model.nv(), s.model.nv());
  for (int b = 0; b < s.bodies(); ++b) {
    const BodyTerms body = in_world_axes(s, b);
    const Matrix6<double> operation = B(body.V, body.inertia);
    C += body.J.transpose() * (operation * body.J + body.I * body.J_rate);
  }
  return C;
}

Matrixd sum_over_bodies_in_body_axes(const Sample& s, const AnyFactorization& B) {
  Matrixd C = Matrixd::Zero(s.model.nv(), s.model.nv());
  for (int b = 0; b < s.bodies(); ++b) {
    const BodyTerms body = in_body_axes(s, b);
    const Matrix6<double> operation = B(body.V, body.inertia);
    C += body.J.transpose() * (operation * body.J + body.I * body.J_rate + body.I * crm(body.V) * body.J);
  }
  return C;
}

Matrix6<double> UserFactorization::operator()(const Motion<double>& V, const Inertia<double>& I) const {
  const Matrix6<double> dense = I.matrix(), momentum = crf_bar(I * V), plain = crf(V) * dense;
  const Matrix6<double> moving = dense * crm(V), christoffel = (plain + momentum - moving) / 2;
  switch (kind_) {
    case Kind::dense_christoffel: return christoffel;
    case Kind::blend: return x_ * christoffel + (1 - x_) * plain;
    case Kind::twisted: {
      const Matrix3<double> w = skew(V.angular), v = skew(V.linear);
      Matrix6<double> N;
      N << x_ * w + y_ * v, y_ * w, y_ * w, Matrix3<double>::Zero();
      return christoffel + I.mass * N;
    }
    case Kind::momentum_cross: return momentum;
    default: return plain - moving;
  }
}

UserFactorization dense_christoffel() { return UserFactorization(UserFactorization::Kind::dense_christoffel); }
UserFactorization blend(double share) { return UserFactorization(UserFactorization::Kind::blend, share); }
UserFactorization twisted(double x, double y) { return UserFactorization(UserFactorization::Kind::twisted, x, y); }
UserFactorization momentum_cross() { return UserFactorization(UserFactorization::Kind::momentum_cross); }
UserFactorization rate_of_inertia() { return UserFactorization(UserFactorization::Kind::rate_of_inertia); }

}  // namespace corio::test

namespace corio {
CORIO_COMPILED_USER_FACTORIZATION()
}  // namespace corio
