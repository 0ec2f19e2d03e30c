#pragma once
#include "corio/mechanism/constrained_inverse_dynamics_derivatives.hpp"
