#include <algorithm>
#include <iostream>

#include "corio/corio.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/geometry_support.hpp"
#include "support/model_support.hpp"
#include "support/operations.hpp"

using namespace corio;
using namespace corio::test;

// The versions of the algorithms for AVX2 and FMA against the plain ones (core/versions.hpp): on all joint types and
// shapes of robots, in any mixture on one Data, to rounding; that each of them runs; and that errors keep their types.

namespace {

using Input = OperationInput;
using M = Model<double>;
using D = Data<double>;

/// Leaves the choice of versions as it was.
class Versions {
 public:
  Versions() : wide_(uses_wide_registers()) {}
  Versions(const Versions&) = delete;
  ~Versions() { use_wide_registers(wide_); }

 private:
  bool wide_;
};

/// Whether there is nothing to compare here.
bool skipped() {
  const Versions as_before;
  use_wide_registers(true);
  if (uses_wide_registers()) return false;
  std::cout << "SKIPPED: the algorithms have one version, or this processor no AVX2 and FMA\n";
  return true;
}

// ---- On what

/// Users' joints along a chain with branches, whose axes move in the body, between those of the library.
Model<double> users_tree() {
  Random<double> random(5);
  ModelBuilder<double> builder("users' joints");
  Parent parent;
  for (int i = 0; i < 9; ++i) {
    const std::string name = "link" + std::to_string(i);
    const joint::Any<double> joint = i % 4 == 0   ? joint::Any<double>(Cam(0.1 * i - 0.4))
                                     : i % 4 == 1 ? joint::Any<double>(EulerZyx())
                                     : i % 4 == 2 ? joint::Any<double>(joint::Spherical())
                                                  : joint::Any<double>(joint::Revolute(random.direction()));
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = joint,
                      .placement = random.pose(),
                      .inertia = InertialParameters<double>(random.inertia())});
    if (i % 3 != 2) parent = name;
  }
  return builder.build();
}

std::vector<Model<double>> make_models() {
  std::vector<Model<double>> all;
  for (const Plan& plan : topologies()) all.push_back(build(plan));
  // One register after the other, in parts and full.
  for (const int n : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 17}) all.push_back(zoo::serial_chain(n));
  all.push_back(zoo::binary_tree(15));
  all.push_back(zoo::quadruped());
  all.push_back(zoo::humanoid());
  for (int seed = 0; seed < 12; ++seed)
    all.push_back(zoo::random_tree(static_cast<std::uint64_t>(seed), {.bodies = 5 + 2 * seed,
                                                                      .floating_base = seed % 2 == 1,
                                                                      .chain_bias = 0.2 * (seed % 5),
                                                                      .armature = seed % 4 >= 2,
                                                                      .massless = seed % 3 == 0}));
  all.push_back(tree_on<double>(Cam(0.4)));
  all.push_back(tree_on<double>(EulerZyx()));
  all.push_back(tree_on<double>(ParentBall()));
  all.push_back(users_tree());
  return all;
}
const std::vector<Model<double>>& models() {
  static const std::vector<Model<double>> all = make_models();
  return all;
}

/// The result, or in words why there is none: some algorithms refuse users' joints.
struct Outcome {
  Numbers result;
  std::string refusal;
};
Outcome outcome(const Operation& operation, const M& model, D& data, const Input& in) {
  try {
    return {operation.run(model, data, in), ""};
  } catch (const ModelError& error) {
    return {Numbers(), error.what()};
  }
}

void kinematics(bool wide, D& data, const Input& in) {
  use_wide_registers(wide);
  forward_kinematics(in.model, data, in.state.q, in.state.v, in.state.a);
}

/// Differences of two orders of the same operations, some hundred roundings of the largest number; with M^-1 in the
/// result, times its condition.
constexpr double limit = 1e-13;

/// Compares an outcome with the one that is expected; the largest difference over its limit.
double difference(const Outcome& x, const Outcome& expected, double condition_of_M, Conditioned conditioned) {
  if (x.refusal != expected.refusal) return std::numeric_limits<double>::infinity();
  return relative_error(x.result.vector(), expected.result.vector()) /
         (limit * std::max(1.0, std::pow(condition_of_M, static_cast<int>(conditioned))));
}

}  // namespace

TEST_CASE("wide registers: every algorithm agrees with its plain version", "[algorithms][wide_registers]") {
  if (skipped()) return;
  const Versions as_before;
  for (const auto& model : models()) {
    const Input in(model);
    D plain(model), wide(model);
    kinematics(false, plain, in);
    const double c = condition(Matrixd(crba(model, plain)));
    for (const auto& operation : operations()) {
      INFO(model.name() << ", " << operation.name);
      kinematics(false, plain, in);
      const Outcome expected = outcome(operation, model, plain, in);
      kinematics(true, wide, in);
      const Outcome x = outcome(operation, model, wide, in);
      CHECK(difference(x, expected, c, operation.conditioned) < 1);
    }
  }
}

