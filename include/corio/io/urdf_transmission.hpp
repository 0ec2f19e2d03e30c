#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corio/io/urdf_elements.hpp"

namespace corio::inline CORIO_ABI::urdf::detail {

using Names = std::array<std::string_view, 2>;
inline constexpr Names inertia_names{"rotorinertia", "motorinertia"},
    reduction_names{"mechanicalreduction", "gearratio"};

/// Whether a word is one of these names in any spelling: rotorInertia, rotor_inertia and drake:rotor_inertia.
inline bool is_one(std::string word, const Names& names) {
  word.erase(0, word.rfind(':') + 1);
  std::erase(word, '_');
  return std::any_of(names.begin(), names.end(), [&word](std::string_view n) {
    return std::equal(n.begin(), n.end(), word.begin(), word.end(),
                      [](char a, char b) { return a == b || (b >= 'A' && b <= 'Z' && a == b - 'A' + 'a'); });
  });
}
inline bool is_of_rotor(std::string_view word) {
  return is_one(std::string(word), inertia_names) || is_one(std::string(word), reduction_names);
}

/// A number below an element, in a child or attribute of one of these names.
inline std::optional<double> number_below(const Element& e, const Names& names, const std::string& who) {
  for (const Element& c : e.children())
    if (is_one(c.name(), names)) return c.attribute("value") ? c.number("value", who) : c.number_in_text(who);
  for (const std::string& key : e.attributes())
    if (is_one(key, names)) return e.number(key.c_str(), who);
  return std::nullopt;
}

/// The data of a <transmission>. URDF defines only the reduction; the inertia of the rotor is read from the places used
/// for several simulators.
struct Transmission {
  std::string who;
  std::vector<Element> joints;
  std::size_t actuators = 0;
  std::optional<double> rotor_inertia;
  double reduction = 1.0;  // the product of all
  int reductions = 0;      // number of those other than 1
};

inline Transmission read_transmission(const Element& e) {
  Transmission result{.who = join({"transmission ", excerpt(e.attribute("name").value_or(""))}),
                      .joints = e.children("joint"),
                      .rotor_inertia = {}};
  const auto actuators = e.children("actuator");
  result.actuators = actuators.size();
  std::vector<Element> places{e};
  for (const auto& all : {actuators, result.joints}) places.insert(places.end(), all.begin(), all.end());
  for (const Element& place : places)
    if (!result.rotor_inertia) result.rotor_inertia = number_below(place, inertia_names, result.who);
  if (!result.rotor_inertia) return result;
  if (*result.rotor_inertia < 0.0)
    e.fail({result.who, ": its rotor inertia is ", corio::detail::number(*result.rotor_inertia),
            ", must not be negative"});
  for (const Element& place : places)
    if (const auto n = number_below(place, reduction_names, result.who)) {
      result.reduction *= *n;
      if (*n != 1.0) ++result.reductions;
    }
  return result;
}

}  // namespace corio::urdf::detail
