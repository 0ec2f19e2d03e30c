#include "codegen/compiled_support.hpp"

using namespace codegen_test;

namespace {

/// Writes CUDA for all robots, and one file that includes it.
void write_cuda(const Robots& robots, bool single, const char* file) {
  std::ofstream all(file);
  for (const auto& robot : robots.all) {
    write(codegen::Writer(robot.name, robot.layout, {true, single}), robot.functions, short_pieces);
    all << "#include \"" << robot.name << ".cu\"\n";
  }
}
/// Runs CUDA for all robots, compiled for the host, with arrays of both layouts, and compares the results.
void check_cuda(const Robots& robots, bool single) {
  const std::string compiler = exists("clang++") ? "clang++" : exists("g++") ? "g++" : "";
  if (compiler.empty()) return;
  std::ofstream("empty.cpp") << "int main() {}\n";  // a compiler may come without its sanitizers
  const std::string sanitize = runs(compiler + " -fsanitize=address empty.cpp -o empty") ? " -fsanitize=address" : "";
  write_cuda(robots, single, "robots.cu");
  std::ofstream main("main.cpp"), x("x", std::ios::binary);
  main << "#include \"" << CORIO_EXAMPLES_DIR << "/../tests/codegen/host_cuda.hpp\"\n"
       << "#include \"robots.cu\"\nint main() {\n";
  for (const auto& robot : robots.all)
    for (const auto& s : robot.functions) {
      const auto sizes = [](const auto& arrays) {
        std::string list;
        for (const auto& array : arrays) list += std::to_string(array.size()) + ", ";
        return "{" + list + "}";
      };
      const std::string function = robot.name + "_" + s.f.name();
      main << "  run<" << robot.name << "_real>(" << function << ", " << robots.states << ", " << sizes(s.f.inputs())
           << ", " << sizes(s.f.outputs()) << ");\n";
      x.write(reinterpret_cast<const char*>(s.x.data()), std::ssize(s.x) * std::streamsize(sizeof(double)));
    }
  main << "}\n";
  main.close(), x.close();
  const bool ran =
      runs(compiler + " -std=c++20 -O0" + sanitize + " -D_GNU_SOURCE main.cpp -pthread -o main && (./main < x > y)");
  INFO(text_of("log"));
  REQUIRE(ran);
  std::ifstream y("y", std::ios::binary);
  for (const auto& robot : robots.all)
    for (const auto& s : robot.functions)
      for (const bool rows : {false, true}) {
        CAPTURE(single, robot.layout, s.f.name(), rows);
        std::vector<double> got(s.y.size());
        y.read(reinterpret_cast<char*>(got.data()), std::ssize(got) * std::streamsize(sizeof(double)));
        REQUIRE(y.good());
        CHECK(difference(got, s) < tolerance(single));
      }
}

}  // namespace

TEST_CASE("CUDA computes in every layout what the templates do, and nothing beside its arrays", "[codegen]") {
  const test::WorkingFolder folder;
  const Robots robots = some_robots(101);
  const bool single = GENERATE(false, true);
  int functions[3] = {0, 0, 0};  // for each way in which results become rows
  for (const auto& robot : robots.all)
    for (const auto& s : robot.functions) ++functions[codegen::way_of_rows(s.f, {true, single})];
  for (const int way : {0, 1, 2}) CHECK(functions[way] > 0);
  check_cuda(robots, single);  // neither the last block nor the last tile is full
}

TEST_CASE("CUDA of every joint and of every robot of the zoo computes what the templates do", "[codegen]") {
  const test::WorkingFolder folder;
  check_cuda(every_robot(4), false);
}

TEST_CASE("CUDA of closed loops computes what the templates do near the nominal configuration", "[codegen]") {
  const test::WorkingFolder folder;
  check_cuda(closed_loops(4), false);
}

TEST_CASE("CUDA compiles for a GPU without a toolkit", "[codegen]") {
  const test::WorkingFolder folder;
  if (!exists("clang++")) return;
  const Robots robots = some_robots(0);
  write_cuda(robots, GENERATE(true, false), "all.cu");
  const std::string ptx = gpu_code("all.cu");
  for (const auto& robot : robots.all)
    for (const auto& s : robot.functions) {
      const std::string name = robot.name + "_" + s.f.name() + "_kernel";
      CHECK(ptx.find(".entry _ZL" + std::to_string(name.size()) + name + "PK") != std::string::npos);
    }
}
