#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/model/builder.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// A hinge of another type than its base class: one turn of q is ten turns of the body.
struct Geared : joint::Revolute {
  static constexpr const char* type = "geared";
  Geared() : joint::Revolute(Vector3<double>::UnitZ()) {}

  template <class S>
  Pose<S> compose(const Pose<S>& A, const S* q) const {
    const S angle = S(10) * q[0];
    return joint::Revolute::compose(A, &angle);
  }
  template <class S>
  void columns(const Pose<S>& X, const S* q, Motion<S>* phi) const {
    joint::Revolute::columns(X, q, phi);
    phi[0] = phi[0] * S(10);
  }
};

}  // namespace

TEST_CASE("a user's joint derived from a built-in one is not taken for its base", "[joints][custom]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "wheel", .joint = Geared(), .inertia = ball()});
  const auto model = builder.build();
  Data<double> data(model);
  const double inertia_about_axis = 0.1;
  CHECK(crba(model, data, VectorX<double>::Zero(1))(0, 0) == Approx(100 * inertia_about_axis));
}
