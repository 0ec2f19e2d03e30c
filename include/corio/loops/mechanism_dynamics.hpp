#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/loops/mechanism_kinematics.hpp"

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

/// L^T X for maps L from independent speeds to those of the tree, as entries of G, and an X that is a sum of products.
/// Whole columns, zeros included, are faster than single entries.
template <class S>
class Projection {
 public:
  MatrixX<S> X;

  explicit Projection(const Mechanism<S>& m) : X(m.tree().nv(), m.nv()), Xt_(m.nv(), X.rows()), out_(m.nv(), m.nv()) {}

  /// X = A R for a matrix A of the tree and a map R. O(n^2), times the number of independent speeds in a cluster.
  template <class Matrix>
  Projection& set(const Mechanism<S>& mechanism, const Matrix& A, const VectorX<S>& R) {
    X.setZero();
    return add(mechanism, A, R);
  }
  /// X += A R.
  template <class Matrix>
  Projection& add(const Mechanism<S>& mechanism, const Matrix& A, const VectorX<S>& R) {
    add_product(mechanism, A, R, X);
    return *this;
  }
  /// out = L^T X, O(n^2) like X.
  void write(const Mechanism<S>& mechanism, const VectorX<S>& L, MatrixX<S>& out) {
    Xt_ = X.transpose();
    out_.setZero();
    add_product(mechanism, Xt_, L, out_);
    out = out_.transpose();
  }

 private:
  MatrixX<S> Xt_, out_;
};

/// M = L^T D L in place, with the nonzeros of Mechanism::before. O(n d^2).
/// @throws ModelError for a speed that moves no inertia
template <class S>
void factorize_mass_matrix(const Mechanism<S>& mechanism, MatrixX<S>& M) {
  for (int k = mechanism.nv() - 1; k >= 0; --k) {
    if (!(value_of(M(k, k)) > 0.0))
      throw ModelError(join({"model '", mechanism.tree().name(), "': M^-1 is needed, but joint '",
                             joint_of_dof(mechanism.tree(), mechanism.independent()[static_cast<std::size_t>(k)]),
                             "' and what it drives move no inertia"}));
    const auto& before = mechanism.before(k);
    for (const int i : before) {
      const S factor = M(k, i) / M(k, k);
      for (const int j : before) {
        if (j > i) break;
        M(i, j) -= factor * M(k, j);
      }
    }
    for (const int i : before) M(k, i) /= M(k, k);
  }
}

/// x <- M^-1 x for every column of x, with the factors of M. O(n d) a column.
template <class S, class X>
void solve_mass_matrix(const Mechanism<S>& mechanism, const MatrixX<S>& factors, X& x) {
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    for (int k = mechanism.nv() - 1; k >= 0; --k)
      for (const int i : mechanism.before(k)) x(i, c) -= factors(k, i) * x(k, c);
    for (int k = 0; k < mechanism.nv(); ++k) {
      x(k, c) /= factors(k, k);
      for (const int i : mechanism.before(k)) x(k, c) -= factors(k, i) * x(i, c);
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
  explicit crba(const Mechanism<S>& m) : M(m.nv(), m.nv()), product(m) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    const MatrixX<S>& tree = corio::crba(mechanism.tree(), data.tree);
    product.set(mechanism, tree, data.G).write(mechanism, data.G, M);
  }
};

template <class S>
struct aba {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "aba"};
  nonlinear_effects<S> bias;
  crba<S> mass;
  VectorX<S> ydot;

  explicit aba(const Mechanism<S>& m) : bias(m), mass(m), ydot(zeros<S>(m.nv())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> tau, ExternalForces<S> external) {
    bias.run(mechanism, data, external);
    mass.run(mechanism, data);
    detail::factorize_mass_matrix(mechanism, mass.M);
    ydot = tau - bias.tau;
    detail::solve_mass_matrix(mechanism, mass.M, ydot);
  }
};

template <class S, class Factorization>
struct coriolis_matrix {
  static constexpr detail::Requirement requires_pass{Pass::velocity, "coriolis_matrix"};
  CoriolisMatrices<S> result;
  detail::Projection<S> product;
  explicit coriolis_matrix(const Mechanism<S>& m) : product(m) {
    for (auto* x : {&result.C, &result.M, &result.Mdot}) x->resize(m.nv(), m.nv());
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const Factorization& B) {
    const auto& tree = corio::coriolis_matrix(mechanism.tree(), data.tree, B);
    product.set(mechanism, tree.M, data.G).write(mechanism, data.G, result.M);
    product.set(mechanism, tree.C, data.G).add(mechanism, tree.M, data.Gdot).write(mechanism, data.G, result.C);
    result.Mdot = result.C + result.C.transpose();
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

/// M = G^T M G, armature included. O(n^2), times the number of independent speeds in a cluster.
template <class S>
const MatrixX<S>& crba(const Mechanism<S>& mechanism, MechanismData<S>& data) {
  return data.template run<algorithm::of_mechanism::crba<S>>(mechanism).M;
}
template <class S>
const MatrixX<S>& crba(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> q) {
  return crba<S>(mechanism, forward_kinematics<S>(mechanism, data, q));
}

/// dy/dt = M^-1 (tau - C y - g), with a factor of M that has the zeros of the mechanism.
/// @param tau  nv of the mechanism; project_forces converts forces on other joints of the tree
/// @throws Error also for a tau that is not finite; ModelError for a speed that moves no inertia. O(n^2), times the
/// number of independent speeds in a cluster, for M, which is projected as a whole, and O(n d^2) for its factor: more
/// than the O(n) of a tree (README.md has figures).
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

/// M = G^T M G,   C = G^T (C G + M dG/dt),   dM/dt = C + C^T: with an admissible factorization of the tree, dM/dt - 2 C
/// is skew-symmetric here as well. O(n^2), times the number of independent speeds in a cluster.
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
