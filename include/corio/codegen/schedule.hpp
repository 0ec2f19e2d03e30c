#pragma once

#include <algorithm>
#include <numeric>

#include "corio/codegen/recorded.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// How code is cut into functions that are not inlined, within each of which compilers allocate registers.
struct Cut {
  int lines = 0;      ///< of a piece, approximately; 0: one piece
  int recompute = 0;  ///< a value of an earlier piece that needs at most so many operations is computed again
};

/// The lines of a program that computes some entries of a tape. Entries are computed depth first from the results, so
/// that a value is computed shortly before it is used, and each result is written as soon as it is computed.
struct Schedule {
  /// One operation, or one access to memory.
  struct Line {
    enum Kind : std::uint8_t { compute, store, load, result } kind;
    int entry;
    int place;  // of a stored and loaded entry in memory; of a result its number
  };
  std::vector<Line> lines;
  std::vector<std::size_t> pieces;  // where they begin in lines
  int operations = 0, alive = 0;    // alive: the most values that a piece needs at once
  int places = 0, moves = 0;        // places in memory between pieces; stores and loads of values there

  std::size_t end_of(std::size_t piece) const { return piece + 1 < pieces.size() ? pieces[piece + 1] : lines.size(); }
};

namespace detail {

/// Writes the lines of a Schedule.
class Scheduler {
 public:
  /// @param results  entries; `order` has their numbers in the order in which they are computed
  Scheduler(const Tape& tape, const std::vector<int>& results, const std::vector<int>& order, const Cut& cut)
      : tape_(tape),
        cut_(cut),
        depth_(size()),
        piece_of_(size(), -1),
        partner_(size(), -1),
        is_stored_(size()),
        counted_(size(), 0),
        outputs_(size()) {
    for (std::size_t k = 0; k < results.size(); ++k) outputs_[at(results[k])].push_back(static_cast<int>(k));
    for (int i = 0; i < tape_.size(); ++i)
      for (int j = 0; j < num_operands(tape_[i].operation); ++j)
        depth_[at(i)] = (std::max)(depth_[at(i)], 1 + depth_[at(tape_[i].operand[j])]);
    find_partners(results);
    out_.pieces.push_back(0);
    for (const int k : order) {
      const int root = results[at(k)];
      if (is_leaf(tape_[root].operation))
        out_.lines.push_back({Schedule::Line::result, root, k});
      else if (piece_of_[at(root)] < 0)
        compute(root);
    }
    add_stores();
    count_alive();
  }
  Schedule take() { return std::move(out_); }

 private:
  using Line = Schedule::Line;
  std::size_t size() const { return static_cast<std::size_t>(tape_.size()); }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  bool is_here(int i) const { return is_leaf(tape_[i].operation) || piece_of_[at(i)] == piece_; }

  void compute(int root) {
    struct Visit {
      int entry, next, operand[3], count;
    };
    std::vector<Visit> stack;
    const auto enter = [&](int i) {
      const Tape::Entry& e = tape_[i];
      Visit v{i, 0, {e.operand[0], e.operand[1], e.operand[2]}, num_operands(e.operation)};
      // The deeper one first.
      std::stable_sort(v.operand, v.operand + v.count, [&](int a, int b) { return depth_[at(a)] > depth_[at(b)]; });
      stack.push_back(v);
    };
    enter(root);
    while (!stack.empty()) {
      Visit& v = stack.back();
      if (v.next < v.count) {
        const int i = v.operand[v.next++];
        if (!is_here(i) && (piece_of_[at(i)] < 0 || is_cheap(i))) enter(i);
        continue;
      }
      const Visit done = v;
      stack.pop_back();
      if (is_here(done.entry)) continue;
      for (int j = 0; j < done.count; ++j) load(done.operand[j]);
      add(done.entry);
      pair(done.entry);
    }
  }
  /// The cosine of an angle is computed beside its sine, and the other way round.
  void pair(int i) {
    const int other = partner_[at(i)];
    if (other < 0 || is_here(other) || piece_of_[at(other)] >= 0) return;
    load(tape_[i].operand[0]);
    add(other);
  }
  void find_partners(const std::vector<int>& results) {
    std::vector<char> is_needed(size(), 0);
    std::vector<int> first(size(), -1);
    for (const int i : results) is_needed[at(i)] = 1;
    for (int i = tape_.size() - 1; i >= 0; --i) {
      const Tape::Entry& e = tape_[i];
      if (!is_needed[at(i)]) continue;
      for (int j = 0; j < num_operands(e.operation); ++j) is_needed[at(e.operand[j])] = 1;
      if (e.operation != Operation::sine && e.operation != Operation::cosine) continue;
      int& other = first[at(e.operand[0])];
      if (other >= 0) partner_[at(i)] = other, partner_[at(other)] = i;
      other = i;
    }
  }
  void add(int i) {
    const bool is_new = piece_of_[at(i)] < 0;
    piece_of_[at(i)] = piece_;
    out_.lines.push_back({Line::compute, i, 0});
    if (is_new)
      for (const int k : outputs_[at(i)]) out_.lines.push_back({Line::result, i, k});
    if (cut_.lines > 0 && out_.lines.size() - out_.pieces.back() >= at(cut_.lines)) {
      out_.pieces.push_back(out_.lines.size());
      ++piece_;
    }
  }
  void load(int i) {
    if (is_here(i)) return;
    piece_of_[at(i)] = piece_;
    out_.lines.push_back({Line::load, i, 0});
  }
  /// Whether at most cut_.recompute operations give an entry of an earlier piece.
  bool is_cheap(int i) {
    ++count_;
    int left = cut_.recompute;
    return left > 0 && count_down(i, left);
  }
  bool count_down(int i, int& left) {
    if (is_here(i) || counted_[at(i)] == count_) return true;
    if (piece_of_[at(i)] < 0 || --left < 0) return false;
    counted_[at(i)] = count_;
    for (int j = 0; j < num_operands(tape_[i].operation); ++j)
      if (!count_down(tape_[i].operand[j], left)) return false;
    return true;
  }

