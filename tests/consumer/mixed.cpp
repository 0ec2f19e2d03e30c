#include <corio/core/scalar.hpp>

// This file is linked with found.cpp compiled for AVX2, which aligns Eigen's types in another way.
double first(const Eigen::Vector4d& x) { return x[0]; }
