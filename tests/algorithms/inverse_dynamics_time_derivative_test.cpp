#include "corio/algorithms/derivatives/inverse_dynamics_time_derivative.hpp"

#include "corio/joints/exponential_coordinates.hpp"
#include "corio/kinematics/taylor_motion.hpp"
#include "corio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/derivatives_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Compares tau and its rates from the Taylor motion with those in closed form.
void check_rates(const Model<double>& model, const Model<Taylor<double, 3>>& series, const Vectord& q,
                 const std::vector<Vectord>& rates, const std::vector<ExternalForce<double>>& external = {},
                 const std::vector<ExternalForce<Taylor<double, 3>>>& forces = {}) {
  using T = Taylor<double, 3>;
  Data<T> series_data(series);
  const auto motion = taylor_motion(series, series_data, q, std::span<const Vectord>(rates));
  const VectorX<T> tau = rnea(series, series_data, motion.q, motion.v, motion.a, forces);
  Data<double> data(model);
  const auto first = inverse_dynamics_time_derivative(model, data, q, rates[0], rates[1], rates[2], external);
  const auto second = inverse_dynamics_time_derivative(model, data, rates[2], rates[3], external);
  CHECK(first.tau_ddot.size() == 0);
  CHECK(relative_error(first.tau, rnea(model, data, external)) < tolerance<double>());
  CHECK(first.tau == second.tau);
  CHECK(first.tau_dot == second.tau_dot);
  Vectord tau_dot(model.nv()), tau_ddot(model.nv());
  for (int k = 0; k < model.nv(); ++k) tau_dot[k] = tau[k].derivative(1), tau_ddot[k] = tau[k].derivative(2);
  // Both add up terms with velocities to the third and fourth power, by different formulas.
  CHECK(relative_error(second.tau_dot, tau_dot) < 10 * tolerance<double>());
  CHECK(relative_error(second.tau_ddot, tau_ddot) < 100 * tolerance<double>());
}

std::vector<Vectord> random_rates(Random<double>& random, int n) {
  std::vector<Vectord> rates;
  for (int i = 0; i < 4; ++i) rates.push_back(random_vector(random, n));
  return rates;
}

}  // namespace

TEST_EACH(Sample& s, "rates of tau in closed recursion are those of rnea over Taylor, external forces included",
          "[algorithms][time_derivative]") {
  struct Given {
    std::string body;
    ReferenceFrame reference;
    Force<double> F;
    Vector3<double> at;
  };
  std::vector<Given> given;
  for (const auto& body : s.model.bodies())
    for (const auto reference : all_references)
      given.push_back({body.name(), reference, s.random.force(), s.random.vector()});
  const auto on = [&]<class S>(const Model<S>& model) {
    std::vector<ExternalForce<S>> all;
    for (const auto& g : given)
      all.emplace_back(model.body(g.body), g.F.template cast<S>(), g.reference, g.at.template cast<S>());
    return all;
  };
  const auto rates = random_rates(s.random, s.model.nv());
  const auto series = s.model.cast<Taylor<double, 3>>();
  check_rates(s.model, series, s.q, rates, on(s.model), on(series));
}

TEST_CASE("rates of tau of joints whose axes move in their body", "[algorithms][time_derivative]") {
  const auto make = [&]<class S>(std::type_identity<S>) {
    Random<double> random(11);
    ModelBuilder<S> builder("balls in exponential coordinates");
    for (int i = 0; i < 3; ++i)
      builder.add_body({.name = "body" + std::to_string(i),
                        .parent = i == 0 ? Parent() : Parent("body" + std::to_string(i - 1)),
                        .joint = i == 1 ? joint::JointSpec<S>(joint::Revolute({1, 2, 3}))
                                        : joint::JointSpec<S>(joint::SphericalExp()),
                        .placement = random.pose().template cast<S>(),
                        .inertia = InertialParameters<double>(random.inertia()).template cast<S>()});
    return builder.build();
  };
  const Model<double> model = make(std::type_identity<double>());
  Random<double> random(12);
  check_rates(model, make(std::type_identity<Taylor<double, 3>>()), random_vector(random, model.nq()),
              random_rates(random, model.nv()));
}
