#pragma once

/// Coordinates of other libraries: their conventions, and the conversion of a model's vectors and matrices to them.
#include "corio/interop/convention.hpp"
#include "corio/interop/conversion.hpp"
