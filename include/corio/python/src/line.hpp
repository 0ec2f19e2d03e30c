#pragma once
// Converts a line of the table to calls for a Model and for a Mechanism, for one state and for packs of states.

#include "corio/algorithms/coriolis/coriolis_by_differentiation.hpp"
#include "corio/algorithms/derivatives/com_jacobian_derivatives.hpp"
#include "corio/algorithms/dynamics/com_decoupled.hpp"
#include "corio/algorithms/dynamics/locked_decoupled.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "corio/algorithms/geometry/hamel_equations.hpp"
#include "robot.hpp"

namespace corio::python {

/// Calls f(part) for every vector, matrix or number of a result, in the order of the signature.
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
void parts(const Vector3<S>& x, F&& f) {
  f(x);
}
/// Defines it for a result that is a struct with these members.
#define CORIO_PARTS(Result, ...)                                   \
  template <class S, class F>                                      \
  void parts(const Result<S>& x, F&& f) {                          \
    const auto all = [&](const auto&... part) { (f(part), ...); }; \
    const auto& [__VA_ARGS__] = x;                                 \
    all(__VA_ARGS__);                                              \
  }
CORIO_PARTS(CoriolisMatrices, C, M, Mdot)
CORIO_PARTS(CoriolisMatricesDot, C, M, Mdot, Cdot)
CORIO_PARTS(GeneralizedMomentumResult, p, drift)
CORIO_PARTS(InverseDynamicsDerivativesResult, q, v, M)
CORIO_PARTS(ForwardDynamicsDerivativesResult, q, v, tau)
CORIO_PARTS(PassiveForceDerivativesResult, q, v)
CORIO_PARTS(CentroidalMomentumDerivativesResult, h_q, hdot_q, hdot_v, A)
CORIO_PARTS(InverseDynamicsHessianResult, qq, vq, vv, aq)
CORIO_PARTS(ForwardDynamicsHessianResult, qq, vq, vv, tauq)
CORIO_PARTS(HybridDynamicsResult, a, tau)
CORIO_PARTS(HybridDynamicsDerivativesResult, q, v, u)
CORIO_PARTS(HamelEquationsResult, p, pdot, slope, g, bracket, tau)
CORIO_PARTS(ComDecoupledResult, M, C, g, A, Adot, J, Jdot, mass)
CORIO_PARTS(LockedDecoupledResult, M, C_shape, C_locked, g, A, Adot)
CORIO_PARTS(EnergyResult, kinetic, potential, springs)
#undef CORIO_PARTS
template <class S, class F>
void parts(const InverseDynamicsTimeDerivatives<S>& x, F&& f) {
  f(x.tau), f(x.tau_dot);
}
template <class S, class F>
void parts(const InverseDynamicsSecondDerivativesResult<S>& x, F&& f) {
  f(x.d2tau_dqdq), f(x.d2tau_dvdq), f(x.d2tau_dvdv), f(x.dM_dq);
}
template <class T>
concept ThirdOrder = requires(const T& t) {
  t.size();
  t(0, 0, 0);
};

template <class S>
using RowMajor = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Numbers as numpy has them, row by row.
template <class S, class X>
void write(const X& x, S* to) {
  if constexpr (std::is_same_v<X, S>) {
    *to = x;
  } else if constexpr (ThirdOrder<X>) {
    for (int i = 0; i < x.size(); ++i)
      for (int j = 0; j < x.size(); ++j)
        for (int k = 0; k < x.size(); ++k) *to++ = x(i, j, k);
  } else {
    for (Eigen::Index i = 0; i < x.rows(); ++i)
      for (Eigen::Index j = 0; j < x.cols(); ++j) *to++ = x(i, j);
  }
}
template <class S, class R>
void write_result(const R& x, S* const* out) {
  if constexpr (std::is_same_v<R, S> || ThirdOrder<R>)
    write(x, *out);
  else
    parts(x, [&](const auto& part) { write(part, *out++); });
}

/// The arguments of one call.
template <class Robot>
struct Arguments {
  using S = typename Robot::Scalar;
  using In = Eigen::Map<const VectorX<S>>;
  const Robot& robot;
  const S* const* in;
  S* const* out;
  const Constants& c;
  std::vector<ExternalForce<S>> external;

