#pragma once

#include <algorithm>

#include "corio/codegen/tape.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// The way in which code is cut into functions that are not inlined; compilers allocate registers within each of them.
struct Cut {
  int lines = 0;          ///< the approximate length of a piece; 0 for one piece
  int recompute = 0;      ///< the most operations for which a value of an earlier piece is computed again
  bool by_array = false;  ///< whether arrays are computed one by one, the last one first: few pieces serve a single one
};

/// The lines of a program that computes some entries of a tape. Entries are computed depth first from the results, so
/// that a value is computed shortly before it is used, and each result is written as soon as it is computed.
struct Schedule {
  /// One operation, or one access to memory.
  struct Line {
    enum Kind : std::uint8_t { compute, store, load, result } kind;
    int entry;
    int place;  // the place in memory of a stored or loaded entry, or the number of a result
  };
  std::vector<Line> lines;
  std::vector<std::size_t> pieces;  // the index in `lines` at which each piece begins
  int operations = 0, alive = 0;    // alive: the most values that a piece needs at once
  int places = 0, moves = 0;        // places in memory between pieces; stores and loads of values there
  Tape* const* tape = nullptr;      // Tape::place, and the number of results of its recording at that time
  int results = 0;

  std::size_t end_of(std::size_t piece) const { return piece + 1 < pieces.size() ? pieces[piece + 1] : lines.size(); }
};

namespace detail {

/// Makes a Schedule in three steps: the order of operations and results, the pieces, and the numbers that cross their
/// borders.
class Scheduler {
 public:
  explicit Scheduler(const Tape& tape) : tape_(tape), piece_of_(size(), -1) {}

  /// @param results  entries; `order` has their numbers in the order in which they are computed
  Schedule schedule(const std::vector<int>& results, const std::vector<int>& order, const Cut& cut) {
    const std::vector<Line> whole = depth_first(results, order);
    std::vector<int> first_piece(size(), -1);
    begins_.push_back(0);
    for (const Line& line : whole) {
      const auto length = static_cast<int>(lines_.size() - begins_.back());
      if (line.kind == Line::compute && cut.lines > 0 && length >= cut.lines) begins_.push_back(lines_.size());
      if (line.kind == Line::compute) compute(line.entry, cut), first_piece[at(line.entry)] = piece();
      if (line.kind == Line::result) lines_.push_back(line);
    }
    return with_moves(first_piece);
  }

 private:
  using Line = Schedule::Line;
  std::size_t size() const { return static_cast<std::size_t>(tape_.size()); }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  template <class F>
  void for_each_operand(int i, F&& f) const {
    for (int j = 0; j < tape_[i].operation->operands; ++j)
      if (!tape_[tape_[i].operand[j]].is_leaf()) f(tape_[i].operand[j]);
  }

  /// Adds operands before their operation, the deepest operand first.
  std::vector<Line> depth_first(const std::vector<int>& results, const std::vector<int>& order) const {
    std::vector<int> depth(size()), stack;
    std::vector<char> is_done(size());
    std::vector<std::vector<int>> numbers(size());
    for (int i = 0; i < tape_.size(); ++i)
      for_each_operand(i, [&](int j) { depth[at(i)] = (std::max)(depth[at(i)], 1 + depth[at(j)]); });
    for (std::size_t k = 0; k < results.size(); ++k) numbers[at(results[k])].push_back(static_cast<int>(k));
    std::vector<Line> lines;
    for (const int k : order) {
      const int root = results[at(k)];
      if (tape_[root].is_leaf()) lines.push_back({Line::result, root, k});
      if (tape_[root].is_leaf() || is_done[at(root)]) continue;
      for (stack = {root}; !stack.empty();) {
        const int i = stack.back();
        int next = -1;
        for_each_operand(i, [&](int j) {
          if (!is_done[at(j)] && (next < 0 || depth[at(j)] > depth[at(next)])) next = j;
        });
        if (next >= 0) {
          stack.push_back(next);
          continue;
        }
        stack.pop_back();
        is_done[at(i)] = 1;
        lines.push_back({Line::compute, i, 0});
        for (const int number : numbers[at(i)]) lines.push_back({Line::result, i, number});
      }
    }
    return lines;
  }

  int piece() const { return static_cast<int>(begins_.size()) - 1; }
  bool is_here(int i) const { return tape_[i].is_leaf() || piece_of_[at(i)] == piece(); }
  void compute(int i, const Cut& cut) {
    for_each_operand(i, [&](int j) { bring(j, cut); });
    piece_of_[at(i)] = piece();
    lines_.push_back({Line::compute, i, 0});
  }
  /// Computes an entry of an earlier piece again, or loads it from memory.
  void bring(int i, const Cut& cut) {
    if (is_here(i)) return;
    if (is_cheap(i, cut)) return compute(i, cut);
    piece_of_[at(i)] = piece();
    lines_.push_back({Line::load, i, 0});
  }
  bool is_cheap(int i, const Cut& cut) const {
    std::vector<int> needed{i};
    for (std::size_t k = 0; k < needed.size() && std::ssize(needed) <= cut.recompute; ++k)
      for_each_operand(needed[k], [&](int j) {
        if (!is_here(j) && std::ranges::count(needed, j) == 0) needed.push_back(j);
      });
    return std::ssize(needed) <= cut.recompute;
  }

  /// Goes backwards through the lines, and drops those that are not used in their piece. A value that later pieces load
  /// is stored where it is computed first, in a place that is free again after the last load.
  Schedule with_moves(const std::vector<int>& first_piece) const {
    Schedule out;
    out.tape = tape_.place();
    std::vector<int> used_in(size(), -1), place(size(), -1), free;
    for (int piece = static_cast<int>(begins_.size()); piece-- > 0;) {
      int alive = 0;
      const auto use = [&](int i) {
        if (used_in[at(i)] != piece && !tape_[i].is_leaf()) ++alive;
        used_in[at(i)] = piece;
      };
      const std::size_t end = piece + 1 < std::ssize(begins_) ? begins_[at(piece) + 1] : lines_.size();
      for (std::size_t p = end; p-- > begins_[at(piece)];) {
        Line line = lines_[p];
        const int i = line.entry;
        if (line.kind == Line::result) use(i);
        if (line.kind == Line::compute && first_piece[at(i)] == piece && place[at(i)] >= 0) {
          use(i);
          out.lines.push_back({Line::store, i, place[at(i)]});
          free.push_back(place[at(i)]);
          ++out.moves;
        }
        if (used_in[at(i)] != piece) continue;
        if (line.kind == Line::load) {
          if (place[at(i)] < 0 && free.empty()) free.push_back(out.places++);
          if (place[at(i)] < 0) place[at(i)] = free.back(), free.pop_back();
          line.place = place[at(i)];
          ++out.moves;
        }
        if (line.kind == Line::compute) for_each_operand(i, use), ++out.operations;
        out.alive = (std::max)(out.alive, alive);
        if (line.kind != Line::result) --alive;
        out.lines.push_back(line);
      }
      out.pieces.push_back(out.lines.size());
    }
    for (auto& begin : out.pieces) begin = out.lines.size() - begin;
    std::ranges::reverse(out.lines), std::ranges::reverse(out.pieces);
    return out;
  }

  const Tape& tape_;
  std::vector<Line> lines_;
  std::vector<std::size_t> begins_;  // the index in lines_ at which each piece begins
  std::vector<int> piece_of_;        // for each entry the last piece that computes or loads it
};

}  // namespace detail
}}}  // namespace corio::codegen
