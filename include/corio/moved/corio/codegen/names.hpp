#pragma once
#include "corio/codegen/language.hpp"
