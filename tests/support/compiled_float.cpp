#include "corio/control/momentum_observer.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/corio.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/loops/inverse_kinematics.hpp"
#include "corio/mechanism/dynamics.hpp"

// The part of corio/compiled/control_float.cpp and loops_float.cpp that tests call; the whole takes three times as
// long.
namespace corio { inline namespace CORIO_ABI {

CORIO_COMPILED_MOMENTUM_OBSERVER(, float)
CORIO_COMPILED_OPERATIONAL_SPACE(, float)
CORIO_COMPILED_MECHANISM(, float)
CORIO_COMPILED_ASSEMBLE(, float)
CORIO_COMPILED_MECHANISM_KINEMATICS(, float)
CORIO_COMPILED_OF_MECHANISM(, float, NonlinearEffects<float>)
CORIO_COMPILED_OF_MECHANISM(, float, Aba<float>)
CORIO_COMPILED_CONSTRAINED_DYNAMICS(, float)
CORIO_COMPILED_INVERSE_KINEMATICS(, float)

}}  // namespace corio
