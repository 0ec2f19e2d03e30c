// ModelBuilder with keywords.
#include "class.hpp"
#include "corio/model/edit.hpp"

namespace corio::python {
namespace {

using Builder = ModelBuilder<double>;
using Numbers = std::vector<double>;
using Vec = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

void add_body(Builder& b, const std::string& name, const std::string& parent, const std::string& joint, const Vec& axis,
              double pitch, const Mat3& rotation, const Vec& translation, double mass, const Vec& com,
              const Mat3& inertia, const std::string& joint_name, const Numbers& armature, const Numbers& damping,
              const Numbers& friction, const Numbers& lower, const Numbers& upper, const Numbers& velocity,
              const Numbers& effort) {
  BodySpec<double> spec{.name = name, .parent = parent, .joint = joint_of(joint, axis, pitch)};
  spec.placement = {rotation, translation};
  spec.inertia = {mass, com, inertia};
  spec.joint_name = joint_name, spec.armature = armature;
  spec.passive.damping = damping, spec.passive.friction = friction;
  spec.limits.lower = lower, spec.limits.upper = upper;
  spec.limits.velocity = velocity, spec.limits.effort = effort;
  b.add_body(spec);
}

closure::Conditions conditions_of(const std::string& closure, const Vec& axis, double length) {
  const closure::Conditions all[]{closure::Point().conditions(), closure::Revolute{axis}.conditions(),
                                  closure::Prismatic{axis}.conditions(), closure::Weld().conditions(),
                                  closure::Distance{length}.conditions()};
  return all[index_of<ModelError>("closure", closure, {"point", "revolute", "prismatic", "weld", "distance"})];
}

}  // namespace

joint::JointSpec<double> joint_of(const std::string& type, const Vec& axis, double pitch) {
  using namespace joint;
  const Vector3<double> n = axis;
  const JointSpec<double> all[]{Revolute(n), Continuous(n), Prismatic(n), Helical(n, pitch), Cylindrical(n),
                                Planar(n),   Translation(), Spherical(),  FreeFlyer(),       Fixed()};
  Names names;
  for (const auto& one : all) names.push_back(one.type);
  return all[index_of<ModelError>("joint", type, names)];
}

void bind_builder(pybind11::module_& m) {
#define POSE "rotation=((1, 0, 0), (0, 1, 0), (0, 0, 1)), translation=(0, 0, 0)"
  Class<Builder> builder(m, "ModelBuilder", "Collects bodies in any order and builds a Model from them.");
  builder.init("(name='model')", [](const std::string& name) { return Builder(name); });
  builder.function("add_body(name, *, parent='', joint='fixed', axis=(0, 0, 1), pitch=0.0, " POSE
                   ", mass=0.0, com=(0, 0, 0), inertia=((0, 0, 0),) * 3, joint_name='', armature=(), damping=(), "
                   "friction=(), lower=(), upper=(), velocity=(), effort=())",
                   add_body,
                   "A body and the joint that carries it; rotation and translation are the pose of the joint frame in "
                   "the parent's frame, inertia (kg m^2) is about the com (m), both in the body's frame.");
  builder.function("add_frame(name, body='', " POSE ")",
                   [](Builder& b, const std::string& name, const std::string& body, const Mat3& R, const Vec& p) {
                     b.add_frame(name, body, Pose<double>{R, p});
                   });
  builder.function("close_loop(name, first, second, closure, *, axis=(0, 0, 1), length=1.0, dependent=())",
                   [](Builder& b, const std::string& name, const std::string& first, const std::string& second,
                      const std::string& closure, const Vec& axis, double length, const Names& dependent) {
                     b.add_loop({.name = name,
                                 .first = first,
                                 .second = second,
                                 .conditions = conditions_of(closure, axis, length),
                                 .dependent = dependent});
                   });
  builder.function(
      "couple(name, terms, offset=0.0, dependent=())",
      [](Builder& b, const std::string& name, const std::vector<std::pair<std::string, double>>& terms, double offset,
         const Names& dependent) {
        std::vector<CouplingTerm> all;
        for (const auto& [joint, factor] : terms) all.push_back({joint, factor});
        b.couple(name, all, offset, dependent);
      },
      "Couples joints by sum factor_i q_i = offset; terms are pairs (joint, factor).");
  builder.function("add_rotor(joint, inertia, ratio=1.0)",
                   [](Builder& b, const std::string& joint, double inertia, double ratio) {
                     b.add_rotor({.joint = joint, .inertia = inertia, .ratio = ratio});
                   });
  builder.function("set_gravity(gravity)", [](Builder& b, const Vec& g) { b.set_gravity(g); });
  builder.function("build()", [](const Builder& b) { return hold(b.build()); });
  function(m, "to_builder(model)", [](const ModelHolder& h) { return to_builder(h.robot); });
#undef POSE
}

}  // namespace corio::python
