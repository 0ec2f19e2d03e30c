#pragma once

#include <map>
#include <memory>
#include <numbers>
#include <set>

#include "corio/io/mjcf/schema.hpp"
#include "corio/io/xml.hpp"
#include "corio/model/note.hpp"
#include "corio/spatial/lie.hpp"

/// MJCF as an XML document: one tree of elements with all included files, the units of <compiler>, and attributes as
/// numbers, poses and choices.
namespace corio { inline namespace CORIO_ABI { namespace mjcf {

using corio::detail::join;

/// Attributes by name.
using Attributes = std::map<std::string, std::string>;

/// An element with its attributes and children, copied from its file (xml::ElementView).
struct Element {
  std::string name;
  std::shared_ptr<const std::string> file;  // the file's name, for messages
  int line = 0;
  Attributes attributes{};
  std::vector<Element> children{};
  std::size_t model = 0;  // 0 for the main model, else the number of the attached model

  /// The attribute, null if there is none.
  const std::string* find(const std::string& key) const {
    const auto found = attributes.find(key);
    return found == attributes.end() ? nullptr : &found->second;
  }
  std::string get(const std::string& key, const std::string& otherwise = {}) const {
    const std::string* found = find(key);
    return found ? *found : otherwise;
  }
  /// "joint 'hip'", or "<joint>" if it has no name.
  std::string label() const {
    const std::string* own = find("name");
    return own ? join({name, " '", *own, "'"}) : join({"<", name, ">"});
  }
  /// Throws ModelError("robot.xml: line 12: joint 'hip': what").
  [[noreturn]] void fail(std::initializer_list<std::string_view> what) const {
    throw ModelError(join({*file, ": line ", std::to_string(line), ": ", label(), ": ", join(what)}));
  }

