#include "corio/io/mjcf.hpp"
#include "io/mjcf_text.hpp"
#include "support/catch.hpp"
#include "support/compare.hpp"

using namespace corio;
using namespace corio::test;

TEST_CASE("mjcf: what has no effect on the model although it has one in MuJoCo is noted") {
  const auto check = [](const std::string& text, const std::string& part) {
    CAPTURE(text, part);
    const auto notes = notes_of(text);
    REQUIRE(notes.size() == 1);
    CHECK(notes[0].find(part) != std::string::npos);
  };
  const std::string body = "<body name='b'><joint name='j' axis='1 0 0'/>" + inertial + "</body>";
  check(world(body, "<actuator><motor joint='j'/></actuator>"), "<actuator>: forces, gears");
  check(world(body, "<option density='1.2'/>"), "forces of the medium");
  check(world(body, "<deformable><flex/></deformable>"), "flexible");
  check(world(body + "<body name='m' mocap='true'/>"), "body 'm': mocap");
  check(world("<body name='b' gravcomp='1'><joint axis='1 0 0'/>" + inertial + "</body>"), "gravcomp='1'");
  check(hinge_body(inertial, "<joint type='ball' range='0 1'/>"), "range of a ball joint");
  check(hinge_body(inertial, "<joint axis='1 0 0' actuatorfrcrange='-1 2'/>"), "not symmetric");
  check(hinge_body(inertial, "<joint axis='1 0 0' damping='1 2'/>"), "damping='1 2' gives the force -(a v + b v |v|");
  check(hinge_body(inertial, "<joint axis='1 0 0' stiffness='0 0 3'/>"), "stiffness='0 0 3' gives the force -(a x + b");
  check(hinge_body(inertial, "<joint type='free' stiffness='1'/>"), "spring between a free body");
  check(hinge_body(inertial, "<joint type='free' armature='1'/>"), "armature of a free joint");
  check(hinge_body(inertial, "<joint type='free' frictionloss='1'/>"), "frictionloss of a free joint");
  const auto with_geom = [](const std::string& geom) {
    return world("<body name='b'><joint axis='1 0 0'/><geom size='1' " + geom + "/></body>",
                 "<compiler discardvisual='true'/>");
  };
  check(with_geom("contype='0' conaffinity='0'"), "discardvisual");
  CHECK(notes_of(with_geom("conaffinity='0'")).empty());
  CHECK(notes_of(with_geom("contype='0'")).empty());
  // The note is given once for all sites.
  const std::string joint = "<joint axis='1 0 0'/>";
  check(world("<body name='b'>" + joint + inertial + "<site name='b'/><body name='c'>" + joint + inertial +
              "<site name='c'/></body></body>"),
        "'b_site'");
  check(hinge_body(inertial + "<plugin/>", "<joint axis='1 0 0'/>"), "plugins");
  CHECK(notes_of(world(body, "<actuator/><asset/><sensor><clock/></sensor>")).empty());
  // The linear term of a polynomial counts.
  const auto linear = [&](const std::string& attributes) {
    return mjcf::parse(world("<body><joint axis='1 0 0' " + attributes + "/>" + inertial + "</body>",
                             "<default><joint damping='4 5 6'/></default>"));
  };
  CHECK(linear("").damping()[0] == 4.0);
  CHECK(linear("damping='1 2'").damping()[0] == 1.0);
  CHECK(linear("damping='1 0 0' stiffness='3 0'").notes().empty());
  CHECK(linear("damping='1' stiffness='3 0'").notes().size() == 1);  // the rest is inherited
  // Symmetric limits of force are kept.
  CHECK(mjcf::parse(hinge_body(inertial, "<joint axis='1 0 0' actuatorfrcrange='-3 3'/>")).effort_limit()[0] == 3.0);
}

