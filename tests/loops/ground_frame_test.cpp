#include "corio/loops/constrained_dynamics.hpp"
#include "corio/model/edit.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"

using namespace corio;
using namespace corio::test;

namespace ground_frame_test {

using Eigen::VectorXd;

TEST_CASE("a loop closes at a frame of the ground that is made for it, over every scalar", "[loops]") {
  const auto model = zoo::serial_chain(5);
  Data<double> data(model);
  const VectorXd q = VectorXd::LinSpaced(5, -0.4, 0.7), v = VectorXd::LinSpaced(5, 0.5, -0.3), tau = -v;
  forward_kinematics<double>(model, data, q);
  const Body<double>& last = model.bodies().back();
  const Pose<double> pose = body_pose(model, data, last);

  auto builder = to_builder(model);
  builder.add_frame("anchor", {}, pose);
  const auto with_frame = builder.build();
  Loops<double> named(with_frame), made(model);
  named.close("held", with_frame.frame("anchor"), with_frame.body(last.name()), closure::Point{});
  const Frame<double> ground = model.ground_frame(pose);
  CHECK(ground.name() == "ground");
  CHECK(ground.node() == -1);
  CHECK(body_pose(model, data, ground).translation == pose.translation);
  made.close("held", ground, last, closure::Point{});

  Data<double> named_data(with_frame);
  const VectorXd expected = constrained_forward_dynamics<double>(with_frame, named_data, named, q, v, tau).a;
  CHECK(relative_error(constrained_forward_dynamics<double>(model, data, made, q, v, tau).a, expected) < 1e-12);

  const auto single = model.cast<float>();
  Data<float> single_data(single);
  const VectorX<float> a = constrained_forward_dynamics<float>(single, single_data, made.cast<float>(single),
                                                               q.cast<float>(), v.cast<float>(), tau.cast<float>())
                               .a;
  CHECK(relative_error(a.cast<double>(), expected) < 1e-3);

  const auto other = zoo::serial_chain(5);
  Loops<double> of_other(other);
  CHECK_THROWS_AS(of_other.close("held", ground, other.bodies().back(), closure::Point{}), ModelError);
}

}  // namespace ground_frame_test
