#include "corio/identification/base_parameters.hpp"

#include <Eigen/QR>

#include "corio/algorithms/regressors/regressors.hpp"
#include "corio/identification/estimate.hpp"
#include "corio/identification/log_cholesky.hpp"
#include "corio/zoo/random_tree.hpp"
#include "support/catch.hpp"
#include "support/dynamics_support.hpp"
#include "support/model_support.hpp"
#include "support/solve.hpp"

using namespace corio;
namespace t = corio::test;
using Eigen::Index;
using t::Complex;
using t::relative_error;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Names = std::vector<std::string>;

namespace {

/// Rows of the regressor of inverse dynamics, and rnea without armature, at random states.
struct Excitation {
  Excitation(const Model<double>& model, int states, int seed)
      : Y(states * model.nv(), num_inertial_parameters(model)), tau(Y.rows()) {
    Data<double> data(model);
    std::mt19937 generator(static_cast<std::uint32_t>(seed));
    t::Random<double> random(seed);
    Matrix here(model.nv(), Y.cols());
    for (int i = 0; i < states; ++i) {
      const Vector q = random_configuration(model, generator);
      const Vector v = t::random_vector(random, model.nv()), a = t::random_vector(random, model.nv());
      inverse_dynamics_regressor(model, data, q, v, a, here);
      Y.middleRows(i * model.nv(), model.nv()) = here;
      tau.segment(i * model.nv(), model.nv()) = rnea(model, data, q, v, a) - model.armature().cwiseProduct(a);
    }
  }
  Matrix Y;
  Vector tau;
};

BaseParameters<double> base_of(const Model<double>& model, int seed = 1) {
  return BaseParameters<double>(Excitation(model, 12 * static_cast<int>(model.bodies().size()), seed).Y);
}

/// Returns the dimension of the pseudo-inertias that a joint does not move, hat(S_k) J = 0 for its columns S_k at all
/// q: such inertias can be added to the parent.
int free_directions(const Model<double>& model, const Body<double>& body) {
  constexpr int samples = 6;
  Matrix conditions = Matrix::Zero(0, 10);
  std::mt19937 generator(1);
  for (int sample = 0; sample < samples; ++sample) {
    const Vector q = random_configuration(model, generator);
    const auto poses = t::node_poses(model, q);
    const Joint& joint = model.joints()[static_cast<std::size_t>(body.joint())];
    for (int k = joint.v_index(); k < joint.v_index() + joint.nv(); ++k) {
      // Computes the column in the axes of the body, by the complex step.
      const auto over = model.cast<Complex>();
      const VectorX<Complex> moved = t::step(over, q, Vector::Unit(model.nv(), k));
      const auto X = t::node_poses(over, moved)[static_cast<std::size_t>(body.node())];
      const Eigen::Matrix4d rate = t::homogeneous(X).imag() / t::complex_step;
      const Eigen::Matrix4d hat = t::homogeneous(poses[static_cast<std::size_t>(body.node())]).inverse() * rate;
      const Index first = conditions.rows();
      conditions.conservativeResize(first + 16, 10);
      Index column = 0;
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j <= i; ++j, ++column) {
          Eigen::Matrix4d J = Eigen::Matrix4d::Zero();
          J(i, j) = J(j, i) = 1;
          const Eigen::Matrix4d moves = hat * J;
          conditions.block<16, 1>(first, column) = moves.reshaped();
        }
    }
  }
  return 10 - static_cast<int>(t::rank(conditions, 1e-9));
}

/// Builds bodies on parallel y axes, `length` apart along x, in the plane of gravity.
Model<double> planar_arm(int bodies, double length) {
  ModelBuilder<double> builder("planar");
  for (int i = 0; i < bodies; ++i)
    builder.add_body(
        {.name = "link" + std::to_string(i + 1),
         .parent = i == 0 ? Parent() : Parent("link" + std::to_string(i)),
         .joint = joint::Revolute::y(),
         .placement = {Matrix3<double>::Identity(), Vector3<double>(i == 0 ? 0 : length, 0, 0)},
         .inertia = InertialParameters<double>(2, {0.2, 0.01, 0.03}, Vector3<double>(0.1, 0.11, 0.12).asDiagonal())});
  return builder.build();
}

}  // namespace

