#include <iostream>

#include "corio/io/mjcf.hpp"
#include "io/rejection.hpp"
#include "support/catch.hpp"

// Names that MJCF does not define at their places.

using namespace corio;

namespace {

std::string schema_rejection(const std::string& text, std::initializer_list<const char*> parts) {
  return test::rejection_of([&] { mjcf::parse(text); }, parts);
}

/// Returns a pendulum, with more sections before it on line 2.
std::string pendulum(const std::string& sections, const std::string& in_joint = "", const std::string& in_geom = "") {
  return "<mujoco>\n" + sections + "<worldbody><body><joint name='j'>" + in_joint +
         "</joint><geom size='.1' pos='0 .1 0'>" + in_geom + "</geom></body></worldbody></mujoco>";
}

}  // namespace

TEST_CASE("mjcf: a misspelt name is rejected with its line, and what was meant is said") {
  CHECK(schema_rejection(pendulum("<option gravty='0 0 -1'/>"),
                         {"MJCF text: line 2: <option>: attribute gravty='0 0 -1'", "did you mean gravity?"}) ==
        "rejected");
  CHECK(schema_rejection(pendulum("<option><flag gravty='disable'/></option>"),
                         {"line 2: <flag>: attribute gravty='disable'", "did you mean gravity?"}) == "rejected");
  CHECK(schema_rejection(pendulum("<default><jont armature='1'/></default>"),
                         {"line 2: <jont>: is not known in <default>", "did you mean joint?"}) == "rejected");
  CHECK(schema_rejection(pendulum("", "<foo/>"), {"<foo>: is not known in <joint>", "has none"}) == "rejected");
  CHECK(schema_rejection(pendulum("", "", "<body/>"), {"<body>: is not known in <geom>", "plugin"}) == "rejected");
  CHECK(schema_rejection("<mujoco><worldbody pos='0 0 1'><body/></worldbody></mujoco>",
                         {"<worldbody>: attribute pos='0 0 1'", "has none"}) == "rejected");
  CHECK(schema_rejection(pendulum("<actuator><dcmotor joint='j' gaer='50'/></actuator>"),
                         {"line 2: <dcmotor>: attribute gaer='50'", "did you mean gear?"}) == "rejected");
  CHECK(schema_rejection(pendulum("<equality><joint joint1='j' polycoeff='1'/></equality>"),
                         {"did you mean polycoef?"}) == "rejected");
  CHECK(schema_rejection(pendulum("<keyframe><keys/></keyframe>"), {"did you mean key?"}) == "rejected");
  CHECK(schema_rejection(pendulum("<asset><mesh facenormal='1'/></asset>"), {"facenormal"}) == "rejected");
}

TEST_CASE("mjcf: what may stand once in its element is rejected a second time") {
  CHECK(schema_rejection(pendulum("<option><flag/><flag/></option>"),
                         {"line 2: <flag>", "a second <flag> in its <option>"}) == "rejected");
  CHECK(schema_rejection(pendulum("<default><joint/><joint/></default>"), {"a second <joint> in its <default>"}) ==
        "rejected");
  CHECK(schema_rejection(pendulum("<default><default class='a'/><default class='b'/></default>"), {}) ==
        "(no ModelError)");
}

TEST_CASE("mjcf: names of all versions are known, and the contents of what is not read are not judged") {
  CHECK(schema_rejection(
            pendulum("<compiler convexhull='true' conflict='merge'/><option apirate='1' sleep_tolerance='1'/>"
                     "<default><pid ki='1'/><orientation kp='1'/></default>"
                     "<visual><map any='1'/></visual><sensor><anything/></sensor><custom/><size/>"),
            {}) == "(no ModelError)");
  // MuJoCo 2.3.7 and later versions give the range of a joint's force another name.
  for (const std::string name : {"force", "frc"}) {
    const auto model = mjcf::parse("<mujoco><worldbody><body><joint actuator" + name + "range='-7 7' actuator" + name +
                                   "limited='true'/><geom size='.1'/></body></worldbody></mujoco>");
    CHECK(model.effort_limit()[0] == 7.0);
  }
}

#ifndef CORIO_TEST_MUJOCO

TEST_CASE("mjcf: MuJoCo and corio reject the same names", "[mujoco]") {
  std::cout << "SKIPPED: MuJoCo was not found (Debian and Ubuntu: libmujoco-dev)\n";
}

#else

#include <mujoco/mujoco.h>
#include <tinyxml2.h>

#include <map>
#include <random>
#include <set>

#include "support/temporary_file.hpp"

