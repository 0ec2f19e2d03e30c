#include "corio/identification/consistent_estimate.hpp"

#include <random>

#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/identification/base_parameters.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"

// Parameters of bodies and joints that can exist physically.

namespace {

namespace t = corio::test;
using corio::test::mentions;
using corio::test::message_of;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Stream = corio::StreamingLeastSquares<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

Vector random_vector(Eigen::Index n, std::mt19937_64& generator) {
  std::normal_distribution<double> normal;
  return Vector::NullaryExpr(n, [&] { return normal(generator); });
}

Vector parameters(const corio::Model<double>& model) {
  Vector p(corio::num_inertial_parameters(model) + 4 * model.nv());
  p << corio::inertial_parameters(model), corio::joint_parameters(model);
  return p;
}

/// Samples of torques that the parameters p give exactly, with p for bodies and joints, or for bodies alone.
Stream samples_of(const corio::Model<double>& model, const Vector& p, double weight = 100) {
  std::mt19937_64 generator(1);
  corio::Data<double> data(model);
  Stream stream(p.size());
  Matrix bodies(model.nv(), corio::num_inertial_parameters(model)), joints;
  for (int k = 0; k < 200; ++k) {
    const Vector q = random_vector(model.nv(), generator), v = random_vector(model.nv(), generator),
                 a = random_vector(model.nv(), generator);
    corio::inverse_dynamics_regressor(model, data, q, v, a, bodies);
    corio::joint_regressor(model, v, a, joints);
    Matrix Y(model.nv(), bodies.cols() + joints.cols());
    Y << bodies, joints;
    stream.add(Y.leftCols(p.size()), Y.leftCols(p.size()) * p, Vector::Constant(model.nv(), weight));
  }
  return stream;
}

/// Returns the divergence of body b by the eigenvalues x of J_0^-1 J: the sum of x - log x - 1.
double divergence(const Vector& p, const Vector& p0, Eigen::Index b) {
  const auto J = [&](const Vector& of) -> Eigen::Matrix4d {
    return corio::pseudo_inertia<double>(corio::Vector10<double>(of.segment<10>(10 * b)));
  };
  const Vector x = t::eigenvalues(J(p), J(p0));
  return x.minCoeff() > 0 ? x.sum() - x.array().log().sum() - 4 : infinity;
}

}  // namespace

TEST_CASE("bounded least squares is the best of all choices of entries at their bounds", "[identification][log]") {
  std::mt19937_64 generator(1);
  constexpr int n = 7, bounded = 5;
  for (int trial = 0; trial < 200; ++trial) {
    const Matrix R = random_vector((n + 2) * n, generator).reshaped(n + 2, n);
    const Vector z = random_vector(n + 2, generator);
    Vector least = Vector::Constant(n, -infinity);
    least.head(bounded) = random_vector(bounded, generator);
    double best = infinity;
    for (unsigned held = 0; held < 1u << bounded; ++held) {
      Vector x = least.array().isFinite().select(least, 0);
      std::vector<int> free;
      for (int i = 0; i < n; ++i)
        if (i >= bounded || !(held >> i & 1u)) x[i] = 0, free.push_back(i);
      x(free) = R(Eigen::seqN(0, R.rows()), free).colPivHouseholderQr().solve(z - R * x).eval();
      if ((x.array() >= least.array() - 1e-12).all()) best = std::min(best, (R * x - z).norm());
    }
    const Vector x = corio::bounded_least_squares<double>(R, z, least);
    CHECK((x.array() >= least.array()).all());
    // Both results come from QR of matrices of order one.
    CHECK((R * x - z).norm() == Approx(best).epsilon(1e-12));
  }
}

