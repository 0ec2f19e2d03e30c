#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/loops/articulated_mechanism.hpp"

/// Equations of motion of mechanisms with closed loops in their independent speeds,
///   M dy/dt + C y + g = G^T tau,
/// as projections of the results of the functions of the same names for the tree. Every function has two forms, as for
/// trees: f(mechanism, data, q, y, ..), and f(mechanism, data, ..) at the state of the last forward_kinematics. Results
/// are valid until the next call of the same function; nothing is allocated from its second call on.
/// @throws SizeError; the first forms as forward_kinematics of the mechanism, the second forms StateError. Source:
/// Wensing and Slotine (2023), eqs 18 and 21.
namespace corio {
namespace detail {

/// out += A x for a matrix of the tree, whose entries are zero for degrees of freedom that are on no common path from a
/// root. O(n d).
template <class S>
void add_product(const Model<S>& tree, const MatrixX<S>& A, const VectorX<S>& x, VectorX<S>& out) {
  for (int r = 0; r < A.rows(); ++r) {
    out[r] += A(r, r) * x[r];
    for (int s = tree.dof_parent(r); s >= 0; s = tree.dof_parent(s)) out[r] += A(r, s) * x[s], out[s] += A(s, r) * x[r];
  }
}

/// nv x nv zeros.
template <class S>
MatrixX<S> square(const Mechanism<S>& mechanism) {
  return MatrixX<S>::Zero(mechanism.nv(), mechanism.nv());
}

/// A sum of columns with factors.
template <class S>
class ColumnSum {
 public:
  void clear() { terms_.clear(); }
  void add(const S* column, const S& factor) { terms_.push_back({column, factor}); }
  /// out = the sum, in rows begin, .., end - 1.
  void write(int begin, int end, S* out) const {
    using P = Pack<S>;
    for (; begin + P::width <= end; begin += P::width) {
      P sum = P::zero();
      for (const auto& [column, factor] : terms_) sum += factor * P::load(column + begin);
      sum.store(out + begin);
    }
    for (; begin < end; ++begin) {
      out[begin] = S(0);
      for (const auto& [column, factor] : terms_) out[begin] += factor * column[begin];
    }
  }

 private:
  std::vector<std::pair<const S*, S>> terms_;
};

/// Products L^T (A_1 R_1 + A_2 R_2 + ..) for maps L and R from independent speeds to those of the tree, as entries of
/// G, and matrices A of the tree, whose entries are zero for degrees of freedom that are on no common path from a root.
/// Only these pairs and the pairs of coupled speeds (Mechanism::dof_parent) are visited: the others are zero from the
/// beginning.
template <class S>
class Projection {
 public:
  struct Product {
    const MatrixX<S>& A;
    const VectorX<S>& R;
  };
  using Products = std::initializer_list<Product>;

  explicit Projection(const Mechanism<S>& m) : right_(MatrixX<S>::Zero(m.tree().nv(), m.nv())) {}

  /// out = the sum of the products. O(n d) for n degrees of freedom of the tree at depths up to d, times the number of
  /// independent speeds in a cluster.
  /// @param products  in the first one R is G, in the others rates of it
  void set(const Mechanism<S>& mechanism, const VectorX<S>& L, Products products, MatrixX<S>& out) {
    if (mechanism.is_tree()) return void(out = products.begin()->A);
    multiply(mechanism, products);
    for (int k = 0; k < mechanism.nv(); ++k)
      mechanism.for_each_to_root(k, [&](int i) {
        out(i, k) = row(mechanism, L, i, &right_(0, k));
        if (i != k) out(k, i) = row(mechanism, L, k, &right_(0, i));
      });
  }
  /// out = G^T A G for a symmetric A.
  void set_symmetric(const Mechanism<S>& mechanism, const VectorX<S>& G, const MatrixX<S>& A, MatrixX<S>& out) {
    if (mechanism.is_tree()) return void(out = A);
    multiply(mechanism, {{A, G}});
    for (int k = 0; k < mechanism.nv(); ++k)
      mechanism.for_each_to_root(k, [&](int i) { out(i, k) = out(k, i) = row(mechanism, G, i, &right_(0, k)); });
  }

  /// Row i of L^T times a vector of the tree.
  static S row(const Mechanism<S>& mechanism, const VectorX<S>& L, int i, const S* x) {
    S sum(0);
    mechanism.for_each_moved(i, [&](int r, int e) { sum += L[e] * x[r]; });
    return sum;
  }

