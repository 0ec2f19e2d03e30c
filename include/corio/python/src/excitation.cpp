// Motions that excite a robot, and the friction and gains of its drives. Samples are rows.
#include <random>

#include "class.hpp"
#include "corio/identification/drive_gains.hpp"
#include "corio/identification/excitation.hpp"
#include "corio/identification/friction_fit.hpp"

namespace py = pybind11;

namespace corio::python {
namespace {

using Base = BaseParameters<double>;
using Limits = std::map<std::string, V>;

/// The limits of a model, or given ones in their place; accelerations are at most 10 unless a limit is given.
ExcitationLimits limits_of(const M& model, const Limits& given) {
  ExcitationLimits limits(model);
  limits.acceleration = limits.acceleration.cwiseMin(10);
  V* const all[]{&limits.lower, &limits.upper, &limits.velocity, &limits.acceleration, &limits.effort};
  for (const auto& [name, x] : given)
    *all[index_of("excite: limit", name, {"lower", "upper", "velocity", "acceleration", "effort"})] = x;
  return limits;
}

FourierMotion excite(const M& robot, const Base& base, double period, int harmonics, double share, const Limits& given,
                     unsigned seed) {
  const M model = robot;  // without the lock of the interpreter, Python may change it
  const py::gil_scoped_release release;
  const ExcitationLimits limits = limits_of(model, given);
  std::mt19937 generator(seed);
  const auto start = random_motion<ExcitationLimits>(limits.middle(), period, harmonics, limits, generator);
  return optimize_excitation(model, base, start, limits, {.share = share});
}
auto sampled(const FourierMotion& motion, In times) {
  Mat q(times.size(), motion.coefficients.rows()), v = q, a = q;
  for (Eigen::Index i = 0; i < times.size(); ++i) {
    const auto at = motion.at(times[i]);
    q.row(i) = at.q, v.row(i) = at.v, a.row(i) = at.a;
  }
  return std::tuple(q, v, a);
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

void bind_excitation(py::module_& m) {
  Class<FourierMotion> motion(m, "FourierMotion", "A periodic motion that starts and ends at rest.");
  motion.property("period", &FourierMotion::period);
  motion.property("coefficients", &FourierMotion::coefficients);
  motion.function("at(times)", sampled);
  function(m, "excite(model, base, period=10.0, harmonics=5, share=0.9, limits={}, seed=1)", excite,
           "Within a share of the limits; accelerations are at most 10 unless a limit is given.");
  using X = Excitation;
  bind_result(m, "Excitation", "information condition share tightest", &X::information, &X::condition, &X::share,
              &X::tightest);
  function(m, "excitation(model, base, motion, limits={}, instants=200)",
           [](const M& x, const Base& b, const FourierMotion& f, const Limits& limits, int instants) {
             return excitation(x, b, f, limits_of(x, limits), instants);
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
  drives.init<Eigen::Index, Eigen::Index>("(joints, parameters)");
  drives.init<const D::Result&>("(estimate)");
  drives.function("add(Y, current, known, weights)", add_samples);
  drives.function("add_prior(deviations)", [](D& d, In deviations) { d.add_prior(deviations); });
  drives.function("estimate()", &D::estimate);
}

}  // namespace corio::python
