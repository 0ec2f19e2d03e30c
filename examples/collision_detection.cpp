// Finds collisions of an arm by a momentum observer: from positions, velocities and torques alone, without touch
// sensors. The samples come from a simulated arm of seven joints that is pushed link by link, or from a log.
//
// collision_detection --help lists the options. Figures are drawn if there is gnuplot.

#include <corio/io/urdf.hpp>
#include <filesystem>

#include "collision_detection/options.hpp"
#include "collision_detection/watch.hpp"
#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using namespace collision;
namespace fs = std::filesystem;

const std::string& name_of(const corio::Model<double>& model, int body) {
  static const std::string none = "none";
  return body < 0 ? none : model.bodies()[static_cast<std::size_t>(body)].name();
}
const std::string& joint_of(const corio::Model<double>& model, int k) {
  return model.joint_of_node(model.node_of(k)).name();
}

/// Estimates noise and model errors from the quiet beginning of a log, then searches the whole log for collisions.
Verdicts analyse(const corio::Model<double>& model, const support::JointLog& log, const Options& options) {
  const Vector gain = support::per_joint(options.gain, model.nv(), "--gain");
  const Matrix v = velocities(log);
  if (log.t[log.t.size() - 1] - log.t[0] > 0.1 * static_cast<double>(log.t.size()))
    throw std::runtime_error("the samples are more than 0.1 s apart, too far to tell what happens in between");
  const auto quiet = (log.t.array() < log.t[0] + options.quiet).count();
  if (quiet < 20) throw std::runtime_error("only " + std::to_string(quiet) + " samples in the quiet time; see --quiet");
  const Vector none = Vector::Zero(model.nv());
  const corio::CollisionDetector<double>::Noise noise{noise_of(v, quiet), noise_of(log.tau, quiet)};
  const auto detector = [&](const Vector& floor, double factor) {
    corio::CollisionDetector<double> made(model, noise, floor, factor);
    if (options.standstill > 0) made.set_standstill_friction(model, model.friction(), options.standstill);
    return made;
  };
  // Errors of the model are the residuals in the quiet time that friction at standstill, the threshold without noise,
  // does not explain.
  const Verdicts first = watch(model, log, v, gain, detector(none, 0));
  const Matrix beyond = first.residual.cwiseAbs() - first.threshold;
  const Vector wrong = beyond.leftCols(quiet).rowwise().maxCoeff().cwiseMax(0);
  Verdicts all = watch(model, log, v, gain, detector(options.margin * wrong, options.factor));

  std::printf("From %.1f s in which nothing touches the robot, and the thresholds that follow\n", options.quiet);
  std::printf("%-18s %16s %14s %18s %16s\n", "joint", "noise of v", "noise of tau", "largest residual", "threshold");
  for (int k = 0; k < model.nv(); ++k)
    std::printf("%-18s %10.5f rad/s %10.4f N m %14.3f N m %12.3f N m\n", joint_of(model, k).c_str(), noise.velocity[k],
                noise.torque[k], wrong[k], all.threshold.row(k).mean());
  return all;
}

void report_alarms(const corio::Model<double>& model, const support::JointLog& log, const Verdicts& verdicts) {
  const auto all = alarms(log.t, verdicts, 0.1);
  std::printf("\n%zu collisions\n%10s %10s  %-18s %s\n", all.size(), "begin [s]", "end [s]", "link",
              "largest residual over its threshold");
  for (const Alarm& alarm : all)
    std::printf("%10.3f %10.3f  %-18s %.1f\n", alarm.begin, alarm.end,
                name_of(model, most_named(log.t, verdicts, alarm.begin, alarm.end)).c_str(), alarm.largest);
}

/// The results of the detector for the pushes.
struct Score {
  int found = 0, links = 0, links_felt = 0, felt = 0, false_alarms = 0;
  double slowest = 0;
};
Score report_pushes(const corio::Model<double>& model, const support::JointLog& log, const Verdicts& verdicts,
                    const std::vector<Push>& all, double memory) {
  Score score;
  std::printf("\n%9s %9s  %-16s %-14s %10s  %-16s %s\n", "push [s]", "force [N]", "on", "direction", "found after",
              "first named", "link found");
  for (const Push& push : all) {
    Eigen::Index first = 0;
    while (first < log.t.size() &&
           (log.t[first] < push.begin || verdicts.bodies[static_cast<std::size_t>(first)].empty()))
      ++first;
    const bool found = first < log.t.size() && log.t[first] < push.end;
    const double delay = found ? log.t[first] - push.begin : 0;
    const int link = most_named(log.t, verdicts, push.begin, push.end);
    std::printf("%9.2f %9.0f  %-16s %-14s ", push.begin, push.force, name_of(model, push.body).c_str(),
                push.along_motion ? "of the joint" : "any");
    if (found)
      std::printf("%8.0f ms  %-16s %s%s\n", 1e3 * delay,
                  name_of(model, verdicts.bodies[static_cast<std::size_t>(first)].back()).c_str(),
                  name_of(model, link).c_str(), link == push.body ? "" : "  (another one)");
    else
      std::printf("%11s  %-16s\n", "not", "");
    score.found += found, score.slowest = std::max(score.slowest, delay);
    score.links += link == push.body;
    if (push.along_motion) ++score.felt, score.links_felt += link == push.body;
  }
  for (const Alarm& alarm : alarms(log.t, verdicts, 0))
    score.false_alarms += std::none_of(all.begin(), all.end(), [&](const Push& push) {
      return alarm.begin >= push.begin && alarm.begin <= push.end + memory;
    });
  std::printf("\n%d of %zu pushes found, the slowest after %.0f ms; %d false alarms in %.0f s\n", score.found,
              all.size(), 1e3 * score.slowest, score.false_alarms, log.t[log.t.size() - 1] - log.t[0]);
  std::printf("link found: %d of %d pushed in the direction of their joints, %d of %zu in all\n", score.links_felt,
              score.felt, score.links, all.size());
  return score;
}

