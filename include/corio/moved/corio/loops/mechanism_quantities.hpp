#pragma once
#include "corio/mechanism/quantities.hpp"
