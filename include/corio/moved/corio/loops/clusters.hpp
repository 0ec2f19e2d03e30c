#pragma once
#include "corio/mechanism/clusters.hpp"
