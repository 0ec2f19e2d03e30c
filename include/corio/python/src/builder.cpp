// ModelBuilder with keywords, and as bytes.
#include <cstring>

#include "class.hpp"
#include "corio/model/edit.hpp"

namespace corio::python {
namespace {

using Builder = ModelBuilder<double>;
using Numbers = std::vector<double>;

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
  const Vector3<double> n = axis;
  const joint::JointSpec<double> all[]{
      joint::Revolute(n), joint::Continuous(n), joint::Prismatic(n), joint::Helical(n, pitch), joint::Cylindrical(n),
      joint::Planar(n),   joint::Translation(), joint::Spherical(),  joint::FreeFlyer(),       joint::Fixed()};
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
  builder.function("build()", &Builder::build);
  function(m, "to_builder(model)", to_builder<double>);
#undef POSE
}

namespace {

constexpr char version[] = "corio 1";

/// One function writes and reads: the argument of pass is written, or gets the value that is read.
struct Stream {
  bool reads;
  std::string bytes;
  std::size_t at = 0;

  void raw(void* x, std::size_t n) {
    if (!reads) bytes.append(static_cast<const char*>(x), n);
    if (bytes.size() - at < n) throw ModelError("a pickled model is cut off");
    if (reads) std::memcpy(x, bytes.data() + at, n), at += n;
  }
  /// The number of parts of something.
  std::size_t size(std::size_t n) {
    raw(&n, sizeof n);
    if (reads && n > bytes.size()) throw ModelError("a pickled model is cut off");
    return n;
  }
};
template <class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void pass(Stream& s, T& x) { s.raw(&x, sizeof x); }
void pass(Stream& s, std::string& x) { x.resize(s.size(x.size())), s.raw(x.data(), x.size()); }
void pass(Stream& s, Vector3<double>& x) { s.raw(x.data(), 3 * sizeof(double)); }
void pass(Stream& s, Matrix3<double>& x) { s.raw(x.data(), 9 * sizeof(double)); }
template <class T>
void pass(Stream& s, std::vector<T>& x) {
  x.resize(s.size(x.size()));
  for (T& one : x) pass(s, one);
}
void pass(Stream& s, auto& first, auto& second, auto&... more) {
  pass(s, first), pass(s, second), (pass(s, more), ...);
}
void pass(Stream& s, Pose<double>& x) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) pass(s, x.rotation(i, j));
  pass(s, x.translation);
}
void pass(Stream& s, InertialParameters<double>& x) { pass(s, x.mass, x.com, x.inertia); }
void pass(Stream& s, FrameSpec<double>& x) { pass(s, x.name, x.parent.name, x.placement, x.line); }
void pass(Stream& s, Note& x) { pass(s, x.element, x.line, x.found, x.advice); }
void pass(Stream& s, closure::Condition& x) { pass(s, x.form, x.a, x.b, x.length); }
void pass(Stream& s, CouplingTerm& x) { pass(s, x.joint, x.factor); }
void pass(Stream& s, LoopSpec& x) {
  pass(s, x.name, x.first, x.second, x.conditions, x.terms, x.offset, x.dependent, x.line);
}

void pass(Stream& s, joint::JointSpec<double>& x) {
  pass(s, x.type, x.tail);
  const std::size_t n = s.size(x.chain.size());
  for (std::size_t i = 0; i < n; ++i) {
    Matrix3<double> axes;
    std::string type;
    double pitch = 0.0;
    if (!s.reads) {
      const auto& joint = x.chain[i].joint;
      if (joint.custom()) throw ModelError("a model with a user's joint cannot be pickled");
      axes = x.chain[i].axes, pitch = joint.pitch();
      joint.visit([&]<class J>(const J&) {
        if constexpr (requires { J::type; }) type = J::type;
      });
    }
    pass(s, axes, type, pitch);
    if (s.reads) x.chain.push_back({axes, joint_of(type, Eigen::Vector3d::UnitZ(), pitch).chain.at(0).joint});
  }
}
void pass(Stream& s, BodySpec<double>& x) {
  pass(s, x.name, x.parent.name, x.joint_name, x.joint, x.placement, x.body_placement, x.inertia);
  for_each_term([&](const JointTerm&, auto& numbers) { pass(s, numbers); }, x);
  pass(s, x.line, x.joint_line);
}

/// The parts of a builder.
struct Parts {
  std::string is = version, name{};
  Vector3<double> gravity = zero3<double>();
  InertialParameters<double> ground{};
  std::vector<BodySpec<double>> bodies{};
  std::vector<FrameSpec<double>> frames{};
  std::vector<LoopSpec> loops{};
  std::vector<Note> notes{};
};
void pass(Stream& s, Parts& x) {
  pass(s, x.is);
  if (x.is != version) throw ModelError("a model that was pickled by another version of corio");
  pass(s, x.name, x.gravity, x.ground, x.bodies, x.frames, x.loops, x.notes);
}

}  // namespace

std::string to_bytes(const Model<double>& model) {
  const auto builder = to_builder(model);
  const auto& bodies = builder.bodies();
  Parts parts{
      version,          model.name(),    model.gravity(), builder.ground_inertia(), {bodies.begin(), bodies.end()},
      builder.frames(), builder.loops(), model.notes()};
  Stream stream{false, {}};
  pass(stream, parts);
  return std::move(stream.bytes);
}

ModelBuilder<double> from_bytes(const std::string& bytes) {
  Parts parts;
  Stream stream{true, bytes};
  pass(stream, parts);
  ModelBuilder<double> builder(parts.name);
  builder.set_gravity(parts.gravity);
  builder.set_ground_inertia(parts.ground);
  for (auto& body : parts.bodies) builder.add_body(std::move(body));
  for (auto& frame : parts.frames) builder.add_frame(std::move(frame));
  for (auto& loop : parts.loops) builder.add_loop(std::move(loop));
  for (auto& note : parts.notes) builder.add_note(std::move(note));
  return builder;
}

}  // namespace corio::python
