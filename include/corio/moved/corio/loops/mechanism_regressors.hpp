#pragma once
#include "corio/mechanism/regressors.hpp"
