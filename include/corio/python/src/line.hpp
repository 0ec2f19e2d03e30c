#pragma once
// Converts a line of the table to calls for a Model and for a Mechanism, for one state and for packs of states.

#include "robot.hpp"

namespace corio::python {

/// Converts to a type that the compiler chooses.
struct Anything {
  template <class T>
  operator T() const;
};
/// The number of fields of an aggregate, the most values that initialise it.
template <class X, class... Field>
constexpr int count_fields() {
  if constexpr (requires { X{Field()..., Anything()}; })
    return count_fields<X, Field..., Anything>();
  else
    return sizeof...(Field);
}
/// Calls f(field) for every field of a result.
template <class X, class F>
void for_fields(const X& x, F f) {
  const auto all = [&](const auto&... field) { (f(field), ...); };
  constexpr int n = count_fields<X>();
  if constexpr (n == 2) {
    const auto& [a, b] = x;
    all(a, b);
  } else if constexpr (n == 3) {
    const auto& [a, b, c] = x;
    all(a, b, c);
  } else if constexpr (n == 4) {
    const auto& [a, b, c, d] = x;
    all(a, b, c, d);
  } else if constexpr (n == 6) {
    const auto& [a, b, c, d, e, g] = x;
    all(a, b, c, d, e, g);
  } else if constexpr (requires { x.J_com; }) {  // this one and those below have constructors, and cannot be counted
    all(x.M, x.C, x.g, x.A, x.Adot, x.J_com, x.Jdot, x.mass);
  } else if constexpr (requires { x.C_locked; }) {
    all(x.M, x.C_shape, x.C_locked, x.g, x.A, x.Adot);
  } else if constexpr (requires { x.d2tau_dqdq; }) {
    all(x.d2tau_dqdq, x.d2tau_dvdq, x.d2tau_dvdv, x.dM_dq);
  } else {
    all(x.dM, x.dC, x.dg);
  }
}

template <class S>
using RowMajor = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
/// A value of any enumeration.
struct Choice {
  int value;
  template <class E>
  requires std::is_enum_v<E>
  operator E() const { return static_cast<E>(value); }
};

/// The arguments of one call, as corio's functions take them, and its results.
template <class R>
struct Arguments {
  using S = typename R::Scalar;
  using In = Eigen::Map<const VectorX<S>>;
  template <class F, class... X>
  static constexpr bool has = std::is_invocable_v<F, const R&, DataOf<R>&, X...>;

  const R& robot;
  DataOf<R>& data;
  const S* const* in;
  S* const* outputs;
  const Constants& c;
  std::size_t begun = 0;  // number of outputs that were written, the last of them until `to`
  S *to = nullptr, *end = nullptr;

  In vector(std::size_t i) const { return {in[i], c.inputs[i].size()}; }
  Eigen::Map<const RowMajor<S>> matrix(std::size_t i) const { return {in[i], c.inputs[i].rows, c.inputs[i].cols}; }
  Vector3<S> three(std::size_t i) const { return Vector3<S>(in[i]); }
  const S& number(std::size_t i) const { return *in[i]; }
  /// @throws Error for another number
  int integer(std::size_t i) const {
    const double x = *in[i];
    if (!(std::abs(x) < 1e9 && x == std::floor(x))) throw Error("steps: " + std::to_string(x) + " is no integer");
    return static_cast<int>(x);
  }
  Choice choice(std::size_t i = 0) const { return {c.choices[i]}; }
  /// q, v or a.
  In state(std::size_t i) const { return {in[i], i == 0 ? robot.tree().nq() : robot.nv()}; }
  const auto& frame() const { return robot.tree().frame(c.places[0].frame); }
  const auto& body() const { return robot.tree().body(c.places[0].frame); }
  std::vector<int> joints() const { return robot.v_indices(c.joints); }
  const Loops<double>& loops() const { return *c.loops; }
  FramePoint<S> place(const Constants::Place& x) const {
    return {robot.tree().frame(x.frame), x.reference,
            x.point < 0 ? zero3<S>() : three(static_cast<std::size_t>(x.point))};
  }
  FramePoint<S> place(std::size_t i = 0) const { return place(c.places[i]); }
  std::vector<FramePoint<S>> places() const {
    std::vector<FramePoint<S>> all;
    for (const auto& one : c.places) all.push_back(place(one));
    return all;
  }
  std::vector<ExternalForce<S>> forces() const {
    std::vector<ExternalForce<S>> all;
    for (std::size_t i = c.first_force; const auto& at : c.forces)
      all.emplace_back(place(at), Force<S>{three(i), Vector3<S>(in[i] + 3)}), ++i;
    return all;
  }

