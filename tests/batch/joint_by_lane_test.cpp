#include "corio/batch/joint_by_lane.hpp"

#include <complex>
#include <cstring>
#include <typeinfo>
#include <vector>

#include "corio/batch/pack.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/user_joints.hpp"

// Compares the results of a user's joint over packs with the results for each state alone: both are the same, bit by
// bit.

namespace joint_by_lane_test {

using namespace corio;
using namespace corio::test;
using P = Pack<double, 4>;
using joint::ManifoldPartials;

/// Stands in place of a lane's number.
struct All {};

/// Holds the numbers of all states, and of each state.
struct Inputs {
  std::vector<P> packed;
  std::vector<std::vector<double>> of_lane;

  explicit Inputs(int n) : packed(static_cast<std::size_t>(n)), of_lane(P::lanes, std::vector<double>(packed.size())) {}
  void set(int l, std::vector<double> x) {
    for (std::size_t i = 0; i < packed.size(); ++i) packed[i].set(l, x[i]);
    of_lane[static_cast<std::size_t>(l)] = std::move(x);
  }
  const P* operator[](All) const { return packed.data(); }
  const double* operator[](int l) const { return of_lane[static_cast<std::size_t>(l)].data(); }
};

/// A user's joint whose configuration has n numbers.
template <int n>
class Long : public Cam {
 public:
  static constexpr int nq = n;
};
template <int n>
joint::CustomPointer<P> packed_long() {
  return joint::by_lane<P>(
      joint::CustomPointer<double>(std::make_shared<joint::CustomAdapter<double, Long<n>>>(Long<n>())));
}

}  // namespace joint_by_lane_test

using namespace joint_by_lane_test;

