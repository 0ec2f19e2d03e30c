#include "corio/algorithms/coriolis/coriolis_by_differentiation.hpp"
#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/algorithms/dynamics/com_decoupled.hpp"
#include "corio/algorithms/dynamics/locked_decoupled.hpp"
#include "corio/algorithms/geometry/contorsion.hpp"
#include "corio/algorithms/geometry/hamel_equations.hpp"
#include "corio/algorithms/geometry/parallel_transport.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/geometry.hpp"
#include "line.hpp"

CORIO_TABLE(geometry) {
  CORIO_LINE(position, christoffel_symbols, "(q) -> Gamma[v,v,v]", object<ChristoffelTensor>(x));
  t.add_call<models>("christoffel_symbols_second_kind(q) -> Gamma[v,v,v]", [](auto& r, auto& d, auto& x) {
    if (!x.c.reuse) forward_kinematics(r, d, x.state(0));
    ChristoffelTensor<double> first(r);
    Tensor3<double> second;
    christoffel_symbols(r, d, first);
    christoffel_symbols_second_kind(r, d, first, second);
    x.write(second);
  });
  CORIO_LINE(position, structure_constants, "(q) -> c[v,v,v]", object<Tensor3>(x));
  CORIO_LINE(position, structure_constants_first_kind, "(q) -> c[v,v,v]", object<Tensor3>(x));
  CORIO_LINE(velocity, covariant_derivative, "(q, v, w, wdot) -> Dw[v]", x.vector(2), x.vector(3));
  CORIO_LINE(velocity, geodesic_residual, "(q, v, a) -> residual[v]", x.vector(2));
  CORIO_LINE(velocity, parallel_transport, "(q, v, w, steps) -> w[v]", x.vector(2), x.integer(3));
  CORIO_LINE(acceleration, hamel_equations,
             "(q, v, a) -> momentum[v], momentum_rate[v], kinetic_slope[v], gravity[v], bracket[v], tau[v]");
  CORIO_LINE(position, contorsion, "(q) -> K[v,v,v]", factorization::Plain(), object<Tensor3>(x));
  CORIO_LINE(velocity, coriolis_matrix_by_differentiation, "(q, v) -> C[v,v]", object<MatrixX>(x));
  CORIO_LINE(velocity, com_decoupled,
             "(q, v) -> M[v,v], C[v,v], g[v], A[v,v], Adot[v,v], J_com[3,v], Jdot[3,v], mass[]",
             object<ComDecoupledResult>(x));
  CORIO_LINE(velocity, locked_decoupled, "(q, v) -> M[v,v], C_shape[v,v], C_locked[v,v], g[v], A[v,v], Adot[v,v]",
             object<LockedDecoupledResult>(x));
}
