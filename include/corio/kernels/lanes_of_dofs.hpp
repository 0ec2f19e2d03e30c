#pragma once

#include <algorithm>
#include <vector>

#include "corio/kinematics/data.hpp"
#include "corio/simd/lanes.hpp"
#include "corio/spatial/body_coriolis.hpp"

namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Returns the numbers N of x, such as the six components of a Motion<N>.
template <class N, class X>
CORIO_INLINE auto numbers_in(X& x) {
  return reinterpret_cast<std::conditional_t<std::is_const_v<X>, const N, N>*>(&x);
}
/// Returns the X whose component r is number(r).
template <class X, class N, class F>
CORIO_INLINE X from_numbers(F&& number) {
  X x;
  repeat<sizeof(X) / sizeof(N)>([&](int r) CORIO_INLINE_LAMBDA { numbers_in<N>(x)[r] = number(r); });
  return x;
}

/// Returns component r of each lane's object.
template <class S, int... l>
CORIO_INLINE Lanes<S> gather_row(const S* const* lane, int r, std::integer_sequence<int, l...>) {
  return Lanes<S>(typename Lanes<S>::Type{lane[l][r]...});
}
/// Gathers rows r and r + 1 of four lanes. Reading two numbers at a time spares half of the loads and two thirds of the
/// shuffles.
template <class S>
CORIO_INLINE void gather_two_rows(const S* const* lane, int r, Lanes<S>& first, Lanes<S>& second) {
  const auto two = [&](int l) CORIO_INLINE_LAMBDA { return Lanes<S, 2>::load(lane[l] + r).x; };
  const Lanes<S> even(shuffle<0, 1, 2, 3>(two(0), two(2)));
  const Lanes<S> odd(shuffle<0, 1, 2, 3>(two(1), two(3)));
  first = Lanes<S>::template shuffle<0, 4, 2, 6>(even, odd);
  second = Lanes<S>::template shuffle<1, 5, 3, 7>(even, odd);
}

/// The nodes or degrees of freedom of a group, one for each lane.
template <class S>
struct LaneIndices {
  static constexpr int width = group_size<S>;
  int index[width];

  /// Lanes first, first + 1, ..; if fewer than `width` are left, the last one is repeated.
  CORIO_INLINE static LaneIndices from(int first, int end) {
    return of([&](int l) CORIO_INLINE_LAMBDA { return (std::min)(first + l, end - 1); });
  }
  template <class F>
  CORIO_INLINE static LaneIndices of(F&& f) {
    LaneIndices lanes;
    repeat<width>([&](int l) CORIO_INLINE_LAMBDA { lanes.index[l] = f(l); });
    return lanes;
  }

  /// Returns the objects get(index) of all lanes, such as Motion<S>, as one object, Motion<Lanes<S>>.
  template <template <class> class T, class F>
  CORIO_INLINE T<Lanes<S>> gather(F&& get) const {
    constexpr int size = sizeof(T<S>) / sizeof(S);
    static_assert(sizeof(T<Lanes<S>>) == size * sizeof(Lanes<S>));
    if constexpr (width == 1) {
      const T<S>& only = get(index[0]);  // converted, if it is a Broadcast
      return from_numbers<T<Lanes<S>>, Lanes<S>>([&](int c)
                                                     CORIO_INLINE_LAMBDA { return Lanes<S>(numbers_in<S>(only)[c]); });
    }
    T<Lanes<S>> out;
    Lanes<S>* const to = numbers_in<Lanes<S>>(out);
    const S* lane[width];
    repeat<width>([&](int l) CORIO_INLINE_LAMBDA { lane[l] = numbers_in<S>(get(index[l])); });
    [&]<int... c>(std::integer_sequence<int, c...>) CORIO_INLINE_LAMBDA {
      const auto one = [&](int r) CORIO_INLINE_LAMBDA {
        if constexpr (width == 4)
          if (r % 2 == 1) return gather_two_rows<S>(lane, r - 1, to[r - 1], to[r]);
        if (width != 4 || r == size - 1) to[r] = gather_row<S>(lane, r, typename Lanes<S>::Indices());
      };
      (one(c), ...);
    }
    (std::make_integer_sequence<int, size>());
    return out;
  }
  template <template <class> class T, class Of>
  CORIO_INLINE T<Lanes<S>> gather(const Table<T<S>, Of>& x) const {
    const T<S>* const first = x.data();
    return gather<T>([&](int i) CORIO_INLINE_LAMBDA -> const T<S>& { return first[i]; });
  }
};

