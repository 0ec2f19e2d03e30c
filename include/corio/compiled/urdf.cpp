#include "corio/io/urdf/reader.hpp"
