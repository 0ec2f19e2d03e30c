#include <filesystem>

#include "corio/io/mjcf.hpp"
#include "corio/io/urdf.hpp"
#include "io/mesh_files.hpp"
#include "io/urdf_text.hpp"
#include "support/guide.hpp"
#ifdef CORIO_TEST_MESH
#include "corio/io/mesh.hpp"
#endif
#ifdef CORIO_TEST_YAML
#include "corio/io/yaml_loops.hpp"
#include "corio/mechanism/mechanism.hpp"
#endif

// The code in the comments of the readers, as it stands there, in a folder with the files that it names.

TEST_CASE("readers: the code in comments") {
  const auto before = std::filesystem::current_path();
  const corio::test::TemporaryFile unique("");
  const auto folder = std::filesystem::path(unique.path()).replace_extension();
  std::filesystem::create_directory(folder);
  std::filesystem::current_path(folder);
  for (const char* name : {"arm.urdf", "walker.urdf"}) std::ofstream(name) << corio::test::two_links("revolute");
  std::ofstream("humanoid.xml") << "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>";
  {
    auto arm = corio::urdf::load("arm.urdf");
    auto walker = corio::urdf::load("walker.urdf", corio::joint::FreeFlyer{});
    CHECK((arm.nv() == 1 && walker.nv() == 7));
  }
  const corio::Model<double> humanoid = corio::mjcf::load("humanoid.xml");
  CHECK(humanoid.nv() == 1);
#ifdef CORIO_TEST_MESH
  {
    const corio::test::MeshFolder meshes;
    std::filesystem::copy_file(meshes.binary_stl("link.stl", corio::test::box(100, 200, 300)), "link.stl");
    std::ofstream("robot.xml") << "<mujoco><asset><mesh file='link.stl'/></asset><worldbody><body><joint/>"
                                  "<geom type='mesh' mesh='link'/></body></worldbody></mujoco>";
    const auto solid = corio::mesh::solid({.file = "link.stl", .scale = {1e-3, 1e-3, 1e-3}});
    corio::mjcf::load("robot.xml", {.solid_of_mesh = corio::mesh::solid});
    CHECK(std::abs(solid.volume - 0.006) < 1e-9);
  }
#endif
#ifdef CORIO_TEST_YAML
  {
    std::ofstream("robot.urdf") << corio::test::two_links("revolute");
    std::ofstream("robot.yaml") << "closed_loop: []\nname_mot: ['j']\n";
    auto builder = corio::urdf::builder("robot.urdf");
    const auto motors = corio::yaml::add_loops(builder, "robot.yaml");
    const corio::Mechanism<double> mechanism(builder.build(), motors);
    CHECK((motors.size() == 1 && mechanism.nv() == 1));
  }
#endif
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}

TEST_CASE("readers: all code in comments is in this file") {
  CHECK(corio::test::check_snippets("include/corio/io", "tests/io/snippets_test.cpp") == 4);
}
