#pragma once

/// Rigid-body dynamics in the structure of its equations. This header includes everything but corio/io.

#include "corio/algorithms/aba.hpp"
#include "corio/algorithms/admissibility.hpp"
#include "corio/algorithms/christoffel_symbols.hpp"
#include "corio/algorithms/com_decoupled.hpp"
#include "corio/algorithms/connection.hpp"
#include "corio/algorithms/coordinates.hpp"
#include "corio/algorithms/coriolis_by_differentiation.hpp"
#include "corio/algorithms/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis_product.hpp"
#include "corio/algorithms/crba.hpp"
#include "corio/algorithms/energy.hpp"
#include "corio/algorithms/rnea.hpp"
#include "corio/algorithms/structure_constants.hpp"
#include "corio/kinematics/configuration.hpp"
#include "corio/kinematics/forward_kinematics.hpp"
#include "corio/kinematics/frames.hpp"
#include "corio/model/builder.hpp"
#include "corio/model/zoo.hpp"
#include "corio/spatial/cross.hpp"
