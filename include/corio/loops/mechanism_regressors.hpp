#pragma once

#include <optional>

#include "corio/algorithms/regressors/energy_regressors.hpp"
#include "corio/algorithms/regressors/factorized_regressor.hpp"
#include "corio/algorithms/regressors/joint_regressor.hpp"
#include "corio/algorithms/regressors/regressor_products.hpp"
#include "corio/loops/mechanism_kinematics.hpp"
#include "corio/model/inertial_parameters.hpp"

/// Regressors of mechanisms, matrices Y of nv x 10 N for the N bodies of the tree: G^T times those of the tree in the
/// motion v = G y. Y pi is what the functions of mechanism_dynamics.hpp give, less the share of the armature of all
/// joints, of which joint_regressor has the columns. Names, arguments and results as in regressors.hpp and beside it;
/// forms and errors as in mechanism_dynamics.hpp, SizeError, and ModelError for a selection from another model. O(n d),
/// products O(n), times the number of independent speeds in a cluster.
namespace corio {
namespace detail {

template <class S>
void check_references(const Mechanism<S>&) {}
template <class S>
void check_references(const Mechanism<S>& mechanism, VectorIn<S> y_r, VectorIn<S> ydot_r,
                      const char* function = __builtin_FUNCTION()) {
  check_input("y_r", y_r, mechanism.nv(), function);
  check_input("ydot_r", ydot_r, mechanism.nv(), function);
}
/// The reference motion of the tree: data.v = G y_r, data.dv its rate for ydot_r.
template <class S>
void move_reference(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> y_r, VectorIn<S> ydot_r,
                    const char* function) {
  data.require(mechanism, Pass::velocity, function);
  check_references(mechanism, y_r, ydot_r, function);
  tree_accelerations(mechanism, data, y_r, ydot_r, data.dv);
}

/// A regressor of a mechanism, G^T Y + dG/dt^T Y_r for regressors of its tree; the second part only where it is not
/// zero. Made in the present state, for the function of that name.
template <class S>
struct MechanismRegressor {
  Regressor<S> of;
  std::optional<Regressor<S>> of_rate;

  static MechanismRegressor inverse_dynamics(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                             const char* function) {
    data.require(mechanism, Pass::acceleration, function);
    return {Regressor<S>::inverse_dynamics(mechanism.tree(), data.tree, function), {}};
  }
  static MechanismRegressor slotine_li(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> y_r,
                                       VectorIn<S> ydot_r, const char* function) {
    move_reference(mechanism, data, y_r, ydot_r, function);
    return {Regressor<S>::slotine_li(mechanism.tree(), data.tree, data.v, data.dv, function), {}};
  }
  /// G^T M v.
  static MechanismRegressor momentum(const Mechanism<S>& mechanism, MechanismData<S>& data, const char* function) {
    data.require(mechanism, Pass::velocity, function);
    return {Regressor<S>::momentum(mechanism.tree(), data.tree, function), {}};
  }
  /// G^T C^T v + dG/dt^T M v.
  static MechanismRegressor coriolis_transpose(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                               const char* function) {
    data.require(mechanism, Pass::velocity, function);
    MechanismRegressor regressor{Regressor<S>::coriolis_transpose(mechanism.tree(), data.tree, function), {}};
    if (mechanism.varies()) regressor.of_rate.emplace(Regressor<S>::momentum(mechanism.tree(), data.tree, function));
    return regressor;
  }
  static MechanismRegressor gravity(const Mechanism<S>& mechanism, MechanismData<S>& data, const char* function) {
    data.require(mechanism, Pass::position, function);
    return {Regressor<S>::gravity(mechanism.tree(), data.tree, function), {}};
  }

  /// f(Y, G) for both parts.
  template <class F>
  void for_each_part(const Mechanism<S>& mechanism, const MechanismData<S>& data, F&& f) const {
    f(of, data.G);
    if (of_rate) f(*of_rate, data.Gdot(mechanism));
  }
};

}  // namespace detail

namespace algorithm::of_mechanism {

template <class S>
struct regressor {
  MatrixX<S> Y;  // of the tree, for all bodies; of a selection the first columns