/// Writes the first `count` lanes of x to to[0], to[1], ..
template <template <class> class T, class S>
CORIO_INLINE void scatter(const T<Lanes<S>>& x, T<S>* to, int count) {
  const auto one = [&](int l) CORIO_INLINE_LAMBDA {
    S* const numbers = numbers_in<S>(to[l]);
    repeat<sizeof(T<S>) / sizeof(S)>([&](int c) CORIO_INLINE_LAMBDA { numbers[c] = numbers_in<Lanes<S>>(x)[c][l]; });
  };
  repeat<group_size<S>>([&](int l) CORIO_INLINE_LAMBDA {
    if (l < count) one(l);
  });
}

/// Reads lane l of x as one T<S>, and writes it.
template <template <class> class T, class S>
CORIO_INLINE T<S> lane(const T<Lanes<S>>& x, int l) {
  return from_numbers<T<S>, S>([&](int c) CORIO_INLINE_LAMBDA { return numbers_in<Lanes<S>>(x)[c][l]; });
}
template <template <class> class T, class S>
CORIO_INLINE void set_lane(T<Lanes<S>>& x, int l, const T<S>& one) {
  repeat<sizeof(T<S>) / sizeof(S)>(
      [&](int c) CORIO_INLINE_LAMBDA { numbers_in<Lanes<S>>(x)[c].set(l, numbers_in<S>(one)[c]); });
}
/// Returns x in all lanes.
template <class N, template <class> class T, class S>
CORIO_INLINE T<N> broadcast(const T<S>& one) {
  return from_numbers<T<N>, N>([&](int c) CORIO_INLINE_LAMBDA { return N::all(numbers_in<S>(one)[c]); });
}
/// constant(x) is x for every lane.
template <class S>
struct Constants {
  CORIO_INLINE static Lanes<S> constant(const S& x) { return Lanes<S>::all(x); }
  CORIO_INLINE static Vector3<Lanes<S>> constant(const Vector3<S>& x) { return broadcast<Lanes<S>>(x); }
  template <template <class> class T>
  CORIO_INLINE static T<Lanes<S>> constant(const T<S>& x) {
    return broadcast<Lanes<S>>(x);
  }
};

/// Calls f(begin, end) for each range [begin, end) of degrees of freedom on the path from end - 1 to the ground.
template <class S, class F>
CORIO_INLINE void for_ranges_above(const Model<S>& model, int end, F&& f) {
  for (int k = end - 1; k >= 0;) {
    const int begin = model.chain_begin(k);
    f(begin, k + 1);
    k = model.parent_dof(begin);
  }
}

/// An operator maps motions to forces: an inertia or a Coriolis operator, which is stored about the origin of its node.
template <class T, class S>
concept Operator = requires(const T& x, const Motion<S>& V) {
  x* V;
};

/// Degrees of freedom k, k + 1, .., one per lane, with their own entries and their nodes' entries in Data. Algorithms
/// are written for one of them, k: k.phi() is Phi_k, k.composite_inertia() is I^C of its node, for motions about the
/// origin of the tree.
template <class S>
class LanesOfDofs : public Constants<S> {
 public:
  /// Takes the degrees of freedom k, k + 1, .. before `end`.
  CORIO_INLINE LanesOfDofs(const Model<S>& model, const Data<S>& data, int k, int end)
      : model_(model),
        data_(data),
        count_((std::min)(group_size<S>, end - k)),
        dof_(LaneIndices<S>::from(k, end)),
        node_(LaneIndices<S>::of([&](int l) CORIO_INLINE_LAMBDA { return model.node_of(dof_.index[l]); })) {}

  CORIO_INLINE auto phi() const { return entry(data_.phi); }
  CORIO_INLINE auto phi_dot() const { return entry(data_.phi_dot); }
  CORIO_INLINE auto velocity() const { return entry(data_.velocity); }
  CORIO_INLINE auto acceleration() const { return entry(data_.acceleration); }
  CORIO_INLINE auto composite_inertia() const { return entry(data_.composite_inertia); }
  CORIO_INLINE auto composite_coriolis() const { return entry(data_.composite_coriolis); }
  CORIO_INLINE auto parent_velocity() const { return of_parent(data_.velocity); }

