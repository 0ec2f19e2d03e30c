#pragma once
#include "corio/mechanism/mechanism.hpp"
