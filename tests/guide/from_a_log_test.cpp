#include <fstream>

#include "corio/algorithms/dynamics/rnea.hpp"
#include "corio/identification/consistent_estimate.hpp"
#include "corio/identification/recording.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/guide.hpp"
#include "support/temporary_file.hpp"

// The code of include/corio/guide/from_a_log.md, on the recording of an arm that moves as sines do.

namespace guide_test {

using Eigen::VectorXd;

TEST_CASE("the page from a log to a model", "[guide]") {
  const corio::test::WorkingFolder folder;
  auto model = corio::zoo::serial_chain<double>(2);
  model.set_armature(Eigen::Vector2d(0.2, 0.1)), model.set_damping(Eigen::Vector2d(0.5, 0.3));
  corio::Data<double> data(model);
  const Eigen::Array2d speed(3.1, 4.3);
  {
    std::ofstream file("log.csv");
    file.precision(12);
    file << "time";
    for (const char* what : {",q_", ",tau_"})
      for (const auto& joint : model.joints()) file << what << joint.name();
    for (int k = 0; k < 4000; ++k) {
      const double t = 0.0025 * k;
      const VectorXd q = (speed * t).sin(), v = speed * (speed * t).cos(), a = -speed * speed * q.array();
      const VectorXd tau = corio::rnea(model, data, q, v, a) + model.damping().cwiseProduct(v);
      file << '\n' << t << ',' << q[0] << ',' << q[1] << ',' << tau[0] << ',' << tau[1];
    }
  }
  const VectorXd weights = VectorXd::Constant(2, 1e4);
  const corio::LogTable table("log.csv");  // columns time, q_JOINT, tau_JOINT
  const auto samples = corio::prepare(corio::read_recording(model, table), {.cutoff = 5, .smoothing = 0.02});
  corio::TorqueRegressor regressor(model);
  const int joints = 4 * model.nv();
  corio::StreamingLeastSquares<double> stream(corio::num_inertial_parameters(model) + joints);
  for (Eigen::Index i = 0; i < samples.t.size(); ++i) {
    const auto& Y = regressor(samples.q.col(i), samples.v.col(i), samples.a.col(i), samples.direction.col(i));
    const VectorXd row_weights = samples.moving.col(i).cwiseProduct(weights) / samples.correlation_time;
    stream.add(Y, samples.tau.col(i), row_weights);  // 1 / variances of the torques, 0 at rest
  }
  const auto found = corio::consistent_estimate(model, stream, {.spread = 0.2, .deviations = VectorXd::Ones(joints)});
  CHECK(found.converged);
  // The filter changes torques of 4 rad/s and their harmonics by some thousandths.
  CHECK((found.parameters.tail(joints) - corio::joint_parameters(model)).cwiseAbs().maxCoeff() < 0.05);
}

TEST_CASE("the code of the page from a log to a model is compiled", "[guide]") {
  CHECK(corio::test::check_blocks("include/corio/guide/from_a_log.md", "tests/guide/from_a_log_test.cpp") == 1);
}

}  // namespace guide_test
