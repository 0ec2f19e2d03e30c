#include "corio/corio.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/loops/inverse_kinematics.hpp"
#include "corio/mechanism/constrained_inverse_dynamics.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/step.hpp"

namespace corio { inline namespace CORIO_ABI {

CORIO_COMPILED_MECHANISM(, double)
CORIO_COMPILED_ASSEMBLE(, double)
CORIO_COMPILED_MECHANISM_KINEMATICS(, double)
CORIO_COMPILED_MECHANISM_QUANTITIES(, double)
CORIO_COMPILED_MECHANISM_DYNAMICS(, double)
CORIO_COMPILED_MECHANISM_DERIVATIVES(, double)
CORIO_COMPILED_MECHANISM_STEP(, double)
CORIO_COMPILED_CONSTRAINED_DYNAMICS(, double)
CORIO_COMPILED_CONSTRAINED_INVERSE_DYNAMICS(, double)
CORIO_COMPILED_INVERSE_KINEMATICS(, double)

}}  // namespace corio
