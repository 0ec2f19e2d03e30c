#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <memory>

#include "corio/joints/any_scalar.hpp"
#include "corio/joints/manifold_partials.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

template <class S>
struct Custom;
/// A user's joint, shared by the models that have it.
template <class S>
using CustomPointer = std::shared_ptr<const Custom<S>>;

/// The virtual interface of a user's joint (JointModel), so that models with any joints have one type.
template <class S>
struct Custom {
  Custom(int n_q, int n_v) : nq(n_q), nv(n_v) {}
  virtual ~Custom() = default;
  const int nq, nv;
  virtual Pose<S> compose(const Pose<S>&, const S*) const = 0;
  virtual void columns(const Pose<S>&, const S*, Motion<S>*) const = 0;
  /// Returns whether the columns move in the body; only then may column_rates be called.
  virtual bool has_column_rates() const = 0;
  virtual void column_rates(const Pose<S>&, const S*, const S*, Motion<S>*) const = 0;
  /// Returns whether the joint can be evaluated over dual numbers; only then may the next four members be called.
  virtual bool has_dual_form() const = 0;
  /// Returns the sum over columns k of nu_k times the derivative along degree of freedom j of the rate of column k at
  /// nu, in the axes of the child body.
  virtual Motion<S> column_rate_partial(const S* q, const S* nu, int j) const = 0;
  /// Returns the second time derivative of column k at constant nu, in the axes of the child body.
  virtual Motion<S> column_second_rate(const S* q, const S* nu, int k) const = 0;
  /// Sets out[(l nv + j) nv + k] to the second derivative of column k, along degree of freedom j and then l, in the
  /// axes of the child body.
  virtual void column_second_partials(const S* q, Motion<S>* out) const = 0;
  /// Sets out[l nv + j] to the derivative of column_rate_partial of j along degree of freedom l.
  virtual void column_rate_second_partials(const S* q, const S* nu, Motion<S>* out) const = 0;
  /// Returns false if the joint cannot be evaluated over dual numbers.
  virtual bool integrate_partials(const S* q, const S* dv, ManifoldPartials<S>& out) const = 0;
  virtual bool difference_partials(const S* q0, const S* q1, ManifoldPartials<S>& out) const = 0;
  virtual bool integrate_along(const S* q, const S* dv, const S* x, S* out) const = 0;
  virtual bool difference_along(const S* q0, const S* q1, const S* x0, const S* x1, S* out) const = 0;
  virtual bool spring_force(const S* rest, const S* q, const S* stiffness, S* out) const = 0;
  virtual bool spring_force_partials(const S* rest, const S* q, const S* stiffness, S* out) const = 0;
  virtual void neutral(S*) const = 0;
  virtual void integrate(const S*, const S*, S*) const = 0;
  virtual void difference(const S*, const S*, S*) const = 0;
  virtual void random(const Uniform&, S*) const = 0;
  virtual void normalize(S*) const = 0;
  virtual double violation(const S*) const = 0;
  /// Returns an empty string for joints of models that were cast: these joints have been checked.
  virtual std::string check() const { return {}; }
  /// Makes this joint over the scalars of most models, for which it is compiled with the model, and over AnyScalar,
  /// which stands for all other scalars, since virtual functions cannot be templates. The result is null if the members
  /// are not templates on the scalar. Model::cast converts the joint to any scalar by `over` (converted_joint.hpp).
  virtual void cast_to(CustomPointer<float>&) const = 0;
  virtual void cast_to(CustomPointer<double>&) const = 0;
  virtual void cast_to(CustomPointer<long double>&) const = 0;
  virtual void cast_to(CustomPointer<std::complex<double>>&) const = 0;
  virtual void cast_to(CustomPointer<AnyScalar>&) const = 0;
};

/// A custom joint over a scalar that stands for several states: defined in batch/joint_by_lane.hpp.
template <class P>
requires(states_of<P> > 1) CustomPointer<P> by_lane(const CustomPointer<typename NumberOf<P>::Type>& joint);

