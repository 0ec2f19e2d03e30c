#include "codegen/compiled_support.hpp"
#include "corio/codegen/write_c.hpp"
#include "corio/codegen/write_cuda.hpp"
#include "support/comma_locale.hpp"

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
  codegen::CudaWriter writer("robot", "", false);
  const Recording f = codegen::record("crba", zoo::serial_chain(1));
  writer.add(f, f.schedule());
  CHECK(test::mentions(test::message_of<Error>([&] { writer.add(f, f.schedule()); }), {"'crba'", "twice"}));
}
