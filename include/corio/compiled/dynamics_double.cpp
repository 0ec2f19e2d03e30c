#include "corio/corio.hpp"

#include "corio/compiled/list.hpp"

namespace corio::inline CORIO_ABI {

CORIO_COMPILED_DYNAMICS(, double)
template class StreamingLeastSquares<double>;
template class BaseParameters<double>;

}  // namespace corio
