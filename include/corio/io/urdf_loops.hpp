#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "corio/io/urdf_elements.hpp"
#include "corio/model/builder.hpp"

namespace corio::inline CORIO_ABI::urdf::detail {

/// The conditions of a <loop> of URDF+ by its type.
inline closure::Conditions loop_conditions(const Element& loop, const Vector3<double>& axis, const std::string& who) {
  const std::string type = loop.required("type", who);
  if ((type == "revolute" || type == "continuous" || type == "prismatic") && !(dot(axis, axis) > 0.0))
    loop.fail({who, ": its axis is zero, expected a direction"});
  if (type == "revolute" || type == "continuous") return closure::Revolute{axis}.conditions();
  if (type == "prismatic") return closure::Prismatic{axis}.conditions();
  if (type == "spherical") return closure::Spherical{}.conditions();
  if (type == "fixed") return closure::Weld{}.conditions();
  loop.fail({who, ": type \"", brief(type), "\" is not known; it must be revolute, prismatic, spherical or fixed"});
}

/// Reads the loops and couplings of URDF+, once the tree is known.
class LoopReader {
 public:
  using Way = std::optional<std::vector<std::size_t>>;

  /// @param way_to     the joints on the path from the root to a link, nothing for a link that does not exist
  /// @param bodies     the bodies on these joints
  /// @param dependent  joints declared as not independent
  LoopReader(std::function<Way(const std::string&)> way_to, const std::vector<BodySpec<double>>& bodies,
             const std::set<std::string>& dependent, Notes& notes)
      : way_to_(std::move(way_to)), bodies_(bodies), dependent_(dependent), notes_(notes) {}

  /// @param frames  where the two frames of the loop are appended
  LoopSpec loop(const Element& e, std::vector<FrameSpec<double>>& frames) const {
    const std::string name = e.required("name", "a loop"), who = join({"loop ", excerpt(name)});
    Ends at = ends(e, who);
    const auto axis = e.child("axis", who);
    const auto conditions = loop_conditions(e, axis ? vector(*axis, "xyz", who) : Vector3<double>(1, 0, 0), who);
    const auto unused = [&](std::string frame) {
      while (way_to_(frame)) frame += '_';
      return frame;
    };
    LoopSpec loop{.name = name,
                  .first = unused(name + "_predecessor"),
                  .second = unused(name + "_successor"),
                  .conditions = conditions,
                  .dependent = std::move(at.dependent),
                  .line = e.line()};
    frames.push_back({loop.first, at.predecessor.link, at.predecessor.origin, e.line()});
    frames.push_back({loop.second, at.successor.link, at.successor.origin, e.line()});
    return loop;
  }
  LoopSpec coupling(const Element& e) const {
    const std::string name = e.required("name", "a coupling"), who = join({"coupling ", excerpt(name)});
    Ends at = ends(e, who);
    const double ratio = e.required_child("ratio", who).number("value", who);
    // More would make the time to read a file grow with the square of its size.
    constexpr std::size_t most = 1000;
    if (at.predecessor.joints.size() + at.successor.joints.size() > most)
      e.fail({who, ": it couples more than ", std::to_string(most), " joints"});
    LoopSpec coupling{.name = name, .dependent = std::move(at.dependent), .line = e.line()};
    const auto add = [&](const End& end, double factor) {
      for (const std::size_t i : end.joints)
        if (!bodies_[i].joint.chain.empty()) coupling.terms.push_back({bodies_[i].joint_name, factor});
    };
    add(at.successor, 1.0), add(at.predecessor, -ratio);
    return coupling;
  }

 private:
  /// A link at one end of a loop, with the joints on the path to it.
  struct End {
    std::string link;
    Pose<double> origin;
    std::vector<std::size_t> joints;
  };
  End end(const Element& loop, const char* role, const std::string& who) const {
    const Element e = loop.required_child(role, who);
    const std::string link = e.required("link", who);
    const Way way = way_to_(link);
    if (!way) e.fail({who, ": its ", role, " link ", excerpt(link), " is not in the file"});
    return {link, pose(e, who, notes_), *way};
  }
  /// Both ends, without their common joints, and the dependent ones of the others.
  struct Ends {
    End predecessor, successor;
    std::vector<std::string> dependent;
  };
  Ends ends(const Element& e, const std::string& who) const {
    Ends both{end(e, "predecessor", who), end(e, "successor", who), {}};
    auto &p = both.predecessor.joints, &s = both.successor.joints;
    const auto common = std::mismatch(p.begin(), p.end(), s.begin(), s.end());
    s.erase(s.begin(), common.second), p.erase(p.begin(), common.first);
    for (const auto* way : {&p, &s})
      for (const std::size_t i : *way)
        if (dependent_.contains(bodies_[i].joint_name)) both.dependent.push_back(bodies_[i].joint_name);
    return both;
  }

  std::function<Way(const std::string&)> way_to_;
  const std::vector<BodySpec<double>>& bodies_;
  const std::set<std::string>& dependent_;
  Notes& notes_;
};

}  // namespace corio::urdf::detail
