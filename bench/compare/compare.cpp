// Times corio against the libraries that were found when it was built, on the same robots and states:
//
//   corio_compare [folder [rounds [robot.urdf | floating:robot.urdf ...]]]
//
// First every result of every library is compared with that of corio. A difference is an error if it is more than 1e-8,
// or, for results that are divided by M or by the mobility of a contact, more than 1e-15 times the condition of that
// matrix. Functions that a robot does not admit are left out and named in its table. Then all functions are timed in
// turn, in three runs of `rounds` rounds. Batches of states are timed in the same way, in one thread and on all cores,
// beside calls for one state after the other, with and without storing their results. The program prints a report,
// which begins with all ratios in a table in Markdown, and writes the report, the data and the variables that
// compare.gp needs to plot them into the folder. The target compare_report does both. For a new function see peer.hpp.

#include <cstdlib>
#include <iostream>
#include <limits>

#include "corio/zoo/zoo.hpp"
#include "own.hpp"
#include "report.hpp"
#include "reproduce/humanoid_50.hpp"
#include "robot_file.hpp"

namespace {

using namespace compare;
using bench::Robot;

/// A library that takes part: corio gets its own model, peers only the mechanism.
struct Found {
  const char* title;
  std::function<Peer(const corio::Model<double>&, const Mechanism&)> make;  // empty if the library was not found
  const char* note;                                                         // the reason if it was not found
};
using Contest = std::vector<Found>;  // the others are compared with the first one

[[maybe_unused]] std::function<Peer(const corio::Model<double>&, const Mechanism&)> peer(Maker make) {
  return [make](const corio::Model<double>&, const Mechanism& mechanism) { return make(mechanism); };
}

Contest one_at_a_time() {
  return {
      {"corio", make_corio, ""},
#define FOUND(name, title) {title, peer(make_##name), ""},
#define ABSENT(title, note) {title, {}, note},
#include "corio_compare_peers.inc"
#undef FOUND
#undef ABSENT
  };
}
/// Calls for one state after the other, which leave their results in the library's data.
template <class F>
auto unstored(F make) {
  return [make](const corio::Model<double>& model, const Mechanism& mechanism) {
    Peer peer = make(model, mechanism);
    if (peer.name == "corio") peer.name = "unstored";
    peer.build += "; calls for one state after the other, results not stored";
    return peer;
  };
}
Contest batches() {
  return {{"batch", make_batches, ""},
          {"stored", make_stored_calls, ""},
          {"unstored", unstored(make_corio), ""},
#ifdef CORIO_COMPARE_PINOCCHIO
          {"Pinocchio", unstored(peer(make_pinocchio)), ""}
#endif
  };
}
Contest threaded_batches() {
  return {{"batch-in-threads", make_threaded_batches, ""},
          {"batch", make_batches, ""},
#ifdef CORIO_COMPARE_POOL
          {"Pinocchio-pool", peer(make_pinocchio_pool), ""}
#elif defined(CORIO_COMPARE_PINOCCHIO)
          {"Pinocchio-pool", {}, "needs OpenMP here and in the build of Pinocchio"}
#endif
  };
}

constexpr int runs = 3;

/// The largest difference that rounding may explain, relative to the largest number of a result.
double tolerance(const Mechanism& mechanism, Algorithm algorithm) {
  return std::max(1e-8, 1e-15 * condition(mechanism, algorithm));
}
std::string short_number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1e", x);
  return text;
}

std::vector<Robot> robots(const std::vector<std::string>& files) {
  namespace zoo = corio::zoo;
  std::vector<Robot> all{{"chain_20", "Chain of revolute joints", zoo::serial_chain(20)},
                         {"tree_20", "Binary tree of revolute joints", zoo::binary_tree(20)},
                         {"arm_7", "Arm of revolute joints", zoo::serial_chain(7)},
                         {"quadruped", "Quadruped on a floating base", zoo::quadruped(12)},
                         {"humanoid", "Humanoid on a floating base", zoo::humanoid()},
                         {"humanoid_50", "Humanoid with hands on a floating base", paper::humanoid_50()}};
  for (const std::string& file : files) all.push_back(bench::load(file));
  return all;
}

