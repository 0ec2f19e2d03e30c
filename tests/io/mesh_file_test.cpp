#ifdef CORIO_TEST_MESH

#include "corio/io/mesh/file.hpp"

#include <sys/stat.h>

#include <ctime>
#include <numbers>
#include <sstream>

#include "corio/io/mesh.hpp"
#include "io/mesh_solids.hpp"
#include "io/rejection.hpp"
#include "support/catch.hpp"
#include "support/no_files.hpp"

// Mesh files in every form that programs write, compared with prisms on paper; and files that are not meshes.

using namespace corio;
using namespace corio::test;

namespace {

constexpr double pi = std::numbers::pi;

/// The ways in which programs write OBJ.
struct Form {
  const char* name;
  const char* end = "\n";        // of each line
  const char* vertex = "";       // after the coordinates
  const char* corner = "";       // after the number of each vertex
  const char* between = "";      // statements between vertices and faces
  const char* before_face = "";  // statements before each face
  const char* space = " ";       // between the words
  bool backward = false;         // negative vertex numbers
};

std::string obj_text(const Form& form, const std::vector<Vector3<double>>& vertices,
                     const std::vector<std::vector<int>>& faces) {
  std::ostringstream text;
  text.precision(17);
  text << std::scientific;
  for (const auto& p : vertices)
    text << "v" << form.space << p[0] << form.space << p[1] << form.space << p[2] << form.vertex << form.end;
  text << form.between;
  for (const auto& face : faces) {
    text << form.before_face << "f";
    for (const int k : face)
      text << form.space << (form.backward ? k - static_cast<int>(vertices.size()) : k + 1) << form.corner;
    text << form.end;
  }
  return text.str();
}

std::string plane_triangle(const std::string& first_vertex) {
  return "solid a b\nfacet normal 0 0 1\nouter loop\nvertex " + first_vertex +
         "\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid a b\n";
}

}  // namespace

TEST_CASE("mesh files: OBJ of concave polygons in the forms that programs write", "[mesh]") {
  const MeshFolder folder;
  const std::vector<Form> forms = {
      {.name = "plain"},
      {.name = "CRLF", .end = "\r\n"},
      {.name = "CR", .end = "\r"},
      {.name = "comments", .end = "  # comment \\\n#f 1 2 3\n\n"},
      {.name = "tabs and spaces at the end", .end = " \t\n", .space = " \t "},
      {.name = "weights, which do not divide", .vertex = " 2"},
      {.name = "colours", .vertex = " 0.5 0.25 1"},
      {.name = "normals", .corner = "//1", .between = "vn 0 0 1\n"},
      {.name = "texture", .corner = "/1", .between = "vt 0 0\n"},
      {.name = "both", .corner = "/1/1", .between = "vt 0 0\nvn 0 0 1\n"},
      {.name = "backward", .corner = "/-1/-1", .between = "vt 0 0\nvn 0 0 1\n", .backward = true},
      {.name = "materials that are nowhere", .between = "mtllib /dev/zero\n", .before_face = "usemtl C:\\red\\\ns 1\n"},
      {.name = "an empty object first", .between = "o nothing\ng\no all\n"},
      {.name = "points and lines", .before_face = "p 1\nl 1 2\n"},
      {.name = "faces without area", .before_face = "f 1 1 2\nf 1 2 1\nf 1 2\nf 1 2 3 2\n"},
      {.name = "continued lines", .space = " \\\n "},
      {.name = "continued lines, CRLF", .end = "\r\n", .space = " \\\r\n "},
  };
  std::mt19937 generator(3);
  for (const auto& form : forms)
    for (int n = 3; n < 12; ++n) {
      CAPTURE(form.name, n);
      const Prism prism = random_prism(generator, n);
      const auto file =
          folder.write("a.obj", obj_text(form, prism.vertices(), prism.faces(generator() % prism.size())));
      const auto exact = mesh::solid({.file = file});
      CHECK(difference(exact, prism.volume(), 1) < rounding);
      CHECK(exact.remark.empty());
      CHECK(difference(mesh::solid({.file = file, .rule = mesh::Rule::shell}), prism.surface(), 1) < rounding);
      const auto mirrored = mesh::solid({.file = file, .scale = {-1, -1, -1}});
      CHECK(std::abs(mirrored.volume / prism.volume().sum - 1) < rounding);
    }
}