namespace {

/// The elements that are read, with attributes of MuJoCo 2.2.2.
const char* const mjcf_sample = R"(<mujoco model="m">
<compiler angle="radian" autolimits="true" boundmass="0" eulerseq="xyz" fusestatic="false" meshdir="."/>
<option timestep="0.01" gravity="0 0 -9" integrator="RK4"><flag gravity="enable" passive="enable" energy="disable"/></option>
<size/><statistic/><visual/><custom/><contact/><sensor/>
<default class="main">
  <mesh scale="1 1 1"/><joint damping="1" frictionloss="0" range="0 0"/><geom density="900" friction="1 1 1"/>
  <site group="1" rgba="1 0 0 1"/><equality solref="0.02 1"/><tendon stiffness="1" width="0.01"/>
  <general gear="2" dyntype="none"/>
  <default class="c"><joint armature="0.1"/><motor ctrlrange="0 0"/></default>
  <default class="kinds">
    <position kp="2"/><velocity kv="2"/><intvelocity kp="1" actrange="0 1"/><damper kv="1" ctrlrange="0 1"/>
    <cylinder area="1"/><muscle scale="100"/><adhesion gain="1" ctrlrange="0 1"/>
  </default>
</default>
<asset><mesh name="tetra" class="c" vertex="0 0 0 1 0 0 0 1 0 0 0 1" refpos="0 0 0" smoothnormal="true"/></asset>
<worldbody>
  <geom name="floor" class="c" type="plane" size="1 1 1" conaffinity="0" contype="0"/>
  <body name="a" childclass="c" pos="0 0 1" quat="1 0 0 0">
    <inertial pos="0 0 0" mass="1" diaginertia="1 1 1" quat="1 0 0 0"/>
    <joint name="i" type="hinge" axis="0 1 0" stiffness="1" springref="0" ref="0" margin="0" limited="false"/>
    <geom name="g" type="cylinder" size="0.1" fromto="0 0 0 0 0 1" mass="1" margin="0" fluidshape="none"/>
    <site name="s" type="box" size="1 1 1" pos="0 0 0" euler="0 0 0"/>
    <body name="b" axisangle="1 0 0 0" mocap="false">
      <joint name="j" class="c" pos="0 0 0" solreflimit="0.02 1"/><geom size="0.1" user="1"/><site name="t" zaxis="0 0 1"/>
      <camera/><light/>
    </body>
  </body>
  <body name="free"><freejoint name="f" group="1"/><geom size="0.1" xyaxes="1 0 0 0 1 0"/></body>
</worldbody>
<equality>
  <connect name="e" class="c" body1="a" body2="b" anchor="0 0 0" active="true"/>
  <weld body1="a" body2="b" relpose="0 0 0 1 0 0 0" solimp="0.9 0.95 0.001 0.5 2" torquescale="1"/>
  <joint joint1="i" joint2="j" polycoef="0 1 0 0 0"/><tendon tendon1="x" tendon2="y" polycoef="0 1 0 0 0"/>
</equality>
<tendon>
  <spatial name="x" class="c" springlength="1" width="0.1" rgba="1 0 0 1"><site site="s"/><geom geom="g" sidesite="t"/><site site="t"/><pulley divisor="2"/><site site="s"/><site site="t"/></spatial>
  <fixed name="y" range="0 0" damping="1"><joint joint="i" coef="1"/></fixed>
</tendon>
<actuator>
  <general name="A" class="c" joint="i" dynprm="1" biastype="none" ctrllimited="false"/>
  <motor jointinparent="i" lengthrange="0 0"/><position tendon="x" kp="1" group="1"/><velocity site="s" refsite="t"/>
  <damper joint="i" ctrlrange="0 1" forcelimited="false"/><adhesion body="a" ctrlrange="0 1" forcerange="0 0"/>
  <intvelocity joint="i" actrange="0 1"/><cylinder joint="i" diameter="1" timeconst="1" bias="0 0 0"/>
  <muscle tendon="x" force="1" lengthrange="0 1" lmin="0.5" vmax="1"/>
</actuator>
<keyframe><key name="k" time="0" qvel="0 0 0 0 0 0 0 0"/></keyframe>
</mujoco>)";

struct MjcfSample {
  tinyxml2::XMLDocument document;
  std::vector<tinyxml2::XMLElement*> elements;
  MjcfSample() {
    document.Parse(mjcf_sample);
    REQUIRE_FALSE(document.Error());
    collect(document.RootElement());
  }
  void collect(tinyxml2::XMLElement* e) {
    elements.push_back(e);
    for (auto* c = e->FirstChildElement(); c; c = c->NextSiblingElement()) collect(c);
  }
  std::string text() const {
    tinyxml2::XMLPrinter printer;
    document.Print(&printer);
    return printer.CStr();
  }
};

