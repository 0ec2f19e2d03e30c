#include "trials/trial.hpp"

#include <sstream>

#include "corio/io/write_urdf.hpp"
#include "corio/model/describe.hpp"
#include "corio/spatial/lie.hpp"

namespace corio::trials {

void Figures::note(const std::string& quantity, double error, double bound) {
  Worst& worst = worst_[quantity];
  if (worst.bound == 0 || !(error <= worst.error)) worst = {error, bound};
  if (error <= bound) return;
  std::ostringstream text;
  text << quantity << ": error " << error << ", bound " << bound;
  throw Failure(text.str());
}

void Figures::merge(const Figures& other) {
  for (const auto& [quantity, found] : other.worst_)
    if (Worst& worst = worst_[quantity]; worst.bound == 0 || !(found.error <= worst.error)) worst = found;
  for (const auto& [reason, count] : other.skipped_) skipped_[reason] += count;
}

std::string Figures::description(const Model<double>& model, const Vector& q) {
  std::ostringstream text;
  text.precision(17);
  try {
    text << write_urdf(model);
  } catch (const ModelError&) {
    text << "model of " << model.num_nodes() << " nodes, gravity " << model.gravity().transpose() << '\n';
    for (int b = 0; b < model.num_nodes(); ++b) {
      const auto& node = model.node(b);
      text << "node " << b << " on " << node.parent << ": " << model.joint_of_node(b).type() << ", "
           << model.bodies().begin()[node.body].name() << "\n  rotation\n"
           << node.placement.rotation << "\n  translation " << node.placement.translation.transpose() << "\n  pitch "
           << node.joint.pitch() << ", mass " << node.parameters.mass << ", com " << node.parameters.com.transpose()
           << "\n  inertia\n"
           << node.parameters.inertia << "\n  armature "
           << model.armature().segment(node.v_begin, node.v_end - node.v_begin).transpose() << '\n';
    }
    for (const auto& frame : model.frames())
      text << "frame " << frame.name() << " on node " << frame.node() << "\n"
           << frame.placement().rotation << '\n'
           << frame.placement().translation.transpose() << '\n';
    for (const LoopSpec& loop : model.loops()) {
      text << "loop " << loop.name << " between " << loop.first << " and " << loop.second << ", offset " << loop.offset
           << '\n';
      for (const auto& [form, a, b, length] : loop.conditions)
        text << "  condition " << static_cast<int>(form) << ": " << a.transpose() << "; " << b.transpose() << "; "
             << length << '\n';
      for (const auto& [joint, factor] : loop.terms) text << "  " << factor << ' ' << joint << '\n';
    }
  }
  text << "<!-- q " << q.transpose() << " -->\n";
  return text.str();
}

Vector3<double> direction(Random& random) {
  for (;;) {
    const Vector3<double> x = vector(random);
    if (const double length = x.norm(); length > 0.1 && length < 1) return x / length;
  }
}
Matrix3<double> rotation(Random& random) {
  const Vector3<double> turn = 3.1 * uniform(random) * direction(random);
  return rotation_from_quaternion(exp_quaternion(turn));
}
Vector random_vector(Random& random, int n) {
  Vector x(n);
  for (double& one : x) one = symmetric(random);
  return x;
}

}  // namespace corio::trials
