#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "corio/core/error.hpp"

/// Writes numbers and texts as JSON for a page.
namespace report::json {

/// Writes a number; null if it is not finite.
inline std::string number(double x) { return std::isfinite(x) ? corio::detail::number(x) : "null"; }
/// Writes a text in quotes, without the brackets of HTML, so that a page can contain it.
inline std::string text(std::string_view x) {
  std::string out = "\"";
  for (const char c : x) {
    char code[8];
    std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned char>(c));
    const bool plain = static_cast<unsigned char>(c) >= 32 && c != '"' && c != '\\' && c != '<' && c != '>' && c != '&';
    out += plain ? std::string(1, c) : code;
  }
  return out + '"';
}
/// Writes the array [f(0), f(1), ...] of values that are JSON already.
template <class F>
std::string list(Eigen::Index size, F&& f) {
  std::string out = "[";
  for (Eigen::Index i = 0; i < size; ++i) {
    if (i > 0) out += ',';
    out += f(i);
  }
  out += ']';
  return out;
}
template <class Derived>
std::string numbers(const Eigen::MatrixBase<Derived>& x) {
  return list(x.size(), [&](Eigen::Index i) { return number(static_cast<double>(x(i))); });
}
inline std::string array(std::initializer_list<std::string> values) {
  return list(std::ssize(values), [&](Eigen::Index i) { return values.begin()[i]; });
}
inline std::string object(std::initializer_list<std::pair<const char*, std::string>> members) {
  std::string out = "{";
  for (const auto& [name, value] : members) {
    if (out.size() > 1) out += ',';
    out += text(name);
    out += ':';
    out += value;
  }
  out += '}';
  return out;
}

}  // namespace report::json