TEST_CASE("wide registers: versions in any order share one Data", "[algorithms][wide_registers]") {
  if (skipped()) return;
  const Versions as_before;
  for (const auto& model : models()) {
    const Input in(model);
    std::vector<Outcome> expected;
    D plain(model), shared(model);
    kinematics(false, plain, in);
    const double c = condition(Matrixd(crba(model, plain)));
    for (const auto& operation : operations()) {
      kinematics(false, plain, in);
      expected.push_back(outcome(operation, model, plain, in));
    }
    // What an algorithm leaves for the next comes from either version.
    std::mt19937 random(static_cast<std::uint32_t>(model.nv()));
    std::vector<std::size_t> order(operations().size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (int round = 0; round < 4; ++round) {
      std::shuffle(order.begin(), order.end(), random);
      kinematics(round % 2 == 0, shared, in);
      for (const std::size_t i : order) {
        const Operation& operation = operations()[i];
        use_wide_registers(random() % 2 == 0);
        INFO(model.name() << ", " << operation.name << " in round " << round);
        CHECK(difference(outcome(operation, model, shared, in), expected[i], c, operation.conditioned) < 1);
        // Derivatives of the forward dynamics leave its accelerations in the state.
        if (operation.conditioned == twice) kinematics(random() % 2 == 0, shared, in);
      }
    }
  }
}

TEST_CASE("wide registers: errors are of the same type and words as those of the plain version",
          "[algorithms][wide_registers]") {
  if (skipped()) return;
  const Versions as_before;
  const auto model = zoo::humanoid(), other = zoo::quadruped();
  const Input in(model), strange(other);
  const Vectord one_short = Vectord::Zero(model.nv() - 1);
  std::vector<std::string> words[2];
  for (const bool wide : {false, true}) {
    INFO((wide ? "wide" : "plain"));
    const auto expect = [&](std::string message) {
      CHECK(message != "no exception");
      CHECK(message != "another exception");
      words[wide].push_back(std::move(message));
    };
    // Nothing was computed yet.
    D fresh(model);
    use_wide_registers(wide);
    for (const auto& operation : operations())
      if (operation.name != "kinematics") expect(message_of<StateError>([&] { operation.run(model, fresh, in); }));
    D data(model);
    kinematics(wide, data, in);
    expect(message_of<SizeError>([&] { aba(model, data, one_short); }));
    expect(message_of<SizeError>([&] { coriolis_product(model, data, one_short); }));
    expect(message_of<SizeError>([&] { inverse_dynamics_hessian(model, data, one_short); }));
    expect(message_of<SizeError>([&] { forward_dynamics_derivatives(model, data, one_short); }));
    expect(message_of<SizeError>([&] { forward_dynamics_hessian(model, data, one_short, in.other); }));
    expect(message_of<SizeError>([&] { forward_dynamics_hessian(model, data, in.other, one_short); }));
    expect(message_of<SizeError>([&] { forward_kinematics(model, data, one_short); }));
    // Found in the middle of the algorithms.
    expect(message_of<ModelError>([&] { rnea(model, data, strange.forces); }));
    expect(message_of<ModelError>([&] { aba(model, data, in.other, strange.forces); }));
    expect(message_of<ModelError>([&] { inverse_dynamics_derivatives(model, data, strange.forces); }));
    expect(message_of<ModelError>([&] { forward_dynamics_derivatives(model, data, in.other, strange.forces); }));
    expect(message_of<ModelError>([&] { forward_dynamics_hessian(model, data, in.other, in.other, strange.forces); }));
    // As after any error, the next call is right.
    D again(model);
    kinematics(wide, again, in);
    kinematics(wide, data, in);
    CHECK(rnea(model, data, in.forces) == rnea(model, again, in.forces));
  }
  CHECK(words[0] == words[1]);
}

// ---- That they run

#if defined(CORIO_INSTANCES) && defined(CORIO_HAS_VERSIONS)
namespace corio::detail {
namespace {

using S = double;
using Table = corio::detail::Versions<double>;

template <class V>
int calls = 0;

template <Kernel kernel, class R, class... A>
void count_calls(Table& table, Version<kernel, S, R, A...>*) {
  using V = Version<kernel, S, R, A...>;
  static_cast<V&>(table).function = [](const Model<S>& model, Data<S>& data, A... arguments) -> R {
    ++calls<V>;
    return (*WideVersions<S>::available())(KernelTag<kernel>(), model, data, static_cast<A&&>(arguments)...);
  };
}

/// The versions that are available, which count.
Table counting_table() {
  Table table = *WideVersions<S>::available();
#define CORIO_COUNT_CALLS(kernel, ...) \
  count_calls(table, static_cast<Version<Kernel::kernel, S, __VA_ARGS__>*>(nullptr));
  CORIO_VERSIONS(CORIO_COUNT_CALLS)
  return table;
}

}  // namespace
}  // namespace corio::detail

TEST_CASE("wide registers: every version of the list is called by the functions of its name",
          "[algorithms][wide_registers]") {
  if (skipped()) return;
  const Versions as_before;
  static const detail::Table table = detail::counting_table();
  const auto model = zoo::humanoid();
  const Input in(model);
  D data(model);
  for (const bool wide : {false, true}) {
    detail::WideVersions<double>::used = wide ? &table : nullptr;
    CHECK(uses_wide_registers() == wide);
    for (const auto& operation : operations()) {
      // Each in a new state, in which sums over subtrees are not there yet.
      forward_kinematics(model, data, in.state.q, in.state.v, in.state.a);
      operation.run(model, data, in);
    }
    use_wide_registers(true);
    using namespace corio::detail;
#define CORIO_CHECK_CALLS(kernel, ...)                                               \
  {                                                                                  \
    INFO((wide ? "wide " : "plain ") << #kernel << ": " << #__VA_ARGS__);            \
    const int count = calls<Version<Kernel::kernel, corio::detail::S, __VA_ARGS__>>; \
    CHECK((count > 0) == wide);                                                      \
  }
    CORIO_VERSIONS(CORIO_CHECK_CALLS)
  }
}
#endif
