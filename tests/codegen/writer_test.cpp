#include "codegen/compiled_support.hpp"
#include "corio/codegen/write_c.hpp"
#include "corio/codegen/write_cuda.hpp"
#include "support/comma_locale.hpp"
#include "support/guide.hpp"

using namespace codegen_test;

TEST_CASE("code has the same bytes each time, whatever the locale", "[codegen][locale]") {
  const Folder folder;
  const auto all = [] {
    const auto model = robot_on<double>(joint::FreeFlyer{});
    return write_all(codegen::CWriter("robot", codegen::layout(model), {}), model, {200, 20}) +
           write_all(codegen::CudaWriter("robot", codegen::layout(model), true), model, {});
  };
  const std::string before = all();
  const test::CommaLocale comma;
  CHECK(all() == before);
}

TEST_CASE("code of a robot that is no identifier, or of a function twice, is refused", "[codegen][errors]") {
  CHECK(test::mentions(test::message_of<Error>([] { codegen::CWriter("my robot", ""); }), {"'my robot'"}));
  CHECK_NOTHROW(codegen::CWriter("state", ""));  // all its names begin with it
  codegen::CudaWriter writer("robot", "", false);
  const Recording f = codegen::record("crba", zoo::serial_chain(1));
  writer.add(f, f.schedule());
  CHECK(test::mentions(test::message_of<Error>([&] { writer.add(f, f.schedule()); }), {"'crba'", "twice"}));
}

TEST_CASE("the code of the page records a function of one's own and writes it", "[codegen][guide]") {
  CHECK(test::check_blocks("include/corio/codegen/README.md", "tests/codegen/writer_test.cpp") == 1);
  const Folder folder;
  const auto model = zoo::serial_chain(3);
  const auto robot = model.cast<codegen::Recorded>();
  Data<codegen::Recorded> data(robot);
  codegen::Recording f("power");
  const auto q = f.input("q", robot.nq()), v = f.input("v", robot.nv()), tau = f.input("tau", robot.nv());
  f.output("a", aba(robot, data, q, v, tau));
  f.output("power", tau.dot(v));

  codegen::CWriter writer("panda", codegen::layout(model));
  writer.add(f, f.schedule(codegen::cut_for(f, {})));
  for (const auto& [name, text] : writer.files()) std::ofstream(name) << text;  // panda.h with panda_power, panda.c
  CHECK(text_of("panda.h").find("/// q[3], v[3], tau[3] -> a[3], power[1]\nvoid panda_power(") != std::string::npos);
  if (exists("gcc")) CHECK(runs("gcc -std=c11 -Wall -Wextra -Werror -c panda.c"));
}
