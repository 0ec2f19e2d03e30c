#include "corio/batch/batch.hpp"
#include "own.hpp"

namespace compare {
namespace {

using Pack = corio::batch::FullPack<double>;

struct Batch {
  corio::batch::Packed<Pack> robot;
  corio::batch::Options options;
  Eigen::MatrixXd Q, V, A, Tau;

  Batch(const corio::Model<double>& model, const Mechanism& mechanism, corio::batch::Executor executor)
      : robot(model),
        Q(columns(mechanism, &State::q)),
        V(columns(mechanism, &State::v)),
        A(columns(mechanism, &State::a)),
        Tau(columns(mechanism, &State::tau)) {
    options.executor = std::move(executor);
  }
  static Eigen::MatrixXd columns(const Mechanism& mechanism, std::vector<double> State::*part) {
    const auto& all = mechanism.states;
    Eigen::MatrixXd out((all[0].*part).size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      std::copy((all[i].*part).begin(), (all[i].*part).end(), out.col(static_cast<Eigen::Index>(i)).data());
    return out;
  }
};

/// The results of calls for one state after the other.
struct Calls : Batch {
  struct Columns {
    Eigen::MatrixXd::ConstColXpr q, v, a, tau;
    Columns(const Batch& all, Eigen::Index i)
        : q(all.Q.col(i)), v(all.V.col(i)), a(all.A.col(i)), tau(all.Tau.col(i)) {}
  };
  corio::Model<double> model;
  corio::Data<double> data;

