#pragma once

#include "corio/joints/custom.hpp"
#include "corio/simd/state_pack.hpp"

namespace corio::inline CORIO_ABI::joint {

/// A user's joint over packs: its members are called for each state by itself, so that they may branch on values and
/// need not compile for packs.
template <class P>
class CustomByLane final : public Custom<P> {
  using N = typename P::Number;

 public:
  static constexpr int max_nq = 16;

  explicit CustomByLane(CustomPointer<N> joint) : Custom<P>(joint->nq, joint->nv), joint_(std::move(joint)) {}

  Pose<P> compose(const Pose<P>& A, const P* q) const override {
    Pose<P> X;
    each([&](int l) { put(joint_->compose(lane(A, l), Numbers(q, this->nq, l).x), X, l); });
    return X;
  }
  void columns(const Pose<P>& X, const P* q, Motion<P>* phi) const override {
    Motion<N> out[max_nv];
    each([&](int l) {
      joint_->columns(lane(X, l), Numbers(q, this->nq, l).x, out);
      put(out, this->nv, phi, l);
    });
  }
  bool has_column_rates() const override { return joint_->has_column_rates(); }
  void column_rates(const Pose<P>& X, const P* q, const P* v, Motion<P>* rates) const override {
    Motion<N> out[max_nv];
    each([&](int l) {
      joint_->column_rates(lane(X, l), Numbers(q, this->nq, l).x, Numbers(v, this->nv, l).x, out);
      put(out, this->nv, rates, l);
    });
  }
  bool has_dual_form() const override { return joint_->has_dual_form(); }
  Motion<P> column_rate_partial(const P* q, const P* nu, int j) const override {
    return motion(q, nu, [&](const N* x, const N* y) { return joint_->column_rate_partial(x, y, j); });
  }
  Motion<P> column_second_rate(const P* q, const P* nu, int k) const override {
    return motion(q, nu, [&](const N* x, const N* y) { return joint_->column_second_rate(x, y, k); });
  }
  void column_second_partials(const P* q, Motion<P>* out) const override {
    Motion<N> partials[max_nv * max_nv * max_nv];
    each([&](int l) {
      joint_->column_second_partials(Numbers(q, this->nq, l).x, partials);
      put(partials, this->nv * this->nv * this->nv, out, l);
    });
  }
  void column_rate_second_partials(const P* q, const P* nu, Motion<P>* out) const override {
    Motion<N> partials[max_nv * max_nv];
    each([&](int l) {
      joint_->column_rate_second_partials(Numbers(q, this->nq, l).x, Numbers(nu, this->nv, l).x, partials);
      put(partials, this->nv * this->nv, out, l);
    });
  }
  bool integrate_partials(const P* q, const P* dv, ManifoldPartials<P>& out) const override {
    return partials(out, [&](int l, ManifoldPartials<N>& of_lane) {
      return joint_->integrate_partials(Numbers(q, this->nq, l).x, Numbers(dv, this->nv, l).x, of_lane);
    });
  }
  bool difference_partials(const P* q0, const P* q1, ManifoldPartials<P>& out) const override {
    return partials(out, [&](int l, ManifoldPartials<N>& of_lane) {
      return joint_->difference_partials(Numbers(q0, this->nq, l).x, Numbers(q1, this->nq, l).x, of_lane);
    });
  }
  bool integrate_along(const P* q, const P* dv, const P* x, P* out) const override {
    return along(out, [&](int l, N* of_lane) {
      return joint_->integrate_along(Numbers(q, this->nq, l).x, Numbers(dv, this->nv, l).x, Numbers(x, this->nv, l).x,
                                     of_lane);
    });
  }
  bool difference_along(const P* q0, const P* q1, const P* x0, const P* x1, P* out) const override {
    return along(out, [&](int l, N* of_lane) {
      return joint_->difference_along(Numbers(q0, this->nq, l).x, Numbers(q1, this->nq, l).x,
                                      Numbers(x0, this->nv, l).x, Numbers(x1, this->nv, l).x, of_lane);
    });
  }
  bool spring_force(const P* rest, const P* q, const P* stiffness, P* out) const override {
    return along(out, [&](int l, N* of_lane) {
      return joint_->spring_force(Numbers(rest, this->nq, l).x, Numbers(q, this->nq, l).x,
                                  Numbers(stiffness, this->nv, l).x, of_lane);
    });
  }
  bool spring_force_partials(const P* rest, const P* q, const P* stiffness, P* out) const override {
    bool known = true;
    each([&](int l) {
      N of_lane[max_nv * max_nv];
      known = joint_->spring_force_partials(Numbers(rest, this->nq, l).x, Numbers(q, this->nq, l).x,
                                            Numbers(stiffness, this->nv, l).x, of_lane) &&
              known;
      if (known) put(of_lane, this->nv * this->nv, out, l);
    });
    return known;
  }
  void neutral(P* q) const override {
    configuration(q, [&](int, N* out) { joint_->neutral(out); });
  }
  void integrate(const P* q, const P* dv, P* out) const override {
    configuration(out, [&](int l, N* reached) {
      joint_->integrate(Numbers(q, this->nq, l).x, Numbers(dv, this->nv, l).x, reached);
    });
  }
  void difference(const P* q0, const P* q1, P* dv) const override {
    P step[max_nv];
    each([&](int l) {
      Numbers of_lane;
      joint_->difference(Numbers(q0, this->nq, l).x, Numbers(q1, this->nq, l).x, of_lane.x);
      put(of_lane.x, this->nv, step, l);
    });
    std::copy(step, step + this->nv, dv);
  }
  void random(const Uniform& uniform, P* q) const override {
    configuration(q, [&](int, N* out) { joint_->random(uniform, out); });
  }
  void normalize(P* q) const override {
    configuration(q, [&](int l, N* out) {
      std::copy_n(Numbers(q, this->nq, l).x, this->nq, out);
      joint_->normalize(out);
    });
  }
  /// The largest of all states.
  double violation(const P* q) const override {
    P of_states(0);
    each([&](int l) { of_states.set(l, static_cast<N>(joint_->violation(Numbers(q, this->nq, l).x))); });
    return farthest_from(0.0, of_states);
  }
  void cast_to(CustomPointer<float>& out) const override { joint_->cast_to(out); }
  void cast_to(CustomPointer<double>& out) const override { joint_->cast_to(out); }
  void cast_to(CustomPointer<long double>& out) const override { joint_->cast_to(out); }
  void cast_to(CustomPointer<std::complex<double>>& out) const override { joint_->cast_to(out); }

