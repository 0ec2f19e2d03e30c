#pragma once

#include <algorithm>
#include <ostream>

#include "corio/model/joint_geometry.hpp"

/// Descriptions of models as text: a table of the whole tree, and a line for each of its parts.
namespace corio { inline namespace CORIO_ABI {
namespace detail {

/// Writes a range of indices as "3" or "3..5".
inline std::string index_range(int begin, int size) {
  return size == 1 ? std::to_string(begin) : join({std::to_string(begin), "..", std::to_string(begin + size - 1)});
}

/// Writes a vector as "(1, 0, 0.5)" with rounding errors of zeros removed.
template <class S>
std::string text(const Vector3<S>& x) {
  const auto at = [&](int i) { return number(std::abs(value_of(x[i])) < 1e-12 ? 0.0 : value_of(x[i])); };
  return join({"(", at(0), ", ", at(1), ", ", at(2), ")"});
}

/// Writes the limits of a joint as an interval for each coordinate, "[-1, 2] [-1, 1]"; "" if it has no limits.
inline std::string text(const VectorX<double>& lower, const VectorX<double>& upper, int begin, int size) {
  std::string intervals;
  bool limited = false;
  for (int i = begin; i < begin + size; ++i) {
    limited = limited || std::isfinite(lower[i]) || std::isfinite(upper[i]);
    intervals += join({i > begin ? " [" : "[", number(lower[i]), ", ", number(upper[i]), "]"});
  }
  return limited ? intervals : "";
}
/// Writes the limits of a joint as a number for each degree of freedom, "3 4"; "" if it has no limits.
inline std::string text(const VectorX<double>& limit, int begin, int size) {
  std::string numbers;
  bool limited = false;
  for (int k = begin; k < begin + size; ++k) {
    limited = limited || std::isfinite(limit[k]);
    numbers += join({k > begin ? " " : "", number(limit[k])});
  }
  return limited ? numbers : "";
}

/// Writes a table of words with two blanks between columns.
inline std::string aligned(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize((std::max)(widths.size(), row.size()));
    for (auto width = widths.begin(); const std::string& word : row) *width = (std::max)(*width, word.size()), ++width;
  }
  std::string table;
  for (const auto& row : rows) {
    std::string line;
    for (auto width = widths.begin(); const std::string& word : row)
      line += word + std::string(*width++ + 2 - word.size(), ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

}  // namespace detail

/// A description in one line: a model with its sizes, a joint with its indices, a body or frame with its parent.
template <class S>
std::string summary(const Model<S>& model) {
  return detail::join({"model '", model.name(), "': bodies ", std::to_string(model.bodies().size()), ", frames ",
                       std::to_string(model.frames().size()), ", nq ", std::to_string(model.nq()), ", nv ",
                       std::to_string(model.nv()), ", mass ", detail::number(value_of(model.total_mass())), " kg"});
}
inline std::string summary(const Joint& joint) {
  return detail::join({"joint '", joint.name(), "' (", joint.type(), "): q ",
                       detail::index_range(joint.q_index(), joint.nq()), ", v ",
                       detail::index_range(joint.v_index(), joint.nv())});
}
template <class S>
std::string summary(const Frame<S>& frame) {
  return detail::join({"frame '", frame.name(), "' on ",
                       frame.node() < 0 ? "the ground" : detail::join({"node ", std::to_string(frame.node())})});
}
template <class S>
std::string summary(const Body<S>& body) {
  return detail::join({"body '", body.name(), "', number ", std::to_string(body.index()), ", on ",
                       body.parent() < 0 ? "the ground" : detail::join({"body ", std::to_string(body.parent())})});
}

/// Writes the summary of a joint, body or frame.
template <class T>
requires requires(const T& t) { summary(t); }
std::ostream& operator<<(std::ostream& out, const T& t) { return out << summary(t); }

/// Writes notes, one in each line; equal notes on elements of one kind share a line, which names the first four: "lines
/// 3, 7: joint 'a', 'b': found; advice", "lines 3, 7, 8, 9, ..: joint 'a', 'b', 'c', 'd' and 26 others: found".
inline std::string describe(const std::vector<Note>& notes) {
  const auto kind = [](const Note& note) { return std::string_view(note.element).substr(0, note.element.find('\'')); };
  std::vector<const Note*> left;
  for (const Note& note : notes) left.push_back(&note);
  std::string all;
  while (!left.empty()) {
    Note shared = *left.front();
    std::vector<const Note*> group, rest;
    for (const Note* note : left)
      (kind(*note) == kind(*left.front()) && note->found == shared.found && note->advice == shared.advice ? group
                                                                                                          : rest)
          .push_back(note);
    left.swap(rest);
    const bool named = shared.element.find('\'') != std::string::npos;
    const std::size_t listed = named ? (std::min<std::size_t>)(group.size(), 4) : 1, others = group.size() - listed;
    std::string lines = std::to_string(shared.line);
    bool one_line = true;
    for (std::size_t i = 1; i < listed; ++i) {
      const std::string_view element = group[i]->element;
      shared.element += detail::join({", ", element.substr(element.find('\''))});
      if (group[i]->line == group[i - 1]->line) continue;
      one_line = false;
      lines += detail::join({", ", std::to_string(group[i]->line)});
    }
    if (others > 0) {
      shared.element += detail::join({" and ", std::to_string(others), others == 1 ? " other" : " others"});
      for (const Note* note : group) one_line = one_line && note->line == shared.line;
      if (!one_line) lines += ", ..";
    }
    if (!one_line && std::exchange(shared.line, 0) > 0) all += "lines " + lines + ": ";
    all += to_string(shared) + "\n";
  }
  return all;
}

/// The coordinates that violate their limits at the neutral configuration, a line each: "joint 'elbow': q[3] is 0 at
/// neutral, outside its limits [-3, -0.1]"; empty if no coordinate does. If the text is not empty, do not start a
/// motion at neutral.
template <class S>
std::string describe_neutral(const Model<S>& model) {
  VectorX<S> q(model.nq());
  for (const Node<S>& node : model.nodes())
    node.joint.visit([&](const auto& joint) { joint.neutral(&q[node.q_begin]); });
  std::string all;
  for (const Joint& joint : model.joints())
    for (int i = joint.q_index(); i < joint.q_index() + joint.nq(); ++i) {
      const double x = value_of(q[i]), lower = model.lower_limit()[i], upper = model.upper_limit()[i];
      if (lower <= x && x <= upper) continue;
      all += detail::join({"joint '", joint.name(), "': q[", std::to_string(i), "] is ", detail::number(x),
                           " at neutral, outside its limits [", detail::number(lower), ", ", detail::number(upper),
                           "]\n"});
    }
  return all;
}

/// The tree as a table. Each moving body is indented under its parent, with its joint, type, axis, indices of q and v,
/// mass including welded bodies (kg), and limits of position, velocity and effort if there are any; its frames follow
/// below it. Below the table are the notes, and describe_neutral(model).
template <class S>
std::string describe(const Model<S>& model) {
  std::vector<std::vector<std::string>> rows{
      {"body or frame", "joint", "type", "axis", "q", "v", "mass", "limits", "velocity", "effort"}};
  PerNode<std::vector<std::string>> frames(model.num_nodes() + 1);  // the last entry lists the frames on the ground
  const auto of_node = [&](int node) -> auto& { return frames[node < 0 ? model.num_nodes() : node]; };
  for (auto frame = model.frames().begin() + std::ssize(model.bodies()); frame != model.frames().end(); ++frame)
    of_node(frame->node()).push_back(frame->name());
  const auto add_frames = [&](int node, const std::string& indent) {
    for (const std::string& frame : of_node(node)) rows.push_back({detail::join({indent, "- ", frame})});
  };
  add_frames(-1, "");
  PerBody<int> depth;
  for (const Body<S>& body : model.bodies()) {
    depth.push_back(body.parent() < 0 ? 0 : depth[body.parent()] + 1);
    const std::string indent(static_cast<std::size_t>(2 * depth.back()), ' ');
    const Joint& joint = model.joints().data()[body.joint()];
    const int i = joint.q_index(), k = joint.v_index(), nv = joint.nv();
    std::string axes;
    for (const auto& axis : detail::joint_axes(model, body))
      axes += detail::join({axes.empty() ? "" : " ", detail::text(axis)});
    rows.push_back({indent + body.name(), joint.name(), joint.type(), axes, detail::index_range(i, joint.nq()),
                    detail::index_range(k, nv), detail::number(value_of(model.inertia(body).mass)),
                    detail::text(model.lower_limit(), model.upper_limit(), i, joint.nq()),
                    detail::text(model.velocity_limit(), k, nv), detail::text(model.effort_limit(), k, nv)});
    add_frames(body.node(), indent + "  ");
  }
  std::string result = summary(model) + "\n\n" + detail::aligned(rows);
  const std::string all = describe(model.notes()) + describe_neutral(model);
  if (!all.empty()) result += "\nnotes\n";
  // Indent each line; both texts end with a newline.
  for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
    end = all.find('\n', begin) + 1;
    result += detail::join({"  ", std::string_view(all).substr(begin, end - begin)});
  }
  return result;
}

}}  // namespace corio
