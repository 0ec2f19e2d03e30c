#pragma once

#include "fit.hpp"

namespace identify {

inline std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}
inline std::string rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

/// A figure as SVG: axes, and points or lines of some series, with their labels beside them.
class Figure {
 public:
  Figure(std::string title, std::string x, std::string y, bool logarithmic = false)
      : title_(std::move(title)), x_(std::move(x)), y_(std::move(y)), logarithmic_(logarithmic) {}

  /// Draws at most some thousand points of a series.
  void add(const std::string& label, const char* colour, const Vector& x, const Vector& y, bool points = false) {
    series_.push_back({label, colour, x, logarithmic_ ? Vector(y.cwiseMax(1e-12).array().log10()) : y, points});
  }

  void write(std::ostream& out) const {
    double left = 1e300, right = -1e300, low = 1e300, high = -1e300;
    for (const auto& s : series_) {
      if (s.x.size() == 0) continue;
      left = std::min(left, s.x.minCoeff()), right = std::max(right, s.x.maxCoeff());
      low = std::min(low, s.y.minCoeff()), high = std::max(high, s.y.maxCoeff());
    }
    if (logarithmic_) low = std::floor(low), high = std::ceil(high);
    if (!(right > left)) right = left + 1;
    if (!(high > low)) high = low + 1;
    const auto px = [&](double x) { return 60 + (x - left) / (right - left) * 440; };
    const auto py = [&](double y) { return 210 - (y - low) / (high - low) * 170; };
    out << "<svg viewBox='0 0 640 250' width='640'><text x='60' y='18' class='t'>" << escaped(title_) << "</text>"
        << "<path d='M60 40V210H500' class='a'/>";
    for (const double x : ticks(left, right, 0))
      out << "<path d='M" << px(x) << " 210v4' class='a'/><text x='" << px(x) << "' y='226' text-anchor='middle'>"
          << rounded(x) << "</text>";
    for (const double y : ticks(low, high, logarithmic_ ? 1 : 0))
      out << "<path d='M60 " << py(y) << "h-4' class='a'/><text x='54' y='" << py(y) + 4 << "' text-anchor='end'>"
          << rounded(logarithmic_ ? std::pow(10, y) : y) << "</text>";
    out << "<text x='280' y='244' text-anchor='middle'>" << escaped(x_) << "</text><text x='60' y='34'>" << escaped(y_)
        << "</text>";
    double label_at = 50;
    for (const auto& s : series_) {
      const Eigen::Index stride = 1 + s.x.size() / 1500;
      if (s.points)
        for (Eigen::Index i = 0; i < s.x.size(); i += stride)
          out << "<circle cx='" << px(s.x[i]) << "' cy='" << py(s.y[i]) << "' r='1.3' fill='" << s.colour << "'/>";
      else {
        out << "<polyline fill='none' stroke='" << s.colour << "' points='";
        for (Eigen::Index i = 0; i < s.x.size(); i += stride) out << px(s.x[i]) << ',' << py(s.y[i]) << ' ';
        out << "'/>";
      }
      // Each label is beside the end of its curve, or below the previous label.
      label_at = std::max(label_at + 14, s.points || s.y.size() == 0 ? 0 : py(s.y[s.y.size() - 1]) + 4);
      out << "<text x='506' y='" << label_at << "' fill='" << s.colour << "'>" << escaped(s.label) << "</text>";
    }
    out << "</svg>\n";
  }

 private:
  /// Multiples of 1, 2 or 5 times a power of ten, at least `least`, between two numbers: three to six of them.
  static std::vector<double> ticks(double from, double to, double least) {
    double step = std::pow(10, std::floor(std::log10((to - from) / 3)));
    for (const double times : {5, 2})
      if (times * step <= (to - from) / 3) {
        step *= times;
        break;
      }
    step = std::max(step, least);
    std::vector<double> all;
    for (double i = std::ceil(from / step); i * step <= to; ++i) all.push_back(i == 0 ? 0 : i * step);
    return all;
  }
  struct Series {
    std::string label;
    const char* colour;
    Vector x, y;
    bool points;
  };
  std::string title_, x_, y_;
  bool logarithmic_;
  std::vector<Series> series_;
};

/// The amplitude spectrum of a signal with the sample time dt, at frequencies up to half of the rate, by a window of
/// Hann: the root of the power density, N m / sqrt(Hz).
inline std::pair<Vector, Vector> spectrum(const Vector& x, double dt) {
  const Eigen::Index n = x.size(), m = std::min<Eigen::Index>(n / 2, 150);
  const auto turns = static_cast<double>(n), most = 1 / (2 * dt);
  const Eigen::ArrayXd index = Eigen::ArrayXd::LinSpaced(n, 0, turns - 1),
                       window = 0.5 - 0.5 * (2 * std::numbers::pi / turns * index).cos();
  const Vector f = Vector::LinSpaced(m, most / static_cast<double>(m), most);
  return {f, f.unaryExpr([&](double frequency) {
            const Eigen::ArrayXd phase = 2 * std::numbers::pi * frequency * dt * index, y = window * x.array();
            return std::sqrt(2 * dt / window.square().sum()) *
                   std::hypot((y * phase.cos()).sum(), (y * phase.sin()).sum());
          })};
}

