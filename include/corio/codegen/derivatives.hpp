#pragma once

#include <span>

#include "corio/codegen/recording.hpp"
#include "corio/core/dual.hpp"
#include "corio/kinematics/configuration.hpp"

/// Derivatives of any recorded function, computed on its tape:
///
///   codegen::Recording f("cost");
///   const VectorX<codegen::Recorded> x = f.input("x", n);
///   const codegen::Recorded cost = ...;
///   f.output("cost", cost), f.output("gradient", codegen::gradient(cost, x));
///
/// Derivatives share terms with the function. The branch that a choice takes is differentiated; the other branch gives
/// no NaN, and a derivative that a choice makes zero stays zero where a root, a quotient or the like has an infinite
/// one. Steps (floor, round, comparisons) have the derivative zero, abs at zero the right-hand one.
namespace corio { inline namespace CORIO_ABI { namespace codegen {
namespace detail {

/// Returns for each entry of a tape whether results depend on it.
inline Eigen::ArrayX<bool> needed_entries(Tape& tape, const MatrixX<Recorded>& results) {
  Eigen::ArrayX<bool> is_needed = Eigen::ArrayX<bool>::Constant(tape.size(), false);
  for (const Recorded& x : results.reshaped())
    if (!x.is_constant()) is_needed[x.entry(tape)] = true;
  for (int i = tape.size(); i-- > 0;)
    for (int k = 0; k < tape[i].operation->operands && is_needed[i]; ++k) is_needed[tape[i].operand[k]] = true;
  return is_needed;
}

/// Derivatives of entries y of a tape with respect to inputs x: along x one column of the Jacobian at a time, or back
/// from y one row at a time. Source: Griewank and Walther, Evaluating Derivatives (2008), sec. 3.1 and 3.2.
class Derivatives {
 public:
  Derivatives(const VectorX<Recorded>& y, const VectorX<Recorded>& x) {
    for (const Recorded& entry : x) {
      if (entry.is_constant()) throw Error("derivatives: x are inputs of the recording, not constants");
      if (!tape_) tape_ = &entry.tape();
      x_.push_back(entry.entry(*tape_));
      if (!(*tape_)[x_.back()].is(operation::input) || std::ranges::count(x_, x_.back()) > 1)
        throw Error("derivatives: x are inputs of the recording, each once; numbers computed of them may share terms");
    }
    if (!tape_) return;
    for (const Recorded& entry : y) y_.push_back(entry.entry(*tape_));
    size_ = tape_->size(), has_choice_.resize(static_cast<std::size_t>(size_));
    columns_ = Sets::Zero(x.size(), size_), rows_ = Sets::Zero(y.size(), size_);
    for (std::size_t k = 0; k < x_.size(); ++k) columns_(static_cast<Eigen::Index>(k), x_[k]) = true;
    for (std::size_t k = 0; k < y_.size(); ++k) rows_(static_cast<Eigen::Index>(k), y_[k]) = true;
    for (int i = 0; i < size_; ++i) {
      has_choice_[at(i)] = is_choice(i);
      for (const int j : operands(i)) {
        columns_.col(i) = columns_.col(i) || columns_.col(j);
        if (has_choice_[at(j)]) has_choice_[at(i)] = true;
      }
    }
    for (int i = size_; i-- > 0;)
      for (const int j : operands(i)) rows_.col(j) = rows_.col(j) || rows_.col(i);
  }

  /// Takes the mode with fewer operations. Both are recorded if the numbers of terms do not decide, because many terms
  /// are equal.
  MatrixX<Recorded> jacobian() const {
    Eigen::Index along = 0, back = 0;  // the number of terms in sums
    for (int i = 0; i < size_; ++i)
      for (const int j : operands(i)) {
        if (reaches_y(i)) along += columns_.col(j).count();
        if (depends_on_x(j)) back += rows_.col(i).count();
      }
    MatrixX<Recorded> by_columns(rows_.rows(), columns_.rows()), by_rows = by_columns;
    for (Eigen::Index k = 0; along <= 2 * back && k < by_rows.cols(); ++k) by_columns.col(k) = column(k);
    for (Eigen::Index k = 0; back <= 2 * along && k < by_rows.rows(); ++k) by_rows.row(k) = row(k).transpose();
    if (along > 2 * back) return by_rows;
    return back > 2 * along || needed_entries(*tape_, by_columns).count() <= needed_entries(*tape_, by_rows).count()
               ? by_columns
               : by_rows;
  }

