#include "specification.hpp"

#include <cstring>
#include <optional>

#include "corio/corio.hpp"

namespace corio::python {
namespace {

constexpr char version[] = "corio 1";

struct Writer {
  static constexpr bool reads = false;
  std::string bytes;
  void raw(const void* x, std::size_t n) { bytes.append(static_cast<const char*>(x), n); }
};
struct Reader {
  static constexpr bool reads = true;
  const std::string& bytes;
  std::size_t at = 0;
  void raw(void* x, std::size_t n) {
    if (bytes.size() - at < n) throw ModelError("a pickled model is cut off");
    std::memcpy(x, bytes.data() + at, n), at += n;
  }
};

// One function writes and reads: its argument is written, or gets the value that is read.
template <class T>
requires(std::is_arithmetic_v<T> || std::is_enum_v<T>) void pass(auto& stream, T& x) { stream.raw(&x, sizeof x); }
template <class T>
void pass_all(auto& stream, T& x, auto&& one) {
  auto n = static_cast<std::uint64_t>(x.size());
  pass(stream, n);
  if constexpr (std::remove_cvref_t<decltype(stream)>::reads) {
    if (n > stream.bytes.size()) throw ModelError("a pickled model is cut off");
    x.clear();
    for (std::uint64_t i = 0; i < n; ++i) x.push_back({});
  }
  for (auto& part : x) one(part);
}
void pass(auto& stream, std::string& x) {
  pass_all(stream, x, [&](char& c) { stream.raw(&c, 1); });
}
void pass(auto& stream, Vector3<double>& x) { stream.raw(x.data(), 3 * sizeof(double)); }
void pass(auto& stream, Matrix3<double>& x) { stream.raw(x.data(), 9 * sizeof(double)); }
template <class T>
void pass(auto& stream, std::vector<T>& x) {
  pass_all(stream, x, [&](T& one) { pass(stream, one); });
}
void pass(auto& stream, auto& first, auto& second, auto&... more) {
  pass(stream, first), pass(stream, second), (pass(stream, more), ...);
}
void pass(auto& stream, Pose<double>& x) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) pass(stream, x.rotation(i, j));
  pass(stream, x.translation);
}
void pass(auto& stream, InertialParameters<double>& x) { pass(stream, x.mass, x.com, x.inertia); }
void pass(auto& stream, FrameSpec<double>& x) { pass(stream, x.name, x.parent.name, x.placement, x.line); }
void pass(auto& stream, Note& x) { pass(stream, x.element, x.line, x.found, x.advice); }
void pass(auto& stream, closure::Condition& x) { pass(stream, x.form, x.a, x.b, x.length); }
void pass(auto& stream, CouplingTerm& x) { pass(stream, x.joint, x.factor); }
void pass(auto& stream, LoopSpec& x) {
  pass(stream, x.name, x.first, x.second, x.conditions, x.terms, x.offset, x.dependent, x.line);
}

template <class... Joints>
joint::PrimitiveJoint<double> primitive_of(const std::string& type, double pitch) {
  std::optional<joint::PrimitiveJoint<double>> found;
  const auto try_one = [&]<class J>(std::type_identity<J>) {
    if (type != J::type) return;
    if constexpr (std::is_same_v<J, joint::Helical>)
      found.emplace(joint::Helical(Vector3<double>(0, 0, 1), pitch));
    else
      found.emplace(J());
  };
  (try_one(std::type_identity<Joints>()), ...);
  if (found) return *found;
  throw ModelError("a pickled model has a joint of type '" + type + "', which this version of corio does not know");
}
constexpr auto primitive =
    primitive_of<joint::Revolute, joint::Continuous, joint::Prismatic, joint::Helical, joint::Cylindrical,
                 joint::Planar, joint::Translation, joint::Spherical, joint::FreeFlyer>;
void pass(auto& stream, joint::JointSpec<double>& x) {
  pass(stream, x.type, x.tail);
  auto n = static_cast<std::uint64_t>(x.chain.size());
  pass(stream, n);
  for (std::size_t i = 0; i < n; ++i) {
    Matrix3<double> axes;
    std::string type;
    double pitch = 0.0;
    if constexpr (!std::remove_cvref_t<decltype(stream)>::reads) {
      const auto& joint = x.chain[i].joint;
      if (joint.custom()) throw ModelError("a model with a user's joint cannot be pickled");
      axes = x.chain[i].axes, pitch = joint.pitch();
      type = joint.visit([]<class J>(const J&) -> std::string {
        if constexpr (requires { J::type; }) return J::type;
        return "";
      });
    }
    pass(stream, axes, type, pitch);
    if constexpr (std::remove_cvref_t<decltype(stream)>::reads) x.chain.push_back({axes, primitive(type, pitch)});
  }
}
void pass(auto& stream, BodySpec<double>& x) {
  pass(stream, x.name, x.parent.name, x.joint_name, x.joint, x.placement, x.body_placement, x.inertia);
  for_each_term([&](const JointTerm&, auto& numbers) { pass(stream, numbers); }, x);
  pass(stream, x.line, x.joint_line);
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

  void pass_all_parts(auto& stream) {
    pass(stream, is);
    if (is != version) throw ModelError("a model that was pickled by another version of corio");
    pass(stream, name, gravity, ground, bodies, frames, loops, notes);
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
  Writer writer;
  parts.pass_all_parts(writer);
  return std::move(writer.bytes);
}

ModelBuilder<double> from_bytes(const std::string& bytes) {
  Parts parts;
  Reader reader{bytes};
  parts.pass_all_parts(reader);
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
