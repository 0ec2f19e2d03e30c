#include <cmath>
#include <limits>

#include "contracts/scalars.hpp"
#include "contracts/table.hpp"
#include "corio/batch/pack.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/user_joints.hpp"

using namespace corio;
using namespace corio::test;

// Compares every function on several states at once, one in each lane, with calls for one state after the other.

namespace {

using P = Pack<double, 4>;

/// Holds the arguments of each state, and the arguments of all states as packs.
class States {
 public:
  States(const Model<double>& model, const Model<P>& packed, int seed) : x(packed, random_numbers(model, seed), 3) {
    for (int l = 0; l < P::lanes; ++l) of_lane.push_back(random_numbers(model, seed + l));
    for (std::size_t slot = 0; slot < of_lane[0].size(); ++slot) numbers_.emplace_back(of_lane[0][slot].size());
    update();
  }
  States(const States&) = delete;
  States& operator=(const States&) = delete;

  /// Call this after changing of_lane.
  void update() {
    for (std::size_t slot = 0; slot < numbers_.size(); ++slot) {
      for (Eigen::Index i = 0; i < numbers_[slot].size(); ++i)
        for (int l = 0; l < P::lanes; ++l) numbers_[slot][i].set(l, of_lane[static_cast<std::size_t>(l)][slot][i]);
      x.set(static_cast<Arguments<P>::Slot>(slot), numbers_[slot].data(), numbers_[slot].size());
    }
  }

  std::vector<std::vector<Vectord>> of_lane;
  Arguments<P> x;

 private:
  std::vector<VectorX<P>> numbers_;
};

Vectord lane(const VectorX<P>& x, int l) {
  Vectord out(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) out[i] = x[i][l];
  return out;
}

/// Calls f(operation over packs, operation over double) once for each operation that suits the model.
template <class F>
void for_each_operation(const Model<double>& model, F&& f) {
  std::size_t i = 0;
  const auto& packed = operations<P>();
  for (const auto& plain : operations<double>()) {
    if (i == packed.size() || packed[i].name() != plain.name()) {
      REQUIRE((plain.real || plain.name().find("user's") != std::string::npos));
      continue;
    }
    if (suits(plain, model)) f(packed[i], plain);
    ++i;
  }
  REQUIRE(i == packed.size());
}

/// Builds a robot with every kind of joint, users' own joints, and armature.
Model<double> robot(int number) {
  if (number == 0) return tower<double>(joint::FreeFlyer());
  return zoo::random_tree(static_cast<std::uint64_t>(number),
                          {.bodies = 14, .floating_base = number % 2 == 1, .armature = number == 2, .passive = true});
}
constexpr int robots = 4;

}  // namespace

TEST_CASE("every function over packs is in each lane that over double", "[contracts][scalars][pack]") {
  const int number = GENERATE(range(0, robots));
  const Model<double> model = robot(number);
  const Model<P> packed = model.cast<P>();
  const States states(model, packed, 10 * number);
  Data<double> data(model);
  Data<P> packed_data(packed);
  std::vector<double> condition_of_M;
  for (const auto& of_lane : states.of_lane)
    condition_of_M.push_back(std::max(10.0, condition(crba(model, data, of_lane[Arguments<P>::q_slot]))));
  for_each_operation(model, [&](const Operation<P>& f, const Operation<double>& plain) {
    INFO(f.name());
    const auto call = f.prepare(packed);
    call->complete(packed, packed_data, states.x);
    const VectorX<P> numbers = call->numbers();
    for (int l = 0; l < P::lanes; ++l) {
      CAPTURE(l);
      const auto at = static_cast<std::size_t>(l);
      const Arguments<double> x(model, states.of_lane[at], 3);
      const auto expected = plain.prepare(model);
      expected->complete(model, data, x);
      // The order of some sums differs. A result that inverts M loses the digits of M's condition once, its derivatives
      // twice.
      const double limit = 1e-12 * std::pow(condition_of_M[at], static_cast<int>(plain.conditioned));
      CHECK(relative_error(lane(numbers, l), expected->numbers()) < limit);
    }
  });
}

TEST_CASE("a state that is NaN, infinite or huge leaves the other lanes as they are", "[contracts][scalars][pack]") {
  const Model<double> model = robot(3);
  const Model<P> packed = model.cast<P>();
  States states(model, packed, 5);
  const auto sound = states.of_lane[2];
  Data<P> data(packed);
  int number = 0;
  for_each_operation(model, [&](const Operation<P>& f, const Operation<double>&) {
    INFO(f.name());
    const auto call = f.prepare(packed);
    call->complete(packed, data, states.x);
    const VectorX<P> before = call->numbers();
    std::vector<double> values{std::numeric_limits<double>::infinity(), 1e200, 0.0};
    // Without optimisation each function is tested with one of these values; every function is tested with NaN.
    if (!optimised) values = {values[static_cast<std::size_t>(number++ % 3)]};
    values.push_back(std::nan(""));
    for (const double value : values) {
      CAPTURE(value);
      for (Vectord& x : states.of_lane[2]) x.setConstant(value);
      states.update();
      call->complete(packed, data, states.x);
      const VectorX<P> after = call->numbers();
      for (const int l : {0, 1, 3}) CHECK(lane(after, l) == lane(before, l));
    }
    states.of_lane[2] = sound, states.update();
  });
}
