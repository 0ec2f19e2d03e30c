#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corio/io/urdf/elements.hpp"

namespace corio { inline namespace CORIO_ABI { namespace urdf { namespace detail {

using Names = std::array<std::string_view, 2>;
inline constexpr Names inertia_names{"rotorinertia", "motorinertia"},
    reduction_names{"mechanicalreduction", "gearratio"};

/// Returns whether a word is one of these names in any spelling, such as rotorInertia, rotor_inertia or
/// drake:rotor_inertia.
inline bool is_one(std::string word, const Names& names) {
  word.erase(0, word.rfind(':') + 1);
  std::erase(word, '_');
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return word == names[0] || word == names[1];
}
inline bool is_of_rotor(std::string_view word) {
  return is_one(std::string(word), inertia_names) || is_one(std::string(word), reduction_names);
}

/// A number below an element, in a child or attribute of one of these names.
inline std::optional<double> number_below(const ElementView& e, const Names& names, const std::string& owner) {
  for (const ElementView& c : e.children())
    if (is_one(c.name(), names)) return c.attribute("value") ? c.number("value", owner) : c.number_in_text(owner);
  for (const std::string& key : e.attributes())
    if (is_one(key, names)) return e.number(key.c_str(), owner);
  return std::nullopt;
}

/// The data of a <transmission>. URDF defines only the reduction; the inertia of the rotor is read from the elements
/// that several simulators use.
struct Transmission {
  std::string owner;
  xml::Elements joints;
  int actuators = 0;
  std::optional<double> rotor_inertia;
  double reduction = 1.0;  // the product of all reductions
  int reductions = 0;      // number of reductions other than 1
};

inline Transmission read_transmission(const ElementView& e) {
  Transmission result{.owner = join({"transmission ", excerpt(e.attribute("name").value_or(""))}),
                      .joints = e.children("joint"),
                      .rotor_inertia = {}};
  const auto actuators = e.children("actuator");
  result.actuators = actuators.size();
  xml::Elements places(1, e);
  for (const ElementView& actuator : actuators) places.push_back(actuator);
  for (const ElementView& joint : result.joints) places.push_back(joint);
  for (const ElementView& place : places)
    if (!result.rotor_inertia) result.rotor_inertia = number_below(place, inertia_names, result.owner);
  if (!result.rotor_inertia) return result;
  if (*result.rotor_inertia < 0.0)
    e.fail({result.owner, ": its rotor inertia is ", corio::detail::number(*result.rotor_inertia),
            ", must not be negative"});
  for (const ElementView& place : places)
    if (const auto n = number_below(place, reduction_names, result.owner)) {
      result.reduction *= *n;
      if (*n != 1.0) ++result.reductions;
    }
  return result;
}

}}}}  // namespace corio::urdf::detail
