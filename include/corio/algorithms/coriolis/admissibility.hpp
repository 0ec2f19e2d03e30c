#pragma once

#include <random>

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/spatial/lie.hpp"

/// Checks of your own factorization for the properties that controllers rely on, at random states. All checks allocate,
/// and cost `samples` calls of C and of coriolis_matrix. Source: Echeandia and Wensing (2021), Definitions 1 to 4.
namespace corio { inline namespace CORIO_ABI {

namespace detail {

/// Replaces `largest` by x if x is larger, or NaN.
inline void grow(double& largest, double x) {
  if (x > largest || std::isnan(x)) largest = x;
}
template <class A>
double largest_magnitude(const A& x) {
  double largest = 0;
  for (Eigen::Index i = 0; i < x.size(); ++i) grow(largest, std::abs(known_value(x(i))));
  return largest;
}

}  // namespace detail

/// Largest errors of a Coriolis matrix C(q, v), each divided by the largest entry of the Christoffel-consistent C.
struct CoriolisDefects {
  double linearity = 0;    ///< largest entry of C(q, v + 2 w) - C(q, v) - 2 C(q, w)
  double validity = 0;     ///< C v compared with the model's velocity-product forces
  double skewness = 0;     ///< C + C^T compared with dM/dt
  double christoffel = 0;  ///< C compared with the Christoffel-consistent matrix
};

/// @param C        callable: C(q, v) returns the nv x nv matrix
/// @param samples  number of random states, equal in every call
/// @throws SizeError if C(q, v) is not nv x nv
template <class S, class F>
CoriolisDefects coriolis_defects(const Model<S>& model, const F& C, int samples = 10) {
  const int n = model.nv();
  Data<S> data(model);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto velocity = [&] { return VectorX<S>::NullaryExpr(n, [&] { return S(uniform(random)); }).eval(); };
  const auto evaluate = [&](const VectorX<S>& q, const VectorX<S>& v) {
    MatrixX<S> result = C(q, v);
    detail::check_size("the rows of C(q, v)", result.rows(), n, "coriolis_defects");
    detail::check_size("the columns of C(q, v)", result.cols(), n, "coriolis_defects");
    return result;
  };
  const auto grow = [](double& error, const MatrixX<S>& got, const MatrixX<S>& expected, double scale) {
    const double difference = detail::largest_magnitude((got - expected).eval());
    detail::grow(error, scale > 0 ? difference / scale : difference);
  };
  CoriolisDefects defects;
  for (int i = 0; i < samples; ++i) {
    const VectorX<S> q = random_configuration(model, random), v = velocity(), w = velocity();
    const MatrixX<S> Cv = evaluate(q, v);
    const CoriolisMatrices<S>& expected = coriolis_matrix(model, data, q, v);
    const double scale = detail::largest_magnitude(expected.C), force = scale * detail::largest_magnitude(v);
    grow(defects.linearity, evaluate(q, v + S(2) * w), Cv + S(2) * evaluate(q, w), scale);
    grow(defects.validity, Cv * v, expected.C * v, force);
    grow(defects.skewness, Cv + Cv.transpose(), expected.Mdot, scale);
    grow(defects.christoffel, Cv, expected.C, scale);
  }
  return defects;
}

/// Returns whether C(q, v) is linear in v and C v is the velocity-product force.
/// Source: Echeandia and Wensing (2021), Definition 2.
/// @throws Error for a negative tolerance or NaN
template <class S, class F>
bool is_valid(const Model<S>& model, const F& C, double tolerance = 1e-9) {
  detail::check_tolerance("tolerance", tolerance);
  const CoriolisDefects d = coriolis_defects(model, C);
  return d.linearity <= tolerance && d.validity <= tolerance;
}
/// Returns whether C is valid and dM/dt - 2 C is skew-symmetric. Source: ibid., Definition 3.
/// @throws Error for a negative tolerance or NaN
template <class S, class F>
bool is_admissible(const Model<S>& model, const F& C, double tolerance = 1e-9) {
  detail::check_tolerance("tolerance", tolerance);
  const CoriolisDefects d = coriolis_defects(model, C);
  return d.linearity <= tolerance && d.validity <= tolerance && d.skewness <= tolerance;
}
/// Returns whether C is the matrix of the Christoffel symbols. Source: ibid., Definition 1.
/// @throws Error for a negative tolerance or NaN
template <class S, class F>
bool is_christoffel_consistent(const Model<S>& model, const F& C, double tolerance = 1e-9) {
  detail::check_tolerance("tolerance", tolerance);
  return coriolis_defects(model, C).christoffel <= tolerance;
}

/// Largest errors of a body-level factorization B(V, I), for motions and inertias of order one.
struct FactorizationDefects {
  double linearity = 0;  ///< B is linear in V and in I
  double validity = 0;   ///< B V compared with V x* I V
  double skewness = 0;   ///< B + B^T compared with (V x*) I - I (V x)
  double frame = 0;      ///< B computed in other axes about another point, compared with B transformed
};

/// @param B        a body-level factorization (factorization.hpp) over double
/// @param samples  number of random motions, inertias and frames, equal in every call
template <class F>
FactorizationDefects factorization_defects(const F& B, int samples = 10) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&] { return Vector3<double>::NullaryExpr([&] { return uniform(random); }).eval(); };
  const auto motion = [&] { return Motion<double>{vector(), vector()}; };
  const auto inertia = [&] {
    Inertia<double> I_b = Inertia<double>::zero();
    for (int i = 0; i < 4; ++i) {
      const Vector3<double> r = vector();
      I_b += {1.0, r, add_outer(Symmetric3<double>::zero(), 1.0, r)};
    }
    return I_b;
  };
  const auto grow = [](double& error, const Matrix6<double>& difference) {
    detail::grow(error, detail::largest_magnitude(difference));
  };
  FactorizationDefects defects;
  for (int i = 0; i < samples; ++i) {
    const Motion<double> V = motion(), W = motion();
    const Inertia<double> I_b = inertia(), J = inertia();
    const Matrix6<double> A = detail::factorize(B, V, I_b), dense = I_b.matrix();
    grow(defects.linearity, (detail::factorize(B, V + W * 2.0, I_b) - A - 2 * detail::factorize(B, W, I_b)).eval());
    grow(defects.linearity, (detail::factorize(B, V, I_b + J) - A - detail::factorize(B, V, J)).eval());
    detail::grow(defects.validity, detail::largest_magnitude((A * V.vector() - cross(V, I_b * V).vector()).eval()));
    grow(defects.skewness, (A + A.transpose() - crf(V) * dense + dense * crm(V)).eval());
    const Pose<double> X = exp(motion());
    const Matrix6<double> to = X.force_matrix();
    grow(defects.frame, (detail::factorize(B, X.act(V), X.act(I_b)) - to * A * to.transpose()).eval());
  }
  return defects;
}

/// Returns whether B V = V x* I V and B + B^T = (V x*) I - I (V x), so that C v is right and dM/dt - 2 C
/// skew-symmetric, and whether B is linear and the same map in every frame, as corio's algorithms require. Source:
/// ibid., Definition 4, Proposition 1.
/// @throws Error for a negative tolerance or NaN
template <class F>
bool is_admissible(const F& B, double tolerance = 1e-9) {
  detail::check_tolerance("tolerance", tolerance);
  const FactorizationDefects d = factorization_defects(B);
  return d.linearity <= tolerance && d.validity <= tolerance && d.skewness <= tolerance && d.frame <= tolerance;
}

}}  // namespace corio
