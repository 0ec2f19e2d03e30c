#include <memory>

#include "corio/corio.hpp"
#include "support/catch.hpp"
#include "support/compiled.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#if __GLIBC_PREREQ(2, 33)
#include <malloc.h>
#define CORIO_TEST_KNOWS_MEMORY 1
#endif
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#undef CORIO_TEST_KNOWS_MEMORY
#endif
#endif

#ifdef CORIO_TEST_KNOWS_MEMORY
using namespace corio;

// Measures the memory of Data for robots that are too large for matrices: 10,000 x 10,000 numbers are 800 MB.

namespace {

double megabytes() {
  const auto info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / 1e6;
}

/// The memory of a Data after all O(n) functions, and of its copy.
struct Memory {
  explicit Memory(int joints) {
    const auto model = zoo::serial_chain(joints);
    const VectorX<double> x = VectorX<double>::Constant(joints, 0.1);
    double before = megabytes();
    const auto data = std::make_unique<Data<double>>(model);
    forward_kinematics(model, *data, x, x, x);
    rnea(model, *data, x, x, x), nonlinear_effects(model, *data), generalized_gravity(model, *data);
    aba(model, *data, x), coriolis_product(model, *data, x), passive_forces(model, *data);
    kinetic_energy(model, *data), potential_energy(model, *data), center_of_mass(model, *data);
    used = megabytes() - before;
    Matrix6X<double> J(6, joints);
    body_jacobian(model, *data, model.bodies().back(), J);
    before = megabytes();
    const auto copy = std::make_unique<Data<double>>(*data);
    copied = megabytes() - before;
  }
  double used, copied;
};

}  // namespace

TEST_CASE("Data of 1,000 joints takes less than 5 MB, and ten times as many joints ten times as much",
          "[contracts][memory]") {
  // Observed: 2.4 MB. The allocator may round blocks up by some per cent.
  const Memory small(1000), large(10000);
  CHECK(small.used > 0.1);
  CHECK(small.used < 5.0);
  CHECK(small.copied < 1.1 * small.used);
  CHECK(large.used < 10.5 * small.used);
}
#endif
