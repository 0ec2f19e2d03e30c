#include "corio/algorithms/coriolis/coriolis_matrix_dot.hpp"

#include "baselines/jacobian_sums.hpp"
#include "support/body_sums.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/rates_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

template <class F>
void for_both(F&& f) {
  f("Christoffel", factorization::Christoffel{});
  f("Plain", factorization::Plain{});
}

/// Checks all four against the complex step along the trajectory, on a complex copy of the model.
template <class State, class Factorization>
void check_complex(State& s, const Model<Complex>& model, const Factorization& B) {
  const ComplexMatrices expected(model, complex_instant(model, s.q, s.v, s.a), B);
  const auto& [C, M, Mdot, Cdot] = coriolis_matrix_dot(s.model, s.data, s.q, s.v, s.a, B);
  CHECK(relative_error(Cdot, expected.C, max_magnitude(M)) < tolerance<double>());
  CHECK(relative_error(Mdot, expected.M, max_magnitude(M)) < tolerance<double>());
}

/// A user's joint in a tree over both scalars, and a state of both.
struct TwinsInState {
  explicit TwinsInState(Twins twins) : model(std::move(twins.real)), complex(std::move(twins.complex)), data(model) {
    const test::State s(model);
    q = s.q, v = s.v, a = s.a;
  }
  Model<double> model;
  Model<Complex> complex;
  Data<double> data;
  Vectord q, v, a;
};

}  // namespace

TEST_CASE("Cdot is the derivative of C along a trajectory of joints whose axes move in the body",
          "[algorithms][coriolis_matrix_dot]") {
  const int i = GENERATE(range(0, all_twins));
  CAPTURE(i);
  TwinsInState t(twins(i));
  for_both([&](const char* name, const auto& B) {
    CAPTURE(name);
    check_complex(t, t.complex, B);
  });
}

TEST_EACH(Sample& s, "Cdot is the derivative of C along a trajectory", "[algorithms][coriolis_matrix_dot]") {
  for_both([&](const char* name, const auto& B) {
    CAPTURE(name);
    check_complex(s, s.model.template cast<Complex>(), B);
  });
}

TEST_EACH(Sample& s, "rates are the sums over bodies of Garofalo, Ott and Albu-Schaeffer",
          "[algorithms][coriolis_matrix_dot][baselines]") {
  for_both([&](const char* name, const auto& B) {
    CAPTURE(name);
    baseline::JacobianSums sums(s.model, B);
    sums.with_rates(s.model, s.q, s.v, s.a);
    const auto& [C, M, Mdot, Cdot] = coriolis_matrix_dot(s.model, s.data, s.q, s.v, s.a, B);
    const double scale = max_magnitude(M);
    CHECK(relative_error(M, sums.M) < tolerance<double>());
    CHECK(relative_error(C, sums.C, scale) < tolerance<double>());
    CHECK(relative_error(Mdot, sums.Mdot, scale) < tolerance<double>());
    CHECK(relative_error(Cdot, sums.Cdot, scale) < tolerance<double>());
    CHECK(relative_error(generalized_gravity(s.model, s.data), sums.g) < tolerance<double>());
    CHECK(relative_error(gravity_dot(s.model, s.data), sums.gdot, max_magnitude(sums.g)) < tolerance<double>());
    const Matrixd all = sums.M;
    sums.matrices(s.model, s.q, s.v);
    CHECK(relative_error(C, sums.C, scale) < tolerance<double>());
    CHECK(sums.M == all);
  });
}

TEST_EACH(Sample& s, "C, M and Mdot of coriolis_matrix_dot are those of coriolis_matrix",
          "[algorithms][coriolis_matrix_dot]") {
  for_both([&](const char* name, const auto& B) {
    CAPTURE(name);
    const CoriolisMatrices<double> expected = coriolis_matrix(s.model, s.data, s.q, s.v, B);
    const auto& x = coriolis_matrix_dot(s.model, s.data, s.q, s.v, s.a, B);
    CHECK(relative_error(x.C, expected.C) < tolerance<double>());
    CHECK(relative_error(x.M, expected.M) < tolerance<double>());
    CHECK(relative_error(x.Mdot, expected.Mdot) < tolerance<double>());
  });
}

TEST_CASE("Cdot of any bilinear factorization is a central difference of its C", "[algorithms][coriolis_matrix_dot]") {
  // The complex step cannot differentiate a user's factorization over double.
  Sample s(random_plan(4), 4);
  const double h = 1e-5;
  for_each_valid([&](const char* name, const auto& B) {
    CAPTURE(name);
    const auto C_at = [&](double t) {
      VectorX<double> q(s.model.nq());
      integrate<double>(s.model, s.q, t * s.v, q);
      return Matrixd(coriolis_matrix(s.model, s.data, q, s.v + t * s.a, B).C);
    };
    const Matrixd expected = (C_at(h) - C_at(-h)) / (2 * h);
    CHECK(relative_error(coriolis_matrix_dot(s.model, s.data, s.q, s.v, s.a, B).Cdot, expected) < 1e-6);
  });
}

TEST_EACH(Sample& s, "(Cdot v + C a) + gdot is the rate of the bias", "[algorithms][coriolis_matrix_dot]") {
  const auto model = s.model.cast<Complex>();
  Data<Complex> data(model);
  const auto at = complex_instant(model, s.q, s.v, s.a);
  const Vectord expected = nonlinear_effects(model, data, at.q, at.v).imag() / complex_step;
  for_both([&](const char* name, const auto& B) {
    CAPTURE(name);
    const auto& x = coriolis_matrix_dot(s.model, s.data, s.q, s.v, s.a, B);
    const Vectord rate = x.Cdot * s.v + x.C * s.a + gravity_dot(s.model, s.data);
    CHECK(relative_error(rate, expected, max_magnitude(x.M)) < tolerance<double>());
  });
}

TEST_CASE("coriolis_matrix_dot needs rates of moving columns", "[algorithms][coriolis_matrix_dot][errors]") {
  const Model<double> moving = tree_on<double>(CamOfDoubles());
  Data<double> data(moving);
  const Vectord x = Vectord::Ones(moving.nv());
  CHECK(mentions(message_of<ModelError>([&] { coriolis_matrix_dot(moving, data, neutral(moving), x, x); }),
                 {"coriolis_matrix_dot", "middle", "templates"}));
}
