// A mechanism without the header of its functions: this must not compile, and the compiler must show what to include.
#include <corio/mechanism/mechanism.hpp>

void use(const corio::Mechanism<double>& leg) { corio::MechanismData<double> data(leg); }