TEST_CASE("joints of the consistent estimate have no negative armature, damping or friction", "[identification][log]") {
  const auto model = corio::zoo::serial_chain<double>(3);
  const corio::ConsistentPrior<double> prior{.deviations = Vector::Ones(4 * model.nv())};
  const auto joints_found = [&](const Vector& p) {
    const auto found = corio::consistent_estimate(model, samples_of(model, p), prior);
    CHECK(found.decrement < 1e-6);
    return Matrix(found.parameters.tail(4 * model.nv()).reshaped(4, model.nv()));
  };
  Vector told = parameters(model);
  Matrix wanted(4, model.nv());
  wanted << 0.2, -0.1, 0.3, -0.3, 0.2, 0.4, 0.1, 0.2, -0.2, -0.1, 0.2, -0.3;
  told.tail(4 * model.nv()) = wanted.reshaped();
  const Matrix found = joints_found(told);
  CHECK(found.topRows(3).minCoeff() >= 0);
  // Terms that the samples show as negative are exactly zero. Offsets stay near the values that the samples show,
  // except for the part of the forbidden friction that they take over, up to 0.2.
  CHECK(found(0, 1) == 0);
  CHECK(found(1, 0) == 0);
  CHECK(found(2, 2) == 0);
  CHECK((found.row(3) - wanted.row(3)).cwiseAbs().maxCoeff() < 0.1);

  // Where the samples show no negative value, the fit is the one without bounds: the samples are exact, and the prior
  // is weak.
  const Matrix possible = wanted.cwiseAbs();
  told.tail(4 * model.nv()) = possible.reshaped();
  CHECK((joints_found(told) - possible).cwiseAbs().maxCoeff() < 1e-2);
}

TEST_CASE("the consistent estimate of bodies is the least of its sum", "[identification]") {
  const auto model = corio::zoo::serial_chain<double>(3);
  const Vector prior = corio::inertial_parameters(model);
  // A body of negative mass, and one lighter than in the model, as samples with large errors may show them.
  Vector told = prior;
  told.segment<10>(10) *= -0.1, told.segment<10>(20) *= 0.5;
  const Stream samples = samples_of(model, told, 1);
  const auto found = corio::consistent_estimate(model, samples, {.spread = 0.3});
  auto identified = model;
  corio::set_inertial_parameters<double>(identified, found.parameters);
  CHECK_NOTHROW(corio::check_physically_consistent<double>(identified, found.parameters));

  const auto sum = [&](const Vector& p) {
    double all = (samples.R() * p - samples.z()).squaredNorm();
    for (Eigen::Index b = 0; b < 3; ++b) all += divergence(p, prior, b) / (0.3 * 0.3);
    return all;
  };
  const double least = sum(found.parameters);
  CHECK(least < sum(prior));
  std::mt19937_64 generator(2);
  for (int trial = 0; trial < 100; ++trial) {
    // The error is relative to the parameters, because an error e of one parameter adds about its square.
    const Vector step = 1e-3 * random_vector(told.size(), generator).cwiseProduct(found.parameters.cwiseAbs());
    CHECK(least <= sum(found.parameters + step));
    // The gradient is zero: the difference of the sums is of the third order in the step.
    CHECK(std::abs(sum(found.parameters + step) - sum(found.parameters - step)) <
          0.1 * (sum(found.parameters + step) - least) + 1e-9 * least);
  }
}

