#include "codegen_support.hpp"
#include "corio/codegen/exact_derivatives.hpp"
#include "corio/zoo/zoo.hpp"

using namespace codegen_test;

namespace {

/// The Jacobian of a step with quaternions of any length, from its equation or by the tape, in one output.
Recording jacobian_of_step(const Model<double>& model, bool exact) {
  const auto robot = codegen::snapped(model).cast<Recorded>();
  Recording f = codegen::record<Model>("step", robot, {}, false, true);
  const MatrixX<Recorded> J =
      (exact ? codegen::derivatives<Model>("step", robot, f) : codegen::differentiated(f)).first;
  f.forget_outputs("jacobian");
  f.output("J", J);
  return f;
}
VectorX<double> value(const Recording& f, const VectorX<double>& inputs) {
  const auto numbers = f.evaluate(f.schedule(), inputs.data());
  return VectorX<double>::Map(numbers.data(), std::ssize(numbers));
}

/// A robot whose joints have damping, friction and springs.
template <class Joint>
Model<double> passive_robot(const Joint& base) {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> positive(0.1, 2);
  auto model = robot_on<double>(base);
  const auto random = [&] {
    return VectorX<double>::NullaryExpr(model.nv(), [&] { return positive(generator); }).eval();
  };
  model.set_damping(random()), model.set_friction(random()), model.set_springs(random(), neutral(model));
  return model;
}

}  // namespace

TEST_CASE("the Jacobian of a step from its equation equals that of the tape, with fewer operations", "[codegen]") {
  std::mt19937_64 generator(4);
  std::normal_distribution<double> normal;
  for (const auto& model : {zoo::serial_chain(3), passive_robot(joint::FreeFlyer{}), passive_robot(joint::Planar{}),
                            passive_robot(joint::Spherical{})}) {
    const Recording exact = jacobian_of_step(model, true), tape = jacobian_of_step(model, false);
    CHECK(exact.schedule().operations < tape.schedule().operations);
    for (int sample = 0; sample < 5; ++sample) {
      VectorX<double> inputs(model.nq() + 2 * model.nv() + 1);
      for (double& x : inputs) x = normal(generator);
      inputs.tail(1)[0] = 0.05;
      // The condition of M + h D + h^2 K is below 1e4.
      CHECK(test::relative_error(value(exact, inputs), value(tape, inputs)) < 1e-10);
    }
  }
}

TEST_CASE("the Jacobian of a quadruped's step takes less than a third of the tape's operations", "[codegen]") {
  const auto model = zoo::quadruped(12);
  const int exact = jacobian_of_step(model, true).schedule().operations,
            tape = jacobian_of_step(model, false).schedule().operations;
  CAPTURE(exact, tape);
  CHECK(3 * exact < tape);
}
