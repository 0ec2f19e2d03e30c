#include "corio/algorithms/regressors/parameter_derivatives.hpp"

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/regressor_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Calls f(body, parameter, column of the regressor) once for each parameter.
template <class F>
void for_each_parameter(const Model<double>& model, F&& f) {
  int column = 0;
  for (const auto& body : model.bodies())
    for (int h = 0; h < 10; ++h) f(body, static_cast<InertialParameter>(h), column++);
}

}  // namespace

TEST_CASE("derivatives along one parameter are complex steps of M, C and g", "[algorithms][parameter_derivatives]") {
  Sample s(random_plan(GENERATE(range(0, 4))), 1);
  INFO(s.name());
  const auto model = s.model.cast<Complex>();
  const VectorX<Complex> pi = inertial_parameters(model), q = s.q.cast<Complex>(), v = s.v.cast<Complex>();
  const int n = s.model.nv();
  Matrixd dM = Matrixd::Constant(n, n, 1e3), dC = dM;
  Vectord dg = Vectord::Constant(n, 1e3);
  for_each_parameter(s.model, [&](const Body<double>& body, InertialParameter h, int column) {
    CAPTURE(body.name(), static_cast<int>(h));
    auto changed = model;
    VectorX<Complex> stepped = pi;
    stepped[column] += Complex(0, complex_step);
    set_inertial_parameters(changed, stepped);
    Data<Complex> data(changed);
    const auto& [C, M, Mdot] = coriolis_matrix(changed, data, q, v);
    mass_matrix_parameter_derivative(s.model, s.data, s.q, body, h, dM);
    CHECK(relative_error(dM, M.imag() / complex_step) < tolerance<double>());
    coriolis_parameter_derivative(s.model, s.data, s.q, s.v, body, h, dC);
    CHECK(relative_error(dC, C.imag() / complex_step) < tolerance<double>());
    gravity_parameter_derivative(s.model, s.data, s.q, body, h, dg);
    const VectorX<Complex>& g = generalized_gravity(changed, data);
    CHECK(relative_error(dg, g.imag() / complex_step) < tolerance<double>());
  });
}

TEST_EACH(Sample& s, "regressors contract the derivatives: column = dM a_r + dC v_r + dg",
          "[algorithms][parameter_derivatives]") {
  const auto x = state_of(s);
  const int n = s.model.nv(), size = num_inertial_parameters(s.model);
  Matrixd Y(n, size), Yp(n, size), Yc(n, size), dM(n, n), dC(n, n);
  Vectord dg(n);
  slotine_li_regressor(s.model, s.data, x.q, x.v, x.v_r, x.a, Y);
  momentum_regressor(s.model, s.data, Yp);
  coriolis_transpose_regressor(s.model, s.data, Yc);
  for_each_parameter(s.model, [&](const Body<double>& body, InertialParameter h, int column) {
    mass_matrix_parameter_derivative(s.model, s.data, body, h, dM);
    coriolis_parameter_derivative(s.model, s.data, body, h, dC);
    gravity_parameter_derivative(s.model, s.data, body, h, dg);
    CAPTURE(body.name(), static_cast<int>(h));
    CHECK(relative_error(dM * x.a + dC * x.v_r + dg, Y.col(column)) < 10 * tolerance<double>());
    CHECK(relative_error(dM * x.v, Yp.col(column)) < 10 * tolerance<double>());
    CHECK(relative_error(dC.transpose() * x.v, Yc.col(column)) < 10 * tolerance<double>());
  });
}

TEST_CASE("rejections of parameter derivatives", "[algorithms][parameter_derivatives][errors]") {
  Sample s(random_plan(1), 1);
  const Model<double> other = s.model.cast<double>();
  const auto &body = s.model.bodies()[1], &stranger = other.bodies()[1];
  const auto h = InertialParameter::hy;
  const int n = s.model.nv();
  Matrixd A(n, n), small(n, n - 1);
  Vectord g(n), short_g(n - 1);
  const std::string unknown = "'" + stranger.name() + "' is a body or frame of another model";
  const auto model_error = [&](auto&& f) { return message_of<ModelError>(f).find(unknown) != std::string::npos; };
  CHECK(model_error([&] { mass_matrix_parameter_derivative(s.model, s.data, s.q, stranger, h, A); }));
  CHECK(model_error([&] { coriolis_parameter_derivative(s.model, s.data, s.q, s.v, stranger, h, A); }));
  CHECK(model_error([&] { gravity_parameter_derivative(s.model, s.data, s.q, stranger, h, g); }));
  const auto size_error = [](auto&& f) { return mentions(message_of<SizeError>(f), {"d", "has size", "expected"}); };
  CHECK(size_error([&] { mass_matrix_parameter_derivative(s.model, s.data, s.q, body, h, small); }));
  CHECK(size_error([&] { coriolis_parameter_derivative(s.model, s.data, s.q, s.v, body, h, small); }));
  CHECK(size_error([&] { gravity_parameter_derivative(s.model, s.data, s.q, body, h, short_g); }));
}
