#include "corio/algorithms/dynamics/com_decoupled.hpp"

#include "corio/algorithms/dynamics/centroidal.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/algorithms/geometry/coordinates.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"

using namespace corio;
using namespace corio::test;

// Checks remark 6 of Echeandia and Wensing (2021).

namespace {

ComDecoupledResult<double> decoupled(Sample& s) {
  ComDecoupledResult<double> out(s.model);
  com_decoupled(s.model, s.data, s.q, s.v, out);
  return out;
}

template <class B = factorization::Christoffel>
EquationsOfMotion<double> by_change(Sample& s, const ComDecoupledResult<double>& d, const B& factorization = {}) {
  const auto& [C, M, Mdot] = coriolis_matrix(s.model, s.data, s.q, s.v, factorization);
  EquationsOfMotion<double> from{M, C, generalized_gravity(s.model, s.data), rnea(s.model, s.data, s.q, s.v, s.a)}, to;
  Matrixd work;
  change_of_coordinates(from, d.A, d.Adot, work, to);
  return to;
}

std::string failure(const Model<double>& model) {
  Data<double> data(model);
  ComDecoupledResult<double> out(model);
  return message_of<ModelError>([&] { com_decoupled(model, data, neutral(model), Vectord::Zero(model.nv()), out); });
}
InertialParameters<double> box() { return {1.0, {0.1, 0.0, 0.2}, Matrix3<double>::Identity()}; }

}  // namespace

TEST_CASE("the motion of the centre of mass is decoupled by exact zeros", "[algorithms][com_decoupled]") {
  Sample s(floating(GENERATE(range(0, floating_count))));
  INFO(s.name());
  const auto d = decoupled(s);
  const auto rest = s.model.nv() - 3;
  CHECK(d.mass == Approx(s.model.total_mass()));
  CHECK(Matrixd(d.M.topLeftCorner(3, 3)) == Matrixd(d.mass * Matrixd::Identity(3, 3)));
  CHECK((d.M.topRightCorner(3, rest).isZero(0) && d.M.bottomLeftCorner(rest, 3).isZero(0)));
  CHECK((d.C.topRows(3).isZero(0) && d.C.leftCols(3).isZero(0)));
  CHECK(Vectord(d.g.head(3)) == Vectord(-d.mass * s.model.gravity()));
  CHECK(d.g.tail(rest).isZero(0));
}

TEST_CASE("the decoupled equations are those in the velocities v = A v'", "[algorithms][com_decoupled]") {
  Sample s(floating(GENERATE(range(0, floating_count))));
  INFO(s.name());
  const auto d = decoupled(s);
  const auto e = by_change(s, d);
  CHECK(relative_error(d.M, e.M) < tolerance<double>());
  CHECK(relative_error(d.C, e.C) < tolerance<double>());
  CHECK(relative_error(d.g, e.g) < tolerance<double>());
  // Uses the rates of v': v = A v', a = A a' + Adot v'.
  const Vectord v = solve(d.A, s.v), a = solve(d.A, s.a - d.Adot * v);
  CHECK(relative_error(Vectord(d.M * a + d.C * v + d.g), e.tau) < tolerance<double>());
}

TEST_CASE("J_com and its rate are com_jacobian and com_jacobian_dot", "[algorithms][com_decoupled]") {
  Sample s(floating(GENERATE(range(0, floating_count))));
  INFO(s.name());
  const auto d = decoupled(s);
  CHECK(relative_error(d.J_com, com_jacobian(s.model, s.data)) < tolerance<double>());
  CHECK(relative_error(d.Jdot, com_jacobian_dot(s.model, s.data)) < tolerance<double>());
}

TEST_CASE("A gives the base its velocity, and the other joints theirs", "[algorithms][com_decoupled]") {
  Sample s(floating(GENERATE(range(0, floating_count))));
  INFO(s.name());
  const auto d = decoupled(s);
  const int n = s.model.nv();
  Vectord velocities(n);
  velocities << center_of_mass_velocity(s.model, s.data), s.v.head(3), s.v.tail(n - 6);
  CHECK(relative_error(Vectord(d.A * velocities), s.v) < tolerance<double>());
}

TEST_CASE("Adot is the derivative of A along v", "[algorithms][com_decoupled]") {
  Sample s(floating(GENERATE(range(0, floating_count))));
  INFO(s.name());
  const auto d = decoupled(s);
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  ComDecoupledResult<Complex> moved(model);
  com_decoupled(model, data, step(model, s.q, s.v), s.v.cast<Complex>(), moved);
  CHECK(relative_error(d.Adot, Matrixd(moved.A.imag() / complex_step)) < tolerance<double>());
  CHECK(relative_error(d.Jdot, Matrixd(moved.J_com.imag() / complex_step)) < tolerance<double>());
  // This checks M' too: C' + C'^T is the rate of M'.
  CHECK(relative_error(Matrixd(d.C + d.C.transpose()), Matrixd(moved.M.imag() / complex_step)) < tolerance<double>());
}

