#include "corio/corio.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/loops/inverse_kinematics.hpp"
#include "corio/mechanism/constrained_inverse_dynamics.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/step.hpp"

namespace corio { inline namespace CORIO_ABI {

CORIO_COMPILED_MECHANISM(, float)
CORIO_COMPILED_ASSEMBLE(, float)
CORIO_COMPILED_MECHANISM_KINEMATICS(, float)
CORIO_COMPILED_MECHANISM_QUANTITIES(, float)
CORIO_COMPILED_MECHANISM_DYNAMICS(, float)
CORIO_COMPILED_MECHANISM_DERIVATIVES(, float)
CORIO_COMPILED_MECHANISM_STEP(, float)
CORIO_COMPILED_CONSTRAINED_DYNAMICS(, float)
CORIO_COMPILED_CONSTRAINED_INVERSE_DYNAMICS(, float)
CORIO_COMPILED_INVERSE_KINEMATICS(, float)

}}  // namespace corio
