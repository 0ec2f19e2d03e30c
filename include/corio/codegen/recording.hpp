#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "corio/codegen/recorded.hpp"
#include "corio/codegen/schedule.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// Returns whether a text is an identifier of C.
inline bool is_identifier(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// The entries of a matrix that are not zero in all states, by columns: entry k is in row[k] and column[k].
struct Packed {
  std::vector<int> row, column;
  VectorX<Recorded> values;
  int rows, columns;  // sizes of the matrix
};
/// Leaves out zeros, such as those of M between branches, and with `lower` the upper triangle of a symmetric matrix.
inline Packed packed(const MatrixX<Recorded>& matrix, bool lower = false) {
  Packed out{{}, {}, {}, static_cast<int>(matrix.rows()), static_cast<int>(matrix.cols())};
  std::vector<Recorded> values;
  for (int j = 0; j < matrix.cols(); ++j)
    for (int i = lower ? j : 0; i < matrix.rows(); ++i)
      if (const Recorded& x = matrix(i, j); !x.is_constant() || static_cast<double>(x) != 0)
        out.row.push_back(i), out.column.push_back(j), values.push_back(x);
  out.values = VectorX<Recorded>::Map(values.data(), std::ssize(values));
  return out;
}

/// A function from arrays to arrays, recorded once for all states:
///
///   codegen::Recording f("power");
///   const auto q = f.input("q", model.nq()), v = f.input("v", model.nv()), tau = f.input("tau", model.nv());
///   const auto robot = model.cast<codegen::Recorded>();
///   Data<codegen::Recorded> data(robot);
///   f.output("a", aba(robot, data, q, v, tau));
///   f.output("power", tau.dot(v));
///
/// Any function that is a template on the scalar can be recorded. Using a number in another recording, or when its own
/// is gone, is an Error.
class Recording {
 public:
  /// An input or output.
  struct Array {
    std::string name;
    int rows, columns;
    std::vector<int> entries{};                    // entries of the tape, by columns
    std::vector<int> row{}, column{};              // the places of packed entries
    bool is_matrix = false;                        // true also for a matrix with one column
    int full_rows = rows, full_columns = columns;  // sizes of the matrix whose entries are packed
    int size() const { return rows * columns; }
    bool is_full() const { return size() == full_rows * full_columns; }
    int row_of(int k) const { return row.empty() ? k % rows : row[at(k)]; }
    int column_of(int k) const { return row.empty() ? k / rows : column[at(k)]; }
  };

  /// @param name  the name of the function, an identifier of C, as the names of its arrays are
  /// @param summary  a line about it, for comments of the code
  explicit Recording(std::string name, std::string summary = "")
      : name_(std::move(name)), summary_(std::move(summary)), tape_(std::make_unique<Tape>()) {
    check_name(name_);
  }

  VectorX<Recorded> input(const std::string& name, int size) {
    return input(name, VectorX<double>::Constant(size, std::numeric_limits<double>::quiet_NaN()).eval());
  }
  /// Adds an input with nominal values, at which pivots are chosen and robots are checked: a closed configuration for
  /// loops, physical parameters for a robot.
  VectorX<Recorded> input(const std::string& name, const VectorX<double>& nominal) {
    Array array{check_name(name), static_cast<int>(nominal.size()), 1};
    for (const double x : nominal) array.entries.push_back(tape_->input(x));
    inputs_.push_back(array);
    return numbers(array);
  }
  /// Adds an output: a number, a vector, or a matrix, which is written by columns.
  template <class X>
  void output(const std::string& name, const Eigen::DenseBase<X>& x) {
    const auto matrix = x.eval();
    Array array{check_name(name), static_cast<int>(x.rows()), static_cast<int>(x.cols())};
    array.is_matrix = X::ColsAtCompileTime != 1;
    for (const auto& entry : matrix.reshaped()) array.entries.push_back(Recorded(entry).entry(*tape_));
    outputs_.push_back(std::move(array));
  }
  void output(const std::string& name, const Recorded& x) { output(name, Eigen::Matrix<Recorded, 1, 1>(x)); }
  /// Adds the entries as an output; the code has their rows and columns as arrays of indices beside the function.
  void output(const std::string& name, const Packed& x) {
    output(name, x.values);
    pack(outputs_.back(), x.row, x.column, x.rows, x.columns);
  }

  /// Adds an input with the entries of an array, or one of its size without entries, which no result depends on.
  VectorX<Recorded> input_like(const std::string& name, const Array& like, bool enters = true) {
    input(name, enters ? like.size() : 0);
    Array& x = inputs_.back();
    x.columns = 1;
    pack(x, enters ? like.row : std::vector<int>{}, enters ? like.column : std::vector<int>{}, like.full_rows,
         like.full_columns);
    return numbers(x);
  }
  /// Returns the numbers of arrays of this recording, one array after the other.
  VectorX<Recorded> numbers(const std::vector<Array>& arrays) {
    VectorX<Recorded> all(0);
    for (const Array& x : arrays) {
      all.conservativeResize(all.size() + x.size());
      all.tail(x.size()) = numbers(x);
    }
    return all;
  }

  /// Returns the numbers of an input.
  /// @throws Error if there is none of this name
  VectorX<Recorded> input(const std::string& name) {
    const auto x = std::ranges::find(inputs_, name, &Array::name);
    if (x == inputs_.end()) throw Error(corio::detail::join({"recording '", name_, "' has no input '", name, "'"}));
    return numbers(*x);
  }
  /// Gives the recording another name, and returns its former outputs.
  std::vector<std::pair<std::string, VectorX<Recorded>>> forget_outputs(const std::string& name) {
    std::vector<std::pair<std::string, VectorX<Recorded>>> out;
    for (const Array& x : outputs_) out.emplace_back(x.name, numbers(x));
    outputs_.clear();
    name_ = check_name(name);
    return out;
  }

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  const Tape& tape() const { return *tape_; }
  const std::vector<Array>& inputs() const { return inputs_; }
  const std::vector<Array>& outputs() const { return outputs_; }
  int num_outputs() const {
    return std::accumulate(outputs_.begin(), outputs_.end(), 0, [](int n, const Array& x) { return n + x.size(); });
  }

  /// Returns the lines of the code. Results, or those of each array, are computed in one of two orders: the deepest
  /// degrees of freedom first, or four columns at a time, row by row; the order with fewer moves between pieces, then
  /// fewer values alive, is taken.
  Schedule schedule(const Cut& cut = {}) const {
    std::vector<int> entries, row, column;
    const std::vector<int> array = arrays_of_results();
    for (const Array& x : outputs_) {
      entries.insert(entries.end(), x.entries.begin(), x.entries.end());
      for (int k = 0; k < x.size(); ++k) row.push_back(x.row_of(k)), column.push_back(x.column_of(k));
    }
    const auto in_order = [&](auto key) {
      std::vector<int> order(entries.size());
      std::iota(order.begin(), order.end(), 0);
      std::ranges::stable_sort(order, std::ranges::greater(), [&](int k) {
        return std::pair(cut.by_array ? array[at(k)] : 0, key(row[at(k)], column[at(k)]));
      });
      Schedule s = detail::Scheduler(*tape_).schedule(entries, order, cut);
      s.results = num_outputs();
      return s;
    };
    Schedule a = in_order([](int i, int j) { return std::pair((std::max)(i, j), (std::min)(i, j)); });
    Schedule b = in_order([](int i, int j) { return std::tuple(j / 4, i, j); });
    const auto cost = [](const Schedule& s) { return std::pair(s.moves, s.alive); };
    return cost(b) < cost(a) ? b : a;
  }

  /// For each piece of a schedule the outputs that need it: those that it writes, and those of the pieces that load
  /// what it stores.
  std::vector<std::set<int>> outputs_of_pieces(const Schedule& s) const {
    std::vector<std::set<int>> outputs(s.pieces.size()), of_place(at(s.places));
    const std::vector<int> array = arrays_of_results();
    for (std::size_t piece = s.pieces.size(); piece-- > 0;) {
      const auto for_each = [&](Schedule::Line::Kind kind, const auto& f) {
        for (std::size_t p = s.pieces[piece]; p < s.end_of(piece); ++p)
          if (s.lines[p].kind == kind) f(at(s.lines[p].place));
      };
      for_each(Schedule::Line::result, [&](std::size_t number) { outputs[piece].insert(array[number]); });
      for_each(Schedule::Line::store,
               [&](std::size_t place) { outputs[piece].merge(std::exchange(of_place[place], {})); });
      for_each(Schedule::Line::load,
               [&](std::size_t place) { of_place[place].insert(outputs[piece].begin(), outputs[piece].end()); });
    }
    return outputs;
  }

  /// @throws Error for a schedule of another recording, or one that was made before the last output
  void check(const Schedule& schedule) const {
    if (schedule.tape != tape_->place() || schedule.results != num_outputs())
      throw Error(corio::detail::join({"recording '", name_, "': the schedule is of another recording, or was made ",
                                       "before the last output: call schedule() again"}));
  }
  /// Returns the outputs, one after the other, computed from these inputs by the lines of a schedule, as generated code
  /// does.
  /// @throws Error as check
  std::vector<double> evaluate(const Schedule& schedule, const double* inputs) const {
    check(schedule);
    std::vector<double> number(at(tape_->size())), memory(at(schedule.places)), out(at(num_outputs()));
    for (int i = 0; i < tape_->size(); ++i) {
      const Tape::Entry& e = (*tape_)[i];
      number[at(i)] = e.is(operation::input) ? inputs[e.operand[0]] : e.value;
    }
    for (const Schedule::Line& line : schedule.lines) {
      const Tape::Entry& e = (*tape_)[line.entry];
      double& x = number[at(line.entry)];
      const auto operand = [&](int j) { return number[at(e.operand[j])]; };
      switch (line.kind) {
        case Schedule::Line::compute: x = e.operation->value(operand(0), operand(1), operand(2)); break;
        case Schedule::Line::store: memory[at(line.place)] = x; break;
        case Schedule::Line::load: x = memory[at(line.place)]; break;
        case Schedule::Line::result: out[at(line.place)] = x; break;
      }
    }
    return out;
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  /// For each number of the results the output to which it belongs.
  std::vector<int> arrays_of_results() const {
    std::vector<int> all;
    for (const Array& x : outputs_) all.insert(all.end(), at(x.size()), static_cast<int>(&x - outputs_.data()));
    return all;
  }
  static void pack(Array& x, std::vector<int> row, std::vector<int> column, int rows, int columns) {
    x.row = std::move(row), x.column = std::move(column), x.full_rows = rows, x.full_columns = columns;
  }
  VectorX<Recorded> numbers(const Array& x) {
    VectorX<Recorded> out(x.size());
    for (int k = 0; k < x.size(); ++k) out[k] = Recorded(*tape_, x.entries[at(k)]);
    return out;
  }
  const std::string& check_name(const std::string& name) const {
    bool free = is_identifier(name);
    for (const auto* arrays : {&inputs_, &outputs_})
      for (const Array& x : *arrays) free = free && x.name != name;
    if (!free) throw Error(corio::detail::join({"recording '", name_, "': '", name, "' is no name of C, or taken"}));
    return name;
  }

  std::string name_, summary_;
  std::unique_ptr<Tape> tape_;
  std::vector<Array> inputs_, outputs_;
};

}}}  // namespace corio::codegen