TEST_CASE("the consistent estimate converges for every prior and weight", "[identification]") {
  const auto model = corio::zoo::serial_chain<double>(3);
  const Vector prior = parameters(model);
  const Eigen::Index bodies = corio::num_inertial_parameters(model);
  Vector told = prior;  // impossible bodies, and friction that is not negative
  told.segment<10>(10) *= -0.1, told.segment<10>(20) *= 0.5, told[4] *= -3;
  told.tail(4 * model.nv()) = Vector::Constant(4 * model.nv(), 0.1);
  const double spreads[] = {0.05, 0.2, 1, 10, 100, 1e3, 1e4};
  for (const double weight : {1.0, 1e2, 1e5}) {
    const Stream samples = samples_of(model, told, weight);
    const auto of_samples = [&](const Vector& p) { return (samples.R() * p - samples.z()).squaredNorm(); };
    const auto sum = [&](const Vector& p, double spread) {
      double all = of_samples(p) + (p - prior).tail(4 * model.nv()).squaredNorm();
      for (Eigen::Index b = 0; b < 3; ++b) all += divergence(p, prior, b) / (spread * spread);
      return all;
    };
    std::vector<Vector> found;
    for (const double spread : spreads) {
      const auto one = corio::consistent_estimate(model, samples, {spread, Vector::Ones(4 * model.nv())});
      // With a larger ratio of the two, rounding of the sum over these impossible samples hides the prior: the result
      // reports that.
      if (weight * spread * spread <= 1.1e9) CHECK((one.converged && one.iterations <= 40));
      for (Eigen::Index b = 0; b < bodies; b += 10)
        CHECK(corio::is_physically_consistent(corio::Vector10<double>(one.parameters.segment<10>(b))));
      found.push_back(one.parameters);
    }
    // Each result minimizes its own sum, to rounding of the sum; weaker priors fit the samples better. With the weakest
    // priors, bodies are so close to the boundary that the divergence's eigenvalues here are rounding errors.
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t j = 0; j < found.size(); ++j) {
        if (spreads[i] <= 100) CHECK(sum(found[i], spreads[i]) <= sum(found[j], spreads[i]) * (1 + 1e-9));
        if (i < j) CHECK(of_samples(found[j]) <= of_samples(found[i]) * (1 + 1e-9));
      }
  }
}

TEST_CASE("the consistent estimate of a payload is that of a model of one body", "[identification]") {
  // A body on a free joint and offsets without bounds, which the joint columns of the model are for wide priors.
  const auto model = corio::zoo::serial_chain<double>(1);
  const Vector p = parameters(model);
  const Stream samples = samples_of(model, p.head(10) * 1.3);
  const auto expected = corio::consistent_estimate(model, samples, {0.3, {}});
  const auto found = corio::consistent_estimate<double>(Vector(p.head(10)), samples, {0.3, {}});
  CHECK(found.parameters == expected.parameters);
  // Two more columns, whose parameters are -3 and 2, among samples that determine them.
  Stream more(12);
  Matrix Y = Matrix::Zero(12, 12);
  Y.topLeftCorner(10, 10) = samples.R();
  Y.bottomRightCorner(2, 2).setIdentity();
  const Vector tau = (Vector(12) << samples.z(), -3, 2).finished();
  more.add(Y, tau, Vector::Constant(12, 1e8));
  Vector prior = Vector::Zero(12);
  prior.head(10) = p.head(10);
  const auto both = corio::consistent_estimate<double>(prior, more, {0.3, Vector::Ones(2)});
  CHECK(both.converged);
  CHECK(both.parameters[10] == Approx(-3).epsilon(1e-7));
  CHECK(both.parameters[11] == Approx(2).epsilon(1e-7));
  CHECK(corio::is_physically_consistent<double>(both.parameters.head<10>()));
  CHECK_THROWS_AS(corio::consistent_estimate<double>(prior, more, {0.3, Vector::Ones(3)}), corio::SizeError);
  CHECK_THROWS_AS(corio::consistent_estimate<double>(prior, samples, {0.3, Vector::Ones(2)}), corio::SizeError);
  prior[0] = -1;
  CHECK_THROWS_AS(corio::consistent_estimate<double>(prior, more, {0.3, Vector::Ones(2)}), corio::ModelError);
}

TEST_CASE("bodies without mass stay without mass in a consistent estimate", "[identification]") {
  auto model = corio::zoo::serial_chain<double>(3);
  const Vector truth = parameters(model);
  auto dummy = model;
  dummy.set_inertia(model.bodies()[1], {});
  Vector p = truth;
  p.segment<10>(10).setZero();
  const auto found = corio::consistent_estimate(dummy, samples_of(dummy, p), {0.2, Vector::Ones(12)});
  CHECK(found.converged);
  CHECK(found.parameters.segment<10>(10) == Vector::Zero(10));
  // The prior is right, so its divergence is zero.
  CHECK((found.parameters - p).norm() < 1e-6 * p.norm());
}

