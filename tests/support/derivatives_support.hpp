#pragma once

#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "support/dynamics_support.hpp"

/// Derivatives of rnea and aba by the complex step, which shares only rnea and aba with the analytic derivatives.
namespace corio::test {

/// An external force that can be put on the same model over several scalars.
struct Wrench {
  std::string frame;
  Force<double> wrench;
  ReferenceFrame reference;
  Vector3<double> point;
};

template <class S>
std::vector<ExternalForce<S>> forces_on(const Model<S>& model, const std::vector<Wrench>& wrenches) {
  std::vector<ExternalForce<S>> all;
  for (const Wrench& w : wrenches)
    all.emplace_back(model.frame(w.frame), w.wrench.cast<S>(), w.reference, w.point.cast<S>());
  return all;
}

inline constexpr ReferenceFrame all_references[] = {ReferenceFrame::world, ReferenceFrame::body,
                                                    ReferenceFrame::world_aligned};

/// Returns one wrench for each reference on every frame, and so on every body: couples and forces at points.
std::vector<Wrench> wrenches_on(const Model<double>& model, Random<double>& random);
inline std::vector<Wrench> mixed_wrenches(Sample& s) { return wrenches_on(s.model, s.random); }

/// A model over complex numbers. Each function returns a matrix whose column j is the derivative along degree of
/// freedom j.
class ComplexSteps {
 public:
  explicit ComplexSteps(Model<Complex> model) : model_(std::move(model)), data_(model_) {}
  explicit ComplexSteps(const Model<double>& model) : ComplexSteps(model.cast<Complex>()) {}

  Matrixd rnea_along_q(const Vectord& q, const Vectord& v, const Vectord& a, const std::vector<Wrench>& wrenches = {});
  Matrixd rnea_along_v(const Vectord& q, const Vectord& v, const Vectord& a);
  Matrixd gravity_along_q(const Vectord& q);
  Matrixd aba_along_q(const Vectord& q, const Vectord& v, const Vectord& tau, const std::vector<Wrench>& wrenches = {});
  Matrixd aba_along_v(const Vectord& q, const Vectord& v, const Vectord& tau, const std::vector<Wrench>& wrenches = {});
  Matrixd aba_along_tau(const Vectord& q, const Vectord& v, const Vectord& tau);

 private:
  static VectorX<Complex> complex(const Vectord& x) { return x.cast<Complex>(); }
  static VectorX<Complex> shifted(const Vectord& x, const Vectord& by) {
    return complex(x) + complex(by) * Complex(0, complex_step);
  }
  template <class F>
  Matrixd columns(F&& f) const {
    const int n = model_.nv();
    Matrixd D(n, n);
    for (int j = 0; j < n; ++j) D.col(j) = f(Vectord::Unit(n, j)).imag() / complex_step;
    return D;
  }

  Model<Complex> model_;
  Data<Complex> data_;
};

}  // namespace corio::test
