#include <omp.h>

#include <pinocchio/algorithm/parallel/aba.hpp>
#include <pinocchio/algorithm/parallel/rnea.hpp>
#include <pinocchio/config.hpp>

#include "convert.hpp"
#include "pinocchio_model.hpp"

namespace compare {
namespace {

namespace pin = pinocchio;

/// The states of a batch in columns.
struct Pool {
  std::vector<PeerState> states;
  std::size_t threads;
  pin::ModelPool pool;
  MatrixXd Q, V, A, Tau, out;

  explicit Pool(const Mechanism& mechanism)
      : states(convert(mechanism, Base::linear_angular)),
        threads(static_cast<std::size_t>(omp_get_num_procs())),
        pool(pinocchio_model(mechanism), threads),
        Q(columns(&PeerState::q)),
        V(columns(&PeerState::v)),
        A(columns(&PeerState::a)),
        Tau(columns(&PeerState::tau)),
        out(V.rows(), V.cols()) {}
  MatrixXd columns(VectorXd PeerState::*part) const {
    MatrixXd all((states[0].*part).size(), states.size());
    for (std::size_t i = 0; i < states.size(); ++i) all.col(static_cast<Eigen::Index>(i)) = states[i].*part;
    return all;
  }
};

template <class Compute, class Value>
void add(Peer& peer, Algorithm algorithm, const char* how, const std::shared_ptr<Pool>& pool, Compute compute,
         Value value) {
  peer.contenders.push_back({algorithm, how, [pool, compute] { compute(*pool); },
                             [pool, compute, value](std::size_t i) {
                               if (i == 0) compute(*pool);
                               return value(pool->states[i], pool->out.col(static_cast<Eigen::Index>(i)));
                             }});
}

}  // namespace

Peer make_pinocchio_pool(const Mechanism& mechanism) {
  const auto pool = std::make_shared<Pool>(mechanism);
  Peer peer{"Pinocchio-pool " PINOCCHIO_VERSION, "OpenMP, in " + std::to_string(pool->threads) + " threads", {}};
  add(
      peer, Algorithm::inverse_dynamics, "rneaInParallel", pool,
      [](Pool& p) { pin::rneaInParallel(p.threads, p.pool, p.Q, p.V, p.A, p.out); }, force);
  add(
      peer, Algorithm::forward_dynamics, "abaInParallel", pool,
      [](Pool& p) { pin::abaInParallel(p.threads, p.pool, p.Q, p.V, p.Tau, p.out); }, acceleration);
  return peer;
}

}  // namespace compare
