#include "contracts/scalars.hpp"
#include "contracts/table.hpp"

namespace corio::test {

std::vector<Vectord> random_numbers(const Model<double>& model, int seed) {
  std::mt19937 generator(static_cast<std::uint32_t>(seed));
  Random<double> random(seed);
  const Vectord q = random_configuration(model, generator);
  const auto next = [&] { return random_vector(random, model.nv()); };
  const Vectord v = next(), a = next(), x = next(), y = next();
  return {q, v, a, x, y};
}

template const std::vector<Operation<double>>& operations();
template std::vector<ScalarResult> results_over<double>(const RandomRobot&, int);

}  // namespace corio::test
