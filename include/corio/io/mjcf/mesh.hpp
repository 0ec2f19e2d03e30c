#pragma once

#include "corio/io/mesh_source.hpp"
#include "corio/io/mjcf/document.hpp"
#include "corio/solvers/jacobi.hpp"

/// The meshes of <asset>. A function of the user reads them, so that the reader of MJCF needs no further library.
namespace corio { inline namespace CORIO_ABI { namespace mjcf {

/// The treatment of bodies whose inertia depends on a mesh that is not read: reject the file, or treat the geom as
/// massless, with a note.
enum class Meshes { refuse, massless };

namespace detail {

/// The meshes by name, each read on first use.
class MeshReader {
 public:
  /// @param solid_of  the function that reads meshes; if it is empty, no mesh is read
  /// @param folder    the folder of the main file, for files of meshes
  MeshReader(Meshes unread, mesh::SolidOf solid_of, std::filesystem::path folder, const Compiler& compiler,
             Notes& notes)
      : others(unread),
        solid_of_(std::move(solid_of)),
        folder_(std::move(folder)),
        compiler_(compiler),
        notes_(notes) {}

  /// @param e  a <mesh> with the attributes of its class
  void add(const Element& e) {
    if (!solid_of_) return;
    const std::string name = e.get("name", path_in_file(e.get("file")).stem().string());
    if (name.empty()) e.fail({"has neither a name nor a file"});
    if (!assets_.try_emplace(name, Asset{e}).second) e.fail({"another mesh is named ", name});
  }
  bool reads() const { return static_cast<bool>(solid_of_); }

  /// The solid of the mesh that a geom names, or its shell if a geom of type mesh has shellinertia (MuJoCo before 3.3;
  /// later the shell is a rule of the mesh). A geom of another type is only fitted to the mesh.
  const mesh::Solid& solid(const Element& geom) {
    const std::string name = geom.get("mesh");
    const auto found = assets_.find(name);
    if (found == assets_.end()) geom.fail({"mesh=", xml::excerpt(name), " is not a mesh of <asset>"});
    const Element& e = found->second.element;
    const std::string type = geom.get("type", "sphere");
    const bool shell = (type == "mesh" || type == "sdf") && geom.flag("shellinertia", false);
    std::optional<mesh::Solid>& solid = shell ? found->second.shell : found->second.solid;
    if (solid) return *solid;
    mesh::Source source = source_of(e);
    if (shell) source.rule = mesh::Rule::shell;
    try {
      solid = solid_of_(source);
    } catch (const ModelError& error) {
      e.fail({error.what()});
    }
    if (!solid->remark.empty()) notes_.add(e, solid->remark, "read as MuJoCo reads it; check the result");
    if (e.number("maxhullvert", -1) > 0 && source.rule == mesh::Rule::convex)
      notes_.add(e, "maxhullvert", "the inertia is that of the whole convex hull");
    return *solid;
  }

  const Meshes others;  // treatment of meshes that are not read

 private:
  struct Asset {
    Element element;
    std::optional<mesh::Solid> solid{}, shell{};
  };

  mesh::Source source_of(const Element& e) const {
    mesh::Source source;
    // The rule, and the frame of the mesh.
    const std::string rule =
        e.choice("inertia", compiler_.exact_mesh_inertia ? "exact" : "legacy", {"convex", "exact", "legacy", "shell"});
    if (e.find("builtin") || !e.children.empty())
      e.fail(
          {"a generated mesh (builtin, which MuJoCo has from 3.3.5 on; plugin, from 3.0.0, for instance for an sdf) is "
           "not "
           "supported; give its body an <inertial>, which MuJoCo saves with <compiler saveinertial=\"true\"/>"});
    source.rule = rule == "convex"  ? mesh::Rule::convex
                  : rule == "exact" ? mesh::Rule::exact
                  : rule == "shell" ? mesh::Rule::shell
                                    : mesh::Rule::legacy;
    source.scale = e.vector("scale", source.scale);
    source.reference.translation = e.vector("refpos", zero3<double>());
    if (e.find("refquat")) {
      const auto q = e.numbers("refquat", 4, 4);
      const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      if (!(norm > 1e-14)) e.fail({"refquat is zero, expected w x y z of a rotation"});
      source.reference.rotation =
          rotation_from_quaternion<double>({q[1] / norm, q[2] / norm, q[3] / norm, q[0] / norm});
    }
    // Vertices and faces, from a file or from attributes.
    if (const std::string* file = e.find("file")) {
      if (e.find("vertex") || e.find("face")) e.fail({"has both a file and vertex or face; keep one of them"});
      std::filesystem::path path = path_in_file(*file);
      if (compiler_.strip_path) path = path.filename();
      source.file = folder_ / compiler_.mesh_folder / path;
      return source;
    }
    constexpr std::size_t most = 30'000'000;
    const auto x = e.numbers("vertex", 12, most);
    if (x.size() % 3 != 0) e.fail({"vertex has ", std::to_string(x.size()), " numbers, expected three for each point"});
    for (std::size_t i = 0; i < x.size(); i += 3) source.vertices.push_back(vector3(&x[i]));
    const auto k = e.find("face") ? e.numbers("face", 3, most) : std::vector<double>{};
    if (k.size() % 3 != 0) e.fail({"face has ", std::to_string(k.size()), " numbers, expected three for each face"});
    for (std::size_t i = 0; i < k.size(); i += 3) {
      std::array<int, 3> face{};
      for (std::size_t j = 0; j < 3; ++j) {
        if (!(k[i + j] >= 0 && k[i + j] < static_cast<double>(x.size() / 3) && k[i + j] == std::floor(k[i + j])))
          e.fail({"face=", xml::excerpt(e.get("face")), ", expected indices of vertices, from 0 to ",
                  std::to_string(x.size() / 3 - 1)});
        face[j] = static_cast<int>(k[i + j]);
      }
      source.faces.push_back(face);
    }
    return source;
  }

  mesh::SolidOf solid_of_;
  std::filesystem::path folder_;
  const Compiler& compiler_;
  Notes& notes_;
  std::map<std::string, Asset> assets_;
};

/// The box with the mass and the inertia of a solid: its half sizes, shortest first, and its pose in the mesh. MuJoCo
/// fits primitive geoms with a mesh to it.
struct InertiaBox {
  double half[3];
  Pose<double> pose;
};
inline InertiaBox inertia_box(const mesh::Solid& solid) {
  const corio::detail::SymmetricEigen<Matrix3<double>> principal(solid.inertia);
  const Matrix3<double>& axes = principal.vectors;
  // The moments increase, so the last one belongs to the shortest edge.
  const Vector3<double> x = principal.values, first = axes.col(2), second = axes.col(1);
  const auto half = [&](int i) {
    const double square = (x.sum() - 2 * x[i]) * 1.5 / solid.volume;
    return std::sqrt((std::max)(square, 0.0));
  };
  return {{half(2), half(1), half(0)}, {from_columns<double>(first, second, cross(first, second)), solid.center}};
}

}  // namespace detail
}}}  // namespace corio::mjcf
