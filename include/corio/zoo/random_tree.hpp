#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "corio/zoo/zoo.hpp"

namespace corio { inline namespace CORIO_ABI { namespace zoo {

/// Options of random_tree.
struct RandomTree {
  int bodies = 12;
  /// True if the first body floats, on the joint "root_joint".
  bool floating_base = false;
  /// Probability that the parent of a body is the body before it rather than a random earlier body: 1 makes a chain.
  double chain_bias = 0.5;
  /// True if every degree of freedom has a rotor inertia.
  bool armature = false;
  /// True if bodies on revolute and helical joints are massless where the mass matrix stays regular without their mass.
  bool massless = false;
  /// True if every degree of freedom has damping, friction and a spring whose rest configuration is not neutral.
  bool passive = false;
};

namespace detail {

/// Splitmix64 (Steele, Lea, Flood 2014), which gives the same numbers on every platform.
template <class D>
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// Return numbers uniform in [0, 1), in (-1, 1), and in {0, .., n - 1}.
  double uniform() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  double symmetric() { return 2 * uniform() - 1; }
  int below(int n) { return static_cast<int>(uniform() * n); }

  // Braces guarantee that numbers are drawn from left to right.
  Vector3<D> vector() { return {symmetric(), symmetric(), symmetric()}; }
  Vector3<D> direction() {
    Vector3<D> a = vector();
    while (dot(a, a) < 0.01) a = vector();
    return a * (1 / std::sqrt(dot(a, a)));
  }
  /// Returns a direction at least 30 degrees from the line of `axis`.
  Vector3<D> away_from(const Vector3<D>& axis) {
    Vector3<D> a = direction();
    while (std::abs(dot(axis, a)) > 0.866) a = direction();
    return a;
  }
  Pose<D> pose() {
    Quaternion<D> a{symmetric(), symmetric(), symmetric(), symmetric()};
    if (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3] < 0.01) a[3] = 1;
    return {rotation_from_quaternion(a), vector()};
  }

  /// Returns the inertia of five point masses, which is generic.
  InertialParameters<D> inertia() {
    const Vector3<D> center = 0.5 * vector();
    Inertia<D> cloud = Inertia<D>::zero();
    for (int i = 0; i < 5; ++i) {
      const D mass = 0.2 + 0.4 * uniform();
      const Vector3<D> r = center + 0.4 * vector();
      cloud += {mass, mass * r, add_outer(Symmetric3<D>::zero(), mass, r)};
    }
    return InertialParameters<D>(cloud);
  }

 private:
  std::uint64_t state_;
};

enum Kind { revolute, prismatic, helical, cylindrical, planar, translation, universal, spherical, free_flyer, fixed };
inline constexpr int kinds = fixed + 1;

template <class D>
joint::JointSpec<D> random_joint(Kind kind, Random<D>& random) {
  const Vector3<double> axis = random.direction();
  switch (kind) {
    case revolute: return joint::Revolute(axis);
    case prismatic: return joint::Prismatic(axis);
    case helical: return joint::Helical(axis, 0.5 * random.symmetric());
    case cylindrical: return joint::Cylindrical(axis);
    case planar: return joint::Planar(axis);
    case translation: return joint::Translation{};
    case universal: return joint::Universal(axis, random.away_from(axis));
    case spherical: return joint::Spherical{};
    case free_flyer: return joint::FreeFlyer{};
    default: return joint::Fixed{};
  }
}

/// Returns the joint type of each body: shuffled rounds of all types. The first body is not on a fixed joint; with
/// floating_base it floats.
template <class D>
PerBody<Kind> random_kinds(const RandomTree& options, Random<D>& random) {
  PerBody<Kind> all;
  while (all.size() < options.bodies)
    for (int i = 0; i < kinds; ++i) {
      all.push_back(static_cast<Kind>(i));
      std::swap(all.back(), all[all.size() - 1 - random.below(i + 1)]);
    }
  if (options.floating_base) std::swap(all[0], *std::find(all.begin(), all.end(), free_flyer));
  if (all[0] == fixed) std::swap(all[0], all[1]);
  return all;
}

}  // namespace detail

/// A random tree of bodies "body0", "body1", .. on joints of every type: every ten bodies have all ten types, including
/// Fixed, in random order with random axes (not orthogonal for Universal). Placements and sizes are of order one,
/// inertias are generic. A seed makes one model, to rounding, on every platform.
template <class S = double>
Model<S> random_tree(std::uint64_t seed, const RandomTree& options = {}) {
  if (options.bodies <= 0) detail::fail({"random_tree needs at least one body"});
  detail::Random<double> random(seed);
  const auto kind = detail::random_kinds(options, random);
  PerBody<int> parent(1, -1);
  for (int i = 1; i < options.bodies; ++i)
    parent.push_back(random.uniform() < options.chain_bias ? i - 1 : random.below(i));
  // Such a joint adds one column to the columns of a child with mass; all are independent unless the child is on a free
  // flyer.
  PerBody<char> massless(options.bodies, false);
  for (int i = 1; i < options.bodies && options.massless; ++i) {
    const int p = parent[i];
    const bool parent_has_mass = p == 0 || !massless[parent[p]];
    if ((kind[p] == detail::revolute || kind[p] == detail::helical) && kind[i] != detail::free_flyer && parent_has_mass)
      massless[p] = true;
  }

  ModelBuilder<double> builder("random_tree_" + std::to_string(seed));
  for (int i = 0; i < options.bodies; ++i) {
    BodySpec<double> spec{.name = "body" + std::to_string(i)};
    if (i > 0) spec.parent = "body" + std::to_string(parent[i]);
    if (i == 0 && options.floating_base) spec.joint_name = "root_joint";
    spec.joint = detail::random_joint(kind[i], random);
    spec.placement = random.pose();
    const auto inertia = random.inertia();  // always drawn, so that `massless` changes nothing else
    if (!massless[i]) spec.inertia = inertia;
    int nv = 0;
    for (const auto& link : spec.joint.chain) nv += link.joint.nv();
    for (int k = 0; k < nv && options.armature; ++k) spec.armature.push_back(0.1 + 0.4 * random.uniform());
    for (int k = 0; k < nv && options.passive; ++k)
      for (auto* terms : {&spec.passive.damping, &spec.passive.friction, &spec.passive.stiffness})
        terms->push_back(0.1 + random.uniform());
    if (options.passive)
      for (const auto& link : spec.joint.chain) {
        Eigen::VectorXd rest(link.joint.nq());
        link.joint.visit([&](const auto& joint) { joint.random([&] { return random.uniform(); }, rest.data()); });
        spec.passive.rest.insert(spec.passive.rest.end(), rest.begin(), rest.end());
      }
    builder.add_body(std::move(spec));
  }
  return detail::finish<S>(builder);
}

}}}  // namespace corio::zoo