TEST_CASE("mjcf: options, flags and parameters of the solver that are not known are noted, misspelt ones rejected") {
  const auto notes = [](const std::string& option, const std::string& joint = "") {
    return notes_of("<mujoco><option " + option + "</option><worldbody><body name='b'><joint name='j' " + joint + "/>" +
                    inertial + "</body></worldbody></mujoco>");
  };
  const auto says = [](const std::vector<std::string>& all, const std::string& what) {
    return std::ranges::any_of(all, [&](const std::string& note) { return note.find(what) != note.npos; });
  };
  CHECK(notes("integrator='discrete' solver='CG'><flag ipc='enable' speculative='disable'/>").empty());
  CHECK(says(notes("><flag zebra='enable'/>"), "zebra='enable' is not known"));
  CHECK(says(notes("zebra='1'>"), "zebra='1' is not known"));
  CHECK(says(notes(">", "solzebra='1'"), "solzebra='1' is not known"));
  CHECK(says(notes(">", "stiffness='5' springyield='.3'"), "springyield"));
  CHECK_NOTHROW(
      mjcf::parse("<mujoco><compiler savecompiled='true' savecanonical='true'/><worldbody><body name='b'><joint "
                  "name='j'/><site name='s' mesh='m'/>" +
                  inertial +
                  "</body></worldbody><tendon><fixed springyield='1'><joint joint='j' coef='1'/></fixed></tendon>"
                  "</mujoco>"));
  CHECK_THROWS_AS(notes("gravty='0 0 1'>"), ModelError);
  CHECK_THROWS_AS(notes("><flag gravty='disable'/>"), ModelError);
  CHECK_THROWS_AS(notes(">", "zebra='1'"), ModelError);
}

TEST_CASE("mjcf: friction and armature of a free joint have a note wherever they come from; its damping needs none") {
  const auto notes = [](const std::string& joint, const std::string& defaults) {
    return notes_of(world("<body name='b'>" + joint + inertial + "</body>", "<default>" + defaults + "</default>"));
  };
  const std::string free = "<joint type='free'/>", friction = "<joint frictionloss='0.1'/>";
  REQUIRE(notes(free, friction).size() == 1);
  CHECK(notes(free, friction)[0].find("linear part acts along the axes of the body") != std::string::npos);
  CHECK(notes("<joint type='free' class='c'/>", "<default class='c'>" + friction + "</default>").size() == 1);
  CHECK(notes("<joint type='free' frictionloss='0'/>", friction).empty());
  CHECK(notes("<freejoint/>", friction).empty());  // a free joint has no defaults
  CHECK(notes("<joint type='ball'/>", "<joint frictionloss='0.1' armature='0.1' stiffness='2' damping='3'/>").empty());
  CHECK(notes("<joint type='free' damping='3'/>", "").empty());
  const std::string all = "<joint frictionloss='0.1' armature='0.1' stiffness='2' damping='3'/>";
  CHECK(notes(free, all).size() == 3);
  // An item that a flag disables is covered by the flag's note alone.
  for (const std::string flag : {"frictionloss", "constraint", "spring", "passive"}) {
    CAPTURE(flag);
    const auto found = notes_of(world("<body name='b'>" + free + inertial + "</body>",
                                      "<default>" + all + "</default><option><flag " + flag + "='disable'/></option>"));
    CHECK(found.size() == 3);
    CHECK(std::ranges::count_if(found, [](const auto& note) { return note.find("disable") != note.npos; }) == 1);
  }
}

