#pragma once

#include <algorithm>
#include <vector>

#include "corio/core/tensor3.hpp"
#include "corio/mechanism/mechanism.hpp"
#include "corio/simd/add_multiple.hpp"

/// Products of a tensor of the tree with the map G of a mechanism.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Computes T(a,b,c) G_ai G_bj G_ck for the speeds i, j and k of one cluster, and a tensor T of the tree whose entries
/// are zero for degrees of freedom that are on no common path from a root. One index is summed after the other, with
/// all i side by side.
template <class S>
class TensorProjection {
 public:
  void set(const Mechanism<S>& mechanism, const LoopCluster& cluster, const VectorX<S>& G, const Tensor3<S>& T,
           Tensor3<S>& out) {
    const std::size_t count = cluster.speeds.size(), square = count * count;
    rows_of_G_.resize(cluster.dofs.size() * count);
    read_map(mechanism, cluster, G, count, rows_of_G_.data());
    of_a_.resize(static_cast<std::size_t>(mechanism.tree().nv()) * count), of_ac_.resize(of_a_.size() * count);
    of_abc_.assign(square * count, S(0));
    for (const int b : cluster.dofs) std::fill_n(&of_ac_[static_cast<std::size_t>(b) * square], square, S(0));
    with_length<S>(static_cast<Eigen::Index>(count), [&](auto n) CORIO_INLINE_LAMBDA {
      for (const S* G_c = rows_of_G_.data(); const int c : cluster.dofs) {
        mechanism.for_each_related(
            c, [&](int begin, int end) { std::fill_n(of_a_.data() + begin * n, (end - begin) * n, S(0)); });
        for_each_of_cluster(mechanism, cluster, c, [&](int a, std::size_t place) CORIO_INLINE_LAMBDA {
          mechanism.for_each_related(c, [&](int begin, int end) {
            for (int b = begin; b < end; ++b)
              add_multiple<S>(of_a_.data() + b * n, T(a, b, c), &rows_of_G_[place * count], n);
          });
        });
        for_each_of_cluster(mechanism, cluster, c, [&](int b, std::size_t) CORIO_INLINE_LAMBDA {
          for (int k = 0; k < n; ++k) add_multiple<S>(of_ac_.data() + (b * n + k) * n, G_c[k], of_a_.data() + b * n, n);
        });
        G_c += n;
      }
    });
    for (const S* G_b = rows_of_G_.data(); const int b : cluster.dofs)
      for (std::size_t j = 0; j < count; ++j)
        add_multiple<S>(&of_abc_[j * square], *G_b++, &of_ac_[static_cast<std::size_t>(b) * square],
                        static_cast<Eigen::Index>(square));
    for (const S* x = of_abc_.data(); const int j : cluster.speeds)
      for (const int k : cluster.speeds)
        for (const int i : cluster.speeds) out(i, j, k) = *x++;
  }

 private:
  /// Calls f(r, place) once for each degree of freedom r of a cluster that is related to c, with its place in
  /// Cluster::dofs.
  template <class F>
  static void for_each_of_cluster(const Mechanism<S>& mechanism, const LoopCluster& cluster, int c, F&& f) {
    mechanism.for_each_related(c, [&](int begin, int end) {
      for (int r = begin; r < end; ++r)
        if (const auto place = static_cast<std::size_t>(mechanism.column_of_K(r));
            place < cluster.dofs.size() && cluster.dofs[place] == r)
          f(r, place);
    });
  }

  // Sums over a, over a and c, over a, b and c: for [b][i], [b][k][i], [j][k][i].
  std::vector<S> rows_of_G_, of_a_, of_ac_, of_abc_;
};

}}}  // namespace corio::detail
