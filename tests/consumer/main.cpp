#include <corio/corio.hpp>

#include <iostream>
#include <string_view>

#ifdef EXPECTED_VERSION
static_assert(corio::version() == std::string_view(EXPECTED_VERSION));
#endif

#ifdef CORIO_COMPILED_FLOAT
float mass(const corio::Model<float>& model, corio::Data<float>& data, const Eigen::VectorXf& q);  // compiled.cpp

bool float_works() {
  const corio::Model<float> model = corio::zoo::serial_chain(3).cast<float>();
  corio::Data<float> data(model);
  return mass(model, data, corio::neutral(model)) > 0;
}
#else
bool float_works() { return true; }
#endif

int main() {
  auto model = corio::zoo::serial_chain(3);
  corio::Data<double> data(model);
  const auto& M = corio::crba(model, data, corio::neutral(model));
  std::cout << M << '\n';
  const bool good = M.rows() == 3 && M.cols() == 3 && (M.diagonal().array() > 0).all() && float_works();
  return good ? 0 : 1;
}