  In q(int i) const { return {in[i], robot.tree().nq()}; }
  In v(int i) const { return {in[i], robot.nv()}; }
  FramePoint<S> place(std::size_t i) const {
    const auto& x = c.places[i];
    return {robot.tree().frame(x.frame), x.reference, x.point.template cast<S>()};
  }
};

/// The arguments after the state in a call.
namespace given {
template <int i>
inline constexpr auto vector = [](auto& x) { return x.v(i); };  // input i, of nv numbers
template <int i>
inline constexpr auto parameters = [](auto& x) {
  return typename std::remove_cvref_t<decltype(x)>::In{x.in[i], 10 * static_cast<int>(x.robot.tree().bodies().size())};
};
/// Makes T(robot), for into_object.
template <template <class> class T>
inline constexpr auto make = [](const auto& r) -> T<typename std::remove_cvref_t<decltype(r)>::Scalar>
requires std::is_constructible_v < T<double>,
decltype(r) > { return T<double>(r); };
inline constexpr auto speeds = [](auto& x) -> std::vector<int> { return x.robot.v_indices(x.c.joints); };
template <std::size_t i>
inline constexpr auto place = [](auto& x) { return x.place(i); };
inline constexpr auto forces = [](auto& x) -> auto& {
  using S = typename std::remove_cvref_t<decltype(x)>::S;
  if (!x.c.forces.empty()) {
    std::size_t i = x.c.first_force;
    for (const auto& at : x.c.forces) {
      const S* const F = x.in[i++];
      x.external.emplace_back(FramePoint<S>(x.robot.tree().frame(at.frame), at.reference, at.point.template cast<S>()),
                              Force<S>{{F[0], F[1], F[2]}, {F[3], F[4], F[5]}});
    }
  }
  return x.external;
};
}  // namespace given

/// The types of robots that a function takes are found from its declarations.
#define CORIO_FUNCTION(f) [](auto&&... all) -> decltype(f(all...)) { return f(all...); }

template <Pass pass, class F, class Robot, class... Rest>
constexpr bool takes_state() {
  using R = const Robot&;
  using D = DataOf<Robot>&;
  using In = typename Arguments<Robot>::In;
  if constexpr (pass == Pass::position)
    return std::is_invocable_v<const F&, R, D, In, Rest...>;
  else if constexpr (pass == Pass::velocity)
    return std::is_invocable_v<const F&, R, D, In, In, Rest...>;
  else
    return std::is_invocable_v<const F&, R, D, In, In, In, Rest...>;
}
template <Pass pass, class Robot, class F, class... Rest>
decltype(auto) with_state(const F& f, const Robot& r, DataOf<Robot>& d, Arguments<Robot>& x, Rest&&... rest) {
  if constexpr (std::is_invocable_v<const F&, const Robot&, DataOf<Robot>&, Rest&&...>) {
    if (x.c.reuse) return f(r, d, rest...);
  } else if (x.c.reuse) {
    throw StateError("this function has no form for the state in data, for this robot");
  }
  if constexpr (pass == Pass::position)
    return f(r, d, x.q(0), rest...);
  else if constexpr (pass == Pass::velocity)
    return f(r, d, x.q(0), x.v(1), rest...);
  else
    return f(r, d, x.q(0), x.v(1), x.v(2), rest...);
}

struct Line {
  const char* signature;
  Entry entry;
};
/// The robots a function takes; rows of states go by packs where corio::batch has the function.
enum Robots { models = 1, mechanisms = 2, packs = 4, all = models | mechanisms };

struct Table {
  std::vector<Line>& lines;

  /// f(robot, data, x) writes the outputs.
  template <int robots = all, class F>
  void add_call(const char* signature, F) {
    Entry e;
    const auto body = []<class R>(std::type_identity<R>) -> Body<R> {
      return [](const R& r, DataOf<R>& d, const auto* const* in, auto* const* out, const Constants& c) {
        Arguments<R> x{r, in, out, c, {}};
        F()(r, d, x);
      };
    };
    if constexpr (robots & models) e.model = body(std::type_identity<Model<double>>());
    if constexpr (robots & mechanisms) e.mechanism = body(std::type_identity<Mechanism<double>>());
#ifndef CORIO_PYTHON_NO_PACKS
    if constexpr (robots & packs) e.models = body(std::type_identity<Model<Pack8>>());
#endif
    lines.push_back({signature, e});
  }
  /// A function of corio that returns its result; `rest` are the arguments after the state.
  template <Pass pass, int robots = models, class F, class... Rest>
  void add(const char* signature, F, Rest...) {
    using Robot = Mechanism<double>;
    constexpr bool both = takes_state<pass, F, Robot, decltype(Rest()(std::declval<Arguments<Robot>&>()))...>();
    add_call<robots | (both ? mechanisms : 0)>(signature, [](auto& r, auto& d, auto& x) {
      write_result(with_state<pass>(F(), r, d, x, Rest()(x)...), x.out);
    });
  }
  /// A function that writes its only result: a matrix, or a vector if it has one column.
  template <Pass pass, class Size, class F, class... Rest>
  void into(const char* signature, F, Size, Rest...) {
    constexpr bool vector =
        !std::is_same_v<decltype(Size()(std::declval<const Model<double>&>())), std::pair<int, int>>;
    using Robot = Mechanism<double>;
    using Out = std::conditional_t<vector, Eigen::Map<VectorX<double>>&, Eigen::Map<RowMajor<double>>&>;
    constexpr bool both = takes_state<pass, F, Robot, decltype(Rest()(std::declval<Arguments<Robot>&>()))..., Out>();
    add_call<models | (both ? mechanisms : 0)>(signature, [](auto& r, auto& d, auto& x) {
      using S = typename std::remove_cvref_t<decltype(r)>::Scalar;
      if constexpr (vector) {
        Eigen::Map<VectorX<S>> to(*x.out, Size()(r));
        with_state<pass>(F(), r, d, x, Rest()(x)..., to);
      } else {
        const auto [rows, cols] = Size()(r);
        Eigen::Map<RowMajor<S>> to(*x.out, rows, cols);
        with_state<pass>(F(), r, d, x, Rest()(x)..., to);
      }
    });
  }
  /// A function that writes an object, made by Make()(robot).
  template <Pass pass, class F, class Make, class... Rest>
  void into_object(const char* signature, F, Make, Rest...) {
    using Robot = Mechanism<double>;
    const auto call = [](auto& r, auto& d, auto& x) {
      auto object = Make()(r);
      with_state<pass>(F(), r, d, x, Rest()(x)..., object);
      write_result(object, x.out);
    };
    constexpr bool both = [] {
      if constexpr (std::is_invocable_v<const Make&, const Robot&>)
        return takes_state<pass, F, Robot, decltype(Rest()(std::declval<Arguments<Robot>&>()))...,
                           std::invoke_result_t<const Make&, const Robot&>&>();
      else
        return false;
    }();
    add_call<models | (both ? mechanisms : 0)>(signature, call);
  }
};

void add_coriolis(Table&);
void add_dynamics(Table&);
void add_kinematics(Table&);
void add_derivatives(Table&);
void add_geometry(Table&);
void add_regressors(Table&);
void add_motion(Table&);

}  // namespace corio::python
