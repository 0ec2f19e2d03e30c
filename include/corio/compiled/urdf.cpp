#include "corio/io/urdf_reader.hpp"
