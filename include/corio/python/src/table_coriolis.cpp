#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/quantities.hpp"
#include "line.hpp"

CORIO_TABLE(coriolis) {
  CORIO_PACKS(velocity, coriolis_matrix, "(q, v) -> C[v,v], M[v,v], Mdot[v,v]");
  CORIO_LINE(acceleration, coriolis_matrix_dot, "(q, v, a) -> C[v,v], M[v,v], Mdot[v,v], Cdot[v,v]");
  CORIO_LINE(velocity, mass_matrix_dot, "(q, v) -> Mdot[v,v]");
  CORIO_PACKS(velocity, coriolis_product, "(q, v, v_r) -> tau[v]", vector<2>);
  CORIO_LINE(velocity, coriolis_transpose_product, "(q, v, x) -> tau[v]", vector<2>);
  CORIO_LINE(velocity, slotine_li_inverse_dynamics, "(q, v, v_r, a_r) -> tau[v]", vector<2>, vector<3>);
}
