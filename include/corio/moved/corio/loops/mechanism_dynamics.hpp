#pragma once
#include "corio/mechanism/dynamics.hpp"
