#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "corio/spatial/pose.hpp"

/// Triangle meshes as solids: what describes one, and its volume, centre and inertia. mesh.hpp computes them.
namespace corio::inline CORIO_ABI::mesh {

/// The part of space that counts as filled.
enum class Rule {
  /// Inside the surface, which must be closed and have all its faces counterclockwise as seen from outside.
  exact,
  /// Inside the convex hull of the vertices.
  convex,
  /// The tetrahedra between the faces and one point, the mean of the surface, each with the absolute value of its
  /// volume: MuJoCo's default for files without a rule. It is exact for convex meshes, whatever the sense of their
  /// faces, and counts parts of space twice for others. (MuJoCo 2 takes another volume for the mass of such a mesh,
  /// that
  /// of the box with its inertia.)
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
  /// Instead of a file: points, and triangles as three indices of points. Without triangles it is the convex hull.
  std::vector<Vector3<double>> vertices{};
  std::vector<std::array<int, 3>> faces{};
};

/// A solid of unit density, in the axes of its mesh. Of a shell the volume is its area, in m^2, and density a mass per
/// area.
struct Solid {
  double volume = 0;                         // m^3
  Vector3<double> center = zero3<double>();  // of mass
  Matrix3<double> inertia = diagonal3(0.0);  // about the centre, for density 1 kg/m^3
  std::string remark{};                      // a doubt about the mesh, empty if there is none
};

/// A function that computes the solid of a mesh, such as corio::mesh::solid; ModelError if there is none.
using SolidOf = std::function<Solid(const Source&)>;

}  // namespace corio::mesh