  VectorX<Recorded> column(Eigen::Index k) const {
    VectorX<Recorded> rate(size_);
    for (int i = 0; i < size_; ++i) {
      if (i == x_[static_cast<std::size_t>(k)]) rate[i] = 1;
      if (!columns_(k, i) || !reaches_y(i)) continue;
      if (is_choice(i))
        rate[i] = select(condition(i), rate[operands(i)[1]], rate[operands(i)[2]]);
      else
        for (int o = 0; o < std::ssize(operands(i)); ++o)
          if (const Recorded& r = rate[operand(i, o)]; !is_zero(r))
            rate[i] += product(partial(i, o), r, has_pole_at_choice(i));
    }
    return rate(y_);
  }

  VectorX<Recorded> row(Eigen::Index k) const {
    // For each entry the derivative of y, whether it reaches y in all states (in others its partial derivatives may be
    // infinite), and whether its derivative may be infinite where a choice makes a factor zero.
    VectorX<Recorded> adjoint(size_);
    std::vector<bool> is_everywhere(has_choice_.size()), is_below_pole(has_choice_.size());
    const int top = y_[static_cast<std::size_t>(k)];
    adjoint[top] = 1, is_everywhere[at(top)] = true;
    for (int i = top; i >= 0; --i) {
      const Recorded bar = adjoint[i];
      const bool everywhere = is_everywhere[at(i)], below_pole = is_below_pole[at(i)];
      if (is_zero(bar)) continue;
      for (int o = is_choice(i) ? 1 : 0; o < std::ssize(operands(i)); ++o) {
        const int j = operand(i, o);
        if (!depends_on_x(j)) continue;
        if (below_pole || has_pole_at_choice(i)) is_below_pole[at(j)] = true;
        if (is_choice(i)) {
          adjoint[j] += select(condition(i), o == 1 ? bar : Recorded(0), o == 1 ? Recorded(0) : bar);
          continue;
        }
        const Recorded d = partial(i, o), x = product(d, bar, !everywhere);
        adjoint[j] += below_pole && !d.is_constant() && has_choice(d)
                          ? select(d == Recorded(0) && !isfinite(bar), Recorded(0), x)
                          : x;
        if (everywhere) is_everywhere[at(j)] = true;
      }
    }
    return adjoint(x_);
  }

 private:
  using Sets = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;  // a column for each entry of the tape

  static bool is_zero(const Recorded& x) { return x.is_constant() && static_cast<double>(x) == 0; }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  /// The product of a partial derivative d and a derivative that, if `may_vanish`, is zero where d may be infinite.
  static Recorded product(const Recorded& d, const Recorded& derivative, bool may_vanish) {
    const Recorded x = d * derivative;
    return !may_vanish || d.is_constant() ? x : select(derivative == Recorded(0) && !isfinite(d), Recorded(0), x);
  }
  bool has_choice(const Recorded& x) const {
    const int i = x.entry(*tape_);
    return i >= size_ || has_choice_[at(i)];
  }
  /// Returns whether a choice may keep an operation from an infinite derivative.
  bool has_pole_at_choice(int i) const {
    const Operation* const all[] = {&operation::over,  &operation::sqrt, &operation::cbrt,  &operation::asin,
                                    &operation::acos,  &operation::log,  &operation::log1p, &operation::pow,
                                    &operation::atan2, &operation::hypot};
    return has_choice_[at(i)] && std::ranges::count(all, (*tape_)[i].operation) > 0;
  }
  bool depends_on_x(int i) const { return columns_.col(i).any(); }
  bool reaches_y(int i) const { return rows_.col(i).any(); }
  int operand(int i, int k) const { return (*tape_)[i].operand[k]; }
  /// Returns a view that is valid until the tape grows.
  std::span<const int> operands(int i) const {
    const Tape::Entry& e = (*tape_)[i];
    return {e.operand, static_cast<std::size_t>(e.operation->operands)};
  }
  bool is_choice(int i) const { return (*tape_)[i].is(operation::choice); }
  Condition condition(int i) const { return Condition::of({*tape_, operand(i, 0)}); }

