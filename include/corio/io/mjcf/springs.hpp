#pragma once

#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/io/mjcf/reference.hpp"
#include "corio/solvers/symmetric_factor.hpp"

/// Springs and dampers of joints by springdamper, a time constant and a damping ratio.
namespace corio { inline namespace CORIO_ABI { namespace mjcf { namespace detail {

/// springdamper="T z" makes a joint with inertia I an oscillator with time constant T and damping ratio z: its
/// stiffness is I / (T z)^2, its damping 2 I / T. As in MuJoCo, I is the inertia in the reference configuration with
/// all other joints free: the reciprocal of the mean of the joint's entries on the diagonal of M^-1.
/// @param builder  contains the bodies of the tree
inline void set_springs(Tree& tree, const ModelBuilder<double>& builder, Notes& notes) {
  const Model<double> model = tree_of(builder, notes.file());
  Data<double> data(model);
  corio::detail::SymmetricFactor<double> M;
  M.compute(crba<double>(model, data, reference_configuration(model, tree.qpos0)));
  for (const auto& [body, e, time, ratio] : tree.springs) {
    if (M.rank() < model.nv())
      e.fail({"springdamper depends on the inverse of the mass matrix, which is singular: a joint moves no mass"});
    BodySpec<double>& spec = tree.bodies[body];
    const Joint& joint = model.joint(spec.joint_name);
    double trace = 0;
    for (int k = joint.v_index(); k < joint.v_index() + joint.nv(); ++k) {
      VectorX<double> x = VectorX<double>::Unit(model.nv(), k);
      M.solve(x.data());
      trace += x[k];
    }
    const double inertia = joint.nv() / trace;
    const auto terms = [&](double x) { return std::vector<double>(static_cast<std::size_t>(joint.nv()), x); };
    spec.passive.damping = terms(2 * inertia / time);
    if (spec.joint.type == joint::FreeFlyer::type)
      notes.add(e, spring_of_free_joint, "it is ignored");
    else
      spec.passive.stiffness = terms(inertia / (time * time * ratio * ratio));
  }
}

}}}}  // namespace corio::mjcf::detail
