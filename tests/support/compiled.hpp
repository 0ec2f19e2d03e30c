#pragma once

#include <complex>

#include "corio/corio.hpp"

#include "corio/compiled/list.hpp"

/// What many tests need over complex numbers, for complex steps, is compiled once, in compiled*.cpp, like all that
/// corio/compiled/list.hpp lists for double and float, instead of in every test. Other scalars, and what is not named
/// there, are compiled where they are used: nothing depends on this but the time to compile.
namespace corio {

CORIO_COMPILED_MODEL(extern, std::complex<double>)
CORIO_COMPILED_DYNAMICS(extern, std::complex<double>)
CORIO_COMPILED_DERIVATIVES(extern, std::complex<double>)
extern template class ExternalForce<std::complex<double>>;

}  // namespace corio
