#include "corio/algorithms/geometry/christoffel_symbols.hpp"

#include <limits>

#include "corio/model/zoo.hpp"
#include "support/catch.hpp"
#include "support/christoffel_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

template <class S>
bool related(const Model<S>& model, std::initializer_list<int> dofs) {
  const int last = std::max(dofs);
  return std::all_of(dofs.begin(), dofs.end(), [&](int i) { return last < model.subtree_end_of_dof(i); });
}

/// The worst difference between the two ways to fill a tensor, relative to the largest symbol. What pages leave out
/// stays what it was, not a number, and must be of degrees of freedom that are not related.
template <class S>
double difference_of_ways(const Model<S>& model, const VectorX<S>& q) {
  Data<S> data(model);
  ChristoffelTensor<S> pages(model);
  PackedChristoffelTensor<S> strips(model);
  forward_kinematics(model, data, q);
  algorithm::christoffel_symbols<S> symbols(model);
  symbols.run(model, data, strips);
  std::fill_n(pages.tensor().data(), model.nv() * model.nv() * model.nv(), std::numeric_limits<S>::quiet_NaN());
  detail::christoffel_slices(model, symbols.layout, symbols.columns, pages.tensor());
  double worst = 0, scale = 0;
  for_each_triple(model.nv(), [&](int i, int j, int k) {
    const double expected = double(strips(i, j, k)), x = double(pages(i, j, k));
    if (related(model, {i, j, k}) || !std::isnan(x)) worst = std::max(worst, std::abs(x - expected));
    if (std::isnan(x) && related(model, {i, j, k})) worst = std::numeric_limits<double>::infinity();
    scale = std::max(scale, std::abs(expected));
  });
  return worst / std::max(1.0, scale);
}

}  // namespace

TEST_CASE("page by page and strip by strip the symbols are the same, whatever the tree", "[algorithms][christoffel]") {
  Sample s(GENERATE(range(0, topology_count())));
  INFO(s.name());
  // Sums of nine and of three products of numbers of the size of the result: some units in the last place.
  CHECK(difference_of_ways(s.model, s.q) < tolerance<double>());
}

TEMPLATE_TEST_CASE("so they are for chains of every length, over every scalar", "[algorithms][christoffel]", float,
                   double, long double) {
  const int n = GENERATE(range(1, 26));
  const auto model = zoo::serial_chain(n).cast<TestType>();
  std::mt19937 random(7);
  // Long chains are some ten metres deep: two or three digits go to squares of distances.
  CHECK(difference_of_ways<TestType>(model, random_configuration(model, random)) <
        1e4 * double(std::numeric_limits<TestType>::epsilon()));
}

TEST_CASE("pages are full for chains, and not for trees with short branches", "[algorithms][christoffel]") {
  CHECK(detail::SliceLayout<double>(zoo::serial_chain(20)).full);
  if (detail::has_registers<double>) CHECK_FALSE(detail::SliceLayout<double>(zoo::binary_tree(20)).full);
}

TEST_CASE("symbols that vanish for all configurations are zero, not only up to rounding", "[algorithms][christoffel]") {
  const auto model = zoo::serial_chain(21);
  Data<double> data(model);
  std::mt19937 random(3);
  ChristoffelTensor<double> Gamma(model);
  REQUIRE(detail::SliceLayout<double>(model).full);
  christoffel_symbols(model, data, random_configuration(model, random), Gamma);
  // D_i M(j,k) = Gamma(j,k,i) + Gamma(k,j,i) = 0 for i at or above j and k.
  for_each_triple(model.nv(), [&](int i, int j, int k) {
    if (i > j || j > k) return;
    CAPTURE(i, j, k);
    CHECK(Gamma(j, k, i) + Gamma(k, j, i) == 0.0);
  });
}
