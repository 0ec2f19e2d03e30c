#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/quantities.hpp"
#include "line.hpp"

namespace corio::python {
using namespace given;

void add_coriolis(Table& t) {
  constexpr int fast = models | packs;
  t.add<Pass::velocity, fast>("coriolis_matrix(q, v) -> C[v,v], M[v,v], Mdot[v,v]", CORIO_FUNCTION(coriolis_matrix));
  t.add<Pass::acceleration>("coriolis_matrix_dot(q, v, a) -> C[v,v], M[v,v], Mdot[v,v], Cdot[v,v]",
                            CORIO_FUNCTION(coriolis_matrix_dot));
  t.add<Pass::velocity>("mass_matrix_dot(q, v) -> Mdot[v,v]", CORIO_FUNCTION(mass_matrix_dot));
  t.add<Pass::velocity, fast>("coriolis_product(q, v, v_r) -> tau[v]", CORIO_FUNCTION(coriolis_product), vector<2>);
  t.add<Pass::velocity>("coriolis_transpose_product(q, v, x) -> tau[v]", CORIO_FUNCTION(coriolis_transpose_product),
                        vector<2>);
  t.add<Pass::velocity>("slotine_li_inverse_dynamics(q, v, v_r, a_r) -> tau[v]",
                        CORIO_FUNCTION(slotine_li_inverse_dynamics), vector<2>, vector<3>);
}

}  // namespace corio::python
