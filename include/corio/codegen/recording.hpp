#pragma once

#include <memory>
#include <numeric>
#include <string>

#include "corio/codegen/schedule.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// Whether a text is an identifier of C.
inline bool is_identifier(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
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
/// Any function that is a template on the scalar can be recorded. Recorded numbers are valid as long as the recording.
class Recording {
 public:
  /// An input or output.
  struct Array {
    std::string name;
    int rows, columns;
    std::vector<int> entries;  // on the tape; by columns
    int size() const { return rows * columns; }
  };

  /// @param name  of the function; like those of its arrays an identifier of C
  explicit Recording(std::string name) : name_(std::move(name)), tape_(std::make_unique<Tape>()) { check_name(name_); }

  VectorX<Recorded> input(const std::string& name, int size) {
    return add_input(name, size, [&](int) { return tape_->input(); });
  }
  /// With nominal values, at which decisions are taken that cannot be recorded: of loops a closed configuration.
  VectorX<Recorded> input(const std::string& name, const VectorX<double>& nominal) {
    return add_input(name, static_cast<int>(nominal.size()), [&](int i) { return tape_->input(nominal[i]); });
  }
  /// A number, a vector, or a matrix, which is written by columns.
  template <class X>
  void output(const std::string& name, const Eigen::DenseBase<X>& x) {
    Array array{check_name(name), static_cast<int>(x.rows()), static_cast<int>(x.cols()), {}};
    for (int j = 0; j < array.columns; ++j)
      for (int i = 0; i < array.rows; ++i) array.entries.push_back(Recorded(x.derived().coeff(i, j)).entry(*tape_));
    outputs_.push_back(std::move(array));
  }
  void output(const std::string& name, const Recorded& x) { output(name, Eigen::Matrix<Recorded, 1, 1>(x)); }

  const std::string& name() const { return name_; }
  const Tape& tape() const { return *tape_; }
  const std::vector<Array>& inputs() const { return inputs_; }
  const std::vector<Array>& outputs() const { return outputs_; }
  int num_outputs() const {
    return std::accumulate(outputs_.begin(), outputs_.end(), 0, [](int n, const Array& x) { return n + x.size(); });
  }

  /// The lines of its code. Results are computed in one of two orders, for all matrices together: the deepest degrees
  /// of freedom first, or four columns at a time, row by row. Kept is the order with the fewest moves between pieces,
  /// and of equal ones that with the fewest values alive at once.
  Schedule schedule(const Cut& cut = {}) const {
    std::vector<int> results;
    for (const Array& x : outputs_) results.insert(results.end(), x.entries.begin(), x.entries.end());
    const auto cost = [](const Schedule& s) { return std::pair(s.moves, s.alive); };
    Schedule best;
    for (const auto& order : orders()) {
      Schedule s = detail::Scheduler(*tape_, results, order, cut).take();
      if (best.lines.empty() || cost(s) < cost(best)) best = std::move(s);
    }
    return best;
  }

  /// The outputs, one after the other, computed from these inputs by the lines of a schedule, as generated code does.
  std::vector<double> evaluate(const Schedule& schedule, const double* inputs) const {
    const auto at = [](int i) { return static_cast<std::size_t>(i); };
    std::vector<double> number(at(tape_->size())), memory(at(schedule.places)), out(at(num_outputs()));
    for (int i = 0; i < tape_->size(); ++i) {
      const Tape::Entry& e = (*tape_)[i];
      number[at(i)] = e.operation == Operation::input ? inputs[e.operand[0]] : e.value;
    }
    for (const Schedule::Line& line : schedule.lines) {
      const Tape::Entry& e = (*tape_)[line.entry];
      double& x = number[at(line.entry)];
      const auto operand = [&](int j) { return j < num_operands(e.operation) ? number[at(e.operand[j])] : 0.0; };
      switch (line.kind) {
        case Schedule::Line::compute: x = codegen::evaluate(e.operation, operand(0), operand(1), operand(2)); break;
        case Schedule::Line::store: memory[at(line.place)] = x; break;
        case Schedule::Line::load: x = memory[at(line.place)]; break;
        case Schedule::Line::result: out[at(line.place)] = x; break;
      }
    }
    return out;
  }

 private:
  template <class Next>
  VectorX<Recorded> add_input(const std::string& name, int size, Next next) {
    Array array{check_name(name), size, 1, {}};
    VectorX<Recorded> x(size);
    for (int i = 0; i < size; ++i) {
      array.entries.push_back(next(i));
      x[i] = Recorded(*tape_, array.entries.back());
    }
    inputs_.push_back(std::move(array));
    return x;
  }
  const std::string& check_name(const std::string& name) const {
    bool free = is_identifier(name);
    for (const auto* arrays : {&inputs_, &outputs_})
      for (const Array& x : *arrays) free = free && x.name != name;
    if (!free) throw Error(corio::detail::join({"recording '", name_, "': '", name, "' is no name of C, or taken"}));
    return name;
  }
  std::vector<std::vector<int>> orders() const {
    struct Place {
      int row, column, number;
    };
    std::vector<Place> places;
    for (const Array& x : outputs_)
      for (int j = 0; j < x.columns; ++j)
        for (int i = 0; i < x.rows; ++i) places.push_back({i, j, static_cast<int>(places.size())});
    const auto sorted = [&](auto key) {
      std::vector<Place> some = places;
      std::stable_sort(some.begin(), some.end(), [&](const Place& a, const Place& b) { return key(a) > key(b); });
      std::vector<int> order;
      for (const Place& p : some) order.push_back(p.number);
      return order;
    };
    return {sorted([](const Place& p) { return std::pair((std::max)(p.row, p.column), (std::min)(p.row, p.column)); }),
            sorted([](const Place& p) { return std::tuple(p.column / 4, p.row, p.column); })};
  }

  std::string name_;
  std::unique_ptr<Tape> tape_;
  std::vector<Array> inputs_, outputs_;
};

}  // namespace corio::codegen
