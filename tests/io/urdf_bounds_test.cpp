#include <sys/stat.h>

#include "io/urdf_text.hpp"
#include "support/catch.hpp"

// For every text the reader ends soon, with a model or a ModelError. The texts rejected here by their message would
// otherwise take hours.

using namespace corio::test;
using corio::urdf::parse;

namespace {

std::string repeated(const std::string& piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

}  // namespace

TEST_CASE("urdf: a chain of many links needs no stack") {
  constexpr int n = 20000;
  std::string text = link_xml("0");
  for (int i = 1; i <= n; ++i)
    text += link_xml(std::to_string(i)) + joint_xml("j" + std::to_string(i), "continuous", std::to_string(i - 1),
                                                    std::to_string(i), "<origin xyz='0 0 0.01'/>");
  const auto model = parse(robot_xml(text));
  CHECK(model.nv() == n);
  CHECK(model.joint("j" + std::to_string(n)).v_index() == n - 1);
  // The same chain is closed to a ring at its far end.
  text += link_xml("ring") + joint_xml("first", "continuous", "back", "ring", "") + link_xml("back") +
          joint_xml("second", "continuous", "ring", "back", "");
  CHECK(rejection(robot_xml(text), {"is also its ancestor"}) == "rejected");
}

TEST_CASE("urdf: nesting too deep for a parser's stack is rejected") {
  CHECK(rejection("<robot name='r'>" + repeated("<x>", 100000), {"line 1: malformed XML", "depth exceeded"}) ==
        "rejected");
}

TEST_CASE("urdf: long names, values and lists of attributes load or are rejected") {
  const std::string long_name(1 << 20, 'x');
  CHECK(parse(robot_xml(link_xml(long_name)), corio::joint::FreeFlyer{}).has_body(long_name));
  // Messages quote at most one line of the text.
  const std::string message = message_of([&] { parse(robot_xml(link_xml(long_name, inertial(long_name, moments)))); });
  CHECK(message.find("finite number") != message.npos);
  CHECK(message.size() < 300);
  CHECK(rejection(robot_xml("<link name='a' " + repeated("x='' ", 1001) + "/>"), {"more than 1000 attributes"}) ==
        "rejected");
  std::string attributes;
  for (int i = 0; i < 900; ++i) attributes += "x" + std::to_string(i) + "='>' ";
  CHECK(parse(robot_xml("<link name='a' " + attributes + "/>")).notes().size() == 2);
  CHECK(rejection(robot_xml("<link name='" + repeated("&#x", 1 << 20) + "'/>"), {"character reference"}) == "rejected");
  CHECK(rejection(robot_xml(repeated("&#x0000000000000", 1 << 16)), {"character reference"}) == "rejected");
  CHECK(rejection("<robot name='r'>\n\n<link name='&#x0000000000041;'/></robot>", {"line 3: malformed XML"}) ==
        "rejected");
  // These texts only look like references and attributes.
  CHECK(parse(robot_xml("<!-- &#x " + repeated("a='b' ", 2000) + "--><![CDATA[ &#x <a \" ]]>" +
                        link_xml("a&#65;&#x42;&lt;")))
            .has_frame("aAB<"));
}

TEST_CASE("urdf: entities of a document's own are not expanded") {
  std::string bomb = "<!DOCTYPE robot [<!ENTITY a0 \"ha\">";
  for (int i = 1; i < 40; ++i)
    bomb += "<!ENTITY a" + std::to_string(i) + " \"&a" + std::to_string(i - 1) + ";&a" + std::to_string(i - 1) + ";\">";
  bomb += "]>" + robot_xml(link_xml("&a39;"));
  const std::string message = message_of([&] { CHECK(parse(bomb).has_frame("&a39;")); });
  CHECK(message.size() < 300);
}

TEST_CASE("urdf: other encodings are rejected") {
  std::string wide = "\xff\xfe";
  for (const char c : robot_xml(link_xml("a"))) wide += {c, '\0'};
  CHECK(rejection(wide, {"UTF-16", "UTF-8"}) == "rejected");
  CHECK(rejection(wide.substr(2), {"line 1", "zero byte", "UTF-8"}) == "rejected");
}

TEST_CASE("urdf: what is no regular file is rejected without being read") {
  const auto message = [](const std::string& path) { return message_of([&] { corio::urdf::load(path); }); };
  CHECK(message("/dev/zero") == "URDF file '/dev/zero' is not a regular file, but a pipe or device");
  const TemporaryFile file("");
  const std::string fifo = file.path().string() + "_fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  CHECK(message(fifo) == "URDF file '" + fifo + "' is not a regular file, but a pipe or device");
  std::filesystem::remove(fifo);
  std::filesystem::resize_file(file.path(), std::uintmax_t{1} << 40);  // no space on the disk is used
  CHECK(message(file.path().string()).find("has 1099511627776 bytes, at most") != std::string::npos);
}
