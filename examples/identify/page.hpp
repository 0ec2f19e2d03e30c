#pragma once

#include "fit.hpp"

namespace identify {

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

  static std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
    return out;
  }
  static std::string rounded(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", x);
    return text;
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

/// The amplitude spectrum of a signal with the sample time dt, at frequencies up to half of the rate, averaged over
/// windows of Hann: the root of the power density, N m / sqrt(Hz).
inline std::pair<Vector, Vector> spectrum(const Vector& x, double dt) {
  const Eigen::Index n = x.size(), m = std::min<Eigen::Index>(n / 2, 150);
  Vector f(m), density(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    f[k] = static_cast<double>(k + 1) / (2 * dt * static_cast<double>(m));
    double c = 0, s = 0, window = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double w = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n));
      const double phase = 2 * std::numbers::pi * f[k] * dt * static_cast<double>(i);
      c += w * x[i] * std::cos(phase), s += w * x[i] * std::sin(phase), window += w * w;
    }
    density[k] = std::sqrt(2 * dt * (c * c + s * s) / window);
  }
  return {f, density};
}

/// Writes notes on the robot and its recordings, a table of errors, and for each joint measured and predicted torques,
/// the residual against speed with the identified friction, and its spectrum; then the accuracy of base parameters.
inline void write_page(std::ostream& out, const std::string& notes, const corio::Model<double>& model,
                       const Samples& held_out, const Matrix& predicted, const Found& found, const BaseEstimate* base) {
  out << "<!doctype html><meta charset='utf-8'><title>Identification</title><style>body{font:15px "
         "sans-serif;margin:2em}"
         "svg{display:block}pre{white-space:pre-wrap}text{font:11px "
         "sans-serif}.t{font-size:14px;font-weight:bold}.a{fill:none;stroke:#000}"
         "td,th{text-align:right;padding:0 1em}</style><h1>Identification of "
      << Figure::escaped(model.name()) << "</h1>\n<pre>" << Figure::escaped(notes) << "</pre>\n";
  const Matrix errors = held_out.tau - predicted;
  const std::vector<bool> turns = corio::detail::find_angles(model);
  const auto effort = [&](int k) { return turns[static_cast<std::size_t>(k)] ? "N m" : "N"; };
  out << "<h2>Samples that were predicted</h2><p>Root mean squares over " << held_out.t.size()
      << " samples.</p><table><tr><th>joint<th>measured<th>error<th>unit<th>per cent</tr>\n";
  for (int k = 0; k < model.nv(); ++k)
    out << "<tr><td>" << Figure::escaped(corio::detail::joint_of_dof(model, k)) << "<td>"
        << Figure::rounded(rms(held_out.tau)[k]) << "<td>" << Figure::rounded(rms(errors)[k]) << "<td>" << effort(k)
        << "<td>" << Figure::rounded(100 * rms(errors)[k] / rms(held_out.tau)[k]) << "</tr>\n";
  out << "</table>\n";
  for (int k = 0; k < model.nv(); ++k) {
    const std::string joint = model.joint_of_node(model.node_of(k)).name();
    out << "<h2>" << Figure::escaped(joint) << "</h2>\n";
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
  out << "<h2>Base parameters</h2><p>Condition number " << Figure::rounded(base->found.condition)
      << ". A parameter whose standard deviation is larger than itself is not "
         "known.</p><table><tr><th>value<th>standard "
         "deviation<th>per cent<th style='text-align:left'>combination</tr>\n";
  for (int i = 0; i < base->base.size(); ++i)
    out << "<tr><td>" << Figure::rounded(base->found.beta[i]) << "<td>" << Figure::rounded(sd[i]) << "<td>"
        << Figure::rounded(100 * sd[i] / std::abs(base->found.beta[i])) << "<td style='text-align:left'>"
        << Figure::escaped(texts[static_cast<std::size_t>(i)]) << "</tr>\n";
  out << "</table>\n";
}

}  // namespace identify