TEST_CASE("a body on a mobile base loses what its joint does not move", "[identification][base]") {
  // r = 10 N - sum of free directions: revolute 3, prismatic 6, free flyer 0, others in between.
  const int seed = GENERATE(range(0, 6));
  const auto model = zoo::random_tree(static_cast<std::uint64_t>(seed), {.bodies = 10, .floating_base = true});
  int expected = num_inertial_parameters(model);
  for (const auto& body : model.bodies()) {
    const int lost = free_directions(model, body);
    const std::string& type = model.joints()[static_cast<std::size_t>(body.joint())].type();
    CAPTURE(type, lost);
    if (type == "revolute") CHECK(lost == 3);
    if (type == "prismatic") CHECK(lost == 6);
    if (type == "helical" || type == "spherical" || type == "universal") CHECK(lost == 1);
    if (type == "free_flyer" || type == "free flyer") CHECK(lost == 0);
    expected -= lost;
  }
  CHECK(base_of(model).size() == expected);
}

TEST_CASE("base parameters say what all parameters say, at any state", "[identification][base]") {
  const int seed = GENERATE(range(0, 8));
  const auto model = zoo::random_tree(static_cast<std::uint64_t>(seed),
                                      {.bodies = 8, .floating_base = seed % 2 == 1, .armature = seed % 3 == 0});
  const auto base = base_of(model);
  const Excitation other(model, 10, 77);
  const Vector pi = inertial_parameters(model), beta = base.project(pi);
  // The condition of Y_1 enters the projection, some 1e3.
  CHECK(relative_error(base.reduce(other.Y) * beta, other.tau) < 1e-10);
  CHECK(relative_error(base.projection() * pi, beta) < 1e-13);
  CHECK(relative_error(base.reduce(other.Y) * base.projection(), other.Y) < 1e-10);
  CHECK(base.size() + static_cast<int>(base.dependent().size()) == base.num_parameters());
}

TEST_CASE("base parameters do not depend on the units of the regressor", "[identification][base]") {
  const auto model = zoo::random_tree(3, {.bodies = 8});
  const Excitation e(model, 20, 5);
  const BaseParameters<double> base(e.Y);
  const double scale = GENERATE(1e-200, 1e200);  // the squares are zero and infinite
  const BaseParameters<double> scaled(Matrix(e.Y * scale));
  CHECK(scaled.independent() == base.independent());
  CHECK(relative_error(scaled.K(), base.K()) < 1e-12);
}

TEST_CASE("base parameters are identified exactly from exact torques, in a stream", "[identification][base]") {
  const int seed = GENERATE(range(0, 8));
  const auto model = zoo::random_tree(static_cast<std::uint64_t>(seed), {.bodies = 8, .floating_base = seed % 2 == 1});
  const Excitation e(model, 100, seed);
  StreamingLeastSquares<double> stream(num_inertial_parameters(model));
  for (Index i = 0; i < e.Y.rows(); i += model.nv())
    stream.add(e.Y.middleRows(i, model.nv()), e.tau.segment(i, model.nv()));
  const BaseParameters<double> base(stream);
  CHECK(base.size() == base_of(model).size());
  const auto found = estimate(stream, base);
  CHECK(relative_error(found.beta, base.project(inertial_parameters(model))) < 1e-9);
  CHECK(std::sqrt(found.residual) < 1e-11 * e.tau.norm());
}

TEST_CASE("structural base parameters are those of any states, with the joints' columns", "[identification][base]") {
  const int seed = GENERATE(range(0, 4));
  const auto model = zoo::random_tree(static_cast<std::uint64_t>(seed), {.bodies = 6, .floating_base = seed == 3});
  const auto base = structural_base_parameters(model), of_bodies = structural_base_parameters(model, false);
  const auto other = base_of(model, 50 + seed);
  CHECK(of_bodies.independent() == other.independent());
  // The condition of Y_1 enters K, some 1e3.
  CHECK(relative_error(of_bodies.K(), other.K()) < 1e-10);
  // A joint whose body has one free inertia about its axis shows the sum of it and the armature. A damping, a friction
  // and an offset are its own.
  const Excitation e(model, 10, 77);
  Matrix Y = Matrix::Zero(e.Y.rows(), base.num_parameters());
  Y.leftCols(e.Y.cols()) = e.Y;
  const int added = base.size() - of_bodies.size();
  CHECK(added >= 3 * model.nv());
  CHECK(added <= 4 * model.nv());
  CHECK(relative_error(base.reduce(Y) * base.projection().leftCols(e.Y.cols()), e.Y) < 1e-10);
  CHECK(structural_base_parameters(model).K() == base.K());
}

