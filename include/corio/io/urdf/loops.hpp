#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "corio/io/urdf/elements.hpp"
#include "corio/model/builder.hpp"

namespace corio { inline namespace CORIO_ABI { namespace urdf { namespace detail {

/// The conditions of a <loop> of URDF+ by its type.
inline closure::Conditions loop_conditions(const ElementView& loop, const Vector3<double>& axis,
                                           const std::string& owner) {
  const std::string type = loop.required("type", owner);
  if ((type == "revolute" || type == "continuous" || type == "prismatic") && !(dot(axis, axis) > 0.0))
    loop.fail({owner, ": its axis is zero, expected a direction"});
  if (type == "revolute" || type == "continuous") return closure::Revolute{axis}.conditions();
  if (type == "prismatic") return closure::Prismatic{axis}.conditions();
  if (type == "spherical") return closure::Spherical{}.conditions();
  if (type == "fixed") return closure::Weld{}.conditions();
  loop.fail({owner, ": type \"", brief(type), "\" is not known; it must be revolute, prismatic, spherical or fixed"});
}

/// Reads the loops and couplings of URDF+, once the tree is known.
class LoopReader {
 public:
  using Way = std::optional<std::vector<int>>;

  /// @param way_to     returns the joints on the path from the root to a link, or nothing if there is no such link
  /// @param bodies     the bodies on these joints
  /// @param dependent  joints declared as not independent
  LoopReader(std::function<Way(const std::string&)> way_to, const corio::detail::PerSpec<BodySpec<double>>& bodies,
             const corio::detail::Names& dependent, Notes& notes)
      : way_to_(std::move(way_to)), bodies_(bodies), dependent_(dependent), notes_(notes) {}

  /// @param frames  the two frames of the loop are appended to it
  LoopSpec loop(const ElementView& e, std::vector<FrameSpec<double>>& frames) const {
    const std::string name = e.required("name", "a loop"), owner = join({"loop ", excerpt(name)});
    Ends at = ends(e, owner);
    const auto axis = e.child("axis");
    const auto conditions = loop_conditions(e, axis ? vector(*axis, "xyz", owner) : Vector3<double>(1, 0, 0), owner);
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
  LoopSpec coupling(const ElementView& e) const {
    const std::string name = e.required("name", "a coupling"), owner = join({"coupling ", excerpt(name)});
    Ends at = ends(e, owner);
    const double ratio = e.required_child("ratio", owner).number("value", owner);
    // A bound, since the time to read a file would otherwise be quadratic in its size.
    constexpr std::size_t most = 1000;
    if (at.predecessor.joints.size() + at.successor.joints.size() > most)
      e.fail({owner, ": it couples more than ", corio::detail::Digits(most), " joints"});
    LoopSpec coupling{.name = name, .dependent = std::move(at.dependent), .line = e.line()};
    const auto add = [&](const End& end, double factor) {
      for (const int i : end.joints)
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
    std::vector<int> joints;
  };
  End end(const ElementView& loop, const char* role, const std::string& owner) const {
    const ElementView e = loop.required_child(role, owner);
    const std::string link = e.required("link", owner);
    const Way way = way_to_(link);
    if (!way) e.fail({owner, ": its ", role, " link ", excerpt(link), " is not in the file"});
    return {link, pose(e, owner, notes_), *way};
  }
  /// Both ends without the joints that the paths share, and which of the other joints are dependent.
  struct Ends {
    End predecessor, successor;
    std::vector<std::string> dependent;
  };
  Ends ends(const ElementView& e, const std::string& owner) const {
    Ends both{end(e, "predecessor", owner), end(e, "successor", owner), {}};
    auto &p = both.predecessor.joints, &s = both.successor.joints;
    const auto common = std::mismatch(p.begin(), p.end(), s.begin(), s.end());
    s.erase(s.begin(), common.second), p.erase(p.begin(), common.first);
    for (const auto* way : {&p, &s})
      for (const int i : *way)
        if (dependent_.contains(bodies_[i].joint_name)) both.dependent.push_back(bodies_[i].joint_name);
    return both;
  }

  std::function<Way(const std::string&)> way_to_;
  const corio::detail::PerSpec<BodySpec<double>>& bodies_;
  const corio::detail::Names& dependent_;
  Notes& notes_;
};

}}}}  // namespace corio::urdf::detail
