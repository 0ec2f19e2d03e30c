#pragma once
#include "corio/mechanism/constrained_inverse_dynamics.hpp"
