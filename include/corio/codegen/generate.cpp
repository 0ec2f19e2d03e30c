// The program corio_generate: code of functions for one robot, compared with the templates before it is written.

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "corio/codegen/check.hpp"
#include "corio/io/urdf.hpp"

namespace {

namespace codegen = corio::codegen;
using corio::Error;

constexpr const char* usage = R"(corio_generate ROBOT.urdf [options] writes code of functions for one robot:
  --functions rnea,crba,..  all by default
  --language C|CUDA         NAME.h and NAME.c, the default, or NAME.cuh and NAME.cu
  --scalar double|float
  --lanes N                 of C, states in one vector of the compiler: a power of two up to 64
  --floating                a free-flyer joint at the root
  --name NAME               an identifier of C, by default made of the robot's name
  --out FOLDER              made if it is not there
The lines of the code are compared with the templates in 1000 states, some of them special. Prints for each function
operations, numbers alive at once, and the largest difference.
)";

void run(int argc, char** argv) {
  std::string robot;
  bool floating = false;
  std::map<std::string, std::string> options{{"--functions", ""}, {"--language", "C"}, {"--scalar", "double"},
                                             {"--lanes", "1"},    {"--name", ""},      {"--out", "."}};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--floating") {
      floating = true;
    } else if (options.contains(argument)) {
      if (++i == argc) throw Error(argument + " needs a value");
      options[argument] = argv[i];
    } else {
      if (argument.starts_with("--") || !robot.empty()) throw Error("unknown argument " + argument);
      robot = argument;
    }
  }
  if (robot.empty()) throw Error(std::string("which robot?\n\n") + usage);
  const auto is = [&](const char* option, const char* yes, const char* no) {
    const std::string& x = options[option];
    if (x != yes && x != no) throw Error(std::string(option) + " is " + yes + " or " + no + ", not " + x);
    return x == yes;
  };
  codegen::Language language{is("--language", "CUDA", "C"), is("--scalar", "float", "double")};
  std::istringstream lanes(options["--lanes"]);
  if (!(lanes >> language.lanes) || !lanes.eof()) throw Error("--lanes is a number, not " + options["--lanes"]);
  std::vector<std::string> functions(std::begin(codegen::function_names), std::end(codegen::function_names));
  if (!options["--functions"].empty()) {
    functions.clear();
    std::istringstream list(options["--functions"]);
    for (std::string name; std::getline(list, name, ',');) functions.push_back(name);
  }

  const auto model = floating ? corio::urdf::load(robot, corio::joint::FreeFlyer{}) : corio::urdf::load(robot);
  const std::string name = options["--name"].empty() ? codegen::identifier(model.name()) : options["--name"];
  codegen::Writer writer(name, codegen::layout(model), language);
  for (const auto& function : functions) {
    const auto f = codegen::record(function, model);
    const auto schedule = f.schedule(codegen::cut_for(f, language));
    const double error = codegen::largest_difference(function, model, f, schedule, 1000);
    std::cout << function << ": " << schedule.operations << " operations, " << schedule.alive << " numbers alive, "
              << schedule.pieces.size() << (schedule.pieces.size() == 1 ? " piece" : " pieces")
              << ", largest difference from the templates " << error << "\n";
    if (!(error < 1e-6)) throw Error(function + ": the code differs from the templates");
    writer.add(f, schedule);
  }
  std::filesystem::create_directories(options["--out"]);
  for (const auto& file : writer.files()) {
    const std::string path = options["--out"] + "/" + file.name;
    std::ofstream out(path, std::ios::binary);
    if (!(out << file.text).flush()) throw Error("cannot write " + path);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && argv[1] == std::string("--help"))
      std::cout << usage;
    else
      run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "corio_generate: " << error.what() << '\n';
    return 1;
  }
}
