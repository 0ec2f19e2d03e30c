#include "support/geometry_support.hpp"

namespace corio::test {

State::State(const Model<double>& model, int seed) : random(seed) {
  std::mt19937 generator(static_cast<std::uint32_t>(seed));
  q = random_configuration(model, generator);
  v = random_vector(random, model.nv());
  a = random_vector(random, model.nv());
}

bool commutes(const Joint& joint) {
  const std::vector<std::string> others{"spherical", "planar", "free_flyer", "parent_ball"};
  return std::find(others.begin(), others.end(), joint.type()) == others.end();
}

bool all_commute(const Model<double>& model) {
  return std::all_of(model.joints().begin(), model.joints().end(), commutes);
}

bool armature_on_noncommuting(const Model<double>& model) {
  for (const Joint& joint : model.joints())
    for (int k = joint.v_index(); k < joint.v_index() + joint.nv(); ++k)
      if (!commutes(joint) && model.armature()[k] != 0) return true;
  return false;
}

Vectord bracket(const Tensor3<double>& c, const Vectord& v, const Vectord& w) {
  Vectord out = Vectord::Zero(c.size());
  for (int l = 0; l < c.size(); ++l)
    for (int a = 0; a < c.size(); ++a)
      for (int b = 0; b < c.size(); ++b) out[l] += c(l, a, b) * v[a] * w[b];
  return out;
}

double max_magnitude(const Tensor3<double>& T) {
  return max_magnitude(Vectord(Eigen::Map<const Vectord>(T.data(), T.size() * T.size() * T.size())));
}

double relative_error(const Tensor3<double>& T, const Tensor3<double>& reference) {
  if (T.size() != reference.size()) return std::numeric_limits<double>::infinity();
  const auto all = [](const Tensor3<double>& x) -> Vectord {
    return Eigen::Map<const Vectord>(x.data(), x.size() * x.size() * x.size());
  };
  return relative_error(all(T), all(reference));
}

std::vector<Matrixd> mass_matrix_derivatives(const Model<Complex>& model, const Vectord& q) {
  Data<Complex> data(model);
  std::vector<Matrixd> all;
  for (int k = 0; k < model.nv(); ++k)
    all.push_back(crba(model, data, step(model, q, Vectord::Unit(model.nv(), k))).imag() / complex_step);
  return all;
}

Matrixd mass_matrix_rate(const Model<Complex>& model, const Vectord& q, const Vectord& v) {
  Data<Complex> data(model);
  return crba(model, data, step(model, q, v)).imag() / complex_step;
}

Matrixd coriolis_matrix_of_coordinates(const std::vector<Matrixd>& D, const Vectord& v) {
  const auto n = v.size();
  const auto d = [&](Eigen::Index k) -> const Matrixd& { return D[static_cast<std::size_t>(k)]; };
  Matrixd C = Matrixd::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) C(i, j) += 0.5 * (d(k)(i, j) + d(j)(i, k) - d(i)(j, k)) * v[k];
  return C;
}

}  // namespace corio::test
