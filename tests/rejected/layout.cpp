#include "corio/core/scalar.hpp"
