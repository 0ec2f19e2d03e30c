#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/geometry.hpp"
#include "line.hpp"

namespace corio::python {
using namespace given;

void add_geometry(Table& t) {
  constexpr auto tensor = [](const Model<double>&) { return Tensor3<double>(); };
  t.into_object<Pass::position>("christoffel_symbols(q) -> Gamma[v,v,v]", CORIO_FUNCTION(christoffel_symbols),
                                make<ChristoffelTensor>);
  t.add_call<models>("christoffel_symbols_second_kind(q) -> Gamma[v,v,v]", [](auto& r, auto& d, auto& x) {
    ChristoffelTensor<double> first(r);
    Tensor3<double> second;
    with_state<Pass::position>(CORIO_FUNCTION(christoffel_symbols), r, d, x, first);
    christoffel_symbols_second_kind(r, d, first, second);
    write_result(second, x.out);
  });
  t.into_object<Pass::position>("structure_constants(q) -> c[v,v,v]", CORIO_FUNCTION(structure_constants), tensor);
  t.into_object<Pass::position>("structure_constants_first_kind(q) -> c[v,v,v]",
                                CORIO_FUNCTION(structure_constants_first_kind), tensor);
  t.add<Pass::velocity>("covariant_derivative(q, v, w, wdot) -> Dw[v]", CORIO_FUNCTION(covariant_derivative), vector<2>,
                        vector<3>);
  t.add<Pass::velocity>("geodesic_residual(q, v, a) -> residual[v]", CORIO_FUNCTION(geodesic_residual), vector<2>);
  t.add<Pass::acceleration>(
      "hamel_equations(q, v, a) -> momentum[v], momentum_rate[v], kinetic_slope[v], gravity[v], bracket[v], tau[v]",
      CORIO_FUNCTION(hamel_equations));
  t.into_object<Pass::position>("contorsion(q) -> K[v,v,v]", CORIO_FUNCTION(contorsion), tensor,
                                [](auto&) { return factorization::Plain{}; });
  t.into_object<Pass::velocity>("coriolis_matrix_by_differentiation(q, v) -> C[v,v]",
                                CORIO_FUNCTION(coriolis_matrix_by_differentiation),
                                [](const Model<double>&) { return MatrixX<double>(); });
  t.into_object<Pass::velocity>(
      "com_decoupled(q, v) -> M[v,v], C[v,v], g[v], A[v,v], Adot[v,v], J_com[3,v], Jdot[3,v], mass[]",
      CORIO_FUNCTION(com_decoupled), make<ComDecoupledResult>);
  t.into_object<Pass::velocity>(
      "locked_decoupled(q, v) -> M[v,v], C_shape[v,v], C_locked[v,v], g[v], A[v,v], Adot[v,v]",
      CORIO_FUNCTION(locked_decoupled), make<LockedDecoupledResult>);
}

}  // namespace corio::python
