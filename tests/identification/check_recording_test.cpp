// A recording of the simulated arm passes the check; a recording with one fault is corrected with a note, or reported
// as doubtful, and the faulty column is named.

#include <algorithm>
#include <cstdio>
#include <set>

#include "corio/identification/check_recording.hpp"
#include "recorded_arm.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/temporary_file.hpp"

using namespace recorded_arm;
using corio::test::mentions;
using corio::test::message_of;

namespace {

/// Adds speeds, which are central differences of positions over ten samples, and names of columns.
JointRecording recording_with_speeds(const Arm& arm, std::uint64_t seed) {
  JointRecording log = record(arm, seed, seed + 100);
  const Eigen::Index n = log.t.size();
  log.v.resize(3, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index from = std::max<Eigen::Index>(0, i - 5), to = std::min(n - 1, i + 5);
    log.v.col(i) = (log.q.col(to) - log.q.col(from)) / (log.t[to] - log.t[from]);
  }
  log.q_names = {"q_1", "q_2", "q_3"}, log.v_names = {"v_1", "v_2", "v_3"}, log.tau_names = {"tau_1", "tau_2", "tau_3"};
  return log;
}

/// The columns that were corrected, and the doubtful ones.
struct Named {
  std::set<std::string> mended, doubtful;
};
Named named(const RecordingCheck& check) {
  Named all;
  for (const auto& fault : check.faults) (fault.is_mended ? all.mended : all.doubtful).insert(fault.column);
  return all;
}
const auto all_accepted = [](const std::string&) { return true; };

double off(const Matrix& x, const Matrix& y) {
  return x.cols() == y.cols() ? (x - y).cwiseAbs().maxCoeff() : std::numeric_limits<double>::infinity();
}

}  // namespace

TEST_CASE("A sound recording passes the check unchanged") {
  const Arm arm;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const JointRecording log = recording_with_speeds(arm, seed);
    const auto check = check_recording(arm.model, log);
    CHECK(check.faults.empty());
    CHECK((check.recording.t == log.t && check.recording.q == log.q && check.recording.v == log.v &&
           check.recording.tau == log.tau));
    CHECK((check.speed_slope.array() > 0.98).all());
    CHECK((check.speed_correlation.array() > 0.98).all());
  }
}

TEST_CASE("Faults of times, positions and speeds are mended, and the column is named") {
  const Arm arm;
  const JointRecording good = recording_with_speeds(arm, 1);
  JointRecording log = good;
  const double turn = 2 * std::numbers::pi;

  SECTION("angles between -pi and pi of a joint that turns on") {
    const Vector further = 0.9 * good.t.array();
    JointRecording whole = good;
    whole.q.row(0) += further.transpose(), whole.v.row(0).array() += 0.9;
    log = whole;
    for (double& q : log.q.row(0)) q -= turn * std::round(q / turn);
    REQUIRE(off(log.q, whole.q) > 6);
    const auto check = check_recording(arm.model, log);
    CHECK(named(check).mended.contains("q_1"));
    CHECK(off(check.recording.q, whole.q) < 1e-12);  // rounding of several full turns
  }
  SECTION("lost frames") {
    log.q(1, 2000) += 1, log.v(2, 2100) = 100, log.tau(0, 2200) = 1e4;
    log.q.col(2400).setZero();
    const auto check = check_recording(arm.model, log);
    for (const char* column : {"q_1", "q_2", "v_3", "tau_1"}) CHECK(named(check).mended.contains(column));
    CHECK(check.recording.t.size() == good.t.size() - 4);
    CHECK(check.recording.q.row(1).maxCoeff() <= good.q.row(1).maxCoeff());
  }
  SECTION("speeds in other units, with the other sign, or zero") {
    for (const double factor : {360 / turn, 60 / turn, -1.0, 0.0}) {
      log = good;
      log.v.row(1) *= factor;
      const auto check = check_recording(arm.model, log);
      CHECK(named(check).mended == std::set<std::string>{"v_2"});
      CHECK(off(check.recording.v.row(0), good.v.row(0)) == 0);
      // The speeds are quotients of single encoder steps and jittered times.
      CHECK(off(check.recording.v.row(1), good.v.row(1)) < 0.2);
    }
  }
  SECTION("a row long before the others") {
    log.t.array() += 1000;
    log.t[0] = 0;
    const auto check = check_recording(arm.model, log);
    CHECK(named(check).mended == std::set<std::string>{"time"});
    CHECK(check.recording.t.size() == good.t.size() - 1);
    CHECK(check.recording.t[0] == 0);
  }
  SECTION("columns that stand still for a while, and a burst of lost frames") {
    for (MatrixX<double>* x : {&log.q, &log.tau}) {
      log = good;
      x->row(1).segment(1500, 800).setConstant((*x)(1, 1500));
      const auto check = check_recording(arm.model, log);
      CHECK(named(check).mended == std::set<std::string>{x == &log.q ? "q_2" : "tau_2"});
      CHECK(check.recording.t.size() == good.t.size() - 800);
    }
    log = good;
    log.q.middleCols(2000, 20).setZero();
    const auto check = check_recording(arm.model, log);
    CHECK(check.recording.t.size() == good.t.size() - 20);
    CHECK(named(check).doubtful.empty());
  }
  SECTION("speeds of other joints") {
    log.v.row(1).swap(log.v.row(2));
    const auto check = check_recording(arm.model, log);
    CHECK(named(check).mended == std::set<std::string>{"v_2", "v_3"});
    CHECK(mentions(check.faults[0].text, {"is the rate of q_3"}));
  }
  SECTION("a torque that is always zero: its rows are not used") {
    log.tau.row(2).setZero();
    const auto check = check_recording(arm.model, log);
    CHECK(named(check).mended == std::set<std::string>{"tau_3"});
    CHECK(named(check).doubtful.empty());
    const auto with = prepare(good), without = prepare(check.recording);
    CHECK(without.moving.row(2).isZero(0));
    CHECK(without.tau.allFinite());
    CHECK((without.moving.topRows(2) == with.moving.topRows(2) && without.tau.topRows(2) == with.tau.topRows(2)));
  }
}

