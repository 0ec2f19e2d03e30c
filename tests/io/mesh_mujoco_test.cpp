#if defined(CORIO_TEST_MESH) && defined(CORIO_TEST_MUJOCO)

#include <sstream>

#include "corio/io/mesh.hpp"
#include "io/mesh_solids.hpp"
#include "io/mjcf_mujoco.hpp"
#include "support/catch.hpp"

// Compares random meshes with MuJoCo, which keeps vertices as floats, 6e-8 relative, also after it has turned them.

using namespace corio;
using namespace corio::test;

namespace {

constexpr double of_floats = 2e-6;

std::string polygons(const std::vector<Vector3<double>>& vertices, const std::vector<std::vector<int>>& faces) {
  std::ostringstream text;
  text.precision(17);
  for (const auto& p : vertices) text << "v " << p[0] << " " << p[1] << " " << p[2] << "\n";
  for (const auto& face : faces) {
    text << "f";
    for (const int k : face) text << " " << k + 1;
    text << "\n";
  }
  return text.str();
}

/// Returns the solid that MuJoCo makes from a file.
mesh::Solid in_mujoco(const MeshFolder& folder, const std::filesystem::path& file, bool exact) {
  const Mujoco mujoco(folder.write(
      "model.xml", std::string("<mujoco><compiler exactmeshinertia='") + (exact ? "true" : "false") +
                       "'/><asset><mesh name='m' file='" + file.string() +
                       "'/></asset><worldbody><body><freejoint/><geom type='mesh' mesh='m' density='1'/></body>"
                       "</worldbody></mujoco>"));
  const mjModel& m = *mujoco.model;
  const auto vector = [](const mjtNum* x) { return Vector3<double>(x[0], x[1], x[2]); };
  const mjtNum* q = m.body_iquat + 4;
  const Matrix3<double> R = rotation_from_quaternion<double>({q[1], q[2], q[3], q[0]});
  const Vector3<double> principal = vector(m.body_inertia + 3);
  return {.volume = m.body_mass[1],
          .center = vector(m.body_ipos + 3),
          .inertia = R * Matrix3<double>(principal.asDiagonal()) * R.transpose()};
}

/// Returns the largest difference from MuJoCo. MuJoCo 2 by default uses the volume of the box with the solid's inertia,
/// which MuJoCo 3 does not: volumes are not compared.
double largest(const MeshFolder& folder, const std::filesystem::path& file, const mesh::Solid& a, bool exact) {
  const mesh::Solid b = in_mujoco(folder, file, exact);
  return (std::max)({exact ? std::abs(a.volume / b.volume - 1) : 0, (a.center - b.center).norm(),
                     (a.inertia / a.volume - b.inertia / b.volume).norm()});
}

}  // namespace

TEST_CASE("mesh: random closed, open and concave meshes are those of MuJoCo", "[mesh][mujoco]") {
  const MeshFolder folder;
  std::mt19937 generator(11);
  for (int n = 3; n < 40; ++n) {
    const Prism prism = random_prism(generator, n);
    auto faces = prism.faces(generator() % prism.size());
    auto triangles = prism.triangles();
    const bool open = n % 3 == 0;
    if (open) {
      faces.resize(faces.size() - generator() % 3 - 1);
      triangles.resize(triangles.size() - generator() % 5 - 1);
    }
    for (const auto& file : {folder.write("a.obj", polygons(prism.vertices(), faces)),
                             folder.binary_stl("a.stl", triangles), folder.msh("a.msh", triangles)})
      for (const bool exact : {true, false}) {
        CAPTURE(n, file, exact);
        const auto solid = mesh::solid({.file = file, .rule = exact ? mesh::Rule::exact : mesh::Rule::legacy});
        CHECK(largest(folder, file, solid, exact) < of_floats);
        CHECK(solid.remark.empty() == !(exact && open));
      }
    if (open) continue;
    CHECK(difference(mesh::solid({.file = folder.ascii_stl("b.stl", triangles)}), prism.volume(), 1) <
          1e-5);  // 6 digits
  }
}

TEST_CASE("mesh: quadrilaterals that are not plane are the triangles that MuJoCo takes", "[mesh][mujoco]") {
  const MeshFolder folder;
  std::mt19937 generator(12);
  std::uniform_real_distribution<double> uniform(-0.2, 0.2);
  for (int i = 0; i < 20; ++i) {
    Prism prism{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}, 1};
    auto vertices = prism.vertices();
    for (auto& p : vertices) p += Vector3<double>(uniform(generator), uniform(generator), uniform(generator));
    auto faces = prism.faces(generator() % 4);
    for (auto& face : faces) std::rotate(face.begin(), face.begin() + generator() % 4, face.end());
    const auto file = folder.write("a.obj", polygons(vertices, faces));
    for (const bool exact : {true, false}) {
      const auto solid = mesh::solid({.file = file, .rule = exact ? mesh::Rule::exact : mesh::Rule::legacy});
      CHECK(largest(folder, file, solid, exact) < of_floats);
    }
  }
}

#endif
