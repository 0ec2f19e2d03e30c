// The effect of the Coriolis factorization on a controlled motion: a point mass tracks a line by the law of Slotine and
// Li, once with the Coriolis matrix of Christoffel's symbols, C = 0, and once with C = kappa [v]x, which is also
// admissible, but whose connection has torsion. After Wensing and Slotine, section IV-A. Masses, gains, start and path
// are assumptions, since the paper does not give its own, so that only the kind of motion can be compared with its
// figures.
//
// The law is applied in continuous time: the force is computed at every stage of every step of the integrator. A force
// held for 0.1 ms would already deviate from the law by 0.7 % for kappa = 10.
//
//   point_mass [folder] [--check]
//
// prints the deviation from the plane of motion, the force at high frequencies, and the small difference of the
// Lyapunov functions; writes data, and figures if there is gnuplot, into the folder (default point_mass_output).
// --check: exit status 1 if the effect is not there.

#include <corio/algorithms/dynamics/aba.hpp>
#include <corio/control/slotine_li.hpp>
#include <corio/model/builder.hpp>
#include <cstdio>
#include <numbers>

#include "support/figures.hpp"
#include "support/output.hpp"

namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
namespace fs = std::filesystem;
using support::demand;
constexpr double dt = 1e-4, duration = 10, high_frequency = 0.5;  // s, s, Hz
constexpr int steps = 100000;

corio::Model<double> point_mass(double mass) {
  corio::ModelBuilder<double> builder("point mass");
  builder.add_body({.name = "point",
                    .joint = corio::joint::Translation(),
                    .inertia = {mass, Vector3d::Zero(), Eigen::Matrix3d::Zero()}});
  builder.set_gravity(Vector3d::Zero());
  return builder.build();
}

/// B(V, I) = Christoffel's + kappa [v]x in the rows of the force and the columns of linear motion: skew-symmetric, and
/// zero times V, so that C v and the skew-symmetry of dM/dt - 2 C are unchanged.
auto torsion(double kappa) {
  return [kappa](const corio::Motion<double>& V, const corio::Inertia<double>& I) -> corio::Matrix6<double> {
    corio::Matrix6<double> B = corio::factorization::Christoffel()(V, I);
    B.bottomRightCorner<3, 3>() += kappa * corio::skew(V.linear);
    return B;
  };
}

struct Run {
  std::vector<Vector3d> position, error;  // m, at each tick
  std::vector<Vector3d> force;            // N, equal to m/s^2 since the mass is 1 kg
  std::vector<double> V;                  // s^T M s / 2 with the true mass, J

  double leaves_plane() const {
    double z = 0;
    for (const Vector3d& x : position) z = std::max(z, std::abs(x[2]));
    return z;
  }
};

