#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "corio/algorithms/geometry/structure_constants.hpp"
#include "support/dynamics_support.hpp"
#include "support/user_joints.hpp"

/// Common parts of tests of the geometry behind C: random states, derivatives of M, brackets.
namespace corio::test {

/// A random state of a model.
struct State {
  explicit State(const Model<double>& model, int seed = 1);
  Random<double> random;
  Vectord q, v, a;
};

// ---- Which joints have motions that do not commute

bool commutes(const Joint& joint);
bool all_commute(const Model<double>& model);
bool armature_on_noncommuting(const Model<double>& model);

// ---- Vector fields with constant components

/// [v, w] = sum c(:,a,b) v_a w_b.
Vectord bracket(const Tensor3<double>& c, const Vectord& v, const Vectord& w);

double max_magnitude(const Tensor3<double>& T);
/// Returns the largest difference relative to the largest entry, like relative_error for matrices.
double relative_error(const Tensor3<double>& T, const Tensor3<double>& reference);

// ---- Derivatives of the mass matrix

/// Returns dM along each degree of freedom, by the complex step.
std::vector<Matrixd> mass_matrix_derivatives(const Model<Complex>& model, const Vectord& q);
Matrixd mass_matrix_rate(const Model<Complex>& model, const Vectord& q, const Vectord& v);

/// Christoffel symbols of coordinates from the derivatives D_k of a mass matrix, contracted with v:
/// C(i,j) = 1/2 sum_k (D_k M_ij + D_j M_ik - D_i M_jk) v_k.
Matrixd coriolis_matrix_of_coordinates(const std::vector<Matrixd>& D, const Vectord& v);

}  // namespace corio::test
