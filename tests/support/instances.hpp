#pragma once

#include <complex>

#include "corio/instances.hpp"

/// What many tests need over complex numbers, for complex steps, is compiled once, in instances.cpp, like all that
/// corio/instances.hpp lists for double, instead of in every test. Other scalars, and what is not named there, are
/// compiled where they are used: nothing depends on this but the time to compile.
namespace corio {

CORIO_INSTANCES_OF_MODEL(extern, std::complex<double>)
CORIO_INSTANCES_OF_DYNAMICS(extern, std::complex<double>)
CORIO_INSTANCES_OF_DERIVATIVES(extern, std::complex<double>)
// What these leave to be compiled in every file.
extern template void detail::kinematics_pass(const Model<std::complex<double>>&, Data<std::complex<double>>&, Pass,
                                             const std::complex<double>*, const std::complex<double>*,
                                             const std::complex<double>*);
extern template class ExternalForce<std::complex<double>>;
extern template Model<std::complex<double>> Model<double>::cast() const;
extern template Model<float> Model<double>::cast() const;

}  // namespace corio
