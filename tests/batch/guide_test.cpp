#include <cmath>

#include "corio/batch/batch.hpp"
#include "support/catch.hpp"
#include "support/guide.hpp"

// The code of include/corio/batch/README.md, line by line.

namespace {

using corio::in_every_state, corio::choose, corio::select, std::abs, std::isfinite;

template <class S>
void branch(const corio::VectorX<S>& v, S& sum, bool& sound) {
  // clang-format off
  const auto held = select(v[0] > 2.0, S(2.0), v[0]);  // for every scalar, double and packs alike
  const auto smooth = choose(abs(v[0]) < 0.1, [&] { return S(v[0] * v[0]); }, [&] { return S(0.1 * abs(v[0])); });
  const bool all_sound = in_every_state(isfinite(v[0]));
  // clang-format on
  sum = held + smooth, sound = all_sound;
}

}  // namespace

TEST_CASE("the guide to batches computes what it says", "[batch][guide]") {
  const auto model = corio::zoo::serial_chain(7);
  const int states = 10000;
  const auto random = [&] { return Eigen::MatrixXd(Eigen::MatrixXd::Random(model.nv(), states)); };
  const Eigen::MatrixXd Q = random(), V = random(), A = random();
  Eigen::MatrixXd Tau(model.nv(), states), P(model.nv(), states);
  corio::batch::rnea(model, Q, V, A, Tau);  // column j is state j

  // A function of your own, written for one state:
  corio::batch::for_each(model, corio::batch::inputs(Q, V), corio::batch::outputs(P),
                         [](const auto& m, auto& data, const auto& q, const auto& v, auto& p) {
                           p = corio::generalized_momentum(m, data, q, v).p;
                         });
  corio::Data<double> data(model);
  const int j = 1234;
  CHECK((rnea(model, data, Q.col(j), V.col(j), A.col(j)) - Tau.col(j)).norm() < 1e-10);
  CHECK((crba(model, data, Q.col(j)) * V.col(j) - P.col(j)).norm() < 1e-10);
}

TEST_CASE("branches of the guide are those of each state", "[batch][guide]") {
  using P = corio::Pack<double, 4>;
  const double speeds[] = {0.05, -0.5, 3.0, 0.0};
  corio::VectorX<P> v(1);
  for (int l = 0; l < 4; ++l) v[0].set(l, speeds[l]);
  P sum;
  bool sound = false, all_sound = false;
  branch(v, sum, all_sound);
  for (int l = 0; l < 4; ++l) {
    double expected = 0;
    branch<double>(corio::VectorX<double>::Constant(1, speeds[l]), expected, sound);
    CHECK(sum[l] == expected);
  }
  CHECK(all_sound);
}

TEST_CASE("the code of the guide to batches is in its test", "[batch][guide]") {
  CHECK(corio::test::check_blocks("include/corio/batch/README.md", "tests/batch/guide_test.cpp") == 2);
}
