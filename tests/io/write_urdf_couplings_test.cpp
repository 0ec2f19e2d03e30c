#include <string>
#include <vector>

#include "corio/corio.hpp"
#include "corio/io/urdf.hpp"
#include "corio/io/write_urdf.hpp"
#include "support/catch.hpp"
#include "support/model_support.hpp"

using namespace corio;
using namespace corio::test;

TEST_CASE("a coupling whose ratio is no number is named in a comment", "[io][write_urdf]") {
  const auto written = [](double a, double c, double offset) {
    ModelBuilder<double> builder;
    builder.add_body({.name = "a", .joint = joint::Revolute(), .inertia = ball()});
    builder.add_body({.name = "c", .parent = "a", .joint = joint::Revolute(), .inertia = ball()});
    builder.couple("gear", {{"a_joint", a}, {"c_joint", c}}, offset, {"a_joint"});
    const std::string text = write_urdf(builder.build());
    CHECK_NOTHROW(corio::urdf::parse(text));
    return text;
  };
  CHECK(mentions(written(1e-320, 1.0, 0.0), {"Not part of URDF: loop 'gear'"}));
  CHECK(mentions(written(1e-220, 1e-220, 1e100), {"Not part of URDF: loop 'gear'"}));
  CHECK(mentions(written(1.0, 1e-320, 0.0), {"multiplier=\"-1e-320\""}));
}

TEST_CASE("couplings in a circle are written as far as mimics can say them") {
  ModelBuilder<double> builder("circle");
  std::string parent;
  for (const char* body : {"a", "b", "c"}) {
    builder.add_body({.name = body,
                      .parent = parent,
                      .joint = joint::Revolute::z(),
                      .inertia = {1.0, {0, 0, 0}, Matrix3<double>::Identity()}});
    parent = body;
  }
  builder.couple("1", {{"a_joint", 1.0}, {"b_joint", 2.0}});
  builder.couple("2", {{"b_joint", 1.0}, {"c_joint", 2.0}});
  builder.couple("3", {{"c_joint", 1.0}, {"a_joint", 2.0}});
  const std::string text = write_urdf(builder.build());
  CHECK(text.find("loop '3'") != text.npos);
  CHECK(urdf::parse(text).loops().size() == 2);
}

TEST_CASE("couplings of two joints are written as joints that mimic others") {
  auto builder = to_builder(zoo::serial_chain(4));
  const std::string names[] = {builder.bodies()[0].joint_name, builder.bodies()[1].joint_name,
                               builder.bodies()[2].joint_name};
  builder.couple("gear", {{names[0], -2.0}, {names[1], 4.0}}, 1.0, {names[1]});
  builder.couple("held", {{names[2], 2.0}}, 0.5, {names[2]});
  builder.couple("all", {{names[0], 1.0}, {names[1], 1.0}, {names[2], 1.0}});
  const std::string text = write_urdf(builder.build());
  CHECK(text.find("Not part of URDF: loop 'all'") != std::string::npos);
  const auto back = urdf::parse(text);
  REQUIRE(back.loops().size() == 2);
  // q1 = 0.5 q0 + 0.25, q2 = 0.25.
  const LoopSpec &gear = back.loops()[0], &held = back.loops()[1];
  CHECK(gear.dependent == std::vector<std::string>{names[1]});
  CHECK(gear.terms[0].factor == 1.0);
  CHECK(gear.terms[1].joint == names[0]);
  CHECK(gear.terms[1].factor == -0.5);
  CHECK(gear.offset == 0.25);
  REQUIRE(held.terms.size() == 1);
  CHECK(held.offset == 0.25);
}