TEST_CASE("mjcf: what flags turn off is not in the model, with a note") {
  const auto model = [](const std::string& flags) {
    return mjcf::parse("<mujoco><option><flag " + flags +
                       "/></option><compiler angle='radian'/><worldbody><body>"
                       "<joint name='j' range='-1 2' stiffness='3' springref='1' damping='4' frictionloss='5'/>" +
                       inertial + "</body></worldbody><equality><joint joint1='j'/></equality></mujoco>");
  };
  struct Found {
    bool gravity, loops, friction, limits, springs, damping;
    std::size_t notes;
    bool operator==(const Found&) const = default;
  };
  const auto found = [&](const std::string& flags) {
    const Model<double> m = model(flags);
    return Found{m.gravity()[2] != 0.0,   !m.loops().empty(),
                 m.friction()[0] == 5.0,  m.lower_limit()[0] == -1.0 && m.upper_limit()[0] == 2.0,
                 m.stiffness()[0] == 3.0, m.damping()[0] == 4.0,
                 m.notes().size()};
  };
  // The fields are gravity, loops, friction, limits, springs, damping; notes.
  CHECK(found("") == Found{true, true, true, true, true, true, 0});
  CHECK(found("gravity='disable'") == Found{false, true, true, true, true, true, 0});
  CHECK(found("equality='disable'") == Found{true, false, true, true, true, true, 1});
  CHECK(found("frictionloss='disable'") == Found{true, true, false, true, true, true, 1});
  CHECK(found("limit='disable'") == Found{true, true, true, false, true, true, 1});
  CHECK(found("constraint='disable'") == Found{true, false, false, false, true, true, 1});
  CHECK(found("spring='disable'") == Found{true, true, true, true, false, true, 1});
  CHECK(found("damper='disable'") == Found{true, true, true, true, true, false, 1});
  CHECK(found("passive='disable'") == Found{true, true, true, true, false, false, 1});
  CHECK(found("spring='disable' damper='disable' equality='disable'") ==
        Found{true, false, true, true, false, false, 3});
  // The other flags do not concern the model.
  for (const std::string other :
       {"contact",  "clampctrl", "warmstart",   "filterparent", "actuation", "refsafe",  "sensor",
        "midphase", "eulerdamp", "autoreset",   "nativeccd",    "island",    "multiccd", "override",
        "energy",   "fwdinv",    "invdiscrete", "sensornoise",  "sleep",     "diagexact"})
    for (const std::string value : {"disable", "enable"}) {
      CAPTURE(other, value);
      CHECK(found(other + "='" + value + "'") == found(""));
    }
  CHECK_THROWS_AS(model("gravity='off'"), ModelError);
  CHECK_THROWS_AS(model("contact='off'"), ModelError);
  // A later section overrides an earlier one; values that it does not name stay.
  CHECK(found("equality='disable' limit='disable'/></option><option><flag limit='enable'") ==
        Found{true, false, true, true, true, true, 1});
  const Model<double> none = model("limit='disable'");
  CHECK(std::isinf(none.lower_limit()[0]));
  CHECK(std::isinf(none.upper_limit()[0]));
}

TEST_CASE("mjcf: meshes are rejected where inertia must come from them, or massless with a note") {
  const std::string mesh = "<geom type='mesh' mesh='m' name='g'/>";
  const std::string needed = hinge_body(mesh + "<geom size='.1' pos='1 0 0'/>");
  CHECK_THROWS_AS(mjcf::parse(needed), ModelError);
  CHECK(notes_of(hinge_body(mesh + inertial)).empty());
  CHECK(notes_of(hinge_body("<geom type='mesh' mass='0'/><geom size='.1' pos='1 0 0'/>")).empty());
  mjcf::Options options;
  options.meshes = mjcf::Meshes::massless;
  CHECK(notes_of(needed, options).size() == 1);
}

TEST_CASE("mjcf: notes where MuJoCo would put a least mass elsewhere, reject it, or number bodies by its version") {
  const auto with_bound = [](const std::string& geoms) {
    return notes_of(
        world("<body name='b'><joint/>" + geoms + "</body>", "<compiler boundmass='.1' boundinertia='.1'/>"));
  };
  const std::string massless = "<geom size='.1' mass='0' pos='1 0 0'/>";
  CHECK(with_bound(massless).empty());
  REQUIRE(with_bound(massless + massless).size() == 1);
  CHECK(with_bound(massless + massless)[0].find("body 'b': its geoms have no mass") != std::string::npos);

  const std::string moving = "<body><joint axis='1 0 0'/>" + inertial + "</body>";
  const auto fused = [&](const std::string& first, const std::string& rest) {
    return notes_of(world(first + moving, "<compiler fusestatic='true'/>" + rest));
  };
  const std::string sensor = "<sensor><clock/></sensor>";
  CHECK(fused("<body/>", "").empty());
  // A body that is fused has no number.
  const Model<double> model = mjcf::parse(world("<body/>" + moving, "<compiler fusestatic='true'/>"));
  CHECK(model.bodies().back().name() == "body1");
  CHECK(model.has_frame("world_static"));
  // Its mass does not count as moving mass either.
  const auto mass = [&](const std::string& fuse) {
    const Model<double> scaled = mjcf::parse(
        world("<body>" + inertial + "</body>" + moving, "<compiler settotalmass='3' fusestatic='" + fuse + "'/>"));
    return scaled.inertia(scaled.bodies().back()).mass;
  };
  CHECK(mass("true") == Approx(3.0));
  CHECK(mass("false") == Approx(1.5));
  CHECK(fused("", sensor).empty());
  REQUIRE(fused("<body/>", sensor).size() == 1);
  CHECK(fused("<body/>", sensor)[0].find("fusestatic") != std::string::npos);
}
