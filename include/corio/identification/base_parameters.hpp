#pragma once

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "corio/identification/streaming_least_squares.hpp"
#include "corio/identification/torque_regressor.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/model/body_selection.hpp"
#include "corio/model/inertial_parameters.hpp"
#include "corio/solvers/householder.hpp"
#include "corio/solvers/triangles.hpp"

namespace corio { inline namespace CORIO_ABI {

/// Names of the columns of a regressor, ten for each of the bodies: "m(link)", "hx(link)" to "hz(link)" for the first
/// moment m c, "Ixx(link)" to "Iyz(link)" about the origin of the body. For the columns of joint_regressor see
/// joint_parameter_names.
/// @throws ModelError for a selection of another model
template <class S>
std::vector<std::string> parameter_names(const Model<S>& model, const BodySelection& bodies = {}) {
  bodies.check_fits(model);
  std::vector<std::string> names;
  for (int i = 0; i < bodies.size(model); ++i)
    for (const char* of : detail::inertial_parameter_names)
      names.push_back(detail::join({of, "(", model.bodies()[static_cast<std::size_t>(bodies[i])].name(), ")"}));
  return names;
}

/// Base parameters beta: the combinations of parameters that Y pi = tau determines [GK]. With linearly independent
/// columns Y_1 of Y, and the others Y_2 = Y_1 K,
///
///   Y pi = Y_1 beta,   beta = pi_1 + K pi_2.
///
/// They are computed from many rows of Y. Rows at random states give all combinations that a motion of the mechanism
/// can determine (structural_base_parameters); rows of a trajectory give those that this trajectory determines.
///
/// The rank is found by QR with column pivoting. Y_1 consists of the first independent columns in their natural order;
/// the effect of dependent parameters is then attributed to bodies nearer to the base, as in textbook rules for serial
/// arms.
/// [GK] Gautier, Khalil, Direct calculation of minimum set of inertial parameters of serial robots, IEEE Transactions
/// on Robotics and Automation 6(3), 1990; by QR: Gautier, J. Robotic Systems 8(4), 1991.
template <class S = double>
class BaseParameters {
 public:
  /// A column depends on others if a combination of them approximates it to this fraction of the longest column of Y:
  /// 1e-8 in double.
  static double default_threshold() { return std::sqrt(static_cast<double>(std::numeric_limits<S>::epsilon())); }

  /// Finds them from a stream, whose R has the same linear dependencies of columns as all its rows. O(columns^3),
  /// allocates.
  /// @throws Error if all columns are zero, or for a threshold out of [0, 1)
  explicit BaseParameters(const StreamingLeastSquares<S>& stream, double threshold = default_threshold()) {
    find(stream.R(), threshold);
  }
  /// Finds them from the rows of Y. O(rows columns^2).
  explicit BaseParameters(MatrixIn<S> Y, double threshold = default_threshold());

  /// size(): number of base parameters, the rank of Y; num_parameters(): number of all parameters. Both are zero for a
  /// moved-from object, whose functions throw Error.
  int size() const { return static_cast<int>(independent_.size()); }
  int num_parameters() const { return static_cast<int>(independent_.size() + dependent_.size()); }

  /// Indices of the columns Y_1, in the order of beta, and of Y_2.
  const std::vector<int>& independent() const { return independent_; }
  const std::vector<int>& dependent() const { return dependent_; }
  /// size() x dependent().size(). A zero column of K belongs to a parameter without any effect.
  const MatrixX<S>& K() const {
    check_not_moved();
    return K_;
  }

  /// Computes beta = pi_1 + K pi_2.
  /// @throws SizeError
  VectorX<S> project(VectorIn<S> pi) const;
  /// The same as a matrix, size() x num_parameters(): beta = projection() pi.
  MatrixX<S> projection() const;
  /// Returns Y_1 of Y, so that Y pi = reduce(Y) project(pi).
  /// @throws SizeError
  MatrixX<S> reduce(MatrixIn<S> Y) const;

