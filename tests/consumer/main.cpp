#include <corio/corio.hpp>

#include <iostream>

int main() {
  auto model = corio::zoo::serial_chain(3);
  corio::Data<double> data(model);
  const auto& M = corio::crba(model, data, corio::neutral(model));
  std::cout << M << '\n';
  const bool good = M.rows() == 3 && M.cols() == 3 && (M.diagonal().array() > 0).all();
  return good ? 0 : 1;
}
