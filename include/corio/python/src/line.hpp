#pragma once
// Converts a line of the table to calls for a Model and for a Mechanism, for one state and for packs of states.

#include <tuple>

#include "corio/algorithms/coriolis/coriolis_by_differentiation.hpp"
#include "corio/algorithms/dynamics/com_decoupled.hpp"
#include "corio/algorithms/dynamics/locked_decoupled.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "corio/algorithms/geometry/hamel_equations.hpp"
#include "corio/cartesian/lagrangian.hpp"
#include "corio/cartesian/pseudo_inverse.hpp"
#include "corio/cartesian/wrenches_at_points.hpp"
#include "corio/loops/constrained_dynamics_derivatives.hpp"
#include "corio/mechanism/constrained_inverse_dynamics_derivatives.hpp"
#include "robot.hpp"

namespace corio::python {

template <class X, template <class> class Result>
constexpr bool is = false;
template <class S, template <class> class Result>
constexpr bool is<Result<S>, Result> = true;
template <class X, template <class> class... Result>
concept OneOf = (is<X, Result> || ...);

/// Calls f(part) for every vector, matrix or number of a result, in the order of the signature.
template <class X, class F>
void parts(const X& x, F&& f) {
  const auto all = [&](const auto&... part) { (f(part), ...); };
  if constexpr (OneOf<X, GeneralizedMomentumResult, PassiveForceDerivativesResult, HybridDynamicsResult>) {
    const auto& [a, b] = x;
    all(a, b);
  } else if constexpr (OneOf<X, ConstrainedMotion, ConstrainedImpulseResult, CartesianForcesResult,
                             InverseDynamicsTimeDerivatives>) {
    const auto& [a, b, unused] = x;
    all(a, b);
  } else if constexpr (OneOf<X, CoriolisMatrices, InverseDynamicsDerivativesResult, ForwardDynamicsDerivativesResult,
                             EnergyResult, HybridDynamicsDerivativesResult, LagrangianFormResult,
                             BodyParameterDerivatives, DriveForceDerivatives>) {
    const auto& [a, b, c] = x;
    all(a, b, c);
  } else if constexpr (OneOf<X, WrenchesAtPointsResult, DriveForces>) {
    const auto& [a, b, c, unused] = x;
    all(a, b, c);
  } else if constexpr (OneOf<X, CoriolisMatricesDot, CentroidalMomentumDerivativesResult, InverseDynamicsHessianResult,
                             ForwardDynamicsHessianResult>) {
    const auto& [a, b, c, d] = x;
    all(a, b, c, d);
  } else if constexpr (OneOf<X, HamelEquationsResult, LockedDecoupledResult, ConstrainedMotionDerivatives>) {
    const auto& [a, b, c, d, e, g] = x;
    all(a, b, c, d, e, g);
  } else if constexpr (OneOf<X, ComDecoupledResult>) {
    const auto& [a, b, c, d, e, g, h, i] = x;
    all(a, b, c, d, e, g, h, i);
  } else if constexpr (OneOf<X, GeneralizedVelocitiesResult>) {
    all(x.v, x.residual);
  } else if constexpr (OneOf<X, InverseDynamicsSecondDerivativesResult>) {
    all(x.d2tau_dqdq, x.d2tau_dvdq, x.d2tau_dvdv, x.dM_dq);
  } else if constexpr (OneOf<X, JacobianDerivatives>) {
    all(x, x.jacobian());
  } else if constexpr (OneOf<X, Pose>) {
    all(x.rotation, x.translation);
  } else if constexpr (OneOf<X, Motion, Force>) {
    f(x.vector());
  } else {
    f(x);
  }
}
template <class S, class F>
void parts(const PerBody<Pose<S>>& all, F&& f) {
  std::vector<Matrix3<S>> rotations;
  std::vector<Vector3<S>> translations;
  for (const auto& x : all) rotations.push_back(x.rotation), translations.push_back(x.translation);
  f(rotations), f(translations);
}

template <class S>
using RowMajor = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Writes numbers as numpy has them, row by row, and moves `to` past them.
template <class S, class X>
void write(const X& x, S*& to) {
  if constexpr (std::is_same_v<X, S>) {
    *to++ = x;
  } else if constexpr (requires { x(0, 0, 0); }) {
    int rows = x.size();
    if constexpr (requires { x.jacobian(); }) rows = 6;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < x.size(); ++j)
        for (int k = 0; k < x.size(); ++k) *to++ = x(i, j, k);
  } else if constexpr (requires { x.rows(); }) {
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      for (Eigen::Index j = 0; j < x.cols(); ++j) *to++ = x(i, j);
  } else {
    for (const auto& part : x) write(part, to);
  }
}
template <class S, class R>
void write_result(const R& x, S* const* out) {
  parts(x, [&](const auto& part) {
    S* to = *out++;
    write(part, to);
  });
}

/// The arguments of one call.
template <class R>
struct Arguments {
  using Robot = R;
  using S = typename Robot::Scalar;
  const Robot& robot;
  const S* const* in;
  S* const* out;
  const Constants& c;
  std::vector<ExternalForce<S>> external;