TEST_CASE("a user's joint answers for packs what it answers for each state", "[batch][joints]") {
  const int number = GENERATE(range(0, all_twins));
  const Model<double> model = twins(number).real;
  const Model<P> packed = model.cast<P>();
  int seen = 0;
  for (int b = 0; b < model.num_nodes(); ++b) {
    const joint::Custom<double>* const one = model.node(b).joint.custom();
    if (!one) continue;
    const joint::Custom<P>* const all = packed.node(b).joint.custom();
    REQUIRE(all);
    ++seen;
    const int nq = one->nq, nv = one->nv;
    CAPTURE(number, nq, nv);
    Random<double> random(b);
    const auto speeds = [&] {
      Inputs x(nv);
      for (int l = 0; l < P::lanes; ++l) {
        const Eigen::VectorXd numbers = random_vector(random, nv);
        x.set(l, {numbers.data(), numbers.data() + nv});
      }
      return x;
    };
    const auto places = [&] {
      const Inputs step = speeds();
      Inputs q(nq);
      for (int l = 0; l < P::lanes; ++l) {
        std::vector<double> at(static_cast<std::size_t>(nq));
        one->neutral(at.data());
        one->integrate(std::vector<double>(at).data(), step[l], at.data());
        q.set(l, at);
      }
      return q;
    };
    const Inputs q = places(), other = places(), x = speeds(), y = speeds();
    const auto write = [](const auto& from, auto* out) { std::memcpy(static_cast<void*>(out), &from, sizeof from); };
    // Calls f(joint, states, out), which writes n numbers.
    const auto compare = [&](const char* what, int n, auto&& f) {
      CAPTURE(what);
      std::vector<P> found(static_cast<std::size_t>(n), P(0));
      f(*all, All(), found.data());
      for (int l = 0; l < P::lanes; ++l) {
        std::vector<double> expected(static_cast<std::size_t>(n), 0.0);
        f(*one, l, expected.data());
        CAPTURE(l);
        for (std::size_t i = 0; i < expected.size(); ++i) CHECK(found[i][l] == expected[i]);
      }
    };
    compare("neutral", nq, [&](auto& j, auto, auto* out) { j.neutral(out); });
    compare("integrate", nq, [&](auto& j, auto l, auto* out) { j.integrate(q[l], x[l], out); });
    compare("difference", nv, [&](auto& j, auto l, auto* out) { j.difference(q[l], other[l], out); });
    compare("integrate_along", nv,
            [&](auto& j, auto l, auto* out) { CHECK(j.integrate_along(q[l], x[l], y[l], out)); });
    compare("difference_along", nv,
            [&](auto& j, auto l, auto* out) { CHECK(j.difference_along(q[l], other[l], x[l], y[l], out)); });
    const auto partials = [&]<class N>(N* out, auto&& f) {
      ManifoldPartials<N> both{};
      CHECK(f(both));
      std::copy_n(both.first, nv * nv, out);
      std::copy_n(both.second, nv * nv, out + nv * nv);
    };
    compare("integrate_partials", 2 * nv * nv, [&](auto& j, auto l, auto* out) {
      partials(out, [&](auto& both) { return j.integrate_partials(q[l], x[l], both); });
    });
    compare("difference_partials", 2 * nv * nv, [&](auto& j, auto l, auto* out) {
      partials(out, [&](auto& both) { return j.difference_partials(q[l], other[l], both); });
    });
    compare("spring_force", nv, [&](auto& j, auto l, auto* out) { CHECK(j.spring_force(q[l], other[l], x[l], out)); });
    compare("spring_force_partials", nv * nv,
            [&](auto& j, auto l, auto* out) { CHECK(j.spring_force_partials(q[l], other[l], x[l], out)); });
    REQUIRE(all->has_dual_form());
    compare("column_rate_partial", 6,
            [&](auto& j, auto l, auto* out) { write(j.column_rate_partial(q[l], x[l], nv - 1), out); });
    compare("column_second_rate", 6,
            [&](auto& j, auto l, auto* out) { write(j.column_second_rate(q[l], x[l], nv - 1), out); });
    compare("column_second_partials", 6 * nv * nv * nv, [&]<class N>(auto& j, auto l, N* out) {
      std::vector<Motion<N>> columns(static_cast<std::size_t>(nv * nv * nv), Motion<N>::zero());
      j.column_second_partials(q[l], columns.data());
      std::memcpy(static_cast<void*>(out), columns.data(), columns.size() * sizeof(Motion<N>));
    });
    compare("column_rate_second_partials", 6 * nv * nv, [&]<class N>(auto& j, auto l, N* out) {
      std::vector<Motion<N>> columns(static_cast<std::size_t>(nv * nv), Motion<N>::zero());
      j.column_rate_second_partials(q[l], x[l], columns.data());
      std::memcpy(static_cast<void*>(out), columns.data(), columns.size() * sizeof(Motion<N>));
    });

    // Over other scalars the result equals the result of each state's joint.
    const auto check_cast = [&]<class S>(joint::CustomPointer<S> of_all) {
      joint::CustomPointer<S> of_one;
      all->cast_to(of_all), one->cast_to(of_one);
      REQUIRE(bool(of_all) == bool(of_one));
      if (of_one) CHECK(typeid(*of_all) == typeid(*of_one));
    };
    check_cast(joint::CustomPointer<float>());
    check_cast(joint::CustomPointer<double>());
    check_cast(joint::CustomPointer<long double>());
    check_cast(joint::CustomPointer<std::complex<double>>());
    check_cast(joint::CustomPointer<joint::AnyScalar>());

    // Random configurations are on the manifold; one that has left it is brought back.
    std::vector<P> drawn(static_cast<std::size_t>(nq));
    all->random([&] { return 0.3; }, drawn.data());
    CHECK(all->violation(drawn.data()) < 1e-12);
    Inputs away = q;
    for (int l = 0; l < P::lanes; ++l) {
      std::vector<double> moved = q.of_lane[static_cast<std::size_t>(l)];
      moved[0] += 0.1 * l;
      away.set(l, moved);
    }
    double worst = 0.0;
    for (int l = 0; l < P::lanes; ++l) worst = std::max(worst, one->violation(away[l]));
    CHECK(all->violation(away.packed.data()) == worst);
    const Inputs before = away;
    all->normalize(away.packed.data());
    for (int l = 0; l < P::lanes; ++l) {
      std::vector<double> expected = before.of_lane[static_cast<std::size_t>(l)];
      one->normalize(expected.data());
      for (std::size_t i = 0; i < expected.size(); ++i) CHECK(away.packed[i][l] == expected[i]);
    }
  }
  CHECK(seen > 0);
}

TEST_CASE("a user's joint over packs has as many numbers as CustomByLane has room for", "[batch][joints]") {
  constexpr int most = joint::CustomByLane<P>::max_nq;
  CHECK(packed_long<most>());
  CHECK_FALSE(packed_long<most + 1>());
}
