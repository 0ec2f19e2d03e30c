#include "corio/algorithms/derivatives/coriolis_matrix_derivatives.hpp"

#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/christoffel_support.hpp"
#include "support/model_support.hpp"
#include "support/rates_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

CoriolisMatrixDerivativesResult<double> derivatives(Sample& s) {
  CoriolisMatrixDerivativesResult<double> out(s.model);
  coriolis_matrix_derivatives(s.model, s.data, s.q, s.v, out);
  return out;
}
PackedCoriolisMatrixDerivativesResult<double> packed_derivatives(Sample& s) {
  PackedCoriolisMatrixDerivativesResult<double> out(s.model);
  coriolis_matrix_derivatives(s.model, s.data, s.q, s.v, out);
  return out;
}
double scale_of(Sample& s) { return max_magnitude(crba(s.model, s.data, s.q)); }

}  // namespace

TEST_EACH(Sample& s, "D_l C is the complex step of C along l", "[algorithms][coriolis_matrix_derivatives]") {
  const auto model = s.model.cast<Complex>();
  const Vectord zero = Vectord::Zero(s.model.nv());
  const auto D = derivatives(s);
  const double scale = scale_of(s);
  for (int l = 0; l < s.model.nv(); ++l) {
    CAPTURE(l);
    Instant at = complex_instant(model, s.q, Vectord::Unit(s.model.nv(), l), zero);
    at.v = s.v.cast<Complex>();
    CHECK(relative_error(D.along(l), ComplexMatrices(model, at).C, scale) < tolerance<double>());
  }
}

TEST_EACH(Sample& s, "packed derivatives of C are those of the dense tensor",
          "[algorithms][coriolis_matrix_derivatives]") {
  const auto dense = derivatives(s);
  const auto packed = packed_derivatives(s);
  // The storages do not agree to the bit: each keeps another one of two entries of one joint that are equal up to
  // rounding.
  const double bound = tolerance<double>() * std::max(1.0, max_magnitude(dense.tensor()));
  double worst = 0;
  for_each_triple(s.model.nv(),
                  [&](int i, int j, int l) { worst = std::max(worst, std::abs(packed(i, j, l) - dense(i, j, l))); });
  CHECK(worst < bound);
  Matrixd sum, expected;
  packed.contract(s.a, sum);
  dense.contract(s.a, expected);
  CHECK(relative_error(sum, expected, bound / tolerance<double>()) < tolerance<double>());
  CHECK_THROWS_AS(packed.contract(Vectord::Zero(s.model.nv() + 1), sum), SizeError);
}

TEST_CASE("packed derivatives of C are of trees far fewer", "[algorithms][coriolis_matrix_derivatives]") {
  CHECK(PackedCoriolisMatrixDerivativesResult<double>(zoo::serial_chain(20)).stored() < 20 * 20 * 20);
  CHECK(PackedCoriolisMatrixDerivativesResult<double>(zoo::binary_tree(63)).stored() < 63 * 63 * 63 / 25);
}

TEST_EACH(Sample& s, "D_l C is exactly zero for all degrees of freedom of a root joint",
          "[algorithms][coriolis_matrix_derivatives]") {
  const auto D = derivatives(s);
  for (const Node<double>& node : s.model.nodes())
    for (int l = node.v_begin; l < node.v_end && node.parent < 0; ++l) CHECK(max_magnitude(D.along(l)) == 0);
}

TEMPLATE_TEST_CASE("coriolis_matrix_derivatives needs rates of moving columns, and leaves its tensor without them",
                   "[algorithms][coriolis_matrix_derivatives][errors]", CoriolisMatrixDerivativesResult<double>,
                   PackedCoriolisMatrixDerivativesResult<double>) {
  const Model<double> moving = tree_on<double>(CamOfDoubles());
  Data<double> data(moving);
  TestType out(moving);
  const Vectord x = Vectord::Ones(moving.nv());
  CHECK(mentions(message_of<ModelError>([&] { coriolis_matrix_derivatives(moving, data, neutral(moving), x, out); }),
                 {"coriolis_matrix_derivatives", "middle", "template", "Dual"}));
  Matrixd sum;
  out.contract(x, sum);
  CHECK(max_magnitude(sum) == 0);
}
