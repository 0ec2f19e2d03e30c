#pragma once

#include "corio/core/detail/input.hpp"
#include "corio/core/tensor3.hpp"
#include "corio/kernels/packed_triples.hpp"

namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// The symbols in packed triples are numbers of two kinds. For degrees of freedom i and j, with the joint of i at or
/// above the joint of j, and all k of the subtree of j's joint, they are
///   a(k) = Gamma(i,k,j)   and   b(k) = Gamma(j,k,i),   except for i and j of one joint   b(k) = -Gamma(k,j,i).
/// All symbols follow from these, because degrees of freedom of different joints commute, which makes Gamma symmetric
/// in the last two indices, and because Gamma(j,k,i) + Gamma(k,j,i), the derivative of M(j,k) along i, is zero for an
/// i above both.
template <class S>
using SymbolTriples = PackedTriples<S, 2>;

}  // namespace detail

/// Christoffel symbols of the first kind of a robot's mass matrix, all nv^3 of them,
///   C(i,j) = sum_k Gamma(i,j,k) v_k,   Gamma(i,j,k) + Gamma(j,i,k) = dM(i,j) along k.
/// Gamma(i,j,k) is symmetric in j, k unless these belong to one joint whose motions do not commute
/// (structure_constants.hpp). along(k) is the Coriolis matrix for the unit velocity of k; contract(v, C) computes C(v),
/// contract(v, w, c) computes C(v) w. christoffel_symbols fills the tensor; PackedChristoffelTensor stores fewer
/// numbers.
template <class S>
class ChristoffelTensor : public detail::ModelTensor<S> {
 public:
  /// Makes zeros of the size of the robot. Only this constructor allocates.
  template <template <class> class Robot>
  explicit ChristoffelTensor(const Robot<S>& robot) : detail::ModelTensor<S>(robot, "Christoffel symbols") {}
};

/// The symbols of ChristoffelTensor in packed storage. It holds only symbols with related i, j, k (on one path from the
/// ground to a leaf), and equal symbols once. That is two numbers per triple of joints, about a third of n^3 for a
/// chain and O(n d^2) for a tree; filling it is also faster.
template <class S>
class PackedChristoffelTensor {
 public:
  /// Makes zeros of the size of the model. Only this constructor allocates.
  explicit PackedChristoffelTensor(const Model<S>& model) : triples_(model), model_(model, "Christoffel symbols") {}

  int size() const { return triples_.size(); }
  /// Returns how many numbers are stored.
  Eigen::Index stored() const { return triples_.stored(); }

  /// Returns Gamma(i,j,k), O(1).
  S operator()(int i, int j, int k) const {
    const Place x = locate(i, j, k);
    return x.sign == 0 ? S(0) : x.sign > 0 ? at(x) : S(-at(x));
  }
  /// Adds x to Gamma(i,j,k) of related i, j, k, and so to all symbols that share its number.
  void add(int i, int j, int k, const S& x) {
    const Place place = locate(i, j, k);
    S& number = triples_(place.kind, place.i, place.j, place.k);
    place.sign > 0 ? number += x : number -= x;
  }

  /// Computes C(i,j) = sum_k Gamma(i,j,k) v_k. O(n d^2). Allocates only to size C, or if C overlaps v.
  /// @throws SizeError
  void contract(VectorIn<S> v, MatrixX<S>& C) const {
    detail::check_vector("v", v, size());
    detail::write_apart(
        C,
        [&](MatrixX<S>& sum) {
          sum.setZero(size(), size());
          for_each([&](int i, int j, int k, const S& x) { sum(i, j) += x * v[k]; });
        },
        v);
  }
  /// Computes c = C(v) w, c_i = sum_jk Gamma(i,j,k) w_j v_k. O(n d^2). Allocates only to size c, or if c overlaps v or
  /// w.
  /// @throws SizeError
  void contract(VectorIn<S> v, VectorIn<S> w, VectorX<S>& c) const {
    detail::check_vector("v", v, size());
    detail::check_vector("w", w, size());
    detail::write_apart(
        c,
        [&](VectorX<S>& sum) {
          sum.setZero(size());
          for_each([&](int i, int j, int k, const S& x) { sum[i] += x * w[j] * v[k]; });
        },
        v, w);
  }

  /// Calls f(i, j, k, Gamma(i,j,k)) for every triple of related degrees of freedom.
  template <class F>
  void for_each(F&& f) const {
    for (int j = 0; j < size(); ++j)
      triples_.for_each_run(j, [&](int i, const S* a) {
        const auto d = triples_.dof(j);
        const S* const b = a + triples_.kind();
        const bool same = i >= d.begin;
        for (int k = d.begin; k < d.end; ++k) {
          f(i, k, j, a[k]);
          const bool own = k < d.own_end;
          if (!own) f(i, j, k, a[k]), f(k, j, i, S(-b[k]));
          if (same) continue;
          f(j, k, i, b[k]), f(j, i, k, b[k]);
          if (!own) f(k, i, j, S(-b[k]));
        }
      });
  }

  /// Copies the symbols to and from a tensor of all n^3 symbols.
  /// @throws SizeError, StateError if `out` belongs to another model
  void unpack(ChristoffelTensor<S>& out) const {
    check_same(out);
    for_each([&](int i, int j, int k, const S& x) { out.tensor()(i, j, k) = x; });
  }
  void pack(const ChristoffelTensor<S>& from) {
    check_same(from);
    for_each([&](int i, int j, int k, const S&) {
      const Place x = locate(i, j, k);
      triples_(x.kind, x.i, x.j, x.k) = x.sign > 0 ? from(i, j, k) : S(-from(i, j, k));
    });
  }

  /// @throws SizeError or StateError for a tensor of another model, or moved from
  void check_fits(const Model<S>& model) const { model_.check_fits(model, size()); }
  std::uint64_t topology_id() const { return model_.topology_id(); }
  /// The stored numbers, for the algorithm that computes them.
  detail::SymbolTriples<S>& triples() { return triples_; }

 private:
  /// The place of a symbol: number k of the run of i and j.
  struct Place {
    int kind, i, j, k;
    int sign;  // 0 if the symbol is zero and not stored
  };
  Place locate(int i, int j, int k) const {
    const auto above = [&](int x, int y) { return triples_.above(x, y); };
    if (!above((std::min)(j, k), (std::max)(j, k))) return {};
    const bool j_first = j < k && !triples_.one_joint(j, k);
    const int upper = j_first ? j : k, lower = j_first ? k : j;
    if (above(i, upper)) return {0, i, upper, lower, 1};
    if (above(upper, i) && above(i, lower)) return {1, upper, i, lower, 1};
    if (above(upper, i) && above(lower, i)) return {1, upper, lower, i, -1};
    return {};
  }
  const S& at(const Place& x) const { return triples_(x.kind, x.i, x.j, x.k); }

  void check_same(const ChristoffelTensor<S>& other) const {
    if (other.topology_id() == topology_id() && other.size() == size()) return;
    const std::string text =
        detail::join({"the dense tensor of Christoffel symbols was made for another model: it has ",
                      std::to_string(other.size()), " degrees of freedom, the packed one ", std::to_string(size())});
    if (other.size() != size()) throw SizeError(text);
    throw StateError(text);
  }

  detail::SymbolTriples<S> triples_;
  detail::ModelOfTensor model_;
};

}}  // namespace corio
