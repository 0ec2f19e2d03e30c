#pragma once

#include "contracts/operations.hpp"
#include "corio/algorithms/derivatives/centroidal_momentum_derivatives.hpp"
#include "corio/algorithms/dynamics/locked_decoupled.hpp"
#include "support/call_with_state.hpp"

/// How the table is written: results of every type as numbers, and operations from a pair of calls.
namespace corio::test {

// ---- Calls f(part) once for each vector, matrix or number of a result

template <class A, class F>
void parts(const Eigen::DenseBase<A>& x, F&& f) {
  f(x.derived());
}
template <class S, class F>
void parts(const Motion<S>& x, F&& f) {
  f(x.vector());
}
template <class S, class F>
void parts(const Force<S>& x, F&& f) {
  f(x.vector());
}
template <class S, class F>
void parts(const Pose<S>& x, F&& f) {
  f(x.rotation), f(x.translation);
}
template <class S, class F>
void parts(const CoriolisMatrices<S>& x, F&& f) {
  f(x.C), f(x.M), f(x.Mdot);
}
template <class S, class F>
void parts(const CoriolisMatricesDot<S>& x, F&& f) {
  f(x.C), f(x.M), f(x.Mdot), f(x.Cdot);
}
template <class S, class F>
void parts(const GeneralizedMomentumResult<S>& x, F&& f) {
  f(x.p), f(x.drift);
}
template <class S, class F>
void parts(const InverseDynamicsDerivativesResult<S>& x, F&& f) {
  f(x.dtau_dq), f(x.dtau_dv), f(x.M);
}
template <class S, class F>
void parts(const CentroidalMomentumDerivativesResult<S>& x, F&& f) {
  f(x.dh_dq), f(x.dhdot_dq), f(x.dhdot_dv), f(x.A);
}
template <class S, class F>
void parts(const PassiveForceDerivativesResult<S>& x, F&& f) {
  f(x.dtau_dq), f(x.dtau_dv);
}
template <class S, class F>
void parts(const InverseDynamicsHessianResult<S>& x, F&& f) {
  f(x.qq), f(x.vq), f(x.vv), f(x.aq);
}
template <class S, class F>
void parts(const ForwardDynamicsDerivativesResult<S>& x, F&& f) {
  f(x.da_dq), f(x.da_dv), f(x.da_dtau);
}
template <class S, class F>
void parts(const HybridDynamicsResult<S>& x, F&& f) {
  f(x.a), f(x.tau);
}
template <class S, class F>
void parts(const HybridDynamicsDerivativesResult<S>& x, F&& f) {
  f(x.dz_dq), f(x.dz_dv), f(x.dz_du);
}
template <class S, class F>
void parts(const ForwardDynamicsHessianResult<S>& x, F&& f) {
  f(x.qq), f(x.vq), f(x.vv), f(x.tau_q);
}
template <class S, class F>
void parts(const ComDecoupledResult<S>& x, F&& f) {
  f(x.M), f(x.C), f(x.g), f(x.A), f(x.Adot), f(x.J_com), f(x.Jdot), f(Eigen::Matrix<S, 1, 1>(x.mass));
}
template <class S, class F>
void parts(const LockedDecoupledResult<S>& x, F&& f) {
  f(x.M), f(x.C_shape), f(x.C_locked), f(x.g), f(x.A), f(x.Adot);
}
template <class S, class F>
void parts(const JacobianDerivatives<S>& x, F&& f) {
  for (int l = 0; l < x.size(); ++l) f(x.along(l));
}
template <class T>
concept ThirdOrder = requires(const T& t) {
  t.size();
  t(0, 0, 0);
};
template <ThirdOrder T, class F>
void parts(const T& t, F&& f) {
  using S = std::decay_t<decltype(t(0, 0, 0))>;
  const int n = t.size();
  VectorX<S> all(static_cast<Eigen::Index>(n) * n * n);
  for (Eigen::Index i = 0; i < all.size(); ++i)
    all[i] = t(static_cast<int>(i) / (n * n), static_cast<int>(i) / n % n, static_cast<int>(i) % n);
  f(all);
}
template <class S, class F>
void parts(const InverseDynamicsSecondDerivativesResult<S>& x, F&& f) {
  parts(x.d2tau_dqdq, f), parts(x.d2tau_dvdq, f), parts(x.d2tau_dvdv, f), parts(x.dM_dq, f);
}

/// A part of a larger matrix, the rest of which must not change; out() is for a matrix, vector() for one column.
template <class S>
class Framed {
 public:
  Framed(Eigen::Index rows, Eigen::Index cols)
      : around_(MatrixX<S>::Constant(rows + 2 * margin, cols + 2 * margin, S(1234.5))), rows_(rows), cols_(cols) {}
  // Copies if a move is possible: a plain matrix of Eigen knows no model, so these tests do not concern it.
  Framed(const Framed&) = default;
  Framed& operator=(const Framed&) = default;
  auto out() { return around_.block(margin, margin, rows_, cols_); }
  auto out() const { return around_.block(margin, margin, rows_, cols_); }
  auto vector() { return around_.col(margin).segment(margin, rows_); }
  bool intact() const {
    MatrixX<S> rest = around_;
    rest.block(margin, margin, rows_, cols_).setConstant(S(1234.5));
    for (Eigen::Index i = 0; i < rest.size(); ++i)
      if (in_any_state(detail::real_value(rest.data()[i]) != 1234.5)) return false;
    return true;
  }