  Calls(const corio::Model<double>& m, const Mechanism& mechanism)
      : Batch(m, mechanism, corio::batch::Serial()), model(m), data(model) {}
};

/// @param sizes  for each result, how many numbers it has per state
template <class Compute>
void add(Peer& peer, Algorithm algorithm, std::string how, const std::shared_ptr<const Batch>& batch,
         std::initializer_list<int> sizes, Compute compute) {
  const auto results = std::make_shared<std::vector<Eigen::MatrixXd>>();
  for (const int size : sizes) results->emplace_back(size, batch->Q.cols());
  peer.contenders.push_back({algorithm, std::move(how), [batch, results, compute] { compute(*batch, *results); },
                             [batch, results, compute](std::size_t i) {
                               if (i == 0) compute(*batch, *results);
                               std::vector<double> out;
                               for (const auto& result : *results) {
                                 const auto column = result.col(static_cast<Eigen::Index>(i));
                                 out.insert(out.end(), column.begin(), column.end());
                               }
                               return out;
                             }});
}

using Results = std::vector<Eigen::MatrixXd>;

std::string batches_of(const Mechanism& mechanism) {
  return "batches of " + std::to_string(mechanism.states.size()) + " states, ";
}

Peer make(const corio::Model<double>& model, const Mechanism& mechanism, const std::string& name,
          corio::batch::Executor executor) {
  using A = Algorithm;
  namespace batch = corio::batch;
  Peer peer{name, batches_of(mechanism) + "in packs of " + std::to_string(Pack::lanes) + ", results stored", {}};
  const auto inputs = std::make_shared<const Batch>(model, mechanism, std::move(executor));
  const int n = model.nv(), nn = n * n;
  add(peer, A::inverse_dynamics, "batch::rnea", inputs, {n},
      [](const Batch& b, Results& r) { batch::rnea(b.robot, b.Q, b.V, b.A, r[0], b.options); });
  add(peer, A::mass_matrix, "batch::crba", inputs, {nn},
      [](const Batch& b, Results& r) { batch::crba(b.robot, b.Q, r[0], b.options); });
  add(peer, A::forward_dynamics, "batch::aba", inputs, {n},
      [](const Batch& b, Results& r) { batch::aba(b.robot, b.Q, b.V, b.Tau, r[0], b.options); });
  add(peer, A::coriolis, "batch::for_each of coriolis_matrix: C", inputs, {nn}, [](const Batch& b, Results& r) {
    batch::for_each(
        b.robot, batch::inputs(b.Q, b.V), batch::outputs(r[0]),
        [](const auto& m, auto& data, const auto& q, const auto& v) {
          return std::tie(corio::coriolis_matrix(m, data, q, v).C);
        },
        b.options);
  });
  add(peer, A::inverse_derivatives, "batch::inverse_dynamics_derivatives", inputs, {nn, nn, nn},
      [](const Batch& b, Results& r) {
        batch::inverse_dynamics_derivatives(b.robot, b.Q, b.V, b.A, r[0], r[1], r[2], b.options);
      });
  add(peer, A::forward_derivatives, "batch::forward_dynamics_derivatives", inputs, {nn, nn, nn},
      [](const Batch& b, Results& r) {
        batch::forward_dynamics_derivatives(b.robot, b.Q, b.V, b.Tau, r[0], r[1], r[2], b.options);
      });
  return peer;
}

}  // namespace

Peer make_batches(const corio::Model<double>& model, const Mechanism& mechanism) {
  return make(model, mechanism, "batch", corio::batch::Serial());
}
Peer make_stored_calls(const corio::Model<double>& model, const Mechanism& mechanism) {
  using A = Algorithm;
  Peer peer{"stored", batches_of(mechanism) + "calls of corio for one after the other, results stored", {}};
  const auto inputs = std::make_shared<Calls>(model, mechanism);
  const int n = model.nv(), nn = n * n;
  const auto row = [&](A algorithm, const char* how, std::initializer_list<int> sizes, auto call) {
    add(peer, algorithm, how, std::shared_ptr<const Batch>(inputs), sizes, [inputs, call](const Batch&, Results& r) {
      for (Eigen::Index i = 0; i < inputs->Q.cols(); ++i) {
        std::size_t k = 0;
        const auto store = [&](const auto& x) { std::copy_n(x.data(), x.size(), r[k++].col(i).data()); };
        std::apply([&](const auto&... x) { (store(x), ...); },
                   call(inputs->model, inputs->data, Calls::Columns{*inputs, i}));
      }
    });
  };
  row(A::inverse_dynamics, "rnea", {n},
      [](const auto& m, auto& d, const auto& s) { return std::tie(corio::rnea(m, d, s.q, s.v, s.a)); });
  row(A::mass_matrix, "crba", {nn},
      [](const auto& m, auto& d, const auto& s) { return std::tie(corio::crba(m, d, s.q)); });
  row(A::forward_dynamics, "aba", {n},
      [](const auto& m, auto& d, const auto& s) { return std::tie(corio::aba(m, d, s.q, s.v, s.tau)); });
  row(A::coriolis, "coriolis_matrix: C", {nn},
      [](const auto& m, auto& d, const auto& s) { return std::tie(corio::coriolis_matrix(m, d, s.q, s.v).C); });
  row(A::inverse_derivatives, "inverse_dynamics_derivatives", {nn, nn, nn}, [](const auto& m, auto& d, const auto& s) {
    const auto& [dtau_dq, dtau_dv, M] = corio::inverse_dynamics_derivatives(m, d, s.q, s.v, s.a);
    return std::tie(dtau_dq, dtau_dv, M);
  });
  row(A::forward_derivatives, "forward_dynamics_derivatives", {nn, nn, nn}, [](const auto& m, auto& d, const auto& s) {
    const auto& [da_dq, da_dv, da_dtau] = corio::forward_dynamics_derivatives(m, d, s.q, s.v, s.tau);
    return std::tie(da_dq, da_dv, da_dtau);
  });
  return peer;
}
Peer make_threaded_batches(const corio::Model<double>& model, const Mechanism& mechanism) {
  const int threads = corio::batch::physical_cores();
  Peer peer = make(model, mechanism, "batch-in-threads", {});
  peer.build += ", in " + std::to_string(threads) + " threads";
  return peer;
}

}  // namespace compare
