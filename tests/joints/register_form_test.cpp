#include "corio/joints/primitive_joint.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// The pose and the column of the register form against those of the scalar form, for many poses and angles.
template <class S, class J>
void check_register_form(const J& joint) {
  if constexpr (corio::detail::has_registers<S>) {
    Random<S> random(7);
    for (int sample = 0; sample < 50; ++sample) {
      const Pose<S> A = random.pose();
      const S q[] = {S(0.37) * S(sample - 25)};
      const Pose<S> expected = joint.compose(A, q);
      Motion<S> column[1];
      joint.columns(expected, q, column);

      const auto X = joint.compose_registers(corio::detail::Vec4Pose<S>::load(A), S(std::cos(q[0])), S(std::sin(q[0])));
      Pose<S> pose;
      X.store(pose);
      Motion<S> phi;
      joint.column_registers(X).store(phi);
      // A few roundings of products of numbers of order one.
      const S tolerance = 20 * std::numeric_limits<S>::epsilon();
      CHECK((pose.rotation - expected.rotation).cwiseAbs().maxCoeff() <= tolerance);
      CHECK((pose.translation - expected.translation).cwiseAbs().maxCoeff() <= tolerance);
      CHECK((phi.vector() - column[0].vector()).cwiseAbs().maxCoeff() <= tolerance);
    }
  }
}

}  // namespace

TEST_CASE("the register form of a joint is its scalar form", "[joints][register_form]") {
  int forms = 0;
  const auto check = [&]<class J>(const J& joint) {
    if constexpr (requires { &J::template compose_registers<double>; }) {
      ++forms;
      check_register_form<double>(joint);
      check_register_form<float>(joint);
    }
  };
  check(joint::Revolute()), check(joint::Prismatic()), check(joint::Helical(unit3<double>(2), 0.1));
  check(joint::Cylindrical()), check(joint::Planar()), check(joint::Translation()), check(joint::Spherical());
  check(joint::FreeFlyer());
  CHECK(forms > 0);
}
