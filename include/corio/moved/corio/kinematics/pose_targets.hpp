#pragma once
#include "corio/loops/pose_targets.hpp"
