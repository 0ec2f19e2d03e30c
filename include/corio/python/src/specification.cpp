#include "classes.hpp"

#include <cstring>

namespace corio::python {
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
  std::string is = version, name;
  Vector3<double> gravity = zero3<double>();
  InertialParameters<double> ground{};
  std::vector<BodySpec<double>> bodies;
  std::vector<FrameSpec<double>> frames;
  std::vector<LoopSpec> loops;
  std::vector<Note> notes;

  void pass_all(Stream& s) {
    pass(s, is);
    if (is != version) throw ModelError("a model that was pickled by another version of corio");
    pass(s, name, gravity, ground, bodies, frames, loops, notes);
  }
};

}  // namespace

std::string to_bytes(const ModelBuilder<double>& builder, const Model<double>& model) {
  Parts parts{.name = model.name(),
              .gravity = model.gravity(),
              .ground = builder.ground_inertia(),
              .bodies = {builder.bodies().begin(), builder.bodies().end()},
              .frames = builder.frames(),
              .loops = builder.loops(),
              .notes = model.notes()};
  Stream stream{false, {}};
  parts.pass_all(stream);
  return std::move(stream.bytes);
}

ModelBuilder<double> from_bytes(const std::string& bytes) {
  Parts parts;
  Stream stream{true, bytes};
  parts.pass_all(stream);
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