 private:
  /// The numbers of one state.
  struct Numbers {
    N x[max_nq];
    Numbers() = default;
    Numbers(const P* from, int n, int l) {
      for (int i = 0; i < n; ++i) x[i] = from[i][l];
    }
  };

  template <class F>
  static void each(F&& f) {
    for (int l = 0; l < P::lanes; ++l) f(l);
  }
  /// State l of a pose or a motion, which are arrays of numbers.
  template <template <class> class T>
  static T<N> lane(const T<P>& x, int l) {
    T<N> out;
    for (std::size_t i = 0; i < sizeof(T<N>) / sizeof(N); ++i)
      reinterpret_cast<N*>(&out)[i] = reinterpret_cast<const P*>(&x)[i][l];
    return out;
  }
  template <class Of, class To>
  static void put(const Of& x, To& to, int l) {
    static_assert(sizeof(To) == sizeof(Of) / sizeof(N) * sizeof(P));
    for (std::size_t i = 0; i < sizeof(Of) / sizeof(N); ++i)
      reinterpret_cast<P*>(&to)[i].set(l, reinterpret_cast<const N*>(&x)[i]);
  }
  template <class Of, class To>
  static void put(const Of* x, int n, To* to, int l) {
    for (int i = 0; i < n; ++i) put(x[i], to[i], l);
  }
  template <class F>
  Motion<P> motion(const P* q, const P* nu, F&& f) const {
    Motion<P> out;
    each([&](int l) { put(f(Numbers(q, this->nq, l).x, Numbers(nu, this->nv, l).x), out, l); });
    return out;
  }
  template <class F>
  static bool partials(ManifoldPartials<P>& out, F&& f) {
    bool known = true;
    ManifoldPartials<N> of_lane{};
    each([&](int l) {
      known = f(l, of_lane) && known;
      put(of_lane, out, l);
    });
    return known;
  }
  template <class F>
  bool along(P* out, F&& f) const {
    bool known = true;
    P result[max_nv];
    each([&](int l) {
      Numbers of_lane;
      known = f(l, of_lane.x) && known;
      if (known) put(of_lane.x, this->nv, result, l);
    });
    if (known) std::copy(result, result + this->nv, out);
    return known;
  }
  /// Writes a configuration after all inputs have been read, since they may overlap.
  template <class F>
  void configuration(P* out, F&& f) const {
    P q[max_nq];
    each([&](int l) {
      Numbers of_lane;
      f(l, of_lane.x);
      put(of_lane.x, this->nq, q, l);
    });
    std::copy(q, q + this->nq, out);
  }

  CustomPointer<N> joint_;
};

template <class P>
requires(states_of<P> > 1) CustomPointer<P> by_lane(const CustomPointer<typename NumberOf<P>::Type>& joint) {
  if (!joint || joint->nq > CustomByLane<P>::max_nq) return nullptr;
  return std::make_shared<const CustomByLane<P>>(joint);
}

}  // namespace corio::joint
