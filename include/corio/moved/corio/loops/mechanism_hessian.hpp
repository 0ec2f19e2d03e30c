#pragma once
#include "corio/mechanism/hessian.hpp"
