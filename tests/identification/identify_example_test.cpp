#include <Eigen/Eigenvalues>
#include <algorithm>
#include <sstream>

#include "../examples/identify/page.hpp"
#include "../examples/identify/payload.hpp"
#include "corio/model/inertial_parameters.hpp"
#include "identification/recorded_arm.hpp"
#include "support/catch.hpp"
#include "support/temporary_file.hpp"

// Parts of the example identify: payloads, the page with figures, base parameters alone, and the spread that is found
// by cross-validation, on recordings of a simulated arm.

namespace identify { namespace {

using corio::InertialParameters;
using recorded_arm::Arm;

/// The friction that an identification without errors finds.
std::vector<corio::JointFriction> friction_of(const Arm& arm) {
  std::vector<corio::JointFriction> all;
  for (int k = 0; k < 3; ++k) {
    const auto p = arm.joints.segment<4>(4 * k);
    all.push_back({p[3], arm.smoothing, p[1], p[1], p[2], p[2]});
  }
  return all;
}
Samples samples_of(const Arm& arm, std::uint64_t seed,
                   const corio::Vector10<double>& payload = corio::Vector10<double>::Zero()) {
  return corio::prepare(recorded_arm::record(arm, seed, seed + 1, payload),
                        {.cutoff = 10, .delay_of_tau = arm.late, .smoothing = arm.smoothing});
}
bool is_possible(const corio::Vector10<double>& body) { return corio::is_physically_consistent<double>(body); }

/// An arm of one joint about a level axis x without friction that swings by half a degree, tau = Ixx a + g (hy cos q -
/// hz sin q) + offset, with the payload and white noise.
struct Swing {
  static constexpr double rate = 8, coulomb = 1;  // rad/s and N m
  corio::Model<double> model = corio::zoo::serial_chain<double>(1);
  Samples samples = [] {
    const auto n = 400;
    const Matrix zero = Matrix::Zero(1, n);
    return Samples{Vector::LinSpaced(n, 0, 20), zero, zero, zero, zero, zero, Matrix::Ones(1, n), 1};
  }();
  Found robot{parameters(model), 0.05, {}, {{0.2, 0.05, 0, 0, coulomb, coulomb}}};