double difference(const std::vector<double>& x, const std::vector<double>& reference, std::size_t count) {
  if (x.size() != reference.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  const std::size_t size = x.size() / count;
  for (std::size_t p = 0; p < count; ++p) {
    double scale = 0, largest = 0;
    for (std::size_t i = p * size; i < (p + 1) * size; ++i) {
      scale = std::max(scale, std::abs(reference[i]));
      // The comparison is negated so that NaN counts as different.
      if (const double d = std::abs(x[i] - reference[i]); !(d <= largest)) largest = std::isnan(d) ? 1e300 : d;
    }
    if (largest > 0) worst = std::max(worst, scale > 0 ? largest / scale : 1e300);
  }
  return worst;
}

/// One way of one library to compute a function, and the places of its times in the timers.
struct Entry {
  std::size_t table, library;
  Contender contender;
  std::size_t at = 0;
};

class Comparison {
 public:
  /// @param states  the number of states for each robot
  Comparison(Contest contest, const std::vector<Robot>& all, int states) : contest_(std::move(contest)) {
    for (const Found& one : contest_) libraries_.push_back({one.title, "", one.note});
    for (const Robot& robot : all) try {
        add(robot, states);
      } catch (const Unsupported& reason) {
        left_out_.push_back(reason.what());
      }
  }

  /// @returns  every difference that rounding does not explain, in words
  std::vector<std::string> check() {
    std::vector<std::string> errors;
    for (const Entry& e : entries_) {
      if (e.library == 0) continue;
      const Entry& own = *std::find_if(entries_.begin(), entries_.end(), [&](const Entry& o) {
        return o.table == e.table && o.contender.algorithm == e.contender.algorithm;
      });
      const Mechanism& mechanism = tables_[e.table].mechanism;
      double worst = 0;
      for (std::size_t i = 0; i < mechanism.states.size(); ++i)
        worst =
            std::max(worst, difference(e.contender.value(i), own.contender.value(i), row(e.contender.algorithm).parts));
      Library& library = libraries_[e.library];
      const std::string where = mechanism.key + ", " + row(e.contender.algorithm).title + " (" + e.contender.how + ")";
      if (worst > library.disagreement) library.disagreement = worst, library.worst = where;
      if (!(worst <= tolerance(mechanism, e.contender.algorithm)))
        errors.push_back(library.name + " disagrees with " + libraries_[0].name + ": " + where +
                         ", relative difference " + short_number(worst));
    }
    return errors;
  }

  void time(int rounds) {
    // Cases that are compared with each other are timed one after the other.
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.table, a.contender.algorithm) < std::pair(b.table, b.contender.algorithm);
    });
    std::vector<paper::Timer> timers(runs);
    for (Entry& e : entries_)
      for (auto& timer : timers)
        e.at = timer.add(static_cast<int>(tables_[e.table].mechanism.states.size()), e.contender.pass);
    for (auto& timer : timers) timer.run(rounds);
    for (const Entry& e : entries_) {
      Times measured{e.contender.how, {}};
      for (const auto& timer : timers) {
        measured.microseconds.push_back(timer.microseconds(e.at));
        noise_.push_back(100 * timer.noise(e.at));
      }
      Times& best = tables_[e.table].times[static_cast<std::size_t>(e.contender.algorithm)][e.library];
      if (!best.known() || median(measured.microseconds) < median(best.microseconds)) best = measured;
    }
    std::sort(noise_.begin(), noise_.end());
  }

  const std::vector<Library>& libraries() const { return libraries_; }
  const std::vector<Table>& tables() const { return tables_; }
  /// Robots that cannot be compared, with the reasons.
  const std::vector<std::string>& left_out() const { return left_out_; }
  double typical_noise() const { return noise_[noise_.size() / 2]; }
  double worst_noise() const { return noise_.back(); }

 private:
  void add(const Robot& robot, int states) {
    Table table{describe(robot.model, robot.key, robot.title, states), {}, {}};
    table.times.assign(algorithms, std::vector<Times>(libraries_.size()));
    const Mechanism& mechanism = table.mechanism;
    std::vector<Algorithm> compared;
    for (std::size_t l = 0; l < contest_.size(); ++l) {
      if (!contest_[l].make) continue;
      try {
        Peer peer = contest_[l].make(robot.model, mechanism);
        if (l == 0)
          for (const Contender& c : peer.contenders) compared.push_back(c.algorithm);
        std::erase_if(peer.contenders, [&](const Contender& c) {
          return std::find(compared.begin(), compared.end(), c.algorithm) == compared.end();
        });
        add(l, peer, mechanism);
      } catch (const Unsupported& reason) {
        table.notes.push_back(std::string(contest_[l].title) + ": " + reason.what());
      }
    }
    const auto note = [&](Algorithm of, const char* matrix, const char* reason, const char* left_out) {
      const double x = condition(mechanism, of), most = tolerance(mechanism, of);
      if (std::find(compared.begin(), compared.end(), of) == compared.end()) return;
      if (std::isinf(x))
        table.notes.push_back(std::string(matrix) + " is singular, since " + reason + ": " + left_out + " is left out");
      else if (most > tolerance(mechanism, Algorithm::mass_matrix))
        table.notes.push_back(std::string(matrix) + " has a condition of " + short_number(x) + ": " + left_out +
                              " may differ by " + short_number(most));
    };
    note(Algorithm::forward_dynamics, "M", "a joint moves no inertia", "what needs its inverse");
    if (std::isfinite(mechanism.condition))
      note(Algorithm::constrained_dynamics, "J M^-1 J^T of the last body's origin", "it cannot move in every direction",
           "constrained dynamics");
    tables_.push_back(std::move(table));
  }
  void add(std::size_t library, const Peer& peer, const Mechanism& mechanism) {
    libraries_[library].name = peer.name;
    libraries_[library].build = peer.build;
    for (const Contender& c : peer.contenders)
      if (std::isfinite(condition(mechanism, c.algorithm))) entries_.push_back({tables_.size(), library, c});
  }

  Contest contest_;
  std::vector<Library> libraries_;
  std::vector<Table> tables_;
  std::vector<std::string> left_out_;
  std::vector<Entry> entries_;
  std::vector<double> noise_;
};

