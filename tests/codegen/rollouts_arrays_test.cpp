#include "corio/codegen/rollouts.hpp"

#include "codegen/compiled_support.hpp"

using namespace codegen_test;

// Random numbers, names and arrays of rollouts around a step of a user's own.

TEST_CASE("random numbers of rollouts are those of Philox4x32-10", "[codegen]") {
  const test::WorkingFolder folder;
  if (!exists("gcc")) return;
  codegen::Writer writer("robot", "");
  Recording f("f");
  const auto x = f.input("x", 1), u = f.input("u", 1);
  f.output("x_next", Recorded(x[0] + u[0])), f.output("cost", Recorded(x[0] * x[0]));
  writer.add_rollouts(std::move(f));
  write_sources(writer);
  // The known answers come from Random123 (kat_vectors).
  std::ofstream("main.c") << R"(#include "robot.c"
#include <stdio.h>
int main(void) {
  uint32_t c[3][4] = {{0, 0, 0, 0}, {~0u, ~0u, ~0u, ~0u}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
  const uint32_t key[3][2] = {{0, 0}, {~0u, ~0u}, {0xa4093822, 0x299f31d0}};
  for (int i = 0; i < 3; ++i) {
    robot_philox(c[i], key[i][0], key[i][1]);
    for (int j = 0; j < 4; ++j) printf("%08x ", (unsigned)c[i][j]);
  }
  return 0;
}
)";
  require("gcc -std=c11 -Wall -Wextra -pedantic -Werror main.c -lm -o main && ./main");
  CHECK(text_of("log") ==
        "6627e8d5 e169c58d bc57ac4c 9b00dbd8 408f276d 41c83b0e a20bc7c6 6d5451fd d16cfe09 94fdcceb 5001e420 24126ea1 ");
}

TEST_CASE("states of any names have the gradients of differences, in C and CUDA", "[codegen]") {
  const test::WorkingFolder folder;
  const std::string compiler = exists("clang++") ? "clang++" : exists("g++") ? "g++" : "";
  if (compiler.empty() || !exists("gcc")) return;
  const Names names = {"d", "now", "then", "then_now", "step", "control", "d_", "end", "slope", "_"};
  const int n = static_cast<int>(names.size());
  const auto record = [&] {
    Recording f("f");
    const VectorX<Recorded> u = f.input("u", 1);
    std::vector<Recorded> x;
    for (const auto& name : names) x.push_back(f.input(name, 1)[0]);
    const Recorded p = f.input("total", 1)[0];
    Recorded cost = u[0] * u[0];
    for (int i = 0; i < n; ++i) {
      f.output(names[std::size_t(i)] + "_next", Recorded(x[std::size_t(i)] + sin(x[std::size_t((i + 1) % n)]) * u[0]));
      cost += Recorded(i + 1) * x[std::size_t(i)] * x[std::size_t(i)] * p;
    }
    f.output("cost", cost);
    return f;
  };
  const auto total = [&](const std::vector<double>& start, const std::vector<double>& u) {
    const Recording f = record();
    const auto schedule = f.schedule();
    std::vector<double> x = start;
    double sum = 0;
    for (const double control : u) {
      std::vector<double> in{control};
      in.insert(in.end(), x.begin(), x.end()), in.push_back(0.7);
      const auto out = f.evaluate(schedule, in.data());
      x.assign(out.begin(), out.end() - 1), sum += out.back();
    }
    return sum;
  };
  const std::vector<double> start{0.1, 0.2, 0.3, 0.4, -0.5, -0.6, 0.7, 0.8, -0.9, 1}, u{0.3, -0.2, 0.4};
  const bool cuda = GENERATE(false, true);
  CAPTURE(cuda);
  codegen::Writer writer("robot", "", {cuda});
  writer.add_rollouts(record());
  write_sources(writer);
  std::string states, ends, gradients;
  for (int i = 0; i < n; ++i) {
    const std::string at = std::to_string(i);
    states += "x + " + at + ", ", ends += "end + " + at + ", ", gradients += "d + " + at + ", ";
  }
  const std::string one = cuda ? "1, 0, " : "", stream = cuda ? ", 0" : "", number = cuda ? "" : "0, ";
  std::ofstream(cuda ? "main.cpp" : "main.c")
      << (cuda ? "#include \"" CORIO_EXAMPLES_DIR "/../tests/codegen/host_cuda.hpp\"\n#include \"robot.cu\"\n"
               : "#include \"robot.c\"\n")
      << "#include <stdio.h>\nint main() {\n  const double x[] = {0.1, 0.2, 0.3, 0.4, -0.5, -0.6, 0.7, 0.8, -0.9, 1},"
         " u[] = {0.3, -0.2, 0.4}, p = 0.7;\n  double memory[100], d[10], d_u[3], end[10], cost, sum;\n  "
         "robot_f_rollout("
      << states << "u, &p, 0, 0, " << number << "3, " << one << ends << "&sum" << stream << ");\n  robot_f_gradient("
      << states << "u, &p, 3, " << one << "memory, " << gradients << "d_u, &cost" << stream << ");\n"
      << "  printf(\"%.17g %.17g\", sum, cost);\n  for (int i = 0; i < 10; ++i) printf(\" %.17g\", d[i]);\n"
         "  for (int i = 0; i < 3; ++i) printf(\" %.17g\", d_u[i]);\n  return 0;\n}\n";
  require((cuda ? compiler + " -std=c++20 -O0 -D_GNU_SOURCE main.cpp -pthread"
                : std::string("gcc -std=c11 -Wall -Wextra -pedantic -Werror main.c -lm")) +
          " -o main && ./main");
  std::istringstream out(text_of("log"));
  VectorXd got(n + 5), expected(n + 5);
  for (double& x : got) out >> x;
  expected[0] = expected[1] = total(start, u);
  for (int k = 0; k < n + 3; ++k) {  // errors of h^2 and of rounding / h
    auto up = start, down = start, more = u, less = u;
    (k < n ? up[std::size_t(k)] : more[std::size_t(k - n)]) += 1e-5;
    (k < n ? down[std::size_t(k)] : less[std::size_t(k - n)]) -= 1e-5;
    expected[k + 2] = (total(up, more) - total(down, less)) / 2e-5;
  }
  CHECK((got - expected).norm() < 1e-8 * expected.norm());
}