  explicit regressor(const Mechanism<S>& m) : Y(MatrixX<S>::Zero(m.tree().nv(), num_inertial_parameters(m.tree()))) {}
  auto columns(const Mechanism<S>& mechanism, const BodySelection& bodies) {
    return Y.leftCols(bodies.num_parameters(mechanism.tree()));
  }
  /// out += G^T Y, over the degrees of freedom that move the body of a column.
  void add(const Mechanism<S>& mechanism, const VectorX<S>& G, const MatrixOut<S>& out, const BodySelection& bodies) {
    const Model<S>& tree = mechanism.tree();
    for (int i = 0; i < bodies.size(tree); ++i) {
      const Body<S>& body = tree.bodies()[static_cast<std::size_t>(bodies[i])];
      for (int k = tree.node(body.node()).v_end - 1; k >= 0; k = tree.dof_parent(k))
        mechanism.for_each_entry(k, [&](int c, int e) {
          for (int h = 10 * i; h < 10 * (i + 1); ++h) out(c, h) += G[e] * Y(k, h);
        });
    }
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const detail::MechanismRegressor<S>& parts,
           const MatrixOut<S>& out, const BodySelection& bodies) {
    detail::check_regressor<S>(mechanism, bodies, out, parts.of.function);
    const Model<S>& tree = mechanism.tree();
    auto& of_tree = data.tree.template of<algorithm::regressor<S>>(tree);
    if (mechanism.is_tree()) return of_tree.run(tree, data.tree, parts.of, out, bodies);
    detail::fill_zero<S>(out);
    parts.for_each_part(mechanism, data, [&](const auto& of, const VectorX<S>& G) {
      of_tree.run(tree, data.tree, of, columns(mechanism, bodies), bodies);
      add(mechanism, G, out, bodies);
    });
  }
};

template <class S>
struct regressor_product {
  VectorX<S> results[detail::Regressor<S>::count];

  explicit regressor_product(const Mechanism<S>& m) {
    for (VectorX<S>& result : results) result = zeros<S>(m.nv());
  }
  const VectorX<S>& run(const Mechanism<S>& mechanism, MechanismData<S>& data,
                        const detail::MechanismRegressor<S>& parts, VectorIn<S> pi, const BodySelection& bodies) {
    const Model<S>& tree = mechanism.tree();
    detail::check_parameters(tree, bodies, "pi", pi.size(), parts.of.function);
    VectorX<S>& result = results[parts.of.name];
    result.setZero();
    auto& of_tree = data.tree.template of<algorithm::regressor_product<S>>(tree);
    parts.for_each_part(mechanism, data, [&](const auto& of, const VectorX<S>& G) {
      detail::add_projected(mechanism, G, of_tree.run(tree, data.tree, of, pi, bodies), result);
    });
    return result;
  }
};

template <class S>
struct regressor_transpose_product {
  VectorX<S> x_of_tree, sum;

  explicit regressor_transpose_product(const Mechanism<S>& m)
      : x_of_tree(zeros<S>(m.tree().nv())), sum(zeros<S>(num_inertial_parameters(m.tree()))) {}
  /// Y^T (G x) + Y_r^T (dG/dt x).
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const detail::MechanismRegressor<S>& parts,
           VectorIn<S> x, VectorOut<S> out, const BodySelection& bodies) {
    detail::check_transpose_product<S>(mechanism, bodies, x, out, parts.of.function);
    const Model<S>& tree = mechanism.tree();
    auto& of_tree = data.tree.template of<algorithm::regressor_transpose_product<S>>(tree);
    auto last = sum.head(out.size());
    last.setZero();
    parts.for_each_part(mechanism, data, [&](const auto& of, const VectorX<S>& G) {
      detail::spread(mechanism, G, x, x_of_tree);
      of_tree.run(tree, data.tree, of, x_of_tree, out, bodies);
      out += last, last = out;
    });
  }
};

}  // namespace algorithm::of_mechanism

/// Y pi = M dy/dt + C y + g = rnea(q, y, dy/dt) less the armature's share.
/// @param Y  out, nv of the mechanism x 10 for each body
template <class S>
void inverse_dynamics_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, MatrixOut<S> Y,
                                const BodySelection& bodies = {}) {
  const auto of = detail::MechanismRegressor<S>::inverse_dynamics(mechanism, data, "inverse_dynamics_regressor");
  data.template of<algorithm::of_mechanism::regressor<S>>(mechanism).run(mechanism, data, of, Y, bodies);
}
template <class S>
void inverse_dynamics_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                                VectorIn<S> ydot, MatrixOut<S> Y, const BodySelection& bodies = {}) {
  detail::check_regressor<S>(mechanism, bodies, Y);
  inverse_dynamics_regressor(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot), Y, bodies);
}