/// @throws runtime_error if results differ
void check_and_time(Comparison& comparison, int rounds) {
  const auto errors = comparison.check();
  for (const std::string& error : errors) std::cerr << error << '\n';
  if (!errors.empty()) throw std::runtime_error("not timed, since the results differ");
  comparison.time(rounds);
}

void print(paper::Report& report, const Comparison& comparison) {
  print_summary(report, comparison.libraries(), comparison.tables());
  print_libraries(report, comparison.libraries());
  for (const Table& table : comparison.tables()) print_table(report, comparison.libraries(), table);
}

void run(const std::string& folder, int rounds, const std::vector<std::string>& files) {
  const std::vector<Robot> all = robots(files);
  Comparison comparison(one_at_a_time(), all, few_states), batch(batches(), all, many_states),
      threads(threaded_batches(), all, many_states);
  const double load = paper::load_average();
  for (Comparison* c : {&comparison, &batch, &threads}) check_and_time(*c, rounds);

  paper::Report report(folder + "/report.txt");
  report.print("corio and other libraries\n\n");
  report.print(
      "timing     one thread; average over %d random states, the least of %d rounds of all cases, and of that\n",
      few_states, rounds);
  report.print("           the median over %d such runs; +- is half the range of the ratios in these\n", runs);
  paper::print_machine(report, CORIO_BENCH_COMPILER, CORIO_BENCH_FLAGS, load);
  print(report, comparison);
  for (const std::string& robot : comparison.left_out()) report.print("\nLeft out: %s\n", robot.c_str());
  print_calls(report, comparison.libraries(), comparison.tables());
  report.print(
      "\nNoise: the middle one of the rounds takes %.1f %% longer than the least (typical case), %.1f %% (worst)\n",
      comparison.typical_noise(), comparison.worst_noise());
  write_data(folder, comparison.libraries(), comparison.tables());

  report.print(
      "\nMany states: batches store the results of each state, and so do the calls `stored`; all others do not\n");
  print(report, batch);
  report.print("\nMany states, on all cores\n");
  print(report, threads);
}

}  // namespace

int main(int argc, char** argv) try {
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 11;
  if (rounds < 1)
    throw std::runtime_error("usage: corio_compare [folder [rounds [robot.urdf | floating:robot.urdf ...]]]");
  run(argc > 1 ? argv[1] : ".", rounds, {argv + std::min(argc, 3), argv + argc});
} catch (const std::exception& error) {
  std::cerr << "corio_compare: " << error.what() << '\n';
  return 1;
}