  Swing(const corio::Vector10<double>& payload, double offset, double noise, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<double> normal;
    const corio::Vector10<double> body = model.inertia(model.bodies().front()).vector() + payload;
    for (Eigen::Index i = 0; i < samples.t.size(); ++i) {
      const double phase = rate * samples.t[i], q = 0.01 * std::sin(phase);
      samples.q(0, i) = q, samples.v(0, i) = 0.01 * rate * std::cos(phase), samples.a(0, i) = -rate * rate * q;
      samples.direction(0, i) = std::tanh(samples.v(0, i) / 0.05);
      samples.tau(0, i) = body[4] * samples.a(0, i) + 9.81 * (body[2] * std::cos(q) - body[3] * std::sin(q)) + offset +
                          coulomb * samples.direction(0, i) + noise * normal(generator);
    }
    joint_parameters_of(model, robot.p, 0) << 0, 0, coulomb, 0.2;
  }
  Payload fit() const { return fit_payload(model, payload_map(model, "link1"), samples, robot); }
};

TEST_CASE("identify finds a payload within its deviations, and holds the robot's offsets", "[identification][log]") {
  const Arm arm;
  const InertialParameters<double> truth{3, {0.05, -0.08, 0.12}, 0.02 * corio::Matrix3<double>::Identity()};
  const Found robot{arm.truth(), arm.smoothing, {}, friction_of(arm)};
  const auto payload =
      fit_payload(arm.model, payload_map(arm.model, "link3"), samples_of(arm, 40, truth.vector()), robot);
  const Vector deviation = payload.alone.found.standard_deviation(1.0);
  for (const int k : {0, 1, 2, 3}) {
    CAPTURE(k, payload.parameters.transpose(), deviation.transpose());
    CHECK(std::abs(payload.parameters[k] - truth.vector()[k]) < 4 * deviation[k]);
    CHECK(deviation[k] < 0.2 * truth.mass);
  }
  CHECK(is_possible(payload.parameters));
  // The prior holds offsets to a tenth of the Coulomb friction, and the robot with the payload has the changes.
  for (int k = 0; k < 3; ++k) {
    CHECK(std::abs(payload.offsets[k]) < 0.3 * robot.friction[static_cast<std::size_t>(k)].coulomb_positive);
    CHECK(payload.loaded.friction[static_cast<std::size_t>(k)].offset ==
          Approx(arm.joints[4 * k + 3] + payload.offsets[k]));
  }
  CHECK((parameters(
             corio::with_payload(arm.model, "link3", InertialParameters<double>::from_parameters(payload.parameters)))
             .head<30>() -
         payload.loaded.p.head<30>())
            .norm() < 1e-9);
}

TEST_CASE("identify finds no impossible payload where the samples alone show one", "[identification][log]") {
  const InertialParameters<double> truth{1, {0.02, 0.1, 0.05}, 0.003 * corio::Matrix3<double>::Identity()};
  bool negative = false;
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Swing swing(truth.vector(), 0.2, 0.05, seed);
    const Payload payload = swing.fit();
    CAPTURE(payload.parameters.transpose());
    CHECK(is_possible(payload.parameters));
    negative |= !is_possible(payload.alone.parameters_of_fit().head<10>());
    // 9.81 hy and the offset are one number here: the offset may take a tenth of the friction, as its prior says.
    CHECK(std::abs(payload.offsets[0]) < 0.2 * Swing::coulomb);
    CHECK(std::abs(payload.parameters[2] - truth.vector()[2]) < 0.2 * Swing::coulomb / 9.81);
  }
  CHECK(negative);
}

TEST_CASE("identify names the parameters of a payload that change together unseen", "[identification][log]") {
  const Swing swing(InertialParameters<double>{1, {0, 0.1, 0.05}, corio::Matrix3<double>::Identity() * 0.01}.vector(),
                    0.2, 1e-3, 1);
  std::vector<std::string> names(std::begin(corio::detail::inertial_parameter_names),
                                 std::end(corio::detail::inertial_parameter_names));
  names.push_back("offset");
  const auto texts = swing.fit().alone.not_separated(names);
  // Only hy and, with a = -rate^2 q, the sum rate^2 Ixx + 9.81 hz are seen; the prior separates the offset.
  REQUIRE(texts.size() == 8);
  bool together = false;
  for (const std::string& text : texts) {
    CAPTURE(text);
    corio::Vector10<double> direction = corio::Vector10<double>::Zero();
    double number = 0;
    std::string name;
    for (std::istringstream words(text); words >> number >> name;) {
      const auto place = std::ranges::find(names, name) - names.begin();
      REQUIRE(place < 10);
      direction[place] = number;
    }
    REQUIRE(!direction.isZero());
    CHECK(direction[2] == 0);
    const double by_inertia = Swing::rate * Swing::rate * direction[4], by_weight = 9.81 * direction[3];
    CHECK(std::abs(by_inertia + by_weight) <= 0.01 * std::abs(by_inertia));  // numbers have three digits
    together |= by_inertia != 0;
  }
  CHECK(together);
}

TEST_CASE("identify reads the friction that it wrote beside the robot", "[identification][log]") {
  const Arm arm;
  const corio::test::TemporaryFolder folder;
  Options options;
  options.robot = (folder.path() / "identified.urdf").string();
  CHECK(robot_as_identified(arm.model, options).friction.empty());
  const std::string names =
      "joint,armature,smoothing,offset,damping+,damping-,coulomb+,coulomb-,stiction,stribeck_speed";
  folder.write("friction.csv",
               names + "\na,0,0.02,0.3,1,2,3,4,5,6\nb,0,0.02,-0.4,1,2,3,4,5,6\nc,0,0.02,0.5,1,2,3,4,5,6\n");
  const Found robot = robot_as_identified(arm.model, options);
  REQUIRE(robot.friction.size() == 3);
  CHECK(robot.smoothing == 0.02);
  CHECK(robot.friction[1](10.0) == Approx(-0.4 + 10 + 3).margin(6));  // stiction has decayed
  CHECK(joint_parameters_of(arm.model, robot.p, 1)[3] == -0.4);
  const auto other = corio::zoo::serial_chain<double>(2);
  CHECK_THROWS_WITH(robot_as_identified(other, options), Catch::Contains("friction.csv has other joints"));
}

TEST_CASE("base parameters alone predict the fitted torques as well as any parameters", "[identification][log]") {
  const Arm arm;
  const Samples s = samples_of(arm, 60);
  corio::Model<double> drawing = arm.model;
  for (const auto& body : drawing.bodies()) {
    auto drawn = drawing.inertia(body);
    drawn.mass *= 0.5, drawn.inertia *= 0.5;
    drawing.set_inertia(body, drawn);
  }
  const Found found = fit(drawing, corio::structural_base_parameters(drawing), s, arm.smoothing, 0.02);
  const auto errors = [&](const Vector& p) {
    return Vector((s.tau - predict(drawing, s, p, arm.smoothing)).reshaped());
  };
  // The least squares of all rows with the weights of the fit, by another factorisation.
  Regressor regressor(drawing, arm.smoothing);
  const Matrix weights = corio::robust_weights(s.tau - predict(drawing, s, found), s.moving);
  const Vector deviation = independent_deviation(s.tau - predict(drawing, s, found), s, 27);
  const Vector roots = (deviation.cwiseInverse().asDiagonal() * weights.cwiseSqrt()).reshaped();
  Matrix rows(s.tau.size(), num_parameters(drawing));
  for (Eigen::Index i = 0; i < s.t.size(); ++i) rows.middleRows(3 * i, 3) = regressor(motion(s, i));
  rows = roots.asDiagonal() * rows;
  const Vector least = Eigen::CompleteOrthogonalDecomposition<Matrix>(rows).solve(roots.cwiseProduct(s.tau.reshaped()));
  const auto size = [&](const Vector& p) { return roots.cwiseProduct(errors(p)).norm(); };
  const Vector alone = BaseEstimate(drawing, corio::structural_base_parameters(drawing), found).parameters_of_fit();
  CHECK(size(alone) == Approx(size(least)).epsilon(1e-3));  // the wide prior of base parameters changes it a little
  CHECK(size(found.p) > size(alone));
}

TEST_CASE("identify widens the spread if that predicts other recordings better", "[identification][log]") {
  const Arm arm;
  const Samples fitted = samples_of(arm, 60), other = samples_of(arm, 80);
  const auto off = [&](const corio::Model<double>& model, double spread) {
    const Found found = fit(model, corio::structural_base_parameters(model), fitted, arm.smoothing, spread);
    return rms(other.tau - predict(model, other, found)).norm();
  };
  CHECK(best_spread(arm.model, fit(arm.model, corio::structural_base_parameters(arm.model), fitted, arm.smoothing, 0.2),
                    0.2) == 0.2);
  corio::Model<double> drawing = arm.model;
  for (const auto& body : drawing.bodies()) {
    auto drawn = drawing.inertia(body);
    drawn.mass *= 0.2, drawn.inertia *= 0.2;
    drawing.set_inertia(body, drawn);
  }
  const double spread =
      best_spread(drawing, fit(drawing, corio::structural_base_parameters(drawing), fitted, arm.smoothing, 0.02), 0.02);
  CHECK(spread > 0.02);
  CHECK(off(drawing, spread) < 0.9 * off(drawing, 0.02));
}

/// All texts of a page between two marks, without a first mark in them. (std::regex runs out of stack on long lines.)
std::vector<std::string> between(const std::string& page, const std::string& before, const std::string& after) {
  std::vector<std::string> all;
  for (std::size_t at = page.find(before); at != page.npos;) {
    const std::size_t end = page.find(after, at + before.size());
    if (end == page.npos) break;
    const std::size_t begin = page.rfind(before, end - before.size()) + before.size();
    all.push_back(page.substr(begin, end - begin));
    at = page.find(before, end);
  }
  return all;
}

TEST_CASE("the page of identify has notes, errors with units, and round numbers at its axes", "[identification][log]") {
  // A joint that turns and a joint that slides, whose names need escapes.
  corio::ModelBuilder<double> builder("arm & <hand>");
  const InertialParameters<double> body{2, {0, 0, 0.1}, 0.1 * corio::Matrix3<double>::Identity()};
  const auto arm = builder.add_body(
      {.name = "upper", .joint = corio::joint::Revolute::x(), .inertia = body, .joint_name = "turns <1>"});
  builder.add_body({.name = "lower",
                    .parent = arm,
                    .joint = corio::joint::Prismatic(corio::unit3<double>(2)),
                    .inertia = body,
                    .joint_name = "slides & more"});
  const auto model = builder.build();
  const Eigen::Index n = 500;
  Samples s{Vector::LinSpaced(n, 0, 7.3), {}, {}, {}, {}, {}, Matrix::Ones(2, n), 1};
  s.q.setZero(2, n), s.a.setZero(2, n);
  const auto wave = [&](double size, double rate) -> Eigen::RowVectorXd {
    return size * (rate * s.t.transpose().array()).sin();
  };
  s.v = (Matrix(2, n) << wave(1.7, 2), wave(0.3, 3)).finished();
  s.direction = (s.v / 0.05).array().tanh();
  s.tau = (Matrix(2, n) << wave(40, 2), wave(700, 3)).finished();
  const Matrix error = (Matrix(2, n) << wave(4, 5), wave(7, 5)).finished();
  Found found{parameters(model), 0.05, {}};
  std::ostringstream out;
  write_page(out, "identify a<b>.urdf log&1.csv --mend all", model, s, s.tau - error, found, nullptr);
  const std::string page = out.str();
  CHECK(page.find("identify a&lt;b&gt;.urdf log&amp;1.csv --mend all") != page.npos);
  CHECK(between(page, "<h1>", "</h1>") == std::vector<std::string>{"Identification of arm &amp; &lt;hand&gt;"});
  const std::vector<std::string> joints{"turns &lt;1&gt;", "slides &amp; more"}, units{"N m", "N"};
  CHECK(between(page, "<h2>", "</h2>") ==
        std::vector<std::string>{"Samples that were predicted", joints[0], joints[1]});
  for (const char* unescaped : {"turns <", "<hand", "& more"}) CHECK(page.find(unescaped) == page.npos);

  // The table: root mean squares by their definition, printed with three digits.
  const auto table = between(page, "<tr><td>", "</tr>");
  REQUIRE(table.size() == 2);
  for (int k = 0; k < 2; ++k) {
    const auto size = [n](const auto& row) { return row.norm() / std::sqrt(static_cast<double>(n)); };
    const double measured = size(s.tau.row(k)), left = size(error.row(k));
    const auto cells = between("<td>" + table[static_cast<std::size_t>(k)] + "<", "<td>", "<");
    CAPTURE(cells);
    REQUIRE(cells.size() == 5);
    CHECK(cells[0] == joints[static_cast<std::size_t>(k)]);
    CHECK(cells[3] == units[static_cast<std::size_t>(k)]);
    CHECK(std::stod(cells[1]) == Approx(measured).epsilon(6e-3));
    CHECK(std::stod(cells[2]) == Approx(left).epsilon(6e-3));
    CHECK(std::stod(cells[4]) == Approx(100 * left / measured).epsilon(6e-3));
  }
  for (const char* unit : {">speed [rad/s]<", ">speed [m/s]<", ">N m / sqrt(Hz)<", ">N / sqrt(Hz)<"})
    CHECK(page.find(unit) != page.npos);

  // Ticks are one step apart, which is 1, 2 or 5 times a power of ten, and equally distant on the page.
  const auto figures = between(page, "<svg", "</svg>");
  REQUIRE(figures.size() == 6);
  for (const std::string& figure : figures)
    for (const bool level : {true, false}) {
      const auto places = between(figure, level ? "<path d='M" : "<path d='M60 ", level ? " 210v4'" : "h-4'");
      const auto texts = between(figure, level ? "y='226' text-anchor='middle'>" : "text-anchor='end'>", "<");
      REQUIRE(places.size() == texts.size());
      REQUIRE(texts.size() >= 2);
      CHECK(texts.size() <= 8);
      std::vector<double> at, x;
      for (const auto& place : places) at.push_back(std::stod(place));
      for (const auto& text : texts) x.push_back(std::stod(text));
      if (!level && figure.find("sqrt(Hz)") != figure.npos)
        for (double& y : x) y = std::log10(y);
      const double step = x[1] - x[0], digit = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
      CAPTURE(texts, step);
      CHECK(std::min({std::abs(digit - 1), std::abs(digit - 2), std::abs(digit - 5)}) < 1e-9);
      CHECK(std::abs(x[0] / step - std::round(x[0] / step)) < 1e-9);
      for (std::size_t i = 2; i < x.size(); ++i) {
        CHECK(x[i] - x[i - 1] == Approx(step));
        CHECK(at[i] - at[i - 1] == Approx(at[1] - at[0]).epsilon(1e-4));  // six digits
      }
    }
}

}}  // namespace identify