TEST_CASE("Doubtful columns are named, and changed if they are accepted") {
  const Arm arm;
  const JointRecording good = recording_with_speeds(arm, 2);
  JointRecording log = good;
  const auto expect = [&](const std::set<std::string>& columns) {
    const auto check = check_recording(arm.model, log);
    CHECK(named(check).doubtful == columns);
    CHECK(named(check).mended.empty());
    CHECK((check.recording.q == log.q && check.recording.tau == log.tau));
    return check_recording(arm.model, log, all_accepted).recording;
  };
  SECTION("one sign of torque") {
    log.tau.row(1) *= -1;
    CHECK(expect({"tau_2"}).tau == good.tau);
  }
  SECTION("all signs of torque") {
    log.tau *= -1;
    CHECK(expect({"tau_1", "tau_2", "tau_3"}).tau == good.tau);
  }
  SECTION("exchanged torques") {
    log.tau.row(1).swap(log.tau.row(2));
    CHECK(expect({"tau_2"}).tau == good.tau);
  }
  SECTION("positions, with or without speeds") {
    const bool has_speeds = GENERATE(true, false);
    if (!has_speeds) log.v.resize(0, 0);
    const auto mended_columns = [&](const std::set<std::string>& doubtful) {
      CHECK(named(check_recording(arm.model, log)).doubtful == doubtful);
      return check_recording(arm.model, log, all_accepted).recording.q;
    };
    SECTION("one sign") {
      log.q.row(1) *= -1;
      CHECK(mended_columns({"q_2"}) == good.q);
    }
    SECTION("exchanged") {
      log.q.row(1).swap(log.q.row(2));
      CHECK(mended_columns({"q_2"}) == good.q);
    }
    SECTION("another zero") {
      log.q.row(1).array() += std::numbers::pi / 2;
      CHECK(off(mended_columns({"q_2"}), good.q) < 1e-14);
    }
    SECTION("turns") {
      log.q.row(1) /= 2 * std::numbers::pi;
      const std::set<std::string> with_speeds{"q_2", "v_2"};
      CHECK(off(mended_columns(has_speeds ? with_speeds : std::set<std::string>{"q_2"}), good.q) < 1e-14);
    }
    SECTION("an axis of the opposite direction") {
      log.q.row(2) *= -1, log.tau.row(2) *= -1;
      if (has_speeds) log.v.row(2) *= -1;
      CHECK(mended_columns({"q_3"}) == good.q);
    }
  }
  SECTION("a late torque") {
    const Eigen::Index n = log.t.size(), late = 160;
    log.tau.row(1).tail(n - late) = good.tau.row(1).head(n - late);
    const auto check = check_recording(arm.model, log);
    CHECK(named(check).doubtful == std::set<std::string>{"tau_2"});
    CHECK(mentions(check.faults[0].text, {"late by some 0.4 s"}));
  }
  SECTION("a jump, and equal signals") {
    log.q.row(1).tail(2000).array() += 0.3;
    CHECK(named(check_recording(arm.model, log)).doubtful.contains("q_2"));
    log = good;
    log.tau.row(2) = log.tau.row(1);
    CHECK(named(check_recording(arm.model, log)).doubtful.contains("tau_3"));
  }
  SECTION("a robot that is mounted otherwise than its model") {
    Model<double> turned = arm.model;
    turned.set_gravity(GENERATE(Vector3<double>(9, 2, 3), Vector3<double>(0, 2.9, -9.37), Vector3<double>(1, 0, 9.76)));
    const auto check = check_recording(turned, log);
    REQUIRE(check.faults.size() == 1);
    const std::string text = check.faults[0].text;
    CAPTURE(text);
    Vector3<double> g;
    const auto at = text.find("gravity ") == text.npos ? 3 : text.find("gravity ") + 8;
    REQUIRE(std::sscanf(text.c_str() + at, "%lf,%lf,%lf", &g[0], &g[1], &g[2]) == 3);
    CHECK((g - arm.model.gravity()).norm() < 0.02 * g.norm());
  }
  SECTION("torques without those of gravity") {
    for (Eigen::Index i = 0; i < log.t.size(); ++i) log.tau(1, i) = 0.1 * std::sin(7 * log.t[i]) + 2 * log.v(1, i);
    CHECK(named(check_recording(arm.model, log)).doubtful.contains("tau_2"));
  }
  SECTION("an encoder that stands still") {
    log.q.row(1).setConstant(0.1);
    const auto check = check_recording(arm.model, log);
    CHECK(named(check).doubtful.contains("q_2"));
  }
  SECTION("a torque through a gear, twice or half as large") {
    const double size = GENERATE(0.01, 2.0, 0.5);
    const int k = GENERATE(0, 1);
    log.tau.row(k) *= size;
    const auto mended = check_recording(arm.model, log, all_accepted);
    CHECK(named(check_recording(arm.model, log)).doubtful == std::set<std::string>{k == 0 ? "tau_1" : "tau_2"});
    CHECK(off(mended.recording.tau, good.tau) < 0.1 * good.tau.cwiseAbs().maxCoeff());
    CHECK(check_recording(arm.model, log, all_accepted, false).faults.empty());
  }
  SECTION("a position of another size, without speeds") {
    const int k = GENERATE(0, 1, 2);
    log.q.row(k) *= 1.5, log.v.resize(0, 0);
    CHECK(named(check_recording(arm.model, log)).doubtful ==
          std::set<std::string>{log.q_names[static_cast<std::size_t>(k)]});
    CHECK(off(check_recording(arm.model, log, all_accepted).recording.q, good.q) < 0.1 * good.q.cwiseAbs().maxCoeff());
  }
  SECTION("all torques") {
    log.tau *= 2;
    const auto check = check_recording(arm.model, log);
    CHECK(check.faults.empty());
    CHECK(std::abs(check.torque_factor - 2) < 0.1);
    CHECK(std::abs(check_recording(arm.model, good).torque_factor - 1) < 0.05);
    log.tau *= GENERATE(0.005, 500.0);
    CHECK(named(check_recording(arm.model, log)).doubtful == std::set<std::string>{"torques"});
  }
  SECTION("one of two torques that gravity loads") {
    CHECK(detail::median_factor({3, 1}) == 1);
    CHECK(detail::median_factor({0.3, 1}) == 1);
    CHECK(detail::median_factor({2, 0.1, 3}) == 2);
  }
}