TEST_CASE("without Christoffel the rows of the centre of mass are not zero", "[algorithms][com_decoupled]") {
  Sample s(floating(GENERATE(1, 2, 3)));
  INFO(s.name());
  const auto d = decoupled(s);
  const auto plain = by_change(s, d, factorization::Plain{});
  const double coupling = max_magnitude(plain.C.topRows(3));
  CHECK(coupling > 1e-3 * max_magnitude(plain.C));
  // The other factorization is as skew-symmetric, and as correct.
  CHECK(relative_error(Matrixd(plain.C + plain.C.transpose()), Matrixd(d.C + d.C.transpose())) < tolerance<double>());
}

TEST_CASE("a floating base far from the world's origin loses nothing", "[algorithms][com_decoupled]") {
  Sample s(floating(2));
  const auto near = decoupled(s);
  // Moves the robot far away, which changes no entry of M', C' or A. The free flyer's placement is 2 m wide at most.
  s.q.head(3) += Vector3<double>(1e6, -1e6, 1e6);
  const auto far = decoupled(s);
  CHECK(relative_error(far.M, near.M) < tolerance<double>());
  CHECK(relative_error(far.C, near.C) < tolerance<double>());
  CHECK(relative_error(far.A, near.A) < tolerance<double>());
  CHECK(relative_error(far.Adot, near.Adot) < tolerance<double>());
}

TEST_CASE("com_decoupled of a state left by forward_kinematics, into a used result", "[algorithms][com_decoupled]") {
  Sample s(floating(2));
  const auto d = decoupled(s);
  ComDecoupledResult<double> used(s.model);
  for (Matrixd* x : {&used.M, &used.C, &used.A, &used.Adot, &used.J_com, &used.Jdot}) x->setConstant(7);
  used.g.setConstant(7);
  Data<double> data(s.model);
  forward_kinematics(s.model, data, s.q, s.v, s.a);
  com_decoupled(s.model, data, used);
  CHECK((used.M == d.M && used.C == d.C && used.g == d.g && used.A == d.A && used.Adot == d.Adot));
  CHECK((used.J_com == d.J_com && used.Jdot == d.Jdot && used.mass == d.mass));
}

TEST_CASE("com_decoupled rejects models that do not float as a whole", "[algorithms][com_decoupled][errors]") {
  CHECK(mentions(failure(zoo::serial_chain(3)), {"com_decoupled", "not a free flyer"}));
  {
    ModelBuilder<double> builder("two");
    builder.add_body({.name = "ship", .joint = joint::FreeFlyer{}, .inertia = box()});
    builder.add_body({.name = "crane", .joint = joint::Revolute(Vector3<double>::UnitX()), .inertia = box()});
    CHECK(mentions(failure(builder.build()), {"com_decoupled", "two", "ship_joint", "does not carry all"}));
  }
  {
    ModelBuilder<double> builder("two");
    builder.add_body({.name = "crane", .joint = joint::Revolute(Vector3<double>::UnitX()), .inertia = box()});
    builder.add_body({.name = "ship", .joint = joint::FreeFlyer{}, .inertia = box()});
    CHECK(mentions(failure(builder.build()), {"com_decoupled", "crane_joint", "revolute"}));
  }
  {
    ModelBuilder<double> builder("geared");
    builder.add_body({.name = "ship", .joint = joint::FreeFlyer{}, .inertia = box(), .armature = {0, 0, 0, 0, 0, 0.1}});
    CHECK(mentions(failure(builder.build()), {"com_decoupled", "ship_joint", "free_flyer", "armature"}));
  }
}

TEST_CASE("bodies welded to the ground do not keep the others from floating", "[algorithms][com_decoupled]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "floor", .joint = joint::Fixed{}, .inertia = box()});
  builder.add_body({.name = "ship", .parent = "floor", .joint = joint::FreeFlyer{}, .inertia = box()});
  builder.add_body({.name = "mast", .parent = "ship", .joint = joint::Fixed{}, .inertia = box()});
  const auto model = builder.build();
  CHECK(failure(model) == "no exception");
}

TEST_CASE("com_decoupled rejects the matrices of another model", "[algorithms][com_decoupled][errors]") {
  Sample s(floating(1)), larger(floating(2));
  ComDecoupledResult<double> other(larger.model);
  forward_kinematics(s.model, s.data, s.q, s.v);
  CHECK(mentions(message_of<SizeError>([&] { com_decoupled(s.model, s.data, other); }), {"ComDecoupledResult"}));
}
