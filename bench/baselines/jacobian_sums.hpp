#pragma once

#include "corio/algorithms/coriolis/factorization.hpp"
#include "corio/model/model.hpp"

namespace corio::baseline {

/// M, C, g and their time derivatives as sums over the bodies of products with their Jacobians, all in the axes of the
/// bodies, whose inertias are constant there. The Jacobians and their first and second rates are computed outward from
/// body to body. Cost O(N n^2). The columns of joints must be constant in the body. Source: Garofalo, Ott and
/// Albu-Schaeffer (2013), eqs. 6, 25 and 27-29, with their factorization or another one.
template <class Factorization = factorization::Plain>
class JacobianSums {
 public:
  MatrixX<double> M, C, Mdot, Cdot;
  VectorX<double> g, gdot;

  explicit JacobianSums(const Model<double>& model, const Factorization& B = {})
      : M(MatrixX<double>::Zero(model.nv(), model.nv())),
        C(M),
        Mdot(M),
        Cdot(M),
        g(VectorX<double>::Zero(model.nv())),
        gdot(g),
        half_Mdot_(M),
        B_(B),
        bodies_(static_cast<std::size_t>(model.num_nodes()), Body(model.nv())),
        W_(6, model.nv()),
        dW_(W_),
        ground_(model.nv()) {}

  /// Computes M, C and g.
  void matrices(const Model<double>& model, VectorIn<double> q, VectorIn<double> v) {
    run<false>(model, q, v, nullptr);
  }
  /// Computes M, C and g and their time derivatives.
  void with_rates(const Model<double>& model, VectorIn<double> q, VectorIn<double> v, VectorIn<double> a) {
    run<true>(model, q, v, a.data());
  }

 private:
  using Jacobian = Eigen::Matrix<double, 6, Eigen::Dynamic>;
  struct Body {
    Matrix3<double> R = identity3<double>();  // axes of the body in world axes
    Jacobian J, dJ, d2J;
    explicit Body(int nv) : J(Jacobian::Zero(6, nv)), dJ(J), d2J(J) {}
  };

  template <bool rates>
  void run(const Model<double>& model, VectorIn<double> q, VectorIn<double> v, const double* a) {
    for (MatrixX<double>* A : {&M, &C, &half_Mdot_, &Cdot}) A->setZero();
    g.setZero(), gdot.setZero();
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const Node<double>& node = model.node(static_cast<int>(b));
      move<rates>(node, node.parent < 0 ? ground_ : bodies_[static_cast<std::size_t>(node.parent)], q.data(), v.data(),
                  a, bodies_[b]);
      add<rates>(model, node.inertia, bodies_[b], v, a);
    }
    M.diagonal() += model.armature();
    Mdot = half_Mdot_ + half_Mdot_.transpose();
  }

  /// J = X J_p + S, dJ = X dJ_p - v_J x X J_p, d2J = X d2J_p - v_J x X dJ_p - dv_J x X J_p - v_J x dJ.
  template <bool rates>
  void move(const Node<double>& node, const Body& parent, const double* q, const double* v, const double* a,
            Body& body) {
    const Pose<double> T = node.joint.compose(node.placement, q + node.q_begin);
    const Matrix3<double> R = transpose(T.rotation), o = diagonal3(0.0);
    const Matrix6<double> X = matrix6<double>(R, o, R * skew<double>(-T.translation), R);
    Motion<double> S[joint::max_nv], v_J = Motion<double>::zero(), dv_J = v_J;
    node.joint.columns(Pose<double>::identity(), q + node.q_begin, S);
    body.R = parent.R * T.rotation;
    body.J.noalias() = X * parent.J;
    for (int k = node.v_begin; k < node.v_end; ++k) {
      v_J += S[k - node.v_begin] * v[k];
      if (rates) dv_J += S[k - node.v_begin] * a[k];
    }
    const Matrix6<double> v_Jx = crm(v_J);
    body.dJ.noalias() = X * parent.dJ;
    if constexpr (rates) {
      body.d2J.noalias() = X * parent.d2J;
      body.d2J.noalias() -= v_Jx * body.dJ;
      body.d2J.noalias() -= crm(dv_J) * body.J;
    }
    body.dJ.noalias() -= v_Jx * body.J;
    if constexpr (rates) body.d2J.noalias() -= v_Jx * body.dJ;
    for (int k = node.v_begin; k < node.v_end; ++k) body.J.col(k) += S[k - node.v_begin].vector();
  }

  template <bool rates>
  void add(const Model<double>& model, const Inertia<double>& inertia, const Body& body, VectorIn<double> v,
           const double* a) {
    const Matrix6<double> I = inertia.matrix();
    const Motion<double> V = Motion<double>::from(body.J * v);
    const Matrix6<double> Psi = psi(V, inertia, I);
    const Motion<double> gravity{zero3<double>(), transpose_times(body.R, model.gravity())};
    const Vector6<double> weight = I * gravity.vector();
    W_.noalias() = Psi * body.J;
    W_.noalias() += I * body.dJ;
    C.noalias() += body.J.transpose() * W_;
    g.noalias() -= body.J.transpose() * weight;
    if constexpr (rates) {
      const Eigen::Map<const VectorX<double>> dv(a, v.size());
      const Motion<double> dV = Motion<double>::from(body.J * dv + body.dJ * v);
      dW_.noalias() = psi(dV, inertia, I) * body.J;
      dW_.noalias() += Psi * body.dJ;
      dW_.noalias() += I * body.d2J;
      Cdot.noalias() += body.dJ.transpose() * W_;
      Cdot.noalias() += body.J.transpose() * dW_;
      gdot.noalias() -= body.dJ.transpose() * weight;
      gdot.noalias() += body.J.transpose() * (I * cross(V, gravity).vector());
    }
    W_.noalias() = I * body.J;
    if constexpr (rates) half_Mdot_.noalias() += body.dJ.transpose() * W_;
    M.noalias() += body.J.transpose() * W_;
  }

  /// B + I (V x) is linear in V, so its rate is the same operator of dV/dt.
  Matrix6<double> psi(const Motion<double>& V, const Inertia<double>& inertia, const Matrix6<double>& I) const {
    return B_(V, inertia) + I * crm(V);
  }

  MatrixX<double> half_Mdot_;  // dJ^T I J
  Factorization B_;
  std::vector<Body> bodies_;
  Jacobian W_, dW_;
  Body ground_;
};

}  // namespace corio::baseline