  /// The attribute as numbers; ModelError unless their count is right and all are finite.
  std::vector<double> numbers(const std::string& key, std::size_t least, std::size_t most) const {
    const std::string* text = find(key);
    if (!text) fail({"needs the attribute ", key});
    if (auto all = xml::parse_numbers(*text, least, most)) return *std::move(all);
    fail({key, "=", xml::excerpt(*text), ", expected ", xml::expected_numbers(*text, least, most)});
  }
  double number(const std::string& key) const { return numbers(key, 1, 1)[0]; }
  double number(const std::string& key, double otherwise) const { return find(key) ? number(key) : otherwise; }
  double nonnegative(const std::string& key, double otherwise) const {
    const double x = number(key, otherwise);
    if (x < 0.0) fail({key, "=", xml::excerpt(get(key)), " must not be negative"});
    return x;
  }
  Vector3<double> vector(const std::string& key, const Vector3<double>& otherwise) const {
    return find(key) ? vector3(numbers(key, 3, 3).data()) : otherwise;
  }
  /// Throws ModelError unless the attribute has one of these values.
  std::string choice(const std::string& key, const std::string& otherwise,
                     std::initializer_list<std::string_view> known) const {
    const std::string found = get(key, otherwise);
    std::string all;
    for (const std::string_view one : known) {
      if (found == one) return found;
      all += join({all.empty() ? "" : ", ", one});
    }
    fail({key, "=", xml::excerpt(found), " is not known, expected one of: ", all});
  }
  bool flag(const std::string& key, bool otherwise) const {
    return choice(key, otherwise ? "true" : "false", {"true", "false"}) == "true";
  }
};

namespace detail {

/// All sections of that name in a document.
inline std::vector<const Element*> sections(const Element& root, std::string_view name) {
  std::vector<const Element*> all;
  for (const Element& e : root.children)
    if (e.name == name) all.push_back(&e);
  return all;
}
/// The children of all these sections.
inline std::vector<Element> entries(const Element& root, std::string_view name) {
  std::vector<Element> all;
  for (const Element* e : sections(root, name)) all.insert(all.end(), e->children.begin(), e->children.end());
  return all;
}

/// A path in a document: as in MuJoCo 3, a backslash separates folders, too.
inline std::filesystem::path path_in_file(std::string text) {
  std::ranges::replace(text, '\\', '/');
  return text;
}

inline constexpr std::string_view orientations[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
/// The greatest depth of nested elements over all files; tinyxml2 has the same limit for one file.
inline constexpr int deepest = 500;

/// Loads a file with all included files, each at most once. Throws ModelError for elements and attributes that the
/// schema does not have.
class Loader {
 public:
  /// @param folder  where included files are searched
  /// @param model   the model of the elements (Element::model)
  explicit Loader(std::filesystem::path folder, std::size_t model = 0) : folder_(std::move(folder)), model_(model) {}

  /// @param by  the element that names the file, null for the main file
  Element file(const std::filesystem::path& path, const Element* by = nullptr) {
    first(path);
    return text(by ? content(*by, path) : corio::detail::read_file(path, "MJCF file"), path.string(), folder_);
  }
  Element text(const std::string& content, const std::string& name) { return text(content, name, folder_); }

 private:
  Element text(const std::string& content, const std::string& name, const std::filesystem::path& folder) {
    const xml::Document document = parsed(content, name);
    const xml::ElementView root = document.root();
    const auto file = std::make_shared<const std::string>(name);
    if (root.name() != "mujoco")
      Element{root.name(), file, root.line()}.fail(
          {"is the root element, MJCF has <mujoco>", root.name() == "robot" ? "; corio::urdf::load reads URDF" : ""});
    return convert(root, nullptr, nullptr, file, folder, 1);
  }
  /// Returns whether the file was not loaded before.
  bool first(const std::filesystem::path& path) {
    std::error_code ignored;
    const auto canonical = std::filesystem::weakly_canonical(path, ignored);
    return included_.insert(ignored ? path.string() : canonical.string()).second;
  }
  static xml::Document parsed(const std::string& content, const std::string& name) {
    try {
      return xml::Document(content);
    } catch (const ModelError& error) {
      throw ModelError(join({name, ": ", error.what()}));
    }
  }
  static std::string content(const Element& by, const std::filesystem::path& path) {
    try {
      return corio::detail::read_file(path, "file");
    } catch (const ModelError& error) {
      by.fail({error.what()});
    }
  }

  /// @param around   null for the root
  /// @param allowed  the row of the element around it, null if its contents are not checked
  Element convert(const xml::ElementView& from, const Element* around, const xml::Row* allowed,
                  const std::shared_ptr<const std::string>& file, const std::filesystem::path& folder, int depth) {
    Element to{.name = from.name(), .file = file, .line = from.line(), .model = model_};
    for (const std::string& key : from.attributes()) to.attributes[key] = *from.attribute(key.c_str());
    if (depth > deepest) to.fail({"elements nest more than ", std::to_string(deepest), " deep"});
    if (allowed) {
      const int most = schema.most(allowed->children, to.name);
      if (most == 0)
        to.fail({"is not known in <", around->name, ">",
                 depth == 2 && schema.knows_child(to.name)
                     ? "; it belongs deeper: if the file is a part that others include, load one of those"
                     : schema.advice(allowed->children, to.name)});
      if (most == 1 && std::ranges::count(around->children, to.name, &Element::name) > 0)
        to.fail({"is a second <", to.name, "> in its <", around->name, ">"});
    }
    const xml::Row* const row = !around   ? schema.find("", to.name)
                                : allowed ? schema.find(around->name, to.name)
                                          : nullptr;
    if (row)
      for (const auto& [key, value] : to.attributes)
        if (!schema.has(row->attributes, key) && !may_be_newer(to.name, key, *row))
          to.fail({"attribute ", key, "=", xml::excerpt(value), " is not known", schema.advice(row->attributes, key)});
    append(from, to, row, file, folder, depth);
    return to;
  }
  /// Appends the children of an element, and the elements of the files that they include.
  void append(const xml::ElementView& from, Element& to, const xml::Row* row,
              const std::shared_ptr<const std::string>& file, const std::filesystem::path& folder, int depth) {
    for (const xml::ElementView& child : from.children()) {
      if (child.name() != "include") {
        to.children.push_back(convert(child, &to, row, file, folder, depth + 1));
        continue;
      }
      const Element include{child.name(), file, child.line()};
      const auto name = child.attribute("file");
      if (!name || !child.children().empty()) include.fail({"expected <include file=\"...\"/>, without children"});
      if (depth > deepest) include.fail({"elements nest more than ", std::to_string(deepest), " deep"});
      // As in MuJoCo, files are searched beside the main file, then beside the file that includes them.
      std::error_code ignored;
      const std::filesystem::path relative = path_in_file(*name);
      std::filesystem::path path = folder_ / relative;
      if (!std::filesystem::exists(path, ignored)) path = folder / relative;
      if (!first(path)) include.fail({"file ", xml::excerpt(*name), " is included a second time, or includes itself"});
      const xml::Document document = parsed(content(include, path), path.string());
      if (document.root().children().empty()) include.fail({"file ", xml::excerpt(*name), " has no elements"});
      append(document.root(), to, row, std::make_shared<const std::string>(path.string()), path.parent_path(),
             depth + 1);
    }
  }

  std::filesystem::path folder_;
  std::size_t model_;
  std::set<std::string> included_;
};

/// The notes on a file and on its included files, whose names they contain.
class Notes {
 public:
  explicit Notes(std::string file) : file_(std::move(file)) {}
  /// The line of an element for its note; 0 if it comes from another file.
  int line(const Element& e) const { return *e.file == file_ ? e.line : 0; }
  /// Adds a note; copies of an element with equal labels get a single note.
  void add(const Element& e, std::string found, std::string advice) {
    if (!given_.insert(join({*e.file, "\n", std::to_string(e.line), e.label(), "\n", found, "\n", advice})).second)
      return;
    all.push_back(
        {line(e) > 0 ? e.label() : join({*e.file, ": ", e.label()}), line(e), std::move(found), std::move(advice)});
  }
  const std::string& file() const { return file_; }
  std::vector<Note> all;

 private:
  std::string file_;
  std::set<std::string> given_;
};

/// The settings of <compiler>, with MuJoCo's defaults.
struct Compiler {
  double angle = std::numbers::pi / 180.0;  // rad per unit of angle in the file
  std::string euler_sequence = "xyz";
  std::string inertia_from_geom = "auto";
  std::vector<double> groups = {0, 5};
  double bound_mass = 0, bound_inertia = 0, total_mass = -1;
  bool auto_limits = true, balance_inertia = false, fuse_static = false, align_free = false, discard_visual = false;
  bool fit_aabb = false, exact_mesh_inertia = false, strip_path = false;
  std::filesystem::path mesh_folder{};
  bool has_references = false;  // elements elsewhere in the file could refer to bodies by name

  void read(const Element& e) {
    if (e.choice("coordinate", "local", {"local", "global"}) == "global")
      e.fail(
          {"coordinate=\"global\" is not read, nor by MuJoCo since 2.3.4; load and save the model with MuJoCo 2.3.3 or "
           "older, which writes local coordinates"});
    if (e.find("angle")) angle = e.choice("angle", "", {"degree", "radian"}) == "radian" ? 1.0 : Compiler{}.angle;
    euler_sequence = e.get("eulerseq", euler_sequence);
    if (euler_sequence.size() != 3 || euler_sequence.find_first_not_of("xyzXYZ") != std::string::npos)
      e.fail({"eulerseq=", xml::excerpt(euler_sequence), ", expected three of the letters x, y, z, X, Y, Z"});
    inertia_from_geom = e.choice("inertiafromgeom", inertia_from_geom, {"false", "true", "auto"});
    if (e.find("inertiagrouprange")) groups = e.numbers("inertiagrouprange", 2, 2);
    bound_mass = e.nonnegative("boundmass", bound_mass);
    bound_inertia = e.nonnegative("boundinertia", bound_inertia);
    total_mass = e.number("settotalmass", total_mass);
    auto_limits = e.flag("autolimits", auto_limits);
    balance_inertia = e.flag("balanceinertia", balance_inertia);
    fuse_static = e.flag("fusestatic", fuse_static);
    align_free = e.flag("alignfree", align_free);
    discard_visual = e.flag("discardvisual", discard_visual);
    fit_aabb = e.flag("fitaabb", fit_aabb);
    exact_mesh_inertia = e.flag("exactmeshinertia", exact_mesh_inertia);
    strip_path = e.flag("strippath", strip_path);
    mesh_folder = path_in_file(e.get("meshdir", e.get("assetdir", mesh_folder.string())));
  }
};

/// Returns a / |a|; throws ModelError if the quotient is not finite.
inline Vector3<double> unit(const Vector3<double>& a, const Element& e, const std::string& key) {
  const double largest = (std::max)({std::abs(a[0]), std::abs(a[1]), std::abs(a[2])});
  if (!(largest > 1e-14)) e.fail({key, "=", xml::excerpt(e.get(key)), " must not be the zero vector"});
  const Vector3<double> b = (1.0 / largest) * a;
  return (1.0 / std::sqrt(dot(b, b))) * b;
}
/// The least rotation that turns e_z into a unit vector.
inline Matrix3<double> least_rotation_to(const Vector3<double>& z) {
  const Vector3<double> axis(-z[1], z[0], 0.0);
  const double sine = std::sqrt(dot(axis, axis));
  if (sine < 1e-14) return z[2] > 0.0 ? identity3<double>() : rotation_x(std::numbers::pi);
  return exp_rotation<double>((std::atan2(sine, z[2]) / sine) * axis);
}

/// The orientation of an element, given in one of the five ways; identity by default.
inline Matrix3<double> rotation(const Element& e, const Compiler& compiler) {
  std::string way, ways;
  for (const std::string_view one : orientations)
    if (e.find(std::string(one))) way = one, ways += join({ways.empty() ? "" : " and ", one});
  if (ways.size() > way.size())
    e.fail({"its orientation is given twice, as ", ways, "; keep one of them, here or in the default class"});
  if (way == "quat") {
    const auto q = e.numbers(way, 4, 4);
    const double largest = (std::max)({std::abs(q[0]), std::abs(q[1]), std::abs(q[2]), std::abs(q[3])});
    if (!(largest > 1e-14)) e.fail({"quat is zero, expected w x y z of a rotation"});
    return rotation_from_quaternion<double>({q[1] / largest, q[2] / largest, q[3] / largest, q[0] / largest});
  }
  if (way == "axisangle") {
    const auto a = e.numbers(way, 4, 4);
    return exp_rotation<double>((a[3] * compiler.angle) * unit(vector3(a.data()), e, way));
  }
  if (way == "xyaxes") {
    const auto a = e.numbers(way, 6, 6);
    const Vector3<double> x = unit(vector3(a.data()), e, way), along = unit(vector3(a.data() + 3), e, way);
    const Vector3<double> y = unit(along - dot(x, along) * x, e, way);
    return from_columns<double>(x, y, cross(x, y));
  }
  if (way == "zaxis") return least_rotation_to(unit(e.vector(way, zero3<double>()), e, way));
  Matrix3<double> R = identity3<double>();
  if (way == "euler") {
    const auto angles = e.numbers(way, 3, 3);
    for (std::size_t i = 0; i < 3; ++i) {
      const char letter = compiler.euler_sequence[i];
      const bool moving = letter >= 'x';  // lower case: about axes that turn with the previous rotations
      const Matrix3<double> turn =
          exp_rotation<double>((angles[i] * compiler.angle) * unit3<double>(letter - (moving ? 'x' : 'X')));
      R = moving ? R * turn : turn * R;
    }
  }
  return R;
}
inline Pose<double> pose(const Element& e, const Compiler& compiler) {
  return {rotation(e, compiler), e.vector("pos", zero3<double>())};
}

}  // namespace detail
}}}  // namespace corio::mjcf
