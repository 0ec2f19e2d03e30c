#include "corio/algorithms/geometry/christoffel_tensor.hpp"

#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/christoffel_support.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Counts the numbers in a packed tensor: two per strip entry. Each j and each i at or above j's joint has a strip,
/// with an entry for each k in the subtree of that joint.
template <class S>
long strip_numbers(const Model<S>& model) {
  long numbers = 0;
  for (int b = 0; b < model.num_nodes(); ++b) {
    const auto& node = model.node(b);
    long at_or_above = 0;
    for (int i = node.v_end - 1; i >= 0; i = model.parent_dof(i)) ++at_or_above;
    numbers += 2L * (node.v_end - node.v_begin) * at_or_above * (node.subtree_v_end - node.v_begin);
  }
  return numbers;
}

bool equal(const Tensor3<double>& a, const Tensor3<double>& b) { return relative_error(a, b) == 0; }

}  // namespace

// ---- The numbers

TEST_CASE("contraction of symbols with a vector of the wrong size is a SizeError",
          "[algorithms][christoffel][errors]") {
  const auto model = zoo::serial_chain(4);
  const ChristoffelTensor<double> dense(model);
  const PackedChristoffelTensor<double> packed(model);
  const Vectord good = Vectord::Zero(4), bad = Vectord::Zero(5);
  Matrixd C;
  Vectord c;
  const auto check = [&](const auto& T) {
    CHECK(mentions(message_of<SizeError>([&] { T.contract(bad, C); }), {"v has size 5", "4"}));
    CHECK(mentions(message_of<SizeError>([&] { T.contract(bad, good, c); }), {"v has size 5", "4"}));
    CHECK(mentions(message_of<SizeError>([&] { T.contract(good, bad, c); }), {"w has size 5", "4"}));
  };
  check(dense);
  check(packed);
}

TEST_CASE("tensors of symbols are zero and of the model's size when made", "[algorithms][christoffel][tensor]") {
  const auto model = zoo::random_tree(2, {.floating_base = true});
  const ChristoffelTensor<double> dense(model);
  const PackedChristoffelTensor<double> packed(model);
  CHECK(dense.size() == model.nv());
  CHECK(packed.size() == model.nv());
  CHECK(max_magnitude(dense.tensor()) == 0);
  int nonzero = 0;
  for_each_triple(model.nv(), [&](int i, int j, int k) { nonzero += packed(i, j, k) != 0; });
  CHECK(nonzero == 0);
}

TEST_CASE("page and along of the symbols are views of the same numbers", "[algorithms][christoffel][tensor]") {
  Sample s(random_plan(3), 3);
  const Symbols Gamma(s);
  int different = 0;
  for_each_triple(s.model.nv(), [&](int i, int j, int k) {
    const double x = Gamma(i, j, k);
    different += Gamma.dense.page(i)(j, k) != x || Gamma.dense.along(k)(i, j) != x;
  });
  CHECK(different == 0);
  CHECK(Gamma.dense.page(2).data() == &Gamma.dense(2, 0, 0));
  CHECK(Gamma.dense.along(2).data() == &Gamma.dense(0, 0, 2));
}

TEST_EACH(Sample& s, "packed symbols unpack into dense ones and pack from them, to the bit",
          "[algorithms][christoffel][tensor]") {
  const Symbols Gamma(s);
  ChristoffelTensor<double> unpacked(s.model);
  Gamma.packed.unpack(unpacked);
  PackedChristoffelTensor<double> packed(s.model);
  packed.pack(unpacked);
  int different = 0;
  for_each_triple(s.model.nv(), [&](int i, int j, int k) {
    const double x = Gamma.packed(i, j, k);
    different += unpacked(i, j, k) != x || packed(i, j, k) != x;
  });
  CHECK(different == 0);
}

