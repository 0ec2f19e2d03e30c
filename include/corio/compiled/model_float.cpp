#include "corio/corio.hpp"

#include "corio/compiled/list.hpp"

namespace corio {

template Model<float> Model<double>::cast() const;
CORIO_COMPILED_MODEL(, float)

}  // namespace corio