TEST_CASE("parameters of joints go into a model and back, by names", "[identification]") {
  auto model = corio::zoo::quadruped<double>();
  const Vector p = (0.5 + 0.5 * Vector::LinSpaced(4 * model.nv(), -1, 1).array()).matrix();
  corio::set_joint_parameters<double>(model, p);
  const Matrix rows = p.reshaped(4, model.nv());
  CHECK(model.armature() == rows.row(0).transpose());
  CHECK(model.damping() == rows.row(1).transpose());
  CHECK(model.friction() == rows.row(2).transpose());
  Matrix again = corio::joint_parameters(model).reshaped(4, model.nv());
  CHECK(again.row(3).isZero(0));
  again.row(3) = rows.row(3);
  CHECK(again == rows);

  Vector wrong = p;
  wrong[4 * 7 + 2] = -1;  // friction, after armature and damping, which are changed first
  wrong[4 * 7] = 9;
  CHECK(mentions(message_of<corio::ModelError>([&] { corio::set_joint_parameters<double>(model, wrong); }),
                 {corio::detail::joint_of_dof(model, 7), "friction", "negative"}));
  CHECK(model.armature() == rows.row(0).transpose());
  CHECK_THROWS_AS(corio::set_joint_parameters<double>(model, p.head(4)), corio::SizeError);

  const auto names = corio::joint_parameter_names(model);
  REQUIRE(std::ssize(names) == p.size());
  const std::string base = model.joints()[0].name();
  CHECK(names[0] == "armature(" + base + "[0])");
  CHECK(names[4 * 5 + 1] == "damping(" + base + "[5])");
  CHECK(names[4 * 6 + 2] == "friction(" + model.joints()[1].name() + ")");
  CHECK(names.back() == "offset(" + model.joints().back().name() + ")");
}

TEST_CASE("names of the parameters of some bodies are those of their columns", "[identification]") {
  const auto model = corio::zoo::quadruped<double>();
  const auto all = corio::parameter_names(model);
  const auto &first = model.bodies()[4], &second = model.bodies()[2];
  const auto some = corio::parameter_names(model, {model, {first.name(), second.name()}});
  REQUIRE(some.size() == 20);
  for (std::size_t i = 0; i < 10; ++i) CHECK((some[i] == all[40 + i] && some[10 + i] == all[20 + i]));
  const auto other = corio::zoo::serial_chain<double>(3);
  CHECK_THROWS_AS(corio::parameter_names(other, {model, first}), corio::ModelError);
}

TEST_CASE("what a consistent estimate cannot be found from is refused", "[identification][errors]") {
  auto model = corio::zoo::serial_chain<double>(3);
  const Stream bodies(corio::num_inertial_parameters(model)), all(corio::num_inertial_parameters(model) + 12);
  const auto message = [&](const Stream& samples, const corio::ConsistentPrior<double>& prior) {
    return message_of<corio::Error>([&] { corio::consistent_estimate(model, samples, prior); });
  };
  CHECK(mentions(message(all, {}), {"prior.deviations", "size 0", "12"}));
  CHECK(mentions(message(bodies, {.spread = 0.2, .deviations = Vector::Ones(12)}),
                 {"prior.deviations", "12", "expected 0"}));
  CHECK(mentions(message(Stream(34), {.spread = 0.2, .deviations = Vector::Ones(4)}),
                 {"columns of the samples", "34", "42"}));
  CHECK(mentions(message(bodies, {.spread = 0.0}), {"spread", "positive"}));
  CHECK(mentions(message(all, {.spread = 0.2, .deviations = Vector::Zero(12)}), {"deviations", "positive"}));
  const auto& body = model.bodies()[1];
  auto thin = model.inertia(body);
  thin.inertia = Eigen::Vector3d(1e-3, 1e-3, 2e-3).asDiagonal();
  thin.inertia(2, 2) *= 1 + 1e-9;
  model.set_inertia(body, thin);
  CHECK(mentions(message(bodies, {}), {body.name(), "physically consistent"}));
}