 private:
  /// right = the sum of A R. Where G is constant the other maps, its rates, are zero.
  void multiply(const Mechanism<S>& mechanism, Products products) {
    const auto end_of_products = mechanism.varies() ? products.end() : products.begin() + 1;
    for (int k = 0; k < mechanism.nv(); ++k) {
      sum_.clear();
      for (auto product = products.begin(); product != end_of_products; ++product)
        mechanism.for_each_moved(
            k, [&](int s, int e) { sum_.add(product->A.data() + s * product->A.rows(), product->R[e]); });
      mechanism.for_each_reached(k, [&](int begin, int end) { sum_.write(begin, end, &right_(0, k)); });
    }
  }

  MatrixX<S> right_;
  ColumnSum<S> sum_;
};

/// out = A + A^T, where A can be nonzero.
template <class S>
void add_transpose(const Mechanism<S>& mechanism, const MatrixX<S>& A, MatrixX<S>& out) {
  for (int j = 0; j < mechanism.nv(); ++j)
    mechanism.for_each_to_root(j, [&](int i) { out(i, j) = out(j, i) = A(i, j) + A(j, i); });
}

}  // namespace detail

/// Results and scratch of the functions of mechanisms, stored in MechanismData.
namespace algorithm::of_mechanism {

/// rnea with the acceleration of the tree for dy/dt = 0.
template <class S>
struct nonlinear_effects {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "nonlinear_effects"};
  VectorX<S> tau, tree;
  PerNode<Motion<S>> acceleration;
  PerNode<Force<S>> force;

  explicit nonlinear_effects(const Mechanism<S>& m)
      : tau(zeros<S>(m.nv())),
        tree(zeros<S>(m.tree().nv())),
        acceleration(m.tree().num_nodes()),
        force(m.tree().num_nodes()) {}
  void run(const Mechanism<S>& mechanism, const MechanismData<S>& data, ExternalForces<S> external) {
    const Model<S>& model = mechanism.tree();
    detail::spread_accelerations(model, data.tree, data.a, acceleration);
    detail::project_body_forces<S>(model, data.tree, acceleration, external, force, tree);
    for (int k = 0; k < model.nv(); ++k) tree[k] += model.armature()[k] * data.a[k];
    tau.setZero();
    detail::add_projected(mechanism, data.G, tree, tau);
  }
};

template <class S>
struct crba {
  static constexpr detail::Requirement requires_pass{Pass::position, "crba"};
  MatrixX<S> M;
  detail::Projection<S> product;
  explicit crba(const Mechanism<S>& m) : M(detail::square(m)), product(m) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    product.set_symmetric(mechanism, data.G, corio::crba(mechanism.tree(), data.tree), M);
  }
};

template <class S>
struct aba {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "aba"};
  nonlinear_effects<S> bias;
  detail::ArticulatedMechanism<S> articulated;
  VectorX<S> ydot;

  explicit aba(const Mechanism<S>& m) : bias(m), articulated(m), ydot(zeros<S>(m.nv())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> tau, ExternalForces<S> external) {
    if (mechanism.is_tree()) return void(ydot = corio::aba(mechanism.tree(), data.tree, tau, external));
    bias.run(mechanism, data, external);
    articulated.compute(mechanism, data);
    ydot = tau - bias.tau;
    articulated.solve(mechanism, data, ydot);
  }
};

template <class S>
struct mass_matrix_inverse {
  static constexpr detail::Requirement requires_pass{Pass::position, "mass_matrix_inverse"};
  detail::ArticulatedMechanism<S> articulated;
  MatrixX<S> M_inverse;
  VectorX<S> column;

  explicit mass_matrix_inverse(const Mechanism<S>& m)
      : articulated(m), M_inverse(detail::square(m)), column(zeros<S>(m.nv())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    articulated.compute(mechanism, data);
    for (int k = 0; k < mechanism.nv(); ++k) {
      column.setZero();
      column[k] = S(1);
      articulated.solve(mechanism, data, column);
      for (int i = 0; i <= k; ++i) M_inverse(i, k) = M_inverse(k, i) = column[i];
    }
  }
};

template <class S>
struct mass_matrix_inverse_product {
  static constexpr detail::Requirement requires_pass{Pass::position, "mass_matrix_inverse_product"};
  detail::ArticulatedMechanism<S> articulated;
  VectorX<S> result;