bool verdict(const char* what, double value, double least, double most) {
  const bool good = value >= least && value <= most;
  std::printf("  %-50s %6.3g in [%g, %g]: %s\n", what, value, least, most, good ? "ok" : "FAILED");
  return good;
}

void write(const fs::path& folder, const corio::Model<double>& model, const support::JointLog& log,
           const Verdicts& verdicts, const std::vector<Push>& pushed) {
  auto residuals = support::output(folder / "residuals.csv", 10), found = support::output(folder / "found.csv", 10),
       real = support::output(folder / "pushes.csv", 10);
  residuals << "time";
  for (const char* what : {"r_", "threshold_"})
    for (int k = 0; k < model.nv(); ++k) residuals << ',' << what << joint_of(model, k);
  residuals << '\n';
  found << "time,body,name\n";
  real << "begin,end,body,name\n";
  auto bodies = support::output(folder / "bodies.csv", 10);
  bodies << "body,name\n";
  for (const auto& body : model.bodies()) bodies << body.index() << ',' << body.name() << '\n';
  const Eigen::IOFormat row(6, Eigen::DontAlignCols, ",", ",");
  for (Eigen::Index i = 0; i < log.t.size(); ++i) {
    for (const int body : verdicts.bodies[static_cast<std::size_t>(i)])
      found << log.t[i] << ',' << body << ',' << name_of(model, body) << '\n';
    if (i % 5 == 0)
      residuals << log.t[i] << ',' << verdicts.residual.col(i).format(row) << ','
                << verdicts.threshold.col(i).format(row) << '\n';
  }
  for (const Push& push : pushed)
    real << push.begin << ',' << push.end << ',' << push.body << ',' << name_of(model, push.body) << '\n';
}

int run(const Options& options) {
  const fs::path folder = fs::absolute(options.folder);
  fs::create_directories(folder);
  if (!options.robot.empty()) {
    auto model = corio::urdf::load(options.robot);
    set_joints(model, options);
    const auto log = support::read_joint_log(model, options.log, options.columns);
    const Verdicts verdicts = analyse(model, log, options);
    report_alarms(model, log, verdicts);
    write(folder, model, log, verdicts, {});
    support::draw(folder, "collision_detection");
    return 0;
  }
  std::mt19937_64 generator(options.seed);
  auto arm = corio::urdf::load(CORIO_EXAMPLES_DIR "/models/arm7.urdf");
  set_geared_joints(arm);
  set_joints(arm, options);
  const auto model = known(arm, generator);
  const auto pushed = pushes(arm, options.quiet);
  auto log = record(arm, model, pushed, generator);
  if (options.write_log) {
    auto file = support::output(folder / "log.csv", 10);
    support::write_joint_log_names(file, model, {"q", "v", "tau"});
    for (Eigen::Index i = 0; i < log.t.size(); ++i)
      support::write_joint_log_row(file, log.t[i], {log.q.col(i), log.v.col(i), log.tau.col(i)});
    file.close();
    log = support::read_joint_log(model, (folder / "log.csv").string(), {});
  }
  const Verdicts verdicts = analyse(model, log, options);
  const double slowest_gain = *std::min_element(options.gain.begin(), options.gain.end());
  const Score score = report_pushes(model, log, verdicts, pushed, 5 / slowest_gain);
  bool good = true;
  if (options.check) {
    const double all = static_cast<double>(pushed.size());
    good = verdict("pushes found", score.found, all, all);
    good &= verdict("the slowest, in time constants of the observer", score.slowest * slowest_gain, 0, 3);
    good &= verdict("false alarms", score.false_alarms, 0, 0);
    good &= verdict("links found that were pushed as their joints move", score.links_felt, score.felt, score.felt);
  }
  write(folder, model, log, verdicts, pushed);
  good &= support::draw(folder, "collision_detection");
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return support::with_options("collision_detection", std::string(usage) + support::LogColumns::usage, argc, argv,
                               parse, run);
}
