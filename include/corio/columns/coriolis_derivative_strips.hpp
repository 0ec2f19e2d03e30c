#pragma once

#include "corio/algorithms/christoffel_tensor.hpp"
#include "corio/columns/strips.hpp"
#include "corio/kinematics/composites.hpp"
#include "corio/columns/gather.hpp"

/// Kernels of coriolis_matrix_derivatives.hpp, which says what the letters mean.
namespace corio::detail {

/// Per degree of freedom k: psi, F1, F2, the moment F3, and the operators B and A. Per pair of g and a
/// block of columns k, what any a multiplies with.
template <class S>
struct CoriolisDerivativeColumns {
  /// Rows of a block of columns, where they begin.
  enum { R_phi = 0, turned = 6, A_transposed = 9, A_phi = 12, F1_moved = 18, F2_moved = 24, F3_moved = 30, rows = 36 };
  static constexpr int block_size = rows * Block<S>::width;

  std::vector<Motion<S>> psi;
  Columns<S, 6> F1, F2;
  Columns<S, 3> F3;
  Columns<S, 12> B, A;
  std::vector<S> blocks;

  explicit CoriolisDerivativeColumns(int nv)
      : psi(static_cast<std::size_t>(nv), Motion<S>::zero()),
        F1(nv),
        F2(nv),
        F3(nv),
        B(nv),
        A(nv),
        blocks(static_cast<std::size_t>(rows * (nv + block_padding<S> + 1)), S(0)) {}
};

template <class S>
void coriolis_derivative_columns(const Model<S>& model, Data<S>& data, CoriolisDerivativeColumns<S>& out) {
  using N = Pack<S>;
  for_neighbours(model, [&](int k, const Neighbours<S>& at) CORIO_INLINE_LAMBDA {
    const Motion<N> phi = at.of_dofs(data.phi), psi = cross(at.of_parents(data.velocity), phi);
    const Inertia<N> I = at.of_nodes(data.composite_inertia);
    const BodyCoriolis<N> B = at.of_nodes(data.composite_coriolis);
    scatter<Motion, S>(psi, &out.psi[static_cast<std::size_t>(k)], std::min(Block<S>::width, model.nv() - k));
    out.F1.set(k, I * at.of_dofs(data.phi_dot) + B * phi);
    out.F2.set(k, I * phi);
    out.F3.set(k, B.transpose_moment(phi));
    out.B.set(k, BodyCoriolis<N>::from(phi, I));
    out.A.set(k, transported(phi, B) + BodyCoriolis<N>::from(psi, I));
  });
}

/// All entries of g with columns k of its subtree and any a at or above it, in strips of the tensor: for g, a and a
/// block of columns
///   skew = D_a C(g,k),
///   lower = D_k C(g,a) and upper = D_k C(a,g) for k below g,
///   upper_along = D_g C(a,k) and lower_along = D_g C(k,a) for a above g.
template <class S, class Tensor>
class CoriolisDerivativeEntries {
 public:
  CoriolisDerivativeEntries(const Data<S>& data, CoriolisDerivativeColumns<S>& columns, Tensor& out, int g,
                            int own_begin)
      : data_(data), columns_(columns), out_(out), g_(g), own_begin_(own_begin) {}

  /// For the columns [begin, end); `below`: these are of joints below that of g, or g itself if that is all of its
  /// joint.
  template <bool below>
  void write(const Model<S>& model, int own_end, int begin, int end) const {
    if (begin == end) return;
    prepare(begin, end);
    for (int a = own_end - 1; a >= 0; a = model.dof_parent(a))
      if (a >= own_begin_)
        strip<below, false>(a, begin, end);
      else
        strip<below, true>(a, begin, end);
  }

 private:
  using Rows = CoriolisDerivativeColumns<S>;
  using N = Pack<S>;

