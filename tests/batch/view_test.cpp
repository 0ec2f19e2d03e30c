#include "corio/batch/view.hpp"
#include "support/catch.hpp"

using namespace corio;

namespace {

/// Stores `rows` packs as columns of a block that begins `first` numbers after the start of a cache line.
template <class P>
void check_store(Eigen::Index rows, Eigen::Index first, Eigen::Index gap) {
  using S = typename P::Number;
  constexpr S untouched = -1;
  CAPTURE(sizeof(S), P::lanes, rows, first, gap);
  std::vector<S> memory(static_cast<std::size_t>((P::lanes + 1) * (rows + gap) + 200), untouched);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data()) / sizeof(S);
  const auto line = 64 / static_cast<Eigen::Index>(sizeof(S));
  S* const begin = memory.data() + line - static_cast<Eigen::Index>(address) % line + first;
  using Columns = Eigen::Map<MatrixX<S>, 0, Eigen::OuterStride<>>;
  Columns columns(begin, rows, P::lanes, Eigen::OuterStride<>(rows + gap));

  VectorX<P> numbers(rows);
  const auto number = [](Eigen::Index i, int l) { return static_cast<S>(1000 * (l + 1) + i); };
  for (Eigen::Index i = 0; i < rows; ++i)
    for (int l = 0; l < P::lanes; ++l) numbers[i].set(l, number(i, l));
  std::get<0>(batch::outputs(columns)).store(0, P::lanes, numbers.data());

  bool are_stored = true;
  for (Eigen::Index i = 0; i < rows; ++i)
    for (int l = 0; l < P::lanes; ++l) are_stored = are_stored && columns(i, l) == number(i, l);
  CHECK(are_stored);
  columns.setConstant(untouched);
  CHECK(std::all_of(memory.begin(), memory.end(), [](S x) { return x == untouched; }));
}

}  // namespace

TEST_CASE("columns are stored wherever in a line of the cache they begin", "[batch]") {
  // The sizes lie around the smallest block that is stored by whole cache lines, if registers are as long as a line,
  // and around two such blocks.
  for (const int rows : {1, 7, 8, 71, 72, 73, 137, 143, 144, 145, 200, 272})
    for (const int first : {0, 1, 7})
      for (const int gap : {0, 3}) {
        check_store<Pack<double, 2>>(rows, first, gap);
        check_store<Pack<double, 8>>(rows, first, gap);
        check_store<Pack<float, 16>>(rows, first, gap);
      }
}
