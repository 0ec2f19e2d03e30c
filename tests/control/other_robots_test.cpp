#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/model/builder.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/model_support.hpp"

// The stored vectors of controllers and observers have the sizes of one robot: the sizes of another robot are compared
// before anything is read.

namespace other_robots_test {

using namespace corio;
using namespace corio::test;
using Vectord = VectorX<double>;

/// Builds a chain of bodies with these joints.
Model<double> chain(const std::vector<joint::JointSpec<double>>& joints) {
  ModelBuilder<double> builder("chain");
  std::string parent;
  for (const auto& joint : joints) {
    const std::string name = parent + "link";
    BodySpec<double> spec{.name = name, .joint = joint, .inertia = ball()};
    if (!parent.empty()) spec.parent = parent;
    builder.add_body(std::move(spec));
    parent = name;
  }
  return builder.build();
}
/// Three bodies with three speeds, two with three, one with three, and three with four.
std::vector<Model<double>> robots() {
  const joint::JointSpec<double> x = joint::Revolute({1, 0, 0}), y = joint::Revolute({0, 1, 0}),
                                 both = joint::Universal({0, 0, 1}, {0, 1, 0});
  return {chain({x, y, x}), chain({both, x}), chain({joint::Spherical{}}), chain({x, y, both})};
}

/// Calls update(robot, data, q, zeros of nv) with one robot, and then with each other robot that differs in `size`,
/// which must be rejected.
template <class Make, class Update, class Size>
void check(const Make& make, const Update& update, const Size& size) {
  const auto all = robots();
  for (const auto& robot : all)
    for (const auto& other : all) {
      if (size(robot) == size(other)) continue;
      CAPTURE(size(robot), size(other), robot.nv(), other.nv());
      auto object = make(robot);
      const auto run = [&](const Model<double>& model) {
        Data<double> data(model);
        update(object, model, forward_kinematics<double>(model, data, neutral(model), zeros<double>(model.nv())),
               zeros<double>(model.nv()));
      };
      CHECK_NOTHROW(run(robot));
      CHECK_THROWS_AS(run(other), SizeError);
      CHECK_NOTHROW(run(robot));
    }
}
Vectord ones(const Model<double>& model) { return Vectord::Ones(model.nv()); }
int bodies_of(const Model<double>& model) { return static_cast<int>(model.bodies().size()); }
std::pair<int, int> both_sizes(const Model<double>& model) { return {model.nv(), bodies_of(model)}; }

TEST_CASE("a collision detector rejects a robot with other joints", "[control][errors]") {
  check(
      [](const auto& model) {
        return CollisionDetector<double>(model, {ones(model), ones(model)}, ones(model));
      },
      [](auto& detector, const auto& model, auto& data, const Vectord& zero) {
        MomentumObserver<double> observer(model, ones(model));
        observer.update(model, data, zero, 1e-3);
        detector.detect(model, data, observer);
      },
      both_sizes);
}

TEST_CASE("filtered regressors reject a robot with other speeds or bodies", "[control][errors]") {
  const auto balance = GENERATE(BalanceEquation::momentum, BalanceEquation::energy);
  check([&](const auto& model) { return FilteredRegressors<double>(model, 10.0, balance); },
        [](auto& filtered, const auto& model, auto& data, const Vectord& zero) {
          filtered.update(model, data, zero, 1e-3);
        },
        both_sizes);
}

TEST_CASE("adaptive control rejects a robot with other speeds or bodies, and the values of one", "[control][errors]") {
  const auto make = [](const auto& model) {
    return AdaptiveSlotineLi<double>(model, {ones(model), ones(model)},
                                     {.parameters = Vectord::Ones(bodies_of(model))});
  };
  check(
      make,
      [](auto& control, const auto& model, auto& data, const Vectord& zero) {
        control.update(model, data, neutral(model), zero, zero, 1e-3);
      },
      both_sizes);
  check(
      make, [](auto& control, const auto& model, auto&, const Vectord&) { control.reset(model); }, both_sizes);
  check(
      make,
      [](auto& control, const auto& model, auto&, const Vectord& zero) { control.set_friction(model, zero, zero); },
      [](const auto& model) { return model.nv(); });
}

}  // namespace other_robots_test