  /// Each base parameter as a sum of named parameters, such as "Izz(link2) + Ixx(link3) - 0.25 m(link3)". Terms with
  /// factors below 1e-6 in magnitude are omitted.
  /// @throws SizeError
  std::vector<std::string> describe(const std::vector<std::string>& names) const;

 private:
  template <class T>
  friend BaseParameters<T> structural_base_parameters(const Model<T>&, bool);
  template <class T>
  using PerColumn = detail::Table<T, struct OfColumns>;
  enum class Order { pivoted, natural };

  void check_not_moved() const {
    if (independent_.empty()) throw Error("base parameters: this object is empty (moved-from)");
  }
  void find(const MatrixX<S>& R, double threshold);

  /// Householder QR of A in place. @returns the independent columns, in the order of elimination: the longest remaining
  /// one first, or from left to right. A column is dependent if its remainder is not longer than `least`. In this order
  /// the columns of A are an upper triangle.
  static std::vector<int> triangularize(MatrixX<S>& A, Order order, const S& least);

  std::vector<int> independent_, dependent_;
  MatrixX<S> K_;
};

template <class S>
BaseParameters<S>::BaseParameters(MatrixIn<S> Y, double threshold) {
  StreamingLeastSquares<S> stream(Y.cols());
  stream.add(Y, VectorX<S>::Zero(Y.rows()));
  find(stream.R(), threshold);
}

template <class S>
VectorX<S> BaseParameters<S>::project(VectorIn<S> pi) const {
  check_not_moved();
  detail::check_size("parameters", pi.size(), num_parameters());
  VectorX<S> beta = pi(independent_);
  auto column = K_.colwise().begin();
  for (const int j : dependent_) beta += pi[j] * *column++;
  return beta;
}

template <class S>
MatrixX<S> BaseParameters<S>::projection() const {
  check_not_moved();
  MatrixX<S> P(size(), num_parameters());
  Eigen::Index i = 0;
  for (const int j : independent_) P.col(j) = VectorX<S>::Unit(size(), i++);
  auto column = K_.colwise().begin();
  for (const int j : dependent_) P.col(j) = *column++;
  return P;
}

template <class S>
MatrixX<S> BaseParameters<S>::reduce(MatrixIn<S> Y) const {
  check_not_moved();
  detail::check_size("number of columns of Y", Y.cols(), num_parameters());
  return Y(Eigen::seqN(0, Y.rows()), independent_);
}

template <class S>
std::vector<std::string> BaseParameters<S>::describe(const std::vector<std::string>& names) const {
  check_not_moved();
  detail::check_size("names", std::ssize(names), num_parameters());
  std::vector<std::string> texts;
  for (const int j : independent_) {
    std::string text = names.begin()[j];
    const auto row = K_.row(std::ssize(texts));
    for (Eigen::Index k = 0; k < row.size(); ++k) {
      const double factor = value_of(row[k]), size = std::abs(factor);
      if (size < 1e-6) continue;
      text += factor < 0 ? " - " : " + ";
      if (std::abs(size - 1.0) > 1e-6) text += detail::join({detail::number(size), " "});
      text += names.begin()[dependent_.begin()[k]];
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

template <class S>
void BaseParameters<S>::find(const MatrixX<S>& R, double threshold) {
  const S share = static_cast<S>(threshold);
  if (!(share >= S(0) && share < S(1)))
    throw Error(detail::join({"base parameters: the threshold is ", detail::number(threshold), ", must be in [0, 1)"}));
  const S largest = R.cwiseAbs().maxCoeff();
  if (!(value_of(largest) > 0.0)) throw Error("base parameters: all columns of the regressor are zero");
  // The columns are scaled, since squares of the entries may overflow or underflow.
  MatrixX<S> A = R / largest, B = A;
  const S least = share * A.colwise().norm().maxCoeff();
  const std::vector<int> revealed = triangularize(A, Order::pivoted, least);
  independent_ = triangularize(B, Order::natural, least);
  if (independent_.size() != revealed.size()) {
    B = A;
    independent_ = revealed;
  }

  PerColumn<char> is_independent(static_cast<int>(R.cols()), false);
  for (const int j : independent_) is_independent[j] = true;
  for (int j = 0; j < R.cols(); ++j)
    if (!is_independent[j]) dependent_.push_back(j);
  const auto top = B.topRows(size());
  K_.resize(size(), 0);
  if (dependent_.empty()) return;  // Eigen cannot select by an empty list
  K_ = top(Eigen::seqN(0, top.rows()), dependent_);
  const MatrixX<S> R1 = top(Eigen::seqN(0, top.rows()), independent_);
  for (Eigen::Index j = 0; j < K_.cols(); ++j) detail::solve_triangle(R1, K_.data() + j * K_.rows(), K_.rows());
}

template <class S>
std::vector<int> BaseParameters<S>::triangularize(MatrixX<S>& A, Order order, const S& least) {
  using std::sqrt;
  std::vector<int> kept, left;
  PerColumn<char> is_kept(static_cast<int>(A.cols()), false);
  for (int j = 0; j < A.cols(); ++j) left.push_back(j);
  while (!left.empty() && std::ssize(kept) < A.rows()) {
    const Eigen::Index r = std::ssize(kept), rest = A.rows() - r;
    auto chosen = left.end();
    S longest = least;
    for (auto j = left.begin(); j != left.end(); ++j)
      if (const S length = sqrt(detail::inner_product(&A(r, *j), &A(r, *j), rest)); length > longest) {
        chosen = j, longest = length;
        if (order == Order::natural) break;
      }
    if (chosen == left.end()) break;
    const int c = *chosen;
    // A skipped column stays dependent, since its remainder only shrinks.
    left.erase(order == Order::natural ? left.begin() : chosen, chosen + 1);
    kept.push_back(c);
    is_kept[c] = true;
    S* const v = &A(r, c) + 1;
    const S t = detail::make_reflection(&A(r, c), rest);
    for (int j = 0; j < A.cols(); ++j)
      if (!is_kept[j]) detail::reflect(v, t, &A(r, j), rest);  // others are zero in these rows
    std::fill_n(v, rest - 1, S(0));
  }
  return kept;
}

/// The base parameters of a robot: the combinations that its motions together determine, so they are the same for all
/// of its recordings. They come from random states of a fixed seed, with rows of length one; driven joints move with
/// the others. Coefficients of K below 1e-8 of the largest are rounding errors, and are zero.
/// @param joints  whether the columns of joint_regressor follow those of inverse_dynamics_regressor for all bodies
/// @throws Error for a model without bodies; as driven_joints. O(p^3) for p columns, allocates.
template <class S>
BaseParameters<S> structural_base_parameters(const Model<S>& model, bool joints = true) {
  const int bodies = num_inertial_parameters(model), n = model.nv(), p = bodies + (joints ? 4 * n : 0);
  if (bodies == 0) throw Error(detail::join({"model '", model.name(), "' has no bodies to identify"}));
  std::mt19937_64 generator;
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto random = [&] {
    return VectorX<S>(VectorX<S>::NullaryExpr(n, [&] { return static_cast<S>(uniform(generator)); }));
  };
  const auto driven = driven_joints(model);
  TorqueRegressor<S> regressor(model);
  StreamingLeastSquares<S> rows(p);
  for (int i = 0; i < 3 * p; ++i) {
    VectorX<S> q = random_configuration(model, generator), v = random(), a = random();
    for (const DrivenJoint<S>& one : driven) {
      one.move(v, S(0)), one.move(a, S(0));
      if (model.nq() == n) one.move(q, one.offset);
    }
    MatrixX<S> Y = regressor(q, v, a).leftCols(p);
    for (auto row : Y.rowwise()) row.normalize();
    rows.add(Y, VectorX<S>::Zero(n));
  }
  BaseParameters<S> base(rows);
  if (base.K_.size() > 0)
    base.K_ = (base.K_.array().abs() > S(1e-8) * base.K_.cwiseAbs().maxCoeff()).select(base.K_, S(0));
  return base;
}

}}  // namespace corio
