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
/// They share terms with the function. Where a choice is recorded, they are those of the branch taken, and a branch not
/// taken gives no NaN. Steps (floor, round, comparisons) have the derivative zero, abs at zero the right-hand one.
namespace corio { inline namespace CORIO_ABI { namespace codegen {
namespace detail {

/// Derivatives of entries y of a tape by inputs x: along x one column of the Jacobian at a time, or back from y one
/// row at a time. Source: Griewank and Walther, Evaluating Derivatives (2008), sec. 3.1 and 3.2.
class Derivatives {
  using Set = std::vector<bool>;

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
    size_ = tape_->size();
    columns_.assign(at(size_), Set(x_.size())), rows_.assign(at(size_), Set(y_.size()));
    for (std::size_t k = 0; k < x_.size(); ++k) columns_[at(x_[k])][k] = true;
    for (std::size_t k = 0; k < y_.size(); ++k) rows_[at(y_[k])][k] = true;
    for (int i = 0; i < size_; ++i)
      for (const int j : operands(i)) insert(columns_[at(j)], columns_[at(i)]);
    for (int i = size_; i-- > 0;)
      for (const int j : operands(i)) insert(rows_[at(i)], rows_[at(j)]);
  }

  /// By the mode with fewer operations: where terms do not tell, because many of them are equal, both are recorded.
  MatrixX<Recorded> jacobian() const {
    std::ptrdiff_t along = 0, back = 0;  // terms of sums
    for (int i = 0; i < size_; ++i)
      for (const int j : operands(i)) {
        if (is_in(rows_[at(i)])) along += std::ranges::count(columns_[at(j)], true);
        if (is_in(columns_[at(j)])) back += std::ranges::count(rows_[at(i)], true);
      }
    MatrixX<Recorded> by_columns(std::ssize(y_), std::ssize(x_)), by_rows = by_columns;
    for (Eigen::Index k = 0; along <= 2 * back && k < std::ssize(x_); ++k) by_columns.col(k) = column(k);
    for (Eigen::Index k = 0; back <= 2 * along && k < std::ssize(y_); ++k) by_rows.row(k) = row(k).transpose();
    if (along > 2 * back) return by_rows;
    return back > 2 * along || operations(by_columns) <= operations(by_rows) ? by_columns : by_rows;
  }

  VectorX<Recorded> column(Eigen::Index k) const {
    std::vector<Recorded> rate(at(size_));
    for (int i = 0; i < size_; ++i) {
      if (i == x_[static_cast<std::size_t>(k)]) rate[at(i)] = 1;
      if (!columns_[at(i)][static_cast<std::size_t>(k)] || !is_in(rows_[at(i)])) continue;
      if (is_choice(i))
        rate[at(i)] = select(condition(i), rate[at(operands(i)[1])], rate[at(operands(i)[2])]);
      else
        for (int j = 0; j < std::ssize(operands(i)); ++j)
          if (const Recorded& r = rate[at(operands(i)[at(j)])]; !is_zero(r)) rate[at(i)] += partial(i, j) * r;
    }
    return entries(rate, y_);
  }

