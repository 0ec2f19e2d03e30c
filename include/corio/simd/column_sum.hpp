#pragma once

#include <utility>
#include <vector>

#include "corio/simd/lanes.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// A linear combination of columns.
template <class S>
class ColumnSum {
 public:
  void clear() { terms_.clear(); }
  void add(const S* column, const S& factor) { terms_.push_back({column, factor}); }
  /// Writes the rows begin, .., end - 1 of the sum to `out`.
  void write(int begin, int end, S* out) const {
    using P = Lanes<S>;
    for (; begin + P::width <= end; begin += P::width) {
      P sum = P::zero();
      for (const auto& [column, factor] : terms_) sum += factor * P::load(column + begin);
      sum.store(out + begin);
    }
    for (; begin < end; ++begin) {
      out[begin] = S(0);
      for (const auto& [column, factor] : terms_) out[begin] += factor * column[begin];
    }
  }

 private:
  std::vector<std::pair<const S*, S>> terms_;
};

}}}  // namespace corio::detail
