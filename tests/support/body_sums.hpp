#pragma once

#include "corio/algorithms/factorization.hpp"
#include "corio/spatial/cross.hpp"
#include "support/dynamics_support.hpp"

/// M and C as plain sums over the bodies of products of dense matrices, and factorizations to put into them.
namespace corio::test {

/// One body as seen from some axes and point: its Jacobian, the rate of the Jacobian's numbers, twist and inertia.
struct BodyTerms {
  Eigen::Matrix<double, 6, Eigen::Dynamic> J, J_rate;
  Motion<double> V;
  Matrix6<double> I;
  Inertia<double> inertia;
};

/// From the oracle's poses, in world axes about the world's origin: J_k = (E_k T) T^-1.
BodyTerms in_world_axes(const Sample& s, int b);

/// The same in the body's own axes about its own origin: J_k = T^-1 (E_k T), whose numbers change as seen in the body.
BodyTerms in_body_axes(const Sample& s, int b);

/// Echeandia and Wensing (2021), eq. 29, with the rotors: sum of J^T I J.
Matrixd mass_sum_over_bodies(const Sample& s);

/// Eq. 30: sum of J^T (B J + I dJ/dt), with dJ/dt in world axes.
template <class Factorization>
Matrixd sum_over_bodies(const Sample& s, const Factorization& B) {
  Matrixd C = Matrixd::Zero(s.model.nv(), s.model.nv());
  for (int b = 0; b < s.bodies(); ++b) {
    const BodyTerms body = in_world_axes(s, b);
    const Matrix6<double> operation = B(body.V, body.inertia);
    C += body.J.transpose() * (operation * body.J + body.I * body.J_rate);
  }
  return C;
}

/// Eq. 31: sum of J^T (B J + I dJ/dt + I (V x) J), with dJ/dt as seen in the body.
template <class Factorization>
Matrixd sum_over_bodies_in_body_axes(const Sample& s, const Factorization& B) {
  Matrixd C = Matrixd::Zero(s.model.nv(), s.model.nv());
  for (int b = 0; b < s.bodies(); ++b) {
    const BodyTerms body = in_body_axes(s, b);
    const Matrix6<double> operation = B(body.V, body.inertia);
    C += body.J.transpose() * (operation * body.J + body.I * body.J_rate + body.I * crm(body.V) * body.J);
  }
  return C;
}

// ---- Factorizations

/// Eq. 10, written with the matrices of the definition.
struct DenseChristoffel {
  Matrix6<double> operator()(const Motion<double>& V, const Inertia<double>& I) const {
    const Matrix6<double> dense = I.matrix();
    return (crf(V) * dense + crf_bar(I * V) - dense * crm(V)) / 2;
  }
};

/// share Christoffel + (1 - share) Plain: on the line of admissible factorizations through these two.
struct Blend {
  double share;
  Matrix6<double> operator()(const Motion<double>& V, const Inertia<double>& I) const {
    return share * DenseChristoffel{}(V, I) + (1 - share) * crf(V) * I.matrix();
  }
};

/// Christoffel + m N(V) with the skew-symmetric N(V) of U . N(V) W = x K1(U, V x W) + y K2(U, V x W), where K1 and K2
/// are the products of motions that do not depend on the frame: w . w' and w . v' + v . w'. N(V) V = 0, so this too
/// is admissible, and not on that line.
struct Twisted {
  double x, y;
  Matrix6<double> operator()(const Motion<double>& V, const Inertia<double>& I) const {
    const Matrix3<double> w = skew(V.angular), v = skew(V.linear);
    Matrix6<double> N;
    N << x * w + y * v, y * w, y * w, Matrix3<double>::Zero();
    return DenseChristoffel{}(V, I) + I.mass * N;
  }
};

/// B V = V x* I V, but B + B^T = 0.
struct MomentumCross {
  Matrix6<double> operator()(const Motion<double>& V, const Inertia<double>& I) const { return crf_bar(I * V); }
};
/// B V = V x* I V, but B + B^T is twice what it should be.
struct RateOfInertia {
  Matrix6<double> operator()(const Motion<double>& V, const Inertia<double>& I) const {
    return crf(V) * I.matrix() - I.matrix() * crm(V);
  }
};

/// Calls f(name, B) for factorizations whose dM/dt - 2 C is skew-symmetric, and for valid ones of which it is not.
template <class F>
void for_each_admissible(F&& f) {
  f("Christoffel", factorization::Christoffel{});
  f("Christoffel, dense", DenseChristoffel{});
  f("Plain", factorization::Plain{});
  f("0.3 Christoffel + 0.7 Plain", Blend{0.3});
  f("-2 Christoffel + 3 Plain", Blend{-2.0});
  f("twisted", Twisted{0.7, -0.4});
}
template <class F>
void for_each_inadmissible(F&& f) {
  f("(I V xbar*)", MomentumCross{});
  f("(V x*) I - I (V x)", RateOfInertia{});
}
template <class F>
void for_each_valid(F&& f) {
  for_each_admissible(f);
  for_each_inadmissible(f);
}

}  // namespace corio::test