/// Y pi = M dy_r/dt + C y_r + g less the armature's share, with Christoffel's C of the tree.
/// @param y_r, ydot_r  nv of the mechanism, a reference speed, which need not be y, and its rate
/// @param Y            out, nv of the mechanism x 10 for each body
template <class S>
void slotine_li_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> y_r, VectorIn<S> ydot_r,
                          MatrixOut<S> Y, const BodySelection& bodies = {}) {
  const auto of = detail::MechanismRegressor<S>::slotine_li(mechanism, data, y_r, ydot_r, "slotine_li_regressor");
  data.template of<algorithm::of_mechanism::regressor<S>>(mechanism).run(mechanism, data, of, Y, bodies);
}
template <class S>
void slotine_li_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                          VectorIn<S> y_r, VectorIn<S> ydot_r, MatrixOut<S> Y, const BodySelection& bodies = {}) {
  detail::check_regressor<S>(mechanism, bodies, Y);
  detail::check_references(mechanism, y_r, ydot_r);
  slotine_li_regressor(mechanism, forward_kinematics<S>(mechanism, data, q, y), y_r, ydot_r, Y, bodies);
}
/// The same with the C of coriolis_matrix of the mechanism for the factorization B.
template <class Factorization, class S>
void slotine_li_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> y_r, VectorIn<S> ydot_r,
                          MatrixOut<S> Y, const BodySelection& bodies, const Factorization& B) {
  constexpr const char* name = "slotine_li_regressor";
  detail::move_reference(mechanism, data, y_r, ydot_r, name);
  detail::check_regressor<S>(mechanism, bodies, Y, name);
  auto& own = data.template of<algorithm::of_mechanism::regressor<S>>(mechanism);
  slotine_li_regressor(mechanism.tree(), data.tree, data.v, data.dv, own.columns(mechanism, bodies), bodies, B);
  detail::fill_zero<S>(Y);
  own.add(mechanism, data.G, Y, bodies);
}
template <class Factorization, class S>
void slotine_li_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                          VectorIn<S> y_r, VectorIn<S> ydot_r, MatrixOut<S> Y, const BodySelection& bodies,
                          const Factorization& B) {
  detail::check_regressor<S>(mechanism, bodies, Y);
  detail::check_references(mechanism, y_r, ydot_r);
  slotine_li_regressor(mechanism, forward_kinematics<S>(mechanism, data, q, y), y_r, ydot_r, Y, bodies, B);
}

/// Y pi = M y less the armature's share.
/// @param Y  out, nv of the mechanism x 10 for each body
template <class S>
void momentum_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, MatrixOut<S> Y,
                        const BodySelection& bodies = {}) {
  const auto of = detail::MechanismRegressor<S>::momentum(mechanism, data, "momentum_regressor");
  data.template of<algorithm::of_mechanism::regressor<S>>(mechanism).run(mechanism, data, of, Y, bodies);
}
template <class S>
void momentum_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                        MatrixOut<S> Y, const BodySelection& bodies = {}) {
  detail::check_regressor<S>(mechanism, bodies, Y);
  momentum_regressor(mechanism, forward_kinematics<S>(mechanism, data, q, y), Y, bodies);
}

/// Y pi = C^T y = G^T C^T v + dG/dt^T M v of the tree, less the armature's share in the second part.
/// @param Y  out, nv of the mechanism x 10 for each body
template <class S>
void coriolis_transpose_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, MatrixOut<S> Y,
                                  const BodySelection& bodies = {}) {
  const auto of = detail::MechanismRegressor<S>::coriolis_transpose(mechanism, data, "coriolis_transpose_regressor");
  data.template of<algorithm::of_mechanism::regressor<S>>(mechanism).run(mechanism, data, of, Y, bodies);
}
template <class S>
void coriolis_transpose_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                                  MatrixOut<S> Y, const BodySelection& bodies = {}) {
  detail::check_regressor<S>(mechanism, bodies, Y);
  coriolis_transpose_regressor(mechanism, forward_kinematics<S>(mechanism, data, q, y), Y, bodies);
}