  /// Which lines are used: a cut may separate a value that is computed again from its use.
  std::vector<char> find_used() {
    std::vector<std::size_t> first(size(), 0);
    for (std::size_t p = out_.lines.size(); p-- > 0;)
      if (out_.lines[p].kind == Line::compute) first[at(out_.lines[p].entry)] = p;
    std::vector<char> is_used(out_.lines.size(), 1);
    std::fill(piece_of_.begin(), piece_of_.end(), -1);
    for (piece_ = static_cast<int>(out_.pieces.size()) - 1; piece_ >= 0; --piece_) {
      for (std::size_t p = out_.end_of(at(piece_)); p-- > out_.pieces[at(piece_)];) {
        const Line& line = out_.lines[p];
        char& stored = is_stored_[at(line.entry)];
        bool used = line.kind == Line::result || piece_of_[at(line.entry)] == piece_;
        if (line.kind == Line::load && used) stored = 1;
        if (line.kind == Line::compute && stored && first[at(line.entry)] == p) used = true;
        is_used[p] = used;
        if (line.kind == Line::result) piece_of_[at(line.entry)] = piece_;
        if (line.kind == Line::compute && used)
          for (int j = 0; j < num_operands(tape_[line.entry].operation); ++j)
            piece_of_[at(tape_[line.entry].operand[j])] = piece_;
      }
    }
    return is_used;
  }
  /// Drops unused lines. A value that later pieces load is stored where it is computed first, in a place that is free
  /// again after the last load.
  void add_stores() {
    const std::vector<char> is_used = find_used();
    std::vector<std::size_t> last(size(), 0);
    for (std::size_t p = 0; p < out_.lines.size(); ++p)
      if (out_.lines[p].kind == Line::load && is_used[p]) last[at(out_.lines[p].entry)] = p;
    std::vector<Line> lines;
    std::vector<int> free, place(size(), -1);
    std::size_t next_piece = 0;
    for (std::size_t p = 0; p < out_.lines.size(); ++p) {
      if (next_piece < out_.pieces.size() && out_.pieces[next_piece] == p) out_.pieces[next_piece++] = lines.size();
      if (!is_used[p]) continue;
      Line line = out_.lines[p];
      int& where = place[at(line.entry)];
      if (line.kind == Line::load) line.place = where, ++out_.moves;
      lines.push_back(line);
      if (line.kind == Line::load && last[at(line.entry)] == p) free.push_back(where);
      if (line.kind != Line::compute) continue;
      ++out_.operations;
      if (where >= 0 || !is_stored_[at(line.entry)]) continue;
      if (free.empty()) free.push_back(out_.places++);
      where = free.back();
      free.pop_back();
      ++out_.moves;
      lines.push_back({Line::store, line.entry, where});
    }
    for (; next_piece < out_.pieces.size(); ++next_piece) out_.pieces[next_piece] = lines.size();
    while (out_.pieces.size() > 1 && out_.pieces.back() == lines.size()) out_.pieces.pop_back();
    out_.lines = std::move(lines);
  }
  void count_alive() {
    std::vector<std::size_t> last(size(), 0);
    for (std::size_t piece = 0; piece < out_.pieces.size(); ++piece) {
      const std::size_t begin = out_.pieces[piece], end = out_.end_of(piece);
      for (std::size_t p = begin; p < end; ++p) {
        const Line& line = out_.lines[p];
        last[at(line.entry)] = p;
        if (line.kind == Line::compute)
          for (int j = 0; j < num_operands(tape_[line.entry].operation); ++j)
            last[at(tape_[line.entry].operand[j])] = p;
      }
      std::vector<int> ends(end - begin, 0);
      int alive = 0;
      for (std::size_t p = begin; p < end; ++p) {
        const Line& line = out_.lines[p];
        if ((line.kind == Line::compute || line.kind == Line::load)) ++alive, ++ends[last[at(line.entry)] - begin];
        out_.alive = (std::max)(out_.alive, alive);
        alive -= ends[p - begin];
      }
    }
  }

  const Tape& tape_;
  Cut cut_;
  std::vector<int> depth_, piece_of_, partner_;
  std::vector<char> is_stored_;
  std::vector<int> counted_;
  std::vector<std::vector<int>> outputs_;
  int piece_ = 0, count_ = 0;
  Schedule out_;
};

}  // namespace detail
}  // namespace corio::codegen