  explicit mass_matrix_inverse_product(const Mechanism<S>& m) : articulated(m), result(zeros<S>(m.nv())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x) {
    articulated.compute(mechanism, data);
    result = x;
    articulated.solve(mechanism, data, result);
  }
};

template <class S, class Factorization>
struct coriolis_matrix {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "coriolis_matrix"};
  CoriolisMatrices<S> result;
  detail::Projection<S> product;
  explicit coriolis_matrix(const Mechanism<S>& m)
      : result{detail::square(m), detail::square(m), detail::square(m)}, product(m) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const Factorization& B) {
    const auto& tree = corio::coriolis_matrix(mechanism.tree(), data.tree, B);
    product.set_symmetric(mechanism, data.G, tree.M, result.M);
    product.set(mechanism, data.G, {{tree.C, data.G}, {tree.M, data.Gdot(mechanism)}}, result.C);
    detail::add_transpose(mechanism, result.C, result.Mdot);
  }
};

template <class S, class Factorization>
struct coriolis_product {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "coriolis_product"};
  VectorX<S> result, w, tree;
  explicit coriolis_product(const Mechanism<S>& m) : result(zeros<S>(m.nv())), w(zeros<S>(m.tree().nv())), tree(w) {}
  /// G^T (C G x + M dG/dt x).
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x, const Factorization& B) {
    detail::spread(mechanism, data.G, x, w);
    tree = corio::coriolis_product(mechanism.tree(), data.tree, w, B);
    if (mechanism.varies()) {
      detail::spread(mechanism, data.Gdot(mechanism), x, w);
      detail::add_product(mechanism.tree(), corio::crba(mechanism.tree(), data.tree), w, tree);
    }
    result.setZero();
    detail::add_projected(mechanism, data.G, tree, result);
  }
};

template <class S, class Factorization>
struct coriolis_transpose_product : coriolis_product<S, Factorization> {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "coriolis_transpose_product"};
  using coriolis_product<S, Factorization>::coriolis_product;
  /// G^T C^T G x + dG/dt^T M G x.
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x, const Factorization& B) {
    detail::spread(mechanism, data.G, x, this->w);
    this->tree = corio::coriolis_transpose_product(mechanism.tree(), data.tree, this->w, B);
    this->result.setZero();
    detail::add_projected(mechanism, data.G, this->tree, this->result);
    if (!mechanism.varies()) return;
    this->tree.setZero();
    detail::add_product(mechanism.tree(), corio::crba(mechanism.tree(), data.tree), this->w, this->tree);
    detail::add_projected(mechanism, data.Gdot(mechanism), this->tree, this->result);
  }
};

}  // namespace algorithm::of_mechanism

/// tau of the independent speeds, G^T tau of the tree's rnea: the forces of drives that act on the independent joints
/// only. For other drives, see constrained_inverse_dynamics.
/// @returns nv of the mechanism. O(n) in addition to forward_kinematics of the mechanism.
template <class S>
const VectorX<S>& rnea(const Mechanism<S>& mechanism, MechanismData<S>& data, ExternalForces<S> external = {}) {
  return detail::projected<algorithm::rnea<S>>(
      mechanism, data, [&]() -> auto& { return rnea<S>(mechanism.tree(), data.tree, external); });
}
template <class S>
const VectorX<S>& rnea(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                       VectorIn<S> ydot, ExternalForces<S> external = {}) {
  return rnea<S>(mechanism, forward_kinematics<S>(mechanism, data, q, y, ydot), external);
}

/// C y + g. O(n).
template <class S>
const VectorX<S>& nonlinear_effects(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  const ExternalForces<S> none{};
  return data.template run<algorithm::of_mechanism::nonlinear_effects<S>>(mechanism, none).tau;
}
template <class S>
const VectorX<S>& nonlinear_effects(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                    VectorIn<S> y) {
  return nonlinear_effects<S>(mechanism, forward_kinematics<S>(mechanism, data, q, y));
}

/// g = G^T g of the tree. O(n).
template <class S>
const VectorX<S>& generalized_gravity(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  return detail::projected<algorithm::generalized_gravity<S>>(
      mechanism, data, [&]() -> auto& { return generalized_gravity<S>(mechanism.tree(), data.tree); });
}
template <class S>
const VectorX<S>& generalized_gravity(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  return generalized_gravity<S>(mechanism, forward_kinematics<S>(mechanism, data, q));
}