/// The line x_d = (5 t - cos 2 t, 0, 0), from a start beside it with a velocity across.
Run track(double kappa, double believed_mass) {
  const auto truth = point_mass(1), believed = point_mass(believed_mass);
  const VectorXd one = VectorXd::Ones(3);
  corio::SlotineLi controller(believed, {one, one}, torsion(kappa));
  corio::Data data(believed), of_truth(truth);
  Run run;
  const auto acceleration = [&](double t, const VectorXd& q, const VectorXd& v) -> VectorXd {
    const Vector3d q_d(5 * t - std::cos(2 * t), 0, 0), v_d(5 + 2 * std::sin(2 * t), 0, 0),
        a_d(4 * std::cos(2 * t), 0, 0);
    const VectorXd& tau = controller.update(believed, data, q, v, q_d, v_d, a_d);
    return corio::aba(truth, of_truth, q, v, tau);
  };
  VectorXd q = Vector3d(-1, 1, 0), v = Vector3d(0, 2, 0);
  for (int i = 0; i < steps; ++i) {
    // The classical Runge-Kutta method; q of a translation is a vector.
    const double t = i * dt, half = dt / 2;
    const VectorXd a1 = acceleration(t, q, v);
    run.position.emplace_back(q);
    run.error.emplace_back(controller.error().e);
    run.force.emplace_back(a1);
    run.V.push_back(0.5 * controller.s().squaredNorm());
    const VectorXd v2 = v + half * a1, a2 = acceleration(t + half, q + half * v, v2);
    const VectorXd v3 = v + half * a2, a3 = acceleration(t + half, q + half * v2, v3);
    const VectorXd v4 = v + dt * a3, a4 = acceleration(t + dt, q + dt * v3, v4);
    q += dt / 6 * (v + 2 * v2 + 2 * v3 + v4);
    v += dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return run;
}

/// The energy of the force across the line, y + i z, by frequency: |sum (y + i z) exp(-2 pi i f t) dt|^2 for both signs
/// of f, in steps of 1 / duration.
std::vector<double> spectrum(const Run& run) {
  constexpr int every = 50, lines = 250;
  std::vector<double> energy;
  for (int line = 0; line < lines; ++line) {
    double sum = 0;
    for (const int sense : {-1, 1}) {
      std::complex<double> x = 0;
      for (std::size_t i = 0; i < run.force.size(); i += every)
        x += std::complex<double>(run.force[i][1], run.force[i][2]) *
             std::polar(every * dt, sense * 2 * std::numbers::pi * line / duration * dt * static_cast<double>(i));
      if (line > 0 || sense > 0) sum += std::norm(x);
    }
    energy.push_back(sum);
  }
  return energy;
}
double at_high_frequencies(const std::vector<double>& spectrum) {
  double sum = 0;
  for (std::size_t i = 0; i < spectrum.size(); ++i)
    if (static_cast<double>(i) / duration > high_frequency) sum += spectrum[i] / duration;
  return sum;
}

/// Returns max |V - V_0| over V_0(0).
double apart(const Run& run, const Run& reference) {
  double worst = 0;
  for (std::size_t i = 0; i < run.V.size(); ++i) worst = std::max(worst, std::abs(run.V[i] - reference.V[i]));
  return worst / reference.V[0];
}

void write(const Run& run, const std::vector<double>& spectrum, const fs::path& file) {
  auto out = support::output(file), lines = support::output(file.string() + ".spectrum");
  out << "# time (s), position (m), error (m), Lyapunov function (J)\n";
  for (std::size_t i = 0; i < run.V.size(); i += 50)
    out << static_cast<double>(i) * dt << ' ' << run.position[i].transpose() << ' ' << run.error[i].transpose() << ' '
        << run.V[i] << '\n';
  lines << "# frequency (Hz), energy of the force across the line (N^2 s^2)\n";
  for (std::size_t i = 0; i < spectrum.size(); ++i)
    lines << static_cast<double>(i) / duration << ' ' << spectrum[i] << '\n';
}

bool compare(const fs::path& folder) {
  const double kappas[] = {0, 1, 10};
  Run runs[3];
  double high[3], exact[3];
  const Run known = track(0, 1);
  std::printf(
      "Point mass of 1 kg, believed to be 1.2 kg, on a line; C = kappa [v]x. All numbers but kappa are assumed.\n\n");
  std::printf(
      "  kappa  push out of the plane  farthest from  energy of the force    Lyapunov function apart from that of\n");
  std::printf(
      "         at the start           the plane      above %g Hz             kappa = 0, and with the mass known\n",
      high_frequency);
  for (int i = 0; i < 3; ++i) {
    runs[i] = track(kappas[i], 1.2);
    const std::vector<double> lines = spectrum(runs[i]);
    high[i] = at_high_frequencies(lines), exact[i] = apart(track(kappas[i], 1), known);
    std::printf("  %5g  %10.1f N           %6.3f m       %8.1f N^2 s x %-7.3g %9.1e  %9.1e\n", kappas[i],
                runs[i].force[0][2], runs[i].leaves_plane(), high[i], high[i] / high[0], apart(runs[i], runs[0]),
                exact[i]);
    write(runs[i], lines, folder / ("kappa_" + std::to_string(static_cast<int>(kappas[i])) + ".dat"));
  }
  std::printf("\n");
  bool good = demand("kappa = 0 stays in the plane", runs[0].leaves_plane() == 0);
  good &= demand("torsion pushes the mass out of it from the start, in proportion to kappa",
                 std::abs(runs[1].force[0][2] + 10) < 1e-9 && std::abs(runs[2].force[0][2] + 100) < 1e-9);
  good &=
      demand("the more torsion, the more force at high frequencies", high[1] > 5 * high[0] && high[2] > 5 * high[1]);
  good &= demand("the Lyapunov function hardly tells, by less than 2 % of its first value",
                 std::max(apart(runs[1], runs[0]), apart(runs[2], runs[0])) < 0.02);
  // The remaining error is the integrator's, of order dt^4.
  good &= demand("with the mass known it is one curve for every kappa", exact[1] < 1e-12 && exact[2] < 1e-10);
  return good;
}

}  // namespace

int main(int argc, char** argv) { return support::with_figures("point_mass", argc, argv, compare); }