  VectorX<Recorded> row(Eigen::Index k) const {
    // Of each entry the derivative of y, and whether it reaches y in some states alone: in others its partial
    // derivatives may be infinite.
    std::vector<Recorded> adjoint(at(size_));
    std::vector<bool> is_everywhere(at(size_));
    const int top = y_[static_cast<std::size_t>(k)];
    adjoint[at(top)] = 1, is_everywhere[at(top)] = true;
    for (int i = top; i >= 0; --i) {
      const Recorded bar = adjoint[at(i)];
      if (is_zero(bar)) continue;
      for (int o = is_choice(i) ? 1 : 0; o < std::ssize(operands(i)); ++o) {
        const int j = operands(i)[at(o)];
        if (!is_in(columns_[at(j)])) continue;
        if (is_choice(i)) {
          adjoint[at(j)] += select(condition(i), o == 1 ? bar : Recorded(0), o == 1 ? Recorded(0) : bar);
          continue;
        }
        const Recorded d = partial(i, o), product = bar * d;
        adjoint[at(j)] +=
            is_everywhere[at(i)] || d.is_constant() ? product : select(bar == Recorded(0), Recorded(0), product);
        if (is_everywhere[at(i)]) is_everywhere[at(j)] = true;
      }
    }
    return entries(adjoint, x_);
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static bool is_in(const Set& set) { return std::ranges::find(set, true) != set.end(); }
  static bool is_zero(const Recorded& x) { return x.is_constant() && static_cast<double>(x) == 0; }
  static void insert(const Set& from, Set& to) {
    for (std::size_t k = 0; k < from.size(); ++k)
      if (from[k]) to[k] = true;
  }
  static VectorX<Recorded> entries(const std::vector<Recorded>& all, const std::vector<int>& which) {
    VectorX<Recorded> out(std::ssize(which));
    for (Eigen::Index k = 0; k < out.size(); ++k) out[k] = all[at(which[static_cast<std::size_t>(k)])];
    return out;
  }
  /// Valid until the tape grows.
  std::span<const int> operands(int i) const {
    const Tape::Entry& e = (*tape_)[i];
    return {e.operand, at(e.operation->operands)};
  }
  bool is_choice(int i) const { return (*tape_)[i].is(operation::choice); }
  Condition condition(int i) const { return Condition::of({*tape_, operands(i)[0]}); }

  std::ptrdiff_t operations(const MatrixX<Recorded>& results) const {
    Set is_needed(at(tape_->size()));
    for (const Recorded& x : results.reshaped())
      if (!x.is_constant()) is_needed[at(x.entry(*tape_))] = true;
    for (int i = tape_->size(); i-- > 0;)
      for (const int j : operands(i))
        if (is_needed[at(i)]) is_needed[at(j)] = true;
    return std::ranges::count(is_needed, true);
  }
  /// Of an entry with respect to its operand k.
  Recorded partial(int i, int k) const {
    const Operation* o = (*tape_)[i].operation;
    const Recorded y(*tape_, i), one(1), a(*tape_, operands(i)[0]), b(*tape_, operands(i).back());
    if (o == &operation::plus) return one;
    if (o == &operation::minus) return k == 0 ? one : -one;
    if (o == &operation::negative) return -one;
    if (o == &operation::times) return k == 0 ? b : a;
    if (o == &operation::over) return k == 0 ? one / b : -(y / b);
    if (o == &operation::root) return Recorded(0.5) / y;
    if (o == &operation::cube_root) return one / (Recorded(3) * y * y);
    if (o == &operation::power) return k == 0 ? b * pow(a, b - one) : y * log(a);
    if (o == &operation::absolute) return select(a < Recorded(0), -one, one);
    if (o == &operation::remainder) return k == 0 ? one : (y - a) / b;
    if (o == &operation::sine) return cos(a);
    if (o == &operation::cosine) return -sin(a);
    if (o == &operation::tangent) return one + y * y;
    if (o == &operation::arc_sine) return one / sqrt(one - a * a);
    if (o == &operation::arc_cosine) return -one / sqrt(one - a * a);
    if (o == &operation::arc_tangent) return one / (one + a * a);
    if (o == &operation::arc_tangent2) return (k == 0 ? b : -a) / (a * a + b * b);
    if (o == &operation::hyperbolic_sine) return cosh(a);
    if (o == &operation::hyperbolic_cosine) return sinh(a);
    if (o == &operation::hyperbolic_tangent) return one - y * y;
    if (o == &operation::exponential) return y;
    if (o == &operation::exponential_minus_1) return y + one;
    if (o == &operation::logarithm) return one / a;
    if (o == &operation::logarithm_of_1_plus) return one / (one + a);
    return 0;  // steps and conditions
  }

  Tape* tape_ = nullptr;
  int size_ = 0;
  std::vector<int> x_, y_;
  std::vector<Set> columns_, rows_;  // of x on which an entry depends, of y that depend on it
};

}  // namespace detail

/// The derivatives of y by each of x, inputs of its recording, of which some may be left out. Some two to four times
/// the operations of y, whatever the size of x. Coordinates are treated as independent: see tangent_map.
/// @throws Error for an x that is no input of the recording of y, or there twice
inline VectorX<Recorded> gradient(const Recorded& y, const VectorX<Recorded>& x) {
  return x.size() == 0 ? x : detail::Derivatives(VectorX<Recorded>::Constant(1, y), x).row(0);
}

/// dy_i / dx_j in row i and column j, columns or rows at a time, whichever takes fewer operations. Entries that are
/// zero in all states are constants: see packed. Functions of the library that are derivatives, such as
/// inverse_dynamics_derivatives, take half as many operations.
/// @throws Error as gradient
inline MatrixX<Recorded> jacobian(const VectorX<Recorded>& y, const VectorX<Recorded>& x) {
  return x.size() == 0 ? MatrixX<Recorded>(y.size(), 0) : detail::Derivatives(y, x).jacobian();
}

/// The second derivatives, symmetric to the bit: the Jacobian of the gradient.
/// @throws Error as gradient
inline MatrixX<Recorded> hessian(const Recorded& y, const VectorX<Recorded>& x) {
  MatrixX<Recorded> out = jacobian(gradient(y, x), x);
  for (Eigen::Index j = 0; j < out.cols(); ++j)
    for (Eigen::Index i = j + 1; i < out.rows(); ++i) out(i, j) = out(j, i);
  return out;
}

/// The adjoint of a function, by the names of inputs x: from derivatives d_y of anything by its outputs, inputs of the
/// adjoint after those of f, d_x = sum_y (dy/dx)^T d_y, its outputs. d_y of an output `cost` is 1. Named after f, with
/// _adjoint. Some three times the operations of f.
/// @throws Error as gradient, and for a name that is no input
inline Recording adjoint(Recording f, const std::vector<std::string>& names) {
  const auto outputs = f.forget_outputs(f.name() + "_adjoint");
  Recorded sum = 0;
  for (const auto& [name, y] : outputs)
    if (name == "cost")
      sum += y[0];
    else
      sum += f.input("d_" + name, static_cast<int>(y.size())).dot(y);
  std::vector<VectorX<Recorded>> x;
  std::ptrdiff_t size = 0;
  for (const auto& name : names) x.push_back(f.input(name)), size += x.back().size();
  VectorX<Recorded> all(size);
  for (std::ptrdiff_t at = 0; const auto& part : x) all.segment(at, part.size()) = part, at += part.size();
  const VectorX<Recorded> g = gradient(sum, all);
  for (std::size_t i = 0, at = 0; i < names.size(); at += static_cast<std::size_t>(x[i++].size()))
    f.output("d_" + names[i], g.segment(static_cast<Eigen::Index>(at), x[i].size()));
  return f;
}

/// The tangent map of the coordinates of a tree, nq x nv: d integrate(q, x) / dx at x = 0, the identity where q is a
/// plain vector. Derivatives by q along the degrees of freedom are those by coordinates times it:
///
///   jacobian(tau, q) * tangent_map(model, q),   tangent_map(model, q).transpose() * gradient(cost, q).
///
/// @param model  over double or Recorded
/// @throws SizeError; ModelError for a user's joint that is no template on the scalar
template <class S>
MatrixX<Recorded> tangent_map(const Model<S>& model, const VectorX<Recorded>& q) {
  using D = Dual<Recorded>;
  const auto dual = model.template cast<D>();
  MatrixX<Recorded> out(model.nq(), model.nv());
  for (int k = 0; k < model.nv(); ++k) {
    VectorX<D> step = VectorX<D>::Constant(model.nv(), D(0));
    step[k].dx = 1;
    const VectorX<D> moved = integrate<D>(dual, VectorX<D>(q.template cast<D>()), step);
    for (int i = 0; i < model.nq(); ++i) out(i, k) = moved[i].dx;
  }
  return out;
}

}}}  // namespace corio::codegen