 private:
  // Exceeds the longest block of numbers that is written at once.
  static constexpr int margin = 9;
  MatrixX<S> around_;
  Eigen::Index rows_, cols_;
};
template <class S, class F>
void parts(const Framed<S>& x, F&& f) {
  f(x.out());
}

// Compiled once for every type of result, not for every operation.
template <class S, class T>
VectorX<S> numbers_of(const void* result) {
  std::vector<S> all;
  parts(*static_cast<const T*>(result), [&all](const Eigen::Ref<const MatrixX<S>>& part) {
    for (Eigen::Index j = 0; j < part.cols(); ++j)
      for (Eigen::Index i = 0; i < part.rows(); ++i) all.push_back(part(i, j));
  });
  return Eigen::Map<const VectorX<S>>(all.data(), static_cast<Eigen::Index>(all.size()));
}
template <class S, class T>
std::vector<Memory<S>> memory_of(const void* result) {
  std::vector<Memory<S>> all;
  parts(*static_cast<const T*>(result), [&all](const auto& part) { all.push_back({part.data(), part.size()}); });
  return all;
}
template <class T>
Object object(T x) {
  return Object(new T(std::move(x)), [](void* y) { delete static_cast<T*>(y); });
}

/// The target of functions that return their result.
struct Nothing {};

template <class S, class Out>
Target<S> target(Out out) {
  Target<S> all;
  all.object = object(std::move(out));
  all.move_away = [](void* x) { [[maybe_unused]] const Out elsewhere = std::move(*static_cast<Out*>(x)); };
  if constexpr (std::is_same_v<Out, Framed<S>>)
    all.intact = [](const void* x) { return static_cast<const Out*>(x)->intact(); };
  return all;
}

/// Makes a form from a function of (model, data, arguments) or (model, data, arguments, out) that returns its result as
/// a value or as a reference into Data, or returns nothing because it wrote to `out`.
template <class S, class Out, class F>
typename Operation<S>::Form form(F f) {
  return [f](const Model<S>& m, Data<S>& d, const Arguments<S>& x, void* out, Result<S>& result) {
    const auto call = [&]() -> decltype(auto) {
      if constexpr (std::is_same_v<Out, Nothing>)
        return f(m, d, x);
      else
        return f(m, d, x, *static_cast<Out*>(out));
    };
    using Returned = decltype(call());
    using T = std::remove_cvref_t<Returned>;
    if constexpr (std::is_void_v<Returned>) {
      call(), result.at = out, result.numbers = numbers_of<S, Out>;
    } else {
      result.numbers = numbers_of<S, T>;
      if constexpr (std::is_reference_v<Returned>)
        result.at = &call(), result.memory = memory_of<S, T>;
      else if (result.value)
        *static_cast<T*>(result.value.get()) = call();
      else
        result.value = object<T>(call()), result.at = result.value.get();
    }
  };
}

/// Wraps a number in a matrix of one entry.
template <class S>
Eigen::Matrix<S, 1, 1> one(const S& x) {
  return Eigen::Matrix<S, 1, 1>(x);
}

/// The arguments after the state in a call, as functions of (model, arguments, target).
namespace given {

inline constexpr auto x = [](auto&, auto& all, auto&...) { return all.x(); };
inline constexpr auto y = [](auto&, auto& all, auto&...) { return all.y(); };
inline constexpr auto a = [](auto&, auto& all, auto&...) { return all.a(); };
inline constexpr auto forces = [](auto&, auto& all, auto&...) -> auto& { return all.forces; };
inline constexpr auto prescribed = [](auto&, auto& all, auto&...) -> auto& { return all.prescribed; };
inline constexpr auto out = [](auto&, auto&, auto& object) -> auto& { return object; };
inline constexpr auto matrix = [](auto&, auto&, auto& framed) { return framed.out(); };
inline constexpr auto column = [](auto&, auto&, auto& framed) { return framed.vector(); };
inline constexpr auto always = [](auto value) { return [value](auto&...) { return value; }; };

}  // namespace given

/// CORIO_FUNCTION for a function whose result is a number.
#define CORIO_NUMBER(f) #f, [](auto&&... all) { return one(f(all...)); }

/// Builds a table. Each entry gives the pass that its second form reuses, the function, and the arguments after the
/// state in both forms.
template <class S>
struct Table {
  using M = const Model<S>&;
  std::vector<Operation<S>> all;

