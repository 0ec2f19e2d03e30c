#include <functional>
#include <string>
#include <vector>

#include "corio/loops/mechanism_derivatives.hpp"
#include "corio/loops/mechanism_dynamics.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "support/catch.hpp"
#include "support/counting_scalar.hpp"

// Cost of mechanisms is a claim about growth, tested by counts of operations: on trees of geared links, whose clusters
// have two degrees of freedom each.
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
    for (int i = 0; i < n; ++i) y[i] = Counting(0.3 - 0.01 * (i % 7));
    for (int i = 0; i < 2 * n; ++i) q[i] = Counting(0.1 + 0.07 * (i % 11));
  }
  /// The sum of f(d) over the degrees of freedom of the tree, with the number d of those on the way to the ground.
  double sum_of_depths(const std::function<double(double)>& f) const {
    const Model<Counting>& tree = mechanism.tree();
    double sum = 0.0;
    for (int k = 0; k < tree.nv(); ++k) {
      double d = 1.0;
      for (int i = tree.dof_parent(k); i >= 0; i = tree.dof_parent(i)) d += 1.0;
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
      {"christoffel_symbols", by_square_of_depth,
       [symbols = Tensor3<C>()](auto& m, auto& data, auto& q, auto&) mutable {
         christoffel_symbols<C>(m, data, q, symbols);
       }},
  };
  // From 31 links to 127, which is 16 times the cost for what is quadratic: in binary trees, where depths grow by a
  // third, 5.4 times for O(n d). A tenth is left for what does not grow.
  for (const auto& [name, growth, call] : functions)
    for (const int branching : {1, 2}) {
      CAPTURE(name, branching);
      GearedTree small(31, branching), large(127, branching);
      const double expected = large.sum_of_depths(growth) / small.sum_of_depths(growth);
      CHECK(operations(large, call) <= 1.1 * expected * operations(small, call));
    }
}

}  // namespace corio
