#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/quantities.hpp"
#include "line.hpp"

CORIO_TABLE(dynamics) {
  CORIO_PACKS(acceleration, rnea, "(q, v, a, external={}) -> tau[v]", forces);
  CORIO_PACKS(velocity, nonlinear_effects, "(q, v) -> tau[v]");
  CORIO_PACKS(position, generalized_gravity, "(q) -> tau[v]");
  CORIO_PACKS(velocity, generalized_momentum, "(q, v) -> p[v], drift[v]");
  CORIO_PACKS(velocity, aba, "(q, v, tau, external={}) -> a[v]", vector<2>, forces);
  CORIO_LINE(velocity, hybrid_dynamics, "(q, v, a, tau, joints, external={}) -> a[v], tau[v]", vector<2>, vector<3>,
             joints, forces);
  CORIO_LINE(acceleration, joint_reactions, "(q, v, a, external={}) -> reactions[6,b]", forces);
  CORIO_LINE(position, center_of_pressure, "(q, external={}, plane_point[3]=(0, 0, 0), normal[3]=(0, 0, 1)) -> p[3]",
             forces, three<1>, three<2>);
  CORIO_PACKS(position, crba, "(q) -> M[v,v]");
  CORIO_LINE(position, mass_matrix, "(q) -> M[v,v]");
  CORIO_PACKS(position, mass_matrix_inverse, "(q) -> Minv[v,v]");
  CORIO_LINE(position, mass_matrix_inverse_product, "(q, x) -> y[v]", vector<1>);
  CORIO_PACKS(velocity, passive_forces, "(q, v) -> tau[v]");
  CORIO_PACKS(velocity, kinetic_energy, "(q, v) -> T[]");
  CORIO_PACKS(position, potential_energy, "(q) -> U[]");
  CORIO_LINE(velocity, energy, "(q, v) -> kinetic[], potential[], springs[]");
}
