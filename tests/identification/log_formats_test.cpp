#include <numbers>

#include "corio/identification/recording.hpp"
#include "corio/zoo/mechanisms.hpp"
#include "corio/zoo/zoo.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"
#include "support/temporary_file.hpp"

// Tables as robots, ROS, spreadsheets and measuring systems write them.

using corio::LogTable;
using corio::test::mentions;
using corio::test::message_of;
using Eigen::VectorXd;

namespace {

/// Reads a recording of one joint, joint1, from a text.
corio::JointRecording read(const std::string& text, const corio::RecordingColumns& columns = {}) {
  const corio::test::TemporaryFile file(text, "log.csv");
  return corio::read_recording(corio::zoo::serial_chain<double>(1), LogTable(file.path().string()), columns);
}
std::string error_of(const std::string& text, const corio::RecordingColumns& columns = {}) {
  return message_of<corio::Error>([&] { read(text, columns); });
}
/// Returns the largest difference from the values in all tables below: 0, 0.1, 0.2 s; 0.5, 1, 1.5 rad; -2, 0, 2.5 N m.
double off(const corio::JointRecording& log) {
  return (log.t - Eigen::Vector3d(0, 0.1, 0.2)).norm() + (log.q - Eigen::RowVector3d(0.5, 1, 1.5)).norm() +
         (log.tau - Eigen::RowVector3d(-2, 0, 2.5)).norm();
}

}  // namespace

TEST_CASE("logs of many makers are read by default names", "[identification][log]") {
  const std::string text = GENERATE(
      // A plain table; units after names, or below them; with byte order mark, and with Windows line ends.
      "time,q_joint1,tau_joint1\n0,0.5,-2\n0.1,1,0\n0.2,1.5,2.5\n",
      "time [s];q_joint1 [rad];tau_joint1 [Nm]\n0;0.5;-2\n0.1;1;0\n0.2;1.5;2.5\n",
      "time [s] q_joint1 [rad] tau_joint1 [Nm]\n0 0.5 -2\n0.1 1 0\n0.2 1.5 2.5\n",
      "time,q_joint1,tau_joint1\nms,rad,Nm\n7,0.5,-2\n107,1,0\n207,1.5,2.5\n",
      "\xEF\xBB\xBFtime;q_joint1;tau_joint1\r\n0,0;0,5;-2,0\r\n0,1;1,0;0,0\r\n0,2;1,5;2,5\r\n",
      // A spreadsheet with blanks and decimal commas, and with lines about it before its names.
      "Robot 7, calibration\nby hand\ntime q_joint1 tau_joint1\n0,0 0,5 -2\n0,1 1 0\n0,2 1,5 2,5\n",
      // pandas numbers its rows and names other columns; incomplete rows end the file.
      ",time,name,q_joint1,tau_joint1\n0,0,base,0.5,-2\n1,0.1,base,1,0\n2,0.2,base,1.5,2.5\n3,0.3,ba\n",
      // The header is a comment, times are since 1970 in ns, and one message was sent twice.
      "%time,field.header.frame_id,joint1_position,joint1_effort\n1700000000000000000,world,0.5,-2\n"
      "1700000000100000000,world,1,0\n1700000000100000000,world,1,0\n1700000000200000000,world,1.5,2.5\n",
      "__time,/joint_states/joint1/position,/joint_states/joint1/effort\n"
      "1700000000,0.5,-2\n1700000000.1,1,0\n1700000000.2,1.5,2.5\n",
      "t,- joint1_position,- joint1_effort\n0,0.5,-2\n0.1,1,0\n0.2,1.5,2.5\n",
      // The table has degrees and quaternions.
      "t\tq_joint1 [deg]\ttau_joint1\tqx\tqw\n0\t28.64788975654116\t-2\t0\t1\n0.1\t57.29577951308232\t0\t0\t1\n"
      "0.2\t85.94366926962348\t2.5\t0\t1\n");
  CAPTURE(text);
  // Times since 1970 are resolved to 0.3 us.
  CHECK(off(read(text)) < 1e-6);
}

