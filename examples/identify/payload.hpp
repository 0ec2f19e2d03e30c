#pragma once

#include <corio/identification/drive_gains.hpp>
#include <corio/model/edit.hpp>

#include "fit.hpp"

namespace identify {

/// Returns the matrix that maps the ten parameters of a payload, in the axes of a frame, to the change of the
/// parameters of the model. The map is linear, so differences are exact.
inline Matrix payload_map(const corio::Model<double>& model, const std::string& frame) {
  using Inertia = corio::InertialParameters<double>;
  const auto with = [&](const corio::Vector10<double>& payload) {
    return parameters(corio::with_payload(model, frame, Inertia::from_parameters(payload)));
  };
  const corio::Vector10<double> heavy =
      Inertia{100, corio::Vector3<double>::Zero(), 100 * corio::Matrix3<double>::Identity()}.vector();
  Matrix map(num_parameters(model), 10);
  for (int k = 0; k < 10; ++k) map.col(k) = with(heavy + corio::Vector10<double>::Unit(k)) - with(heavy);
  return map;
}

/// The robot of the model with the friction and offsets of friction.csv beside its file, which an identification has
/// written there.
inline Found robot_as_identified(const corio::Model<double>& model, const Options& options) {
  Found robot{parameters(model), 0.05, {}};
  const auto path = std::filesystem::path(options.robot).parent_path() / "friction.csv";
  if (!options.robot.empty() && std::filesystem::exists(path)) {
    const corio::LogTable table(path.string());
    if (table.rows() != model.nv()) throw std::runtime_error(path.string() + " has other joints than " + options.robot);
    for (int k = 0; k < model.nv(); ++k) {
      const auto of = [&](const char* name) { return table.column(name)[k]; };
      robot.friction.push_back({of("offset"), of("smoothing"), of("damping+"), of("damping-"), of("coulomb+"),
                                of("coulomb-"), of("stiction"), of("stribeck_speed")});
      joint_parameters_of(model, robot.p, k)[3] = of("offset");
    }
    robot.smoothing = robot.friction[0].smoothing;
    std::printf("friction and offsets are those of %s\n", path.c_str());
  }
  if (options.smoothing > 0) robot.smoothing = options.smoothing;
  return robot;
}

/// A payload: its parameters in the axes of the frame, with the changes of the joints' offsets; the robot with it; and
/// both by the samples alone, without physical consistency.
struct Payload {
  corio::Vector10<double> parameters;
  Vector offsets;
  Found loaded;
  BaseEstimate alone;
};
/// Fits a payload. Offsets are near those of the robot by a tenth of the Coulomb friction if the robot has offsets. The
/// prior of the payload, 1 kg within a decimetre, has a spread of 10.
inline Payload fit_payload(const corio::Model<double>& model, const Matrix& map, Samples s, const Found& robot) {
  const int n = model.nv();
  const Matrix moving = s.moving, rest = s.tau - predict(model, s, robot);
  Vector deviation = (0.1 * rms(rest)).cwiseMax(1e-9), prior = Vector::Zero(10 + n), offsets = rms(s.tau);
  prior.head<10>() << 1, 0, 0, 0, 0.01, 0.01, 0.01, 0, 0, 0;
  for (std::size_t k = 0; k < robot.friction.size(); ++k)
    offsets[static_cast<Eigen::Index>(k)] = 0.1 * robot.friction[k].coulomb_positive;
  offsets = offsets.cwiseMax(1e-6);
  Regressor regressor(model, robot.smoothing);
  Matrix Y(n, 10 + n);
  for (int pass = 0;; ++pass) {
    Stream stream(10 + n);
    for (Eigen::Index i = 0; i < s.t.size(); ++i) {
      Y << regressor(motion(s, i)) * map, Matrix::Identity(n, n);
      stream.add(Y, rest.col(i), s.moving.col(i).cwiseQuotient(deviation.cwiseAbs2()));
    }
    const Vector p = corio::consistent_estimate<double>(prior, stream, {10, offsets}).parameters;
    Found loaded = robot;
    loaded.p += map * p.head<10>();
    for (int k = 0; k < n; ++k) {
      joint_parameters_of(model, loaded.p, k)[3] += p[10 + k];
      if (!loaded.friction.empty()) loaded.friction[static_cast<std::size_t>(k)].offset += p[10 + k];
    }
    const Matrix errors = s.tau - predict(model, s, loaded);
    if (pass == 2) {
      Vector size(10 + n), wide(10 + n);
      size << sizes(corio::Vector10<double>(p.head<10>()), 1e-3), 2 * offsets;  // the prior separates offsets
      wide << 100 * size.head<10>(), offsets;
      return {p.head<10>(), p.tail(n), loaded,
              BaseEstimate(Base(Matrix::Identity(10 + n, 10 + n)), stream, prior, wide, size)};
    }
    s.moving = corio::robust_weights(errors, moving);
    deviation = independent_deviation(errors, s, 10 + n);
  }
}

/// Drive gains from recordings without and with a payload of which m, m c and the inertia about the origin of the link
/// are given, or the first of them. A given centre of mass counts as known to a centimetre.
inline corio::DriveGainEstimator::Result find_gains(const corio::Model<double>& model, const Matrix& map,
                                                    const Vector& known, const Samples& without, const Samples& with,
                                                    double smoothing) {
  const int n = model.nv(), p = num_parameters(model);
  constexpr Eigen::Index unknown = 9;  // all but the mass, near the given parameters
  Regressor regressor(model, smoothing);
  Matrix Y(n, p + unknown);
  Samples all = without;
  append(all, with);
  // Computes the rows Y of a sample. Returns the torque of the known parameters.
  const auto rows = [&](Eigen::Index i) -> Vector {
    Y.leftCols(p) = regressor(motion(all, i));
    const Matrix of_payload = (i < without.t.size() ? 0 : 1) * Y.leftCols(p) * map;
    Y.rightCols(unknown) = of_payload.rightCols(unknown);
    return of_payload.leftCols(known.size()) * known;
  };
  // A payload is within 0.2 m of its centre of mass, or of the origin of the frame if that centre is unknown.
  Vector deviation = 0.1 * rms(without.tau).cwiseMax(1e-9),
         prior = Vector::Constant(p + unknown, std::numeric_limits<double>::infinity());
  const double mass = known[0], off = known.size() < 4 ? 0.2 : 0.01,
               centre = known.size() < 4 ? 0 : known.segment<3>(1).norm() / mass, outer = known.size() < 10 ? 0.2 : off;
  prior.segment<3>(p).setConstant(mass * off);
  prior.tail(6).setConstant(mass * outer * (2 * centre + outer));
  corio::DriveGainEstimator::Result found;
  for (int step = 0; step < 12; ++step) {
    auto gains = step == 0 ? corio::DriveGainEstimator(n, p + unknown) : corio::DriveGainEstimator(found);
    for (Eigen::Index i = 0; i < all.t.size(); ++i) {
      const Vector torque = rows(i);
      gains.add(Y, all.tau.col(i), torque, all.moving.col(i).cwiseQuotient(deviation.cwiseAbs2()));
    }
    gains.add_prior(step == 0 ? Vector(1e-3 * prior) : prior);
    found = gains.estimate();
    Matrix errors(n, all.t.size());
    for (Eigen::Index i = 0; i < all.t.size(); ++i) {
      const Vector torque = rows(i);
      errors.col(i) = all.tau.col(i) - (Y * found.parameters + torque).cwiseQuotient(found.gains);
    }
    if (errors.allFinite()) deviation = independent_deviation(errors, all, p / 2);
  }
  return found;
}

}  // namespace identify
