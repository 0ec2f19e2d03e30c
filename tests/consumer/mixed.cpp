#include <corio/core/scalar.hpp>

// Together with found.cpp compiled for AVX2, which aligns Eigen's types otherwise.
double first(const Eigen::Vector4d& x) { return x[0]; }
