#include "support/christoffel_support.hpp"

namespace corio::test {

Symbols::Symbols(const Model<double>& model, Data<double>& data, const Vectord& q) : dense(model), packed(model) {
  christoffel_symbols(model, data, q, dense);
  christoffel_symbols(model, data, q, packed);
}

double Symbols::difference() const {
  double worst = 0;
  for_each_triple(dense.size(), [&](int i, int j, int k) {
    const double difference = std::abs(packed(i, j, k) - dense(i, j, k));
    if (!(difference <= worst)) worst = difference;  // also if it is NaN
  });
  return worst / scale();
}

Tensor3<double> lowered(const Matrixd& M, const Tensor3<double>& c) {
  Tensor3<double> y(c.size());
  for (int i = 0; i < y.size(); ++i)
    for (int l = 0; l < y.size(); ++l) y.page(i) += M(i, l) * c.page(l);
  return y;
}

Tensor3<double> koszul(const std::vector<Matrixd>& D, const Tensor3<double>& y) {
  Tensor3<double> Gamma(y.size());
  const auto d = [&](int k) -> const Matrixd& { return D[static_cast<std::size_t>(k)]; };
  for (int i = 0; i < y.size(); ++i)
    for (int j = 0; j < y.size(); ++j)
      for (int k = 0; k < y.size(); ++k)
        Gamma(i, j, k) = (d(k)(i, j) + d(j)(i, k) - d(i)(j, k) + y(i, k, j) - y(j, k, i) - y(k, j, i)) / 2;
  return Gamma;
}

std::vector<int> joints_of(const Model<double>& model) {
  std::vector<int> joint_of;
  for (std::size_t i = 0; i < model.joints().size(); ++i)
    joint_of.insert(joint_of.end(), static_cast<std::size_t>(model.joints()[i].nv()), static_cast<int>(i));
  return joint_of;
}

}  // namespace corio::test
