#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "corio/algorithms/dynamics/mass_matrix_inverse_product.hpp"
#include "corio/loops/detail/delassus.hpp"
#include "corio/mechanism/constrained_inverse_dynamics.hpp"
#include "corio/mechanism/derivatives.hpp"
#include "corio/mechanism/dynamics.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "support/catch.hpp"
#include "support/counting_scalar.hpp"

// Checks how the cost of mechanisms grows, by counts of operations on trees of geared links, whose clusters have two
// degrees of freedom each.
namespace corio {
namespace {

using test::Counting;
using Numbers = VectorX<Counting>;

struct GearedTree {
  Mechanism<Counting> mechanism;
  MechanismData<Counting> data;
  Numbers q, y;

  GearedTree(int n, int branching)
      : mechanism(zoo::geared_tree<Counting>(n, branching)), data(mechanism), q(2 * n), y(n) {
    // Gears have the same map in every configuration.
    mechanism.set_closing_tolerance(std::numeric_limits<double>::infinity());
    for (int i = 0; i < n; ++i) y[i] = Counting(0.3 - 0.01 * (i % 7));
    for (int i = 0; i < 2 * n; ++i) q[i] = Counting(0.1 + 0.07 * (i % 11));
  }
  /// Returns the sum of f(d) over the tree's degrees of freedom, where d counts those on the way to the ground.
  double sum_of_depths(const std::function<double(double)>& f) const {
    const Model<Counting>& tree = mechanism.tree();
    double sum = 0.0;
    for (int k = 0; k < tree.nv(); ++k) {
      double d = 1.0;
      for (int i = tree.parent_dof(k); i >= 0; i = tree.parent_dof(i)) d += 1.0;
      sum += f(d);
    }
    return sum;
  }
};

template <class F>
double operations(GearedTree& robot, F&& f) {
  const long before = Counting::operations.total();
  f(robot.mechanism, robot.data, robot.q, robot.y);
  return static_cast<double>(Counting::operations.total() - before);
}

}  // namespace

TEST_CASE("functions of mechanisms grow with their trees", "[loops]") {
  using Count =
      std::function<void(const Mechanism<Counting>&, MechanismData<Counting>&, const Numbers&, const Numbers&)>;
  using C = Counting;
  const auto linear = [](double) { return 1.0; };
  const auto by_depth = [](double d) { return d; };
  const auto by_square_of_depth = [](double d) { return d * d; };
  struct Function {
    std::string name;
    std::function<double(double)> growth;
    Count call;
  };
  const std::vector<Function> functions = {
      {"rnea", linear, [](auto& m, auto& data, auto& q, auto& y) { rnea<C>(m, data, q, y, y); }},
      {"nonlinear_effects", linear, [](auto& m, auto& data, auto& q, auto& y) { nonlinear_effects<C>(m, data, q, y); }},
      {"crba", by_depth, [](auto& m, auto& data, auto& q, auto&) { crba<C>(m, data, q); }},
      {"coriolis_matrix", by_depth,
       [](auto& m, auto& data, auto& q, auto& y) { coriolis_matrix<factorization::Christoffel, C>(m, data, q, y); }},
      {"coriolis_matrix_dot", by_depth,
       [](auto& m, auto& data, auto& q, auto& y) {
         coriolis_matrix_dot<factorization::Christoffel, C>(m, data, q, y, y);
       }},
      {"inverse_dynamics_derivatives", by_depth,
       [](auto& m, auto& data, auto& q, auto& y) { inverse_dynamics_derivatives<C>(m, data, q, y, y); }},
      {"aba", linear, [](auto& m, auto& data, auto& q, auto& y) { aba<C>(m, data, q, y, y); }},
      // Tests the algorithm, because the function itself takes only floating-point numbers; two joints of three have
      // drives.
      {"constrained_inverse_dynamics", linear,
       [](auto& m, auto& data, auto& q, auto& y) {
         Numbers effort(m.tree().nv());
         for (int k = 0; k < effort.size(); ++k)
           effort[k] = C(k % 2 == 1 || k % 6 == 0 ? 1.0 + k : std::numeric_limits<double>::infinity());
         forward_kinematics<C>(m, data, q, y, y);
         data.template run<algorithm::ConstrainedInverseDynamics<C>>(m, effort);
       }},
      {"christoffel_symbols", by_square_of_depth,
       [](auto& m, auto& data, auto& q, auto&) {
         ChristoffelTensor<C> symbols(m);
         christoffel_symbols<C>(m, data, q, symbols);
       }},
  };
  // From 31 links to 127, a quadratic cost grows by 16; in binary trees, where depths grow by a third, O(n d) grows by
  // 5.4. The bound is a tenth lower because of terms that do not grow.
  for (const auto& [name, growth, call] : functions)
    for (const int branching : {1, 2}) {
      CAPTURE(name, branching);
      GearedTree small(31, branching), large(127, branching);
      const double expected = large.sum_of_depths(growth) / small.sum_of_depths(growth);
      CHECK(operations(large, call) <= 1.1 * expected * operations(small, call));
    }
}

namespace {

/// Builds four-bar linkages beside each other at the end of a chain, or on the ground if the chain has no links.
Model<Counting> four_bars(int chain, int linkages) {
  ModelBuilder<double> builder("four_bars");
  const auto add = [&](const std::string& name, const std::string& parent, double x) {
    builder.add_body({.name = name,
                      .parent = parent,
                      .joint = joint::Revolute::z(),
                      .placement = {identity3<double>(), {x, 0, 0}},
                      .inertia = {1.0, {0.2, 0, 0}, Vector3<double>(0.02, 0.05, 0.06).asDiagonal()}});
  };
  std::string base;
  for (int i = 0; i < chain; ++i) {
    const std::string link = "link" + std::to_string(i);
    add(link, base, 0.2);
    base = link;
  }
  for (int i = 0; i < linkages; ++i) {
    const auto name = [&](const char* part) { return part + std::to_string(i); };
    add(name("crank"), base, 0.0);
    add(name("coupler"), name("crank"), 0.3);
    add(name("rocker"), base, 0.8);
    builder.add_frame(name("tip"), name("coupler"), {identity3<double>(), {0.9, 0, 0}});
    builder.add_frame(name("pin"), name("rocker"), {identity3<double>(), {0.7, 0, 0}});
    builder.close_loop(name("loop"), name("tip"), name("pin"), closure::Revolute{{0, 0, 1}}, {});
  }
  return builder.build().cast<Counting>();
}

/// Counts the operations of constrained_forward_dynamics beyond aba, including its elimination.
double operations_of_loops(int chain, int linkages) {
  const Model<Counting> model = four_bars(chain, linkages);
  const Loops<Counting> loops(model);
  Data<Counting> data(model);
  Numbers q(model.nv()), v(model.nv());
  for (int i = 0; i < model.nv(); ++i) q[i] = Counting(0.3 + 0.4 * (i % 3)), v[i] = Counting(0.1);
  forward_kinematics<Counting>(model, data, q, v);
  detail::ArticulatedFactor<Counting> tree(model);
  VectorX<Counting> a = v;
  detail::Delassus<Counting> delassus(model);
  const auto count = test::operations_of([&] {
    tree.compute(model, data);
    delassus.compute(model, data, loops, tree);
    MatrixX<Counting> error = delassus.speed(), lambda;
    delassus.solve(error, lambda);
    delassus.add_forces(lambda, a);
  });
  CHECK(delassus.rank() == 2 * linkages);
  return static_cast<double>(count.total());
}

/// Counts those for the accelerations and the loop forces of linkages on one chain, by a mechanism.
double operations_of_mechanism(int linkages) {
  const Model<Counting> model = four_bars(20, linkages);
  std::vector<std::string> independent;
  for (const Joint& joint : model.joints())
    if (joint.name().starts_with("link") || joint.name().starts_with("crank")) independent.push_back(joint.name());
  Mechanism<Counting> mechanism(model, Loops<Counting>(model), independent);
  mechanism.set_closing_tolerance(std::numeric_limits<double>::infinity());  // any configuration costs the same
  MechanismData<Counting> data(mechanism);
  Numbers q(model.nv()), y(mechanism.nv()), effort(model.nv());
  for (int i = 0; i < q.size(); ++i) q[i] = Counting(0.3 + 0.4 * (i % 3)), effort[i] = Counting(1.0);
  for (int i = 0; i < y.size(); ++i) y[i] = Counting(0.1);
  const auto count = test::operations_of([&] {
    const Numbers ydot = aba<Counting>(mechanism, data, q, y, y);
    forward_kinematics<Counting>(mechanism, data, q, y, ydot);
    data.run<algorithm::ConstrainedInverseDynamics<Counting>>(mechanism, effort);
  });
  return static_cast<double>(count.total());
}

}  // namespace

TEST_CASE("forces of loops grow with the tree and with the loops on its branches", "[loops]") {
  // Tests eight times the linkages on the ground, and a chain eight times as long below one linkage.
  CHECK(operations_of_loops(0, 64) <= 8.0 * operations_of_loops(0, 8));
  CHECK(operations_of_loops(160, 1) <= 8.0 * operations_of_loops(20, 1));
  // Linkages on one body act on each other, and all reach the root: the cost is m^2 d, here for four times the loops.
  CHECK(operations_of_loops(20, 16) <= 16.0 * operations_of_loops(20, 4));
  // A mechanism's cost grows in proportion to the loops: twice the loops add twice the operations.
  const double few = operations_of_mechanism(8), more = operations_of_mechanism(16), many = operations_of_mechanism(32);
  CHECK(many - more <= 1.01 * 2.0 * (more - few));
}

}  // namespace corio
