#include <memory>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>

#include "accuracy.hpp"
#include "compare/pinocchio_model.hpp"

namespace accuracy {
namespace {

namespace pin = pinocchio;

template <class S>
using Model = pin::ModelTpl<S, 0, compare::FewJoints>;

/// The velocity of a floating base has its linear part first, as in Pinocchio. This permutation changes no error.
template <class S>
Compute peer(const Model<S>& model_, bool floats, pin::Convention convention) {
  struct Robot {
    Model<S> model;
    pin::DataTpl<S, 0, compare::FewJoints> data;
  };
  const auto robot = std::make_shared<Robot>(Robot{model_, pin::DataTpl<S, 0, compare::FewJoints>(model_)});
  return [=](const State& s) {
    auto& [model, data] = *robot;
    const auto converted = [floats](const Vector<Exact>& x) {
      Vector<S> y = x.template cast<S>();
      if (floats)
        for (int i = 0; i < 3; ++i) std::swap(y[i], y[i + 3]);
      return y;
    };
    const auto exact = [](const auto& A) -> Matrix { return A.template cast<Exact>(); };
    const auto symmetric = [&](const auto& A) -> Matrix { return exact(A).template selfadjointView<Eigen::Upper>(); };
    const Vector<S> q = s.q.cast<S>(), v = converted(s.v), a = converted(s.a), tau = converted(s.tau);
    Results x;
    x.of[mass_matrix] = symmetric(pin::crba(model, data, q, convention));
    x.of[accelerations] = exact(pin::aba(model, data, q, v, tau, convention));
    // These quantities have the same convention everywhere.
    if (convention == pin::Convention::WORLD) return x;
    x.of[coriolis] = exact(pin::computeCoriolisMatrix(model, data, q, v));
    x.of[inverse] = symmetric(pin::computeMinverse(model, data, q));
    pin::computeRNEADerivatives(model, data, q, v, a);
    x.of[along_q] = exact(data.dtau_dq), x.of[along_v] = exact(data.dtau_dv);
    pin::computeABADerivatives(model, data, q, v, tau);
    x.of[accelerations_along_q] = exact(data.ddq_dq);
    return x;
  };
}

template <class S>
std::vector<Errors> of_scalar(const Model<double>& given, bool floats, const std::vector<State>& states) {
  const auto model = given.template cast<S>();
  const auto exact = model.template cast<Exact>();
  std::vector<Errors> all;
  for (const auto& [who, convention] :
       {std::pair("Pinocchio, local", pin::Convention::LOCAL), std::pair("Pinocchio, world", pin::Convention::WORLD)})
    all.push_back(errors(who, states, peer<S>(model, floats, convention), peer<Exact>(exact, floats, convention)));
  return all;
}

}  // namespace

std::vector<Errors> of_pinocchio(const compare::Mechanism& mechanism, const std::vector<State>& states, bool in_float) {
  const Model<double> model = compare::pinocchio_model<compare::FewJoints>(mechanism);
  return in_float ? of_scalar<float>(model, mechanism.floats(), states)
                  : of_scalar<double>(model, mechanism.floats(), states);
}

}  // namespace accuracy
