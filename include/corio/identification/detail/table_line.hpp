#pragma once

#include <algorithm>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corio/core/detail/number.hpp"
#include "corio/core/scalar.hpp"

/// The lines of a table of numbers: their separators, fields and numbers.
namespace corio { inline namespace CORIO_ABI { namespace detail {

/// Returns the fields of a line without blanks and quotation marks around them. Separator ' ' stands for any blanks.
inline std::vector<std::string> fields_of(std::string_view line, char separator) {
  std::vector<std::string> fields;
  const auto add = [&](std::string_view field) {
    const auto begin = field.find_first_not_of(" \t\r\""), end = field.find_last_not_of(" \t\r\"");
    fields.emplace_back(begin == field.npos ? "" : field.substr(begin, end - begin + 1));
  };
  if (separator == ' ') {
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t\r", at)) != line.npos;) {
      const std::size_t end = (std::min)(line.find_first_of(" \t\r", at), line.size());
      add(line.substr(at, end - at));
      at = end;
    }
    return fields;
  }
  for (std::size_t at = 0;; ++at) {
    const std::size_t end = (std::min)(line.find(separator, at), line.size());
    add(line.substr(at, end - at));
    at = end;
    if (at == line.size()) return fields;
  }
}

/// Returns a field as a number, NaN if the field is empty, nothing if it is text. @param comma  whether the decimal
/// point may be one
inline std::optional<double> number_of_field(std::string_view field, bool comma) {
  if (field.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (field.starts_with('+')) field.remove_prefix(1);
  if (const auto at = field.find(','); comma && at != field.npos) {
    std::string with_point(field);
    with_point[at] = '.';
    return read_number<double>(with_point);
  }
  return read_number<double>(field);
}

/// A line of a table, split at the separator that yields the most numbers; if several do, at the first of tabs,
/// semicolons, commas and blanks.
struct TableLine {
  int number;        // number of the line in the file, from 1 on
  bool is_comment;   // # or % at its beginning, which is not part of the fields
  std::string text;  // the line without that mark
  char separator = ' ';
  std::vector<std::string> fields{};
  std::size_t numbers = 0;

  void split(char by) {
    separator = by, fields = fields_of(text, by), numbers = 0;
    for (const auto& field : fields) numbers += !field.empty() && number_of_field(field, by != ',').has_value();
  }
  void split() {
    TableLine best = *this;
    best.split(' ');
    for (const char by : {',', ';', '\t'})
      if (text.find(by) != text.npos) {
        split(by);
        if (numbers >= best.numbers) best = *this;
      }
    *this = best;
  }
  /// Returns whether the first field that is not empty is a number.
  bool begins_with_number() const {
    const auto first = std::ranges::find_if(fields, [](const auto& field) { return !field.empty(); });
    return first != fields.end() && number_of_field(*first, separator != ',').has_value();
  }
};

/// Units of one quantity that have one size, in SI units.
struct Unit {
  enum Quantity { motion, effort, current, other };  // motion: positions, their rates and times
  std::string_view names;                            // with blanks around each
  double size;
  Quantity quantity;
};

/// Returns the unit of this name, which may have blanks, dots or stars in it; null if it is unknown.
inline const Unit* find_unit(std::string name) {
  constexpr double turn = 2 * std::numbers::pi;
  static constexpr Unit units[] = {{" s sec rad rad/s m m/s ", 1, Unit::motion},
                                   {" cm cm/s ", 1e-2, Unit::motion},
                                   {" ms mrad mrad/s mm mm/s ", 1e-3, Unit::motion},
                                   {" us ", 1e-6, Unit::motion},
                                   {" ns ", 1e-9, Unit::motion},
                                   {" deg ", turn / 360, Unit::motion},
                                   {" rpm RPM 1/min rev/min r/min min^-1 ", turn / 60, Unit::motion},
                                   {" rps rev rev/s turns turns/s ", turn, Unit::motion},
                                   {" N Nm ", 1, Unit::effort},
                                   {" kN kNm ", 1e3, Unit::effort},
                                   {" mN mNm Nmm ", 1e-3, Unit::effort},
                                   {" Ncm cNm ", 1e-2, Unit::effort},
                                   {" A Arms Ampere ", 1, Unit::current},
                                   {" mA ", 1e-3, Unit::current},
                                   {" kA ", 1e3, Unit::current},
                                   {" V mV % counts ticks rad/s2 rad/s^2 ", 1, Unit::other}};
  std::erase_if(name, [](char c) { return std::string_view(" *.\xC2\xB7").find(c) != std::string_view::npos; });
  if (name.starts_with("deg") || name.starts_with('\xB0')) name = "deg";
  const auto* found =
      std::ranges::find_if(units, [&](const Unit& unit) { return unit.names.find(" " + name + " ") != name.npos; });
  return found == std::end(units) ? nullptr : found;
}

/// Returns whether a field below a name is its unit.
inline bool is_unit(std::string_view field) {
  if (field.starts_with('[') || field.starts_with('(')) field = field.substr(1, field.size() - 2);
  return field.empty() || field == "-" || field == "1" || find_unit(std::string(field));
}

}}}  // namespace corio::detail
