// Draws a humanoid in the middle of a step and its equations of motion, M a + C v + g = tau: the mass matrix, the
// Coriolis matrix, and each torque as the sum of its three parts. The figure of the README.
//
//   equations_of_motion [figure.svg] [--check]
//
// Without a file it writes equations_of_motion.svg here. With --check it compares its drawing with the figure in
// examples/equations_of_motion, and fails if they differ by more than rounding.

#include <corio/corio.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "equations_of_motion/svg.hpp"

namespace {

using Eigen::MatrixXd, Eigen::Vector2d, Eigen::Vector3d, Eigen::VectorXd;
using Model = corio::Model<double>;
using Data = corio::Data<double>;

const char* const dark = "#334155";

/// The state in a step: the left leg and the right arm swing forward.
struct Motion {
  VectorXd q, v, a;
};
Motion step(const Model& model) {
  struct Joint {
    const char* name;
    double degrees, degrees_per_second;
  };
  constexpr Joint joints[] = {
      {"waist_yaw", 8, -60},
      {"waist_pitch", 6, 0},
      {"neck_pitch", -4, 0},
      {"left_hip_pitch", -38, -150},
      {"left_knee", 42, 190},
      {"left_ankle_pitch", -4, -40},
      {"right_hip_pitch", 18, 90},
      {"right_knee", 10, 20},
      {"right_ankle_pitch", -22, -90},
      {"left_shoulder_pitch", 34, 140},
      {"left_elbow", -32, -60},
      {"left_shoulder_roll", 10, 0},
      {"right_shoulder_pitch", -30, -140},
      {"right_elbow", -48, -80},
      {"right_shoulder_roll", -10, 0},
  };
  Motion motion{corio::neutral(model), VectorXd::Zero(model.nv()), VectorXd::Zero(model.nv())};
  constexpr double degree = 0.017453292519943295;
  for (const Joint& joint : joints) {
    motion.q[model.joint(joint.name).q_index()] = degree * joint.degrees;
    motion.v[model.joint(joint.name).v_index()] = degree * joint.degrees_per_second;
  }
  motion.v[model.joint("root_joint").v_index() + 3] = 1.2;  // m/s forward, in the axes of the pelvis
  motion.a = -6 * motion.v;
  return motion;
}

/// The view from the front, the left side and a little above.
Vector2d project(const Vector3d& p) {
  constexpr double scale = 185, azimuth = 0.95, elevation = 0.18;
  const double right = -std::sin(azimuth) * p.x() + std::cos(azimuth) * p.y();
  const double depth = std::cos(azimuth) * p.x() + std::sin(azimuth) * p.y();
  const double up = std::cos(elevation) * p.z() - std::sin(elevation) * depth;
  return {158 + scale * right, 218 - scale * up};
}

/// Draws every body from its joint to the joints that it carries; hands, feet and head to the frames at their ends.
std::string skeleton(const Model& model, const Data& data, const std::string& color, double width) {
  std::string drawn;
  const auto draw = [&](const Vector3d& from, const Vector3d& to, double mass) {
    drawn += drawing::line(project(from), project(to),
                           "stroke='" + color + "' stroke-width='" + drawing::text(width * std::cbrt(mass)) + "'");
  };
  for (const auto& body : model.bodies()) {
    if (body.parent() < 0) continue;
    const auto& parent = model.bodies()[static_cast<std::size_t>(body.parent())];
    draw(corio::body_pose(model, data, parent).translation, corio::body_pose(model, data, body).translation,
         model.inertia(parent).mass);
  }
  for (const auto& frame : model.frames())
    for (const auto& body : model.bodies())
      if (body.node() == frame.node())
        draw(corio::body_pose(model, data, body).translation, corio::body_pose(model, data, frame).translation,
             model.inertia(body).mass);
  return drawn;
}

std::string robot(const Model& model, Data& data, const Motion& motion) {
  std::string drawn = "<g stroke-linecap='round'>\n";
  const VectorXd before = corio::integrate(model, motion.q, -0.14 * motion.v);
  corio::forward_kinematics(model, data, before);
  drawn += skeleton(model, data, "#e2e8f0", 4.5);
  corio::forward_kinematics(model, data, motion.q, motion.v);
  drawn += skeleton(model, data, dark, 4.5);
  for (const auto& body : model.bodies()) {
    const auto inertia = model.inertia(body);
    if (inertia.mass < 0.75) continue;
    const corio::FramePoint<double> center(body, corio::ReferenceFrame::world_aligned, inertia.com);
    const Vector3d at = corio::body_pose(model, data, body).point(inertia.com);
    drawn += drawing::arrow(project(at), project(at + 0.14 * corio::body_velocity(model, data, center).linear),
                            "#0d9488", 1.6);
  }
  const Vector3d com = corio::center_of_mass(model, data);
  drawn += drawing::circle(project(com), 6, "fill='#f59e0b' stroke='white' stroke-width='1.5'");
  return drawn + "</g>\n";
}

/// The least of 1, 2, 5, 10, 20, .. that is not below x.
double round_up(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= x) return digit * power;
  return 10 * power;
}