TEST_CASE("seconds and nanoseconds of ROS are one time, without loss", "[identification][log]") {
  const std::string names = GENERATE("header.stamp.secs,header.stamp.nsecs", "header.stamp.sec,header.stamp.nanosec",
                                     "secs,nsecs", "sec,nanosec", "/joints/header/stamp/sec,/joints/header/stamp/nsec");
  const std::string rows = "1700000000,999999999,0.5,-2\n1700000001,99999999,1,0\n1700000001,199999999,1.5,2.5\n";
  CAPTURE(names);
  // Adding both first would lose 0.2 us.
  CHECK(off(read(names + ",q_joint1,tau_joint1\n" + rows)) < 1e-14);
  const corio::RecordingColumns of_stamp{.time = "header.stamp"};
  CHECK(mentions(error_of("arrival.sec,arrival.nanosec,q_joint1,tau_joint1\n" + rows, of_stamp), {"header.stamp"}));
  if (names.starts_with("header.stamp")) CHECK(off(read(names + ",q_joint1,tau_joint1\n" + rows, of_stamp)) < 1e-14);
  // A column named time has precedence, but times of arrival do not; seconds without nanoseconds are not a time.
  const std::string later = "\n1,0,0.5,-2,0\n2,0,1,0,0.1\n3,0,1.5,2,0.2\n";
  CHECK(read(names + ",q_joint1,tau_joint1,time" + later).t[2] == 0.2);
  CHECK(read(names + ",q_joint1,tau_joint1,Time" + later).t[2] == 2.0);
  CHECK_THROWS_AS(read("sec,q_joint1,tau_joint1\n1,0.5,-2\n2,1,0\n3,1.5,2\n"), corio::Error);
}

TEST_CASE("samples without times have the rate that is given", "[identification][log]") {
  const std::string text = "q_joint1,tau_joint1\n0.5,-2\n1,0\n1.5,2.5\n";
  CHECK(off(read(text, {.rate = 10})) < 1e-15);
  CHECK(off(read("0.5,-2\n1,0\n1.5,2.5\n", {.q = {"1"}, .tau = {"2"}, .rate = 10})) < 1e-15);
  CHECK(mentions(error_of(text), {"no column of times", "'time'", "rate of the samples"}));
  CHECK(mentions(error_of(text, {.time = "7"}), {"no column of times", "'7'"}));
  // Repeated rows are samples; times are not read, and their unit is not used.
  const auto still = read("time,q_joint1,tau_joint1\n3,1,2\n3,1,2\n1,1,2\n", {.time_unit = 1e-3, .rate = 500});
  CHECK((still.t - Eigen::Vector3d(0, 0.002, 0.004)).norm() < 1e-15);
}

TEST_CASE("degrees are of angles, not of lengths", "[identification][log]") {
  corio::ModelBuilder<double> builder;
  const corio::InertialParameters<double> body{1, corio::zero3<double>(), corio::identity3<double>()};
  builder.add_body({.name = "carriage", .joint = corio::joint::Prismatic::y(), .inertia = body});
  builder.add_body({.name = "tube", .parent = "carriage", .joint = corio::joint::Cylindrical(), .inertia = body});
  const auto model = std::move(builder).build();
  const std::string rows = "\n0,2,180,3,4,-90,5\n0.1,2,180,3,4,-90,5\n0.2,2,180,3,4,-90,5\n";
  const auto read_all = [&](const std::string& names) {
    const corio::test::TemporaryFile file(names + rows, "log.csv");
    return corio::read_recording(model, LogTable(file.path().string()),
                                 {.q = {"2", "3", "4"}, .v = {"5", "6", "7"}, .tau = {"2", "2", "2"}, .degrees = true});
  };
  const auto of_angles = read_all("t,a,b,c,d,e,f");
  CHECK((of_angles.q.col(1) - Eigen::Vector3d(2, std::numbers::pi, 3)).norm() < 1e-14);
  CHECK((of_angles.v.col(1) - Eigen::Vector3d(4, -std::numbers::pi / 2, 5)).norm() < 1e-14);
  CHECK(of_angles.tau(0, 1) == 2.0);
  // A unit in the column's name has precedence.
  CHECK(read_all("t,a,b [rad],c,d,e,f").q(1, 0) == 180.0);
}

