#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "corio/io/mesh_source.hpp"
#include "support/temporary_file.hpp"

/// Small meshes, and their files in a folder that is deleted with the object.
namespace corio::test {

/// Allow sums of some 50 terms in double precision. Files hold 17 digits, or integers and halves in single precision.
constexpr double rounding = 1e-13;

/// Triangles by their corners.
using Surface = std::vector<std::array<Vector3<double>, 3>>;

/// The prism over a polygon in the plane z = 0, from z = 0 to a height. All corners must be visible from the first one.
inline Surface prism(const std::vector<std::array<double, 2>>& polygon, double height) {
  const auto at = [&](std::size_t i, double z) {
    const auto& p = polygon[i % polygon.size()];
    return Vector3<double>(p[0], p[1], z);
  };
  Surface all;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    all.push_back({at(i, 0), at(i + 1, 0), at(i + 1, height)});
    all.push_back({at(i, 0), at(i + 1, height), at(i, height)});
    if (i == 0 || i + 1 == polygon.size()) continue;
    all.push_back({at(0, height), at(i, height), at(i + 1, height)});
    all.push_back({at(0, 0), at(i + 1, 0), at(i, 0)});
  }
  return all;
}
/// A box with one corner at the origin.
inline Surface box(double a, double b, double c) { return prism({{0, 0}, {a, 0}, {a, b}, {0, b}}, c); }
/// An angle: [0, 4] x [0, 1] and [0, 1] x [1, 4], with a height.
inline Surface angle(double height) { return prism({{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 4}}, height); }
/// The corner of a box: a tetrahedron.
inline Surface corner(double a, double b, double c) {
  const Vector3<double> o(0, 0, 0), x(a, 0, 0), y(0, b, 0), z(0, 0, c);
  return {{o, y, x}, {o, z, y}, {o, x, z}, {x, y, z}};
}
/// Returns the surface with the sense of each face reversed.
inline Surface inside_out(Surface all) {
  for (auto& face : all) std::swap(face[1], face[2]);
  return all;
}

class MeshFolder : public TemporaryFolder {
 public:
  std::filesystem::path binary_stl(const std::string& name, const Surface& faces) const {
    std::string all(80, ' ');
    const auto put = [&all](auto x) { all.append(reinterpret_cast<const char*>(&x), sizeof x); };
    put(static_cast<std::uint32_t>(faces.size()));
    for (const auto& face : faces) {
      for (int i = 0; i < 3; ++i) put(0.0f);  // the normal, which readers compute themselves
      for (const auto& p : face)
        for (int i = 0; i < 3; ++i) put(static_cast<float>(p[i]));
      put(std::uint16_t{0});
    }
    return write(name, all);
  }
  std::filesystem::path ascii_stl(const std::string& name, const Surface& faces) const {
    std::string all = "solid part\n";
    for (const auto& face : faces) {
      all += "facet normal 0 0 0\nouter loop\n";
      for (const auto& p : face) all += "vertex " + numbers(p) + "\n";
      all += "endloop\nendfacet\n";
    }
    return write(name, all + "endsolid part\n");
  }
  std::filesystem::path obj(const std::string& name, const Surface& faces) const {
    std::string points, triangles;
    int n = 0;
    for (const auto& face : faces) {
      triangles += "f";
      for (const auto& p : face) points += "v " + numbers(p) + "\n", triangles += " " + std::to_string(++n);
      triangles += "\n";
    }
    return write(name, points + triangles);
  }
  /// Writes normals and texture coordinates too, which readers skip.
  std::filesystem::path msh(const std::string& name, const Surface& faces, bool with_faces = true) const {
    std::string all;
    const auto put = [&all](auto x) { all.append(reinterpret_cast<const char*>(&x), sizeof x); };
    const auto count = static_cast<std::int32_t>(faces.size());
    for (const std::int32_t n : {3 * count, 3 * count, 3 * count, with_faces ? count : 0}) put(n);
    for (const auto& face : faces)
      for (const auto& p : face)
        for (int i = 0; i < 3; ++i) put(static_cast<float>(p[i]));
    for (int i = 0; i < 5 * 3 * count; ++i) put(0.5f);
    for (std::int32_t i = 0; with_faces && i < 3 * count; ++i) put(i);
    return write(name, all);
  }

 private:
  static std::string numbers(const Vector3<double>& p) {
    return std::to_string(p[0]) + " " + std::to_string(p[1]) + " " + std::to_string(p[2]);
  }
};

}  // namespace corio::test
