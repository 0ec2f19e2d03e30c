#include <corio/corio.hpp>

#include <iostream>

#ifdef CORIO_INSTANCES_FLOAT
bool versions_agree();  // instances.cpp
#else
bool versions_agree() { return true; }
#endif

int main() {
  auto model = corio::zoo::serial_chain(3);
  corio::Data<double> data(model);
  const auto& M = corio::crba(model, data, corio::neutral(model));
  std::cout << M << '\n';
  const bool good = M.rows() == 3 && M.cols() == 3 && (M.diagonal().array() > 0).all() && versions_agree();
  return good ? 0 : 1;
}
