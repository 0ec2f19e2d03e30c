#include "corio/corio.hpp"
#include "corio/model/edit.hpp"
#include "corio/model/edit_maps.hpp"
#include "corio/model/edit_reroot.hpp"
#include "corio/zoo/random_tree.hpp"
#include "fuzz/entries.hpp"

namespace corio::fuzz {
namespace {

/// Makes a tree with a loop and a coupling between some of its bodies and joints.
Model<double> start(Source& from) {
  // Draws the numbers in separate statements: compilers evaluate the arguments of a call in different orders.
  const int seed = from.byte();
  auto builder = to_builder(zoo::random_tree(static_cast<std::uint64_t>(seed),
                                             {.bodies = 3 + from.below(6), .floating_base = from.chance(2)}));
  const auto open = builder.build();
  const std::string first = from.any_of(open.bodies()).name(), second = from.any_of(open.bodies()).name();
  builder.close_loop("loop", first, second, closure::Point{});
  const std::string joint = from.any_of(open.joints()).name(), other = from.any_of(open.joints()).name();
  builder.couple("gear", {{joint, 1.0}, {other, from.number()}});
  try {
    const auto closed = builder.build();
    const Loops<double> loops(closed);
    return closed;
  } catch (const Error&) {  // equal bodies or joints, or other types
    return open;
  }
}

/// Returns the name of a body or frame, a name that does not exist, or the ground.
std::string place(const Model<double>& model, Source& from) {
  const int i = from.below(static_cast<int>(std::ssize(model.frames())) + 2);
  if (i < std::ssize(model.frames())) return model.frames().begin()[i].name();
  return i == std::ssize(model.frames()) ? "" : "none";
}

Model<double> edited(const Model<double>& model, Source& from) {
  const int kind = from.below(8);
  const std::string at = kind == 0 ? "" : place(model, from);
  switch (kind) {
    case 0: {
      std::vector<std::string> names;
      for (int n = from.below(4); n > 0; --n) names.push_back(from.any_of(model.joints()).name());
      VectorX<double> q = neutral(model);
      if (q.size() > 0 && from.chance(4)) {
        const int i = from.below(static_cast<int>(q.size()));
        q[i] = from.number();
      }
      return lock_joints<double>(model, names, q);
    }
    case 1: return submodel(model, at);
    case 2: {
      const auto other = start(from);
      return attach(model, at, other, from.chance(4) ? "" : from.name("p", 20));
    }
    case 3: {
      const std::string name = from.name("f", 20);
      return add_frame(model, name, at, from.pose());
    }
    case 4: {
      const double mass = from.number();
      return with_payload<double>(model, at, {mass, from.vector(), 0.1 * Matrix3<double>::Identity()});
    }
    case 5: return reroot(model, at);
    case 6: {
      const std::string name = from.any_of(model.joints()).name();
      const Vector3<double> axis = from.vector();
      const joint::JointSpec<double> joints[] = {joint::Fixed{}, joint::Revolute(axis),
                                                 joint::Universal(axis, from.vector()), joint::Spherical{},
                                                 joint::FreeFlyer{}};
      return replace_joint(model, name, joints[from.below(5)]);
    }
    default: {
      auto changed = model;
      auto inertia = changed.inertia(from.any_of(model.bodies()));
      inertia.mass = from.number(), inertia.com = from.vector();
      changed.set_inertia(at, inertia);
      return changed;
    }
  }
}

}  // namespace

void edits(Bytes bytes) {
  Source from(bytes);
  try {
    Model<double> model = start(from);
    // Attaching makes models larger, so their size is limited.
    for (int i = 0; i < 12 && !from.empty() && model.nv() < 100; ++i) {
      try {
        const Model<double> next = edited(model, from);
        const auto maps = index_maps(model, next);
        require(std::ssize(maps.q) == next.nq() && std::ssize(maps.v) == next.nv(), "maps of other lengths");
        model = next;
      } catch (const Error&) {
        continue;
      }
      if (model.bodies().empty() || model.joints().empty()) break;
      exercise(model);
    }
  } catch (const Error&) {
  }
}

}  // namespace corio::fuzz
