#include "corio/kernels/pairs.hpp"

#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/zoo/random_tree.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"

using namespace corio;

namespace {

template <class N>
struct MotionAndForce {
  Motion<N> phi, psi;
  Force<N> F, G;
};

/// A(i,j) = phi_i . F_j and A(j,i) = psi_i . G_j, with numbers that differ from column to column.
template <class S, class Assign>
MatrixX<S> entries(const Model<S>& model, Assign&& assign) {
  const Data<S> data(model);
  detail::DofColumns<S, MotionAndForce> columns(model);
  columns.fill(model, data, [](const auto& k, auto& column) {
    using N = std::decay_t<decltype(column.phi.angular.x())>;
    N number = N::zero();
    for (int l = 0; l < detail::group_size<S>; ++l) number.set(l, S(k.first() + l + 1));
    const Vector3<N> x{number, N(S(2)) * number, N(S(3)) - number}, y{N(S(1)), number * number, N(S(-1))};
    column.phi = {x, y}, column.psi = {y, x};
    column.F = {x, x}, column.G = {y, x};
  });
  MatrixX<S> A = MatrixX<S>::Zero(model.nv(), model.nv());
  for (int twice = 0; twice < 2; ++twice)  // also over old entries
    columns.for_pairs(
        [&](const auto& pairs, const auto& i, const auto& j) { assign(pairs, A, dot(i.phi, j.F), dot(i.psi, j.G)); });
  return A;
}

template <class S>
void check_entries(const Model<S>& model) {
  INFO(model.name() << ", nv = " << model.nv());
  const auto ji_first = entries(model, [](const auto& pairs, auto& A, const auto& A_ij, const auto& A_ji) {
    pairs.ji(A) = A_ji;
    pairs.ij(A) = A_ij;
  });
  const auto ij_first = entries(model, [](const auto& pairs, auto& A, const auto& A_ij, const auto& A_ji) {
    pairs.ij(A) = A_ij;
    pairs.ji(A) = A_ji;
  });
  MatrixX<S> expected = MatrixX<S>::Zero(model.nv(), model.nv());
  const auto vectors = [](int k) {
    const S n = S(k + 1);
    return std::pair(Vector3<S>{n, 2 * n, 3 - n}, Vector3<S>{1, n * n, -1});
  };
  for (int i = 0; i < model.nv(); ++i)
    for (int j = i; j < model.subtree_end(i); ++j) {
      const auto [x_i, y_i] = vectors(i);
      const auto [x_j, y_j] = vectors(j);
      expected(i, j) = dot(Motion<S>{x_i, y_i}, Force<S>{x_j, x_j});
      expected(j, i) = dot(Motion<S>{y_i, x_i}, Force<S>{y_j, x_j});
    }
  // The numbers are integers below 2^24, which are exact in float, too.
  CHECK((ji_first - expected).cwiseAbs().maxCoeff() == 0);
  CHECK((ij_first - expected).cwiseAbs().maxCoeff() == 0);
}

}  // namespace

TEST_CASE("entries of pairs may be assigned in any order, for every number of degrees of freedom", "[kernels][pairs]") {
  // For sizes around one and two registers of 2, 4, 8 and 16 numbers, the last registers reach beyond the ends of
  // columns.
  const int n = GENERATE(range(1, 36));
  check_entries(zoo::serial_chain<double>(n));
  check_entries(zoo::serial_chain<float>(n));
  zoo::RandomTree options;
  options.bodies = n;
  check_entries(zoo::random_tree<double>(static_cast<std::uint64_t>(n), options));
}