  Eigen::Map<const VectorX<S>> vector(std::size_t i) const { return {in[i], c.inputs[i].size()}; }
  /// q, v or a.
  Eigen::Map<const VectorX<S>> state(std::size_t i) const { return {in[i], i == 0 ? robot.tree().nq() : robot.nv()}; }
  FramePoint<S> place(const Constants::Place& x) const {
    const Vector3<S> point = x.point < 0 ? zero3<S>() : Vector3<S>(in[x.point][0], in[x.point][1], in[x.point][2]);
    return {robot.tree().frame(x.frame), x.reference, point};
  }
};

// The arguments after the state in a call.
template <class T>
using Plain = std::remove_cvref_t<T>;
template <std::size_t i>
inline constexpr auto vector = [](auto& x) { return x.vector(i); };
template <std::size_t i>
inline constexpr auto matrix = [](auto& x) {
  return Eigen::Map<const RowMajor<typename Plain<decltype(x)>::S>>(x.in[i], x.c.inputs[i].rows, x.c.inputs[i].cols);
};
template <int i>
inline constexpr auto three =
    [](auto& x) { return Vector3<typename Plain<decltype(x)>::S>(x.in[i][0], x.in[i][1], x.in[i][2]); };
template <int i>
inline constexpr auto scalar = [](auto& x) { return x.in[i][0]; };
template <int i = 0>
inline constexpr auto number = [](auto& x) { return x.c.numbers[i]; };
inline constexpr auto integer = [](auto& x) { return static_cast<int>(x.c.numbers[0]); };
template <class E, int i = 0>
inline constexpr auto choice = [](auto& x) { return static_cast<E>(x.c.choices[i]); };
inline constexpr auto joints = [](auto& x) -> std::vector<int> { return x.robot.v_indices(x.c.joints); };
template <std::size_t i = 0>
inline constexpr auto place = [](auto& x) { return x.place(x.c.places[i]); };
inline constexpr auto places = [](auto& x) {
  std::vector<FramePoint<typename Plain<decltype(x)>::S>> all;
  for (const auto& one : x.c.places) all.push_back(x.place(one));
  return all;
};
inline constexpr auto frame = [](auto& x) -> auto& { return x.robot.tree().frame(x.c.places[0].frame); };
inline constexpr auto body = [](auto& x) -> auto& { return x.robot.tree().body(x.c.places[0].frame); };
struct FindLoops {
  template <class A>
  requires std::is_same_v<typename A::Robot, Model<double>>
  const Loops<double>& operator()(A& x) const { return *x.c.loops; }
};
inline constexpr FindLoops loops;
inline constexpr auto forces = [](auto& x) -> auto& {
  for (std::size_t i = x.c.first_force; const auto& at : x.c.forces) {
    const auto* const F = x.in[i++];
    x.external.emplace_back(x.place(at), Force<typename Plain<decltype(x)>::S>{{F[0], F[1], F[2]}, {F[3], F[4], F[5]}});
  }
  return x.external;
};

/// Passes output i, a matrix or a vector, to the function, which writes it.
template <std::size_t i>
inline constexpr auto out = [](auto& x) {
  return Eigen::Map<RowMajor<typename Plain<decltype(x)>::S>>(x.out[i], x.c.outputs[i].rows, x.c.outputs[i].cols);
};
template <std::size_t i>
inline constexpr auto out_vector =
    [](auto& x) { return Eigen::Map<VectorX<typename Plain<decltype(x)>::S>>(x.out[i], x.c.outputs[i].size()); };
/// Matrices side by side, D(r, l nv + k) for an output D[r,l,k].
inline constexpr auto pages = [](auto& x) {
  const auto [rows, n] = x.c.outputs[0];
  return Eigen::Map<RowMajor<typename Plain<decltype(x)>::S>>(x.out[0], rows / n, n * n);
};
/// Passes an object, made by T() or T(robot), to the function, which writes it; the parts of the object are the
/// outputs.
template <class T>
struct Written : T {
  using T::T;
};
template <template <class> class T>
struct MakeObject {
  template <class A, class X = Written<T<typename A::S>>>
  requires(std::is_default_constructible_v<X> || std::is_constructible_v<X, const typename A::Robot&>) X operator()(
      A& x) const {
    if constexpr (std::is_default_constructible_v<X>)
      return X();
    else
      return X(x.robot);
  }
};
template <template <class> class T>
inline constexpr MakeObject<T> object;
/// A matrix that the function resizes.
template <class S>
using Resized = MatrixX<S>;
template <class T, class S>
void finish(const T&, S* const*) {}
template <class T, class S>
void finish(const Written<T>& x, S* const* out) {
  write_result(static_cast<const T&>(x), out);
}

/// Whether f(robot, data, q, v, a, rest..) exists with the part of the state that pass says, and f(robot, data,
/// rest..).
template <Pass pass, class F, class R, class... Rest>
struct Forms {
  template <std::size_t>
  using In = Eigen::Map<const VectorX<typename R::Scalar>>;
  using State = std::make_index_sequence<static_cast<std::size_t>(pass)>;
  template <std::size_t... i>
  static constexpr bool takes_state(std::index_sequence<i...>) {
    return std::is_invocable_v<const F&, const R&, DataOf<R>&, In<i>..., Rest...>;
  }
  static constexpr bool whole = takes_state(State());
  static constexpr bool reuses = std::is_invocable_v<const F&, const R&, DataOf<R>&, Rest...>;

