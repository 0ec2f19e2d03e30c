// Recordings of a robot, which are read, checked and filtered. Samples are rows.
#include <pybind11/stl/filesystem.h>

#include "class.hpp"
#include "corio/identification/check_recording.hpp"

namespace py = pybind11;

namespace corio::python {

void bind_recordings(py::module_& m) {
  using J = JointRecording;
  bind_result<true>(m, "Recording", "t q v tau", &J::t, &J::q, &J::v, &J::tau)
      .init("(t, q, v, tau)", [](const V& t, const Mat& q, const Mat& v, const Mat& tau) {
        return J{t, q.transpose(), v.transpose(), tau.transpose()};
      });
  function(m, "read_recording(model, path, time='time', q=(), v=(), tau=(), degrees=False, currents=False, rate=0.0)",
           [](const M& model, const std::filesystem::path& path, const std::string& time, const Names& q,
              const Names& v, const Names& tau, bool degrees, bool currents, double rate) {
             return read_recording(model, LogTable(path.string()), {time, 0, q, v, tau, degrees, currents, rate});
           });
  using Fault = RecordingFault;
  bind_result(m, "RecordingFault", "column text is_mended", &Fault::column, &Fault::text, &Fault::is_mended);
  using K = RecordingCheck;
  bind_result(m, "RecordingCheck",
              "recording faults speed_slope speed_correlation torque_slope torque_left torque_factor", &K::recording,
              &K::faults, &K::speed_slope, &K::speed_correlation, &K::torque_slope, &K::torque_left, &K::torque_factor);
  function(m, "check_recording(model, recording, accepted=(), has_efforts=True)",
           [](const M& model, const J& recording, const Names& accepted, bool has_efforts) {
             const auto is_accepted = [&](const std::string& name) { return std::ranges::count(accepted, name) > 0; };
             return check_recording(model, recording, is_accepted, has_efforts);
           });
  using P = PreparedRecording;
  bind_result<true>(m, "PreparedRecording", "t q v a tau direction moving correlation_time", &P::t, &P::q, &P::v, &P::a,
                    &P::tau, &P::direction, &P::moving, &P::correlation_time);
  function(m, "prepare(recording, cutoff=10.0, delay_of_tau=0.0, smoothing=0.05, idle=0.01)",
           [](const J& recording, double cutoff, double delay, double smoothing, double idle) {
             return prepare(recording, {cutoff, delay, smoothing, idle});
           });
}

}  // namespace corio::python
