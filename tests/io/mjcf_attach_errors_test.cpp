#include "corio/io/mjcf.hpp"
#include "io/attached_models.hpp"
#include "io/rejection.hpp"
#include "support/catch.hpp"
#include "support/temporary_file.hpp"

// <attach> and <replicate> that cannot be generated are rejected.

using namespace corio;
using namespace corio::test;

namespace {

std::string rejection_of_scene(const TemporaryFolder& folder, const std::string& text,
                               std::initializer_list<const char*> parts) {
  return rejection_of([&] { mjcf::load(folder.write("scene.xml", text)); }, parts);
}

}  // namespace

TEST_CASE("mjcf: what cannot be attached or replicated is rejected with its place") {
  const TemporaryFolder folder;
  folder.write("parts/arm.xml", arm);
  folder.write("parts/wrong.xml", "<mujoco>\n<worldbody><body poss='1'/></worldbody></mujoco>");
  folder.write("parts/round.xml", "<mujoco><asset>\n<model name='s' file='../scene.xml'/></asset></mujoco>");
  const auto with = [](const std::string& file, const std::string& attributes) {
    return "<mujoco><asset>\n<model name='arm' file='" + file + "'/></asset><worldbody>\n<attach " + attributes +
           "/></worldbody></mujoco>";
  };
  const std::string file = "parts/arm.xml";
  CHECK(rejection_of_scene(folder, with(file, "model='leg' prefix=''"),
                           {"line 3: <attach>", "model='leg'", "not a <model>"}) == "rejected");
  CHECK(rejection_of_scene(folder, with(file, "model='arm' body='hand' prefix=''"),
                           {"line 3", "body='hand'", "of model 'arm'"}) == "rejected");
  CHECK(rejection_of_scene(folder, with(file, "model='arm' frame='upper' prefix=''"),
                           {"frame='upper' is not a frame"}) == "rejected");
  CHECK(rejection_of_scene(folder, with(file, "model='arm' body='upper' frame='rail' prefix=''"),
                           {"both body and frame"}) == "rejected");
  CHECK(rejection_of_scene(folder, with(file, "model='arm'"), {"needs the attribute prefix"}) == "rejected");
  CHECK(rejection_of_scene(folder, with(file, "prefix='a'"), {"needs model"}) == "rejected");
  CHECK(rejection_of_scene(folder, with(file, "body='b' prefix='a'"), {"body='b' is not a body of this model"}) ==
        "rejected");
  CHECK(rejection_of_scene(folder, with("parts/none.xml", "model='arm' prefix=''"),
                           {"scene.xml: line 2: model 'arm'", "none.xml", "does not exist"}) == "rejected");
  CHECK(rejection_of_scene(folder, with("parts/wrong.xml", "model='arm' prefix=''"),
                           {"wrong.xml: line 2: <body>", "poss"}) == "rejected");
  CHECK(rejection_of_scene(folder, with("parts/round.xml", "model='arm' prefix=''"),
                           {"round.xml: line 2: model 's'", "would contain itself"}) == "rejected");
  CHECK(rejection_of_scene(folder, scene("<attach model='arm' body='upper' prefix=''/>"),
                           {"arm.xml", "joint 'j'", "another joint"}) == "rejected");
  CHECK(rejection_of_scene(folder, scene("<attach body='cart' prefix='a_'/>"), {"'cart' holds this element"}) ==
        "rejected");
  CHECK(rejection_of_scene(
            folder,
            "<mujoco><asset><model file='parts/arm.xml'/>\n<model name='arm' file='parts/arm.xml'/></asset>"
            "</mujoco>",
            {"line 2: model 'arm'", "another model"}) == "rejected");
  CHECK(rejection_of_scene(folder, "<mujoco><asset><model name='a'/></asset></mujoco>", {"needs the attribute file"}) ==
        "rejected");
  CHECK(rejection_of_scene(folder, "<mujoco><asset><model file='x.usd' content_type='model/usd'/></asset></mujoco>",
                           {"content_type='model/usd'", "text/xml"}) == "rejected");
  for (const char* count : {"0", "-1", "1.5", "1e7", "x"})
    CHECK(rejection_of_scene(
              folder, "<mujoco><worldbody>\n<replicate count='" + std::string(count) + "'/></worldbody></mujoco>",
              {"line 2: <replicate>", "count="}) == "rejected");
}

TEST_CASE("mjcf: few lines do not generate more than memory holds") {
  const TemporaryFolder folder;
  folder.write("0.xml", "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>");
  for (int i = 1; i <= 30; ++i) {
    std::string text = "<mujoco><asset><model name='m' file='" + std::to_string(i - 1) + ".xml'/></asset><worldbody>";
    for (const char* prefix : {"a", "b"}) text += "<attach model='m' prefix='" + std::string(prefix) + "'/>";
    folder.write(std::to_string(i) + ".xml", text + "</worldbody></mujoco>");
  }
  CHECK(mjcf::load(folder.path() / "5.xml").nv() == 32);
  CHECK(rejection_of([&] { mjcf::load(folder.path() / "30.xml"); }, {".xml: line 1: <attach>", "64 MiB"}) ==
        "rejected");
  CHECK(rejection_of_scene(folder,
                           "<mujoco><worldbody><replicate count='1000000'><body/></replicate></worldbody></mujoco>",
                           {"<replicate>", "64 MiB"}) == "rejected");
  // Each file adds 20 levels to the one before.
  const auto repeated = [](const std::string& word) {
    std::string all;
    for (int i = 0; i < 20; ++i) all += word;
    return all;
  };
  for (int i = 1; i <= 25; ++i)
    folder.write(std::to_string(i) + ".xml", "<mujoco><asset><model name='m' file='" + std::to_string(i - 1) +
                                                 ".xml'/></asset><worldbody>" + repeated("<frame>") +
                                                 "<attach model='m' prefix=''/>" + repeated("</frame>") +
                                                 "</worldbody></mujoco>");
  CHECK(mjcf::load(folder.path() / "22.xml").nv() == 1);
  CHECK(rejection_of([&] { mjcf::load(folder.path() / "25.xml"); }, {"nest more than 500 deep"}) == "rejected");
}