  template <Pass pass, class F, class... Rest>
  Operation<S>& add(std::string function, F f, Rest... rest) {
    return add_forms(
        std::move(function), pass,
        [=](auto& m, auto& d, auto& x) -> decltype(auto) { return call_with_state<pass>(f, m, d, x, rest(m, x)...); },
        [=](auto& m, auto& d, auto& x) -> decltype(auto) { return f(m, d, rest(m, x)...); });
  }
  /// Adds a function that writes to the object that make(model) returns: given::out, or a part of the object.
  template <Pass pass, class F, class Make, class... Rest>
  Operation<S>& into(std::string function, F f, Make make, Rest... rest) {
    return into_forms(
        std::move(function), pass, make,
        [=](auto& m, auto& d, auto& x, auto& out) { call_with_state<pass>(f, m, d, x, rest(m, x, out)...); },
        [=](auto& m, auto& d, auto& x, auto& out) { f(m, d, rest(m, x, out)...); });
  }

  /// Adds a function with two forms of its own: f(model, data, arguments), and for into_forms f(model, data, arguments,
  /// object).
  template <class Complete, class Reuse>
  Operation<S>& add_forms(std::string function, Pass pass, Complete complete, Reuse reuse) {
    Operation<S>& f = all.emplace_back();
    f.function = std::move(function), f.pass = pass;
    f.complete = form<S, Nothing>(complete), f.reuse = form<S, Nothing>(reuse);
    return f;
  }
  template <class Make, class Complete, class Reuse>
  Operation<S>& into_forms(std::string function, Pass pass, Make make, Complete complete, Reuse reuse) {
    using Out = decltype(make(std::declval<M>()));
    Operation<S>& f = all.emplace_back();
    f.function = std::move(function), f.pass = pass;
    f.make = [make](M model) { return target<S, Out>(make(model)); };
    f.complete = form<S, Out>(complete), f.reuse = form<S, Out>(reuse);
    return f;
  }
  /// Adds a second form alone: the pass before it stands in for the first form.
  template <Pass pass, class Reuse>
  Operation<S>& add_reuse(std::string function, Reuse reuse) {
    return add_forms(
        std::move(function), pass,
        [reuse](auto& m, auto& d, auto& x) -> decltype(auto) { return run_pass(m, d, x, pass), reuse(m, d, x); },
        reuse);
  }
  template <Pass pass, class Make, class Reuse>
  Operation<S>& into_reuse(std::string function, Make make, Reuse reuse) {
    return into_forms(
        std::move(function), pass, make,
        [reuse](auto& m, auto& d, auto& x, auto& out) { run_pass(m, d, x, pass), reuse(m, d, x, out); }, reuse);
  }
};

}  // namespace corio::test
