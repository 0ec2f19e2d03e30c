#pragma once
#include "corio/mechanism/geometry.hpp"