  /// Returns the entries of the degrees of freedom, or of their nodes, in a table.
  template <template <class> class T>
  CORIO_INLINE T<Lanes<S>> entry(const PerDof<T<S>>& x) const {
    return dof_.gather(x);
  }
  template <template <class> class T>
  CORIO_INLINE T<Lanes<S>> entry(const PerNode<T<S>>& x) const {
    return node_.template gather<T>(x);
  }
  CORIO_INLINE Vector3<Lanes<S>> entry(const PerNode<Vector3<S>>& x) const { return node_.template gather<Vector3>(x); }
  /// Operators accept motions about the origin of the tree.
  template <template <class> class T>
  requires Operator<T<S>, S> CORIO_INLINE AtNode<T<Lanes<S>>, Lanes<S>> entry(const PerNode<T<S>>& x)
  const {
    const Pose<S>* const pose = data_.pose.data();
    return {node_.template gather<T>(x),
            node_.template gather<Vector3>(
                [&](int b) CORIO_INLINE_LAMBDA -> const Vector3<S>& { return pose[b].translation; })};
  }
  /// Returns the entries of the parent nodes; zero for the ground.
  template <template <class> class T>
  CORIO_INLINE T<Lanes<S>> of_parent(const PerNode<T<S>>& x) const {
    const T<S> ground = T<S>::zero();
    const T<S>* const first = x.data();
    return node_.template gather<T>([&](int b) CORIO_INLINE_LAMBDA -> const T<S>& {
      const int parent = model_.node(b).parent;
      return parent < 0 ? ground : first[parent];
    });
  }
  /// Calls change(x_k, k) for each degree of freedom k whose column moves in its body.
  template <template <class> class T, class F>
  CORIO_INLINE void change_moving(T<Lanes<S>>& x, F&& change) const {
    if (model_.num_partials() == 0) return;
    for (int l = 0; l < group_size<S>; ++l) {
      if (model_.node(node_.index[l]).partials_begin < 0) continue;
      T<S> of_k = lane(x, l);
      change(of_k, dof_.index[l]);
      set_lane(x, l, of_k);
    }
  }
  int first() const { return dof_.index[0]; }
  /// Calls f(k, of) for each degree of freedom k; of(x) is the lane of k in x.
  template <class F>
  CORIO_INLINE void for_each(F&& f) const {
    for (int l = 0; l < count_; ++l) f(first() + l, [l](const auto& x) { return lane(x, l); });
  }
  /// Writes columns of a matrix with as many rows as T has numbers.
  template <template <class> class T>
  CORIO_INLINE void set_columns(S* matrix, const T<Lanes<S>>& x) const {
    scatter<T, S>(x, reinterpret_cast<T<S>*>(matrix) + first(), count_);
  }

 private:
  const Model<S>& model_;
  const Data<S>& data_;
  int count_;
  LaneIndices<S> dof_, node_;
};

/// Calls f(k) once for each group of degrees of freedom. It is flattened, since calls would return their results
/// through memory, which doubles the time.
template <class S, class F>
CORIO_FLATTEN void for_dofs(const Model<S>& model, const Data<S>& data, F&& f) {
  for (int k = 0; k < model.nv(); k += group_size<S>) f(LanesOfDofs<S>(model, data, k, model.nv()));
}

/// Calls f(k) once for each group of the degrees of freedom of a node and of the nodes above it.
template <class S, class F>
CORIO_FLATTEN void for_dofs_above(const Model<S>& model, const Data<S>& data, int b, F&& f) {
  for_ranges_above(model, model.node(b).v_end, [&](int begin, int end) CORIO_INLINE_LAMBDA {
    for (int k = begin; k < end; k += group_size<S>) f(LanesOfDofs<S>(model, data, k, end));
  });
}

/// Sets column k of a matrix with as many rows as T has components to column(k), for all degrees of freedom.
template <template <class> class T, class S, class F>
CORIO_FLATTEN void fill_columns(const Model<S>& model, const Data<S>& data, S* matrix, F&& column) {
  for (int k = 0; k < model.nv(); k += group_size<S>) {
    const LanesOfDofs<S> of(model, data, k, model.nv());
    of.template set_columns<T>(matrix, column(of));
  }
}

/// Nodes b, b + 1, .., one per lane, with their entries in tables.
template <class S>
class LanesOfNodes : public Constants<S> {
 public:
  CORIO_INLINE LanesOfNodes(const Model<S>& model, int b)
      : model_(model), node_(LaneIndices<S>::from(b, model.num_nodes())) {}
  template <template <class> class T>
  CORIO_INLINE T<Lanes<S>> entry(const PerNode<T<S>>& x) const {
    return node_.gather(x);
  }
  CORIO_INLINE auto parameters() const {
    return node_.template gather<InertialParameters>([&](int b) CORIO_INLINE_LAMBDA -> const auto& {
      return model_.node(b).parameters;
    });
  }

