#pragma once

#include <algorithm>

#include "corio/joints/custom.hpp"

namespace corio { inline namespace CORIO_ABI { namespace joint {

/// A user's joint over T, evaluated by its members over another scalar: Call converts arguments to that scalar, and
/// results back. Call::each(f) calls f(call) as often as the members are to be called: for packs, once for each state.
template <class T, class Call>
class ConvertedJoint final : public Custom<T> {
  using N = typename Call::Number;

 public:
  static constexpr int max_nq = 16;

  explicit ConvertedJoint(CustomPointer<N> joint) : Custom<T>(joint->nq, joint->nv), joint_(std::move(joint)) {}

  Pose<T> compose(const Pose<T>& A, const T* q) const override {
    Pose<T> X;
    Call::each([&](const Call& call) { put(joint_->compose(read(A, call), Numbers(q, this->nq, call).x), X, call); });
    return X;
  }
  void columns(const Pose<T>& X, const T* q, Motion<T>* phi) const override {
    Motion<N> out[max_nv];
    Call::each([&](const Call& call) {
      joint_->columns(read(X, call), Numbers(q, this->nq, call).x, out);
      put(out, this->nv, phi, call);
    });
  }
  bool has_column_rates() const override { return joint_->has_column_rates(); }
  void column_rates(const Pose<T>& X, const T* q, const T* v, Motion<T>* rates) const override {
    Motion<N> out[max_nv];
    Call::each([&](const Call& call) {
      joint_->column_rates(read(X, call), Numbers(q, this->nq, call).x, Numbers(v, this->nv, call).x, out);
      put(out, this->nv, rates, call);
    });
  }
  bool has_dual_form() const override { return joint_->has_dual_form(); }
  Motion<T> column_rate_partial(const T* q, const T* nu, int j) const override {
    return motion(q, nu, [&](const N* x, const N* y) { return joint_->column_rate_partial(x, y, j); });
  }
  Motion<T> column_second_rate(const T* q, const T* nu, int k) const override {
    return motion(q, nu, [&](const N* x, const N* y) { return joint_->column_second_rate(x, y, k); });
  }
  void column_second_partials(const T* q, Motion<T>* out) const override {
    Motion<N> partials[max_nv * max_nv * max_nv];
    Call::each([&](const Call& call) {
      joint_->column_second_partials(Numbers(q, this->nq, call).x, partials);
      put(partials, this->nv * this->nv * this->nv, out, call);
    });
  }
  void column_rate_second_partials(const T* q, const T* nu, Motion<T>* out) const override {
    Motion<N> partials[max_nv * max_nv];
    Call::each([&](const Call& call) {
      joint_->column_rate_second_partials(Numbers(q, this->nq, call).x, Numbers(nu, this->nv, call).x, partials);
      put(partials, this->nv * this->nv, out, call);
    });
  }
  bool integrate_partials(const T* q, const T* dv, ManifoldPartials<T>& out) const override {
    return partials(out, [&](const Call& call, ManifoldPartials<N>& of_call) {
      return joint_->integrate_partials(Numbers(q, this->nq, call).x, Numbers(dv, this->nv, call).x, of_call);
    });
  }
  bool difference_partials(const T* q0, const T* q1, ManifoldPartials<T>& out) const override {
    return partials(out, [&](const Call& call, ManifoldPartials<N>& of_call) {
      return joint_->difference_partials(Numbers(q0, this->nq, call).x, Numbers(q1, this->nq, call).x, of_call);
    });
  }
  bool integrate_along(const T* q, const T* dv, const T* x, T* out) const override {
    return along(out, [&](const Call& call, N* of_call) {
      return joint_->integrate_along(Numbers(q, this->nq, call).x, Numbers(dv, this->nv, call).x,
                                     Numbers(x, this->nv, call).x, of_call);
    });
  }
  bool difference_along(const T* q0, const T* q1, const T* x0, const T* x1, T* out) const override {
    return along(out, [&](const Call& call, N* of_call) {
      return joint_->difference_along(Numbers(q0, this->nq, call).x, Numbers(q1, this->nq, call).x,
                                      Numbers(x0, this->nv, call).x, Numbers(x1, this->nv, call).x, of_call);
    });
  }
  bool spring_force(const T* rest, const T* q, const T* stiffness, T* out) const override {
    return along(out, [&](const Call& call, N* of_call) {
      return joint_->spring_force(Numbers(rest, this->nq, call).x, Numbers(q, this->nq, call).x,
                                  Numbers(stiffness, this->nv, call).x, of_call);
    });
  }
  bool spring_force_partials(const T* rest, const T* q, const T* stiffness, T* out) const override {
    bool known = true;
    Call::each([&](const Call& call) {
      N of_call[max_nv * max_nv];
      known = joint_->spring_force_partials(Numbers(rest, this->nq, call).x, Numbers(q, this->nq, call).x,
                                            Numbers(stiffness, this->nv, call).x, of_call) &&
              known;
      if (known) put(of_call, this->nv * this->nv, out, call);
    });
    return known;
  }
  void neutral(T* q) const override {
    configuration(q, [&](const Call&, N* out) { joint_->neutral(out); });
  }
  void integrate(const T* q, const T* dv, T* out) const override {
    configuration(out, [&](const Call& call, N* reached) {
      joint_->integrate(Numbers(q, this->nq, call).x, Numbers(dv, this->nv, call).x, reached);
    });
  }
  void difference(const T* q0, const T* q1, T* dv) const override {
    T step[max_nv];
    Call::each([&](const Call& call) {
      Numbers of_call;
      joint_->difference(Numbers(q0, this->nq, call).x, Numbers(q1, this->nq, call).x, of_call.x);
      put(of_call.x, this->nv, step, call);
    });
    std::copy(step, step + this->nv, dv);
  }
  void random(const Uniform& uniform, T* q) const override {
    configuration(q, [&](const Call&, N* out) { joint_->random(uniform, out); });
  }
  void normalize(T* q) const override {
    configuration(q, [&](const Call& call, N* out) {
      std::copy_n(Numbers(q, this->nq, call).x, this->nq, out);
      joint_->normalize(out);
    });
  }
  /// Returns the largest violation of all states.
  double violation(const T* q) const override {
    T of_states(0);
    Call::each([&](const Call& call) { call.put(of_states, joint_->violation(Numbers(q, this->nq, call).x)); });
    return farthest_from(0.0, of_states);
  }
  void cast_to(CustomPointer<float>& out) const override { joint_->cast_to(out); }
  void cast_to(CustomPointer<double>& out) const override { joint_->cast_to(out); }
  void cast_to(CustomPointer<long double>& out) const override { joint_->cast_to(out); }
  void cast_to(CustomPointer<std::complex<double>>& out) const override { joint_->cast_to(out); }
  void cast_to(CustomPointer<AnyScalar>& out) const override { joint_->cast_to(out); }

