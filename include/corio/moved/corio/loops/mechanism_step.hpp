#pragma once
#include "corio/mechanism/step.hpp"
