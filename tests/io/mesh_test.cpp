#ifdef CORIO_TEST_MESH

#include "corio/io/mesh.hpp"

#include <numbers>

#include "corio/io/mjcf.hpp"
#include "io/mesh_files.hpp"
#include "io/rejection.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"
#ifdef CORIO_TEST_MUJOCO
#include "io/mjcf_mujoco.hpp"
#endif

// Compares meshes as solids with the moments of boxes, prisms and tetrahedra on paper, and whole models with MuJoCo.

using namespace corio;
using namespace corio::test;

namespace {

/// Returns a box with one corner at p, as a solid on paper.
Inertia<double> box_at(const Vector3<double>& p, double a, double b, double c, double density = 1) {
  const double m = density * a * b * c;
  Matrix3<double> I = diagonal3(0.0);
  I.diagonal() << m / 12 * (b * b + c * c), m / 12 * (a * a + c * c), m / 12 * (a * a + b * b);
  return Inertia<double>(InertialParameters<double>(m, p + 0.5 * Vector3<double>(a, b, c), I));
}
double difference(const mesh::Solid& solid, const Inertia<double>& on_paper) {
  const InertialParameters<double> expected(on_paper);
  return std::max({std::abs(solid.volume - expected.mass), (solid.center - expected.com).norm(),
                   (solid.inertia - expected.inertia).norm()});
}
Inertia<double> angle_on_paper() { return box_at({0, 0, 0}, 4, 1, 3) + box_at({0, 1, 0}, 1, 3, 3); }
/// The hull is a box without a corner, which is a right-angled triangle at (4, 4) with sides of 3 along u = 4 - x and v
/// = 4 - y.
Inertia<double> hull_of_angle_on_paper() {
  const double height = 3, side = 3, area = side * side / 2, u = area * side / 3;
  const double uu = std::pow(side, 4) / 12, uv = std::pow(side, 4) / 24;
  const double m = area * height, x = 4 - side / 3;
  const double xx = height * (16 * area - 8 * u + uu), xy = height * (16 * area - 8 * u + uv);
  const double zz = m * height * height / 3, xz = m * x * height / 2;
  Matrix3<double> second = matrix3(xx, xy, xz, xy, xx, xz, xz, xz, zz);
  const Vector3<double> com(x, x, height / 2);
  second -= m * com * com.transpose();
  const InertialParameters<double> cut(m, com, diagonal3(second.trace()) - second);
  const InertialParameters<double> whole(box_at({0, 0, 0}, 4, 4, 3));
  return Inertia<double>(InertialParameters<double>::from_parameters(whole.vector() - cut.vector()));
}

}  // namespace

TEST_CASE("mesh: the solid of a box is the same from binary and ASCII STL, OBJ and MSH", "[mesh]") {
  const MeshFolder folder;
  const Surface surface = box(1, 2, 0.5);
  const auto on_paper = box_at({0, 0, 0}, 1, 2, 0.5);
  for (const auto& path : {folder.binary_stl("a.stl", surface), folder.ascii_stl("b.STL", surface),
                           folder.obj("c.obj", surface), folder.msh("d.msh", surface)})
    for (const auto rule : {mesh::Rule::exact, mesh::Rule::convex, mesh::Rule::legacy}) {
      CAPTURE(path);
      const auto solid = mesh::solid({.file = path, .rule = rule});
      CHECK(difference(solid, on_paper) < rounding);
      CHECK(solid.remark.empty());
    }
  // OBJ may have faces of four corners.
  const auto quads = folder.write("q.obj",
                                  "v 0 0 0\nv 1 0 0\nv 1 2 0\nv 0 2 0\nv 0 0 0.5\nv 1 0 0.5\nv 1 2 0.5\nv 0 2 0.5\n"
                                  "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
  CHECK(difference(mesh::solid({.file = quads}), on_paper) < rounding);
}

TEST_CASE("mesh: exact, convex and legacy solids of a mesh that is not convex", "[mesh]") {
  const MeshFolder folder;
  const auto file = folder.binary_stl("angle.stl", angle(3));
  CHECK(difference(mesh::solid({.file = file}), angle_on_paper()) < 10 * rounding);
  CHECK(difference(mesh::solid({.file = file, .rule = mesh::Rule::convex}), hull_of_angle_on_paper()) < 10 * rounding);
  // The legacy rule counts the space behind the inner faces twice.
  const double legacy = mesh::solid({.file = file, .rule = mesh::Rule::legacy}).volume;
  CHECK(legacy > angle_on_paper().mass + 0.1);

  const auto tetrahedron = mesh::solid({.file = folder.obj("t.obj", corner(1, 2, 3))});
  const Vector3<double> side(1, 2, 3);
  Matrix3<double> second;  // for a tetrahedron along three axes: a^2 V / 10 and a b V / 20
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) second(i, j) = side[i] * side[j] / (i == j ? 10 : 20) - side[i] * side[j] / 16;
  CHECK(std::abs(tetrahedron.volume - 1) < rounding);
  CHECK((tetrahedron.center - side / 4).norm() < rounding);
  CHECK((tetrahedron.inertia - (diagonal3(second.trace()) - second)).norm() < rounding);
}

