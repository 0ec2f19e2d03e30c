#include "corio/loops/projected_dynamics.hpp"

#include <functional>

#include "loops/loops_support.hpp"
#include "support/catch.hpp"

// The equations of motion in independent speeds, against those with multipliers and against differences.

namespace loops_test {

namespace {

/// A mechanism with its loops closed, at a state that keeps them closed.
struct Closed {
  Model<double> model;
  Loops<double> loops;
  Data<double> data;
  VectorXd q, v;
  std::vector<int> independent;

  Closed(Model<double> m, const std::function<void(const Model<double>&, Loops<double>&)>& close, const VectorXd& start)
      : model(std::move(m)), loops(model), data(model) {
    close(model, loops);
    const auto assembly = assemble<double>(model, data, loops, start);
    REQUIRE(assembly.closed);
    q = assembly.q;
    forward_kinematics<double>(model, data, q, VectorXd::Zero(model.nv()));
    independent = independent_speeds<double>(model, data, loops);
    const VectorXd y = random_vector<double>(static_cast<int>(independent.size()), 5);
    v = projected_dynamics<>(model, data, loops, independent).G * y;
    forward_kinematics<double>(model, data, q, v);
  }
};

Closed closed(int seed) {
  if (seed == 0)
    return {four_bar(0.3, 0.9, 0.7, 0.8),
            [](auto& m, auto& loops) {
              loops.close("pin", m.frame("coupler_tip"), m.frame("rocker_tip"), closure::Revolute{{0, 0, 1}});
            },
            Eigen::Vector3d(0.7, -0.4, 1.4)};
  auto builder = to_builder(Scene::make(seed));
  const auto open = builder.build();
  const VectorXd q = random_q(open, seed);
  Data<double> data(open);
  forward_kinematics<double>(open, data, q);
  const auto& first = open.bodies()[2];
  const auto& last = open.frame("f1");
  builder.add_frame("a", first.name(), body_pose(open, data, first).inverse() * body_pose(open, data, last));
  builder.add_frame("b", "other", body_pose(open, data, open.body("other")).inverse() * body_pose(open, data, last));
  return {builder.build(),
          [](auto& m, auto& loops) {
            loops.close("hinge", m.frame("a"), m.frame("f1"), closure::Revolute{{1, 2, 3}});
            loops.close("ball", m.frame("b"), m.frame("f1"), closure::Spherical{});
          },
          q};
}

}  // namespace

TEST_CASE("independent speeds determine a motion that keeps loops closed", "[loops]") {
  const int seed = GENERATE(range(0, 6));
  CAPTURE(seed);
  Closed s = closed(seed);
  const auto projected = projected_dynamics<>(s.model, s.data, s.loops, s.independent);
  MatrixXd K(s.loops.rows(), s.model.nv()), Kdot(K);
  constraint_jacobian<double>(s.model, s.data, s.loops, K);
  constraint_jacobian_dot<double>(s.model, s.data, s.loops, Kdot);
  CHECK((K * projected.G).norm() < bound * K.norm() * projected.G.norm());
  CHECK((Kdot * projected.G + K * projected.Gdot).norm() < bound * K.norm() * (1 + projected.Gdot.norm()));
  CHECK(projected.G.cols() == s.model.nv() - Eigen::FullPivLU<MatrixXd>(K).setThreshold(1e-10).rank());
  if (seed == 0) CHECK(projected.G.cols() == 1);
}

TEST_CASE("projected equations of motion are those with multipliers", "[loops]") {
  const int seed = GENERATE(range(0, 6));
  CAPTURE(seed);
  Closed s = closed(seed);
  const auto projected = projected_dynamics<>(s.model, s.data, s.loops, s.independent);
  const VectorXd tau = random_vector<double>(s.model.nv(), 8), y = s.v(s.independent);
  const VectorXd ydot = projected.M.ldlt().solve(projected.G.transpose() * tau - projected.C * y - projected.g);
  const auto& motion = constrained_forward_dynamics<double>(s.model, s.data, s.loops, tau);
  CHECK(relative_error(motion.a, projected.G * ydot + projected.Gdot * y) < 1e-9);
}

TEST_CASE("the projected mass matrix changes by C + C^T along the motion, for every admissible factorization",
          "[loops]") {
  // Central differences: h^2 = 1e-10 times third derivatives, which grow near singular configurations.
  const int seed = GENERATE(range(0, 6));
  CAPTURE(seed);
  Closed s = closed(seed);
  constexpr double h = 1e-5;
  const auto M = [&](double step) {
    forward_kinematics<double>(s.model, s.data, integrate<double>(s.model, s.q, step * s.v), s.v);
    return projected_dynamics<>(s.model, s.data, s.loops, s.independent).M;
  };
  const MatrixXd differences = (M(h) - M(-h)) / (2 * h);
  forward_kinematics<double>(s.model, s.data, s.q, s.v);
  const auto one = projected_dynamics<>(s.model, s.data, s.loops, s.independent);
  const auto other = projected_dynamics<factorization::Plain>(s.model, s.data, s.loops, s.independent);
  CHECK(relative_error(one.Mdot, differences) < 1e-6);
  CHECK(relative_error(other.Mdot, differences) < 1e-6);
  const VectorXd y = s.v(s.independent);
  CHECK(relative_error(other.C * y, one.C * y) < bound);
}

TEST_CASE("speeds that cannot be independent are refused", "[loops][errors]") {
  Closed s = closed(0);
  const auto refused = [&](const std::vector<int>& independent) {
    return message_of<ModelError>([&] { projected_dynamics<>(s.model, s.data, s.loops, independent); });
  };
  CHECK(mentions(refused({}), {"3 dependent", "determine 2"}));
  CHECK(mentions(refused({0, 1}), {"1 dependent", "independent_speeds"}));
  CHECK(mentions(refused({0, 1, 2}), {"0 dependent", "independent_speeds"}));
  CHECK(mentions(refused({7}), {"7", "does not exist"}));
  CHECK(mentions(refused({1, 1}), {"twice"}));

  // Coupler and rocker in line: the crank does not say which way they go on, but each of them says how all others do.
  const double a = 0.3, b = 0.5, c = 0.3, d = 0.8;
  const double q1 = std::acos((a * a + d * d - (b + c) * (b + c)) / (2 * a * d));
  const double line = std::atan2(-a * std::sin(q1), d - a * std::cos(q1));
  const auto model = four_bar(a, b, c, d);
  Loops<double> loops(model);
  loops.close("pin", model.frame("coupler_tip"), model.frame("rocker_tip"), closure::Point{});
  Data<double> data(model);
  forward_kinematics<double>(model, data, Eigen::Vector3d(q1, line - q1, line + joint::detail::pi), VectorXd::Zero(3));
  VectorXd k(3);
  constraint_residual<double>(model, data, loops, k);
  REQUIRE(k.norm() < 1e-14);
  CHECK(mentions(message_of<ModelError>([&] { projected_dynamics<>(model, data, loops, {0}); }),
                 {"2 dependent", "determine 1", "singular"}));
  const auto independent = independent_speeds<double>(model, data, loops);
  CHECK(independent.size() == 1);
  CHECK(independent != std::vector<int>{0});
  CHECK_NOTHROW(projected_dynamics<>(model, data, loops, independent));
}

TEST_CASE("loops of models over other scalars are closed, too", "[loops]") {
  // Single precision, and a mass matrix of a condition of some hundreds.
  Closed s = closed(0);
  const auto model = s.model.cast<float>();
  Loops<float> loops(model);
  loops.close("pin", model.frame("coupler_tip"), model.frame("rocker_tip"), closure::Revolute{{0, 0, 1}});
  Data<float> data(model);
  const VectorX<float> q = s.q.cast<float>(), v = s.v.cast<float>(), none = VectorX<float>::Zero(3);
  const auto& a = constrained_forward_dynamics<double>(s.model, s.data, s.loops, VectorXd::Zero(3)).a;
  const auto& motion = constrained_forward_dynamics<float>(model, data, loops, q, v, none);
  CHECK(motion.rank == 2);
  CHECK(relative_error(motion.a.cast<double>(), a) < 1e-3);
  CHECK(assemble<float>(model, data, loops, q).closed);
}

TEST_CASE("without loops all speeds are independent", "[loops]") {
  const auto model = four_bar(1, 1, 1, 1);
  const Loops<double> loops(model);
  Data<double> data(model);
  forward_kinematics<double>(model, data, VectorXd::Ones(3), VectorXd::Ones(3));
  const auto all = independent_speeds<double>(model, data, loops);
  CHECK(all == std::vector<int>{0, 1, 2});
  CHECK(relative_error(projected_dynamics<>(model, data, loops, all).M, crba(model, data)) < bound);
}

}  // namespace loops_test