TEST_CASE("mesh files: the legacy rule takes plane polygons as whatever triangles they consist of", "[mesh]") {
  const MeshFolder folder;
  std::mt19937 generator(4);
  for (int n = 3; n < 12; ++n) {
    CAPTURE(n);
    const Prism prism = random_prism(generator, n);
    const auto polygons = folder.write("a.obj", obj_text({.name = ""}, prism.vertices(), prism.faces(1)));
    mesh::Source triangles{.rule = mesh::Rule::legacy};
    for (const auto& face : prism.triangles()) {
      const int first = static_cast<int>(triangles.vertices.size());
      triangles.faces.push_back({first, first + 1, first + 2});
      triangles.vertices.insert(triangles.vertices.end(), face.begin(), face.end());
    }
    const auto a = mesh::solid({.file = polygons, .rule = mesh::Rule::legacy}), b = mesh::solid(triangles);
    CHECK(std::abs(a.volume / b.volume - 1) < rounding);
    CHECK((a.center - b.center).norm() < rounding);
    CHECK((a.inertia - b.inertia).norm() < rounding);
  }
}

TEST_CASE("mesh files: STL in the forms that programs write", "[mesh]") {
  const MeshFolder folder;
  std::mt19937 generator(5);
  const Prism prism = random_prism(generator, 7);
  std::ostringstream text;
  text.precision(17);
  text << "solid\n";
  for (const auto& face : prism.triangles()) {
    text << "  facet normal nan nan nan\n    outer loop\n";
    for (const auto& p : face) text << "      vertex " << p[0] << " " << p[1] << " " << p[2] << "\n";
    text << "    endloop\n  endfacet\n";
  }
  text << "endsolid";
  const auto replaced = [](std::string all, const std::string& from, const std::string& to) {
    for (std::size_t at = 0; (at = all.find(from, at)) != all.npos; at += to.size()) all.replace(at, from.size(), to);
    return all;
  };
  const std::string plain = text.str();
  for (const auto& form :
       {plain, replaced(plain, "\n", "\r\n"), replaced(replaced(plain, "\n ", " "), "solid ", "solid\n"),
        "\xEF\xBB\xBF\n" + plain, replaced(plain, "solid", "solid facet vertex\t"),
        replaced(replaced(plain, "facet", "FACET"), "vertex", "Vertex")}) {
    CAPTURE(form.substr(0, 100));
    CHECK(difference(mesh::solid({.file = folder.write("a.stl", form)}), prism.volume(), 1) < rounding);
  }
  // Two solids form one mesh, and a binary file may begin with any words.
  const Surface other = box(1, 1, 1);
  auto both = prism.triangles();
  for (auto face : other) {
    for (auto& p : face) p += Vector3<double>(7, 0, 0);
    both.push_back(face);
  }
  auto bytes = folder.binary_stl("b.stl", both);
  std::fstream(bytes, std::ios::in | std::ios::out) << "solid of two";
  CHECK(std::abs(mesh::solid({.file = bytes}).volume - prism.volume().sum - 1) < 1e-6);  // floats
}

