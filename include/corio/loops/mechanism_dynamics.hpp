#pragma once

#include "corio/algorithms/coriolis/coriolis_matrix.hpp"
#include "corio/algorithms/coriolis/coriolis_matrix_dot.hpp"
#include "corio/algorithms/coriolis/coriolis_product.hpp"
#include "corio/algorithms/dynamics/aba.hpp"
#include "corio/algorithms/dynamics/crba.hpp"
#include "corio/algorithms/dynamics/mass_matrix_inverse.hpp"
#include "corio/algorithms/dynamics/mass_matrix_inverse_product.hpp"
#include "corio/compiled/list.hpp"
#include "corio/loops/articulated_mechanism.hpp"
#include "corio/loops/mechanism_quantities.hpp"

/// Equations of motion of mechanisms with closed loops in their independent speeds,
///   M dy/dt + C y + g = G^T tau,
/// where v, a and tau of the functions of trees are y, dy/dt and forces on the independent speeds. With quantities of
/// the tree on the right,
///   M = G^T M G,   C = G^T (C G + M dG/dt),   dM/dt = C + C^T,   g = G^T g,   rnea = G^T rnea,
///   Cdot = dG/dt^T (C G + M dG/dt) + G^T (Cdot G + C dG/dt + Mdot dG/dt + M d2G/dt2).
/// The factorization that a function is given is that of the tree's C; with an admissible one dM/dt - 2 C is
/// skew-symmetric here as well. The forces of rnea are those of drives that act on the independent joints only; for
/// other drives see constrained_inverse_dynamics. aba takes the bodies that loops tie to each other for one body of
/// several speeds.
///
/// Results are valid until the next call of the same function; nothing is allocated from its second call on.
/// @throws as forward_kinematics of the mechanism, and as the functions of trees; of aba Error also for a tau that is
/// not finite; ModelError for a speed that moves no inertia, where M is inverted. rnea, nonlinear_effects and
/// generalized_gravity O(n); aba and mass_matrix_inverse_product O(n), times the square of the number of independent
/// speeds of such a body; mass_matrix_inverse O(n^2); M and C O(n d), times the number of independent speeds in a
/// cluster; coriolis_product O(n), and where G varies O(n d). Source: Wensing and Slotine (2023), eqs 18 and 21.
namespace corio::inline CORIO_ABI {
namespace detail {

/// out += A x for a matrix of the tree, whose entries are zero for degrees of freedom that are on no common path from a
/// root. O(n d).
template <class S>
void add_product(const Model<S>& tree, const MatrixX<S>& A, const VectorX<S>& x, VectorX<S>& out) {
  for (int r = 0; r < A.rows(); ++r) {
    out[r] += A(r, r) * x[r];
    for (int s = tree.parent_dof(r); s >= 0; s = tree.parent_dof(s)) out[r] += A(r, s) * x[s], out[s] += A(s, r) * x[r];
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
    using P = Lanes<S>;
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
/// Only these pairs and the pairs of coupled speeds (Mechanism::parent_dof) are visited: the others are zero from the
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
      mechanism.for_each_ancestor(k, [&](int i) {
        out(i, k) = row(mechanism, L, i, &right_(0, k));
        if (i != k) out(k, i) = row(mechanism, L, k, &right_(0, i));
      });
  }
  /// out = G^T A G for a symmetric A.
  void set_symmetric(const Mechanism<S>& mechanism, const VectorX<S>& G, const MatrixX<S>& A, MatrixX<S>& out) {
    if (mechanism.is_tree()) return void(out = A);
    multiply(mechanism, {{A, G}});
    for (int k = 0; k < mechanism.nv(); ++k)
      mechanism.for_each_ancestor(k, [&](int i) { out(i, k) = out(k, i) = row(mechanism, G, i, &right_(0, k)); });
  }

  /// Row i of L^T times a vector of the tree.
  static S row(const Mechanism<S>& mechanism, const VectorX<S>& L, int i, const S* x) {
    S sum(0);
    mechanism.for_each_driven_dof(i, [&](int r, int e) { sum += L[e] * x[r]; });
    return sum;
  }

 private:
  /// right = the sum of A R. Where G is constant the other maps, its rates, are zero.
  void multiply(const Mechanism<S>& mechanism, Products products) {
    const auto end_of_products = mechanism.varies() ? products.end() : products.begin() + 1;
    for (int k = 0; k < mechanism.nv(); ++k) {
      sum_.clear();
      for (auto product = products.begin(); product != end_of_products; ++product)
        mechanism.for_each_driven_dof(
            k, [&](int s, int e) { sum_.add(product->A.data() + s * product->A.rows(), product->R[e]); });
      mechanism.for_each_row_range(k, [&](int begin, int end) { sum_.write(begin, end, &right_(0, k)); });
    }
  }

  MatrixX<S> right_;
  ColumnSum<S> sum_;
};

/// out = A + A^T, where A can be nonzero.
template <class S>
void add_transpose(const Mechanism<S>& mechanism, const MatrixX<S>& A, MatrixX<S>& out) {
  for (int j = 0; j < mechanism.nv(); ++j)
    mechanism.for_each_ancestor(j, [&](int i) { out(i, j) = out(j, i) = A(i, j) + A(j, i); });
}

}  // namespace detail

/// What mechanisms run for the algorithms of trees.
namespace algorithm {

/// That of rnea with the acceleration of the tree for dy/dt = 0.
template <class S>
struct for_mechanism<NonlinearEffects<S>> {
  VectorX<S> tau, tree;
  PerNode<Motion<S>> acceleration;
  PerNode<Force<S>> force;