bool mentions_one(const std::string& text, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(parts, [&](const char* part) { return text.find(part) != text.npos; });
}
/// Tells whether MuJoCo, or corio, rejects a name. Other errors are not compared here.
bool rejected_by_mujoco(const std::string& text, std::string& error) {
  const test::TemporaryFile file(text, "schema.xml");
  char buffer[1000] = "";
  mj_deleteModel(mj_loadXML(file.path().c_str(), nullptr, buffer, sizeof buffer));
  error = buffer;
  return mentions_one(error, {"Schema violation", "World body cannot have attributes", "Unrecognized XML model type"});
}
/// An attribute of options or of the solver may belong to a later version: corio names it in a note.
bool rejected_by_corio(const std::string& text, std::string& error) {
  error.clear();
  try {
    mjcf::Options options;
    options.meshes = mjcf::Meshes::massless;
    for (const Note& note : mjcf::parse(text, options).notes())
      if (note.found.ends_with(" is not known")) error = to_string(note);
  } catch (const ModelError& e) {
    error = e.what();
  }
  return mentions_one(error, {" is not known in <", " is not known;", ": is a second <", "MJCF has <mujoco>"});
}

std::vector<std::string> misspellings(const std::string& word) {
  std::string swapped = word;
  if (word.size() > 1) std::swap(swapped[word.size() / 2], swapped[word.size() / 2 - 1]);
  return {word + "s", word.substr(1) + "x", swapped == word ? word + word : swapped};
}

/// Compares the two after a change of the sample, and counts the changes.
struct SchemaCounts {
  int all = 0, rejected = 0;
  void compare(const MjcfSample& changed) {
    const std::string text = changed.text();
    std::string theirs, ours;
    const bool a = rejected_by_mujoco(text, theirs), b = rejected_by_corio(text, ours);
    CAPTURE(theirs, ours, text);
    CHECK(a == b);
    ++all, rejected += a;
  }
};

/// Tells whether an attribute of the sample has a further place in versions of MuJoCo after 2.2.2.
bool is_newer(const std::string& element, const std::string& attribute) {
  const std::set<std::string> tendons = {"spatial", "fixed"};
  const std::set<std::string> actuators = {"general",     "motor",  "position", "velocity",
                                           "intvelocity", "damper", "cylinder", "muscle"};
  if (attribute == "armature" && tendons.contains(element)) return true;
  if (attribute == "mesh" && element == "site") return true;
  if (attribute == "armature" || attribute == "damping") return actuators.contains(element);
  return (element == "position" && (attribute == "kv" || attribute == "timeconst")) ||
         (element == "intvelocity" && attribute == "kv");
}

/// Elements that are not read: their content is not checked.
const std::set<std::string> unread_elements = {"size",    "statistic", "visual", "custom",
                                               "contact", "sensor",    "camera", "light"};

}  // namespace

TEST_CASE("mjcf: MuJoCo and corio reject the same names", "[mujoco]") {
  const MjcfSample original;
  std::string error;
  REQUIRE_FALSE(rejected_by_mujoco(original.text(), error));
  CAPTURE(error);
  REQUIRE(error.empty());
  REQUIRE_FALSE(rejected_by_corio(original.text(), error));
  REQUIRE(error.empty());
  const std::size_t n = original.elements.size();
  std::set<std::string> elements, attributes;
  for (const auto* e : original.elements) {
    elements.insert(e->Name());
    for (const auto* a = e->FirstAttribute(); a; a = a->Next()) attributes.insert(a->Name());
  }

  SchemaCounts spelling, places;
  for (std::size_t i = 0; i < n; ++i) {
    for (const std::string& name : misspellings(original.elements[i]->Name())) {
      MjcfSample changed;
      changed.elements[i]->SetName(name.c_str());
      spelling.compare(changed);
    }
    for (const auto* a = original.elements[i]->FirstAttribute(); a; a = a->Next())
      for (const std::string& name : misspellings(a->Name())) {
        MjcfSample changed;
        changed.elements[i]->DeleteAttribute(a->Name());
        changed.elements[i]->SetAttribute(name.c_str(), a->Value());
        spelling.compare(changed);
      }
  }
  // Puts each element into each other element, and each attribute on each element.
  std::set<std::pair<std::string, std::string>> done;
  for (std::size_t i = 0; i < n; ++i) {
    const auto* e = original.elements[i];
    if (unread_elements.contains(e->Name())) continue;
    const std::string parent = i == 0 ? "" : e->Parent()->ToElement()->Name();
    if (!done.emplace(parent, e->Name()).second) continue;
    for (const std::string& name : elements) {
      MjcfSample changed;
      changed.elements[i]->InsertEndChild(changed.document.NewElement(name.c_str()));
      places.compare(changed);
    }
    for (const std::string& name : attributes) {
      if (e->Attribute(name.c_str()) || is_newer(e->Name(), name)) continue;
      MjcfSample changed;
      changed.elements[i]->SetAttribute(name.c_str(), "1");
      places.compare(changed);
    }
  }
  std::cout << "mjcf: of " << spelling.all << " misspelt names " << spelling.rejected << " are rejected, of "
            << places.all << " names in other places " << places.rejected << "\n";
  CHECK(spelling.rejected == spelling.all);
  CHECK(places.rejected < places.all);
}

#endif
