#include "trials/robots.hpp"

#include "corio/corio.hpp"
#include "support/compiled.hpp"
#include "support/user_joints.hpp"

namespace corio::trials {
namespace {

joint::JointSpec<double> random_joint(Random& random, const Variety& variety, double length) {
  const Vector3<double> axis = direction(random);
  if (variety.file_joints) {
    const int kind = below(random, 8);
    if (kind < 3) return joint::Revolute(axis);
    if (kind < 5) return joint::Prismatic(axis);
    if (kind == 5) return joint::Planar(axis);
    return joint::Fixed{};
  }
  switch (below(random, variety.user_joints ? 21 : 18)) {
    case 0:
    case 1:
    case 2: return joint::Revolute(axis);
    case 3: return joint::Prismatic(axis);
    case 4: return joint::Helical(axis, 0.5 * length * symmetric(random));
    case 5: return joint::Cylindrical(axis);
    case 6: return joint::Planar(axis);
    case 7: return joint::Translation{};
    case 8: return joint::Universal(axis, Vector3<double>(cross(axis, direction(random)) + 0.3 * axis));
    case 9: return joint::Spherical{};
    case 10: return joint::FreeFlyer{};
    case 11: return joint::Fixed{};
    case 12: return joint::SphericalEuler<'z', 'y', 'x'>{};
    case 13: return joint::SphericalExp{};
    case 14: return joint::SphericalInParentAxes{};
    case 15: return joint::FreeFlyerInParentAxes{};
    case 16: return joint::FreeFlyerExp{};
    case 17: return joint::Composite<>{joint::Prismatic(axis), joint::Revolute(direction(random))};
    case 18: return test::Cam(0.3);
    case 19: return test::EulerZyx{};
    default: return test::ParentBall{};
  }
}

/// Returns the inertia of a few points, spread or nearly along a line.
InertialParameters<double> random_inertia(Random& random, double length, double mass) {
  const double thin = chance(random, 0.2) ? 1e-3 : 1.0;
  const Vector3<double> center = length * vector(random);
  Inertia<double> cloud = Inertia<double>::zero();
  for (int i = 0; i < 5; ++i) {
    const double m = mass * (0.2 + uniform(random));
    Vector3<double> r = 0.5 * length * vector(random);
    r[0] *= thin, r[1] *= thin;
    r += center;
    cloud += {m, m * r, add_outer(Symmetric3<double>::zero(), m, r)};
  }
  return InertialParameters<double>(cloud);
}

/// Returns whether M is singular up to rounding, for instance because massless joints allow the same motion. The
/// builder's own check does not find all such models: it depends on roundings, which differ in an edited model.
bool is_singular(const Model<double>& model, const Vector& q) {
  try {
    Data<double> data(model);
    const Vector inverse = mass_matrix_inverse<double>(model, data, q).diagonal();
    return !(crba<double>(model, data, q).diagonal().cwiseProduct(inverse).cwiseAbs().maxCoeff() < 1e9);
  } catch (const ModelError&) {
    return true;
  }
}

}  // namespace

Vector random_configuration_of(Random& random, const Model<double>& model, double length) {
  Vector q(model.nq());
  for (int b = 0; b < model.num_nodes(); ++b) {
    const auto& node = model.node(b);
    double* const x = q.data() + node.q_begin;
    node.joint.visit([&](const auto& joint) { joint.random([&] { return uniform(random); }, x); });
    // Finds the coordinates that are lengths.
    int begin = 0, end = 0;
    node.joint.visit([&]<class J>(const J& joint) {
      if constexpr (std::is_same_v<J, joint::Prismatic>) end = 1;
      if constexpr (std::is_same_v<J, joint::Cylindrical>) begin = 1, end = 2;
      if constexpr (std::is_same_v<J, joint::Planar>) end = 2;
      if constexpr (std::is_same_v<J, joint::Translation> || std::is_same_v<J, joint::FreeFlyer>) end = 3;
      if (joint.nq == 7) end = 3;  // a floating base with other speeds
    });
    for (int i = begin; i < end; ++i) x[i] *= length;
  }
  return q;
}

Vector random_speeds(Random& random, const Model<double>& model, double length) {
  const auto unit = neutral(model);
  Data<double> data(model);
  forward_kinematics<double>(model, data, unit);
  Vector v = random_vector(random, model.nv());
  for (int k = 0; k < model.nv(); ++k)
    if (data.phi[k].angular.squaredNorm() < 0.01) v[k] *= length;
  return v;
}

Robot random_robot(Random& random, const Variety& variety) {
  const bool plain = chance(random, 0.33);
  const double length = plain ? 1.0 : magnitude(random, variety.decades);
  const double mass = plain ? 1.0 : magnitude(random, variety.decades);
  const double mixed = plain || chance(random, 0.5) ? 0.0 : variety.mixed;
  const bool armature = chance(random, 0.3);
  // A user's joint that has a length of its own fits only robots with the unit m.
  Variety own = variety;
  own.user_joints = variety.user_joints && plain;

  const int bodies = 1 + below(random, variety.bodies);
  for (;;) {
    ModelBuilder<double> builder("random");
    builder.set_gravity(chance(random, 0.1) ? zero3<double>() : Vector3<double>(9.81 * length * direction(random)));
    if (variety.file_joints) builder.set_gravity({0, 0, -9.81});
    for (int i = 0; i < bodies; ++i) {
      const double size = length * magnitude(random, mixed), weight = mass * magnitude(random, 2 * mixed);
      BodySpec<double> spec{.name = "body" + std::to_string(i)};
      if (i > 0 && !chance(random, 0.05))
        spec.parent = "body" + std::to_string(chance(random, 0.6) ? i - 1 : below(random, i));
      spec.joint = random_joint(random, own, length);
      if (i == 0 && chance(random, 0.25) && !variety.file_joints) spec.joint = joint::FreeFlyer{};
      spec.placement = {rotation(random), size * vector(random)};
      if (i == 0 && chance(random, 0.2)) spec.placement.translation *= magnitude(random, variety.far);
      if (chance(random, 0.2)) spec.body_placement = {rotation(random), size * vector(random)};
      if (i == 0 || !chance(random, 0.1)) spec.inertia = random_inertia(random, size, weight);
      for (int k = spec.joint.nv(); k > 0 && armature; --k)
        spec.armature.push_back(weight * size * size * uniform(random));
      builder.add_body(std::move(spec));
    }
    auto model = builder.build();
    // If bodies have no mass, a joint may move no inertia.
    if (model.nv() == 0 || !model.notes().empty()) continue;
    const Vector q = random_configuration_of(random, model, length);
    if (is_singular(model, q)) continue;
    const double pace = magnitude(random, 2);
    Vector v = pace * random_speeds(random, model, length), a = pace * pace * random_speeds(random, model, length);
    return {std::move(model), q, std::move(v), std::move(a), length};
  }
}

}  // namespace corio::trials