TEST_EACH(Sample& s, "unpacking into a tensor used before leaves nothing of it", "[algorithms][christoffel][tensor]") {
  const Symbols first(s);
  s.q = neutral(s.model);
  const Symbols second(s);
  ChristoffelTensor<double> dense = first.dense;
  second.packed.unpack(dense);
  ChristoffelTensor<double> expected(s.model);
  second.packed.unpack(expected);
  CHECK(equal(dense.tensor(), expected.tensor()));
  PackedChristoffelTensor<double> packed = first.packed;
  packed.pack(expected);
  packed.unpack(dense);
  CHECK(equal(dense.tensor(), expected.tensor()));
}

TEST_EACH(Sample& s, "both storages contract to the same, also into results used before",
          "[algorithms][christoffel][tensor]") {
  const Symbols Gamma(s);
  Matrixd C, packed_C = Matrixd::Constant(s.model.nv(), s.model.nv(), 7.0);
  Vectord c, packed_c = Vectord::Constant(s.model.nv() + 3, 7.0);
  Gamma.dense.contract(s.v, C);
  Gamma.packed.contract(s.v, packed_C);
  CHECK(relative_error(packed_C, C) < tolerance<double>());
  Gamma.dense.contract(s.v, s.a, c);
  Gamma.packed.contract(s.v, s.a, packed_c);
  CHECK(relative_error(packed_c, c) < tolerance<double>());
  CHECK(relative_error(C * s.a, c) < tolerance<double>());
}

// ---- Storage

TEST_EACH(Sample& s, "the packed storage of any tree is two numbers per entry of a strip",
          "[algorithms][christoffel][tensor]") {
  CHECK(PackedChristoffelTensor<double>(s.model).stored() == strip_numbers(s.model));
}

TEST_CASE("the packed storage of a tree grows as n d^2, not as n^3", "[algorithms][christoffel][tensor]") {
  // Full binary trees of depth d have 2^d - 1 bodies. Strips: sum over levels l of 2^l (l + 1) (2^(d - l) - 1), below
  // 2^d d (d + 1) / 2, twice.
  for (int d = 1; d <= 8; ++d) {
    CAPTURE(d);
    const int n = (1 << d) - 1;
    const auto model = zoo::binary_tree(n);
    const auto stored = PackedChristoffelTensor<double>(model).stored();
    long expected = 0;
    for (int level = 0; level < d; ++level) expected += 2L * (1 << level) * (level + 1) * ((1 << (d - level)) - 1);
    CHECK(stored == expected);
    CHECK(stored <= (n + 1L) * d * (d + 1));
    if (d == 8) CHECK(stored < n * n * n / 1000L);
  }
}

// ---- Tensors of other models

TEST_CASE("a tensor fits copies of its model, and the model with other inertias", "[algorithms][christoffel][errors]") {
  auto model = zoo::serial_chain(4);
  const auto copy = model;
  ChristoffelTensor<double> dense(model);
  PackedChristoffelTensor<double> packed(model);
  model.set_inertia(model.bodies().back(), ball(3.0));
  Data<double> data(model);
  const Vectord q = Vectord::Constant(4, 0.3);
  for (const auto* m : {&std::as_const(model), &copy}) {
    CHECK_NOTHROW(christoffel_symbols(*m, data, q, dense));
    CHECK_NOTHROW(christoffel_symbols(*m, data, q, packed));
  }
}

TEST_CASE("packing from and unpacking into tensors of other models is rejected", "[algorithms][christoffel][errors]") {
  const auto model = zoo::serial_chain(7), tree = zoo::binary_tree(7), smaller = zoo::serial_chain(6);
  PackedChristoffelTensor<double> packed(model);
  ChristoffelTensor<double> other(tree), less(smaller);
  CHECK(mentions(message_of<StateError>([&] { packed.unpack(other); }), {"another model"}));
  CHECK(mentions(message_of<StateError>([&] { packed.pack(other); }), {"another model"}));
  CHECK(mentions(message_of<SizeError>([&] { packed.unpack(less); }), {"7", "6"}));
  CHECK(mentions(message_of<SizeError>([&] { packed.pack(less); }), {"7", "6"}));
}
