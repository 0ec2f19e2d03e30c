#pragma once

#include <functional>

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/spatial/cross.hpp"
#include "support/dynamics_support.hpp"

/// M and C as plain sums, over the bodies, of products of dense matrices, and factorizations for such sums.
namespace corio::test {

/// One body as seen from some axes and point: its Jacobian, the rate of the Jacobian's numbers, twist and inertia.
struct BodyTerms {
  Eigen::Matrix<double, 6, Eigen::Dynamic> J, J_rate;
  Motion<double> V;
  Matrix6<double> I;
  Inertia<double> inertia;
};

/// Uses the oracle's poses, in world axes about the world's origin: J_k = (E_k T) T^-1.
BodyTerms in_world_axes(const Sample& s, int b);

/// Does the same in the body's own axes about its own origin: J_k = T^-1 (E_k T), whose numbers change as seen in the
/// body.
BodyTerms in_body_axes(const Sample& s, int b);

/// Echeandia and Wensing (2021), eq. 29, with the rotors: the sum of J^T I J.
Matrixd mass_sum_over_bodies(const Sample& s);

/// Any factorization over double.
using AnyFactorization = std::function<Matrix6<double>(const Motion<double>&, const Inertia<double>&)>;

/// Eq. 30: the sum of J^T (B J + I dJ/dt), with dJ/dt in world axes.
Matrixd sum_over_bodies(const Sample& s, const AnyFactorization& B);

/// Eq. 31: the sum of J^T (B J + I dJ/dt + I (V x) J), with dJ/dt as seen in the body.
Matrixd sum_over_bodies_in_body_axes(const Sample& s, const AnyFactorization& B);

// ---- Factorizations

/// A user's factorization. All tested ones share this type, because each further type would compile the algorithms once
/// more.
class UserFactorization {
 public:
  Matrix6<double> operator()(const Motion<double>& V, const Inertia<double>& I) const;

 private:
  enum class Kind { dense_christoffel, blend, twisted, momentum_cross, rate_of_inertia };
  explicit UserFactorization(Kind kind, double x = 0, double y = 0) : kind_(kind), x_(x), y_(y) {}
  Kind kind_;
  double x_, y_;

  friend UserFactorization dense_christoffel();
  friend UserFactorization blend(double share);
  friend UserFactorization twisted(double x, double y);
  friend UserFactorization momentum_cross();
  friend UserFactorization rate_of_inertia();
};

/// Eq. 10, written with the matrices of the definition.
UserFactorization dense_christoffel();

/// share Christoffel + (1 - share) Plain: a point on the line of admissible factorizations through these two.
UserFactorization blend(double share);

/// Christoffel + m N(V) with the skew-symmetric N(V) defined by U . N(V) W = x K1(U, V x W) + y K2(U, V x W), where K1
/// and K2 are the products of motions that do not depend on the frame: w . w' and w . v' + v . w'. N(V) V = 0, so this
/// factorization is admissible too, but not on that line.
UserFactorization twisted(double x, double y);

/// B V = V x* I V, but B + B^T = 0.
UserFactorization momentum_cross();
/// B V = V x* I V, but B + B^T is twice what it should be.
UserFactorization rate_of_inertia();

/// Calls f(name, B) once for each factorization with a skew-symmetric dM/dt - 2 C, and once for each other valid one.
template <class F>
void for_each_admissible(F&& f) {
  f("Christoffel", factorization::Christoffel{});
  f("Plain", factorization::Plain{});
  f("Christoffel, dense", dense_christoffel());
  f("0.3 Christoffel + 0.7 Plain", blend(0.3));
  f("-2 Christoffel + 3 Plain", blend(-2.0));
  f("twisted", twisted(0.7, -0.4));
}
template <class F>
void for_each_inadmissible(F&& f) {
  f("(I V xbar*)", momentum_cross());
  f("(V x*) I - I (V x)", rate_of_inertia());
}
template <class F>
void for_each_valid(F&& f) {
  for_each_admissible(f);
  for_each_inadmissible(f);
}

}  // namespace corio::test

#define CORIO_COMPILED_USER_FACTORIZATION(EXTERN)                                              \
  CORIO_COMPILED_ALGORITHM(EXTERN, double, CoriolisMatrix<double, test::UserFactorization>)    \
  CORIO_COMPILED_ALGORITHM(EXTERN, double, CoriolisMatrixDot<double, test::UserFactorization>) \
  CORIO_COMPILED_ALGORITHM(EXTERN, double, CoriolisProduct<double, test::UserFactorization>)   \
  CORIO_COMPILED_ALGORITHM(EXTERN, double, CoriolisTransposeProduct<double, test::UserFactorization>)

namespace corio {
CORIO_COMPILED_USER_FACTORIZATION(extern)
}  // namespace corio
