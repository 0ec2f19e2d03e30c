#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "corio/spatial/pose.hpp"

/// Types of the conversion of meshes to solids, which mesh.hpp computes.
namespace corio { inline namespace CORIO_ABI { namespace mesh {

/// The rule by which a mesh describes a solid.
enum class Rule {
  /// The inside of the surface, which must be closed, with all faces counterclockwise as seen from outside.
  exact,
  /// The convex hull of the vertices.
  convex,
  /// The tetrahedra between the faces and the centroid of the surface, each with the absolute value of its volume:
  /// MuJoCo's default. It is exact for convex meshes, with faces of any sense, and counts parts of space twice for
  /// others. (For the mass of such a mesh MuJoCo 2 takes the volume of the box with its inertia instead.)
  legacy,
  /// The surface alone, a thin shell, closed or not.
  shell,
};

/// A mesh. A point x of the file is placed at scale * (R^T (x - p)), with (R, p) the reference pose; lengths in m after
/// scaling.
struct Source {
  std::filesystem::path file{};  // STL, binary or ASCII; OBJ; or MSH of MuJoCo
  Rule rule = Rule::exact;
  Vector3<double> scale{1, 1, 1};
  Pose<double> reference = Pose<double>::identity();
  /// Points, and triangles as three indices of points, in place of a file. Without triangles the mesh is the convex
  /// hull.
  std::vector<Vector3<double>> vertices{};
  std::vector<std::array<int, 3>> faces{};
};

/// A solid of unit density, in the axes of its mesh. For a shell the volume is its area in m^2, and density is mass per
/// area.
struct Solid {
  double volume = 0;                         // m^3
  Vector3<double> center = zero3<double>();  // centre of mass, m
  Matrix3<double> inertia = diagonal3(0.0);  // about the centre, for density 1 kg/m^3
  std::string remark{};                      // a warning on the mesh, empty if there is none
};

/// A function that computes the solid of a mesh, such as corio::mesh::solid; it throws ModelError for a mesh without a
/// solid.
using SolidOf = std::function<Solid(const Source&)>;

}}}  // namespace corio::mesh
