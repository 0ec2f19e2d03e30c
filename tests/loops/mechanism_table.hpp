#pragma once

#include <functional>

#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/geometry.hpp"
#include "corio/mechanism/hessian.hpp"
#include "corio/model/inertial_parameters.hpp"
#include "loops/mechanism_support.hpp"

namespace loops_test::contracts {

/// Each view may be a part of a result in MechanismData.
struct Views {
  Eigen::Ref<const VectorXd> q, y, ydot, x, tree, forces;
};
struct Arguments {
  VectorXd q, y, ydot, x, tree, forces;
  operator Views() const { return {q, y, ydot, x, tree, forces}; }  // NOLINT(google-explicit-constructor)
};
/// Returns valid arguments.
Arguments arguments(const Closed& s, int seed);

using Function = std::function<MatrixXd(Closed&, const Views&)>;

struct Entry {
  const char* name;
  Pass pass;
  Function complete, reuse;
};
/// All functions of mechanisms.
const std::vector<Entry>& table();

// The objects that functions write into.
inline ChristoffelTensor<double> symbols(const Closed& s) { return ChristoffelTensor<double>(s.mechanism); }
inline Tensor3<double> constants(const Closed& s) { return Tensor3<double>(s.mechanism.nv()); }

/// Returns symbols of the second kind, from those of the first kind at the state.
inline Tensor3<double> second_kind(Closed& s) {
  s.data.require(s.mechanism, Pass::position, "christoffel_symbols_second_kind");
  ChristoffelTensor<double> first(s.mechanism);
  christoffel_symbols(s.mechanism, s.data, first);
  Tensor3<double> second = constants(s);
  christoffel_symbols_second_kind(s.mechanism, s.data, first, second);
  return second;
}

inline MatrixXd regressor(const Closed& s) { return {s.mechanism.nv(), num_inertial_parameters(s.model)}; }
inline VectorXd parameters(const Closed& s) { return inertial_parameters(s.model); }
inline MatrixXd square(const Closed& s) { return {s.mechanism.nv(), s.mechanism.nv()}; }
inline VectorXd speeds(const Closed& s) { return s.y; }
inline MatrixXd three_rows(const Closed& s) { return {3, s.mechanism.nv()}; }
inline MatrixXd six_rows(const Closed& s) { return {6, s.mechanism.nv()}; }
inline const std::vector<int>& first_speed() {
  static const std::vector<int> first{0};
  return first;
}
inline MatrixXd joint_columns(const Closed& s) { return {s.mechanism.nv(), 4 * s.model.nv()}; }

}  // namespace loops_test::contracts