TEST_CASE("mesh files: what is wrong in a file is rejected with its line", "[mesh]") {
  const MeshFolder folder;
  const auto rejected = [&](const char* name, const std::string& text, std::initializer_list<const char*> parts) {
    return rejection_of([&] { mesh::solid({.file = folder.write(name, text), .rule = mesh::Rule::shell}); }, parts);
  };
  const std::string good = "v 0 0 0\nv 1 0 0\n\nv 0 1 0\n";
  for (const char* number : {"0x1", "nan", "inf", "1e999", "1,5", "1.0.0", "--1", "1e", "x", "1f"}) {
    CAPTURE(number);
    const std::string value = number;
    CHECK(rejected("a.obj", good + "v 0 " + value + " 0\nf 1 2 3\n", {"a.obj'", "line 5", number, "coordinate y"}) ==
          "rejected");
    CHECK(rejected("a.stl", plane_triangle("0 " + value + " 0"), {"a.stl'", "line 4", number, "coordinate y"}) ==
          "rejected");
  }
  CHECK(rejected("a.obj", good + "v 0 0\nf 1 2 3\n", {"line 5", "nothing as the coordinate z"}) == "rejected");
  for (const char* corner : {"0", "-4", "a", "1.5", "1/a", "3,", "1 /2", "99999999999", "0x1"}) {
    CAPTURE(corner);
    CHECK(rejected("a.obj", good + "f 1 2 " + corner + "\n", {"a.obj'", "line 5", "corner of a face"}) == "rejected");
  }
  // A vertex may come after the face.
  CHECK(rejected("a.obj", good + "f 1 2 5\nf 1 2 3\nv 1 1 1\n", {"line 5", "vertex 5, of 4"}) == "rejected");
  CHECK(std::abs(mesh::solid({.file = folder.write("a.obj", "f 1 2 3\n" + good), .rule = mesh::Rule::shell}).volume -
                 0.5) < rounding);
  const auto remark =
      mesh::solid({.file = folder.write("a.obj", good + "f 1 2 3\nsurf 0 1 0 1\n"), .rule = mesh::Rule::shell}).remark;
  CHECK(remark.find("a.obj': line 6: 'surf' is not read") != remark.npos);

  const std::string stl = plane_triangle("0 0 0");
  CHECK(rejected("a.stl", stl.substr(0, stl.find("endsolid")), {"endsolid", "complete"}) == "rejected");
  CHECK(rejected("a.stl", plane_triangle("0 0 0\nvertex 1 1 1"), {"line 9", "4 corners"}) == "rejected");
  CHECK(rejected("a.stl", plane_triangle("0 0 0\ncolor 1 1 1"), {"line 5", "'color'"}) == "rejected");
  CHECK(rejected("a.stl", plane_triangle("0 0 0") + "endfacet\n", {"line 10", "0 corners"}) == "rejected");
  CHECK(rejected("a.stl", "solid a\nendsolid a\n", {"no faces"}) == "rejected");
  for (const char* name : {"a.obj", "a.stl", "a.msh"}) {
    CHECK(rejected(name, "", {name, "empty"}) == "rejected");
    CHECK(rejected(name, std::string(1000, '\0'), {name}) == "rejected");
    CHECK(rejected(name, "<html></html>\n", {name}) == "rejected");
  }
  CHECK(rejected("a.obj", "\xFF\xFE" + good, {"UTF-16"}) == "rejected");

  const auto path = folder.binary_stl("cut.stl", box(1, 1, 1));
  for (const std::uintmax_t size :
       {std::uintmax_t(84 + 12 * 50 - 1), std::uintmax_t(84), std::uintmax_t(83), std::uintmax_t(1)}) {
    std::filesystem::resize_file(path, size);
    CHECK(rejection_of([&] { mesh::solid({.file = path}); }, {"cut.stl'", std::to_string(size).c_str()}) == "rejected");
  }
}

TEST_CASE("mesh files: what is no regular file is rejected at once, and materials are not opened", "[mesh]") {
  for (const char* extension : {".obj", ".stl", ".msh"}) {
    const NoFiles none(extension);
    for (const auto& given : none.all)
      if (given.path.extension() == extension)
        CHECK(not_rejected([](const auto& path) { mesh::solid({.file = path}); }, given) == "");
  }
  // Tests materials that never end, that are not files, or that have secrets in their first line.
  const MeshFolder folder;
  REQUIRE(::mkfifo((folder.write("secret.mtl", "Kd secret\n").parent_path() / "endless.mtl").c_str(), 0600) == 0);
  std::mt19937 generator(6);
  const Prism prism = random_prism(generator, 5);
  for (const char* library : {"mtllib endless.mtl\n", "mtllib secret.mtl\n", "mtllib ..\n", "mtllib /dev/zero\n"}) {
    const auto file = folder.write("a.obj", library + obj_text({.name = ""}, prism.vertices(), prism.faces()));
    CHECK(difference(mesh::solid({.file = file}), prism.volume(), 1) < rounding);
  }
}

TEST_CASE("mesh files: large meshes and polygons of many corners take time O(n log n)", "[mesh]") {
  const MeshFolder folder;
  const auto seconds = [&](int n) {
    Prism prism{{}, 0.5};
    for (int i = 0; i < n; ++i) prism.polygon.push_back({std::cos(2 * pi * i / n), std::sin(2 * pi * i / n)});
    const auto file = folder.write("a.obj", obj_text({.name = ""}, prism.vertices(), prism.faces()));
    const std::clock_t start = std::clock();
    for (const auto rule : {mesh::Rule::exact, mesh::Rule::convex, mesh::Rule::legacy})
      CHECK(difference(mesh::solid({.file = file, .rule = rule}), prism.volume(), 1) < 1e-11);  // 1e-16 for each corner
    CHECK(difference(mesh::solid({.file = file, .rule = mesh::Rule::shell}), prism.surface(), 1) < 1e-11);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;  // processor time of this process alone
  };
  // Eight times as many corners would take 64 times as long if time grew as n^2; here it is some ten times.
  const double few = seconds(1'000), many = seconds(8'000);
  CHECK(few < 10);
  CHECK(many < 30 * few);
}

#endif
