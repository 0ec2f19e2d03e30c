// Identification: recordings, excitation, least squares over streams, estimates. Samples are rows.
#include <pybind11/numpy.h>
#include <pybind11/stl/filesystem.h>

#include <random>

#include "class.hpp"
#include "corio/identification/check_recording.hpp"
#include "corio/identification/consistent_estimate.hpp"
#include "corio/identification/drive_gains.hpp"
#include "corio/identification/estimate.hpp"
#include "corio/identification/excitation.hpp"
#include "corio/identification/friction_fit.hpp"

namespace py = pybind11;

namespace corio::python {
namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Stream = StreamingLeastSquares<double>;
using Base = BaseParameters<double>;
using Limits = std::map<std::string, V>;

/// Adds properties that are members, by their names with commas between them; `Samples` are matrices by columns.
template <bool by_columns = false, class T, class... M>
Class<T> bind_result(py::module_& m, const char* name, const char* names, M T::*... members) {
  Class<T> made(m, name);
  std::istringstream words(names);
  const auto add = [&](auto member) {
    std::string word;
    words >> word;
    if constexpr (by_columns && std::is_same_v<decltype(member), MatrixX<double> T::*>)
      made.property(word.c_str(), [member](const T& x) -> RowMat { return (x.*member).transpose(); });
    else
      made.property(word.c_str(), [member](const T& x) { return x.*member; });
  };
  (add(members), ...);
  made.def("__repr__", [type = std::string(name), fields = std::string(names)](const py::object& x) {
    std::string text = type + "(", field;
    for (std::istringstream all(fields); all >> field;)
      text += (text.back() == '(' ? "" : ", ") + field + "=" + py::repr(x.attr(field.c_str())).cast<std::string>();
    return text + ")";
  });
  return made;
}

/// The limits of a model, or given ones in their place; accelerations are at most 10 unless a limit is given.
ExcitationLimits limits_of(const Model<double>& model, const Limits& given) {
  ExcitationLimits limits(model);
  limits.acceleration = limits.acceleration.cwiseMin(10);
  V* const all[]{&limits.lower, &limits.upper, &limits.velocity, &limits.acceleration, &limits.effort};
  for (const auto& [name, x] : given)
    *all[index_of("excite: limit", name, {"lower", "upper", "velocity", "acceleration", "effort"})] = x;
  return limits;
}

FourierMotion excite(const AnyRobot& robot, const Base& base, double period, int harmonics, double share,
                     const Limits& given, unsigned seed) {
  const Model<double> model = robot.tree();
  const py::gil_scoped_release release;
  const ExcitationLimits limits = limits_of(model, given);
  V middle = (limits.lower + limits.upper) / 2, neutral = corio::neutral(model);
  for (Eigen::Index i = 0; i < middle.size(); ++i)
    if (!std::isfinite(middle[i])) middle[i] = neutral[i];
  std::mt19937 generator(seed);
  const auto start = random_motion<ExcitationLimits>(middle, period, harmonics, limits, generator);
  return optimize_excitation(model, base, start, limits, {.share = share});
}
auto sampled(const FourierMotion& motion, In times) {
  RowMat q(times.size(), motion.coefficients.rows()), v = q, a = q;
  for (Eigen::Index i = 0; i < times.size(); ++i) {
    const auto at = motion.at(times[i]);
    q.row(i) = at.q, v.row(i) = at.v, a.row(i) = at.a;
  }
  return std::tuple(q, v, a);
}

/// Whether x[..] has the rows of Y[.., columns].
bool fit(const Array& Y, const Array& x) {
  return Y.ndim() == x.ndim() + 1 && std::equal(x.shape(), x.shape() + x.ndim(), Y.shape());
}
void add(Stream& stream, const Array& Y, const Array& tau, const std::optional<Array>& weights) {
  if (!fit(Y, tau) || (weights && !fit(Y, *weights)))
    throw SizeError("StreamingLeastSquares.add: Y[.., columns] needs tau[..] and weights[..] of the same dimensions");
  const Eigen::Index n = tau.size(), p = Y.shape(Y.ndim() - 1);
  const Eigen::Map<const RowMat> rows(Y.data(), n, p);
  const Eigen::Map<const V> right(tau.data(), n);
  const V w = weights ? V(V::Map(weights->data(), n)) : V(V::Ones(n));
  const py::gil_scoped_release release;
  Stream all(stream);                           // a rejected row leaves the stream unchanged
  for (Eigen::Index i = 0, k; i < n; i += k) {  // a chunk is copied by columns
    k = (std::min)(n - i, Eigen::Index(256));
    all.add(rows.middleRows(i, k), right.segment(i, k), w.segment(i, k));
  }
  stream = std::move(all);
}

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

void bind_identification(py::module_& m) {
  Class<Stream> stream(m, "StreamingLeastSquares", "Y x = tau over a stream of rows, in constant memory.");
  stream.init("(columns)", [](Eigen::Index columns) { return Stream(columns); });
  stream.property("rows", &Stream::rows);
  stream.property("R", [](const Stream& s) -> Mat { return s.R(); });
  stream.property("z", [](const Stream& s) -> V { return s.z(); });
  stream.property("residual", &Stream::residual);
  stream.function("add(Y, tau, weights=None)", add);
  stream.function("merge(other)", &Stream::merge);
  using State = std::tuple<Mat, V, double, std::int64_t>;
  stream.def(py::pickle([](const Stream& s) { return State(s.R(), s.z(), s.residual(), s.rows()); },
                        [](const State& s) { return std::apply(Stream::restored, s); }));

  Class<Base> base(m, "BaseParameters", "The combinations of parameters that rows determine.");
  base.init("(samples, threshold=1.5e-8)", [](const Stream& s, double threshold) { return Base(s, threshold); });
  base.property("size", &Base::size);
  base.property("columns", &Base::independent);
  base.property("projection", &Base::projection);
  base.function("project(pi)", [](const Base& b, In pi) { return b.project(pi); });
  base.function("describe(model)",
                [](const Base& b, const AnyRobot& robot) { return b.describe(parameter_names(robot.tree())); });

  using E = Estimate<double>;
  bind_result(m, "Estimate", "beta residual degrees_of_freedom covariance condition", &E::beta, &E::residual,
              &E::degrees_of_freedom, &E::covariance, &E::condition)
      .function("standard_deviation()", [](const E& e) { return e.standard_deviation(); });
  function(m, "estimate(samples, base)", estimate<double>);
  function(
      m, "robust_weights(errors, used)",
      [](const Mat& errors, const Mat& used) -> RowMat {
        return robust_weights(errors.transpose(), used.transpose()).transpose();
      },
      "In Python samples are rows.");
  function(m, "structural_base_parameters(model, joints=True)",
           [](const AnyRobot& robot, bool joints) { return structural_base_parameters(robot.tree(), joints); });
  function(m, "is_physically_consistent(pi)",
           [](const Eigen::Matrix<double, 10, 1>& pi) { return is_physically_consistent<double>(pi); });
  using C = ConsistentEstimate<double>;
  bind_result(m, "ConsistentEstimate", "parameters iterations decrement converged", &C::parameters, &C::iterations,
              &C::decrement, &C::converged);
  function(m, "consistent_estimate(model, samples, spread=0.2, deviations=())",
           [](const AnyRobot& robot, const Stream& samples, double spread, const V& deviations) {
             return consistent_estimate(robot.tree(), samples, {spread, deviations});
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
             const auto by = static_cast<FrictionForm>(choice("fit_friction", "form", form));
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

  Class<FourierMotion> motion(m, "FourierMotion", "A periodic motion that starts and ends at rest.");
  motion.property("period", &FourierMotion::period);
  motion.property("coefficients", [](const FourierMotion& f) { return f.coefficients; });
  motion.function("at(times)", sampled);
  function(m, "excite(model, base, period=10.0, harmonics=5, share=0.9, limits={}, seed=1)", excite);
  using X = Excitation;
  bind_result(m, "Excitation", "information condition share tightest", &X::information, &X::condition, &X::share,
              &X::tightest);
  function(m, "excitation(model, base, motion, limits={}, instants=200)",
           [](const AnyRobot& robot, const Base& b, const FourierMotion& f, const Limits& limits, int instants) {
             return excitation(robot.tree(), b, f, limits_of(robot.tree(), limits), instants);
           });

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
}

}  // namespace corio::python