  explicit for_mechanism(const Mechanism<S>& m)
      : tau(zeros<S>(m.nv())),
        tree(zeros<S>(m.tree().nv())),
        acceleration(m.tree().num_nodes()),
        force(m.tree().num_nodes()) {}
  void run(const Mechanism<S>& mechanism, const MechanismData<S>& data, ExternalForces<S> external = {}) {
    const Model<S>& model = mechanism.tree();
    if (mechanism.varies()) detail::spread_accelerations(model, data.tree, data.drift, acceleration);
    detail::project_body_forces<S>(model, data.tree, mechanism.varies() ? acceleration : data.tree.bias, external,
                                   force, tree);
    for (int k = 0; k < model.nv(); ++k) tree[k] += model.armature()[k] * data.drift[k];
    tau.setZero();
    detail::add_times_G_transpose(mechanism, data.G, tree, tau);
  }
};

template <class S>
struct for_mechanism<Crba<S>> {
  MatrixX<S> M;
  detail::Projection<S> product;
  explicit for_mechanism(const Mechanism<S>& m) : M(detail::square(m)), product(m) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data) {
    product.set_symmetric(mechanism, data.G, corio::crba(mechanism.tree(), data.tree), M);
  }
};

template <class S>
struct for_mechanism<Aba<S>> {
  for_mechanism<NonlinearEffects<S>> bias;
  detail::ArticulatedMechanism<S> articulated;
  VectorX<S> a;  // dy/dt

  explicit for_mechanism(const Mechanism<S>& m) : bias(m), articulated(m), a(zeros<S>(m.nv())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> tau, ExternalForces<S> external) {
    detail::check_finite_vector("tau", tau, mechanism.nv(), "aba");
    if (mechanism.is_tree()) return void(a = corio::aba(mechanism.tree(), data.tree, tau, external));
    bias.run(mechanism, data, external);
    articulated.compute(mechanism, data);
    a = tau - bias.tau;
    articulated.solve(mechanism, data, a);
  }
};

template <class S>
struct for_mechanism<MassMatrixInverse<S>> {
  detail::ArticulatedMechanism<S> articulated;
  MatrixX<S> M_inverse;
  VectorX<S> column;

  explicit for_mechanism(const Mechanism<S>& m)
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
struct for_mechanism<MassMatrixInverseProduct<S>> {
  detail::ArticulatedMechanism<S> articulated;
  VectorX<S> result;

  explicit for_mechanism(const Mechanism<S>& m) : articulated(m), result(zeros<S>(m.nv())) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x) {
    detail::check_vector("x", x, mechanism.nv(), "mass_matrix_inverse_product");
    articulated.compute(mechanism, data);
    result = x;
    articulated.solve(mechanism, data, result);
  }
};

template <class S, class Factorization>
struct for_mechanism<CoriolisMatrix<S, Factorization>> {
  CoriolisMatrices<S> result;
  detail::Projection<S> product;
  explicit for_mechanism(const Mechanism<S>& m)
      : result{detail::square(m), detail::square(m), detail::square(m)}, product(m) {}
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const Factorization& B) {
    const auto& tree = corio::coriolis_matrix(mechanism.tree(), data.tree, B);
    if (mechanism.is_tree()) return void(result = tree);
    product.set_symmetric(mechanism, data.G, tree.M, result.M);
    product.set(mechanism, data.G, {{tree.C, data.G}, {tree.M, data.Gdot(mechanism)}}, result.C);
    detail::add_transpose(mechanism, result.C, result.Mdot);
  }
};

