#include "corio/corio.hpp"

#include "corio/compiled/list.hpp"

namespace corio::inline CORIO_ABI {

CORIO_COMPILED_MODEL(, double)

}  // namespace corio
