#include "corio/batch/batch.hpp"
#include "corio/batch/rollout.hpp"
#include "corio/loops/constrained_dynamics.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "loops/mechanism_support.hpp"

// Compares mechanisms over packs of states with calls for one state after the other.

namespace loops_test {
namespace {

using P = Pack<double, 4>;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Closed states of a mechanism from the zoo, or of a random one, with relations; each has a column.
struct States {
  Mechanism<double> mechanism;
  MatrixXd Q, Y, Ydot;

  States(int number, int states) : mechanism(make(number)) {
    const auto& tree = mechanism.tree();
    const int n = mechanism.nv();
    Q.resize(tree.nq(), states), Y.resize(n, states), Ydot.resize(n, states);
    MechanismData<double> data(mechanism);
    const VectorXd start = number < 4 ? VectorXd(neutral(tree)) : Closed(number).q;
    for (int j = 0; j < states; ++j) {
      Y.col(j) = random_vector<double>(n, 10 + j), Ydot.col(j) = random_vector<double>(n, 100 + j);
      forward_kinematics<double>(mechanism, data, start, 0.1 * Y.col(j));
      const auto assembly = assemble<double>(mechanism, data, integrate<double>(tree, start, data.tree.v));
      REQUIRE(assembly.closed);
      Q.col(j) = assembly.q;
    }
  }
  static Mechanism<double> make(int number) {
    switch (number) {
      case 0: return Mechanism<double>(zoo::geared_arm(3));
      case 1: return Mechanism<double>(zoo::four_bar_leg());
      case 2: return Mechanism<double>(zoo::parallel_biped());
      case 3: return Mechanism<double>(zoo::delta_robot());
      default: return Closed(number).mechanism;
    }
  }
};

/// Returns the first columns as packs.
VectorX<P> pack(const MatrixXd& x) {
  VectorX<P> out(x.rows());
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    for (int l = 0; l < P::lanes; ++l) out[i].set(l, x(i, l));
  return out;
}
template <class X>
MatrixXd lane(const X& x, int l) {
  return x.unaryExpr([l](const P& entry) { return entry[l]; });
}

}  // namespace

TEST_CASE("every function of a mechanism over packs is in each lane that over double", "[batch][loops]") {
  const States s(GENERATE(0, 1, 2, 3, 4, 6), P::lanes);
  CAPTURE(s.mechanism.tree().name());
  const auto packed = s.mechanism.cast<P>();
  MechanismData<P> data(packed);
  MechanismData<double> one(s.mechanism);
  VectorX<P> all_q = pack(s.Q), all_y = pack(s.Y), all_ydot = pack(s.Ydot);
  // Compares f(mechanism, data, q, y, ydot), which returns a matrix or vector. A result that inverts M loses the digits
  // of its condition.
  const auto compare = [&](const char* name, double limit, auto&& f) {
    INFO(name);
    const MatrixX<P> all = f(packed, data, all_q, all_y, all_ydot);
    for (int l = 0; l < P::lanes; ++l) {
      CAPTURE(l);
      VectorXd of_q = s.Q.col(l), of_y = s.Y.col(l), of_ydot = s.Ydot.col(l);
      const MatrixXd expected = f(s.mechanism, one, of_q, of_y, of_ydot);
      CHECK((lane(all, l) - expected).norm() <= limit * (1.0 + expected.norm()));
    }
  };
  const double few = 1e-11, solved = 1e-8;
  compare("rnea", few, [](auto& m, auto& d, auto& q, auto& y, auto& a) { return rnea(m, d, q, y, a); });
  compare("nonlinear_effects", few,
          [](auto& m, auto& d, auto& q, auto& y, auto&) { return nonlinear_effects(m, d, q, y); });
  compare("gravity", few, [](auto& m, auto& d, auto& q, auto&, auto&) { return generalized_gravity(m, d, q); });
  compare("passive", few, [](auto& m, auto& d, auto& q, auto& y, auto&) { return passive_forces(m, d, q, y); });
  compare("crba", few, [](auto& m, auto& d, auto& q, auto&, auto&) { return crba(m, d, q); });
  compare("aba", solved, [](auto& m, auto& d, auto& q, auto& y, auto& tau) { return aba(m, d, q, y, tau); });
  compare("M^-1", solved, [](auto& m, auto& d, auto& q, auto&, auto&) { return mass_matrix_inverse(m, d, q); });
  compare("C", few, [](auto& m, auto& d, auto& q, auto& y, auto&) { return coriolis_matrix(m, d, q, y).C; });
  compare("Mdot", few, [](auto& m, auto& d, auto& q, auto& y, auto&) { return coriolis_matrix(m, d, q, y).Mdot; });
  compare("Cdot", 10 * few, [](auto& m, auto& d, auto& q, auto& y, auto& a) {
    forward_kinematics(m, d, q, y, a);
    return coriolis_matrix_dot(m, d).Cdot;
  });
  compare("symbols", 10 * few, [](auto& m, auto& d, auto& q, auto& y, auto&) {
    using S = typename std::decay_t<decltype(y)>::Scalar;
    ChristoffelTensor<S> Gamma(m);
    christoffel_symbols(m, forward_kinematics(m, d, q, y), Gamma);
    MatrixX<S> all(m.nv(), m.nv() * m.nv());
    for (int i = 0; i < m.nv(); ++i) all.middleCols(i * m.nv(), m.nv()) = Gamma.page(i);
    return all;
  });
  compare("dtau/dq", 10 * few, [](auto& m, auto& d, auto& q, auto& y, auto& a) {
    return inverse_dynamics_derivatives(m, d, q, y, a).dtau_dq;
  });
  compare("da/dq", 10 * solved, [](auto& m, auto& d, auto& q, auto& y, auto& tau) {
    return forward_dynamics_derivatives(m, d, q, y, tau).da_dq;
  });
  compare("momentum", few,
          [](auto& m, auto& d, auto& q, auto& y, auto&) { return generalized_momentum(m, d, q, y).p; });
  compare("step", 1e-9, [](auto& m, auto& d, auto q, auto y, auto& tau) {
    step(m, d, q, y, tau, 1e-3);
    auto x = q;
    x.resize(q.size() + y.size());
    x << q, y;
    return x;
  });
}

TEST_CASE("a state of a mechanism that is NaN, or singular, leaves the others as they are", "[batch][loops]") {
  const States s(GENERATE(1, 3, 6), P::lanes);
  const auto packed = s.mechanism.cast<P>();
  MechanismData<P> data(packed);
  const VectorX<P> y = pack(s.Y), tau = pack(s.Ydot);
  const VectorX<P> before = aba(packed, data, pack(s.Q), y, tau);
  MatrixXd Q = s.Q;
  Q(0, 1) = not_a_number;
  const VectorX<P> after = aba(packed, data, pack(Q), y, tau);
  for (const int l : {0, 2, 3}) CHECK(lane(after, l) == lane(before, l));
  CHECK_FALSE(lane(after, 1).allFinite());
}

TEST_CASE("a singular state of a linkage is NaN in its lane", "[batch][loops]") {
  // The links of this parallelogram are in one line, where the crank does not determine the other links.
  const Model<double> model = four_bar(0.3, 0.9, 0.3, 0.9);
  Loops<double> loops(model);
  loops.close("pin", model.frame("coupler_tip"), model.frame("rocker_tip"), closure::Point{});
  Data<double> tree(model);
  const VectorXd q = assemble<double>(model, tree, loops, Eigen::Vector3d(0.7, -0.7, 0.7)).q;
  const VectorXd flat = Eigen::Vector3d(0.0, 0.0, 0.0);
  const Mechanism<double> mechanism(model, loops, {model.joints()[0].name()});
  MechanismData<double> one(mechanism);
  CHECK_THROWS_AS(forward_kinematics<double>(mechanism, one, flat), ModelError);
  const auto packed = mechanism.cast<P>();
  MechanismData<P> data(packed);
  MatrixXd Q = q.replicate(1, P::lanes);
  Q.col(2) = flat;
  const MatrixX<P> M = crba(packed, data, pack(Q));
  const MatrixXd expected = crba(mechanism, one, q);
  for (const int l : {0, 1, 3}) CHECK(relative_error(lane(M, l), expected) < 1e-12);
  CHECK(std::isnan(M(0, 0)[2]));
  // A rollout from this state is flagged, and so is one whose loops are too far open for packs to close them.
  MatrixXd X0 = MatrixXd::Zero(4, 3);
  X0.topRows(3) = Q.leftCols(3);
  X0.col(1).head(3) = Eigen::Vector3d(0.7, 2.0, -2.0);
  batch::RolloutOptions options;
  options.integrator = Integrator::rk4;
  batch::Rollouts out;
  batch::rollout(
      mechanism, X0, MatrixXd(MatrixXd::Zero(2, 3)), 1e-3,
      [](const auto&, auto&, const auto& at, const auto&, const auto&, int) { return at[0]; }, out, options);
  CHECK(out.finite[0]);
  CHECK_FALSE(out.finite[1]);
  CHECK_FALSE(out.finite[2]);
}

TEST_CASE("constrained dynamics over packs is in each lane that over double", "[batch][loops]") {
  const int number = GENERATE(1, 2, 3, 6);
  States s(number, P::lanes);
  const Model<double>& model = s.mechanism.tree();
  const auto packed = s.mechanism.cast<P>();
  Data<P> data(packed.tree());
  Data<double> one(model);
  MatrixXd V(model.nv(), P::lanes), Tau = V;
  for (int l = 0; l < P::lanes; ++l)
    V.col(l) = random_vector<double>(model.nv(), 50 + l), Tau.col(l) = random_vector<double>(model.nv(), 60 + l);
  const auto all = [&] {
    MatrixX<P> x(2 * model.nv() + 2 * packed.loops().rows(), 1);
    const auto& motion =
        constrained_forward_dynamics(packed.tree(), data, packed.loops(), pack(s.Q), pack(V), pack(Tau), 3.0);
    const auto& impact = constrained_impulse(packed.tree(), data, packed.loops(), 0.5);
    x << motion.a, impact.v, motion.lambda, impact.Lambda;
    return x;
  };
  const MatrixX<P> of_packs = all();
  for (int l = 0; l < P::lanes; ++l) {
    VectorXd expected(of_packs.rows());
    const auto& motion =
        constrained_forward_dynamics(model, one, s.mechanism.loops(), s.Q.col(l), V.col(l), Tau.col(l), 3.0);
    const auto& impact = constrained_impulse(model, one, s.mechanism.loops(), 0.5);
    expected << motion.a, impact.v, motion.lambda, impact.Lambda;
    // With redundant rows the multipliers have the accuracy of a rank decision.
    CHECK(relative_error(lane(of_packs, l), MatrixXd(expected)) < 1e-9);
  }

  // Beside a state that is NaN, and beside a singular one, the other states give the same results to the bit.
  for (const VectorXd& q : {VectorXd(VectorXd::Constant(model.nq(), not_a_number)), VectorXd(neutral(model))}) {
    s.Q.col(2) = q;
    const MatrixX<P> beside = all();
    CHECK(lane(beside, 2).allFinite() == q.allFinite());
    for (const int l : {0, 1, 3}) CHECK(lane(beside, l) == lane(of_packs, l));
  }
}

TEST_CASE("batches and rollouts take mechanisms", "[batch][rollout][loops]") {
  const int states = 21;
  const States s(GENERATE(1, 3, 6), states);
  const auto& mechanism = s.mechanism;
  const int n = mechanism.nv(), nq = mechanism.tree().nq();
  MatrixXd Tau(n, states);
  CHECK(batch::rnea(mechanism, s.Q, s.Y, s.Ydot, Tau) == states);
  MechanismData<double> data(mechanism);
  for (int j = 0; j < states; ++j)
    CHECK(relative_error(VectorXd(Tau.col(j)), rnea(mechanism, data, s.Q.col(j), s.Y.col(j), s.Ydot.col(j))) < 1e-11);
  CHECK_THROWS_AS(batch::rnea(mechanism, s.Q, s.Q, s.Ydot, Tau), SizeError);

#ifdef CORIO_TEST_ALL
  // Uses float. Relations cannot be cast to float: they are defined over double alone.
  using Floats = Pack<float, 8>;
  MatrixXd in_float(n, states);
  const auto compute = [&] {
    const batch::Packed<Floats, Mechanism<Floats>> floats(mechanism);
    batch::rnea(floats, s.Q, s.Y, s.Ydot, in_float);
  };
  if (std::ranges::any_of(mechanism.loops().all(), [](const auto& loop) { return bool(loop.relation); })) {
    CHECK_THROWS_AS(compute(), ModelError);
  } else {
    compute();
    CHECK(relative_error(in_float, Tau) < 1e-4);
  }
#endif

  const int steps = 20;
  const double dt = 2e-4;
  const batch::Packed<batch::FullPack<double>, Mechanism<batch::FullPack<double>>> packed(mechanism);
  MatrixXd X0(nq + n, states);
  X0 << s.Q, s.Y;
  const MatrixXd U = MatrixXd::Random(n * steps, states);
  const auto cost = [](const auto&, auto&, const auto&, const auto& y, const auto&, int) { return y.squaredNorm(); };
  batch::Rollouts out;
  batch::RolloutOptions options;
  CHECK_THROWS_AS(batch::rollout(packed, X0, U, dt, cost, out, options), Error);
  options.integrator = Integrator::rk4;
  CHECK(batch::rollout(packed, X0, U, dt, cost, out, options) == states);
  CHECK(out.finite.all());
  for (int j = 0; j < states; ++j) {
    VectorXd q = s.Q.col(j), y = s.Y.col(j);
    double sum = y.squaredNorm();
    for (int i = 0; i < steps; ++i) {
      step(mechanism, data, q, y, U.col(j).segment(n * i, n), dt);
      sum += y.squaredNorm();
    }
    // Rounding grows by some digits over the steps; other iterations close the loops to rounding.
    CHECK((out.states.col(j).head(nq) - q).norm() < 1e-9 * (1 + q.norm()));
    CHECK((out.states.col(j).tail(n) - y).norm() < 1e-8 * (1 + y.norm()));
    CHECK(std::abs(out.cost[j] - sum) < 1e-8 * (1 + sum));
  }

  // A step that opens the loops by more than rounding closes them as well.
  CHECK(batch::rollout(packed, X0, U.topRows(n), 0.02, cost, out, options) == states);
  for (int j = 0; j < states; ++j) {
    VectorXd q = s.Q.col(j), y = s.Y.col(j);
    step(mechanism, data, q, y, U.col(j).head(n), 0.02);
    CHECK((out.states.col(j).head(nq) - q).norm() < 1e-10 * (1 + q.norm()));
  }
  CHECK(batch::rollout(packed, X0, U, dt, cost, out, options) == states);

  // A rollout from NaN is flagged, and the others are the same to the bit.
  X0(nq, 5) = not_a_number;
  batch::Rollouts broken;
  batch::rollout(packed, X0, U, dt, cost, broken, options);
  for (int j = 0; j < states; ++j) {
    CHECK(broken.finite[j] == (j != 5));
    if (j != 5) CHECK(broken.states.col(j) == out.states.col(j));
  }
  options.joint_limits = true;
  CHECK_THROWS_AS(batch::rollout(packed, X0, U, dt, cost, out, options), Error);
}

}  // namespace loops_test
