#include "corio/cartesian/wrenches_at_points.hpp"

#include "cartesian/cartesian_support.hpp"
#include "corio/mechanism/kinematics.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "support/catch.hpp"

namespace corio::test::cartesian {
namespace {

/// Returns the generalized forces for forces at the places and torques in the joints, by virtual work.
Vectord work(const Model<double>& model, Data<double>& data, const std::vector<FramePoint<double>>& places,
             const Eigen::Matrix3Xd& forces, const Eigen::Matrix3Xd& torques) {
  std::vector<ExternalForce<double>> all;
  for (std::size_t i = 0; i < places.size(); ++i)
    all.emplace_back(places[i], Force<double>{zero3<double>(), forces.col(static_cast<Eigen::Index>(i))});
  Matrix6X<double> joints = Matrix6X<double>::Zero(6, torques.cols());
  joints.topRows<3>() = torques;
  const Vectord of_forces = generalized_forces<double>(model, data, all);
  return of_forces + generalized_forces(model, data, body_wrenches(model, data, joints));
}

}  // namespace

TEST_EACH(Sample& s, "forces at known points and torques of joints are the least that make tau",
          "[cartesian][forces]") {
  forward_kinematics(s.model, s.data, s.q);
  std::vector<FramePoint<double>> places;
  for (const auto& body : s.model.bodies()) {
    places.push_back({body, ReferenceFrame::world_aligned, s.random.vector()});
    places.push_back({body, ReferenceFrame::body, s.random.vector()});
  }
  const Vectord tau = random_vector(s.random, s.model.nv());
  const auto found = wrenches_at_points(s.model, s.data, tau, places);
  CHECK(found.rank == s.model.nv());
  CHECK(max_magnitude(found.residual) < 1e-11);
  CHECK(relative_error(work(s.model, s.data, places, found.forces, found.torques), tau) < 1e-11);
  // Builds the dense matrix column by column.
  const auto of_places = found.forces.cols(), bodies = found.torques.cols();
  Matrixd Jt(s.model.nv(), 3 * (of_places + bodies));
  for (Eigen::Index j = 0; j < Jt.cols(); ++j) {
    const Vectord unit = Vectord::Unit(Jt.cols(), j);
    Jt.col(j) = work(s.model, s.data, places, unit.head(3 * of_places).reshaped(3, of_places),
                     unit.tail(3 * bodies).reshaped(3, bodies));
  }
  Vectord all(Jt.cols());
  all << found.forces.reshaped(), found.torques.reshaped();
  CHECK(relative_error(all, pseudo_inverse(Jt) * tau) < 1e-11);
}

TEST_CASE("a slider is moved by a force at a point, not by torques", "[cartesian][forces]") {
  Sample s(PlanMaker("slider", 3).chain(-1, {Kind::prismatic}).plan(), 1);
  forward_kinematics(s.model, s.data, s.q);
  const Vectord tau{{2.5}};
  const auto none = wrenches_at_points(s.model, s.data, tau, {});
  CHECK(none.rank == 0);
  CHECK(none.residual == tau);
  const std::vector<FramePoint<double>> places{{s.model.bodies()[0], ReferenceFrame::world_aligned}};
  const auto found = wrenches_at_points(s.model, s.data, tau, places);
  // The force is along the axis, which has length one.
  CHECK(found.forces.norm() == Approx(2.5));
  CHECK(found.torques.isZero(1e-15));
}

TEST_CASE("forces at points of a mechanism make those of its independent speeds", "[cartesian][forces]") {
  const Model<double> tree = zoo::four_bar_leg();
  const Mechanism<double> mechanism(tree);
  MechanismData<double> data(mechanism);
  forward_kinematics<double>(mechanism, data, neutral(tree));
  const std::vector<FramePoint<double>> places{{tree.bodies().back(), ReferenceFrame::world_aligned, {0, 0, 0.1}}};
  const Vectord tau = Vectord::LinSpaced(mechanism.nv(), 1, 2);
  const auto found = wrenches_at_points(mechanism, data, tau, places);
  Vectord made(mechanism.nv());
  project_forces<double>(mechanism, data, work(tree, data.tree, places, found.forces, found.torques), made);
  CHECK(relative_error(Vectord(made + found.residual), tau) < 1e-12);
  CHECK(max_magnitude(found.residual) < 1e-12);
  CHECK_THROWS_AS(wrenches_at_points(mechanism, data, Vectord::Zero(tree.nv()), places), SizeError);
}

TEST_CASE("wrenches at points reject places of other models", "[cartesian][forces][errors]") {
  Sample s(1), other(2);
  const std::vector<FramePoint<double>> places{other.model.bodies().front()};
  const Vectord tau = Vectord::Zero(s.model.nv());
  CHECK_THROWS_AS(wrenches_at_points(s.model, s.data, tau, {}), StateError);
  forward_kinematics(s.model, s.data, s.q);
  CHECK_THROWS_AS(wrenches_at_points(s.model, s.data, tau, places), ModelError);
}

}  // namespace corio::test::cartesian
