#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis/coriolis_product.hpp"
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

/// f(r) for s and the degrees of freedom above and below it, those of its joint included.
template <class S, class F>
void for_each_related(const Model<S>& tree, int s, F&& f) {
  for (int r = tree.dof_parent(s); r >= 0; r = tree.dof_parent(r)) f(r);
  for (int r = s; r < tree.subtree_end_of_dof(s); ++r) f(r);
}

/// nv x nv zeros.
template <class S>
MatrixX<S> square(const Mechanism<S>& mechanism) {
  return MatrixX<S>::Zero(mechanism.nv(), mechanism.nv());
}

/// Products L^T A R for maps L and R from independent speeds to those of the tree, as entries of G, and matrices A of
/// the tree, whose entries are zero for degrees of freedom that are on no common path from a root. Only these pairs and
/// the entries of the results that they reach (Mechanism::for_each_coupled) are visited: the others are zero from the
/// beginning.
template <class S>
class Projection {
 public:
  struct Term {
    const VectorX<S>& R;
    MatrixX<S>& out;
  };
  using Terms = std::initializer_list<Term>;

  explicit Projection(const Mechanism<S>& m) : column_(VectorX<S>::Zero(m.nv())) {}

  static void clear(const Mechanism<S>& mechanism, std::initializer_list<MatrixX<S>*> results) {
    for (MatrixX<S>* out : results)
      for (int j = 0; j < mechanism.nv(); ++j)
        mechanism.for_each_coupled(j,
                                   [&](int i, int end) { std::fill(&(*out)(i, j), &(*out)(i, j) + (end - i), S(0)); });
  }
  /// f(x) with x = L^T A e_s, which is zero outside of Mechanism::for_each_coupled of any speed that moves s; not
  /// called where none does. O(d) for each entry in a row of L.
  template <class Matrix, class F>
  void visit_column(const Mechanism<S>& mechanism, const VectorX<S>& L, const Matrix& A, int s, F&& f) {
    if (mechanism.entry(s) == mechanism.entry(s + 1)) return;
    const S* const a = A.data() + s * A.rows();
    S* const x = column_.data();
    for_each_related(mechanism.tree(), s,
                     [&](int r) { mechanism.for_each_entry(r, [&](int i, int e) { x[i] += L[e] * a[r]; }); });
    f(x);
    mechanism.for_each_entry(s, [&](int j, int) {
      mechanism.for_each_coupled(j, [&](int i, int end) { std::fill(x + i, x + end, S(0)); });
    });
  }
  /// What column s of A adds to out += L^T A R, for each R and its result.
  template <class Matrix>
  void add_column(const Mechanism<S>& mechanism, const VectorX<S>& L, const Matrix& A, int s, Terms terms) {
    visit_column(mechanism, L, A, s, [&](const S* x) {
      mechanism.for_each_entry(s, [&](int j, int e) {
        for (const Term& term : terms) {
          const S factor = term.R[e];
          S* const column = term.out.data() + j * mechanism.nv();
          mechanism.for_each_coupled(j, [&](int i, int end) { add_multiple<S>(column + i, factor, x + i, end - i); });
        }
      });
    });
  }
  /// out += L^T A R for each R and its result. O(n d) for n degrees of freedom of the tree at depths up to d, times the
  /// number of independent speeds in a cluster.
  template <class Matrix>
  void add(const Mechanism<S>& mechanism, const VectorX<S>& L, const Matrix& A, Terms terms) {
    for (int s = 0; s < mechanism.tree().nv(); ++s) add_column(mechanism, L, A, s, terms);
  }

 private:
  VectorX<S> column_;
};

/// out = A + A^T, where A can be nonzero.
template <class S>
void add_transpose(const Mechanism<S>& mechanism, const MatrixX<S>& A, MatrixX<S>& out) {
  for (int j = 0; j < mechanism.nv(); ++j)
    mechanism.for_each_coupled(j, [&](int i, int end) {
      for (; i < end; ++i) out(i, j) = A(i, j) + A(j, i);
    });
}

/// M = L^T D L in place, with the nonzeros of Mechanism::for_each_coupled. O(n d^2).
/// @throws ModelError for a speed that moves no inertia
template <class S>
void factorize_mass_matrix(const Mechanism<S>& mechanism, MatrixX<S>& M) {
  for (int k = mechanism.nv() - 1; k >= 0; --k) {
    require_inertia(mechanism, k, M(k, k));
    mechanism.for_each_coupled_before(k, k, [&](int i) {
      const S factor = M(k, i) / M(k, k);
      mechanism.for_each_coupled_before(k, i + 1, [&](int j) { M(i, j) -= factor * M(k, j); });
    });
    mechanism.for_each_coupled_before(k, k, [&](int i) { M(k, i) /= M(k, k); });
  }
}

