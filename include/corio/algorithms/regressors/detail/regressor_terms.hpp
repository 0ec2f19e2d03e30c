#pragma once

#include "corio/kernels/lanes_of_bodies.hpp"
#include "corio/kernels/reference_motions.hpp"

/// Common parts of the regressors: a field of vectors for each body, its 6 x 10 matrix H in world axes (spatial/
/// body_regressor.hpp), and the products of H with columns of the degrees of freedom that move the body.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// @throws SizeError unless a vector has ten numbers for each body, ModelError for a selection from another model
template <class S>
void check_parameters(const Model<S>& model, const BodySelection& bodies, const char* what, Eigen::Index size,
                      const char* function = __builtin_FUNCTION()) {
  bodies.check_fits(model);
  check_size(what, size, bodies.num_parameters(model), function);
}
/// Checks the arguments of a regressor, of a model or a mechanism.
template <class S, class R>
void check_regressor(const R& robot, const BodySelection& bodies, const MatrixOut<S>& Y,
                     const char* function = __builtin_FUNCTION()) {
  check_parameters(robot.tree(), bodies, "a row of the regressor", Y.cols(), function);
  check_size("a column of the regressor", Y.rows(), robot.nv(), function);
}

template <class Robot>
void check_references(const Robot&) {}
template <class S, class R>
void check_transpose_product(const R& robot, const BodySelection& bodies, VectorIn<S> x, const VectorOut<S>& out,
                             const char* function = __builtin_FUNCTION()) {
  check_parameters(robot.tree(), bodies, "the product Y^T x", out.size(), function);
  check_speeds("x", x, robot, function);
}

/// One regressor, defined by its columns per degree of freedom and its vector field per body, the field of the force
///   I dW + B(V, I) W + weight
/// for motions V, W, dW of the nodes. Without W the velocity product is left out; without dW only the weight is
/// left. One type serves all regressors, so that functions of it are compiled once.
template <class S>
struct Regressor {
  enum Name { inverse_dynamics_, slotine_li_, momentum_, coriolis_transpose_, gravity_, count } name;
  const PerDof<Motion<S>>& columns;
  const PerNode<Motion<S>>*V, *W, *dW;
  Vector3<S> weight;
  const char* function;  // the user's function, for messages

  // Makes the regressor of inverse dynamics at the present state of a robot; errors name `function`.
  template <class Robot, class RobotData>
  static Regressor inverse_dynamics(const Robot& robot, const RobotData& data, const char* function) {
    data.require(robot, Pass::acceleration, function);
    const Data<S>& state = data.of_tree();
    return {inverse_dynamics_,      state.phi, &state.velocity, &state.velocity, &state.acceleration,
            robot.tree().gravity(), function};
  }
  template <class Robot, class RobotData>
  static Regressor slotine_li(const Robot& robot, RobotData& data, VectorIn<S> v_r, VectorIn<S> a_r,
                              const char* function) {
    data.require(robot, Pass::velocity, function);
    auto& reference = data.template of<ReferenceMotions<S>>(robot);
    reference.run(robot, data, v_r, a_r, function);
    const Data<S>& state = data.of_tree();
    return {slotine_li_, state.phi, &state.velocity, &reference.W, &reference.dW, robot.tree().gravity(), function};
  }
  template <class Robot, class RobotData>
  static Regressor momentum(const Robot& robot, const RobotData& data, const char* function) {
    data.require(robot, Pass::velocity, function);
    const Data<S>& state = data.of_tree();
    return {momentum_, state.phi, nullptr, nullptr, &state.velocity, zero3<S>(), function};
  }
  template <class Robot, class RobotData>
  static Regressor coriolis_transpose(const Robot& robot, const RobotData& data, const char* function) {
    data.require(robot, Pass::velocity, function);
    const Data<S>& state = data.of_tree();
    return {coriolis_transpose_, state.phi_dot, nullptr, nullptr, &state.velocity, zero3<S>(), function};
  }
  template <class Robot, class RobotData>
  static Regressor gravity(const Robot& robot, const RobotData& data, const char* function) {
    data.require(robot, Pass::position, function);
    return {gravity_, data.of_tree().phi, nullptr, nullptr, nullptr, robot.tree().gravity(), function};
  }

  /// Computes H for bodies.
  template <class Of, class N = typename Of::Number>
  CORIO_INLINE BodyRegressor<N> body(const Of& of) const {
    PointField<N> field{diagonal3(N(0)), zero3<N>()};
    if (W != nullptr) {
      const Motion<N> v = of(*V);
      field = PointField<N>::acceleration(v, W == V ? v : of(*W), of(*dW));
    } else if (dW != nullptr) {
      field = PointField<N>::velocity(of(*dW));
    }
    field.b -= of.constant(weight);
    return BodyRegressor<N>::of(field, of.pose());
  }
};

/// Computes out = scale W . H for each body, ten numbers, for the motions W of the nodes.
template <class S>
void powers(const Model<S>& model, const Data<S>& data, const Regressor<S>& regressor, const PerNode<Motion<S>>& W,
            const S& scale, S* out, const BodySelection& bodies) {
  for_bodies(model, data, bodies,
             [&](const auto& of) { of.set_parameters(regressor.body(of).powers(of(W) * of.constant(scale)), out); });
}

}}}  // namespace corio::detail
