#pragma once

#include <algorithm>
#include <cmath>

#include "corio/model/model.hpp"

/// The setters of Model: all numbers are checked before any is changed.
namespace corio { inline namespace CORIO_ABI {

template <class S>
void Model<S>::set_inertia(const Body<S>& body, const InertialParameters<S>& parameters) {
  check_owns(body);
  replace_inertias(body.index(), {parameters});
}

template <class S>
void Model<S>::set_inertias(const std::vector<InertialParameters<S>>& parameters) {
  detail::check_size("the list of inertias", std::ssize(parameters), std::ssize(bodies_));
  replace_inertias(0, parameters);
}

template <class S>
void Model<S>::replace_inertias(int first, const std::vector<InertialParameters<S>>& given) {
  PerNode<Node<S>> nodes = nodes_;
  auto body = bodies_.begin() + first;
  for (const auto& parameters : given) {
    detail::check_inertia(parameters, name_, body->name(), detail::rounding_scale(parameters));
    nodes[body->node()].set_inertia(body->placement().act(Inertia<S>(parameters)));
    ++body;
  }
  const int singular = find_singular(nodes);
  if (singular >= 0 && singular_node_ < 0) throw_singular(singular, "set_inertia");
  singular_node_ = singular;
  nodes_ = nodes;
  state_id_ = detail::next_id();
}

template <class S>
void Model<S>::set_armature(VectorIn<S> armature) {
  check_terms(detail::joint_term::armature, armature);
  terms_.armature = armature;
  singular_node_ = find_singular(nodes_);
}

template <class S>
void Model<S>::set_damping(VectorIn<S> damping) {
  check_terms(detail::joint_term::damping, damping);
  terms_.passive.damping = damping;
}

template <class S>
void Model<S>::set_friction(VectorIn<S> friction) {
  check_terms(detail::joint_term::friction, friction);
  terms_.passive.friction = friction;
}

template <class S>
void Model<S>::set_springs(VectorIn<S> stiffness, VectorIn<S> rest_configuration) {
  check_terms(detail::joint_term::stiffness, stiffness);
  check_terms(detail::joint_term::rest, rest_configuration);
  terms_.passive.stiffness = stiffness, terms_.passive.rest = rest_configuration;
}

template <class S>
void Model<S>::check_terms(const JointTerm& kind, VectorIn<S> given) const {
  detail::check_size(kind.name, given.size(), kind.per_coordinate ? nq_ : nv_, "Model");
  for (const Joint& joint : joints_)
    for (const S& x :
         kind.per_coordinate ? given.segment(joint.q_index(), joint.nq()) : given.segment(joint.v_index(), joint.nv()))
      if (!detail::is_allowed(kind, x))
        throw ModelError(
            detail::join({"model '", name_, "': joint '", joint.name(), "': ", kind.name, " ", detail::rule(kind)}));
}

template <class S>
std::pair<std::string, std::string> Model<S>::singular(int b) const {
  if constexpr (states_of<S> == 1)
    for (int c = b; c < num_nodes() && node(c).v_begin < node(b).subtree_v_end; ++c) {
      const auto principal = detail::principal_moments(node(c).parameters);
      if (principal[0] < -(std::max)(1e-6 * std::abs(principal[2]), detail::rounding_scale(node(c).parameters)))
        return {detail::join({"moves a negative inertia: body '", body_of_node(c).name(), "' has the principal moment ",
                              detail::number(principal[0]), " kg m^2"}),
                "correct it, or take the closest inertia that a body can have (Inertias::nearest)"};
    }
  return {detail::join({"moves no inertia: along some direction of its motion, body '", body_of_node(b).name(),
                        "' and its subtree have none"}),
          detail::cure_of_singular_joint};
}

template <class S>
void Model<S>::throw_singular(int b, const char* function) const {
  const auto [found, advice] = singular(b);
  throw ModelError(detail::join({"model '", name_, "': ", function, " needs M^-1, but joint '", joint_of_node(b).name(),
                                 "' ", found, "; ", advice}));
}

template <class S>
void Model<S>::throw_no_dual_form(int b, const char* function) const {
  throw ModelError(detail::join({function, ": the axes of joint '", joint_of_node(b).name(),
                                 "' move in its body; to derive their rates, its members integrate and column_rates "
                                 "must be templates on the scalar, for corio::Dual and Dual of Dual"}));
}

}}  // namespace corio