template <class S, class Factorization>
struct for_mechanism<CoriolisProduct<S, Factorization>> {
  VectorX<S> result, w, tree;
  explicit for_mechanism(const Mechanism<S>& m) : result(zeros<S>(m.nv())), w(zeros<S>(m.tree().nv())), tree(w) {}
  /// G^T (C G x + M dG/dt x).
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x, const Factorization& B) {
    detail::check_vector("x", x, mechanism.nv(), "coriolis_product");
    detail::times_G(mechanism, data.G, x, w);
    tree = corio::coriolis_product(mechanism.tree(), data.tree, w, B);
    if (mechanism.varies()) {
      detail::times_G(mechanism, data.Gdot(mechanism), x, w);
      detail::add_product(mechanism.tree(), corio::crba(mechanism.tree(), data.tree), w, tree);
    }
    result.setZero();
    detail::add_times_G_transpose(mechanism, data.G, tree, result);
  }
};

template <class S, class Factorization>
struct for_mechanism<CoriolisTransposeProduct<S, Factorization>> : for_mechanism<CoriolisProduct<S, Factorization>> {
  using for_mechanism<CoriolisProduct<S, Factorization>>::for_mechanism;
  /// G^T C^T G x + dG/dt^T M G x.
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, VectorIn<S> x, const Factorization& B) {
    detail::check_vector("x", x, mechanism.nv(), "coriolis_transpose_product");
    detail::times_G(mechanism, data.G, x, this->w);
    this->tree = corio::coriolis_transpose_product(mechanism.tree(), data.tree, this->w, B);
    this->result.setZero();
    detail::add_times_G_transpose(mechanism, data.G, this->tree, this->result);
    if (!mechanism.varies()) return;
    this->tree.setZero();
    detail::add_product(mechanism.tree(), corio::crba(mechanism.tree(), data.tree), this->w, this->tree);
    detail::add_times_G_transpose(mechanism, data.Gdot(mechanism), this->tree, this->result);
  }
};

template <class S, class Factorization>
struct for_mechanism<CoriolisMatrixDot<S, Factorization>> {
  CoriolisMatricesDot<S> result;
  VectorX<S> Gddot;
  MatrixX<S> change;
  detail::Projection<S> product;

  explicit for_mechanism(const Mechanism<S>& m) : Gddot(VectorX<S>::Zero(m.constant_entries().size())), product(m) {
    for (auto* x : {&result.C, &result.M, &result.Mdot, &result.Cdot, &change}) *x = detail::square(m);
  }
  void run(const Mechanism<S>& mechanism, MechanismData<S>& data, const Factorization& B);
};
template <class S, class Factorization>
void for_mechanism<CoriolisMatrixDot<S, Factorization>>::run(const Mechanism<S>& mechanism, MechanismData<S>& data,
                                                             const Factorization& B) {
  const auto& tree = corio::coriolis_matrix_dot(mechanism.tree(), data.tree, B);
  if (mechanism.is_tree()) return void(result = tree);
  const VectorX<S>&G = data.G, &Gdot = data.Gdot(mechanism);
  detail::for_each_varying(mechanism, data, [&](const auto& cluster, auto& solver) {
    const auto& Kdot = solver.Kdot;  // of the state since Gdot
    detail::write_rows(mechanism, data.tree, cluster, Pass::acceleration, solver.Kddot);
    detail::solve_dependent_rate(mechanism, cluster, solver, {{solver.Kddot, G}, {Kdot, Gdot}, {Kdot, Gdot}}, Gddot);
  });
  product.set_symmetric(mechanism, G, tree.M, result.M);
  product.set(mechanism, G, {{tree.C, G}, {tree.M, Gdot}}, result.C);
  product.set(mechanism, G, {{tree.Cdot, G}, {tree.C, Gdot}, {tree.Mdot, Gdot}, {tree.M, Gddot}}, result.Cdot);
  if (mechanism.varies()) {
    product.set(mechanism, Gdot, {{tree.C, G}, {tree.M, Gdot}}, change);
    result.Cdot += change;
  }
  detail::add_transpose(mechanism, result.C, result.Mdot);
}

}  // namespace algorithm

CORIO_DECLARE_COMPILED(MECHANISM_DYNAMICS)

}  // namespace corio
