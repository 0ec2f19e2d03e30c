#pragma once

#include "corio/model/model.hpp"

namespace corio { inline namespace CORIO_ABI {

/// The ten inertial parameters of a body, in the order of InertialParameters::vector().
enum class InertialParameter { mass, hx, hy, hz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz };

namespace detail {

inline constexpr const char* inertial_parameter_names[] = {"m",   "hx",  "hy",  "hz",  "Ixx",
                                                           "Iyy", "Izz", "Ixy", "Ixz", "Iyz"};

}  // namespace detail

/// The number of inertial parameters of a model: ten for each of model.bodies().
template <class S>
int num_inertial_parameters(const Model<S>& model) {
  return 10 * static_cast<int>(model.bodies().size());
}

/// pi, the parameters in which the equations of motion are linear: for body i of model.bodies(), entries 10 i .. 10 i +
/// 9
///   [m, m cx, m cy, m cz, Ixx, Iyy, Izz, Ixy, Ixz, Iyz],
/// mass, first moment and rotational inertia about the origin of the body's own frame, in its axes, of the body
/// including welded bodies; kg, kg m, kg m^2. Massless bodies inside composite joints have no parameters.
/// Allocates.
template <class S>
VectorX<S> inertial_parameters(const Model<S>& model) {
  VectorX<S> pi(num_inertial_parameters(model));
  Eigen::Index at = 0;
  for (const Body<S>& body : model.bodies()) {
    pi.template segment<10>(at) = model.inertia(body).vector();
    at += 10;
  }
  return pi;
}

/// Replaces the parameters of all bodies. Every Data computed before becomes stale, as with Model::set_inertia.
/// Allocates.
/// @throws SizeError; ModelError naming the body whose parameters are not physical, or the joint that would move no
/// inertia. The model is then unchanged.
template <class S>
void set_inertial_parameters(Model<S>& model, VectorIn<S> pi) {
  detail::check_size("pi", pi.size(), num_inertial_parameters(model));
  std::vector<InertialParameters<S>> inertias;
  Eigen::Index at = 0;
  for (const Body<S>& body : model.bodies()) {
    const Vector10<S> of_body = pi.template segment<10>(at);
    at += 10;
    // A first moment without mass has no centre of mass, which InertialParameters hold.
    if (value_of(of_body[0]) == 0.0 && !detail::values(vector3(of_body.data() + 1)).isZero(0.0))
      throw ModelError(detail::join(
          {"model '", model.name(), "': body '", body.name(), "' has a first moment of mass but its mass is 0"}));
    inertias.push_back(InertialParameters<S>::from_parameters(of_body));
  }
  model.set_inertias(inertias);
}

}}  // namespace corio
