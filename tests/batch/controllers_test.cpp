#include <limits>

#include "corio/control/computed_torque.hpp"
#include "corio/control/momentum_observer.hpp"
#include "corio/control/pd_plus.hpp"
#include "corio/control/slotine_li.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/simd/state_pack.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"

// Tests controllers over packs, which serve policies in rollouts and trials of many gains at a time.

namespace packed_controllers {
namespace {

using namespace corio;
using namespace corio::test;

constexpr int states = 4;
using P = Pack<double, states>;
using Matrix = Eigen::MatrixXd;

VectorX<P> pack(const Matrix& x) {
  VectorX<P> out(x.rows());
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    for (int l = 0; l < states; ++l) out[i].set(l, x(i, l));
  return out;
}

/// The arguments of controllers, with a column for each state.
struct Samples {
  Matrix q, v, q_d, v_d, a_d, stiffness, damping;

  explicit Samples(const Model<double>& tree, int nv) {
    const auto random = [](int rows, int seed) {
      Matrix x(rows, states);
      for (int l = 0; l < states; ++l) x.col(l) = random_vector<double>(rows, seed + l);
      return x;
    };
    v = random(nv, 20), v_d = random(nv, 30), a_d = random(nv, 40);
    stiffness = random(nv, 50).cwiseAbs().array() + 1.0, damping = random(nv, 60).cwiseAbs().array() + 1.0;
    q.resize(tree.nq(), states), q_d = q;
    for (int l = 0; l < states; ++l) {
      q.col(l) = integrate<double>(tree, neutral(tree), random_vector<double>(tree.nv(), l));
      q_d.col(l) = integrate<double>(tree, neutral(tree), random_vector<double>(tree.nv(), 10 + l));
    }
  }
};

/// Returns the outputs of all controllers in this state.
template <class S, class R>
MatrixX<S> outputs(const R& robot, const VectorX<S>& q, const VectorX<S>& v, const VectorX<S>& q_d,
                   const VectorX<S>& v_d, const VectorX<S>& a_d, const VectorX<S>& stiffness,
                   const VectorX<S>& damping) {
  DataOf<R> data(robot);
  MatrixX<S> out(robot.nv(), 4);
  out.col(0) = ComputedTorque<S>(robot, {stiffness, damping}).update(robot, data, q, v, q_d, v_d, a_d);
  out.col(1) = PDPlus<S>(robot, {stiffness, damping}).update(robot, data, q, v, q_d, v_d, a_d);
  out.col(2) = SlotineLi<S>(robot, {stiffness, damping}).update(robot, data, q, v, q_d, v_d, a_d);
  MomentumObserver<S> observer(robot, stiffness);
  observer.update(robot, data, q, v, a_d, 1e-3);
  out.col(3) = observer.update(robot, data, q, v_d, a_d, 1e-3);
  return out;
}

template <class M>
void compare(const M& robot) {
  const Model<double>& tree = robot.tree();
  Samples s(tree, robot.nv());
  const auto packed = robot.template cast<P>();
  const auto all = [&] {
    return outputs<P>(packed, pack(s.q), pack(s.v), pack(s.q_d), pack(s.v_d), pack(s.a_d), pack(s.stiffness),
                      pack(s.damping));
  };
  const MatrixX<P> of_packs = all();
  const auto lane = [](const MatrixX<P>& x, int l) { return Matrix(x.unaryExpr([l](const P& y) { return y[l]; })); };
  for (int l = 0; l < states; ++l) {
    const Matrix expected = outputs<double>(robot, s.q.col(l), s.v.col(l), s.q_d.col(l), s.v_d.col(l), s.a_d.col(l),
                                            s.stiffness.col(l), s.damping.col(l));
    CHECK(relative_error(lane(of_packs, l), expected) < 1e-12);  // sums in another order
  }

  s.v(0, 2) = std::numeric_limits<double>::quiet_NaN();
  const MatrixX<P> with_nan = all();
  CHECK_FALSE(lane(with_nan, 2).allFinite());
  for (const int l : {0, 1, 3}) CHECK(lane(with_nan, l) == lane(of_packs, l));

  s.stiffness(0, 3) = -1.0;
  CHECK_THROWS_WITH(ComputedTorque<P>(packed, {pack(s.stiffness), pack(s.damping)}),
                    Catch::Contains(tree.joints()[0].name()) && Catch::Contains("is -1"));
}

}  // namespace

TEST_CASE("controllers over packs are in each lane those over double", "[batch][control]") {
  compare(zoo::random_tree(3, {.bodies = 5, .floating_base = true}));
  for (const auto& model : {zoo::geared_arm(3), zoo::four_bar_leg()}) {
    Mechanism<double> mechanism(model);
    mechanism.set_closing_tolerance(std::numeric_limits<double>::infinity());  // the loops are open in all states here
    compare(mechanism);
  }
}

}  // namespace packed_controllers
