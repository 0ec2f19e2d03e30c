#include "corio/io/mjcf.hpp"
#include "io/rejection.hpp"
#include "support/catch.hpp"
#include "support/no_files.hpp"
#include "support/temporary_file.hpp"

using namespace corio::test;

TEST_CASE("mjcf: what is no file is rejected in a second, also where it is included") {
  const NoFiles no_files(".xml");
  for (const auto& given : no_files.all) {
    CHECK(not_rejected([](const std::filesystem::path& path) { corio::mjcf::load(path); }, given) == "");
    const TemporaryFile outer("<mujoco><include file=\"" + given.path.string() + "\"/></mujoco>", "outer.xml");
    CHECK(not_rejected([&](const std::filesystem::path&) { corio::mjcf::load(outer.path()); }, given) == "");
  }
}
