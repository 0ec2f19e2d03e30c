#pragma once

#include "baselines/columns.hpp"
#include "corio/kinematics/data.hpp"

namespace corio {

/// Columns for an outward sweep. Every node changes the columns of its parent in place; a copy is kept only if a
/// sibling follows.
template <class S>
class BranchColumns {
  using Columns = baseline::Columns<S, 6>;

 public:
  explicit BranchColumns(const Model<S>& model)
      : end_(model.nv() + detail::group_padding<S>), level_(static_cast<std::size_t>(model.num_nodes()), 0) {
    // The loop runs backwards: the first child that it meets is the last one, which may overwrite its parent's columns.
    std::vector<int> last(level_.size() + 1, -1);
    int levels = 1;
    for (std::size_t b = level_.size(); b-- > 0;) {
      int& of_parent = last[static_cast<std::size_t>(model.node(static_cast<int>(b)).parent + 1)];
      if (of_parent < 0) of_parent = static_cast<int>(b);
    }
    for (std::size_t b = 0; b < level_.size(); ++b) {
      const int parent = model.node(static_cast<int>(b)).parent;
      const bool is_last = last[static_cast<std::size_t>(parent + 1)] == static_cast<int>(b);
      level_[b] = (parent < 0 ? 0 : level_[static_cast<std::size_t>(parent)]) + (is_last || parent < 0 ? 0 : 1);
      levels = std::max(levels, level_[b] + 1);
      parent_.push_back(parent);
    }
    columns_.assign(static_cast<std::size_t>(levels), Columns(model.nv()));
  }
  /// The columns of b, which hold the columns of its parent from `begin` on, or zeros for a root.
  Columns& enter(int b, int begin) {
    const auto node = static_cast<std::size_t>(b);
    Columns& mine = columns_[static_cast<std::size_t>(level_[node])];
    const int from = parent_[node] < 0 ? -1 : level_[static_cast<std::size_t>(parent_[node])];
    if (from == level_[node]) return mine;
    for (int r = 0; r < 6; ++r) {
      S* const to = mine.at(r, 0);
      if (from < 0)
        std::fill(to + begin, to + end_, S(0));
      else
        std::copy(columns_[static_cast<std::size_t>(from)].at(r, begin),
                  columns_[static_cast<std::size_t>(from)].at(r, 0) + end_, to + begin);
    }
    return mine;
  }

 private:
  std::ptrdiff_t end_;
  std::vector<int> level_, parent_;
  std::vector<Columns> columns_;
};

}  // namespace corio
