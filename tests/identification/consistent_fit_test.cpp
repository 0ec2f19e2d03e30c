#include "../../examples/identify_arm/consistent.hpp"

#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"

// How the example identify_arm finds parameters of bodies and joints that can exist.

namespace {

using identify::Matrix;
using identify::Vector;

/// Samples of torques that the parameters p give exactly.
identify::Stream samples_of(const corio::Model<double>& model, const Vector& p) {
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-2, 2);
  const auto random = [&] { return Vector::NullaryExpr(model.nv(), [&] { return uniform(generator); }).eval(); };
  identify::Regressor regressor(model);
  identify::Stream stream(identify::num_parameters(model));
  for (int k = 0; k < 200; ++k) {
    const Vector q = random(), v = random(), a = random();
    const Matrix& Y = regressor({q, v, a});
    stream.add(Y, Y * p, Vector::Constant(model.nv(), 100));
  }
  return stream;
}

}  // namespace

TEST_CASE("bounded least squares is the best of all choices of entries at their bounds", "[identification][log]") {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  constexpr int n = 7, bounded = 5;
  for (int trial = 0; trial < 200; ++trial) {
    const Matrix R = Matrix::NullaryExpr(n + 2, n, [&] { return normal(generator); });
    const Vector z = Vector::NullaryExpr(n + 2, [&] { return normal(generator); });
    Vector least = Vector::Constant(n, -std::numeric_limits<double>::infinity());
    least.head(bounded) = Vector::NullaryExpr(bounded, [&] { return normal(generator); });
    double best = std::numeric_limits<double>::infinity();
    for (unsigned held = 0; held < 1u << bounded; ++held) {
      Vector x = least.array().isFinite().select(least, 0);
      std::vector<int> free;
      for (int i = 0; i < n; ++i)
        if (i >= bounded || !(held >> i & 1u)) x[i] = 0, free.push_back(i);
      x(free) = R(Eigen::seqN(0, R.rows()), free).colPivHouseholderQr().solve(z - R * x).eval();
      if ((x.array() >= least.array() - 1e-12).all()) best = std::min(best, (R * x - z).norm());
    }
    const Vector x = identify::bounded_least_squares(R, z, least);
    CHECK((x.array() >= least.array()).all());
    // Both by QR of matrices of order one.
    CHECK((R * x - z).norm() == Approx(best).epsilon(1e-12));
  }
}

TEST_CASE("joints of the consistent fit have no negative armature, damping or friction", "[identification][log]") {
  const auto model = corio::zoo::serial_chain<double>(3);
  const Vector drawn = identify::parameters(model), one = Vector::Ones(4 * model.nv());
  const identify::ConsistentFit fit(model, drawn, 0.2, one);
  const auto joints = [&](const Vector& p) { return Matrix(p.tail(4 * model.nv()).reshaped(4, model.nv())); };
  Vector told = drawn;
  Matrix wanted(4, model.nv());
  wanted << 0.2, -0.1, 0.3, -0.3, 0.2, 0.4, 0.1, 0.2, -0.2, -0.1, 0.2, -0.3;
  told.tail(4 * model.nv()) = wanted.reshaped();
  const Matrix found = joints(fit.solve(samples_of(model, told)).p);
  CHECK(found.topRows(3).minCoeff() >= 0);
  // Those that seem negative are zero, exactly; those that are not stay near what the samples say, as offsets do.
  CHECK(found(0, 1) == 0);
  CHECK(found(1, 0) == 0);
  CHECK(found(2, 2) == 0);
  CHECK((found.row(3) - wanted.row(3)).cwiseAbs().maxCoeff() < 0.05);

  // Where samples say nothing negative the fit is that without bounds: the samples are exact, and the prior weak.
  Matrix possible = wanted.cwiseAbs();
  told.tail(4 * model.nv()) = possible.reshaped();
  CHECK((joints(fit.solve(samples_of(model, told)).p) - possible).cwiseAbs().maxCoeff() < 1e-2);
}