/// Draws a row for each degree of freedom: the parts of its generalized force to the left or right of zero. Moments and
/// forces on the base and torques of joints have an axis each.
std::string bars(const MatrixXd& parts, const Vector2d& corner, double width, double row) {
  constexpr std::array colors{"#3b7fe0", "#dc4444", "#94a3b8"};
  const struct {
    Eigen::Index begin, size;
    const char* unit;
  } groups[] = {{0, 3, "N m"}, {3, 3, "N"}, {6, parts.rows() - 6, "N m"}};
  std::string drawn;
  const double middle = corner.x() + 0.5 * width;
  for (const auto& [begin, size, unit] : groups) {
    const auto rows = parts.middleRows(begin, size);
    const double largest =
        round_up(std::max(rows.cwiseMax(0).rowwise().sum().maxCoeff(), -rows.cwiseMin(0).rowwise().sum().minCoeff()));
    const double above = corner.y() + row * static_cast<double>(begin), below = above + row * static_cast<double>(size);
    for (const double x : {corner.x(), middle, corner.x() + width})
      drawn += drawing::line({x, above - 0.5}, {x, below - 1.7}, "stroke='#cbd5e1' stroke-width='1'");
    drawn += drawing::label({corner.x() + width + 6, std::min(above + 15, below - 4)},
                            "±" + drawing::text(largest) + " " + unit, "fill='#475569' font-size='12'");
    for (Eigen::Index i = begin; i < begin + size; ++i) {
      double ends[2] = {middle, middle};
      for (Eigen::Index part = 0; part < 3; ++part) {
        const double length = 0.5 * width * parts(i, part) / largest;
        double& end = ends[length > 0];
        const double left = std::min(end, end + length);
        if (std::abs(length) > 0.15)
          drawn += drawing::path(drawing::move_to({left, corner.y() + row * static_cast<double>(i)}) + "h" +
                                     drawing::text(std::abs(length)) + "v" + drawing::text(row - 1.2) + "h-" +
                                     drawing::text(std::abs(length)) + "z",
                                 "fill='" + std::string(colors[static_cast<std::size_t>(part)]) + "'");
        end += length;
      }
    }
  }
  return drawn;
}

/// Explains the arrows, the dot, the pale figure and the scale of the colours: |M_ij| and |C_ij| over
/// sqrt(M_ii M_jj), for C with the largest as 1.
std::string key(double x, double M_left, double C_left) {
  using drawing::label;
  constexpr double y = 416, metre_per_second = 0.14 * 185;
  const std::string gray = "fill='#475569' font-size='12'";
  std::string drawn = drawing::arrow({x, y - 4}, {x + metre_per_second, y - 4}, "#0d9488", 1.6) +
                      label({x + 31, y}, "1 m/s", gray) +
                      drawing::circle({x + 80, y - 4}, 5, "fill='#f59e0b' stroke='white' stroke-width='1.5'") +
                      label({x + 89, y}, "centre of mass", gray) +
                      drawing::line({x + 184, y - 4}, {x + 204, y - 4}, "stroke='#e2e8f0' stroke-width='7'") +
                      label({x + 209, y}, "0.14 s before", gray);
  // The shades of drawing::squares.
  constexpr std::pair<double, const char*> shares[] = {
      {0.5, "&gt; 0.35"}, {0.2, "&gt; 0.1"}, {0.05, "&gt; 0.02"}, {0.01, "&gt; 0"}};
  double at = M_left;
  for (const auto& [share, words] : shares) {
    drawn += drawing::squares(Eigen::RowVector2d(share, -share), {at, y - 9}, 9) + label({at + 22, y}, words, gray);
    at += 68;
  }
  drawn += label({C_left, y}, "of √(M_ii M_jj); C: of its largest share", gray);
  return drawn;
}

