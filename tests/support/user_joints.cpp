#include "support/user_joints.hpp"

namespace corio {
CORIO_TEST_USER_JOINTS()
}  // namespace corio
