#pragma once
#include "corio/mechanism/kinematics.hpp"