  // Outputs that the function itself writes.
  Eigen::Map<VectorX<S>> out_vector(std::size_t i = 0) const { return {outputs[i], c.outputs[i].size()}; }
  Eigen::Map<RowMajor<S>> out(std::size_t i = 0) const { return {outputs[i], c.outputs[i].rows, c.outputs[i].cols}; }

  /// Writes the numbers of a result as numpy has them, row by row, into one output after the other. Fields that follow
  /// the last output are left out.
  template <class X>
  void write(const X& x) {
    constexpr bool tensor = requires { x(0, 0, 0); };
    constexpr bool matrix = requires { x.rows(); };
    if constexpr (tensor || matrix || std::is_convertible_v<X, S>) {
      if (to == end) {
        if (begun == c.n_outputs) return;
        to = outputs[begun], end = to + c.outputs[begun].size(), ++begun;
      }
    }
    if constexpr (tensor) {
      constexpr bool has_jacobian = requires { x.jacobian(); };
      for (int i = 0; i < (has_jacobian ? 6 : x.size()); ++i)
        for (int j = 0; j < x.size(); ++j)
          for (int k = 0; k < x.size(); ++k) *to++ = x(i, j, k);
      if constexpr (has_jacobian) write(x.jacobian());
    } else if constexpr (matrix) {
      for (Eigen::Index i = 0; i < x.rows(); ++i)
        for (Eigen::Index j = 0; j < x.cols(); ++j) *to++ = x(i, j);
    } else if constexpr (std::is_convertible_v<X, S>) {
      *to++ = static_cast<S>(x);
    } else if constexpr (requires { x.begin(); }) {
      for (const auto& part : x) write(part);
    } else {
      for_fields(x, [&](const auto& field) { write(field); });
    }
  }
  void write(const PerBody<Pose<S>>& poses) {
    for (const Pose<S>& x : poses) write(x.rotation);
    for (const Pose<S>& x : poses) write(x.translation);
  }

