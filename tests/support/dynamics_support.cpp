#include "support/dynamics_support.hpp"
#include "support/solve.hpp"

#include <cmath>

namespace corio::test {

Matrix3<double> turn(double angle, const Vector3<double>& axis) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

std::string name_of(Kind kind) {
  Random<double> random(1);
  return make_joint(kind, random).joint.type;
}

namespace {

Matrix4<double> rigid(const Matrix3<double>& R, const Vector3<double>& p) { return homogeneous(Pose<double>{R, p}); }

Matrix3<double> turn_by_quaternion(const double* xyzw) {
  return Eigen::Quaterniond(xyzw[3], xyzw[0], xyzw[1], xyzw[2]).normalized().toRotationMatrix();
}

/// Turns by q about the unit vector n, and advances along n by `pitch` q.
Factor screw(const Vector3<double>& n, double pitch) {
  return {1, [=](const double* q) { return rigid(turn(q[0], n), pitch * q[0] * n); }, {{n, pitch * n}}};
}

}  // namespace

JointPlan make_joint(Kind kind, Random<double>& random) {
  // Axes may have any length: only their direction counts.
  const Vector3<double> n = random.direction(), axis = 1.7 * n, zero = Vector3<double>::Zero();
  switch (kind) {
    case Kind::revolute: return {joint::Revolute(axis), {screw(n, 0)}};
    case Kind::continuous: return {joint::Continuous(axis), {screw(n, 0)}};
    case Kind::prismatic:
      return {joint::Prismatic(axis),
              {{1, [n](const double* q) { return rigid(Matrix3<double>::Identity(), q[0] * n); }, {{zero, n}}}}};
    case Kind::helical: return {joint::Helical(axis, -0.4), {screw(n, -0.4)}};
    case Kind::cylindrical:
      return {joint::Cylindrical(axis),
              {{2, [n](const double* q) { return rigid(turn(q[0], n), q[1] * n); }, {{n, zero}, {zero, n}}}}};
    case Kind::planar: {
      const Matrix3<double> axes = rotation_with_z(n);
      const auto transform = [=](const double* q) {
        return rigid(turn(std::atan2(q[3], q[2]), n), axes.col(0) * q[0] + axes.col(1) * q[1]);
      };
      return {joint::Planar(axis), {{4, transform, {{n, zero}, {zero, axes.col(0)}, {zero, axes.col(1)}}}}};
    }
    case Kind::translation: {
      const auto transform = [](const double* q) { return rigid(Matrix3<double>::Identity(), {q[0], q[1], q[2]}); };
      Factor factor{3, transform, {}};
      for (int i = 0; i < 3; ++i) factor.twists.push_back({zero, Vector3<double>::Unit(i)});
      return {joint::Translation{}, {factor}};
    }
    case Kind::universal: {
      const Vector3<double> second = (random.direction() + 2 * n.unitOrthogonal()).normalized();
      return {joint::Universal(axis, 0.6 * second), {screw(n, 0), screw(second, 0)}};
    }
    case Kind::spherical: {
      const auto transform = [zero](const double* q) { return rigid(turn_by_quaternion(q), zero); };
      Factor factor{4, transform, {}};
      for (int i = 0; i < 3; ++i) factor.twists.push_back({Vector3<double>::Unit(i), zero});
      return {joint::Spherical{}, {factor}};
    }
    case Kind::free_flyer: {
      const auto transform = [](const double* q) { return rigid(turn_by_quaternion(q + 3), {q[0], q[1], q[2]}); };
      Factor factor{7, transform, {}};
      for (int i = 0; i < 6; ++i) factor.twists.push_back(Motion<double>::from(Vector6<double>::Unit(i)));
      return {joint::FreeFlyer{}, {factor}};
    }
    default: return {joint::Fixed{}, {}};
  }
}

int PlanMaker::add(int parent, Kind kind, double mass_factor) {
  JointPlan joint = make_joint(kind, random_);
  const Pose<double> placement = random_.pose();
  auto points = random_.points();
  for (auto& point : points) point.mass *= 0.3 * mass_factor, point.position *= 0.4;
  if (mass_factor == 0) points.clear();
  plan_.bodies.push_back({parent, std::move(joint), placement, std::move(points)});
  return static_cast<int>(plan_.bodies.size()) - 1;
}

PlanMaker& PlanMaker::chain(int parent, const std::vector<Kind>& kinds) {
  for (const Kind kind : kinds) parent = add(parent, kind);
  return *this;
}

PlanMaker& PlanMaker::armature() {
  for (BodyPlan& body : plan_.bodies)
    for (const Factor& factor : body.joint.factors)
      for (std::size_t k = 0; k < factor.twists.size(); ++k) body.armature.push_back(0.6 + 0.5 * random_.real());
  return *this;
}

Plan random_plan(int seed) {
  PlanMaker maker("random tree " + std::to_string(seed), seed);
  maker.add(-1, seed % 2 == 1 ? Kind::free_flyer : Kind::cylindrical);
  for (int i = 1; i < 12; ++i) {
    const double x = (maker.random().real() + 1) / 2;
    const int parent = x < 0.5 ? i - 1 : static_cast<int>((x - 0.5) * 2 * i);
    maker.add(parent, static_cast<Kind>((7 * i + seed) % all_kinds));
  }
  if (seed % 4 >= 2) maker.armature();
  return maker.plan();
}

namespace {

std::vector<Plan> make_topologies() {
  using enum Kind;
  std::vector<Plan> all;
  for (int i = 0; i < moving_kinds; ++i) {
    const auto kind = static_cast<Kind>(i);
    const std::string name = name_of(kind);
    all.push_back(PlanMaker(name + " joint on the ground", 10 + i).chain(-1, {kind}).plan());
    all.push_back(PlanMaker(name + " joint on a floating base", 30 + i).chain(-1, {free_flyer, kind}).plan());
  }
  all.push_back(PlanMaker("chain", 50).chain(-1, {revolute, revolute, prismatic, revolute, helical}).plan());
  all.push_back(PlanMaker("star", 51)
                    .chain(-1, {revolute})
                    .chain(0, {universal})
                    .chain(0, {spherical})
                    .chain(0, {prismatic})
                    .plan());
  all.push_back(PlanMaker("deep branch", 52)
                    .chain(-1, {revolute, planar, revolute, revolute})
                    .chain(3, {spherical, revolute, universal})
                    .chain(3, {cylindrical, continuous, revolute})
                    .chain(1, {helical})
                    .plan());
  all.push_back(PlanMaker("armature on every kind", 53)
                    .chain(-1, {free_flyer, continuous, prismatic, helical, universal})
                    .chain(1, {cylindrical, planar, translation, spherical})
                    .armature()
                    .plan());
  {
    PlanMaker maker("several bodies on the ground, added in turn", 54);
    for (const Kind kind : {revolute, free_flyer, spherical}) maker.add(-1, kind);
    for (int parent : {0, 1, 2, 1}) maker.add(parent, revolute);
    all.push_back(maker.plan());
  }
  {
    PlanMaker maker("massless bodies between others", 55);
    const int first = maker.add(-1, revolute, 0);
    const int second = maker.add(first, universal, 0);
    maker.add(maker.add(maker.add(second, universal), revolute, 0), prismatic);
    all.push_back(maker.plan());
  }
  {
    PlanMaker maker("neighbours with a mass ratio of 1e6", 56);
    const int base = maker.add(-1, free_flyer);
    maker.add(maker.add(maker.add(base, revolute, 1e-3), spherical, 1e3), revolute, 1e-3);
    all.push_back(maker.plan());
  }
  {
    PlanMaker maker("welded bodies on the ground and on moving ones", 57);
    const int ground = maker.add(-1, fixed);
    const int arm = maker.add(ground, revolute);
    const int tool = maker.add(maker.add(arm, fixed), fixed);
    maker.add(maker.add(tool, universal), fixed);
    all.push_back(maker.plan());
  }
  for (int seed = 1; seed <= 6; ++seed) all.push_back(random_plan(seed));
  return all;
}

}  // namespace

const std::vector<Plan>& topologies() {
  static const std::vector<Plan> all = make_topologies();
  return all;
}

Vectord random_vector(Random<double>& random, int n) {
  Vectord x(n);
  for (int i = 0; i < n; ++i) x[i] = random.real();
  return x;
}

Sample::Sample(const Plan& plan, int seed) : model(build(plan)), data(model), oracle(plan, model), random(1000 + seed) {
  std::mt19937 generator(static_cast<std::uint32_t>(1000 + seed));
  q = random_configuration(model, generator);
  v = random_vector(random, model.nv());
  a = random_vector(random, model.nv());
  oracle.set_configuration(q);
}

Sample floating(int which) {
  using enum Kind;
  PlanMaker maker("floating " + std::to_string(which), 100 + which);
  if (which == 0) maker.chain(-1, {free_flyer});
  if (which == 1) maker.chain(-1, {free_flyer, revolute});
  if (which == 2)
    maker.chain(-1, {free_flyer, universal, spherical}).chain(0, {planar, fixed, prismatic}).chain(2, {helical});
  if (which == 3) {
    maker.chain(-1, {free_flyer, revolute, free_flyer}).chain(1, {cylindrical, translation}).armature();
    Plan plan = maker.plan();
    plan.bodies[0].armature.clear();
    return {plan, which};
  }
  return {maker.plan(), which};
}

VectorX<Complex> step(const Model<Complex>& model, const Vectord& q, const Vectord& dv) {
  const VectorX<Complex> start = q.cast<Complex>(), by = dv.cast<Complex>() * Complex(0, complex_step);
  return integrate(model, start, by);
}

double condition(const Matrixd& M) {
  const Vectord x = eigenvalues(M);
  return x[x.size() - 1] / x[0];
}

}  // namespace corio::test