TEST_CASE("a unit that a log gives holds for samples that are far apart, too", "[identification][log]") {
  for (const std::string unit : {"s", "sec"})
    CHECK(read("time [" + unit + "],q_joint1,tau_joint1\n0,0.5,-2\n1,1,0\n2,1.5,2.5\n").t[2] == 2.0);
  CHECK(read("time [ms],q_joint1,tau_joint1\n0,0.5,-2\n1000,1,0\n2000,1.5,2.5\n").t[2] == Approx(2.0).epsilon(1e-15));
}

TEST_CASE("columns of arrays are read by name or number", "[identification][log]") {
  const std::string text = "stamp,position[0],velocity[0],effort[0]\n0,0.5,1,-2\n0.1,1,2,0\n0.2,1.5,3,2.5\n";
  CHECK(off(read(text, {.time = "stamp", .q = {"position[0]"}, .tau = {"effort[0]"}})) < 1e-12);
  CHECK(off(read(text, {.time = "1", .q = {"2"}, .v = {"3"}, .tau = {"4"}})) < 1e-12);
  const auto in_degrees = read("t,q_joint1,v_joint1,tau_joint1\n0,180,90,5\n1,90,9,6\n2,0,0,7\n", {.degrees = true}).v;
  CHECK(in_degrees(0, 0) == Approx(std::numbers::pi / 2));
  const corio::test::TemporaryFile file("time (ms),position[0],q (deg)\n1,2,3\n", "log.csv");
  const LogTable table(file.path().string());
  CHECK(table.unit("time") == "ms");
  CHECK(table.unit("2") == "");
  CHECK(table.unit("q") == "deg");
  CHECK(table.cut_off() == 0);
}

TEST_CASE("signals in files of their own are one table", "[identification][log]") {
  const auto table = [](const std::string& text, const std::string& more) {
    const corio::test::TemporaryFile first(text, "q.csv"), second(more, "tau.csv");
    LogTable all(first.path().string());
    all.append(LogTable(second.path().string()));
    return all;
  };
  const std::string q = "time,q_joint1\n0,0.5\n0.1,1\n0.2,1.5\n";
  const auto all = table(q, "tau_joint1 [Nm];time\n-2;0\n0;0.1\n2.5;0.2\n");
  CHECK(all.columns() == 3);
  CHECK(all.unit("tau_joint1") == "Nm");
  CHECK(off(corio::read_recording(corio::zoo::serial_chain<double>(1), all)) < 1e-12);
  const auto without_names = table("0 0.5\n0.1 1\n0.2 1.5\n", "-2\n0\n2.5\n");
  CHECK(off(corio::read_recording(corio::zoo::serial_chain<double>(1), without_names,
                                  {.time = "1", .q = {"2"}, .tau = {"3"}})) < 1e-12);
  CHECK(mentions(message_of<corio::Error>([&] { table(q, "time,tau\n0,1\n0.1,2\n"); }),
                 {"q.csv", "tau.csv", "3 and 2 rows"}));
  const auto twice = table("joint1\n0\n1\n", "joint1\n3\n5\n");
  CHECK(twice.column("joint1") == Eigen::Vector2d(0, 1));
  CHECK(twice.column("2") == Eigen::Vector2d(3, 5));
  const auto word = table(q, "time,tau_joint1\n0,1\n0.1,none\n0.2,3\n");
  CHECK(mentions(message_of<corio::Error>([&] { word.column("tau_joint1"); }),
                 {"row 2", "column 3", "'none' is not a number"}));
}

