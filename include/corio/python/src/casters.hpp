#pragma once
// How arguments and results of classes are converted.
#include <pybind11/numpy.h>

#include "classes.hpp"

namespace corio::python {
using RowMat = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
}
namespace pybind11::detail {

/// C++ takes the tree of a Model or Mechanism, and Python gets models that are held.
template <>
struct type_caster<corio::Model<double>> {
  static constexpr auto name = const_name("corio.Model");
  bool load(handle from, bool convert) { return held.load(from, convert); }
  template <class>
  using cast_op_type = const corio::Model<double>&;
  operator const corio::Model<double>&() { return cast_op<corio::python::AnyRobot&>(held).tree(); }
  static handle cast(const corio::Model<double>& model, return_value_policy, handle) {
    return pybind11::cast(corio::python::hold(model)).release();
  }
  make_caster<corio::python::AnyRobot> held;
};

/// Vectors and matrices are copied; anything that numpy converts to float64 safely is one. Properties are read-only, as
/// a change of their copies would be lost.
template <int rows, int cols>
struct type_caster<Eigen::Matrix<double, rows, cols>> {
  using Type = Eigen::Matrix<double, rows, cols>;
  using RowMat = corio::python::RowMat;
  PYBIND11_TYPE_CASTER(Type, const_name("numpy.ndarray"));
  bool load(handle from, bool) {
    if (from.is_none()) return false;
    const array_t<double, array::c_style> x(reinterpret_borrow<object>(from));
    constexpr int dims = cols == 1 ? 1 : 2;
    if (x.ndim() != dims || (rows > 0 && x.shape(0) != rows) || (dims == 2 && cols > 0 && x.shape(1) != cols)) {
      const auto size = [](int n) { return n < 0 ? std::string("n") : std::to_string(n); };
      throw corio::SizeError("an argument has shape " + std::string(str(x.attr("shape"))) + ", expected (" +
                             size(rows) + (dims == 1 ? ",)" : ", " + size(cols) + ")"));
    }
    value = Eigen::Map<const RowMat>(x.data(), x.shape(0), dims == 1 ? 1 : x.shape(1));
    return true;
  }
  static handle cast(const Type& x, return_value_policy policy, handle) {
    array_t<double> made = cols == 1 ? array_t<double>(x.rows()) : array_t<double>({x.rows(), x.cols()});
    Eigen::Map<RowMat>(made.mutable_data(), x.rows(), x.cols()) = x;
    if (policy != return_value_policy::automatic) array_proxy(made.ptr())->flags &= ~npy_api::NPY_ARRAY_WRITEABLE_;
    return made.release();
  }
};
template <class Plain>
struct type_caster<Eigen::Ref<const Plain>> : type_caster<Plain> {
  template <class>
  using cast_op_type = Eigen::Ref<const Plain>;
  operator Eigen::Ref<const Plain>() { return this->value; }
};

}  // namespace pybind11::detail