/// Counterparts of the functions of built-in joints (manifold_partials.hpp); they return false if the joint cannot be
/// evaluated over dual numbers.
template <class S>
bool integrate_partials(const Custom<S>& joint, const S* q, const S* dv, ManifoldPartials<S>& out) {
  return joint.integrate_partials(q, dv, out);
}
template <class S>
bool difference_partials(const Custom<S>& joint, const S* q0, const S* q1, ManifoldPartials<S>& out) {
  return joint.difference_partials(q0, q1, out);
}
template <class S>
bool integrate_along(const Custom<S>& joint, const S* q, const S* dv, const S* x, S* out) {
  return joint.integrate_along(q, dv, x, out);
}
template <class S>
bool difference_along(const Custom<S>& joint, const S* q0, const S* q1, const S* x0, const S* x1, S* out) {
  return joint.difference_along(q0, q1, x0, x1, out);
}
template <class S>
bool spring_force(const Custom<S>& joint, const S* rest, const S* q, const S* stiffness, S* out) {
  return joint.spring_force(rest, q, stiffness, out);
}
template <class S>
bool spring_force_partials(const Custom<S>& joint, const S* rest, const S* q, const S* stiffness, S* out) {
  return joint.spring_force_partials(rest, q, stiffness, out);
}

template <class S, JointModel<S> J>
class CustomAdapter final : public Custom<S> {
 public:
  explicit CustomAdapter(const J& joint) : Custom<S>(J::nq, J::nv), joint_(joint) {}
  Pose<S> compose(const Pose<S>& A, const S* q) const override { return joint_.compose(A, q); }
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const override { joint_.columns(X, q, phi); }
  bool has_column_rates() const override { return moves_columns; }
  void column_rates(const Pose<S>& X, const S* q, const S* v, Motion<S>* rates) const override {
    if constexpr (moves_columns) joint_.column_rates(X, q, v, rates);
  }
  bool has_dual_form() const override { return dual_form; }
  Motion<S> column_rate_partial(const S* q, const S* nu, int j) const override {
    if constexpr (dual_form) {
      Motion<S> change[J::nv];
      column_rates_along(q, nu, unit<S>(j).data(), change);
      return sum(change, nu);
    }
    return Motion<S>::zero();
  }
  Motion<S> column_second_rate(const S* q, const S* nu, int k) const override {
    if constexpr (dual_form) {
      Motion<S> change[J::nv];
      column_rates_along(q, nu, nu, change);
      return change[k];
    }
    return Motion<S>::zero();
  }
  void column_second_partials(const S* q, Motion<S>* out) const override {
    if constexpr (dual_form)
      for (int l = 0; l < J::nv; ++l)
        for (int j = 0; j < J::nv; ++j, out += J::nv) column_rates_along(q, unit<S>(j).data(), unit<S>(l).data(), out);
  }
  void column_rate_second_partials(const S* q, const S* nu, Motion<S>* out) const override {
    if constexpr (dual_form)
      for (int l = 0; l < J::nv; ++l) {
        Dual<S> moved[J::nq], speed[J::nv];
        detail::move(joint_, q, l, moved);
        for (int k = 0; k < J::nv; ++k) speed[k] = Dual<S>(nu[k]);
        for (int j = 0; j < J::nv; ++j) {
          Motion<Dual<S>> change[J::nv];
          column_rates_along(moved, speed, unit<Dual<S>>(j).data(), change);
          *out++ = derivative(sum(change, speed));
        }
      }
  }
  bool integrate_partials(const S* q, const S* dv, ManifoldPartials<S>& out) const override {
    if constexpr (dual_manifold)
      return joint::integrate_partials(joint_, q, dv, out);
    else
      return false;
  }
  bool difference_partials(const S* q0, const S* q1, ManifoldPartials<S>& out) const override {
    if constexpr (dual_manifold)
      return joint::difference_partials(joint_, q0, q1, out);
    else
      return false;
  }
  bool integrate_along(const S* q, const S* dv, const S* x, S* out) const override {
    if constexpr (dual_manifold)
      return joint::integrate_along(joint_, q, dv, x, out);
    else
      return false;
  }
  bool difference_along(const S* q0, const S* q1, const S* x0, const S* x1, S* out) const override {
    if constexpr (dual_manifold)
      return joint::difference_along(joint_, q0, q1, x0, x1, out);
    else
      return false;
  }
  bool spring_force(const S* rest, const S* q, const S* stiffness, S* out) const override {
    if constexpr (dual_manifold)
      return joint::spring_force(joint_, rest, q, stiffness, out);
    else
      return false;
  }
  bool spring_force_partials(const S* rest, const S* q, const S* stiffness, S* out) const override {
    if constexpr (dual_manifold && requires(const J& j, const Dual<Dual<S>>* x, Dual<Dual<S>>* y) {
                    j.integrate(x, x, y);
                    j.difference(x, x, y);
                  })
      return joint::spring_force_partials(joint_, rest, q, stiffness, out);
    else
      return false;
  }
  void neutral(S* q) const override { joint_.neutral(q); }
  // Use temporaries, so that results passed to a user's joint never overlap arguments.
  void integrate(const S* q, const S* dv, S* out) const override {
    S reached[J::nq];
    joint_.integrate(q, dv, reached);
    std::copy(reached, reached + J::nq, out);
  }
  void difference(const S* q0, const S* q1, S* dv) const override {
    S step[J::nv];
    joint_.difference(q0, q1, step);
    std::copy(step, step + J::nv, dv);
  }
  void random(const Uniform& uniform, S* q) const override { joint_.random(uniform, q); }
  void normalize(S* q) const override { joint_.normalize(q); }
  double violation(const S* q) const override { return joint_.violation(q); }
  std::string check() const override { return detail::check(joint_); }
  void cast_to(CustomPointer<float>& out) const override { out = cast<float>(); }
  void cast_to(CustomPointer<double>& out) const override { out = cast<double>(); }
  void cast_to(CustomPointer<long double>& out) const override { out = cast<long double>(); }
  void cast_to(CustomPointer<std::complex<double>>& out) const override { out = cast<std::complex<double>>(); }
  void cast_to(CustomPointer<AnyScalar>& out) const override { out = cast<AnyScalar>(); }