TEST_CASE("a last row that was cut off is left out and told", "[identification][log]") {
  const corio::test::TemporaryFile file("a,b\n1,2\n3,4\n5", "log.csv");
  const LogTable table(file.path().string());
  CHECK(table.rows() == 2);
  CHECK(table.cut_off() == 4);
}

TEST_CASE("what cannot be read of a log is named by line and column", "[identification][log]") {
  const std::string names = "time,q_joint1,tau_joint1\n";
  CHECK(mentions(error_of(names + "0,1,2\n0.1,,2\n0.2,1,2\n"), {"line 3", "column 2", "q_joint1", "not a number"}));
  CHECK(mentions(error_of(names + "0,1,2\n0.1,1,NaN\n0.2,1,2\n"), {"line 3", "column 3", "tau_joint1"}));
  CHECK(mentions(error_of(names + "0,1,2\n0.1,1,-inf\n0.2,1,2\n"), {"line 3", "column 3", "infinite"}));
  CHECK(mentions(error_of(names + "0,1,2\n0.1,lost,2\n0.2,1,2\n"), {"line 3", "column 2", "'lost' is not a number"}));
  CHECK(mentions(error_of(names + "0,1,2\n0.1,1\n0.2,1,2\n"), {"line 3", "2 columns, expected 3"}));
  CHECK(mentions(error_of(names + "0,1,2,3\n"), {"line 2", "4 columns", "3 in line 1"}));
  CHECK(mentions(error_of(names + "0,1,2\n0.2,1,2\n0.1,1,2\n"), {"line 4", "time does not grow"}));
  CHECK(mentions(error_of("time,/goal/joint1/position,/state/joint1/position,tau_joint1\n0,1,1,2\n1,1,1,2\n"),
                 {"'/goal/joint1/position' and '/state/joint1/position'"}));
  CHECK(mentions(error_of("time,q,tau_joint1\n0,1,2\n"),
                 {"no columns q_JOINT, JOINT/position", "joints joint1;", "3 columns: time, q, tau_joint1"}));
  CHECK(mentions(error_of(names + "a,b,c\nno,numbers,here\n"), {"no rows of numbers"}));
  const corio::test::TemporaryFile file("time,q,tau\n0,1,2\n", "log.csv");
  const auto of = [&](const corio::Model<double>& model) {
    return message_of<corio::Error>([&] { corio::read_recording(model, LogTable(file.path().string())); });
  };
  const auto geared = corio::zoo::geared_arm<double>(1);  // the rotor has no column
  CHECK(of(geared).find(geared.loops()[0].dependent[0]) == std::string::npos);
  const auto humanoid = corio::zoo::humanoid<double>();
  CHECK(mentions(of(humanoid), {humanoid.joints()[0].name(), "7 coordinates", "lock the joint"}));
}

TEST_CASE("Signals of a lower rate are interpolated, and stale rows at the beginning are left out",
          "[identification][log]") {
  std::string text = "time,q_joint1,tau_joint1\n9,0,0\n";  // a row that is later than the next one
  for (int i = 0; i < 100; ++i)                            // lines, which interpolation does not change
    text += std::to_string(i) + "," + std::to_string(2 * i) + "," + (i % 4 == 0 ? std::to_string(3 * i) : "") + "\n";
  const auto log = read(text + "100,200,300\n", {.time_unit = 1});
  REQUIRE(log.t.size() == 101);
  CHECK((log.q.row(0) - 2 * log.t.transpose()).norm() < 1e-10);
  CHECK((log.tau.row(0) - 3 * log.t.transpose()).norm() < 1e-10);
  for (int i = 101; i < 201; ++i) text += std::to_string(i) + ",0,\n";  // the signal ends: nothing to interpolate with
  CHECK(mentions(error_of(text), {"tau_joint1", "not a number"}));
}
