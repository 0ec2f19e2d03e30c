#include "corio/model/inertial_parameters.hpp"

#include <limits>

#include "corio/model/body_selection.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Ball-like bodies on joints of every kind.
Model<double> robot(int seed = 5) { return zoo::random_tree(static_cast<std::uint64_t>(seed), {.bodies = 9}); }

}  // namespace

TEST_CASE("inertial parameters are those of the bodies, in their order", "[model][inertial_parameters]") {
  const auto model = Sample(GENERATE(range(0, topology_count()))).model;
  const Vectord pi = inertial_parameters(model);
  REQUIRE(pi.size() == 10 * static_cast<Eigen::Index>(model.bodies().size()));
  REQUIRE(pi.size() == num_inertial_parameters(model));
  for (std::size_t b = 0; b < model.bodies().size(); ++b) {
    const Vectord of_body = model.inertia(model.bodies()[b].name()).vector();
    CHECK(pi.segment(10 * static_cast<Eigen::Index>(b), 10) == of_body);
  }
}

TEST_CASE("parameters that are set come back", "[model][inertial_parameters]") {
  auto model = robot();
  const auto stamp = model.state_id();
  Random<double> random(3);
  Vectord pi(num_inertial_parameters(model));
  for (Eigen::Index i = 0; i < pi.size(); i += 10)
    pi.segment(i, 10) = InertialParameters<double>(random.inertia()).vector();
  set_inertial_parameters(model, pi);
  CHECK(relative_error(inertial_parameters(model), pi) < tolerance<double>());
  CHECK(model.state_id() != stamp);
}

TEST_CASE("bodies may trade their mass at once", "[model][inertial_parameters]") {
  // If the bodies were changed one by one, the last joint would move nothing in between.
  ModelBuilder<double> builder;
  builder.add_body({.name = "left", .joint = joint::Revolute::z(), .inertia = ball()});
  builder.add_body({.name = "right", .joint = joint::Prismatic({1, 0, 0}), .inertia = ball()});
  auto model = builder.build();
  const Vectord pi = inertial_parameters(model);
  Vectord zero = Vectord::Zero(pi.size());
  const std::string message = message_of<ModelError>([&] { set_inertial_parameters(model, zero); });
  CHECK(mentions(message, {"moves no inertia"}));
  CHECK(inertial_parameters(model) == pi);
  zero << 1, 0, 0, 0, 0, 0, 0.5, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0;
  zero.segment(4, 6) << 0.5, 0.5, 0.5, 0, 0, 0;
  CHECK_NOTHROW(set_inertial_parameters(model, zero));
  CHECK(relative_error(inertial_parameters(model), zero) < tolerance<double>());
}

TEST_CASE("parameters that are not physical are rejected with their body, and the model stays as it was",
          "[model][inertial_parameters][errors]") {
  auto model = robot();
  const auto before = model;
  const Vectord pi = inertial_parameters(model);
  const int body = GENERATE(0, 4, 7);
  const std::string name = "'" + model.bodies()[static_cast<std::size_t>(body)].name() + "'";
  const auto rejected = [&](int h, double value, const char* what) {
    Vectord wrong = pi;
    wrong[10 * body + h] = value;
    const std::string message = message_of<ModelError>([&] { set_inertial_parameters(model, wrong); });
    CAPTURE(message);
    CHECK(mentions(message, {name, what}));
    CHECK(inertial_parameters(model) == pi);
    CHECK(model.state_id() == before.state_id());
  };
  rejected(0, -1.0, "mass");
  rejected(0, std::numeric_limits<double>::quiet_NaN(), "finite");
  rejected(4, 1e3, "principal moments");
  rejected(5, -1.0, "principal moments");
  rejected(7, 1e3, "principal moments");
  Vectord wrong = pi;
  wrong.segment(10 * body, 10).setZero();
  wrong[10 * body + 2] = 0.1;
  CHECK(mentions(message_of<ModelError>([&] { set_inertial_parameters(model, wrong); }), {name, "first moment"}));
}

TEST_CASE("a wrong number of parameters is rejected", "[model][inertial_parameters][errors]") {
  auto model = robot();
  const Vectord pi = inertial_parameters(model);
  const std::string expected = std::to_string(pi.size());
  for (const Eigen::Index size : {Eigen::Index(0), pi.size() - 1, pi.size() + 10})
    CHECK(mentions(message_of<SizeError>([&] { set_inertial_parameters<double>(model, Vectord::Zero(size)); }),
                   {"pi has size " + std::to_string(size), expected}));
  CHECK_THROWS_AS(model.set_inertias({}), SizeError);
}

TEST_CASE("a selection holds the bodies named, in that order", "[model][body_selection]") {
  const auto model = robot();
  const auto name = [&](std::size_t i) { return model.bodies()[i].name(); };
  const BodySelection some(model, {name(4), name(1)}), one(model, model.bodies()[7]), all;
  CHECK(some.size(model) == 2);
  CHECK(some.num_parameters(model) == 20);
  CHECK(some[0] == 4);
  CHECK(some[1] == 1);
  CHECK(one.size(model) == 1);
  CHECK(one[0] == 7);
  CHECK(all.size(model) == static_cast<int>(model.bodies().size()));
  CHECK(all[3] == 3);
}

TEST_CASE("a selection rejects what is no moving body of its model", "[model][body_selection][errors]") {
  const auto model = robot(), other = robot(6);
  const std::string name = model.bodies()[2].name();
  const auto message = [&](const std::vector<std::string>& names) {
    return message_of<ModelError>([&] { BodySelection(model, names); });
  };
  CHECK(mentions(message({name, "nobody"}), {"moving body", "'nobody'"}));
  CHECK(mentions(message({name, name}), {"'" + name + "'", "twice"}));
  CHECK(mentions(message({}), {"names no body"}));
  CHECK_THROWS_AS(BodySelection(model, other.bodies()[0]), ModelError);
  const BodySelection some(model, {name});
  CHECK_NOTHROW(some.check_fits(Model<double>(model)));
  CHECK(mentions(message_of<ModelError>([&] { some.check_fits(other); }), {"selection", "another model"}));
}