TEST_CASE("Recordings of other shapes, or with numbers that are not finite, are rejected by name") {
  const Arm arm;
  const JointRecording good = recording_with_speeds(arm, 1);
  const Eigen::Index n = good.t.size();
  const auto messages = [&](const JointRecording& log) {
    return message_of<Error>([&] { check_recording(arm.model, log); }) + message_of<Error>([&] { prepare(log); });
  };
  const std::tuple<const char*, Matrix JointRecording::*> signals[] = {
      {"q", &JointRecording::q}, {"v", &JointRecording::v}, {"tau", &JointRecording::tau}};
  for (const auto& [name, signal] : signals) {
    const Matrix& x = good.*signal;
    for (const Matrix& other : {Matrix(x.transpose()), Matrix(x.topRows(2)), Matrix(x.leftCols(n - 1)),
                                Matrix(x.replicate(2, 1)), Matrix(x.replicate(1, 2)), Matrix(0, n), Matrix(3, 0)}) {
      JointRecording log = good;
      log.*signal = other;
      if (signal == &JointRecording::v && other.size() == 0) continue;
      CAPTURE(name, other.rows(), other.cols());
      const auto shape = [](Eigen::Index joints, Eigen::Index samples) {
        return std::to_string(joints) + " joints and " + std::to_string(samples) + " samples";
      };
      const std::string text = std::string(name) + " has " + shape(other.rows(), other.cols()) + ", expected ";
      CHECK(mentions(messages(log), {"check_recording: " + text + shape(3, n)}));
      if (signal != &JointRecording::q) CHECK(mentions(messages(log), {"prepare: " + text}));
    }
    for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      JointRecording log = good;
      (log.*signal)(1, 7) = bad;
      CHECK(mentions(messages(log), {std::string("check_recording: ") + name + " of joint 1, samples[7] is",
                                     std::string("prepare: ") + name + " of joint 1, samples[7] is"}));
    }
  }
  JointRecording log = good;
  log.tau.row(1).setConstant(std::nan(""));  // was not measured
  CHECK(messages(log) == "no exceptionno exception");
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    log.t[5] = bad;
    CHECK(mentions(messages(log), {"check_recording: t[5] is", "prepare: t[5] is"}));
  }
  log = good, std::swap(log.t[5], log.t[6]);
  CHECK(mentions(messages(log), {"time does not grow at sample 7"}));
  log.t = good.t, log.t[n - 1] = 1e12;
  CHECK(mentions(message_of<Error>([&] { prepare(log); }), {"prepare: t spans 1e+12 s"}));
  for (Eigen::Index samples = 0; samples < 20; ++samples) {
    const auto first = Eigen::seqN(0, samples);
    const std::string text = messages({good.t(first), good.q(Eigen::all, first), {}, good.tau(Eigen::all, first)});
    CAPTURE(samples, text);
    CHECK(mentions(text, {" " + std::to_string(samples) + " samples, expected twenty"}));
  }
  CHECK(mentions(messages({}), {"has 0 samples, expected twenty"}));
  CHECK(
      mentions(message_of<Error>([&] { check_recording(zoo::serial_chain<double>(4), good); }), {"expected 4 joints"}));
  CHECK(mentions(message_of<Error>([&] { check_recording(zoo::quadruped(), good); }), {"coordinates", "lock_joints"}));
}

