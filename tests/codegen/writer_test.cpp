#include "corio/codegen/writer.hpp"
#include "codegen/compiled_support.hpp"
#include "corio/codegen/derivatives.hpp"
#include "support/comma_locale.hpp"
#include "support/guide.hpp"

using namespace codegen_test;

TEST_CASE("code has the same bytes each time, whatever the locale", "[codegen][locale]") {
  const test::WorkingFolder folder;
  const auto all = [] {
    const auto model = robot_on<double>(joint::FreeFlyer{});
    return write_all(codegen::Writer("robot", codegen::layout(model)), model, {200, 20}) +
           write_all(codegen::Writer("robot", codegen::layout(model), {true, true}), model, {});
  };
  const std::string before = all();
  const test::CommaLocale comma;
  CHECK(all() == before);
}

TEST_CASE("code of a robot that is no identifier, or of impossible lanes, is refused", "[codegen][errors]") {
  CHECK(test::mentions(test::message_of<Error>([] { codegen::Writer("my robot", ""); }), {"'my robot'"}));
  for (const char* header : {"math", "string", "Time"}) CHECK_THROWS_AS(codegen::Writer(header, ""), Error);
  for (const int lanes : {-1, 0, 3, 128}) CHECK_THROWS_AS(codegen::Writer("robot", "", {false, true, lanes}), Error);
  CHECK_THROWS_AS(codegen::Writer("robot", "", {true, true, 4}), Error);
  CHECK_NOTHROW(codegen::Writer("state", ""));  // the prefix of all its names
}

TEST_CASE("a recording is cut as its language needs", "[codegen]") {
  Recording f("f");  // sums 4000 sines; a piece in C holds 1000 lines
  const auto x = f.input("x", 2001);
  Recorded sum = 0;
  for (int i = 0; i < 2000; ++i) sum += sin(x[i]) * x[i + 1];
  f.output("sum", sum);
  const auto text = [&](const codegen::Language& language, bool whole) {
    codegen::Writer writer("robot", "", language);
    whole ? writer.add(f, f.schedule()) : writer.add(f);
    return writer.files()[language.cuda ? 0 : 1].text;
  };
  CHECK(text({}, false).find("robot_f_1(") != std::string::npos);
  CHECK(text({}, true).find("robot_f_1(") == std::string::npos);
  CHECK(text({true, true}, false) == text({true, true}, true));
}

TEST_CASE("a function is refused whose names the code has already, and the code is as it was", "[codegen][errors]") {
  const auto model = zoo::serial_chain(2);
  const auto named = [&](const std::string& name) {
    Recording f(name);
    const auto q = f.input("q", 2);
    f.output("y", sin(q[0]) + sin(q[1]));
    return f;
  };
  const auto check = [&](auto writer, const Names& taken) {
    const auto add = [&](const Recording& f, const codegen::Cut& cut) { writer.add(f, f.schedule(cut)); };
    const auto text = [&] {
      std::string all;
      for (const auto& file : writer.files()) all += file.text;
      return all;
    };
    add(named("crba"), {}), add(named("long_0"), {}), add(named("long_state_0"), {});
    const std::string before = text();
    for (const auto& name : taken) {
      CAPTURE(name);
      const Recording f = named(name);
      CHECK(test::mentions(test::message_of<Error>([&] { add(f, {}); }), {"'robot_" + name + "'", "twice"}));
    }
    const Recording f = named("long");
    CHECK_THROWS_AS(add(f, {1, 0}), Error);  // one piece has the name of another function
    CHECK(text() == before);
    CHECK_NOTHROW(add(f, {}));
  };
  check(codegen::Writer("robot", ""), {"crba", "layout", "real", "piece", "condition"});
  check(codegen::Writer("robot", "", {true, true}), {"crba", "crba_kernel", "crba_state", "at", "sincos", "put_rows"});
}