/// Y pi = g.
/// @param Y  out, nv of the mechanism x 10 for each body
template <class S>
void gravity_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, MatrixOut<S> Y,
                       const BodySelection& bodies = {}) {
  const auto of = detail::MechanismRegressor<S>::gravity(mechanism, data, "gravity_regressor");
  data.template of<algorithm::of_mechanism::regressor<S>>(mechanism).run(mechanism, data, of, Y, bodies);
}
template <class S>
void gravity_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, MatrixOut<S> Y,
                       const BodySelection& bodies = {}) {
  detail::check_regressor<S>(mechanism, bodies, Y);
  gravity_regressor(mechanism, forward_kinematics<S>(mechanism, data, q), Y, bodies);
}

// The products with one regressor, as in regressor_products.hpp.
#define CORIO_LIST(...) __VA_OPT__(, ) __VA_ARGS__
#define CORIO_REGRESSOR_PRODUCTS(regressor, STATE, state, ARGUMENTS, arguments)                                      \
  template <class S>                                                                                                 \
  const VectorX<S>& regressor##_regressor_product(const Mechanism<S>& mechanism,                                     \
                                                  MechanismData<S>& data CORIO_LIST ARGUMENTS, VectorIn<S> pi,       \
                                                  const BodySelection& bodies = {}) {                                \
    const auto of = detail::MechanismRegressor<S>::regressor(mechanism, data CORIO_LIST arguments,                   \
                                                             #regressor "_regressor_product");                       \
    return data.template of<algorithm::of_mechanism::regressor_product<S>>(mechanism).run(mechanism, data, of, pi,   \
                                                                                          bodies);                   \
  }                                                                                                                  \
  template <class S>                                                                                                 \
  const VectorX<S>& regressor##_regressor_product(const Mechanism<S>& mechanism,                                     \
                                                  MechanismData<S>& data CORIO_LIST STATE CORIO_LIST ARGUMENTS,      \
                                                  VectorIn<S> pi, const BodySelection& bodies = {}) {                \
    detail::check_parameters(mechanism.tree(), bodies, "pi", pi.size());                                             \
    detail::check_references(mechanism CORIO_LIST arguments);                                                        \
    forward_kinematics<S>(mechanism, data CORIO_LIST state);                                                         \
    return regressor##_regressor_product(mechanism, data CORIO_LIST arguments, pi, bodies);                          \
  }                                                                                                                  \
  template <class S>                                                                                                 \
  void regressor##_regressor_transpose_product(const Mechanism<S>& mechanism,                                        \
                                               MechanismData<S>& data CORIO_LIST ARGUMENTS, VectorIn<S> x,           \
                                               VectorOut<S> out, const BodySelection& bodies = {}) {                 \
    const auto of = detail::MechanismRegressor<S>::regressor(mechanism, data CORIO_LIST arguments,                   \
                                                             #regressor "_regressor_transpose_product");             \
    data.template of<algorithm::of_mechanism::regressor_transpose_product<S>>(mechanism).run(mechanism, data, of, x, \
                                                                                             out, bodies);           \
  }                                                                                                                  \
  template <class S>                                                                                                 \
  void regressor##_regressor_transpose_product(const Mechanism<S>& mechanism,                                        \
                                               MechanismData<S>& data CORIO_LIST STATE CORIO_LIST ARGUMENTS,         \
                                               VectorIn<S> x, VectorOut<S> out, const BodySelection& bodies = {}) {  \
    detail::check_transpose_product<S>(mechanism, bodies, x, out);                                                   \
    detail::check_references(mechanism CORIO_LIST arguments);                                                        \
    forward_kinematics<S>(mechanism, data CORIO_LIST state);                                                         \
    regressor##_regressor_transpose_product(mechanism, data CORIO_LIST arguments, x, out, bodies);                   \
  }

