#include "support/regressor_support.hpp"

namespace corio::test {

const Regressor<double>& regressor(int i) {
  static const auto all = regressors<double>();
  return all[static_cast<std::size_t>(i)];
}

Regressor<double>::State state_of(Sample& s) { return {s.q, s.v, s.a, random_vector(s.random, s.model.nv())}; }

Matrixd filled(const Regressor<double>& of, const Model<double>& model, Data<double>& data,
               const Regressor<double>::State& state, const BodySelection& bodies) {
  Matrixd Y = Matrixd::Constant(model.nv(), bodies.num_parameters(model), 1e3);
  of.fill(model, data, state, Y, bodies);
  return Y;
}

}  // namespace corio::test
