#include "corio/algorithms/dynamics/locked_decoupled.hpp"

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

// Checks the reduced Euler-Lagrange equations of Mishra et al. (2023).

namespace {

LockedDecoupledResult<double> locked(Sample& s, const Vectord& q, const Vectord& v) {
  LockedDecoupledResult<double> out(s.model);
  locked_decoupled(s.model, s.data, q, v, out);
  return out;
}

}  // namespace

TEST_CASE("the locked form is that in the velocities v = A v', with exact zeros", "[algorithms][locked_decoupled]") {
  Sample s(floating(GENERATE(range(0, floating_count))));
  INFO(s.name());
  const int rest = s.model.nv() - 6;
  const auto d = locked(s, s.q, s.v);
  const auto& [C, M, Mdot] = coriolis_matrix(s.model, s.data);
  EquationsOfMotion<double> from{M, C, generalized_gravity(s.model, s.data), rnea(s.model, s.data, s.q, s.v, s.a)}, to;
  Matrixd work;
  change_of_coordinates(from, d.A, d.Adot, work, to);
  const double bound = 1e-13 * std::max(10.0, condition(Matrixd(M.topLeftCorner(6, 6))));
  CHECK(relative_error(d.M, to.M) < bound);
  CHECK(relative_error(Matrixd(d.C_shape + d.C_locked), to.C) < bound);
  CHECK(relative_error(d.g, to.g) < bound);
  CHECK((d.M.topRightCorner(6, rest).isZero(0) && d.M.bottomLeftCorner(rest, 6).isZero(0)));
  CHECK(d.g.tail(rest).isZero(0));
  const Vectord v = solve(d.A, s.v), a = solve(d.A, s.a - d.Adot * v);
  CHECK(relative_error(Vectord(d.M * a + (d.C_shape + d.C_locked) * v + d.g), to.tau) < bound);
}

TEST_CASE("the locked velocity is that of the whole momentum", "[algorithms][locked_decoupled]") {
  Sample s(floating(GENERATE(1, 2, 3)));
  INFO(s.name());
  const auto d = locked(s, s.q, s.v);
  const Vectord v = solve(d.A, s.v);
  // Compares the momentum about the centre of mass with that of the robot as one body with the twist xi.
  const Vectord own = (Vectord(s.model.nv()) << v.head(6), Vectord::Zero(s.model.nv() - 6)).finished();
  const Vector6<double> h = centroidal_momentum(s.model, s.data, s.q, s.v).vector();
  const Vector6<double> rigid = centroidal_momentum(s.model, s.data, s.q, own).vector();
  CHECK(relative_error(rigid, h) < 1e-10);
}

TEST_CASE("one part of C is skew and of the locked velocity, the other of the shape's",
          "[algorithms][locked_decoupled]") {
  Sample s(floating(GENERATE(range(0, floating_count))));
  INFO(s.name());
  const auto d = locked(s, s.q, s.v);
  const double size = 1 + max_magnitude(d.C_shape) + max_magnitude(d.C_locked);
  CHECK(max_magnitude(Matrixd(d.C_locked + d.C_locked.transpose())) < 1e-12 * size);
  // Another motion of the base changes C_locked alone, and in proportion to xi.
  const Vectord v = solve(d.A, s.v);
  Vectord other = v;
  other.head(6) *= -3;
  const auto e = locked(s, s.q, d.A * other);
  CHECK(max_magnitude(Matrixd(e.C_shape - d.C_shape)) < 1e-10 * size);
  CHECK(max_magnitude(Matrixd(e.C_locked + 3 * d.C_locked)) < 1e-10 * size);
  other = v;
  other.tail(s.model.nv() - 6) *= 2;
  const auto f = locked(s, s.q, d.A * other);
  CHECK(max_magnitude(Matrixd(f.C_shape - 2 * d.C_shape)) < 1e-10 * size);
  CHECK(max_magnitude(Matrixd(f.C_locked - d.C_locked)) < 1e-10 * size);
  // Central differences err by h^2 = 1e-12 of third derivatives, and by rounding, 1e-10 of M.
  constexpr double h = 1e-6;
  const auto later = locked(s, integrate<double>(s.model, s.q, h * s.v), s.v);
  const auto sooner = locked(s, integrate<double>(s.model, s.q, -h * s.v), s.v);
  const Matrixd Mdot = (later.M - sooner.M) / (2 * h), Adot = (later.A - sooner.A) / (2 * h);
  CHECK(max_magnitude(Matrixd(Mdot - d.C_shape - d.C_shape.transpose())) < 1e-7 * size);
  CHECK(max_magnitude(Matrixd(Adot - d.Adot)) < 1e-7 * (1 + max_magnitude(d.Adot)));
}

TEST_CASE("locked_decoupled asks for a robot that floats", "[algorithms][locked_decoupled][errors]") {
  const auto model = zoo::serial_chain<double>(3);
  Data<double> data(model);
  LockedDecoupledResult<double> out(model);
  const Vectord zero = Vectord::Zero(3);
  CHECK(mentions(message_of<ModelError>([&] { locked_decoupled(model, data, zero, zero, out); }),
                 {"locked_decoupled", "not a free flyer"}));
}
