#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

/// Elements of an SVG drawing, as text.
namespace drawing {

using Eigen::Vector2d;

/// A number with at most two digits after the point, without trailing zeros.
inline std::string text(double x) {
  char digits[400];  // enough for the largest number
  char* const end =
      std::to_chars(digits, digits + sizeof digits, std::abs(x) < 5e-3 ? 0.0 : x, std::chars_format::fixed, 2).ptr;
  std::string result(digits, end);
  result.erase(result.find_last_not_of('0') + 1);
  if (result.back() == '.') result.pop_back();
  return result;
}
inline std::string text(const Vector2d& p) { return text(p.x()) + ' ' + text(p.y()); }
/// The first command of a path. (GCC 12 warns of "M" + text(p), in its own header.)
inline std::string move_to(const Vector2d& p) { return std::string("M").append(text(p)); }

inline std::string path(const std::string& d, const std::string& attributes) {
  return "<path d='" + d + "' " + attributes + "/>\n";
}
inline std::string line(const Vector2d& from, const Vector2d& to, const std::string& attributes) {
  return path(move_to(from) + "L" + text(to), attributes);
}
inline std::string circle(const Vector2d& center, double radius, const std::string& attributes) {
  return "<circle cx='" + text(center.x()) + "' cy='" + text(center.y()) + "' r='" + text(radius) + "' " + attributes +
         "/>\n";
}
inline std::string label(const Vector2d& at, const std::string& words, const std::string& attributes = "") {
  return "<text x='" + text(at.x()) + "' y='" + text(at.y()) + "' " + attributes + ">" + words + "</text>\n";
}
/// An arrow whose head is as long as its shaft allows; an empty text if it would be too short to be seen.
inline std::string arrow(const Vector2d& from, const Vector2d& to, const std::string& color, double width) {
  const double length = (to - from).norm(), head = std::min(7.0, 0.5 * length);
  if (length < 4) return "";
  const Vector2d along = (to - from) / length, across{-along.y(), along.x()}, neck = to - head * along;
  return line(from, neck, "stroke='" + color + "' stroke-width='" + text(width) + "'") +
         path(move_to(to) + "L" + text(neck + 0.4 * head * across) + "L" + text(neck - 0.4 * head * across) + "Z",
              "fill='" + color + "'");
}

/// The entries of a matrix as squares, blue where they are positive and red where they are negative, in four shades by
/// their share of 1. Entries that are zero up to rounding stay empty. All squares of one shade are one path.
inline std::string squares(const Eigen::MatrixXd& share, const Vector2d& corner, double side) {
  constexpr std::array shades{"#bfdbfe", "#7fb2f5", "#3b7fe0", "#173f92", "#fecaca", "#f79a9a", "#dc4444", "#8f1616"};
  std::array<std::string, 8> all;
  for (Eigen::Index i = 0; i < share.rows(); ++i)
    for (Eigen::Index j = 0; j < share.cols(); ++j) {
      const double x = share(i, j), size = std::abs(x);
      if (size < 1e-9) continue;
      const std::size_t shade = (size > 0.02) + (size > 0.1) + (size > 0.35) + (x < 0 ? 4u : 0u);
      const Vector2d at = corner + side * Vector2d(static_cast<double>(j), static_cast<double>(i));
      const std::string edge = text(side - 0.7);
      all[shade] += move_to(at) + "h" + edge + "v" + edge + "h-" + edge + "z";
    }
  std::string drawn;
  for (std::size_t shade = 0; shade < all.size(); ++shade)
    if (!all[shade].empty()) drawn += path(all[shade], "fill='" + std::string(shades[shade]) + "'");
  return drawn;
}

}  // namespace drawing
