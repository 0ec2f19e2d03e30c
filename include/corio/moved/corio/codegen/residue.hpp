#pragma once
#include "corio/codegen/tape.hpp"