TEST_CASE("mesh: the shell of a hollow cube, and of a sheet", "[mesh]") {
  const MeshFolder folder;
  // The faces are half a unit from the centre: 2 (1/6) across, and 4 (1/12 + 1/4) along.
  const auto cube = mesh::solid({.file = folder.obj("cube.obj", box(1, 1, 1)), .rule = mesh::Rule::shell});
  CHECK(std::abs(cube.volume - 6) < rounding);
  CHECK((cube.center - Vector3<double>(0.5, 0.5, 0.5)).norm() < rounding);
  CHECK((cube.inertia - diagonal3(5.0 / 3)).norm() < rounding);

  Surface sheet = box(2, 1, 0.5);
  sheet.resize(2);  // one side of the box
  const auto flat = mesh::solid({.file = folder.binary_stl("sheet.stl", sheet), .rule = mesh::Rule::shell});
  const Vector3<double> moments = flat.inertia.diagonal();
  CHECK(flat.remark.empty());
  // For a plate, the moment about the normal is the sum of the other two.
  CHECK(std::abs(moments.maxCoeff() - moments.sum() / 2) < rounding);
  CHECK(moments.minCoeff() > 0.01);
}

TEST_CASE("mesh: scale, reflection, reference pose, points without faces", "[mesh]") {
  const MeshFolder folder;
  const auto file = folder.binary_stl("box.stl", box(1, 2, 0.5));
  CHECK(difference(mesh::solid({.file = file, .scale = {2, 1, -4}}), box_at({0, 0, -2}, 2, 2, 2)) < 10 * rounding);
  // (x, y) -> (y - 3, 1 - x), because the frame at (1, 3) is turned by 90 deg.
  const Pose<double> frame{exp_rotation<double>({0, 0, std::numbers::pi / 2}), {1, 3, 0}};
  CHECK(difference(mesh::solid({.file = file, .reference = frame}), box_at({-3, 0, 0}, 2, 1, 0.5)) < 10 * rounding);
  mesh::Source points;
  for (const auto& face : box(1, 2, 0.5)) points.vertices.insert(points.vertices.end(), face.begin(), face.end());
  points.vertices.emplace_back(0.5, 0.5, 0.25);  // inside
  CHECK(difference(mesh::solid(points), box_at({0, 0, 0}, 1, 2, 0.5)) < rounding);
  const auto tetrahedron =
      mesh::solid({.file = folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\n")});
  CHECK(std::abs(tetrahedron.volume - 1.0 / 6) < rounding);
  CHECK((tetrahedron.center - Vector3<double>(0.25, 0.25, 0.25)).norm() < rounding);
}

TEST_CASE("mesh: what is no solid is rejected, naming the file", "[mesh]") {
  const MeshFolder folder;
  const auto rejected = [&](const std::filesystem::path& file, mesh::Rule rule,
                            std::initializer_list<const char*> parts) {
    return rejection_of([&] { mesh::solid({.file = file, .rule = rule}); }, parts);
  };
  const auto exact = mesh::Rule::exact;
  CHECK(rejected("/none/a.stl", exact, {"'/none/a.stl'", "does not exist"}) == "rejected");
  CHECK(rejected(folder.write("a.dae", "x"), exact, {"a.dae'", "must end with .stl, .obj or .msh"}) == "rejected");
  CHECK(rejected(folder.write("a.stl", "no mesh"), exact, {"a.stl'", "cannot be read as .stl", "solid", "7"}) ==
        "rejected");
  CHECK(rejected(folder.write("a.msh", "no mesh"), exact, {"a.msh'", "cannot be read as .msh", "7 bytes"}) ==
        "rejected");
  CHECK(rejected(folder.write("long.msh", std::string(17, '\0')), exact, {"long.msh'", "17 bytes"}) == "rejected");
  CHECK(rejected(folder.write("less.msh", std::string(16, '\xff')), exact, {"less.msh'", "16 bytes"}) == "rejected");
  CHECK(rejected(folder.write("none.msh", std::string(16, '\0')), exact, {"none.msh'", "0 vertices"}) == "rejected");
  CHECK(rejected(folder.write("three.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"), exact, {"three.obj'", "3 vertices"}) ==
        "rejected");
  CHECK(rejected(folder.write("none.stl", "solid none\nendsolid none\n"), exact, {"none.stl'", "no faces"}) ==
        "rejected");
  CHECK(rejected(folder.binary_stl("out.stl", inside_out(box(1, 1, 1))), exact,
                 {"out.stl'", "negative volume", "inside out"}) == "rejected");
  Surface mixed = box(1, 1, 1);
  std::swap(mixed[0][1], mixed[0][2]);
  const auto opposite = folder.binary_stl("mixed.stl", mixed);
  CHECK(rejected(opposite, exact, {"mixed.stl'", "opposite sense"}) == "rejected");
  CHECK(std::abs(mesh::solid({.file = opposite, .rule = mesh::Rule::legacy}).volume - 1) < rounding);
  const Surface sheet = {{Vector3<double>(0, 0, 0), Vector3<double>(1, 0, 0), Vector3<double>(0, 1, 0)},
                         {Vector3<double>(1, 0, 0), Vector3<double>(1, 1, 0), Vector3<double>(0, 1, 0)}};
  const auto flat = folder.binary_stl("flat.stl", sheet);
  CHECK(rejected(flat, exact, {"flat.stl'", "too small for a solid"}) == "rejected");
  CHECK(rejected(flat, mesh::Rule::convex, {"flat.stl'", "too small for a solid"}) == "rejected");
  CHECK(rejection_of(
            [] {
              mesh::solid({.vertices = {4, Vector3<double>(0, 0, 0)}, .faces = {{0, 1, 4}}});
            },
            {"vertex 4 of a face"}) == "rejected");
  CHECK(rejection_of(
            [] {
              mesh::solid({.scale = {NAN, 1, 1}, .vertices = {4, Vector3<double>(0, 0, 0)}});
            },
            {"not finite"}) == "rejected");

  Surface open = box(1, 1, 1);
  open.pop_back();
  const auto opened = mesh::solid({.file = folder.binary_stl("open.stl", open)});
  CHECK(opened.remark.find("open.stl' is not closed") != std::string::npos);
  const auto two = folder.write("two.obj",
                                "o a\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 4 3\nf 1 2 4\nf 2 3 4\n"
                                "o b\nv 9 9 9\nf 5 1 2\n");
  const auto first = mesh::solid({.file = two});
  CHECK(std::abs(first.volume - 1.0 / 6) < rounding);
  CHECK(first.remark.find("2 objects or groups have faces") != std::string::npos);
}

namespace {

/// A floating body with these geoms, whose mass matrix shows all of its inertia, and one on a hinge.
std::string with_geoms(const std::string& compiler, const std::string& assets, const std::string& geoms) {
  return "<mujoco><compiler " + compiler + "/><default><mesh scale='2 2 2'/><default class='small'>" +
         "<mesh scale='.5 .5 .5'/></default></default><asset>" + assets +
         "</asset><worldbody><body pos='1 2 3'><freejoint/>" + geoms +
         "<body pos='0 1 0'><joint axis='1 2 3'/><geom size='.2'/></body></body></worldbody></mujoco>";
}

}  // namespace

TEST_CASE("mjcf: geoms of meshes give their bodies inertia", "[mesh]") {
  const MeshFolder folder;
  folder.binary_stl("meshes/box.stl", box(1, 2, 0.5));
  const mjcf::Options options{.folder = folder.write("m.xml", "").parent_path(), .solid_of_mesh = mesh::solid};
  const auto inertia = [&](const std::string& compiler, const std::string& mesh, const std::string& geom) {
    const auto model = mjcf::parse(with_geoms(compiler, mesh, geom), options);
    return model.inertia(model.bodies()[0]).vector();
  };
  const auto equal = [](const Vector10<double>& found, const Inertia<double>& expected) {
    return (found - InertialParameters<double>(expected).vector()).norm() < 1e-12 * found.norm();
  };
  CHECK(equal(inertia("meshdir='meshes'", "<mesh file='box.stl'/>", "<geom type='mesh' mesh='box' density='3'/>"),
              box_at({0, 0, 0}, 2, 4, 1, 3)));
  CHECK(equal(inertia("assetdir='meshes' strippath='true'", "<mesh name='m' class='small' file='elsewhere/box.stl'/>",
                      "<geom type='mesh' mesh='m' mass='7' pos='1 0 0'/>"),
              box_at({1, 0, 0}, 0.5, 1, 0.25, 56)));
  // The box fitted to a box is that box.
  CHECK(
      equal(inertia("", "<mesh file='meshes/box.stl' inertia='convex'/>", "<geom type='box' mesh='box' density='2'/>"),
            box_at({0, 0, 0}, 2, 4, 1, 2)));
  // The shell is that of the fitted box; the mesh's solid gives only the size.
  const std::string hollow = " shellinertia='true' mass='3'/>", box_mesh = "<mesh file='meshes/box.stl'/>";
  CHECK((inertia("", box_mesh, "<geom type='box' mesh='box'" + hollow) -
         inertia("", box_mesh, "<geom type='box' size='1 2 .5' pos='1 2 .5'" + hollow))
            .norm() < 1e-12);
  // An sdf geom with a mesh has the inertia of the mesh.
  CHECK(inertia("", box_mesh, "<geom type='sdf' mesh='box'/>") ==
        inertia("", box_mesh, "<geom type='mesh' mesh='box'/>"));

  const auto rejected = [&](const std::string& compiler, const std::string& mesh, const std::string& geom,
                            std::initializer_list<const char*> parts) {
    return rejection_of([&] { inertia(compiler, mesh, geom); }, parts);
  };
  const std::string uses = "<geom type='mesh' mesh='box'/>", file = "<mesh file='meshes/box.stl' ";
  CHECK(rejected("", "<mesh name='box' file='no.stl'/>", uses,
                 {"MJCF text: line 1: mesh 'box': mesh file '", "no.stl'", "does not exist"}) == "rejected");
  CHECK(rejected("", file + "/>", "<geom type='mesh' mesh='b'/>", {"<geom>", "mesh='b'", "<asset>"}) == "rejected");
  CHECK(rejected("", file + "/>" + file + "/>", uses, {"<mesh>", "another mesh"}) == "rejected");
  CHECK(rejected("", file + "vertex='1 2 3'/>", uses, {"both a file and vertex"}) == "rejected");
  CHECK(rejected("", "<mesh name='box' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'/>", uses,
                 {"mesh 'box'", "face='0 1 4'", "0 to 3"}) == "rejected");
  CHECK(rejected("", "<mesh name='box' builtin='sphere'/>", uses, {"builtin"}) == "rejected");
  CHECK(rejected("fitaabb='true'", file + "/>", "<geom type='box' mesh='box'/>", {"fitaabb"}) == "rejected");
  CHECK(rejected("", file + "/>", "<geom type='capsule' mesh='box' fromto='0 0 0 1 0 0'/>", {"fromto"}) == "rejected");
  // Doubtful meshes give notes.
  Surface open = box(1, 2, 0.5);
  open.pop_back();
  folder.binary_stl("open.stl", open);
  const auto note = [&](const std::string& mesh) {
    const auto model =
        mjcf::parse(with_geoms("", "<mesh name='m' " + mesh + "/>", "<geom type='mesh' mesh='m'/>"), options);
    return model.notes().empty() ? "" : to_string(model.notes().front());
  };
  CHECK(note("file='meshes/box.stl' inertia='convex'").empty());
  CHECK(note("file='open.stl' inertia='exact'").find("line 1: mesh 'm': mesh file '") == 0);
  CHECK(note("file='open.stl' inertia='exact'").find("is not closed") != std::string::npos);
  CHECK(note("file='meshes/box.stl' inertia='convex' maxhullvert='6'").find("maxhullvert") != std::string::npos);
  // If nothing needs a mesh, its file is not read.
  CHECK(inertia("", "<mesh name='box' file='no.stl'/>", "<geom type='mesh' mesh='box' mass='0'/><geom size='1'/>")[0] >
        0);
}

#ifdef CORIO_TEST_MUJOCO

// MuJoCo keeps vertices as floats also after it has moved and turned them, 6e-8 relative, and its search for principal
// axes stops at angles of 1.4e-6, see mjcf_mujoco_test.cpp.
constexpr double tolerance_of_floats = 2e-5;

TEST_CASE("mjcf: bodies of meshes move as in MuJoCo", "[mesh][mujoco]") {
  const MeshFolder folder;
  folder.binary_stl("meshes/angle.stl", angle(0.7));
  folder.binary_stl("meshes/corner.stl", corner(1, 2, 3));
  folder.obj("meshes/box.obj", box(1, 2, 0.5));
  folder.msh("meshes/angle.msh", angle(0.7));
  folder.msh("meshes/points.msh", angle(0.7), false);
  const std::string moved = " pos='.3 -.1 .2' euler='20 -40 70'/>";
  const auto geom = [&](const std::string& name, const std::string& more) {
    return "<geom mesh='" + name + "' " + more + moved;
  };
  const std::string angle_mesh = "<mesh file='angle.stl' refpos='.1 .2 -.3' refquat='1 .2 -.5 .3'/>";
  const std::string exact = "meshdir='meshes' exactmeshinertia='true'", legacy = "meshdir='meshes/'";
  const std::string points = "vertex='0 0 0 1 0 0 0 1 0 0 0 1 .2 .2 .2'";
  struct Case {
    const char* name;
    std::string compiler, mesh, geoms;
  };
  const std::vector<Case> cases = {
      {"exact, with reference pose", exact, angle_mesh, geom("angle", "type='mesh' density='120'")},
      {"exact, mirrored, given a mass", exact, "<mesh name='m' file='angle.stl' scale='.4 -.5 .6'/>",
       geom("m", "type='mesh' mass='3'")},
      {"exact, of a class", exact, "<mesh class='small' file='corner.stl'/>", geom("corner", "type='mesh'")},
      {"OBJ", exact, "<mesh file='box.obj' scale='1 1 2'/>", geom("box", "type='mesh'")},
      {"MSH", exact, "<mesh file='angle.msh' scale='1 1 2'/>", geom("angle", "type='mesh'")},
      {"MSH without faces", exact, "<mesh file='points.msh'/>", geom("points", "type='mesh'")},
      {"legacy, given a mass", legacy, angle_mesh, geom("angle", "type='mesh' mass='4'")},
      {"legacy of a box", legacy, "<mesh file='box.obj'/>", geom("box", "type='mesh' density='700'")},
      {"points and their hull", exact, "<mesh name='p' " + points + "/>", geom("p", "type='mesh'")},
      {"points and faces", exact, "<mesh name='p' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 3 2 0 1 3 1 2 3'/>",
       geom("p", "type='mesh'")},
      {"several geoms", exact, angle_mesh + "<mesh file='corner.stl'/>",
       geom("angle", "type='mesh'") + geom("corner", "type='mesh' density='2500'") + "<geom size='.3'/>"},
      {"fitted box", exact, angle_mesh, geom("angle", "type='box'")},
      {"fitted ellipsoid", exact, angle_mesh, geom("angle", "type='ellipsoid' fitscale='.8'")},
      {"fitted sphere", legacy, angle_mesh, geom("angle", "type='sphere'")},
      {"fitted capsule", exact, "<mesh file='corner.stl'/>", geom("corner", "type='capsule' mass='2'")},
      {"fitted cylinder", legacy, "<mesh file='corner.stl'/>", geom("corner", "type='cylinder'")},
  };
  for (const auto& [name, compiler, mesh, geoms] : cases) {
    CAPTURE(name);
    const auto path = folder.write("model.xml", with_geoms(compiler, mesh, geoms));
    Mujoco mujoco(path);
    const Differences found = compare(mjcf::read(path, {.solid_of_mesh = mesh::solid}), mujoco);
    CHECK(found.largest() < tolerance_of_floats);
  }
}

#endif

#endif