  /// Whether f(robot, data, q, v, a, rest..) exists, with the part of the state that pass says.
  template <Pass pass, class F, class... Rest>
  static constexpr bool whole = pass == Pass::position   ? has<F, In, Rest...>
                                : pass == Pass::velocity ? has<F, In, In, Rest...>
                                                         : has<F, In, In, In, Rest...>;
  template <Pass pass, class F, class... Rest>
  static constexpr bool takes = whole<pass, F, Rest...> || has<F, Rest...>;
  /// Calls it, or f(robot, data, rest..) after the kinematics pass, which Python's form without a state leaves out, and
  /// writes the result.
  template <Pass pass, class F, class... Rest>
  void call(F f, Rest&... rest) {
    const auto result = [&]<std::size_t... i>(std::index_sequence<i...>)->decltype(auto) {
      if constexpr (has<F, Rest&...>)
        if (c.reuse) return f(robot, data, rest...);
      if (c.reuse) throw StateError("this function has no form for the state in data, for this robot");
      if constexpr (whole<pass, F, Rest&...>) {
        return f(robot, data, state(i)..., rest...);
      } else {
        // For one place, the bodies that carry it are enough.
        if constexpr (std::is_same_v<std::tuple<FramePoint<S>>, std::tuple<Rest...>>)
          body_kinematics(robot, data, state(i)..., rest...);
        else
          forward_kinematics(robot, data, state(i)...);
        return f(robot, data, rest...);
      }
    };
    constexpr std::make_index_sequence<static_cast<std::size_t>(pass)> states;
    if constexpr (std::is_void_v<decltype(result(states))>)
      result(states);
    else
      write(result(states));
  }
};

/// An object that a function of corio writes, made by T() or T(robot). At the end of the call its numbers become
/// outputs.
template <template <class> class T, class R, class X = T<typename R::Scalar>>
auto object(Arguments<R>& x) {
  struct Written : X {
    Arguments<R>& to;
    ~Written() { to.write(static_cast<const X&>(*this)); }
  };
  if constexpr (std::is_default_constructible_v<X>)
    return Written{{}, x};
  else if constexpr (std::is_constructible_v<X, const R&>)
    return Written{X(x.robot), x};
  else
    return nullptr;
}

/// The robots that a line takes; rows of states go by packs where corio::batch has the function. A line without a robot
/// gets a model that it does not use.
enum Robots { models = 1, mechanisms = 2, packs = 4, all = models | mechanisms, no_robot = 8 | models };

struct Table {
  /// f(robot, data, x) writes the outputs.
  template <int robots = all, class F>
  void add_call(const std::string& signature, F, std::size_t state = 3) {
    Entry e;
    const auto add_body = [&]<class R>(std::type_identity<R>) {
      std::get<Body<R>>(e) = [](const R& r, DataOf<R>& d, const auto* const* in, auto* const* out, const Constants& c) {
        Arguments<R> x{r, d, in, out, c};
        F()(r, d, x);
      };
    };
    if constexpr (robots & models) add_body(std::type_identity<Model<double>>());
    if constexpr (robots & mechanisms) add_body(std::type_identity<Mechanism<double>>());
#ifndef CORIO_PYTHON_NO_PACKS
    if constexpr (robots & packs) add_body(std::type_identity<Model<Pack8>>());
#endif
    lines.push_back({signature, e, state, (robots & no_robot) != no_robot});
  }
  /// Adds a function of corio for the robots that its declarations take. rest(x, call) calls `call` with the arguments
  /// after the state.
  template <Pass pass, int further = 0, class F, class A>
  void add(const std::string& signature, F, A rest) {
    const auto takes = [&]<class R>(std::type_identity<R>) {
      const auto call = []<class... X>(X&&...) {
        return std::bool_constant<Arguments<R>::template takes<pass, F, X&...>>();
      };
      return decltype(rest(std::declval<Arguments<R>&>(), call))::value;
    };
    constexpr int robots = further | (takes(std::type_identity<Model<double>>()) ? models : 0) |
                           (takes(std::type_identity<Mechanism<double>>()) ? mechanisms : 0);
    static_assert(robots & all);
    const auto body = [](auto&, auto&, auto& x) { A()(x, [&](auto&&... one) { x.template call<pass>(F(), one...); }); };
    add_call<robots>(signature, body, static_cast<std::size_t>(pass));
  }
};

/// All overloads of corio's function f.
#define CORIO_FUNCTION(f) [](auto&&... y) -> decltype(f(y...)) { return f(y...); }
/// "f(arguments) -> results" for corio's function f, with the arguments after the state by Arguments x.
#define CORIO_ROBOTS(pass, robots, function, text, ...) \
  t.add<Pass::pass, robots>(text, function,             \
                            []([[maybe_unused]] auto& x, const auto& call) { return call(__VA_ARGS__); })
#define CORIO_LINE(pass, f, text, ...) CORIO_ROBOTS(pass, 0, CORIO_FUNCTION(f), #f text, __VA_ARGS__)
/// With rows of states by packs.
#define CORIO_PACKS(pass, f, text, ...) CORIO_ROBOTS(pass, packs, CORIO_FUNCTION(f), #f text, __VA_ARGS__)

/// A part of the table: rows that add to `t`.
#define CORIO_TABLE(part)                                     \
  namespace corio::python {                                   \
  static void add_##part(Table t);                            \
  static const bool has_##part = (add_##part(Table()), true); \
  }                                                           \
  void corio::python::add_##part([[maybe_unused]] Table t)

}  // namespace corio::python
