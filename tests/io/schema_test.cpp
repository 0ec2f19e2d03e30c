#include "corio/io/schema.hpp"

#include "support/catch.hpp"

using namespace corio;

TEST_CASE("schema: the distance of words counts letters inserted, removed, replaced and exchanged") {
  CHECK(xml::edit_distance("gear", "gear") == 0);
  CHECK(xml::edit_distance("", "gear") == 4);
  CHECK(xml::edit_distance("gear", "") == 4);
  CHECK(xml::edit_distance("gea", "gear") == 1);
  CHECK(xml::edit_distance("geear", "gear") == 1);
  CHECK(xml::edit_distance("gesr", "gear") == 1);
  CHECK(xml::edit_distance("gaer", "gear") == 1);
  CHECK(xml::edit_distance("reductoin", "reduction") == 1);
  // Optimal string alignment edits no letter twice; the unrestricted distance is 2.
  CHECK(xml::edit_distance("ca", "abc") == 3);
  CHECK(xml::edit_distance("kitten", "sitting") == 3);
}

namespace {

constexpr xml::Row sample_rows[] = {{"@turn", "quat euler"},
                                    {"robot", "name", "body default"},
                                    {"body", "name pos @turn", "joint @parts?"},
                                    {"@parts", "inertial light"},
                                    {"joint", "name axis"},
                                    {"default", "", "joint?"},
                                    {"default joint", "axis"}};
constexpr xml::Schema sample_schema{sample_rows};

}  // namespace

TEST_CASE("schema: the row of an element depends on its parent, and groups stand for their words") {
  CHECK(sample_schema.find("body", "joint")->attributes == "name axis");
  CHECK(sample_schema.find("default", "joint")->attributes == "axis");
  CHECK(sample_schema.find("body", "light") == nullptr);
  const xml::Row& body = *sample_schema.find("robot", "body");
  CHECK(sample_schema.has(body.attributes, "name"));
  CHECK(sample_schema.has(body.attributes, "euler"));
  CHECK_FALSE(sample_schema.has(body.attributes, "turn"));
  CHECK_FALSE(sample_schema.has(body.attributes, "@turn"));
  CHECK_FALSE(sample_schema.has(body.attributes, ""));
  CHECK(sample_schema.most(body.children, "joint") > 1);
  CHECK(sample_schema.most(body.children, "light") == 1);
  CHECK(sample_schema.most(body.children, "body") == 0);
  CHECK(sample_schema.most(sample_schema.find("robot", "default")->children, "joint") == 1);
}

TEST_CASE("schema: whether a name is that of a child anywhere") {
  CHECK(sample_schema.knows_child("light"));
  CHECK_FALSE(sample_schema.knows_child("euler"));
}

TEST_CASE("schema: what was meant is the nearest word, or all are said") {
  const xml::Row& body = *sample_schema.find("robot", "body");
  CHECK(sample_schema.advice(body.attributes, "eular") == "; did you mean euler?");
  CHECK(sample_schema.advice(body.children, "jiont") == "; did you mean joint?");
  CHECK(sample_schema.advice(body.children, "lihgt") == "; did you mean light?");
  CHECK(sample_schema.advice(body.attributes, "orientation") == "; known are: name, pos, quat, euler");
  CHECK(sample_schema.advice(body.attributes, "pose") == "; did you mean pos?");
  CHECK(sample_schema.advice(body.attributes, "node") == "; known are: name, pos, quat, euler");  // two letters of four
  CHECK(sample_schema.advice("", "x") == "; it has none");
  // A word of any length is judged at once: it is too long to be a misspelt name.
  CHECK(sample_schema.advice(body.attributes, std::string(100'000'000, 'e')) == "; known are: name, pos, quat, euler");
}
