// Identifies the bodies and joints of a robot from recordings of it: base parameters with standard deviations, and all
// parameters, physically consistent, as a URDF; the friction of its joints; a payload; or the gains of its drives.
//
// identify --help lists the options.

#include <Eigen/Dense>
#include <corio/identification/check_recording.hpp>

#include "identify/report.hpp"
#include "identify/simulate.hpp"
#include "support/figures.hpp"
#include "support/robot.hpp"

namespace {

using namespace identify;

/// Prints how well the columns of a recording agree, and which defects were mended; these are notes for the page, too.
/// @throws std::runtime_error if something is doubtful that --mend does not name
corio::JointRecording checked(const corio::Model<double>& model, const std::string& path, corio::JointRecording log,
                              const Options& options, std::string& notes) {
  const auto accepted = [&](const std::string& column) {
    return std::ranges::any_of(options.mend, [&](const auto& one) { return one == "all" || one == column; });
  };
  auto check = corio::check_recording(model, std::move(log), accepted, !options.find_gains, options.shift);
  std::printf("%-24s %22s %22s\n", "joint", "speed/rate, correlation", "torque/model, left");
  for (int k = 0; k < model.nv(); ++k)
    std::printf("%-24s %12.4f %9.4f %12.4f %9.4f\n", joint_name(model, k).c_str(), check.speed_slope[k],
                check.speed_correlation[k], check.torque_slope[k], check.torque_left[k]);
  if (const double x = check.torque_factor; (x > 1.5 && x <= 3) || (1.5 * x < 1 && 3 * x >= 1)) {
    char text[200];
    std::snprintf(text, sizeof text,
                  "all torques are some %.2g times those of the model; if its masses are right, pass the factor by "
                  "--drive-gains or --gear (with --current), or name the unit\n",
                  x);
    std::printf("NOTE: %s", text);
    notes += path + ": " + text;
  }
  std::string doubtful;
  for (const auto& [column, text, is_mended] : check.faults) {
    std::printf("%s: %s %s\n", is_mended ? "mended" : "DOUBTFUL", column.c_str(), text.c_str());
    notes += path + ": " + column + " " + text + "\n";
    if (!is_mended) doubtful += (doubtful.empty() ? "" : ",") + column;
  }
  if (!doubtful.empty())
    throw std::runtime_error(path +
                             ": columns are doubtful, see above. Correct them, or accept what is proposed by --mend '" +
                             doubtful + "'");
  return check.recording;
}

corio::JointRecording read(const corio::Model<double>& model, const std::string& path, const Options& options,
                           std::string& notes) {
  auto log = support::read_joint_log(model, path, options.columns);
  const auto row_at = [&](double t) { return std::ranges::lower_bound(log.t, t) - log.t.begin(); };
  if (const auto from = row_at(options.begin), to = row_at(options.end); from > 0 || to < log.t.size()) {
    if (to - from < 20) throw std::runtime_error(path + ": --begin and --end leave fewer than 20 rows");
    log.t = (log.t.segment(from, to - from).array() - log.t[from]).eval();
    for (Matrix* x : {&log.q, &log.v, &log.tau})
      if (x->size() > 0) *x = x->middleCols(from, to - from).eval();
  }
  const auto timing = corio::sample_timing(log.t);
  std::printf("%s: %lld rows, %.2f s, every %.4g ms, jitter %.2g ms, %zu gaps", path.c_str(),
              static_cast<long long>(log.t.size()), log.t[log.t.size() - 1], 1e3 * timing.period, 1e3 * timing.jitter,
              timing.gaps.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(timing.gaps.size(), 5); ++i)
    std::printf("%s row %lld", i == 0 ? ", before" : ",", static_cast<long long>(timing.gaps[i] + 1));
  std::printf("\n");
  notes += path + ": " + std::to_string(log.t.size()) + " rows\n";
  return checked(model, path, std::move(log), options, notes);
}

/// The recordings used for identification, and those to be predicted.
struct Sets {
  Recordings fitted, held_out;
  std::string notes;  // the command, files, and what was mended in them
};
Sets read_all(const corio::Model<double>& model, const Options& options) {
  Sets sets{{}, {}, options.command + "\n"};
  const double share = options.validate.empty() ? 1 - options.validation : 1;
  for (const auto& path : options.logs) {
    auto log = read(model, path, options, sets.notes);
    if (share < 1) sets.held_out.add(log, share, 1);
    sets.fitted.add(std::move(log), 0, share);
  }
  for (const auto& path : options.validate) sets.held_out.add(read(model, path, options, sets.notes), 0, 1);
  return sets;
}

/// Prints the delay of measured torques behind predicted ones for each joint whose delay is known to 2 ms in spite of
/// errors of the model. A common --shift would make joints worse that have another delay, or errors that look like one.
void report_delay(const corio::Model<double>& model, const Samples& s, const Matrix& predicted) {
  const double dt = (s.t.tail(s.t.size() - 1) - s.t.head(s.t.size() - 1)).cwiseAbs().minCoeff();
  const Matrix errors = s.tau - predicted;
  std::vector<double> late;
  std::string text;
  for (int k = 0; k < model.nv(); ++k) {
    const Vector error = errors.row(k), rate = corio::central_differences(predicted.row(k), dt);
    const double time = std::max(s.correlation_time, corio::correlation_time(error));
    const double deviation =
        std::sqrt(time) * error.norm() / std::max(1e-300, rate.norm() * std::sqrt(static_cast<double>(s.t.size())));
    if (!(deviation < 2e-3 && error.norm() < 0.3 * s.tau.row(k).norm())) continue;
    late.push_back(1e3 * corio::delay(predicted.row(k), s.tau.row(k), dt, 0.2));
    char one[64];
    std::snprintf(one, sizeof one, " %.1f +- %.1f", late.back(), 1e3 * deviation);
    text += (late.size() > 1 ? ", " : " ") + joint_name(model, k) + one;
  }
  if (late.empty()) return;
  std::printf("torques lag behind the motion beside --shift, ms:%s\n", text.c_str());
  const auto [least, most] = std::ranges::minmax(late);
  if (most - least > 10)
    std::printf("these delays differ by %.1f ms: a common --shift makes some joints worse\n", most - least);
}

Found identify_robot(const corio::Model<double>& model, const Base& structure, const Sets& sets, Options options,
                     const fs::path& folder) {
  Found found = fit(model, structure, sets.fitted, options), base_alone;
  Samples fitted, held_out;
  Matrix prediction, alone;
  const auto predict_all = [&] {
    fitted = sets.fitted.prepared(options, found.smoothing),
    held_out = sets.held_out.prepared(options, found.smoothing);
    base_alone = found;
    base_alone.p = BaseEstimate(model, structure, found).parameters_of_fit();
    prediction = predict(model, held_out, found), alone = predict(model, held_out, base_alone);
  };
  predict_all();
  const Vector errors = rms(held_out.tau - prediction), least = rms(held_out.tau - alone);
  if ((errors.array() > 1.2 * least.array() && errors.array() > 0.02 * rms(held_out.tau).array()).any()) {
    const std::string names = bodies_at_bounds(model, found.p);
    std::printf(
        "\nBase parameters alone predict far better than consistent bodies near the model; at their bounds: %s\n",
        names.empty() ? "none" : names.c_str());
    options.spread = best_spread(model, found, options.spread), options.smoothing = found.smoothing;
    std::printf("--spread %g predicts quarters of the samples from the others best, and is used\n", options.spread);
    found = fit(model, structure, sets.fitted, options);
    predict_all();
  }
  const BaseEstimate base(model, structure, found);
  report_base(model, base, folder);
  report_joints(model, found, folder);
  report_errors(model, fitted, held_out, predict(model, held_out, parameters(model), found.smoothing),
                predict(model, fitted, found), prediction, alone);
  report_delay(model, held_out, prediction);
  report_parameters(model, found, folder);
  auto page = support::output(folder / "identify.html", 6);
  write_page(page, sets.notes, model, held_out, prediction, found, &base);
  return found;
}

void identify_payload(const corio::Model<double>& model, const Sets& sets, const Options& options,
                      const fs::path& folder) {
  const Found robot = robot_as_identified(model, options);
  const Samples fitted = sets.fitted.prepared(options, robot.smoothing),
                held_out = sets.held_out.prepared(options, robot.smoothing);
  const Matrix map = payload_map(model, options.payload_of);
  const Payload payload = fit_payload(model, map, fitted, robot);
  report_payload(model, options.payload_of, payload);
  const Vector p = payload.alone.parameters_of_fit();
  Found alone = payload.loaded;
  alone.p += map * (p.head<10>() - payload.parameters);
  const Matrix prediction = predict(model, held_out, payload.loaded);
  report_errors(model, fitted, held_out, predict(model, held_out, robot), predict(model, fitted, payload.loaded),
                prediction, predict(model, held_out, alone));
  auto page = support::output(folder / "identify.html", 6);
  write_page(page, sets.notes, model, held_out, prediction, payload.loaded, nullptr);
}

corio::DriveGainEstimator::Result identify_gains(const corio::Model<double>& model, const Sets& sets,
                                                 const Options& options) {
  Vector known = Eigen::Map<const Vector>(options.payload.data(), std::ssize(options.payload));
  if (known.size() > 1) known.segment(1, 3) *= known[0];
  const double smoothing = options.smoothing > 0 ? options.smoothing : 0.05;
  Recordings loaded;
  std::string notes;
  loaded.add(read(model, options.loaded, options, notes), 0, 1);
  Samples without = sets.fitted.prepared(options, smoothing);
  if (options.validate.empty() && options.validation > 0) append(without, sets.held_out.prepared(options, smoothing));
  const auto found = find_gains(model, payload_map(model, options.payload_of), known, without,
                                loaded.prepared(options, smoothing), smoothing);
  const Vector off = found.parameters.segment<3>(num_parameters(model)) / known[0];
  if (known.size() > 1 && off.norm() > 0.02)
    std::printf(
        "NOTE: torques put the centre of mass %.2f m or more off the given one, which makes gains of the wrist wrong "
        "by more than their deviations; correct it, or pass the mass alone\n",
        off.norm());
  std::printf("\nDrive gains\n%-24s %12s %12s\n", "joint", "N m/A", "deviation");
  for (int k = 0; k < model.nv(); ++k)
    std::printf("%-24s %12.4f %12.4f %s\n", joint_name(model, k).c_str(), found.gains[k], found.deviations[k],
                found.is_identifiable[static_cast<std::size_t>(k)] ? ""
                : known.size() > 1                                 ? "not identifiable: the payload loads it too little"
                                   : "not identifiable by the mass alone: pass --payload m,cx,cy,cz");
  return found;
}

/// Identifies the gains of the simulated drives from recordings of one motion without and with a payload, of which the
/// mass is known alone, or with a centre that is wrong by a centimetre.
bool check_gains(const SimulatedArm& arm, Options options, double smoothing, const fs::path& folder) {
  record(arm, options.seed + 3, smoothing, folder / "unloaded.csv", Recorded::currents);
  record(arm, options.seed + 3, smoothing, folder / "loaded.csv", Recorded::currents_with_payload);
  options.logs = {(folder / "unloaded.csv").string()}, options.loaded = (folder / "loaded.csv").string();
  options.validate = {}, options.payload_of = arm.hand, options.smoothing = smoothing, options.find_gains = true;
  const double m = arm.payload[0];
  bool good = true;
  for (const std::vector<double>& payload :
       {std::vector{m}, {m, arm.payload[1] / m, arm.payload[2] / m, arm.payload[3] / m + 0.01}}) {
    options.payload = payload;
    const auto found = identify_gains(arm.model, read_all(arm.model, options), options);
    const Vector off = (found.gains - arm.gains).cwiseAbs();
    double largest = 0;
    for (Eigen::Index k = 0; k < off.size(); ++k)
      if (found.is_identifiable[static_cast<std::size_t>(k)]) {
        largest = std::max(largest, off[k] / (found.deviations[k] + 1e-3 * arm.gains[k]));  // the filter's thousandth
        std::printf("%-24s %12.4f true\n", joint_name(arm.model, static_cast<int>(k)).c_str(), arm.gains[k]);
      }
    good &= support::small_enough("gains that are not identifiable",
                                  static_cast<double>(std::ranges::count(found.is_identifiable, false)), 3, "");
    good &= support::small_enough("error of gains over their standard deviations, largest", largest, 4, "");
  }
  return good;
}

/// The errors of predicted torques due to the noise of fitted ones, without the prior: rms over the samples for each
/// joint, N m.
Vector deviation_by_noise(const corio::Model<double>& model, const Samples& predicted, const Found& found,
                          const BaseEstimate& base) {
  Regressor regressor(model, found.smoothing);
  Vector variance = Vector::Zero(model.nv());
  for (Eigen::Index i = 0; i < predicted.t.size(); ++i) {
    const Matrix Y = base.base.reduce(regressor(motion(predicted, i)));
    variance += (Y * base.found.covariance * Y.transpose()).diagonal();
  }
  return (variance / static_cast<double>(predicted.t.size())).cwiseSqrt();
}

/// Records the simulated arm twice, and predicts the second recording.
int run_simulation(Options options, const fs::path& folder) {
  const SimulatedArm arm = simulated_arm(options.seed);
  const double smoothing = 0.02;
  record(arm, options.seed + 1, smoothing, folder / "log.csv");
  record(arm, options.seed + 2, smoothing, folder / "validate.csv");
  options.logs = {(folder / "log.csv").string()}, options.validate = {(folder / "validate.csv").string()};
  options.shift = arm.late;
  const Sets sets = read_all(arm.model, options);
  const Base structure = corio::structural_base_parameters(arm.model);
  const Found found = identify_robot(arm.model, structure, sets, options, folder);
  if (!options.check) return 0;
  std::printf("\nChecks:\n");
  const Samples held_out = sets.held_out.prepared(options, found.smoothing);
  const Matrix exact = predict(arm.model, held_out, arm.truth, found.smoothing),
               now = predict(arm.model, held_out, found);
  // Shares of the rms torque depend on the motion: it may need little torque at the wrist. Ten parameters for each
  // joint from 10,000 samples have errors of 0.03 of the noise in the mean, more where the fitted motion excites them
  // less.
  bool good = support::small_enough("error of predicted torques over the noise of a sample, largest",
                                    rms(now - exact).cwiseQuotient(arm.noise).maxCoeff(), 0.2, "");
  // The largest value over 20 seeds is 1.8; it is 0.12 above.
  const BaseEstimate base(arm.model, structure, found);
  good &= support::small_enough(
      "that error over what noise implies, largest",
      rms(now - exact).cwiseQuotient(deviation_by_noise(arm.model, held_out, found, base)).maxCoeff(), 2.5, "");
  good &= support::small_enough("smoothing of friction, over the true one", found.smoothing / smoothing, 1.01, "");
  const Vector error = base.found.beta - base.base.project(arm.truth), sd = base.found.standard_deviation(1.0);
  const double outside = static_cast<double>((error.array().abs() > 3 * sd.array()).count());
  good &= support::small_enough("share of base parameters beyond three standard deviations", outside / base.base.size(),
                                0.03, "");
  // The expected value is 1, with a standard deviation of a sixth for 69 parameters.
  good &= support::small_enough("square of their errors over their covariance, by their number",
                                (base.found.R * error).squaredNorm() / base.base.size(), 1.5, "");
  good &= support::small_enough(
      "bodies that cannot exist",
      [&] {
        double count = 0;
        for (Eigen::Index b = 0; b < corio::num_inertial_parameters(arm.model); b += 10)
          count += !corio::is_physically_consistent<double>(found.p.segment<10>(b));
        return count;
      }(),
      0, "");
  good &= check_gains(arm, options, smoothing, folder);
  return good ? 0 : 1;
}

int run(const Options& options) {
  const fs::path folder = fs::absolute(options.folder);
  fs::create_directories(folder);
  if (options.robot.empty()) return run_simulation(options, folder);
  const auto model = support::load_robot(options.robot, options.lock, options.gravity);
  const Sets sets = read_all(model, options);
  if (options.find_gains)
    identify_gains(model, sets, options);
  else if (!options.payload_of.empty())
    identify_payload(model, sets, options, folder);
  else
    identify_robot(with_possible_bodies(model), corio::structural_base_parameters(model), sets, options, folder);
  std::printf("\nWritten to %s\n", folder.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return support::with_options("identify", std::string(usage) + support::LogColumns::usage, argc, argv, parse, run);
}
