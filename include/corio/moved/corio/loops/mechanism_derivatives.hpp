#pragma once
#include "corio/mechanism/derivatives.hpp"
