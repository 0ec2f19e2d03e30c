#pragma once

#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/kernels/composites.hpp"

/// Products with the regressors of regressors.hpp, without forming them,
///   .._regressor_product(model, data, .., pi):               Y pi, for parameters other than the model's,
///   .._regressor_transpose_product(model, data, .., x, out): out = Y^T x, along which adaptive laws adapt (x the
///                                                            tracking error),
/// each in its two forms, for a Model or a Mechanism. All take a BodySelection as an optional last argument.
///
/// @param pi      10 for each body, see inertial_parameters; need not be physical
/// @param x       nv
/// @param out     10 for each body
/// @param bodies  the bodies of pi and out, to which the product is restricted; all by default
/// @returns Y pi, nv, valid until the next call of this function
/// @throws SizeError; ModelError for a selection from another model. O(n).
namespace corio { inline namespace CORIO_ABI {
namespace algorithm {

template <class S>
struct RegressorProduct;
template <class S>
struct RegressorTransposeProduct;

}  // namespace algorithm

// Defines the functions of one regressor. Regressors differ in their names, the arguments of the state, and their other
// arguments.
#define CORIO_LIST(...) __VA_OPT__(, ) __VA_ARGS__
#define CORIO_REGRESSOR_PRODUCTS(regressor, STATE, state, ARGUMENTS, arguments)                                       \
  template <class S, template <class> class Robot>                                                                    \
  const VectorX<S>& regressor##_regressor_product(const Robot<S>& robot, DataOf<Robot<S>>& data CORIO_LIST ARGUMENTS, \
                                                  VectorIn<S> pi, const BodySelection& bodies = {}) {                 \
    const auto of =                                                                                                   \
        detail::Regressor<S>::regressor(robot, data CORIO_LIST arguments, #regressor "_regressor_product");           \
    return data.template of<algorithm::RegressorProduct<S>>(robot).run(robot, data, of, pi, bodies);                  \
  }                                                                                                                   \
  template <class S, template <class> class Robot>                                                                    \
  const VectorX<S>& regressor##_regressor_product(const Robot<S>& robot,                                              \
                                                  DataOf<Robot<S>>& data CORIO_LIST STATE CORIO_LIST ARGUMENTS,       \
                                                  VectorIn<S> pi, const BodySelection& bodies = {}) {                 \
    detail::check_parameters(robot.tree(), bodies, "pi", pi.size());                                                  \
    detail::check_references(robot CORIO_LIST arguments);                                                             \
    forward_kinematics(robot, data CORIO_LIST state, __func__);                                                       \
    return regressor##_regressor_product(robot, data CORIO_LIST arguments, pi, bodies);                               \
  }                                                                                                                   \
  template <class S, template <class> class Robot>                                                                    \
  void regressor##_regressor_transpose_product(const Robot<S>& robot, DataOf<Robot<S>>& data CORIO_LIST ARGUMENTS,    \
                                               VectorIn<S> x, VectorOut<S> out, const BodySelection& bodies = {}) {   \
    const auto of =                                                                                                   \
        detail::Regressor<S>::regressor(robot, data CORIO_LIST arguments, #regressor "_regressor_transpose_product"); \
    data.template of<algorithm::RegressorTransposeProduct<S>>(robot).run(robot, data, of, x, out, bodies);            \
  }                                                                                                                   \
  template <class S, template <class> class Robot>                                                                    \
  void regressor##_regressor_transpose_product(const Robot<S>& robot,                                                 \
                                               DataOf<Robot<S>>& data CORIO_LIST STATE CORIO_LIST ARGUMENTS,          \
                                               VectorIn<S> x, VectorOut<S> out, const BodySelection& bodies = {}) {   \
    detail::check_transpose_product<S>(robot, bodies, x, out);                                                        \
    detail::check_references(robot CORIO_LIST arguments);                                                             \
    forward_kinematics(robot, data CORIO_LIST state, __func__);                                                       \
    regressor##_regressor_transpose_product(robot, data CORIO_LIST arguments, x, out, bodies);                        \
  }

/// Y pi = rnea(q, v, a) of a robot with parameters pi, without armature.
CORIO_REGRESSOR_PRODUCTS(inverse_dynamics, (VectorIn<S> q, VectorIn<S> v, VectorIn<S> a), (q, v, a), (), ())
/// Y pi = M a_r + C v_r + g of a robot with parameters pi, without armature.
CORIO_REGRESSOR_PRODUCTS(slotine_li, (VectorIn<S> q, VectorIn<S> v), (q, v), (VectorIn<S> v_r, VectorIn<S> a_r),
                         (v_r, a_r))
/// Y pi = M v of a robot with parameters pi, without armature.
CORIO_REGRESSOR_PRODUCTS(momentum, (VectorIn<S> q, VectorIn<S> v), (q, v), (), ())
/// Y pi = C^T v of a robot with parameters pi.
CORIO_REGRESSOR_PRODUCTS(coriolis_transpose, (VectorIn<S> q, VectorIn<S> v), (q, v), (), ())
/// Y pi = g of a robot with parameters pi.
CORIO_REGRESSOR_PRODUCTS(gravity, (VectorIn<S> q), (q), (), ())

#undef CORIO_REGRESSOR_PRODUCTS
#undef CORIO_LIST

namespace algorithm {

template <class S>
struct RegressorProduct {
  VectorX<S> results[detail::Regressor<S>::count];
  PerNode<Force<S>> force;

  explicit RegressorProduct(const Model<S>& m) : force(m.num_nodes()) {
    for (VectorX<S>& result : results) result = zeros<S>(m.nv());
  }
  const VectorX<S>& run(const Model<S>& model, const Data<S>& data, const detail::Regressor<S>& regressor,
                        VectorIn<S> pi, const BodySelection& bodies);
};
/// Computes Y pi: the bodies' forces H pi, summed over subtrees and projected on the columns.
template <class S>
const VectorX<S>& RegressorProduct<S>::run(const Model<S>& model, const Data<S>& data,
                                           const detail::Regressor<S>& regressor, VectorIn<S> pi,
                                           const BodySelection& bodies) {
  detail::check_parameters(model, bodies, "pi", pi.size(), regressor.function);
  std::fill(force.begin(), force.end(), Force<S>::zero());
  detail::for_bodies(model, data, bodies,
                     [&](const auto& of) { of.set(force, regressor.body(of) * of.parameters(pi.data())); });
  detail::sum_inward(model, force);
  VectorX<S>& result = results[regressor.name];
  for (int k = 0; k < model.nv(); ++k) result[k] = dot(regressor.columns[k], force[model.node_of(k)]);
  return result;
}

template <class S>
struct RegressorTransposeProduct {
  PerNode<Motion<S>> W;

  explicit RegressorTransposeProduct(const Model<S>& m) : W(m.num_nodes()) {}
  void run(const Model<S>& model, const Data<S>& data, const detail::Regressor<S>& regressor, VectorIn<S> x,
           VectorOut<S> out, const BodySelection& bodies);
};
/// Computes Y^T x: the power of each column of H in the motion of its body for velocities x.
template <class S>
void RegressorTransposeProduct<S>::run(const Model<S>& model, const Data<S>& data,
                                       const detail::Regressor<S>& regressor, VectorIn<S> x, VectorOut<S> out,
                                       const BodySelection& bodies) {
  detail::check_transpose_product<S>(model, bodies, x, out, regressor.function);
  detail::sum_outward(model, W, regressor.columns, x);
  detail::powers(model, data, regressor, W, S(1), out.data(), bodies);
}

}  // namespace algorithm

}}  // namespace corio