/// x <- M^-1 x for every column of x, with the factors of M. O(n d) a column.
template <class S, class X>
void solve_mass_matrix(const Mechanism<S>& mechanism, const MatrixX<S>& factors, X& x) {
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    for (int k = mechanism.nv() - 1; k >= 0; --k)
      mechanism.for_each_coupled_before(k, k, [&](int i) { x(i, c) -= factors(k, i) * x(k, c); });
    for (int k = 0; k < mechanism.nv(); ++k) {
      x(k, c) /= factors(k, k);
      mechanism.for_each_coupled_before(k, k, [&](int i) { x(k, c) -= factors(k, i) * x(i, c); });
    }
  }
}

}  // namespace detail

/// Results and scratch of the functions of mechanisms, stored in MechanismData.
namespace algorithm::of_mechanism {

template <class S>
struct rnea {
  static constexpr detail::Requirement requires_pass{Pass::acceleration, "rnea"};
  VectorX<S> tau;
  explicit rnea(const Mechanism<S>& m) : tau(zeros<S>(m.nv())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, ExternalForces<S> external) {
    tau.setZero();
    detail::add_projected(mechanism, data.G, corio::rnea(mechanism.tree(), data.tree, external), tau);
  }
};

template <class S>
struct generalized_gravity {
  static constexpr detail::Requirement requires_pass{Pass::position, "generalized_gravity"};
  VectorX<S> g;
  explicit generalized_gravity(const Mechanism<S>& m) : g(zeros<S>(m.nv())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    g.setZero();
    detail::add_projected(mechanism, data.G, corio::generalized_gravity(mechanism.tree(), data.tree), g);
  }
};

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
    detail::body_forces<S>(model, data.tree, acceleration, external, force);
    detail::project_forces(model, data.tree.phi, force, tree);
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
    product.clear(mechanism, {&M});
    product.add(mechanism, data.G, corio::crba(mechanism.tree(), data.tree), {{data.G, M}});
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

template <class S, class Factorization>
struct coriolis_matrix {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "coriolis_matrix"};
  CoriolisMatrices<S> result;
  detail::Projection<S> product;
  explicit coriolis_matrix(const Mechanism<S>& m)
      : result{detail::square(m), detail::square(m), detail::square(m)}, product(m) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const Factorization& B) {
    const auto& tree = corio::coriolis_matrix(mechanism.tree(), data.tree, B);
    product.clear(mechanism, {&result.M, &result.C});
    product.add(mechanism, data.G, tree.M, {{data.G, result.M}, {data.Gdot, result.C}});
    product.add(mechanism, data.G, tree.C, {{data.G, result.C}});
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
    detail::spread<S>(mechanism, data.G, x, w);
    tree = corio::coriolis_product(mechanism.tree(), data.tree, w, B);
    if (mechanism.varies()) {
      detail::spread<S>(mechanism, data.Gdot, x, w);
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
    detail::spread<S>(mechanism, data.G, x, this->w);
    this->tree = corio::coriolis_transpose_product(mechanism.tree(), data.tree, this->w, B);
    this->result.setZero();
    detail::add_projected(mechanism, data.G, this->tree, this->result);
    if (!mechanism.varies()) return;
    this->tree.setZero();
    detail::add_product(mechanism.tree(), corio::crba(mechanism.tree(), data.tree), this->w, this->tree);
    detail::add_projected(mechanism, data.Gdot, this->tree, this->result);
  }
};

}  // namespace algorithm::of_mechanism

/// tau of the independent speeds, G^T tau of the tree's rnea: the forces of drives that act on the independent joints
/// only. For other drives, see constrained_inverse_dynamics.
/// @returns nv of the mechanism. O(n) in addition to forward_kinematics of the mechanism.
template <class S>
const VectorX<S>& rnea(const Mechanism<S>& mechanism, MechanismData<S>& data, ExternalForces<S> external = {}) {
  return data.template run<algorithm::of_mechanism::rnea<S>>(mechanism, external).tau;
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
  return data.template run<algorithm::of_mechanism::generalized_gravity<S>>(mechanism).g;
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
