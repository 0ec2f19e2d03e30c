#pragma once

#include <vector>

#include "corio/zoo/zoo.hpp"
#include "support/counting_scalar.hpp"

/// Exact growth of operation counts with the size and shape of a mechanism. All mechanisms here consist of revolute
/// joints and hang on the ground by one of them, so that a count is
///   constant + per_body n + per_pair p + per_triple t
/// with the numbers p of related pairs, one degree of freedom strictly above the other, and t of related triples.
namespace corio::test {

struct Mechanism {
  explicit Mechanism(const Model<Counting>& m) : model(m) {}
  Model<Counting> model;

  /// Returns a configuration and four vectors, as Arguments takes them.
  std::vector<VectorX<double>> numbers() const {
    VectorX<double> q(model.nq()), v(model.nv());
    for (int i = 0; i < q.size(); ++i) q[i] = 0.1 + 0.07 * i, v[i] = 0.3 - 0.02 * i;
    return {q, v, v, v, v};
  }
  long bodies() const { return model.num_nodes(); }
  long related_pairs() const {
    long pairs = 0;
    for (int b = 0; b < model.num_nodes(); ++b) pairs += depth(b);
    return pairs;
  }
  long related_triples() const {
    long triples = 0;
    for (int b = 0; b < model.num_nodes(); ++b) triples += depth(b) * (depth(b) - 1) / 2;
    return triples;
  }

 private:
  /// Returns the number of bodies above b.
  long depth(int b) const {
    long above = 0;
    for (int a = model.node(b).parent; a >= 0; a = model.node(a).parent) ++above;
    return above;
  }
};

inline Mechanism chain(int n) { return Mechanism(zoo::serial_chain<Counting>(n)); }

/// Returns chains, and trees of logarithmic depth with a branching factor of two and four.
inline std::vector<Mechanism> mechanisms() {
  std::vector<Mechanism> all;
  for (const int n : {10, 20, 40, 80}) all.push_back(chain(n));
  for (const int branching : {2, 4})
    for (const int n : {7, 20, 85, 127}) all.emplace_back(zoo::tree<Counting>(n, branching));
  return all;
}

struct Growth {
  Operations constant, per_body, per_pair, per_triple;
  Operations at(const Mechanism& m) const {
    return constant + m.bodies() * per_body + m.related_pairs() * per_pair + m.related_triples() * per_triple;
  }
};

/// Finds the coefficients from the counts for chains of 3 to 6 bodies, with n (n - 1) / 2 pairs and n (n - 1) (n - 2) /
/// 6 triples: third differences are per_triple, second differences give per_pair, and so on.
template <class F>
Growth growth(F&& count) {
  const Operations three = count(chain(3)), four = count(chain(4)), five = count(chain(5)), six = count(chain(6));
  const Operations first = four - three, second = (five - four) - first;
  Growth g;
  g.per_triple = ((six - five) - (five - four)) - second;
  g.per_pair = second - 3 * g.per_triple;
  g.per_body = first - 3 * g.per_pair - 3 * g.per_triple;
  g.constant = three - 3 * g.per_body - 3 * g.per_pair - g.per_triple;
  return g;
}

}  // namespace corio::test
