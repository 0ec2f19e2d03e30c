#pragma once

#include <array>

#include "corio/kernels/lanes_of_dofs.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Packed storage for related triples (i, j, k): the joint of i is at or above the joint of j, and k is in the subtree
/// of that joint. Each triple has `kinds` numbers. The numbers of one pair (i, j) are a run; the runs of one j, for all
/// i down to the ground, are a row. Rows and runs must be filled in the order of for_each_row and for_each_run, since a
/// register may be written past the end of its run, and the next run overwrites that.
template <class S, int kinds>
class PackedTriples {
 public:
  struct Dof {
    int begin, own_end, end;  // degrees of freedom: [begin, own_end) of the joint, [begin, end) of its subtree
    int parent, depth;        // degree of freedom below j; how many are between j and the ground
    Eigen::Index offset;      // where the first run begins
  };

  /// Makes zeros of the size of the model.
  explicit PackedTriples(const Model<S>& model) : dofs_(model.nv()) {
    for (int k = 0; k < model.nv(); ++k) {
      const Node<S>& node = model.node(model.node_of(k));
      const int parent = model.parent_dof(k);
      const int depth = parent < 0 ? 0 : dofs_[parent].depth + 1;
      dofs_[k] = {node.v_begin, node.v_end, node.subtree_v_end, parent, depth, 0};
    }
    Eigen::Index numbers = 0;
    for_each_row(model, [&](int j) {
      Dof& d = dofs_[j];
      d.offset = numbers;
      numbers += Eigen::Index(dofs_[d.own_end - 1].depth + 1) * (d.end - d.begin);
    });
    kind_ = numbers + group_padding<S>;
    numbers_.setZero(kinds * kind_);
  }

  int size() const { return dofs_.size(); }
  /// Returns how many numbers are stored.
  Eigen::Index stored() const { return dofs_.empty() ? 0 : kinds * (kind_ - group_padding<S>); }
  const Dof& dof(int k) const { return dofs_[k]; }
  bool one_joint(int i, int j) const { return dof(i).begin == dof(j).begin; }
  /// Returns whether the joint of i is at or above the joint of k.
  bool above(int i, int k) const { return dof(i).begin <= k && k < dof(i).end; }

  /// numbers(i, j)[k] is the number of the first kind for k; the number of kind c is c * kind() further on.
  S* numbers(int i, int j) { return numbers_.data() + offset(i, j); }
  const S* numbers(int i, int j) const { return numbers_.data() + offset(i, j); }
  Eigen::Index kind() const { return kind_; }
  S& operator()(int c, int i, int j, int k) { return numbers(i, j)[c * kind_ + k]; }
  const S& operator()(int c, int i, int j, int k) const { return numbers(i, j)[c * kind_ + k]; }

  /// Calls f(j) for each row, the joints nearest the leaves first.
  template <class F>
  static void for_each_row(const Model<S>& model, F&& f) {
    for (int b = model.num_nodes() - 1; b >= 0; --b)
      for (int j = model.node(b).v_begin; j < model.node(b).v_end; ++j) f(j);
  }
  /// Calls f(i, numbers(i, j)) for each run of the row of j.
  template <class F>
  CORIO_INLINE void for_each_run(int j, F&& f) {
    each_run(j, numbers(dof(j).own_end - 1, j), f);
  }
  template <class F>
  CORIO_INLINE void for_each_run(int j, F&& f) const {
    each_run(j, numbers(dof(j).own_end - 1, j), f);
  }

 private:
  Eigen::Index offset(int i, int j) const {
    const Dof& d = dof(j);
    return d.offset + Eigen::Index(dof(d.own_end - 1).depth - dof(i).depth) * (d.end - d.begin) - d.begin;
  }

  template <class Pointer, class F>
  CORIO_INLINE void each_run(int j, Pointer first, F& f) const {
    const Dof* const dofs = dofs_.data();
    const int length = dofs[j].end - dofs[j].begin;
    for (int i = dofs[j].own_end - 1; i >= 0; i = dofs[i].parent, first += length) f(i, first);
  }

  PerDof<Dof> dofs_;
  Eigen::Index kind_;  // distance from the numbers of one kind to the numbers of the next
  VectorX<S> numbers_;
};

/// The products of one j with each k of the subtree of its joint, a T for each k, and the numbers of triples that
/// follow from them. Several k, neighbours in a run, are computed at a time.
template <class S, template <class> class T>
class TripleFactors : public Constants<S> {
 public:
  explicit TripleFactors(const Model<S>& m) : factors_(static_cast<std::size_t>(m.nv() / width + 1)) {}

  /// Calls f(k, x) for the row of j; f computes the products x of k from its column.
  template <int kinds, template <class> class Column, class F>
  CORIO_FLATTEN void compute(const PackedTriples<S, kinds>& triples, int j, const DofArrays<S, Column>& columns,
                             F&& f) {
    begin_ = triples.dof(j).begin, end_ = triples.dof(j).end;
    auto* x = factors_.data();
    for (int k = begin_; k < end_; k += width) f(columns.group(k), *x++);
  }
  /// Sets member(x) of k to zero.
  template <class F>
  void set_zero(int k, F&& member) {
    auto& x = member(factors_[static_cast<std::size_t>((k - begin_) / width)]);
    for (std::size_t r = 0; r < sizeof(x) / sizeof(Lanes<S>); ++r)
      numbers_in<Lanes<S>>(x)[r].set((k - begin_) % width, S(0));
  }
  /// Computes the numbers of a run: f(x) is an array with one number of each kind.
  template <int kinds, class F>
  CORIO_FLATTEN void write(const PackedTriples<S, kinds>& triples, S* run, F&& f) const {
    const auto* x = factors_.data();
    const Eigen::Index kind = triples.kind();
    for (int k = begin_; k < end_; k += width) {
      const std::array<Lanes<S>, kinds> numbers = f(*x++);
      for (int c = 0; c < kinds; ++c) numbers[static_cast<std::size_t>(c)].store(run + c * kind + k);
    }
  }

 private:
  static constexpr int width = group_size<S>;

  std::vector<T<Lanes<S>>> factors_;
  int begin_ = 0, end_ = 0;
};

}}}  // namespace corio::detail