TEST_CASE("combinations have no terms that are rounding", "[identification][base]") {
  const auto model = zoo::serial_chain<double>(6);
  for (const bool joints : {false, true}) {
    const auto base = structural_base_parameters(model, joints);
    for (const double factor : base.K().reshaped())
      if (factor != 0) CHECK(std::abs(factor) > 1e-5);  // squares of lengths of a centimetre and more
  }
}

TEST_CASE("a planar arm has the base parameters of the textbook", "[identification][base]") {
  // One link shows its first moment in the plane and its inertia about the axis. The second link adds its mass to the
  // first, as if the mass were in its axis: hx1 + l m2, Iyy1 + l^2 m2.
  SECTION("one link") {
    const auto model = planar_arm(1, 0.5);
    CHECK(base_of(model).describe(parameter_names(model)) == Names{"hx(link1)", "hz(link1)", "Iyy(link1)"});
  }
  SECTION("two links") {
    const auto model = planar_arm(2, 0.5);
    CHECK(base_of(model).describe(parameter_names(model)) == Names{"hx(link1) + 0.5 m(link2)", "hz(link1)",
                                                                   "Iyy(link1) + 0.25 m(link2)", "hx(link2)",
                                                                   "hz(link2)", "Iyy(link2)"});
  }
  SECTION("without gravity less is seen") {
    auto model = planar_arm(2, 1);
    model.set_gravity(Vector3<double>::Zero());
    CHECK(base_of(model).describe(parameter_names(model)) ==
          Names{"Iyy(link1) + m(link2)", "hx(link2)", "hz(link2)", "Iyy(link2)"});
  }
}

TEST_CASE("columns that differ too little to be told apart one by one are still found", "[identification][base]") {
  // Every column keeps a remainder of 1 beside the columns before it, but a combination with factors 1, 1, 2, 4, ..
  // nearly vanishes: only pivoting reveals this.
  constexpr int n = 60;
  Matrix Y = Matrix::Identity(n, n);
  Y.triangularView<Eigen::StrictlyUpper>() = Matrix::Constant(n, n, -1.0);
  const BaseParameters<double> base(Y);
  CHECK(base.size() == n - 1);
  CHECK(relative_error(base.reduce(Y) * base.projection(), Y) < 1e-12);
}

TEST_CASE("the threshold separates dependent from independent", "[identification][base]") {
  Matrix Y = Matrix::Random(50, 5);
  Y.col(4) = Y.col(0) + 1e-5 * Y.col(4);
  CHECK(BaseParameters<double>(Y).size() == 5);
  CHECK(BaseParameters<double>(Y, 1e-3).size() == 4);
  const BaseParameters<float> single(MatrixX<float>(Y.cast<float>()));
  CHECK(single.size() == 4);  // 1e-5 is below the square root of its rounding
  CHECK(single.dependent() == std::vector<int>{4});
  CHECK(single.K()(0, 0) == Approx(1).margin(1e-4));
}

TEST_CASE("parameters without effect have zero columns in K", "[identification][base]") {
  const auto model = planar_arm(1, 0.5);
  const auto base = base_of(model);
  CHECK(base.size() == 3);
  CHECK(base.K().cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("what does not fit base parameters is refused", "[identification][base]") {
  const BaseParameters<double> base(Matrix(Matrix::Random(20, 4)));
  CHECK_THROWS_AS(base.project(Vector::Zero(3)), SizeError);
  CHECK_THROWS_AS(base.reduce(Matrix::Zero(2, 5)), SizeError);
  CHECK_THROWS_AS(base.describe({"a", "b"}), SizeError);
  const std::string message = t::message_of<Error>([] { BaseParameters<double>(Matrix(Matrix::Zero(20, 4))); });
  CHECK(t::mentions(message, {"zero"}));
  const Matrix Y = Matrix::Random(20, 4);
  for (const double threshold : {-1e-9, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK(t::mentions(t::message_of<Error>([&] { BaseParameters<double>(Y, threshold); }), {"threshold"}));
}

TEST_CASE("the consistency of all bodies is checked at once, and the first at fault is named",
          "[identification][inertia]") {
  const auto model = planar_arm(3, 0.5);
  Vector pi = inertial_parameters(model);
  CHECK_NOTHROW(check_physically_consistent(model, pi));
  pi[10] = -2;
  CHECK(t::mentions(t::message_of<ModelError>([&] { check_physically_consistent(model, pi); }), {"'link2'", "mass"}));
  CHECK_THROWS_AS(check_physically_consistent(model, pi.head(20)), SizeError);
}
