#include "corio/io/mjcf.hpp"
#include "io/rejection.hpp"
#include "support/catch.hpp"

// Keyframes with fewer numbers than the model has.

TEST_CASE("mjcf: numbers that a key lacks at its end are those of joints at rest, as MuJoCo completes them") {
  using Numbers = std::vector<double>;
  const auto key = [](const std::string& attributes) {
    return corio::mjcf::read_text(R"(<mujoco><compiler angle="radian"/><worldbody>
      <body pos="1 2 3" quat="0 1 0 0"><freejoint/><geom size="0.1"/></body>
      <body><joint ref="0.5"/><geom size="0.1"/>
        <body><joint type="ball"/><geom size="0.1"/>
          <body><joint type="slide" ref="-0.2"/><joint/><geom size="0.1"/></body></body></body></worldbody>
      <keyframe><key )" + attributes +
                                  "/></keyframe></mujoco>")
        .keyframes.at(0);
  };
  const auto qpos = [&](const std::string& numbers) { return key("qpos='" + numbers + "'").qpos; };
  // Missing positions and speeds are zero, hinges and slides are at their ref, and orientations are the identity.
  CHECK(qpos("5") == Numbers{5, 0, 0, 1, 0, 0, 0, 0.5, 1, 0, 0, 0, -0.2, 0});
  CHECK(qpos("5 6 7 0 0 0 1") == Numbers{5, 6, 7, 0, 0, 0, 1, 0.5, 1, 0, 0, 0, -0.2, 0});
  CHECK(qpos("5 6 7 0.6 0.8") == Numbers{5, 6, 7, 0.6, 0.8, 0, 0, 0.5, 1, 0, 0, 0, -0.2, 0});
  CHECK(qpos("5 6 7 1 0 0 0 8 0 1") == Numbers{5, 6, 7, 1, 0, 0, 0, 8, 0, 1, 0, 0, -0.2, 0});
  CHECK(qpos("5 6 7 0 0 0 0 8 0 0 0 0 9") == Numbers{5, 6, 7, 1, 0, 0, 0, 8, 1, 0, 0, 0, 9, 0});
  const Numbers all{5, 6, 7, 0, 0, 1, 0, 8, 0, 0, 0, 1, 9, 10};
  CHECK(qpos("5 6 7 0 0 1 0 8 0 0 0 1 9 10") == all);
  CHECK(key("qvel='1 2'").qvel == Numbers{1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  CHECK(key("qvel='1 2 3 4 5 6 7 8 9 10 11 12'").qvel == Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  // Empty lists have no numbers.
  for (const char* none : {"", "qpos='' qvel=' '"}) {
    CHECK(key(none).qpos.empty());
    CHECK(key(none).qvel.empty());
  }
  CHECK(corio::test::rejection_of([&] { qpos("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15"); },
                                  {"<key>", "qpos=", "0 to 14 finite numbers"}) == "rejected");
  CHECK(corio::test::rejection_of([&] { key("qvel='1 2 3 4 5 6 7 8 9 10 11 12 13'"); }, {"qvel=", "0 to 12"}) ==
        "rejected");
}