 private:
  const Model<S>& model_;
  LaneIndices<S> node_;
};
/// One node, with the functions of LanesOfNodes, in registers.
template <class S>
struct OneNode {
  const Model<S>& model;
  int b;
  template <class T>
  CORIO_INLINE decltype(auto) entry(const PerNode<T>& x) const {
    return load(x[b]);
  }
  CORIO_INLINE InertialParameters<S> parameters() const { return model.node(b).parameters; }
  template <class T>
  CORIO_INLINE static decltype(auto) constant(const T& x) {
    return load(x);
  }
};
/// Sets x[b] = value(b) for all nodes: one by one if a register holds a 3-vector or if S has no registers, otherwise
/// two at a time, which is then faster.
template <template <class> class T, class S, class F>
CORIO_FLATTEN void fill_nodes(const Model<S>& model, PerNode<T<S>>& x, F&& value) {
  int b = 0;
  if constexpr (group_size<S> == 2)
    for (; x.size() - b > 1; b += 2) scatter<T, S>(value(LanesOfNodes<S>(model, b)), &x[b], 2);
  for (; b < x.size(); ++b) store(value(OneNode<S>{model, b}), x[b]);
}

/// A spatial quantity T<S>, such as a motion, for each degree of freedom, stored so that component r of a group is read
/// and written at once: Numbers::at(k, r) points to it.
template <class S, template <class> class T, class Numbers>
class DofTable : public Constants<S> {
 public:
  explicit DofTable(int nv) : numbers_(nv) {}

  /// Calls f(k, x) once for each group k; f computes x from k.phi(), k.composite_inertia() and so on (LanesOfDofs). The
  /// loop over an x of many numbers is a function of its own: GCC then keeps fewer of them in memory than if the loop
  /// over pairs followed in the same function. For few numbers the call and its arguments would cost more.
  template <class F>
  CORIO_FLATTEN void fill(const Model<S>& model, const Data<S>& data, F&& f) {
    if constexpr (size > 12)
      fill_apart(model, data, f);
    else
      fill_here(model, data, f);
  }
  /// Sets the objects of degrees of freedom k, k + 1, .., one for each lane.
  CORIO_INLINE void set(int k, const T<Lanes<S>>& x) {
    repeat<size>([&](int r) CORIO_INLINE_LAMBDA { numbers_in<Lanes<S>>(x)[r].store(numbers_.at(k, r)); });
  }
  CORIO_INLINE T<Lanes<S>> group(int k) const {
    return from_numbers<T<Lanes<S>>, Lanes<S>>([&](int r)
                                                   CORIO_INLINE_LAMBDA { return Lanes<S>::load(numbers_.at(k, r)); });
  }
  /// Returns the object of degree of freedom k in all lanes.
  CORIO_INLINE T<Lanes<S>> all(int k) const {
    return from_numbers<T<Lanes<S>>, Lanes<S>>([&](int r)
                                                   CORIO_INLINE_LAMBDA { return Lanes<S>::all(*numbers_.at(k, r)); });
  }

 protected:
  static constexpr int size = sizeof(T<S>) / sizeof(S);
  static_assert(sizeof(T<Lanes<S>>) == size * sizeof(Lanes<S>));

  Numbers numbers_;

 private:
  template <class F>
  CORIO_FLATTEN void fill_here(const Model<S>& model, const Data<S>& data, F&& f) {
    for (int k = 0; k < model.nv(); k += group_size<S>) {
      T<Lanes<S>> x;
      f(LanesOfDofs<S>(model, data, k, model.nv()), x);
      set(k, x);
    }
  }
  template <class F>
  [[gnu::flatten]] void fill_apart(const Model<S>& model, const Data<S>& data, F&& f) {
    fill_here(model, data, f);
  }
};

/// Storage with component r of all degrees of freedom side by side: a group may begin at any of them.
template <class S, template <class> class T>
class NumberByNumber {
 public:
  explicit NumberByNumber(int nv)
      : stride_(nv + group_padding<S>), numbers_(static_cast<std::size_t>(stride_) * sizeof(T<S>) / sizeof(S), S(0)) {}
  CORIO_INLINE S* at(int k, int r) { return numbers_.data() + r * stride_ + k; }
  CORIO_INLINE const S* at(int k, int r) const { return numbers_.data() + r * stride_ + k; }

 private:
  std::ptrdiff_t stride_;
  std::vector<S> numbers_;
};
template <class S, template <class> class T>
using DofArrays = DofTable<S, T, NumberByNumber<S, T>>;

}}}  // namespace corio::detail
