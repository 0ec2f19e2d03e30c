#include "contracts/table.hpp"

namespace corio::test {

template const std::vector<Operation<double>>& operations();

}  // namespace corio::test