  /// Returns the derivative of entry i with respect to its operand k; zero for steps and conditions.
  Recorded partial(int i, int k) const {
    const Operation* o = (*tape_)[i].operation;
    const Recorded y(*tape_, i), one(1), a(*tape_, operand(i, 0)), b(*tape_, operands(i).back());
    if (o == &operation::plus) return one;
    if (o == &operation::minus) return k == 0 ? one : -one;
    if (o == &operation::negative) return -one;
    if (o == &operation::times) return k == 0 ? b : a;
    if (o == &operation::over) return k == 0 ? one / b : -(y / b);
    if (o == &operation::pow)  // a^0 is 1 for all a, and 0^b is 0
      return k == 0 ? select(b == Recorded(0), b, b * pow(a, b - one)) : select(y == Recorded(0), y, y * log(a));
    if (o == &operation::fmod) return k == 0 ? one : (y - a) / b;
    if (o == &operation::hypot) return (k == 0 ? a : b) / y;
    if (o == &operation::atan2) return (k == 0 ? b : -a) / hypot(a, b) / hypot(a, b);  // squares may overflow
#define CORIO_DERIVATIVE(f, derivative) \
  if (o == &operation::f) return derivative;
    CORIO_RECORDED_FUNCTIONS(CORIO_DERIVATIVE)
#undef CORIO_DERIVATIVE
#undef CORIO_RECORDED_FUNCTIONS
    return 0;
  }