  void prepare(int begin, int end) const {
    const auto g = static_cast<std::size_t>(g_);
    const Motion<N> phi = broadcast<N>(data_.phi[g]), phi_dot = broadcast<N>(data_.phi_dot[g]);
    const Motion<N> psi = broadcast<N>(columns_.psi[g]);
    S* to = columns_.blocks.data();
    for (int k = begin; k < end; k += Block<S>::width, to += Rows::block_size) {
      const auto put = [to](int row, const Vector3<N>& x) CORIO_INLINE_LAMBDA {
        for (int r = 0; r < 3; ++r) store_pack(to + (row + r) * Block<S>::width, x[r]);
      };
      const auto put_force = [&put](int row, const Force<N>& F)
                                 CORIO_INLINE_LAMBDA { put(row, F.moment), put(row + 3, F.force); };
      const auto& B = columns_.B;
      const auto& A = columns_.A;
      const auto R = [&](const Motion<N>& V, const Vector3<N>& turned) CORIO_INLINE_LAMBDA {
        Force<N> F = times(B, V, k);
        F.moment += turned;
        return F;
      };
      const Vector3<N> turned = transpose_moment(B, phi, k);
      const Force<N> F2 = columns_.F2.template force<N>(k), B_psi = times(B, psi, k);
      const Force<N> phi_F3{cross(phi.angular, columns_.F3.template vector<N>(k)), zero3<N>()};
      put_force(Rows::R_phi, R(phi, turned));
      put(Rows::turned, turned);
      put(Rows::A_transposed, transpose_moment(A, phi, k));
      put_force(Rows::A_phi, R(phi_dot, transpose_moment(B, phi_dot, k)) + times(A, phi, k));
      put_force(Rows::F1_moved, cross(phi, columns_.F1.template force<N>(k)) + B_psi);
      put_force(Rows::F2_moved, cross(phi, F2));
      put_force(Rows::F3_moved, cross(psi, F2) + phi_F3 - B_psi);
    }
    // B^T Phi of g itself, exactly and not up to rounding.
    if (begin <= g_ && g_ < end) {
      const int block = (g_ - begin) / Block<S>::width, lane = (g_ - begin) % Block<S>::width;
      S* const own = columns_.blocks.data() + block * Rows::block_size + lane;
      for (int r = 0; r < 3; ++r) own[(Rows::turned + r) * Block<S>::width] = S(0);
    }
  }

  template <bool below, bool above>
  void strip(int a, int begin, int end) const {
    const S* block = columns_.blocks.data();
    for_each_block<S>(begin, end, [&](int k, auto count) {
      write_block<below, above, decltype(count)>(a, k, block);
      block += Rows::block_size;
    });
  }

  // A function of its own, as in second_derivative_pages.hpp. `above`: a is of a joint above that of g.
  template <bool below, bool above, class Lanes>
  CORIO_NOINLINE void write_block(int a, int k, const S* block) const {
    const auto vector = [block](int row) CORIO_INLINE_LAMBDA -> Vector3<N> {
      constexpr int width = Block<S>::width;
      return {load_pack<N>(block + row * width), load_pack<N>(block + (row + 1) * width),
              load_pack<N>(block + (row + 2) * width)};
    };
    const auto force = [&vector](int row) CORIO_INLINE_LAMBDA -> Force<N> { return {vector(row), vector(row + 3)}; };
    const auto at = static_cast<std::size_t>(a);
    // All before the first store, after which they might have changed as far as the compiler knows.
    const Motion<N> phi = broadcast<N>(data_.phi[at]), phi_dot = broadcast<N>(data_.phi_dot[at]);
    const Vector3<N> psi = broadcast<N>(columns_.psi[at].angular);
    const N skew = dot(psi, vector(Rows::turned));
    N upper, lower, upper_along, lower_along;
    if constexpr (below) {
      lower = dot(phi_dot, force(Rows::R_phi)) + dot(phi.angular, vector(Rows::A_transposed));
      upper = dot(phi, force(Rows::A_phi));
    }
    if constexpr (above) {
      upper_along = dot(phi, force(Rows::F1_moved));
      lower_along = dot(phi_dot, force(Rows::F2_moved)) + dot(phi, force(Rows::F3_moved));
    }
    const auto strip = Access::strip(out_, g_, a);
    // The order matters for k = g, of which the last ones are right.
    if constexpr (below) strip.store_below(k, Lanes(), block_of(lower), block_of(upper));
    strip.store_skew(k, Lanes(), block_of(skew));
    if constexpr (above) strip.store_along(k, Lanes(), block_of(upper_along), block_of(lower_along));
  }

  const Data<S>& data_;
  CoriolisDerivativeColumns<S>& columns_;
  Tensor& out_;
  int g_, own_begin_;
};

}  // namespace corio::detail
