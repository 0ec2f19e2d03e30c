#pragma once
#include "corio/codegen/functions.hpp"