 private:
  template <class T>
  CustomPointer<T> cast() const {
    if constexpr (JointModel<J, T>)
      return std::make_shared<const CustomAdapter<T, J>>(joint_);
    else
      return nullptr;
  }

  static constexpr bool moves_columns = requires(const J& j, const Pose<S>& X, const S* q, Motion<S>* rates) {
    j.column_rates(X, q, q, rates);
  };
  template <class D>
  static constexpr bool callable_with = requires(const J& j, const Pose<D>& X, const D* q, D* out, Motion<D>* rates) {
    j.integrate(q, q, out);
    j.column_rates(X, q, q, rates);
  };
  static constexpr bool dual_form = callable_with<Dual<S>> && callable_with<Dual<Dual<S>>>;
  static constexpr bool dual_manifold = requires(const J& j, const Dual<S>* q, Dual<S>* out) {
    j.integrate(q, q, out);
    j.difference(q, q, out);
  };

  /// Sets out[k] to the derivative of the rate of column k at nu along a direction, over S or dual numbers of S.
  template <class T>
  void column_rates_along(const T* q, const T* nu, const T* direction, Motion<T>* out) const {
    using D = Dual<T>;
    D start[J::nq], moved[J::nq], speed[J::nv], step[J::nv];
    for (int i = 0; i < J::nq; ++i) start[i] = D(q[i]);
    for (int k = 0; k < J::nv; ++k) speed[k] = D(nu[k]), step[k] = D(T(0), direction[k]);
    joint_.integrate(start, step, moved);
    Motion<D> rates[J::nv];
    joint_.column_rates(Pose<D>::identity(), moved, speed, rates);
    for (int k = 0; k < J::nv; ++k) out[k] = derivative(rates[k]);
  }
  template <class T>
  static Motion<T> derivative(const Motion<Dual<T>>& V) {
    Motion<T> change;
    for (int r = 0; r < 3; ++r) change.angular[r] = V.angular[r].dx, change.linear[r] = V.linear[r].dx;
    return change;
  }
  template <class T>
  static std::array<T, J::nv> unit(int j) {
    std::array<T, J::nv> e;
    e.fill(T(0));  // e{} would leave an AutoDiffScalar as it is
    e[static_cast<std::size_t>(j)] = T(1);
    return e;
  }
  template <class T>
  static Motion<T> sum(const Motion<T>* columns, const T* nu) {
    Motion<T> total = Motion<T>::zero();
    for (int k = 0; k < J::nv; ++k) total += columns[k] * nu[k];
    return total;
  }

  J joint_;
};

}}}  // namespace corio::joint
