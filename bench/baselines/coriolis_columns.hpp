#pragma once

#include "corio/algorithms/coriolis/coriolis_product.hpp"

namespace corio::baseline {

/// Computes C column by column: column j is C(q, v) e_j by recursive Newton-Euler with the reference velocity e_j. As
/// each call visits all bodies, also bodies that e_j does not move, the cost is O(N^2) for every tree, while composites
/// take O(N d). Source: Echeandia and Wensing (2021), section 3, on the modified algorithm of Niemeyer and Slotine
/// (1991).
template <class S, class Factorization = factorization::Christoffel>
class CoriolisColumns {
 public:
  MatrixX<S> C;

  explicit CoriolisColumns(const Model<S>& model) : C(detail::nv_by_nv(model)), unit_(zeros<S>(model.nv())) {}

  void operator()(const Model<S>& model, Data<S>& data, VectorIn<S> q, VectorIn<S> v, const Factorization& B = {}) {
    forward_kinematics(model, data, q, v);
    for (int j = 0; j < model.nv(); ++j) {
      unit_[j] = S(1);
      C.col(j) = coriolis_product(model, data, unit_, B);
      unit_[j] = S(0);
    }
  }

 private:
  VectorX<S> unit_;
};

}  // namespace corio::baseline
