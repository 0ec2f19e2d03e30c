#include "corio/corio.hpp"
#include "fuzz/entries.hpp"
#include "support/user_joints.hpp"

namespace corio::fuzz {
namespace {

joint::JointSpec<double> any_joint(Source& from) {
  const int kind = from.below(17);
  const Vector3<double> axis = kind < 6 ? from.vector() : Vector3<double>(1, 0, 0);
  switch (kind) {
    case 0: return joint::Revolute(axis);
    case 1: return joint::Prismatic(axis);
    case 2: return joint::Helical(axis, from.number());
    case 3: return joint::Cylindrical(axis);
    case 4: return joint::Planar(axis);
    case 5: return joint::Universal(axis, from.vector());
    case 6: return joint::Translation{};
    case 7: return joint::Spherical{};
    case 8: return joint::FreeFlyer{};
    case 9: return joint::SphericalEuler<'z', 'y', 'x'>{};
    case 10: return joint::SphericalExp{};
    case 11: return joint::FreeFlyerExp{};
    case 12: return joint::SphericalInParentAxes{};
    case 13: return joint::FreeFlyerInParentAxes{};
    case 14: return test::Cam(0.3);
    case 15: return joint::Revolute::z();
    default: return joint::Fixed{};
  }
}

std::vector<double> numbers(Source& from) {
  std::vector<double> all(static_cast<std::size_t>(from.below(5)));
  for (double& x : all) x = from.number();
  return all;
}

InertialParameters<double> any_inertia(Source& from) {
  if (from.chance(4)) {
    InertialParameters<double> given{from.number(), from.vector(), Matrix3<double>::Identity()};
    for (int i = 0; i < 3; ++i) given.inertia.row(i) = from.vector();
    return given;
  }
  return {1.0, {0.1, 0.2, 0.3}, 0.1 * Matrix3<double>::Identity()};
}

void add_body(ModelBuilder<double>& builder, Source& from) {
  BodySpec<double> spec{.name = from.name("b", 12)};
  if (const int parent = from.below(13); parent < 12) spec.parent = "b" + std::to_string(parent);
  spec.joint = any_joint(from);
  if (from.chance(2)) spec.placement = from.pose();
  if (from.chance(4)) spec.body_placement = from.pose();
  spec.inertia = any_inertia(from);
  if (from.chance(8)) spec.joint_name = from.name("j", 4);
  if (from.chance(4)) spec.armature = numbers(from);
  if (from.chance(8)) spec.limits = {numbers(from), numbers(from), numbers(from), numbers(from)};
  if (from.chance(8)) spec.passive = {numbers(from), numbers(from), numbers(from), numbers(from)};
  builder.add_body(std::move(spec));
}

void close_loop(ModelBuilder<double>& builder, Source& from) {
  const std::string name = from.name("l", 6), first = from.name("f", 6), second = from.name("b", 12);
  switch (from.below(8)) {
    case 0: return builder.close_loop(name, first, second, closure::Point{});
    case 1: return builder.close_loop(name, first, second, closure::Revolute{from.vector()});
    case 2: return builder.close_loop(name, first, second, closure::Universal{from.vector(), from.vector()});
    case 3: return builder.close_loop(name, first, second, closure::Prismatic{from.vector()});
    case 4: return builder.close_loop(name, first, second, closure::Weld{}, {from.name("b", 12) + "_joint"});
    case 5: return builder.close_loop(name, first, second, closure::Distance{from.number()});
    default: {
      std::vector<CouplingTerm> terms;
      for (int n = from.below(4); n > 0; --n) terms.push_back({from.name("b", 12) + "_joint", from.number()});
      return builder.couple(name, terms, from.number());
    }
  }
}

}  // namespace

void model(Bytes bytes) {
  Source from(bytes);
  ModelBuilder<double> builder("fuzzed");
  try {
    while (!from.empty()) switch (from.below(8)) {
        case 0: builder.set_gravity(from.vector()); break;
        case 1: {
          const std::string name = from.name("f", 6), body = from.name("b", 12);
          builder.add_frame(name, body, from.pose());
          break;
        }
        case 2: close_loop(builder, from); break;
        case 3: builder.set_inertias(from.chance(2) ? Inertias::nearest : Inertias::strict); break;
        case 4: builder.set_armature_of_massless(from.number()); break;
        default: add_body(builder, from);
      }
    exercise(builder.build());
  } catch (const Error&) {
  }
}

}  // namespace corio::fuzz
