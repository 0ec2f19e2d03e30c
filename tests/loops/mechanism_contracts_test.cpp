#include "corio/mechanism/constrained_inverse_dynamics.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/mechanism/quantities.hpp"
#include "loops/mechanism_table.hpp"
#include "support/catch.hpp"

// Checks the promises of all functions of mechanisms from one table of these functions.

namespace loops_test {
using namespace contracts;

TEST_CASE("functions of mechanisms give the same in both forms, and change no other's result", "[loops]") {
  for (const int seed : {0, 6}) {
    Closed s(seed);
    const Arguments x = arguments(s, 31), other = arguments(s, 77);
    forward_kinematics<double>(s.mechanism, s.data, x.q, x.y, x.ydot);
    std::vector<MatrixXd> results;
    for (const auto& f : table()) results.push_back(f.reuse(s, x));
    for (std::size_t i = 0; i < table().size(); ++i) {
      CAPTURE(seed, table()[i].name);
      CHECK(table()[i].reuse(s, x) == results[i]);
    }
    // Calls each from another state, and after all others.
    for (std::size_t i = 0; i < table().size(); ++i) {
      CAPTURE(seed, table()[i].name);
      forward_kinematics<double>(s.mechanism, s.data, other.q, other.y, other.ydot);
      CHECK(relative_error(table()[i].complete(s, x), results[i]) < bound);
    }
  }
}

namespace {

using Vectors = std::vector<Eigen::Ref<const VectorXd>>;

/// The vectors that a MechanismData holds: those of the state, and those of results.
Vectors held_state(Closed& s, const Arguments& x) {
  forward_kinematics<double>(s.mechanism, s.data, x.q, x.y, x.ydot);
  return {s.data.y, s.data.ydot, s.data.drift, s.data.tree.q, s.data.tree.v, s.data.tree.a};
}
Vectors held_results(Closed& s, const Arguments& x) {
  forward_kinematics<double>(s.mechanism, s.data, x.q, x.y, x.ydot);
  const auto& momentum = generalized_momentum(s.mechanism, s.data);
  const auto& drives = constrained_inverse_dynamics<double>(s.mechanism, s.data, x.tree);
  const auto& constrained = constrained_forward_dynamics<double>(s.model, s.data.tree, s.loops, x.tree);
  return {rnea<double>(s.mechanism, s.data),
          nonlinear_effects<double>(s.mechanism, s.data),
          generalized_gravity<double>(s.mechanism, s.data),
          passive_forces(s.mechanism, s.data),
          aba<double>(s.mechanism, s.data, x.x),
          crba<double>(s.mechanism, s.data).col(0),
          mass_matrix_inverse<double>(s.mechanism, s.data).col(0),
          mass_matrix_inverse_product<double>(s.mechanism, s.data, x.x),
          coriolis_matrix(s.mechanism, s.data).C.col(0),
          coriolis_product(s.mechanism, s.data, x.x),
          coriolis_transpose_product(s.mechanism, s.data, x.x),
          slotine_li_inverse_dynamics(s.mechanism, s.data, x.x, x.ydot),
          momentum.p,
          momentum.drift,
          rnea(s.model, s.data.tree),
          nonlinear_effects(s.model, s.data.tree),
          drives.tau,
          drives.lambda,
          constrained.a,
          constrained.lambda};
}

}  // namespace

TEST_CASE("functions of mechanisms take anything that their data hold for any argument", "[loops][state]") {
  for (const int seed : {0, 6})
    for (const auto& f : table()) {
      Closed s(seed), other(seed);
      const std::string name = f.name;
      const Arguments right = arguments(s, 31), before = arguments(s, 77);
      for (int slot = 1; slot < 6; ++slot) {
        const auto with = [&](const Eigen::Ref<const VectorXd>& x) -> Views {
          const auto at = [&](int k, const VectorXd& own) { return slot == k ? x : Eigen::Ref<const VectorXd>(own); };
          return {right.q, at(1, right.y), at(2, right.ydot), at(3, right.x), at(4, right.tree), at(5, right.forces)};
        };
        const Eigen::Index size = (slot == 4 ? right.tree : slot == 5 ? right.forces : right.y).size();
        const auto check = [&](const Eigen::Ref<const VectorXd>& view) {
          const VectorXd copy = view;
          if (view.size() != size) return;
          if (slot == 4 && name.starts_with("constrained_inverse") && !(copy.array() > 0).all()) return;  // an effort
          const MatrixXd expected = f.complete(other, with(copy));
          CHECK(f.complete(s, with(view)) == expected);
        };
        const Vectors results = held_results(s, before);
        for (std::size_t i = 0; i < 6; ++i) {
          CAPTURE(seed, f.name, slot, i);
          check(held_state(s, before)[i]);
        }
        for (std::size_t i = 0; i < results.size(); ++i) {
          CAPTURE(seed, f.name, slot, i);
          check(results[i]);
        }
      }
    }
}

TEST_CASE("after an exception of a joint or relation functions of mechanisms give what they should",
          "[loops][throws]") {
  for (const auto& f : table()) {
    Closed s(7), other(7);
    const Arguments x = arguments(s, 31), before = arguments(s, 77);
    const MatrixXd expected = f.complete(other, x);
    forward_kinematics<double>(other.mechanism, other.data, x.q, x.y, x.ydot);
    const MatrixXd reused = f.reuse(other, x);
    long k = 0;
    for (bool blew = true; blew; ++k) {
      CAPTURE(f.name, k);
      REQUIRE(k < 1000);
      f.complete(s, before);
      blew = blows(k, [&] { f.complete(s, x); });
      if (blew) {
        MatrixXd whole = expected;
        try {
          whole = f.reuse(s, x);
        } catch (const StateError&) {
        }
        CHECK(whole == expected);
      }
      CHECK(f.complete(s, x) == expected);
      forward_kinematics<double>(s.mechanism, s.data, x.q, x.y, x.ydot);
      blew = blows(k, [&] { f.reuse(s, x); }) || blew;
      // Functions that share parts of its results are checked as well.
      if (f.pass >= Pass::velocity)
        CHECK(coriolis_matrix(s.mechanism, s.data).C == coriolis_matrix(other.mechanism, other.data).C);
      CHECK(f.reuse(s, x) == reused);
    }
    CHECK(k > 1);
  }
}

TEST_CASE("functions of mechanisms refuse a state that does not go far enough, or is not theirs", "[loops][errors]") {
  for (const auto& f : table()) {
    CAPTURE(f.name);
    Closed s(0);
    const Arguments x = arguments(s, 31);
    if (f.pass == Pass::acceleration) forward_kinematics<double>(s.mechanism, s.data, x.q, x.y);
    if (f.pass == Pass::velocity) forward_kinematics<double>(s.mechanism, s.data, x.q);
    if (f.pass == Pass::position) s.data = MechanismData<double>(s.mechanism);
    const std::string text = f.name, name = text.substr(0, text.find(','));
    CHECK(mentions(message_of<StateError>([&] { f.reuse(s, x); }), {name}));
    if (name.starts_with("constrained_forward") || name == "constrained_impulse") continue;  // works on a tree
    VectorXd elsewhere = x.q;
    elsewhere[0] += 0.1;
    forward_kinematics<double>(s.model, s.data.tree, elsewhere, VectorXd::Ones(3), VectorXd::Ones(3));
    CHECK(mentions(message_of<StateError>([&] { f.reuse(s, x); }), {name, "forward_kinematics of the mechanism"}));
  }
}

TEST_CASE("data of another mechanism of the same tree is refused", "[loops][errors]") {
  Closed s(0);
  const Mechanism<double> other(s.model, s.loops, {"rocker_joint"});
  CHECK(mentions(message_of<StateError>([&] { crba<double>(other, s.data, s.q); }), {"another mechanism"}));
  CHECK(mentions(message_of<StateError>([&] { crba<double>(other, s.data); }), {"another mechanism"}));
  // Another acceleration at the same q and v is detected.
  forward_kinematics<double>(s.mechanism, s.data, s.q, s.y, s.y);
  const VectorXd v = s.data.tree.v;
  forward_kinematics<double>(s.model, s.data.tree, s.q, v, VectorXd::Ones(3));
  CHECK(mentions(message_of<StateError>([&] { rnea<double>(s.mechanism, s.data); }), {"rnea"}));
}

TEST_CASE("what needs M^-1 of a mechanism names a speed that moves no inertia", "[loops][errors]") {
  ModelBuilder<double> builder;
  builder.add_body({.name = "arm",
                    .joint = joint::Revolute({0, 0, 1}),
                    .inertia = InertialParameters<double>(Random<double>(1).inertia())});
  for (const char* name : {"crank", "wheel"})
    builder.add_body({.name = name, .parent = "arm", .joint = joint::Revolute({0, 0, 1})});
  builder.couple("belt", {{"crank_joint", 1.0}, {"wheel_joint", -2.0}}, 0.0, {"wheel_joint"});
  const Mechanism<double> mechanism(builder.build());
  MechanismData<double> data(mechanism);
  const VectorXd q = VectorXd::Zero(3), y = VectorXd::Zero(2);
  const std::vector<std::string> words{"M^-1", "'crank_joint'", "move no inertia"};
  CHECK(mentions(message_of<ModelError>([&] { aba<double>(mechanism, data, q, y, y); }), words));
  CHECK(mentions(message_of<ModelError>([&] { mass_matrix_inverse<double>(mechanism, data, q); }), words));
  CHECK(rnea<double>(mechanism, data, q, y, y).allFinite());
}

}  // namespace loops_test
