#include "support/instances.hpp"

namespace corio {

CORIO_INSTANCES_OF_MODEL(, std::complex<double>)
CORIO_INSTANCES_OF_DYNAMICS(, std::complex<double>)
template void detail::kinematics_pass(const Model<std::complex<double>>&, Data<std::complex<double>>&, Pass,
                                      const std::complex<double>*, const std::complex<double>*,
                                      const std::complex<double>*);
template class ExternalForce<std::complex<double>>;
template Model<std::complex<double>> Model<double>::cast() const;
template Model<float> Model<double>::cast() const;

}  // namespace corio
