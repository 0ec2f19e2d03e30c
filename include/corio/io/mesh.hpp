#pragma once

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <libqhull_r/libqhull_r.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "corio/core/error.hpp"
#include "corio/io/mesh_source.hpp"

/// The mass properties of triangle meshes. Files are read with Assimp, but for MuJoCo's MSH, and convex hulls computed
/// with Qhull: link corio::mesh.
namespace corio::inline CORIO_ABI::mesh {
namespace detail {

using corio::detail::join;

struct Triangles {
  std::vector<Vector3<double>> vertices;
  std::vector<std::array<int, 3>> faces;
};

/// Appends the triangles of a node, and with `below` those of the nodes below it.
inline void append(const aiScene& scene, const aiNode& node, bool below, Triangles& to) {
  for (unsigned i = 0; i < node.mNumMeshes; ++i) {
    const aiMesh& part = *scene.mMeshes[node.mMeshes[i]];
    const int first = static_cast<int>(to.vertices.size());
    for (unsigned k = 0; k < part.mNumVertices; ++k)
      to.vertices.emplace_back(part.mVertices[k].x, part.mVertices[k].y, part.mVertices[k].z);
    for (unsigned k = 0; k < part.mNumFaces; ++k)
      if (const aiFace& face = part.mFaces[k]; face.mNumIndices == 3)  // no points and lines
        to.faces.push_back({first + static_cast<int>(face.mIndices[0]), first + static_cast<int>(face.mIndices[1]),
                            first + static_cast<int>(face.mIndices[2])});
  }
  for (unsigned i = 0; below && i < node.mNumChildren; ++i) append(scene, *node.mChildren[i], below, to);
}

/// Reads a binary MSH file of MuJoCo: four int32, the numbers of points, normals, texture coordinates and faces; the
/// points, three float each; normals and texture coordinates, which mean nothing here; the faces, three int32 each.
inline Triangles read_msh(const std::filesystem::path& path, const std::string& name) {
  std::ifstream in(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(in), {});
  std::array<std::int32_t, 4> count{};
  if (bytes.size() >= sizeof count) std::memcpy(count.data(), bytes.data(), sizeof count);
  const auto [points, normals, texture, faces] = count;
  std::uint64_t size = sizeof count;
  for (const auto& [n, width] : {std::pair(points, 12), {normals, 12}, {texture, 8}, {faces, 12}})
    size += static_cast<std::uint64_t>((std::max)(n, 0)) * static_cast<std::uint64_t>(width);
  if (*std::min_element(count.begin(), count.end()) < 0 || size != bytes.size())
    throw ModelError(join({name, " cannot be read as .msh: its length is ", std::to_string(bytes.size()),
                           " bytes, not that of the numbers of points and faces it begins with"}));
  Triangles all;
  const auto value = [&bytes](auto x, std::size_t at) {
    std::memcpy(&x, bytes.data() + at, sizeof x);
    return x;
  };
  const auto triple = [&](auto zero, std::size_t at) {
    return std::array{value(zero, at), value(zero, at + 4), value(zero, at + 8)};
  };
  for (std::size_t at = sizeof count; std::ssize(all.vertices) < points; at += 12) {
    const auto p = triple(0.0f, at);
    all.vertices.emplace_back(p[0], p[1], p[2]);
  }
  for (std::size_t at = bytes.size() - 12 * static_cast<std::size_t>(faces); at < bytes.size(); at += 12)
    all.faces.push_back(triple(std::int32_t{}, at));
  return all;
}

/// @param remark  where it is said that a file has more than is read
inline Triangles read(const std::filesystem::path& path, std::string& remark) {
  const std::string name = join({"mesh file '", path.string(), "'"});
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw ModelError(join({name, " does not exist"}));
  if (!std::filesystem::is_regular_file(path, ignored)) throw ModelError(join({name, " is no regular file"}));
  std::string extension = path.extension().string();
  for (char& c : extension) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (extension == ".msh") return read_msh(path, name);
  if (extension != ".stl" && extension != ".obj")
    throw ModelError(join({name, " is none of STL, OBJ and MSH by its ending; convert it to one of these"}));

  Assimp::Importer importer;
  const aiScene* const scene = importer.ReadFile(path.string(), aiProcess_Triangulate);
  if (!scene) throw ModelError(join({name, " cannot be read as ", extension, ": ", importer.GetErrorString()}));
  Triangles all;
  const aiNode& root = *scene->mRootNode;
  // As MuJoCo, the first object of an OBJ alone.
  const bool objects = extension == ".obj" && root.mNumChildren > 0;
  append(*scene, objects ? *root.mChildren[0] : root, !objects, all);
  if (objects && root.mNumChildren > 1)
    remark = join({name, " has ", std::to_string(root.mNumChildren), " objects, of which only the first counts"});
  if (all.faces.empty()) throw ModelError(join({name, " has no faces"}));
  return all;
}

/// The triangles of the convex hull, in no particular sense.
inline std::vector<std::array<int, 3>> convex_hull(std::vector<Vector3<double>> vertices, const std::string& name) {
  struct Hull {
    qhT state;
    std::FILE* messages = std::tmpfile();  // which would otherwise go to the standard error
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
  char options[] = "qhull Qt";  // triangulated
  const int error = qh_new_qhull(&hull.state, 3, static_cast<int>(vertices.size()), vertices.front().data(), false,
                                 options, nullptr, hull.messages);
  if (error != 0)
    throw ModelError(
        join({name, " has no convex hull with a volume: its points lie in a plane, or nearly so (Qhull error ",
              std::to_string(error), ")"}));
  std::vector<std::array<int, 3>> faces;
  for (const facetT* facet = hull.state.facet_list; facet && facet->next; facet = facet->next) {
    std::array<int, 3> face{};
    for (int k = 0; k < 3; ++k)
      face[static_cast<std::size_t>(k)] =
          qh_pointid(&hull.state, static_cast<vertexT*>(facet->vertices->e[k].p)->point);
    faces.push_back(face);
  }
  return faces;
}

/// Whether the surface is closed. ModelError if two faces have an edge in the same sense. Points at the same place are
/// one, as STL repeats them for each face.
inline bool is_closed(const Triangles& mesh, const std::string& name) {
  std::map<std::array<double, 3>, int> places;
  std::vector<int> place;
  for (const auto& p : mesh.vertices)
    place.push_back(places.try_emplace({p[0], p[1], p[2]}, static_cast<int>(places.size())).first->second);
  std::vector<std::pair<int, int>> edges;
  for (const auto& face : mesh.faces) {
    std::array<int, 3> at{};
    for (std::size_t k = 0; k < 3; ++k) at[k] = place[static_cast<std::size_t>(face[k])];
    if (at[0] == at[1] || at[1] == at[2] || at[2] == at[0]) continue;  // without area
    for (std::size_t k = 0; k < 3; ++k) edges.emplace_back(at[k], at[(k + 1) % 3]);
  }
  std::sort(edges.begin(), edges.end());
  if (std::adjacent_find(edges.begin(), edges.end()) != edges.end())
    throw ModelError(join({name, " has neighbouring faces of opposite sense, so that inside and outside are not clear;",
                           " orient them alike, or take the rule convex"}));
  return std::all_of(edges.begin(), edges.end(), [&](const auto& edge) {
    return std::binary_search(edges.begin(), edges.end(), std::pair(edge.second, edge.first));
  });
}

/// Twice the area of a triangle.
inline double twice_area(const Vector3<double>& a, const Vector3<double>& b, const Vector3<double>& c) {
  const Vector3<double> normal = cross<double>(b - a, c - a);
  return std::sqrt(dot(normal, normal));
}

/// Volume, first and second moments of the tetrahedra between an apex and the faces; of the faces alone for a shell.
struct Moments {
  double volume = 0;
  Vector3<double> first = zero3<double>();  // integral of r
  Matrix3<double> second = diagonal3(0.0);  // integral of r r^T, both with r from the apex
};
inline Moments moments(const Triangles& mesh, const Vector3<double>& apex, Rule rule) {
  const int corners = rule == Rule::shell ? 3 : 4;  // the apex is one of the four
  Moments sum;
  for (const auto& face : mesh.faces) {
    Vector3<double> r[3];
    for (std::size_t k = 0; k < 3; ++k) r[k] = mesh.vertices[static_cast<std::size_t>(face[k])] - apex;
    double volume = dot(r[0], cross(r[1], r[2])) / 6;
    if (rule == Rule::shell)
      volume = twice_area(r[0], r[1], r[2]) / 2;
    else if (rule != Rule::exact)
      volume = std::abs(volume);
    const Vector3<double> all = r[0] + r[1] + r[2];
    sum.volume += volume;
    sum.first += (volume / corners) * all;
    Matrix3<double> products = all * all.transpose();
    for (const auto& one : r) products += one * one.transpose();
    sum.second += (volume / (corners * (corners + 1))) * products;
  }
  return sum;
}

/// The mean of the surface.
inline Vector3<double> surface_center(const Triangles& mesh) {
  const Moments surface = moments(mesh, zero3<double>(), Rule::shell);
  return surface.volume > 0 ? Vector3<double>((1 / surface.volume) * surface.first) : zero3<double>();
}

}  // namespace detail

/// The solid of a mesh: volume, centre of mass and inertia for unit density, as integrals that are exact up to
/// rounding. The volume, the centre and the inertia are those of MuJoCo with inertia="exact", "convex", "legacy" or
/// "shell".
///
///   const auto solid = corio::mesh::solid({.file = "link.stl", .scale = {1e-3, 1e-3, 1e-3}});
///   corio::mjcf::load("robot.xml", {.solid_of_mesh = corio::mesh::solid});
///
/// Files hold numbers of single precision. Of an OBJ only the first object is read. A surface that is not closed has a
/// remark with Rule::exact: its solid is then closed towards the mean of the surface.
///
/// @throws ModelError  naming the file: it does not exist, is none of STL, OBJ and MSH, has no faces; the volume is
/// negative
///   (Rule::exact with faces turned inside out) or below 1e-15 m^3; faces with different senses (Rule::exact); a
///   coordinate that is not finite; an index of a vertex that does not exist; points without a convex hull.
///
/// Cost O(n log n) in the number of vertices and faces.
inline Solid solid(const Source& source) {
  using corio::detail::join;
  const std::string name = source.file.empty() ? "mesh" : join({"mesh file '", source.file.string(), "'"});
  Solid result;
  detail::Triangles mesh{source.vertices, source.faces};
  if (!source.file.empty()) mesh = detail::read(source.file, result.remark);
  const int count = static_cast<int>(mesh.vertices.size());
  if (count < 4) throw ModelError(join({name, " has ", std::to_string(count), " vertices, a solid has at least four"}));
  for (auto& face : mesh.faces)
    for (const int k : face)
      if (k < 0 || k >= count) throw ModelError(join({name, ": vertex ", std::to_string(k), " of a face is missing"}));
  for (auto& p : mesh.vertices) {
    p = transpose(source.reference.rotation) * Vector3<double>(p - source.reference.translation);
    for (int i = 0; i < 3; ++i) p[i] *= source.scale[i];
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]))
      throw ModelError(join({name, " has a coordinate that is not finite"}));
  }
  if (source.scale[0] * source.scale[1] * source.scale[2] < 0)  // a mirror image
    for (auto& face : mesh.faces) std::swap(face[1], face[2]);

  Rule rule = source.rule;
  if (rule == Rule::convex || mesh.faces.empty()) {
    mesh.faces = detail::convex_hull(mesh.vertices, name);
    if (rule != Rule::shell) rule = Rule::convex;
  }
  if (rule == Rule::exact && !detail::is_closed(mesh, name))
    result.remark = join({name, " is not closed, so that its volume is not clear"});

  // All tetrahedra of a convex body have one sense, so absolute values are exact for a hull.
  const Vector3<double> apex = detail::surface_center(mesh);
  const auto total = detail::moments(mesh, apex, rule);
  constexpr double least = 1e-15;
  if (total.volume <= -least)
    throw ModelError(join({name,
                           " has a negative volume: its faces are turned inside out; reverse them, or take the "
                           "rule convex"}));
  if (!(total.volume >= least))
    throw ModelError(join({name, " has no volume to speak of, ", std::to_string(total.volume),
                           " m^3; a sheet of metal is a shell, or its body needs an <inertial>"}));
  result.center = apex + (1 / total.volume) * total.first;
  const auto centered = detail::moments(mesh, result.center, rule);
  result.volume = centered.volume;
  result.inertia = diagonal3(centered.second.trace()) - centered.second;
  return result;
}

}  // namespace corio::mesh