  Tape* tape_ = nullptr;
  int size_ = 0;
  std::vector<int> x_, y_;
  std::vector<bool> has_choice_;  // whether an entry is a choice, or depends on one
  Sets columns_, rows_;           // the x on which each entry depends, and the y that depend on it
};

}  // namespace detail

/// Returns the derivatives of y with respect to x, some or all inputs of its recording: two to four times the
/// operations of y for any size of x. Coordinates are treated as independent: see tangent_map.
/// @throws Error if x has anything but inputs of the recording of y, or one of them twice
inline VectorX<Recorded> gradient(const Recorded& y, const VectorX<Recorded>& x) {
  return x.size() == 0 ? x : detail::Derivatives(VectorX<Recorded>::Constant(1, y), x).row(0);
}

/// Returns dy_i / dx_j in row i and column j, by columns or by rows, whichever takes fewer operations. Entries that are
/// zero in all states are constants: see packed. Functions of the library that are derivatives, such as
/// inverse_dynamics_derivatives, take half as many operations.
/// @throws Error as gradient
inline MatrixX<Recorded> jacobian(const VectorX<Recorded>& y, const VectorX<Recorded>& x) {
  return x.size() == 0 ? MatrixX<Recorded>(y.size(), 0) : detail::Derivatives(y, x).jacobian();
}

/// Returns the second derivatives, symmetric to the bit: the Jacobian of the gradient.
/// @throws Error as gradient
inline MatrixX<Recorded> hessian(const Recorded& y, const VectorX<Recorded>& x) {
  return jacobian(gradient(y, x), x).selfadjointView<Eigen::Upper>();
}

/// Returns the adjoint of f, named f_adjoint, with respect to the inputs x of these names. Further inputs d_y are the
/// derivatives of a quantity with respect to the outputs y of f (1 for an output `cost`); the outputs are
/// d_x = sum_y (dy/dx)^T d_y. It takes about three times the operations of f.
/// @throws Error as gradient, if f lacks an input, and for a cost of several numbers
inline Recording adjoint(Recording f, const std::vector<std::string>& names) {
  Recorded sum = 0;
  for (const auto& [name, y] : f.forget_outputs(f.name() + "_adjoint")) {
    if (name == "cost" && y.size() != 1)
      throw Error(
          corio::detail::join({"adjoint: the output 'cost' has ", std::to_string(y.size()),
                               " numbers, but its derivative is taken as 1: give it one number or another name"}));
    sum += name == "cost" ? y[0] : f.input("d_" + name, static_cast<int>(y.size())).dot(y);
  }
  std::vector<Recording::Array> by;
  for (const auto& name : names) {
    f.input(name);
    by.push_back(*std::ranges::find(f.inputs(), name, &Recording::Array::name));
  }
  const VectorX<Recorded> g = gradient(sum, f.numbers(by));
  for (Eigen::Index at = 0; const auto& x : by) f.output("d_" + x.name, g.segment(at, x.size())), at += x.size();
  return f;
}

/// Derivatives with respect to all inputs of a recording, one after the other: a row of `first` for each entry of the
/// outputs, and the second derivatives of seed^T outputs.
struct Differentiated {
  MatrixX<Recorded> first;
  std::function<MatrixX<Recorded>(const VectorX<Recorded>& seed)> second;
};
/// Returns derivatives by the tape.
inline Differentiated differentiated(Recording& f) {
  const VectorX<Recorded> x = f.numbers(f.inputs()), y = f.numbers(f.outputs());
  return {jacobian(y, x), [x, y](const VectorX<Recorded>& seed) { return hessian(seed.dot(y), x); }};
}

/// Calls write(f, prefix) with f as it is, then as its derivatives in the order in which CasADi asks for them, whose
/// prefixes are jac_ with blocks d output / d input, adj1_ with adj_x = sum_y (dy/dx)^T adj_y, and jac_adj1_ with the
/// blocks d adj_x / d(x, adj_y). Matrices count as vectors, by columns; blocks are packed.
template <class Write>
void for_each_derivative(Recording f, const Differentiated& d, Write&& write) {
  using Arrays = std::vector<Recording::Array>;
  const std::string name = f.name();
  const Arrays inputs = f.inputs(), outputs = f.outputs();
  const VectorX<Recorded> x = f.numbers(inputs), y = f.numbers(outputs);
  const auto places = [](const Recording::Array& a) { return a.full_rows * a.full_columns; };
  const auto put = [&](const MatrixX<Recorded>& all, const Arrays& rows, const Arrays& columns) {
    for (Eigen::Index i = 0; const auto& r : rows) {
      for (Eigen::Index j = 0; const auto& c : columns) {
        Packed block = packed(all.block(i, j, r.size(), c.size()));
        for (int& k : block.row) k = r.row_of(k) + r.full_rows * r.column_of(k);
        for (int& k : block.column) k = c.row_of(k) + c.full_rows * c.column_of(k);
        block.rows = places(r), block.columns = places(c);
        f.output("jac_" + r.name + "_" + c.name, block);
        j += c.size();
      }
      i += r.size();
    }
  };
  write(f, "");
  f.forget_outputs("jac_" + name);
  for (const auto& a : outputs) f.input_like("out_" + a.name, a, false);
  put(d.first, outputs, inputs);
  write(f, "jac_");
  f.forget_outputs("adj1_" + name);
  VectorX<Recorded> seed(y.size());
  for (Eigen::Index i = 0; const auto& a : outputs)
    seed.segment(i, a.size()) = f.input_like("adj_" + a.name, a), i += a.size();
  const VectorX<Recorded> g = gradient(seed.dot(y), x);
  for (Eigen::Index i = 0; const auto& a : inputs) f.output("adj_" + a.name, g.segment(i, a.size())), i += a.size();
  write(f, "adj1_");
  const Arrays by = f.inputs(), adjoints = f.outputs();
  f.forget_outputs("jac_adj1_" + name);
  for (const auto& a : adjoints) f.input_like("out_" + a.name, a, false);
  MatrixX<Recorded> second(x.size(), x.size() + y.size());
  second << d.second(seed), d.first.transpose();
  put(second, adjoints, by);
  write(f, "jac_adj1_");
}

/// Returns the tangent map of the coordinates of a tree, nq x nv: d integrate(q, x) / dx at x = 0, the identity for
/// joints whose q is a plain vector. It turns derivatives by coordinates into derivatives along the degrees of freedom:
///
///   jacobian(tau, q) * tangent_map(model, q),   tangent_map(model, q).transpose() * gradient(cost, q).
///
/// @param model  over double or Recorded
/// @throws SizeError; ModelError if a user's joint cannot be converted to other scalars
template <class S>
MatrixX<Recorded> tangent_map(const Model<S>& model, const VectorX<Recorded>& q) {
  using D = Dual<Recorded>;
  const auto dual = model.template cast<D>();
  MatrixX<Recorded> T(model.nq(), model.nv());
  for (Eigen::Index k = 0; k < T.cols(); ++k) {
    VectorX<D> direction = zeros<D>(model.nv());
    direction[k].dx = 1;
    const VectorX<D> moved = integrate<D>(dual, q.template cast<D>().eval(), direction);
    for (Eigen::Index i = 0; i < T.rows(); ++i) T(i, k) = moved[i].dx;
  }
  return T;
}

}}}  // namespace corio::codegen
