#pragma once

#include <libqhull_r/libqhull_r.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "corio/io/mesh/file.hpp"
#include "corio/io/mesh_source.hpp"

/// The mass properties of meshes. Convex hulls are computed with Qhull: link corio::mesh.
namespace corio { inline namespace CORIO_ABI { namespace mesh {

/// The solid of a mesh: volume, centre of mass and inertia for unit density, by integrals that are exact up to
/// rounding, as in MuJoCo with inertia="exact", "convex", "legacy" or "shell".
///
///   const auto solid = corio::mesh::solid({.file = "link.stl", .scale = {1e-3, 1e-3, 1e-3}});
///   corio::mjcf::load("robot.xml", {.solid_of_mesh = corio::mesh::solid});
///
/// A file of points without faces, OBJ or MSH, is the convex hull of the points. From an OBJ file only the first object
/// or group with faces is read, as in MuJoCo. Materials, textures and normals are ignored. A face may have any number
/// of corners; if they are not in a plane, it consists of the triangles at its first corner. With Rule::exact a surface
/// that is not closed is closed towards its centroid, with a remark.
///
/// @throws ModelError  naming the file, and the line of a text file: a file that cannot be read, is not STL, OBJ or
/// MSH, or is incomplete; an STL file without faces; a malformed number or one that is not finite; a volume that is
/// negative (Rule::exact with faces turned inside out) or below 1e-15 m^3; faces of opposite senses (Rule::exact); an
/// index of a vertex that does not exist; points without a convex hull.
///
/// Cost O(n log n) in the number of vertices and corners of faces.
inline Solid solid(const Source& source);

namespace detail {

/// Reads a mesh file.
/// @param name    the name of the file, for messages
/// @param remark  set if the file has parts that are not read
inline Surface read(const std::filesystem::path& path, const std::string& name, std::string& remark) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (extension != ".stl" && extension != ".obj" && extension != ".msh")
    throw ModelError(join({name, " must end with .stl, .obj or .msh; convert it to one of these formats"}));
  const std::string bytes = corio::detail::read_file(path, "mesh file");
  if (bytes.empty()) throw ModelError(join({name, " is empty"}));
  Surface all = corio::detail::with_source(join({name, " cannot be read as ", extension}), [&] {
    return extension == ".msh" ? read_msh(bytes) : extension == ".stl" ? read_stl(bytes) : read_obj(bytes, remark);
  });
  if (!remark.empty()) remark = join({name, ": ", remark});
  if (all.end.empty() && extension == ".stl") throw ModelError(join({name, " has no faces"}));
  return all;
}

/// The convex hull as triangles of arbitrary orientation, up to rounding errors: Qhull displaces the points by some
/// rounding errors (option QJ), so that no four lie in a plane, since faces of many corners would take O(n^2).
inline Surface convex_hull(std::vector<Vector3<double>> vertices, const std::string& name) {
  // STL repeats points for each face.
  const auto key = [](const Vector3<double>& p) { return std::array{p[0], p[1], p[2]}; };
  std::sort(vertices.begin(), vertices.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  struct Hull {
    qhT state;
    std::FILE* messages = std::tmpfile();  // otherwise Qhull writes them to the standard error
    Hull() { qh_zero(&state, messages); }
    Hull(const Hull&) = delete;
    Hull& operator=(const Hull&) = delete;
    ~Hull() {
      int left = 0, bytes = 0;
      qh_freeqhull(&state, !qh_ALL);
      qh_memfreeshort(&state, &left, &bytes);
      if (messages) std::fclose(messages);
    }
  } hull;
  char options[] = "qhull QJ";
  const int error = qh_new_qhull(&hull.state, 3, static_cast<int>(vertices.size()), vertices.front().data(), false,
                                 options, nullptr, hull.messages);
  if (error != 0)
    throw ModelError(
        join({name, " has no convex hull with a volume: its points lie in a plane, or nearly so (Qhull error ",
              std::to_string(error), ")"}));
  Surface all;
  for (const facetT* facet = hull.state.facet_list; facet && facet->next; facet = facet->next) {
    std::array<int, 3> face{};
    for (int k = 0; k < 3; ++k)
      face[static_cast<std::size_t>(k)] =
          qh_pointid(&hull.state, static_cast<vertexT*>(facet->vertices->e[k].p)->point);
    all.add(face);
  }
  all.vertices = std::move(vertices);
  return all;
}

/// Returns whether the surface is closed. Throws ModelError if two faces have an edge in the same sense. Coinciding
/// points count as one, since STL repeats them for each face.
inline bool is_closed(const Surface& mesh, const std::string& name) {
  std::map<std::array<double, 3>, int> places;
  std::vector<int> place;
  for (const auto& p : mesh.vertices)
    place.push_back(places.try_emplace({p[0], p[1], p[2]}, static_cast<int>(places.size())).first->second);
  using Edge = std::pair<int, int>;
  const auto reversed_is_in = [](const std::vector<Edge>& edges) {
    return [&edges](const Edge& e) { return std::binary_search(edges.begin(), edges.end(), Edge(e.second, e.first)); };
  };
  std::vector<Edge> edges, own;
  for (std::size_t i = 0; i < mesh.end.size(); ++i) {
    own.clear();
    const auto polygon = mesh.polygon(i);
    for (int from = place[static_cast<std::size_t>(polygon.back())]; const int k : polygon) {
      const int to = place[static_cast<std::size_t>(k)];
      if (from != to) own.emplace_back(from, to);
      from = to;
    }
    // An edge that a face passes in both senses, for instance to a hole in it, is not part of its border.
    std::sort(own.begin(), own.end());
    std::remove_copy_if(own.begin(), own.end(), std::back_inserter(edges), reversed_is_in(own));
  }
  std::sort(edges.begin(), edges.end());
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end())
    throw ModelError(join({name, " has neighbouring faces of opposite sense, so that inside and outside are not clear;",
                           " orient them alike, or use Rule::convex"}));
  return std::all_of(edges.begin(), edges.end(), reversed_is_in(edges));
}

/// Volume, first and second moments of the tetrahedra between an apex and the faces; for a shell, of the faces.
struct Moments {
  double volume = 0;
  Vector3<double> first = zero3<double>();  // integral of r
  Matrix3<double> second = diagonal3(0.0);  // integral of r r^T, both with r from the apex
};
/// A polygon is the sum of the signed triangles between its first corner and its edges: exact for plane polygons,
/// convex or not.
inline Moments moments(const Surface& mesh, const Vector3<double>& apex, Rule rule) {
  const int corners = rule == Rule::shell ? 3 : 4;  // the apex is one of the four
  Moments sum;
  for (std::size_t i = 0; i < mesh.end.size(); ++i) {
    const auto polygon = mesh.polygon(i);
    const auto corner = [&](std::size_t k) -> const Vector3<double>& {
      return mesh.vertices[static_cast<std::size_t>(polygon[k])];
    };
    // Twice the area of triangle k, along its normal.
    const auto area = [&](std::size_t k) { return cross<double>(corner(k) - corner(0), corner(k + 1) - corner(0)); };
    Vector3<double> normal = zero3<double>();
    for (std::size_t k = 1; k + 1 < polygon.size(); ++k) normal += area(k);
    for (std::size_t k = 1; k + 1 < polygon.size(); ++k) {
      const Vector3<double> r[3] = {corner(0) - apex, corner(k) - apex, corner(k + 1) - apex};
      double volume = dot(r[0], cross(r[1], r[2])) / 6;
      if (rule != Rule::exact) {
        const Vector3<double> a = area(k);
        const double along = dot(a, normal);
        volume = rule == Rule::shell ? std::sqrt(dot(a, a)) / 2 : std::abs(volume);
        volume *= along > 0 ? 1 : along < 0 ? -1 : 0;
      }
      const Vector3<double> all = r[0] + r[1] + r[2];
      sum.volume += volume;
      sum.first += (volume / corners) * all;
      Matrix3<double> products = all * all.transpose();
      for (const auto& one : r) products += one * one.transpose();
      sum.second += (volume / (corners * (corners + 1))) * products;
    }
  }
  return sum;
}

/// The centroid of the surface.
inline Vector3<double> surface_center(const Surface& mesh) {
  const Moments surface = moments(mesh, zero3<double>(), Rule::shell);
  return surface.volume > 0 ? (1 / surface.volume) * surface.first : zero3<double>();
}

}  // namespace detail

inline Solid solid(const Source& source) {
  using corio::detail::join;
  const std::string name = source.file.empty() ? "mesh" : join({"mesh file '", source.file.string(), "'"});
  // Vertices and faces, in the axes and the scale of the source.
  Solid result;
  detail::Surface mesh{.vertices = source.vertices};
  for (const auto& face : source.faces) mesh.add(face);
  if (!source.file.empty()) mesh = detail::read(source.file, name, result.remark);
  const int count = static_cast<int>(mesh.vertices.size()), least_count = source.rule == Rule::shell ? 3 : 4;
  if (count < least_count)
    throw ModelError(
        join({name, " has ", std::to_string(count), " vertices, expected at least ", std::to_string(least_count)}));
  for (const int k : mesh.corners)
    if (k < 0 || k >= count) throw ModelError(join({name, ": vertex ", std::to_string(k), " of a face is missing"}));
  for (auto& p : mesh.vertices) {
    p = transpose(source.reference.rotation) * (p - source.reference.translation);
    for (int i = 0; i < 3; ++i) p[i] *= source.scale[i];
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
      throw ModelError(join({name, " has a coordinate that is not finite"}));
  }
  if (source.scale[0] * source.scale[1] * source.scale[2] < 0)  // a mirror image
    for (std::size_t begin = 0; const std::size_t end : mesh.end) {
      std::reverse(mesh.corners.data() + begin + 1, mesh.corners.data() + end);  // the first corner keeps its place
      begin = end;
    }

  // The faces of the convex hull or the given ones, depending on the rule.
  Rule rule = source.rule;
  if (rule == Rule::convex || mesh.end.empty()) {
    mesh = detail::convex_hull(std::move(mesh.vertices), name);
    if (rule != Rule::shell) rule = Rule::convex;
  }
  if (rule == Rule::exact && !detail::is_closed(mesh, name))
    result.remark += join({result.remark.empty() ? "" : "; ", name, " is not closed, so that its volume is not clear"});

  // All tetrahedra of a convex body have the same sense, so absolute values are exact for a hull.
  const Vector3<double> apex = detail::surface_center(mesh);
  const auto total = detail::moments(mesh, apex, rule);
  constexpr double least = 1e-15;
  if (total.volume <= -least)
    throw ModelError(join({name,
                           " has a negative volume: its faces are turned inside out; reverse them, or take the "
                           "rule convex"}));
  if (!(total.volume >= least))
    throw ModelError(join({name, ": its volume, ", corio::detail::number(total.volume),
                           " m^3, is too small for a solid; for sheet metal use Rule::shell"}));
  result.center = apex + (1 / total.volume) * total.first;
  const auto centered = detail::moments(mesh, result.center, rule);
  result.volume = centered.volume;
  result.inertia = diagonal3(centered.second.trace()) - centered.second;
  return result;
}

}}}  // namespace corio::mesh