 private:
  /// The converted arguments of one call.
  struct Numbers {
    N x[max_nq];
    Numbers() = default;
    Numbers(const T* from, int n, const Call& call) {
      for (int i = 0; i < n; ++i) x[i] = call.get(from[i]);
    }
  };

  /// Reads a pose, an array of numbers, through the call.
  template <template <class> class Of>
  static Of<N> read(const Of<T>& x, const Call& call) {
    Of<N> out;
    for (std::size_t i = 0; i < sizeof(Of<N>) / sizeof(N); ++i)
      reinterpret_cast<N*>(&out)[i] = call.get(reinterpret_cast<const T*>(&x)[i]);
    return out;
  }
  template <class Of, class To>
  static void put(const Of& x, To& to, const Call& call) {
    static_assert(sizeof(To) == sizeof(Of) / sizeof(N) * sizeof(T));
    for (std::size_t i = 0; i < sizeof(Of) / sizeof(N); ++i)
      call.put(reinterpret_cast<T*>(&to)[i], reinterpret_cast<const N*>(&x)[i]);
  }
  template <class Of, class To>
  static void put(const Of* x, int n, To* to, const Call& call) {
    for (int i = 0; i < n; ++i) put(x[i], to[i], call);
  }
  template <class F>
  Motion<T> motion(const T* q, const T* nu, F&& f) const {
    Motion<T> out;
    Call::each(
        [&](const Call& call) { put(f(Numbers(q, this->nq, call).x, Numbers(nu, this->nv, call).x), out, call); });
    return out;
  }
  template <class F>
  static bool partials(ManifoldPartials<T>& out, F&& f) {
    bool known = true;
    ManifoldPartials<N> of_call{};
    Call::each([&](const Call& call) {
      known = f(call, of_call) && known;
      put(of_call, out, call);
    });
    return known;
  }
  template <class F>
  bool along(T* out, F&& f) const {
    bool known = true;
    T result[max_nv];
    Call::each([&](const Call& call) {
      Numbers of_call;
      known = f(call, of_call.x) && known;
      if (known) put(of_call.x, this->nv, result, call);
    });
    if (known) std::copy(result, result + this->nv, out);
    return known;
  }
  /// Writes a configuration after all inputs have been read, since the two may overlap.
  template <class F>
  void configuration(T* out, F&& f) const {
    T q[max_nq];
    Call::each([&](const Call& call) {
      Numbers of_call;
      f(call, of_call.x);
      put(of_call.x, this->nq, q, call);
    });
    std::copy(q, q + this->nq, out);
  }

  CustomPointer<N> joint_;
};

/// Returns a user's joint over T. It calls the members over T if they are compiled for T, otherwise over AnyScalar or
/// over the numbers of a pack. Returns null if the members are not templates on the scalar.
template <class T, class S>
CustomPointer<T> over(const CustomPointer<S>& joint) {
  CustomPointer<T> found;
  if constexpr (std::is_same_v<T, S>) {
    found = joint;
  } else if constexpr (states_of<T> != 1) {
    found = by_lane<T>(over<typename NumberOf<T>::Type>(joint));
  } else if constexpr (requires { joint->cast_to(found); }) {
    joint->cast_to(found);
  } else if constexpr (requires(const T& x) { static_cast<double>(ScalarValue<T>::of(x)); }) {
    using Converted = ConvertedJoint<T, typename NumbersOf<T>::Call>;
    CustomPointer<AnyScalar> any;
    joint->cast_to(any);
    if (any && any->nq <= Converted::max_nq) found = std::make_shared<const Converted>(any);
  }
  return found;
}

}}}  // namespace corio::joint