TEST_CASE("a step whose arrays are not those of rollouts is refused", "[codegen][errors]") {
  const auto message = [](const Names& inputs, const Names& outputs) {
    Recording f("f");
    Recorded sum = 0;
    for (const auto& name : inputs) sum += f.input(name, 1)[0];
    for (const auto& name : outputs) f.output(name, sum);
    codegen::Writer writer("robot", "");
    return test::message_of<Error>([&] { writer.add_rollouts(std::move(f)); });
  };
  CHECK(test::mentions(message({"x", "v"}, {"x_next", "cost"}), {"rollouts of 'f'", "input u"}));
  CHECK(test::mentions(message({"x", "u"}, {"cost"}), {"X_next"}));
  CHECK(test::mentions(message({"x", "u"}, {"x_next"}), {"cost"}));
  CHECK(test::mentions(message({"x", "u"}, {"x_next", "cost", "more"}), {"'more'"}));
  CHECK(test::mentions(message({"x", "u"}, {"x_next", "cost", "v_next"}), {"'v_next'"}));
  // The function is so long that the step's adjoint has pieces, one with a name that is taken.
  for (const char* taken : {"f", "f_adjoint", "f_update", "philox", "f_adjoint_1"}) {
    CAPTURE(taken);
    codegen::Writer writer("robot", "");
    Recording other(taken), f("f");
    other.output("y", other.input("x", 1));
    writer.add(other);
    const auto x = f.input("x", 1), u = f.input("u", 1);
    Recorded cost = 0;
    for (int k = 1; k < 1000; ++k) cost += sin(Recorded(k) * x[0]) * u[0];
    f.output("x_next", Recorded(x[0] + u[0])), f.output("cost", cost);
    const auto text = [&] { return writer.files()[0].text + writer.files()[1].text; };
    const std::string before = text();
    CHECK(test::mentions(test::message_of<Error>([&] { writer.add_rollouts(std::move(f)); }), {taken, "twice"}));
    CHECK(text() == before);
  }
  const auto arm = zoo::serial_chain(2);
  constexpr int parameters = 3;
  const auto cost = [](const auto&, auto&, const auto& q, const auto&, const auto&, const auto&) { return q[0]; };
  CHECK_THROWS_AS(codegen::record_step(arm, 0.0, {0}, parameters, cost), Error);
  CHECK_THROWS_AS(codegen::record_step(arm, 0.1, {2}, parameters, cost), Error);
  const auto refused = [&](const Model<double>& model, const std::vector<int>& motors, int size) {
    return test::message_of<Error>([&] { codegen::record_step(model, 0.1, motors, size, cost); });
  };
  CHECK(test::mentions(refused(arm, {1, 0, 1}, parameters), {"degree of freedom 1 has two motors"}));
  CHECK(test::mentions(refused(arm, {0}, -1), {"-1"}));
  CHECK(test::mentions(refused(zoo::geared_arm(3), {0}, parameters), {"couplings", "builder"}));
  Recording hidden("now");
  const auto q = hidden.input("robot", 1), u = hidden.input("u", 1);
  hidden.output("robot_next", q), hidden.output("cost", q);
  codegen::Writer writer("robot", "");
  CHECK(test::mentions(test::message_of<Error>([&] { writer.add_rollouts(std::move(hidden)); }), {"'robot'", "hide"}));
}