/// M = G^T M G, armature included. O(n d), times the number of independent speeds in a cluster.
template <class S>
const MatrixX<S>& crba(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  return data.template run<algorithm::of_mechanism::crba<S>>(mechanism).M;
}
template <class S>
const MatrixX<S>& crba(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  return crba<S>(mechanism, forward_kinematics<S>(mechanism, data, q));
}

/// dy/dt = M^-1 (tau - C y - g), by the articulated-body algorithm, to which the bodies that loops tie to each other
/// are one body of several speeds.
/// @param tau  nv of the mechanism; project_forces converts forces on other joints of the tree
/// @throws Error also for a tau that is not finite; ModelError for a speed that moves no inertia. O(n), times the
/// square of the number of independent speeds of such a body.
template <class S>
const VectorX<S>& aba(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> tau,
                      ExternalForces<S> external = {}) {
  detail::check_sample("tau", tau, mechanism.nv());
  return data.template run<algorithm::of_mechanism::aba<S>>(mechanism, tau, external).ydot;
}
template <class S>
const VectorX<S>& aba(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q, VectorIn<S> y,
                      VectorIn<S> tau, ExternalForces<S> external = {}) {
  detail::check_sample("tau", tau, mechanism.nv());
  return aba<S>(mechanism, forward_kinematics<S>(mechanism, data, q, y), tau, external);
}

/// M^-1, column by column as aba finds dy/dt. @throws ModelError for a speed that moves no inertia. O(n^2).
template <class S>
const MatrixX<S>& mass_matrix_inverse(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  return data.template run<algorithm::of_mechanism::mass_matrix_inverse<S>>(mechanism).M_inverse;
}
template <class S>
const MatrixX<S>& mass_matrix_inverse(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  return mass_matrix_inverse(mechanism, forward_kinematics<S>(mechanism, data, q));
}

/// M^-1 x, as aba finds dy/dt.
/// @param x  nv of the mechanism
/// @throws ModelError for a speed that moves no inertia. O(n), as aba.
template <class S>
const VectorX<S>& mass_matrix_inverse_product(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x) {
  detail::check_input("x", x, mechanism.nv());
  return data.template run<algorithm::of_mechanism::mass_matrix_inverse_product<S>>(mechanism, x).result;
}
template <class S>
const VectorX<S>& mass_matrix_inverse_product(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                              VectorIn<S> x) {
  detail::check_input("x", x, mechanism.nv());
  return mass_matrix_inverse_product(mechanism, forward_kinematics<S>(mechanism, data, q), x);
}

/// M = G^T M G,   C = G^T (C G + M dG/dt),   dM/dt = C + C^T: with an admissible factorization of the tree, dM/dt - 2 C
/// is skew-symmetric here as well. O(n d), times the number of independent speeds in a cluster.
/// @param B  the factorization of the tree's C
template <class Factorization = factorization::Christoffel, class S>
const CoriolisMatrices<S>& coriolis_matrix(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                           const Factorization& B = {}) {
  return data.template run<algorithm::of_mechanism::coriolis_matrix<S, Factorization>>(mechanism, B).result;
}
template <class Factorization = factorization::Christoffel, class S>
const CoriolisMatrices<S>& coriolis_matrix(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q,
                                           VectorIn<S> y, const Factorization& B = {}) {
  return coriolis_matrix(mechanism, forward_kinematics<S>(mechanism, data, q, y), B);
}

/// C x, for a reference speed x that need not be y. O(n), and where G varies O(n d).
template <class Factorization = factorization::Christoffel, class S>
const VectorX<S>& coriolis_product(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x,
                                   const Factorization& B = {}) {
  detail::check_input("x", x, mechanism.nv());
  return data.template run<algorithm::of_mechanism::coriolis_product<S, Factorization>>(mechanism, x, B).result;
}
/// C^T x, for x = y a term of momentum observers. O(n), and where G varies O(n d).
template <class Factorization = factorization::Christoffel, class S>
const VectorX<S>& coriolis_transpose_product(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x,
                                             const Factorization& B = {}) {
  detail::check_input("x", x, mechanism.nv());
  return data.template run<algorithm::of_mechanism::coriolis_transpose_product<S, Factorization>>(mechanism, x, B)
      .result;
}

}  // namespace corio
