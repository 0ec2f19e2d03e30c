#include "trials/edits.hpp"

#include <optional>

#include "corio/corio.hpp"
#include "corio/io/urdf.hpp"
#include "corio/io/write_urdf.hpp"
#include "corio/model/edit.hpp"
#include "corio/model/edit_maps.hpp"
#include "corio/model/edit_reroot.hpp"
#include "support/compiled.hpp"
#include "trials/newton.hpp"
#include "trials/robots.hpp"

namespace corio::trials {
namespace {

using Real = Newton::Real;
using Reals = Newton::Reals;

/// Edits multiply poses and add inertias, which are rounded once more.
constexpr double bound = 1e-11;

/// Compares tau of a model with numbers for its degrees of freedom, relative to the terms of tau.
void compare(Figures& figures, const char* name, const Model<double>& model, const Vector& q, const Vector& v,
             const Vector& a, const Reals& reference, Real effort) {
  Data<double> data(model);
  const Vector tau = rnea<double>(model, data, q, v, a);
  const Newton newton(model, q);
  Real worst = 0;
  for (int k = 0; k < model.nv(); ++k) {
    const Real error = std::abs(static_cast<Real>(tau[k]) - reference[k]);
    if (error > 0) worst = std::max(worst, error / (newton.sizes()[k] * std::max(effort, newton.effort(v, a))));
  }
  figures.note(name, tau.allFinite() ? static_cast<double>(worst) : std::numeric_limits<double>::infinity(), bound);
}

Reals at(const Reals& x, const std::vector<int>& map) {
  Reals result(std::ssize(map));
  for (std::size_t i = 0; i < map.size(); ++i) result[static_cast<Eigen::Index>(i)] = x[map[i]];
  return result;
}

std::string any_body(Random& random, const Model<double>& model) {
  return model.bodies().begin()[below(random, static_cast<int>(std::ssize(model.bodies())))].name();
}

InertialParameters<double> payload(Random& random, double length, double mass) {
  return {mass * (0.1 + uniform(random)), length * vector(random),
          mass * length * length * (0.1 + uniform(random)) * Matrix3<double>::Identity()};
}

}  // namespace

void edits(Random& random, Figures& figures) {
  const Robot robot = random_robot(random, {.bodies = 10, .decades = 3, .mixed = 0.5, .far = 2});
  const auto& model = robot.model;
  const auto& q = robot.q;
  const auto& v = robot.v;
  const auto& a = robot.a;
  const auto& length = robot.length;
  figures.set_robot(model, q);
  const Newton newton(model, q);
  const Reals tau = newton.inverse_dynamics(v, a);
  const Real effort = newton.effort(v, a);

  const auto again = to_builder(model).build();
  compare(figures, "to_builder", again, q, v, a, tau, effort);

  // Some joints stand still.
  std::vector<std::string> locked;
  Vector slow = v, coast = a;
  for (const Joint& joint : model.joints())
    if (chance(random, 0.4)) {
      locked.push_back(joint.name());
      slow.segment(joint.v_index(), joint.nv()).setZero(), coast.segment(joint.v_index(), joint.nv()).setZero();
    }
  {
    const auto less = lock_joints<double>(model, locked, q);
    const auto maps = index_maps(model, less);
    const Reals reference = newton.inverse_dynamics(slow, coast);
    const auto of = [&](const Vector& x) -> Vector { return x(maps.v); };
    if (less.nv() > 0)
      compare(figures, "lock_joints", less, q(maps.q), of(slow), of(coast), at(reference, maps.v),
              newton.effort(slow, coast));
  }

  // Puts another joint in the place of a joint that rests where the other is neutral: this changes no force of the
  // other joints.
  {
    const Joint& joint = model.joints().begin()[below(random, static_cast<int>(std::ssize(model.joints())))];
    const joint::JointSpec<double> kinds[] = {joint::Revolute(direction(random)), joint::Universal(),
                                              joint::Spherical{}, joint::FreeFlyer{}};
    const auto other = replace_joint(model, joint.name(), kinds[below(random, 4)]);
    Vector q0 = q, v0 = v, a0 = a;
    q0.segment(joint.q_index(), joint.nq()) = neutral(model).segment(joint.q_index(), joint.nq());
    v0.segment(joint.v_index(), joint.nv()).setZero(), a0.segment(joint.v_index(), joint.nv()).setZero();
    Vector q1 = neutral(other), v1 = Vector::Zero(other.nv()), a1 = v1;
    const auto for_each_kept = [&](auto&& f) {
      for (const Joint& one : model.joints())
        if (one.name() != joint.name()) f(one, other.joint(one.name()));
    };
    for_each_kept([&](const Joint& one, const Joint& same) {
      q1.segment(same.q_index(), same.nq()) = q0.segment(one.q_index(), one.nq());
      v1.segment(same.v_index(), same.nv()) = v0.segment(one.v_index(), one.nv());
      a1.segment(same.v_index(), same.nv()) = a0.segment(one.v_index(), one.nv());
    });
    const Newton before(model, q0);
    const Reals expected = before.inverse_dynamics(v0, a0);
    Reals reference = Newton(other, q1).inverse_dynamics(v1, a1);
    for_each_kept([&](const Joint& one, const Joint& same) {
      reference.segment(same.v_index(), same.nv()) = expected.segment(one.v_index(), one.nv());
    });
    compare(figures, "replace_joint", other, q1, v1, a1, reference, before.effort(v0, a0));
  }

  // Attaches the robot to another one, whose motion depends on its place only by gravity.
  {
    const Robot other = random_robot(random, {.bodies = 5, .decades = 0, .mixed = 0, .far = 0});
    const auto both = attach(model, any_body(random, model), other.model, "other_");
    if (!both.notes().empty()) return figures.skip("a thin body vanishes beside what is attached");
    const auto maps = index_maps(model, both), others = index_maps(other.model, both, "other_");
    Vector q2 = neutral(both), v2 = Vector::Zero(both.nv()), a2 = v2;
    for (int i = 0; i < both.nq(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      q2[i] = maps.q[k] >= 0 ? q[maps.q[k]] : other.q[others.q[k]];
    }
    for (int i = 0; i < both.nv(); ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (maps.v[k] >= 0)
        v2[i] = v[maps.v[k]], a2[i] = a[maps.v[k]];
      else
        v2[i] = other.v[others.v[k]], a2[i] = other.a[others.v[k]];
    }
    const Newton joined(both, q2);
    compare(figures, "attach", both, q2, v2, a2, joined.inverse_dynamics(v2, a2), 0);
    // Forces are linear in the inertias of the attached robot: without these inertias, the forces are those of the
    // first robot alone.
    auto heavier = both;
    for (const auto& body : both.bodies())
      if (body.name().starts_with("other_")) {
        auto inertia = both.inertia(body);
        inertia.mass *= 2, inertia.inertia *= 2;
        try {
          heavier.set_inertia(body, inertia);
        } catch (const ModelError&) {
          return figures.skip("a thin body vanishes beside what is attached");
        }
      }
    if (other.model.ground_inertia().mass == 0) {
      Data<double> data(both), heavier_data(heavier);
      const Vector found = 2 * rnea<double>(both, data, q2, v2, a2) - rnea<double>(heavier, heavier_data, q2, v2, a2);
      const Newton most(heavier, q2);
      Real worst = 0;
      for (int i = 0; i < both.nv(); ++i)
        if (const int k = maps.v[static_cast<std::size_t>(i)]; k >= 0)
          worst = std::max(worst, std::abs(static_cast<Real>(found[i]) - tau[k]) /
                                      (most.sizes()[i] * most.effort(v2, a2) + 1e-300L));
      figures.note("attach, less what was attached", static_cast<double>(worst), bound);
    }
  }

  // A payload is a body welded to the body that carries it.
  {
    const std::string body = any_body(random, model);
    double mass = 0;  // mean mass of a body: the load must not hide the robot's own inertia
    for (const auto& one : model.bodies())
      mass += model.inertia(one).mass / static_cast<double>(std::ssize(model.bodies()));
    const auto load = payload(random, length, mass);
    auto builder = to_builder(model);
    builder.add_body({.name = "load", .parent = body, .inertia = load});
    const auto welded = builder.build();
    const Newton reference(welded, q);
    try {
      const auto loaded = with_payload<double>(model, body, load);
      compare(figures, "with_payload", loaded, q, v, a, reference.inverse_dynamics(v, a), reference.effort(v, a));
      const auto unloaded = with_payload<double>(loaded, body, {-load.mass, load.com, -load.inertia});
      compare(figures, "with_payload, taken off", unloaded, q, v, a, tau, reference.effort(v, a));
    } catch (const ModelError&) {  // the inertia of a thin or light body is lost in rounding
      figures.skip("a payload is too heavy");
    }
  }

  // A submodel is compared with the robot while the parent of the part stands still: the bodies above only turn
  // gravity.
  {
    const std::string body = any_body(random, model);
    auto part = submodel(model, body);
    Vector v0 = Vector::Zero(model.nv()), a0 = v0;
    const auto [begin, end] = model.subtree(model.body(body));
    for (int k = begin; k < end; ++k) v0[k] = v[k], a0[k] = a[k];
    Data<double> data(model);
    forward_kinematics<double>(model, data, q);
    const Body<double>& root = model.body(body);
    Pose<double> carrier = Pose<double>::identity();
    if (root.parent() >= 0) carrier = body_pose(model, data, model.bodies().begin()[root.parent()]);
    part.set_gravity(carrier.rotation.transpose() * model.gravity());
    std::vector<int> q_map, v_map;
    for (const Joint& joint : part.joints()) {
      const Joint& old = model.joint(joint.name());
      for (int i = 0; i < joint.nq(); ++i) q_map.push_back(old.q_index() + i);
      for (int i = 0; i < joint.nv(); ++i) v_map.push_back(old.v_index() + i);
    }
    if (part.nv() > 0)
      compare(figures, "submodel", part, q(q_map), v0(v_map), a0(v_map), at(newton.inverse_dynamics(v0, a0), v_map),
              newton.effort(v0, a0));
  }
}

void rerooted(Random& random, Figures& figures) {
  Robot robot = random_robot(random, {.bodies = 8, .decades = 2, .mixed = 0.3, .far = 1, .user_joints = false});
  // Attaches the robot to a free flyer.
  const auto ground_based = to_builder(robot.model);
  ModelBuilder<double> builder("floating");
  builder.set_gravity(robot.model.gravity());
  for (auto spec : ground_based.bodies()) {
    if (spec.parent.name.empty()) spec.parent = "base";
    builder.add_body(std::move(spec));
  }
  builder.add_body({.name = "base", .joint = joint::FreeFlyer{}, .inertia = payload(random, robot.length, 1.0)});
  const auto model = builder.build();
  const Vector q = random_configuration_of(random, model, robot.length);
  const Vector v = random_speeds(random, model, robot.length);
  figures.set_robot(model, q);
  const std::string base = any_body(random, model);
  const auto edited = [&]() -> std::optional<Model<double>> {
    try {
      return reroot(model, base);
    } catch (const ModelError&) {
      return {};
    }
  }();
  if (!edited) return figures.skip("a joint cannot be reversed");
  Data<double> data(model);
  // No force acts on either base, so that the forces of joints are the same ones.
  const Newton before(model, q);
  Vector tau = before.sizes().cast<double>().cwiseProduct(random_vector(random, model.nv())) *
               static_cast<double>(before.effort(v, Vector::Zero(model.nv())));
  const Joint& old_root = model.joint("base_joint");
  tau.segment(old_root.v_index(), old_root.nv()).setZero();
  const Vector a = aba<double>(model, data, q, v, tau);
  forward_kinematics<double>(model, data, q, v, a);
  const auto maps = index_maps(model, *edited);
  const Body<double>& body = model.body(base);
  const Joint& root = edited->joints().front();
  const auto put = [&](const std::vector<int>& map, const Vector& old, int begin, const Vector& of_base) -> Vector {
    Vector x(std::ssize(map));
    for (std::size_t i = 0; i < map.size(); ++i)
      x[static_cast<Eigen::Index>(i)] = map[i] >= 0 ? old[map[i]] : of_base[static_cast<Eigen::Index>(i) - begin];
    return x;
  };
  const Vector q2 = put(maps.q, q, root.q_index(), joint::FreeFlyer::configuration(body_pose(model, data, body)));
  const Vector v2 = put(maps.v, v, root.v_index(), body_velocity(model, data, body).vector());
  const Vector a2 = put(maps.v, a, root.v_index(), body_acceleration(model, data, body).vector());
  const Newton after(*edited, q2);
  const auto error = [](Real x, Real y, Real size) { return static_cast<double>(std::abs(x - y) / size); };
  const Real pace = before.pace(v) + after.pace(v2);
  figures.note("kinetic_energy", error(before.kinetic_energy(v), after.kinetic_energy(v2), pace * pace), bound);
  const Reals tau2 = after.inverse_dynamics(v2, a2);
  Real worst = 0;
  const Real effort = before.effort(v, a) + after.effort(v2, a2);
  for (int k = 0; k < edited->nv(); ++k) {
    const int old = maps.v[static_cast<std::size_t>(k)];
    const Real size = std::max(old < 0 ? 0 : before.sizes()[old], after.sizes()[k]) * effort;
    worst = std::max(worst, std::abs((old < 0 ? 0 : static_cast<Real>(tau[old])) - tau2[k]) / size);
  }
  figures.note("tau", static_cast<double>(worst), bound);
}

void urdf_round_trip(Random& random, Figures& figures) {
  const Robot robot =
      random_robot(random, {.decades = 3, .mixed = 0.5, .far = 2, .user_joints = false, .file_joints = true});
  const auto& model = robot.model;
  const auto& q = robot.q;
  const auto& v = robot.v;
  const auto& a = robot.a;
  figures.set_robot(model, q);
  const auto read = urdf::parse(write_urdf(model));
  figures.note("degrees of freedom", std::abs(read.nv() - model.nv()) + std::abs(read.nq() - model.nq()), 0);
  const Newton newton(model, q);
  // The file has armature only for joints of one coordinate.
  auto same = read;
  same.set_armature(model.armature());
  for (const Joint& joint : model.joints())
    if (joint.nv() == 1)
      figures.note("armature", std::abs(read.armature()[joint.v_index()] - model.armature()[joint.v_index()]), 0);
  compare(figures, "rnea", same, q, v, a, newton.inverse_dynamics(v, a), newton.effort(v, a));
}

}  // namespace corio::trials