  /// Calls one of them; the second one after the kinematics pass, which Python's form without a state leaves out.
  template <std::size_t... i>
  static decltype(auto) call(std::index_sequence<i...>, const F& f, const R& r, DataOf<R>& d, const Arguments<R>& x,
                             Rest... rest) {
    if constexpr (reuses)
      if (x.c.reuse) return f(r, d, rest...);
    if (x.c.reuse) throw StateError("this function has no form for the state in data, for this robot");
    if constexpr (whole) {
      return f(r, d, x.state(i)..., rest...);
    } else {
      // For one place, the bodies that carry it are enough.
      if constexpr (std::is_same_v<std::tuple<FramePoint<typename R::Scalar>&>, std::tuple<Rest...>>)
        body_kinematics(r, d, x.state(i)..., rest...);
      else
        forward_kinematics(r, d, x.state(i)...);
      return f(r, d, rest...);
    }
  }
};

/// The robots that a line takes; rows of states go by packs where corio::batch has the function. A line without a robot
/// gets a model that it does not use.
enum Robots { models = 1, mechanisms = 2, packs = 4, all = models | mechanisms, no_robot = 8 };

/// The forms of F with rest as its functions give it.
template <Pass pass, class F, class R, class... Rest>
using FormsOf = Forms<pass, F, R, std::invoke_result_t<const Rest&, Arguments<R>&>&...>;
template <Pass pass, class F, class R, class... Rest>
constexpr bool takes() {
  if constexpr ((std::is_invocable_v<const Rest&, Arguments<R>&> && ...))
    return FormsOf<pass, F, R, Rest...>::whole || FormsOf<pass, F, R, Rest...>::reuses;
  else
    return false;
}

struct Table {
  /// f(robot, data, x) writes the outputs.
  template <int robots = all, class F>
  void add_call(const std::string& signature, F, std::size_t state = 3) {
    Entry e;
    const auto add_body = [&]<class R>(std::type_identity<R>) {
      std::get<Body<R>>(e) = [](const R& r, DataOf<R>& d, const auto* const* in, auto* const* out, const Constants& c) {
        Arguments<R> x{r, in, out, c, {}};
        F()(r, d, x);
      };
    };
    if constexpr (robots & (models | no_robot)) add_body(std::type_identity<Model<double>>());
    if constexpr (robots & mechanisms) add_body(std::type_identity<Mechanism<double>>());
#ifndef CORIO_PYTHON_NO_PACKS
    if constexpr (robots & packs) add_body(std::type_identity<Model<Pack8>>());
#endif
    lines.push_back({signature, e, state, !(robots & no_robot)});
  }
  /// Adds a function of corio for the robots that its declarations take; `rest` are the arguments after the state.
  /// Outputs are its result, or the objects among `rest` that it writes.
  template <Pass pass, int further = 0, class F, class... Rest>
  void add(const std::string& signature, F, Rest...) {
    constexpr int robots = further | (takes<pass, F, Model<double>, Rest...>() ? models : 0) |
                           (takes<pass, F, Mechanism<double>, Rest...>() ? mechanisms : 0);
    static_assert(robots & all);
    add_call<robots>(
        signature,
        []<class R>(const R& r, auto& d, Arguments<R>& x) {
          using Calls = FormsOf<pass, F, R, Rest...>;
          std::tuple<std::invoke_result_t<const Rest&, Arguments<R>&>...> rest{Rest()(x)...};
          std::apply(
              [&](auto&... one) {
                const auto call = [&]() -> decltype(auto) {
                  return Calls::call(typename Calls::State(), F(), r, d, x, one...);
                };
                if constexpr (std::is_void_v<decltype(call())>) {
                  call();
                  (finish(one, x.out), ...);
                } else {
                  write_result(call(), x.out);
                }
              },
              rest);
        },
        static_cast<std::size_t>(pass));
  }
};

/// "f(arguments) -> results" for corio's function f.
#define CORIO_LINE(pass, f, text, ...) \
  t.add<Pass::pass>(#f text, [](auto&&... x) -> decltype(f(x...)) { return f(x...); } __VA_OPT__(, ) __VA_ARGS__)
/// With rows of states by packs.
#define CORIO_PACKS(pass, f, text, ...) \
  t.add<Pass::pass, packs>(#f text, [](auto&&... x) -> decltype(f(x...)) { return f(x...); } __VA_OPT__(, ) __VA_ARGS__)

/// A part of the table: rows that add to `t`.
#define CORIO_TABLE(part)                                     \
  namespace corio::python {                                   \
  static void add_##part(Table t);                            \
  static const bool has_##part = (add_##part(Table()), true); \
  }                                                           \
  void corio::python::add_##part([[maybe_unused]] Table t)

}  // namespace corio::python