TEST_CASE("code compiles with arrays of any name and size, and any text as their layout", "[codegen]") {
  const test::WorkingFolder folder;
  const std::string layout = "a \"quoted\" word\na tab\tand\\\nanother $ROBOT, what\?\?/";
  const Names keywords{"double", "for",    "new",   "restrict",   "sin", "NAN", "linux",
                       "memory", "states", "first", "robot_real", "t1",  "q",   "q_"};
  std::vector<Recording> functions;
  Recording& all = functions.emplace_back("all");
  VectorX<Recorded> sines(keywords.size());
  for (std::size_t i = 0; i < keywords.size(); ++i) sines[Eigen::Index(i)] = sin(all.input(keywords[i], 1)[0]);
  all.output("register", sines), all.output("this", Recorded(sines.sum()));
  Recording& constant = functions.emplace_back("constant");
  constant.output("one", Recorded(1));
  functions.emplace_back("nothing").input("q", 3);
  functions.emplace_back("empty");
  Recording& copy = functions.emplace_back("copy");
  const auto q = copy.input("q", 2), none = copy.input("none", 0);
  copy.output("q_too", q), copy.output("none_too", none);
  const auto write = [&](auto writer) {
    for (const auto& f : functions) writer.add(f, f.schedule(f.name() == "all" ? codegen::Cut{5, 0} : codegen::Cut{}));
    for (const auto& [name, text] : writer.files()) std::ofstream(name) << text;
  };
  const auto check = [](const std::string& command) {
    const bool compiled = runs(command);
    INFO(command + "\n" + text_of("log"));
    CHECK(compiled);
  };
  const std::string flags = " -Wall -Wextra -Wconversion -Wno-psabi -Werror -c ", c = " -std=c11 -Wstrict-prototypes";
  for (const bool single : {false, true})
    for (const int lanes : {1, 4}) {
      write(codegen::Writer("robot", layout, {false, single, lanes}));
      for (const char* compiler : {"gcc", "clang"})
        if (exists(compiler)) check(compiler + (c + flags) + (lanes == 1 ? "-pedantic " : "") + "robot.c");
    }
  write(codegen::Writer("robot", layout));
  std::ofstream("user.cpp") << "#include \"robot.h\"\n";
  write(codegen::Writer("robot", layout, {true}));
  std::ofstream("cuda.cpp") << "#include \"" << CORIO_EXAMPLES_DIR << "/../tests/codegen/host_cuda.hpp\"\n"
                            << "#include \"robot.cu\"\n";
  const std::string compiler = exists("clang++") ? "clang++" : "g++";
  check(compiler + flags + "user.cpp"), check(compiler + " -std=c++20 -D_GNU_SOURCE -c cuda.cpp");
}

TEST_CASE("the code of the page records a function of one's own and writes it", "[codegen][guide]") {
  CHECK(test::check_blocks("include/corio/codegen/README.md", "tests/codegen/writer_test.cpp") == 2);
  const test::WorkingFolder folder;
  const auto model = zoo::serial_chain(3);
  const auto robot = model.cast<codegen::Recorded>();
  Data<codegen::Recorded> data(robot);
  codegen::Recording f("power");
  const auto q = f.input("q", robot.nq()), v = f.input("v", robot.nv()), tau = f.input("tau", robot.nv());
  f.output("a", aba(robot, data, q, v, tau));
  f.output("power", tau.dot(v));

  codegen::Writer writer("panda", codegen::layout(model));
  writer.add(f);
  for (const auto& [name, text] : writer.files()) std::ofstream(name) << text;  // panda.h with panda_power, panda.c
  CHECK(text_of("panda.h").find("/// q[3], v[3], tau[3] -> a[3], power[1]\nvoid panda_power(") != std::string::npos);
  codegen::Recording g("cost");
  const auto x = g.input("x", robot.nq());
  Data<codegen::Recorded> own(robot);
  const VectorX<codegen::Recorded> force = generalized_gravity(robot, own, x);
  const codegen::Recorded cost = force.dot(force);
  g.output("cost", cost), g.output("gradient", codegen::gradient(cost, x));
  g.output("hessian", codegen::packed(codegen::hessian(cost, x), true).values);     // its lower triangle
  g.output("dg_dq", codegen::jacobian(force, x) * codegen::tangent_map(robot, x));  // along degrees of freedom
  CHECK(g.num_outputs() == 1 + 3 + 6 + 9);
  if (exists("gcc")) CHECK(runs("gcc -std=c11 -Wall -Wextra -Werror -c panda.c"));
}
