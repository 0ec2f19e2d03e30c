#include "corio/control/adaptive_slotine_li.hpp"
#include "corio/control/collision_detector.hpp"
#include "corio/control/computed_torque.hpp"
#include "corio/control/filtered_regressors.hpp"
#include "corio/control/operational_space.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/corio.hpp"

namespace corio { inline namespace CORIO_ABI {

CORIO_COMPILED_TRACKING_ERROR(, float)
CORIO_COMPILED_SLOTINE_LI(, float)
CORIO_COMPILED_COMPUTED_TORQUE(, float)
CORIO_COMPILED_PD_PLUS(, float)
CORIO_COMPILED_ADAPTIVE_PARAMETERS(, float)
CORIO_COMPILED_ADAPTIVE_SLOTINE_LI(, float)
CORIO_COMPILED_FILTERED_REGRESSORS(, float)
CORIO_COMPILED_MOMENTUM_OBSERVER(, float)
CORIO_COMPILED_COLLISION_DETECTOR(, float)
CORIO_COMPILED_OPERATIONAL_SPACE(, float)

}}  // namespace corio
