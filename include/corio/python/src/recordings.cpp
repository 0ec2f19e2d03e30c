// Recordings of a robot, which are read, checked and filtered; friction and drives. Samples are rows.
#include <pybind11/stl/filesystem.h>

#include "class.hpp"
#include "corio/identification/check_recording.hpp"
#include "corio/identification/drive_gains.hpp"
#include "corio/identification/friction_fit.hpp"

namespace py = pybind11;

namespace corio::python {
namespace {

void add_samples(DriveGainEstimator& to, const Array& Y, const Array& current, const Array& known,
                 const Array& weights) {
  if (Y.ndim() < 2 || !fit(Y, current) || !fit(Y, known) || !fit(Y, weights))
    throw SizeError("DriveGainEstimator.add: Y[.., joints, columns] needs current, known and weights [.., joints]");
  const Eigen::Index p = Y.shape(Y.ndim() - 1), n = Y.shape(Y.ndim() - 2);
  const auto row = [n](const Array& x, Eigen::Index i) { return V::Map(x.data() + i * n, n); };
  for (Eigen::Index i = 0; i < current.size() / (std::max)(n, Eigen::Index(1)); ++i)
    to.add(RowMat::Map(Y.data() + i * n * p, n, p), row(current, i), row(known, i), row(weights, i));
}

}  // namespace

void bind_recordings(py::module_& m) {
  using J = JointRecording;
  bind_result<true>(m, "Recording", "t q v tau", &J::t, &J::q, &J::v, &J::tau)
      .init("(t, q, v, tau)", [](const V& t, const Mat& q, const Mat& v, const Mat& tau) {
        return J{t, q.transpose(), v.transpose(), tau.transpose()};
      });
  function(
      m, "read_recording(model, path, time='time', q=(), v=(), tau=(), degrees=False, currents=False, rate=0.0)",
      [](const AnyRobot& robot, const std::filesystem::path& path, const std::string& time, const Names& q,
         const Names& v, const Names& tau, bool degrees, bool currents, double rate) {
        return read_recording(robot.tree(), LogTable(path.string()), {time, 0, q, v, tau, degrees, currents, rate});
      });
  using Fault = RecordingFault;
  bind_result(m, "RecordingFault", "column text is_mended", &Fault::column, &Fault::text, &Fault::is_mended);
  using K = RecordingCheck;
  bind_result(m, "RecordingCheck", "recording faults speed_slope torque_slope torque_left", &K::recording, &K::faults,
              &K::speed_slope, &K::torque_slope, &K::torque_left);
  function(m, "check_recording(model, recording, accepted=(), has_efforts=True)",
           [](const AnyRobot& robot, const J& recording, const Names& accepted, bool has_efforts) {
             const auto is_accepted = [&](const std::string& name) { return std::ranges::count(accepted, name) > 0; };
             return check_recording(robot.tree(), recording, is_accepted, has_efforts);
           });
  using P = PreparedRecording;
  bind_result<true>(m, "PreparedRecording", "t q v a tau direction moving correlation_time", &P::t, &P::q, &P::v, &P::a,
                    &P::tau, &P::direction, &P::moving, &P::correlation_time);
  function(m, "prepare(recording, cutoff=10.0, delay_of_tau=0.0, smoothing=0.05, idle=0.01)",
           [](const J& recording, double cutoff, double delay, double smoothing, double idle) {
             return prepare(recording, {cutoff, delay, smoothing, idle});
           });

  using F = JointFriction;
  bind_result(m, "JointFriction",
              "offset smoothing damping_positive damping_negative coulomb_positive coulomb_negative stiction "
              "stribeck_speed rms",
              &F::offset, &F::smoothing, &F::damping_positive, &F::damping_negative, &F::coulomb_positive,
              &F::coulomb_negative, &F::stiction, &F::stribeck_speed, &F::rms)
      .function("__call__(v)", [](const F& f, const py::array_t<double>& v) {
        return py::vectorize([&f](double speed) { return f(speed); })(v);
      });
  function(m, "fit_friction(v, tau, form='linear', smoothing=0.05, direction=None)",
           [](const V& v, const V& tau, const std::string& form, double smoothing, const std::optional<V>& direction) {
             const auto by = static_cast<FrictionForm>(enumerator("fit_friction", "form", form));
             return direction ? fit_friction(v, *direction, tau, by, smoothing) : fit_friction(v, tau, by, smoothing);
           });

  using D = DriveGainEstimator;
  bind_result(m, "DriveGains", "gains deviations parameters is_identifiable", &D::Result::gains, &D::Result::deviations,
              &D::Result::parameters, &D::Result::is_identifiable);
  Class<D> drives(m, "DriveGainEstimator", "Drive gains (N m/A) from motor currents and a known payload.");
  drives.init("(joints, parameters)", [](Eigen::Index joints, Eigen::Index columns) { return D(joints, columns); });
  drives.init("(estimate)", [](const D::Result& from) { return D(from); });
  drives.function("add(Y, current, known, weights)", add_samples);
  drives.function("add_prior(deviations)", [](D& d, In deviations) { d.add_prior(deviations); });
  drives.function("estimate()", &D::estimate);
}

}  // namespace corio::python
