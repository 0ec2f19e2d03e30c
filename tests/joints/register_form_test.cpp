#include "corio/joints/primitive_joint.hpp"
#include "corio/spatial/register_types.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#include "support/spatial_random.hpp"

using namespace corio;
using namespace corio::test;

namespace {

/// Compares the pose and the column of a revolute joint in registers with the pose and column by the joint's own
/// functions, for many poses and angles.
template <class S>
void check_register_form() {
  using N = InRegisters<S>;
  Random<S> random(7);
  for (int sample = 0; sample < 50; ++sample) {
    const Pose<S> A = random.pose();
    const S q[] = {S(0.37) * S(sample - 25)};
    const joint::Revolute joint;
    const Pose<S> expected = joint.compose(A, q);
    Motion<S> column[1];
    joint.columns(expected, q, column);

    const Pose<N> X =
        joint::detail::turn_about_z(Pose<N>(corio::detail::load(A)), N(std::cos(q[0])), N(std::sin(q[0])));
    Pose<S> pose;
    corio::detail::store(X, pose);
    Motion<S> phi;
    corio::detail::store(joint::detail::rotation_column(X, 2), phi);
    // Allow a few roundings of products of numbers of order one.
    const S tolerance = 20 * std::numeric_limits<S>::epsilon();
    CHECK((pose.rotation - expected.rotation).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((pose.translation - expected.translation).cwiseAbs().maxCoeff() <= tolerance);
    CHECK((phi.vector() - column[0].vector()).cwiseAbs().maxCoeff() <= tolerance);
  }
}

}  // namespace

TEST_CASE("a revolute joint in registers is the joint", "[joints][register_form]") {
  check_register_form<double>();
  check_register_form<float>();
}
