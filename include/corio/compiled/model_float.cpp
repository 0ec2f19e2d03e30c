#include "corio/corio.hpp"

#include "corio/compiled/list.hpp"

namespace corio::inline CORIO_ABI {

template Model<float> Model<double>::cast() const;
CORIO_COMPILED_MODEL(, float)

}  // namespace corio
