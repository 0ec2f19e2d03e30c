#include "corio/instances_float.hpp"

namespace corio {

template Model<float> Model<double>::cast() const;
CORIO_INSTANCES_OF_MODEL(, float)

}  // namespace corio

