#pragma once
#include "corio/mechanism/data.hpp"
