#include "corio/corio.hpp"

#include "corio/compiled/list.hpp"

namespace corio::inline CORIO_ABI {

CORIO_COMPILED_DYNAMICS(, float)
template class StreamingLeastSquares<float>;
template class BaseParameters<float>;

}  // namespace corio
