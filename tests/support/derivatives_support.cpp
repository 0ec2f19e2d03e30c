#include "support/derivatives_support.hpp"

namespace corio::test {

std::vector<Wrench> wrenches_on(const Model<double>& model, Random<double>& random) {
  std::vector<Wrench> all;
  for (const auto& frame : model.frames())
    for (const auto reference : all_references) {
      const Force<double> F = random.force();
      all.push_back({frame.name(), F, reference, random.vector()});
    }
  return all;
}

Matrixd ComplexSteps::rnea_along_q(const Vectord& q, const Vectord& v, const Vectord& a,
                                   const std::vector<Wrench>& wrenches) {
  const auto external = forces_on(model_, wrenches);
  return columns([&](const Vectord& unit) -> VectorX<Complex> {
    return rnea(model_, data_, step(model_, q, unit), complex(v), complex(a), external);
  });
}

Matrixd ComplexSteps::rnea_along_v(const Vectord& q, const Vectord& v, const Vectord& a) {
  return columns([&](const Vectord& unit) -> VectorX<Complex> {
    return rnea(model_, data_, complex(q), shifted(v, unit), complex(a));
  });
}

Matrixd ComplexSteps::gravity_along_q(const Vectord& q) {
  return columns([&](const Vectord& unit) -> VectorX<Complex> {
    return generalized_gravity(model_, data_, step(model_, q, unit));
  });
}

Matrixd ComplexSteps::aba_along_q(const Vectord& q, const Vectord& v, const Vectord& tau,
                                  const std::vector<Wrench>& wrenches) {
  const auto external = forces_on(model_, wrenches);
  return columns([&](const Vectord& unit) -> VectorX<Complex> {
    return aba(model_, data_, step(model_, q, unit), complex(v), complex(tau), external);
  });
}

Matrixd ComplexSteps::aba_along_v(const Vectord& q, const Vectord& v, const Vectord& tau,
                                  const std::vector<Wrench>& wrenches) {
  const auto external = forces_on(model_, wrenches);
  return columns([&](const Vectord& unit) -> VectorX<Complex> {
    return aba(model_, data_, complex(q), shifted(v, unit), complex(tau), external);
  });
}

Matrixd ComplexSteps::aba_along_tau(const Vectord& q, const Vectord& v, const Vectord& tau) {
  return columns([&](const Vectord& unit) -> VectorX<Complex> {
    return aba(model_, data_, complex(q), complex(v), shifted(tau, unit));
  });
}

}  // namespace corio::test