/// Y pi = rnea(q, y, dy/dt) of a mechanism with parameters pi, less the armature's share.
CORIO_REGRESSOR_PRODUCTS(inverse_dynamics, (VectorIn<S> q, VectorIn<S> y, VectorIn<S> ydot), (q, y, ydot), (), ())
/// Y pi = M dy_r/dt + C y_r + g of a mechanism with parameters pi, less the armature's share.
CORIO_REGRESSOR_PRODUCTS(slotine_li, (VectorIn<S> q, VectorIn<S> y), (q, y), (VectorIn<S> y_r, VectorIn<S> ydot_r),
                         (y_r, ydot_r))
/// Y pi = M y of a mechanism with parameters pi, less the armature's share.
CORIO_REGRESSOR_PRODUCTS(momentum, (VectorIn<S> q, VectorIn<S> y), (q, y), (), ())
/// Y pi = C^T y of a mechanism with parameters pi, less the armature's share.
CORIO_REGRESSOR_PRODUCTS(coriolis_transpose, (VectorIn<S> q, VectorIn<S> y), (q, y), (), ())
/// Y pi = g of a mechanism with parameters pi.
CORIO_REGRESSOR_PRODUCTS(gravity, (VectorIn<S> q), (q), (), ())

#undef CORIO_REGRESSOR_PRODUCTS
#undef CORIO_LIST

/// y . pi = y^T M y / 2, the kinetic energy less the rotors' share.
/// @param of_energy  out, 10 for each body
template <class S>
void kinetic_energy_regressor(const Mechanism<S>& mechanism, const MechanismData<S>& data, VectorOut<S> of_energy,
                              const BodySelection& bodies = {}) {
  data.require(mechanism, Pass::velocity, "kinetic_energy_regressor");
  kinetic_energy_regressor(mechanism.tree(), data.tree, of_energy, bodies);
}
template <class S>
void kinetic_energy_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                              VectorOut<S> of_energy, const BodySelection& bodies = {}) {
  detail::check_parameters(mechanism.tree(), bodies, "the energy regressor", of_energy.size());
  kinetic_energy_regressor(mechanism, forward_kinematics<S>(mechanism, data, q, y), of_energy, bodies);
}
/// The same of the potential energy -sum m g . c.
template <class S>
void potential_energy_regressor(const Mechanism<S>& mechanism, const MechanismData<S>& data, VectorOut<S> of_energy,
                                const BodySelection& bodies = {}) {
  data.require(mechanism, Pass::position, "potential_energy_regressor");
  potential_energy_regressor(mechanism.tree(), data.tree, of_energy, bodies);
}
template <class S>
void potential_energy_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                VectorOut<S> of_energy, const BodySelection& bodies = {}) {
  detail::check_parameters(mechanism.tree(), bodies, "the energy regressor", of_energy.size());
  potential_energy_regressor(mechanism, forward_kinematics<S>(mechanism, data, q), of_energy, bodies);
}

/// Y with Y p = the torques of the independent speeds beyond those of the bodies' inertias, of armature, dampers,
/// friction and offsets in all joints of the tree: p = [armature_0, damping_0, friction_0, offset_0, armature_1, ...].
/// The columns of joints that a coupling ties to each other, such as those of a motor and its gear, depend on each
/// other: the sum of their effects can be told.
/// @param Y  resized to nv of the mechanism x 4 nv of the tree if it is not, which allocates
/// @throws Error for a negative smoothing. O(n) beside the zeros, times the number of independent speeds in a cluster.
template <class S>
void joint_regressor(const Mechanism<S>& mechanism, const MechanismData<S>& data, MatrixX<S>& Y,
                     double smoothing = friction_smoothing) {
  data.require(mechanism, Pass::acceleration, "joint_regressor");
  detail::check_smoothing(smoothing);
  const int n = mechanism.tree().nv();
  Y.setZero(mechanism.nv(), 4 * n);
  for (int r = 0; r < n; ++r) {
    const auto factors = detail::joint_factors<S>(data.tree.v[r], data.tree.dv[r], smoothing);
    mechanism.for_each_entry(r, [&](int c, int e) {
      for (int i = 4 * r; const S& factor : factors) Y(c, i++) = data.G[e] * factor;
    });
  }
}
template <class S>
void joint_regressor(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                     VectorIn<S> ydot, MatrixX<S>& Y, double smoothing = friction_smoothing) {
  detail::check_smoothing(smoothing);
  joint_regressor(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot), Y, smoothing);
}

}  // namespace corio