TEST_CASE("A zero that is off is told from other bodies than the model's") {
  const auto model = zoo::serial_chain<double>(6);
  Model<double> other = model;
  for (const auto& body : model.bodies()) {
    auto inertia = other.inertia(body);
    inertia.mass *= 1.2, inertia.inertia *= 1.2, inertia.com[0] += 0.02;
    other.set_inertia(body, inertia);
  }
  Data<double> data(model);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  const Eigen::Index n = 4000;
  JointRecording good{Vector::LinSpaced(n, 0, 20), Matrix(6, n), {}, Matrix(6, n)};
  for (Eigen::Index i = 0; i < n; ++i) {
    Vector q(6), v(6), a(6);
    for (int k = 0; k < 6; ++k) {
      const double w = 1 + 0.37 * k, x = w * good.t[i] + k;
      q[k] = std::sin(x) + 0.2 * k, v[k] = w * std::cos(x), a[k] = -w * w * std::sin(x);
    }
    good.q.col(i) = q;
    good.tau.col(i) = rnea<double>(model, data, q, v, a);
  }
  for (auto row : good.tau.rowwise())
    row += 0.02 * row.norm() / std::sqrt(n) * Vector::NullaryExpr(n, [&] { return normal(generator); });
  CHECK(check_recording(other, good).faults.empty());
  for (const int k : {1, 2, 3}) {
    JointRecording log = good;
    log.q.row(k).array() += 0.2;
    CAPTURE(k);
    const auto check = check_recording(other, log, all_accepted);
    REQUIRE(check.faults.size() == 1);
    CHECK(mentions(check.faults[0].column + check.faults[0].text, {"joint" + std::to_string(k + 1), "rad off"}));
    CHECK(off(check.recording.q, good.q) < 0.04);
  }
}

TEST_CASE("Units of columns are used, and one quantity is not taken for another") {
  const auto size = [](const std::string& unit, detail::Unit::Quantity quantity) {
    const corio::test::TemporaryFile file("tau_1 [" + unit + "],q_1\n1,2\n", "log.csv");
    return detail::size_of_unit(LogTable(file.path().string()), "tau_1", quantity);
  };
  using Unit = detail::Unit;
  const std::tuple<const char*, Unit::Quantity, double> known[] = {
      {"Nm", Unit::effort, 1},     {"N m", Unit::effort, 1},   {"N*m", Unit::effort, 1},   {"mNm", Unit::effort, 1e-3},
      {"Ncm", Unit::effort, 1e-2}, {"kNm", Unit::effort, 1e3}, {"mA", Unit::current, 1e-3}};
  for (const auto& [unit, quantity, expected] : known) CHECK(size(unit, quantity) == expected);
  CHECK_FALSE(size("unit", Unit::current));
  const auto message = [&](const char* unit, Unit::Quantity quantity) {
    return message_of<Error>([&] { size(unit, quantity); });
  };
  CHECK(mentions(message("A", Unit::effort), {"'tau_1' has the unit A", "name it as a current"}));
  CHECK(mentions(message("Nm", Unit::current), {"'tau_1' has the unit Nm", "name it as a torque"}));
  CHECK(mentions(message("%", Unit::effort), {"'tau_1' has the unit %"}));
  CHECK(mentions(message("Nm", Unit::motion), {"'tau_1' has the unit Nm"}));
}
