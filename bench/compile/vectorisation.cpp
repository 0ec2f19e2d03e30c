// The source that vectorisation.sh compiles in many ways: inner loops over blocks of columns, each in a function of its
// own to be disassembled, and a program that times algorithms made of these loops on a chain of 20 joints.
//
//   vectorisation
//
// prints lines "<scalar> <algorithm> <nanoseconds per call>", of the fastest of many samples.

#include <cstdio>

#include "corio/corio.hpp"
#include "timing.hpp"

/// The script finds the loops by the name of this namespace.
namespace kernel {

using namespace corio;

template <class S>
using CoriolisColumn = typename algorithm::CoriolisMatrix<S>::template Column<detail::LaneArray<S>>;
template <class S>
using DerivativeColumn = detail::DerivativeColumn<detail::LaneArray<S>>;
template <class S>
using VirtualColumn = detail::VirtualColumn<detail::LaneArray<S>>;
template <class S>
using LongPack = detail::Lanes<S, detail::longest_group<S>>;

template <class S>
[[gnu::noinline, gnu::flatten]] void symmetric(const detail::Tile<S>& pairs, const CoriolisColumn<S>& i,
                                               const CoriolisColumn<S>& j, MatrixX<S>& A) {
  pairs.symmetric(A) = dot(i.phi, j.momentum);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void coriolis(const detail::Tile<S>& pairs, const CoriolisColumn<S>& i,
                                              const CoriolisColumn<S>& j, MatrixX<S>& C) {
  pairs.ji(C) = dot(i.phi_dot, j.momentum) + dot(i.phi, j.B_T_phi);
  pairs.ij(C) = dot(i.phi, j.F);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void hessian(const detail::Tile<S>& pairs, const DerivativeColumn<S>& i,
                                             const VirtualColumn<S>& i_U, const DerivativeColumn<S>& j,
                                             const VirtualColumn<S>& j_U, MatrixX<S>& vq) {
  pairs.ji(vq) = dot(i.psi, j_U.n_U) + dot(i_U.psi_U, j.dF_dv);
  pairs.ij(vq) = dot(i.chi, j_U.F_U) + dot(i.phi, j_U.m_U);
}
template <class S>
[[gnu::noinline, gnu::flatten]] void product(const MatrixX<S>& W, const MatrixX<S>& D, MatrixX<S>& out) {
  const int n = static_cast<int>(W.rows());
  detail::negative_product_tile<3, LongPack<S>>(W, D, out, 0, n - LongPack<S>::width, 0, detail::AllRows{n});
}
template <class S>
[[gnu::noinline, gnu::flatten]] void inverse(const Model<S>& model, const Data<S>& data,
                                             const detail::ArticulatedFactor<S>& factor,
                                             detail::ArticulatedColumns<S>& columns, MatrixX<S>& M_inverse) {
  columns.inverse(model, data, factor, M_inverse);
}

#define KERNELS(S)                                                                                                  \
  template void symmetric(const detail::Tile<S>&, const CoriolisColumn<S>&, const CoriolisColumn<S>&, MatrixX<S>&); \
  template void coriolis(const detail::Tile<S>&, const CoriolisColumn<S>&, const CoriolisColumn<S>&, MatrixX<S>&);  \
  template void hessian(const detail::Tile<S>&, const DerivativeColumn<S>&, const VirtualColumn<S>&,                \
                        const DerivativeColumn<S>&, const VirtualColumn<S>&, MatrixX<S>&);                          \
  template void product(const MatrixX<S>&, const MatrixX<S>&, MatrixX<S>&);                                         \
  template void inverse(const Model<S>&, const Data<S>&, const detail::ArticulatedFactor<S>&,                       \
                        detail::ArticulatedColumns<S>&, MatrixX<S>&);
KERNELS(double)
KERNELS(float)
#undef KERNELS

}  // namespace kernel

namespace {

template <class S>
void time(const char* scalar) {
  const auto model = corio::zoo::serial_chain<S>(20);
  corio::Data<S> data(model);
  corio::PackedChristoffelTensor<S> Gamma(model);
  const auto states = timing::random_states<S>(64, model.nq(), model.nv());
  const auto add = [&](const char* algorithm, auto f) {
    const double t = timing::nanoseconds(static_cast<int>(states.size()), [&] {
      for (const auto& s : states) f(s);
    });
    std::printf("%s %s %.2f\n", scalar, algorithm, t);
  };
  add("rnea", [&](const timing::State<S>& s) { corio::rnea(model, data, s.q, s.v, s.a); });
  add("crba", [&](const timing::State<S>& s) { corio::crba(model, data, s.q); });
  add("coriolis_matrix", [&](const timing::State<S>& s) { corio::coriolis_matrix(model, data, s.q, s.v); });
  add("christoffel_symbols", [&](const timing::State<S>& s) { corio::christoffel_symbols(model, data, s.q, Gamma); });
  add("inverse_dynamics_derivatives",
      [&](const timing::State<S>& s) { corio::inverse_dynamics_derivatives(model, data, s.q, s.v, s.a); });
  add("inverse_dynamics_hessian",
      [&](const timing::State<S>& s) { corio::inverse_dynamics_hessian(model, data, s.q, s.v, s.a, s.v); });
}

}  // namespace

int main() {
  time<double>("double");
  time<float>("float");
}
