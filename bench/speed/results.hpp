#pragma once

#include "corio/algorithms/geometry/coordinates.hpp"
#include "corio/corio.hpp"

/// Results that the caller allocates, each constructed from a model.
namespace speed {

template <class S>
struct Square : corio::MatrixX<S> {
  explicit Square(const corio::Model<S>& m) : corio::MatrixX<S>(corio::MatrixX<S>::Zero(m.nv(), m.nv())) {}
};
/// Results for the last body.
template <class S>
struct Jacobian : corio::Matrix6X<S> {
  corio::FramePoint<S> last;
  explicit Jacobian(const corio::Model<S>& m)
      : corio::Matrix6X<S>(corio::Matrix6X<S>::Zero(6, m.nv())), last(m.bodies().back()) {}
};
template <class S>
struct JacobianChange : corio::JacobianDerivatives<S> {
  corio::FramePoint<S> last;
  explicit JacobianChange(const corio::Model<S>& m) : corio::JacobianDerivatives<S>(m), last(m.bodies().back()) {}
};
template <class S>
struct Regressor {
  corio::VectorX<S> pi, y;
  corio::MatrixX<S> Y;
  explicit Regressor(const corio::Model<S>& m)
      : pi(corio::inertial_parameters(m)), y(pi), Y(corio::MatrixX<S>::Zero(m.nv(), pi.size())) {}
};
/// dM/dpi, dC/dpi, dg/dpi for one parameter of the last body.
template <class S>
struct ParameterDerivative {
  corio::Body<S> last;
  corio::InertialParameter parameter = corio::InertialParameter::Ixy;
  corio::MatrixX<S> matrix;
  corio::VectorX<S> vector;
  explicit ParameterDerivative(const corio::Model<S>& m)
      : last(m.bodies().back()),
        matrix(corio::MatrixX<S>::Zero(m.nv(), m.nv())),
        vector(corio::VectorX<S>::Zero(m.nv())) {}
};
template <class S>
struct Squares {
  corio::MatrixX<S> a, b;
  explicit Squares(const corio::Model<S>& m) : a(corio::MatrixX<S>::Zero(m.nv(), m.nv())), b(a) {}
};
template <class S>
struct Cube : corio::Tensor3<S> {
  explicit Cube(const corio::Model<S>& m) { this->resize(m.nv()); }
};
template <class S>
struct Configuration : corio::VectorX<S> {
  explicit Configuration(const corio::Model<S>& m) : corio::VectorX<S>(corio::neutral(m)) {}
};
template <class S>
struct Velocity : corio::VectorX<S> {
  explicit Velocity(const corio::Model<S>& m) : corio::VectorX<S>(corio::VectorX<S>::Zero(m.nv())) {}
};
/// Gamma, and results computed from it.
template <class S>
struct Symbols {
  corio::ChristoffelTensor<S> Gamma;
  corio::Tensor3<S> second_kind;
  corio::MatrixX<S> C;
  explicit Symbols(const corio::Model<S>& m) : Gamma(m), C(corio::MatrixX<S>::Zero(m.nv(), m.nv())) {
    second_kind.resize(m.nv());
  }
};
template <class S>
struct Coordinates {
  corio::EquationsOfMotion<S> from, to;
  corio::MatrixX<S> A, Adot, work;
  explicit Coordinates(const corio::Model<S>& m) : A(corio::MatrixX<S>::Identity(m.nv(), m.nv())), Adot(A), work(A) {
    from = {A, A, A.col(0), A.col(0)}, to = from;
  }
};

}  // namespace speed