/// Writes notes on the robot and its recordings, a table of errors, and for each joint measured and predicted torques,
/// the residual against speed with the identified friction, and its spectrum; then the accuracy of base parameters.
inline void write_page(std::ostream& out, const std::string& notes, const corio::Model<double>& model,
                       const Samples& held_out, const Matrix& predicted, const Found& found, const BaseEstimate* base) {
  out << R"(<!doctype html><meta charset='utf-8'><title>Identification</title><style>
body{font:15px sans-serif;margin:2em} svg{display:block} pre{white-space:pre-wrap} text{font:11px sans-serif}
.t{font-size:14px;font-weight:bold} .a{fill:none;stroke:#000} td,th{text-align:right;padding:0 1em}
</style><h1>Identification of )"
      << escaped(model.name()) << "</h1>\n<pre>" << escaped(notes) << "</pre>\n";
  const Matrix errors = held_out.tau - predicted;
  const Vector size = rms(held_out.tau), left = rms(errors);
  const std::vector<bool> turns = corio::detail::find_angles(model);
  const auto joint = [&](int k) { return escaped(corio::detail::joint_of_dof(model, k)); };
  const auto effort = [&](int k) { return turns[static_cast<std::size_t>(k)] ? "N m" : "N"; };
  out << "<h2>Samples that were predicted</h2><p>Root mean squares over " << held_out.t.size()
      << " samples.</p><table><tr><th>joint<th>measured<th>error<th>unit<th>per cent</tr>\n";
  for (int k = 0; k < model.nv(); ++k)
    out << "<tr><td>" << joint(k) << "<td>" << rounded(size[k]) << "<td>" << rounded(left[k]) << "<td>" << effort(k)
        << "<td>" << rounded(100 * left[k] / size[k]) << "</tr>\n";
  out << "</table>\n";
  for (int k = 0; k < model.nv(); ++k) {
    out << "<h2>" << joint(k) << "</h2>\n";
    const std::string unit = effort(k), rate = turns[static_cast<std::size_t>(k)] ? "rad/s" : "m/s";
    Figure torque("Force or torque", "time [s]", unit);
    torque.add("measured", "#808080", held_out.t, held_out.tau.row(k));
    torque.add("predicted", "#1f5fa8", held_out.t, predicted.row(k));
    torque.add("difference", "#c8540a", held_out.t, errors.row(k));
    torque.write(out);
    // The measured friction is the residual plus the predicted friction.
    const auto p = joint_parameters_of(model, found.p, k);
    const auto friction = [&](double v) {
      return std::ssize(found.friction) > k ? found.friction[static_cast<std::size_t>(k)](v)
                                            : p[1] * v + p[2] * std::tanh(v / found.smoothing) + p[3];
    };
    const Vector v = held_out.v.row(k), model_friction = v.unaryExpr(friction);
    Figure speed("Force or torque that bodies do not explain, against speed", "speed [" + rate + "]", unit);
    speed.add("measured", "#808080", v, errors.row(k).transpose() + model_friction, true);
    const Vector grid = Vector::LinSpaced(400, v.minCoeff(), v.maxCoeff());
    speed.add("friction found", "#1f5fa8", grid, grid.unaryExpr(friction));
    speed.write(out);
    const double dt = (held_out.t.tail(held_out.t.size() - 1) - held_out.t.head(held_out.t.size() - 1)).minCoeff();
    if (dt > 0) {
      Figure density("Spectrum", "frequency [Hz]", unit + " / sqrt(Hz)", true);
      const auto [f, of_torque] = spectrum(held_out.tau.row(k), dt);
      density.add("measured", "#808080", f, of_torque);
      density.add("difference", "#c8540a", f, spectrum(errors.row(k), dt).second);
      density.write(out);
    }
  }
  if (!base) return;
  const auto names = names_of_parameters(model), texts = base->base.describe(names);
  const Vector sd = base->found.standard_deviation(1.0);
  out << "<h2>Base parameters</h2><p>Condition number " << rounded(base->found.condition)
      << ". A parameter whose standard deviation is larger than itself is not known.</p><table><tr><th>value<th>"
         "standard deviation<th>per cent<th style='text-align:left'>combination</tr>\n";
  for (int i = 0; i < base->base.size(); ++i)
    out << "<tr><td>" << rounded(base->found.beta[i]) << "<td>" << rounded(sd[i]) << "<td>"
        << rounded(100 * sd[i] / std::abs(base->found.beta[i])) << "<td style='text-align:left'>"
        << escaped(texts[static_cast<std::size_t>(i)]) << "</tr>\n";
  out << "</table>\n";
}

}  // namespace identify
