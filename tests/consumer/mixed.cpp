#include <corio/core/scalar.hpp>

// Together with main.cpp compiled for AVX2, which aligns Eigen's types otherwise.
double first(const Eigen::Vector4d& x) { return x[0]; }