std::string figure(const Model& model) {
  using drawing::label;
  constexpr double top = 76, side = 7.2;
  const double height = side * model.nv();
  Data data(model);
  const Motion motion = step(model);
  std::string drawn =
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1130 430' font-family='Helvetica, Arial, sans-serif' "
      "font-size='13' fill='#0f172a'>\n<title>A humanoid in motion, its mass matrix M, its Coriolis matrix C, and the "
      "parts M a, C v and g of its torques</title>\n<rect width='1130' height='430' rx='10' fill='white'/>\n";
  drawn += robot(model, data, motion);

  const auto [C, M, Mdot] = corio::coriolis_matrix(model, data, motion.q, motion.v);
  const VectorXd& g = corio::generalized_gravity(model, data);
  const VectorXd root = M.diagonal().cwiseSqrt().cwiseInverse();
  const MatrixXd M_share = root.asDiagonal() * M * root.asDiagonal();
  MatrixXd C_share = root.asDiagonal() * C * root.asDiagonal();
  C_share /= C_share.cwiseAbs().maxCoeff();
  const double M_left = 344, C_left = M_left + height + 36, bars_left = C_left + height + 20;
  const auto heading = [&](double x, const char* bold, const char* words) {
    return label({x, 36}, bold, "font-weight='bold' font-size='16'") + label({x, 56}, words, "fill='#475569'");
  };
  drawn += heading(24, "q, v", "36 degrees of freedom, floating base");
  drawn += heading(M_left, "M(q)", "mass matrix");
  drawn += heading(C_left, "C(q, v)", "Coriolis matrix, dM/dt = C + Cᵀ");
  drawn += heading(bars_left, "τ = M a + C v + g", "");
  drawn += drawing::squares(M_share, {M_left, top}, side) + drawing::squares(C_share, {C_left, top}, side);

  MatrixXd parts(model.nv(), 3);
  parts << M * motion.a, C * motion.v, g;
  constexpr double width = 126;  // leaves 20 units to the right of the scales for wider fonts
  drawn += bars(parts, {bars_left, top}, width, side);
  constexpr std::pair<const char*, const char*> legend[] = {{"M a", "#3b7fe0"}, {"C v", "#dc4444"}, {"g", "#94a3b8"}};
  double x = bars_left;
  for (const auto& [name, color] : legend) {
    drawn += drawing::circle({x + 4, 52}, 4, "fill='" + std::string(color) + "'") + label({x + 12, 56.5}, name);
    x += 44;
  }

  drawn += key(24, M_left, C_left);

  // The rows by limbs, in the order of the tree.
  constexpr std::pair<const char*, const char*> limbs[] = {{"base", "root_joint"},
                                                           {"trunk", "waist_yaw"},
                                                           {"left arm", "left_shoulder_pitch"},
                                                           {"right arm", "right_shoulder_pitch"},
                                                           {"left leg", "left_hip_yaw"},
                                                           {"right leg", "right_hip_yaw"}};
  for (const auto& [name, first] : limbs) {
    const double y = top + side * model.joint(first).v_index();
    drawn += drawing::line({M_left - 68, y - 0.35}, {M_left - 6, y - 0.35}, "stroke='#cbd5e1' stroke-width='1'");
    drawn += label({M_left - 8, y + 13}, name, "text-anchor='end' fill='#475569'");
  }
  return drawn + "</svg>\n";
}

/// Returns whether two drawings differ only in numbers, by at most 0.05, the effect of rounding in the dynamics.
bool same(const std::string& a, const std::string& b) {
  // Skips the number at a place, if there is one.
  const auto read = [](const std::string& s, std::size_t i, double& x) {
    char* stop = nullptr;
    x = std::strtod(s.data() + i, &stop);
    return s[i] == ' ' || s[i] == '\n' ? i : static_cast<std::size_t>(stop - s.data());
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    double x = 0, y = 0;
    const std::size_t i_end = read(a, i, x), j_end = read(b, j, y);
    if (i_end > i && j_end > j) {
      if (std::abs(x - y) > 0.05) return false;
      i = i_end, j = j_end;
    } else if (a[i++] != b[j++]) {
      return false;
    }
  }
  return i == a.size() && j == b.size();
}

}  // namespace

int main(int argc, char** argv) {
  std::string file = "equations_of_motion.svg";
  bool check = false;
  for (int i = 1; i < argc; ++i) (argv[i] == std::string("--check") ? void(check = true) : void(file = argv[i]));
  const std::string drawn = figure(corio::zoo::humanoid());
  if (!check) return (std::ofstream(file) << drawn) ? 0 : 1;

  std::stringstream committed;
  committed << std::ifstream(CORIO_EXAMPLES_DIR "/equations_of_motion/equations_of_motion.svg").rdbuf();
  const bool kept = same(drawn, committed.str()) && drawn.size() < 100'000;
  std::cout << "the figure in examples/equations_of_motion is " << (kept ? "up to date" : "NOT up to date") << ", "
            << drawn.size() << " bytes\n";
  return kept ? 0 : 1;
}
