// The figures of speed.py in C++: processor time in ns of rnea for one state, and of batch::rnea for a state of
// 100,000.
//
//   speed ROBOT.urdf
#include <corio/batch/batch.hpp>
#include <corio/corio.hpp>
#include <corio/io/urdf.hpp>

#include <cstdio>
#include <ctime>

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The least of some measurements, since other programs only add to it.
template <class F>
double nanoseconds(int calls, F f) {
  double least = 1e300;
  for (int repeat = 0; repeat < 15; ++repeat) {
    const std::clock_t begin = std::clock();
    for (int i = 0; i < calls; ++i) f();
    least = std::min(least, 1e9 / CLOCKS_PER_SEC * static_cast<double>(std::clock() - begin) / calls);
  }
  return least;
}

}  // namespace

int main(int, char** argv) {
  const auto model = corio::urdf::load(argv[1]);
  corio::Data data(model);
  const VectorXd q = 0.5 * VectorXd::Random(model.nq()), v = VectorXd::Random(model.nv()), a = v.reverse();
  double sum = 0;
  std::printf("rnea %.0f\n", nanoseconds(20000, [&] { sum += corio::rnea(model, data, q, v, a)[0]; }));
  std::printf("aba %.0f\n", nanoseconds(20000, [&] { sum += corio::aba(model, data, q, v, a)[0]; }));
  std::printf("coriolis_matrix %.0f\n",
              nanoseconds(20000, [&] { sum += corio::coriolis_matrix(model, data, q, v).C(0, 0); }));

  // States are stored as in numpy: each is a row, contiguous in memory.
  const int states = 100000;
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Rows Q = q.transpose().replicate(states, 1), V = v.transpose().replicate(states, 1),
             A = a.transpose().replicate(states, 1);
  Rows Tau(states, model.nv());
  const auto of = [](auto& rows) {
    return Eigen::Map<MatrixXd>(const_cast<double*>(rows.data()), rows.cols(), states);
  };
  const corio::batch::Packed<corio::batch::FullPack<double>> packed(model);
  corio::batch::Options options;
  options.executor = corio::batch::Serial();
  auto tau = of(Tau);
  const auto columns_Q = of(Q), columns_V = of(V), columns_A = of(A);
  const auto batch = [&] { corio::batch::rnea(packed, columns_Q, columns_V, columns_A, tau, options); };
  std::printf("rows %.1f\n", nanoseconds(1, batch) / states);
  return std::isnan(sum + Tau(0, 0));
}
