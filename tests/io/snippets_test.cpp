#include <filesystem>

#include "corio/io/mjcf.hpp"
#include "corio/io/urdf.hpp"
#include "io/urdf_text.hpp"
#include "support/guide.hpp"

// The code in the comments of the readers, as it stands there, in a folder with the files that it names.

TEST_CASE("readers: the code in comments") {
  const auto before = std::filesystem::current_path();
  const corio::test::TemporaryFile unique("");
  const auto folder = std::filesystem::path(unique.path).replace_extension();
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
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}

TEST_CASE("readers: all code in comments is in this file") {
  CHECK(corio::test::check_snippets("include/corio/io", "tests/io/snippets_test.cpp") == 2);
}
