#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/quantities.hpp"
#include "line.hpp"

namespace corio::python {
using namespace given;

void add_dynamics(Table& t) {
  constexpr int fast = models | packs;
  t.add<Pass::acceleration, fast>("rnea(q, v, a, external={}) -> tau[v]", CORIO_FUNCTION(rnea), forces);
  t.add<Pass::velocity, fast>("nonlinear_effects(q, v) -> tau[v]", CORIO_FUNCTION(nonlinear_effects));
  t.add<Pass::position, fast>("generalized_gravity(q) -> tau[v]", CORIO_FUNCTION(generalized_gravity));
  t.add<Pass::velocity, fast>("generalized_momentum(q, v) -> p[v], drift[v]", CORIO_FUNCTION(generalized_momentum));
  t.add<Pass::velocity, fast>("aba(q, v, tau, external={}) -> a[v]", CORIO_FUNCTION(aba), vector<2>, forces);
  t.add<Pass::velocity>("hybrid_dynamics(q, v, a, tau, joints, external={}) -> a[v], tau[v]",
                        CORIO_FUNCTION(hybrid_dynamics), vector<2>, vector<3>, speeds, forces);
  t.add<Pass::acceleration>("joint_reactions(q, v, a, external={}) -> reactions[6,b]", CORIO_FUNCTION(joint_reactions),
                            forces);
  t.add<Pass::position, fast>("crba(q) -> M[v,v]", CORIO_FUNCTION(crba));
  t.add<Pass::position>("mass_matrix(q) -> M[v,v]", CORIO_FUNCTION(mass_matrix));
  t.add<Pass::position, fast>("mass_matrix_inverse(q) -> Minv[v,v]", CORIO_FUNCTION(mass_matrix_inverse));
  t.add<Pass::position>("mass_matrix_inverse_product(q, x) -> y[v]", CORIO_FUNCTION(mass_matrix_inverse_product),
                        vector<1>);
  t.add<Pass::velocity, fast>("passive_forces(q, v) -> tau[v]", CORIO_FUNCTION(passive_forces));
  t.add<Pass::velocity, fast>("kinetic_energy(q, v) -> T[]", CORIO_FUNCTION(kinetic_energy));
  t.add<Pass::position, fast>("potential_energy(q) -> U[]", CORIO_FUNCTION(potential_energy));
  t.add<Pass::velocity>("energy(q, v) -> kinetic[], potential[], springs[]", CORIO_FUNCTION(energy));
}

}  // namespace corio::python
