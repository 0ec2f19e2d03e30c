// The program corio_generate: code of functions for one robot, compared with the templates before it is written.

#include <filesystem>
#include <fstream>
#include <iostream>

#include "corio/codegen/check.hpp"
#include "corio/codegen/write_c.hpp"
#include "corio/codegen/write_cuda.hpp"
#include "corio/io/urdf.hpp"

namespace {

namespace codegen = corio::codegen;
using corio::Error, corio::Model;

constexpr const char* usage = R"(corio_generate ROBOT.urdf [options] writes code of functions for one robot:
  --functions rnea,crba,..  all by default
  --language C|CUDA         NAME.h and NAME.c, the default, or NAME.cuh and NAME.cu
  --scalar double|float
  --lanes N                 of C, states in one vector of the compiler: a power of two
  --floating                a free-flyer joint at the root
  --name NAME               an identifier of C, by default made of the robot's name
  --cut LINES,RECOMPUTE     length of the pieces of long code, 0 for one piece; see schedule.hpp
  --out FOLDER              made if it is not there
The lines of the code are compared with the templates in 1000 states, some of them special. Prints for each function
operations, numbers alive at once, and the largest difference.
)";

struct Options {
  std::string robot, name, out = ".";
  std::vector<std::string> functions;
  bool floating = false, cut_given = false;
  codegen::Cut cut;
  codegen::Language language;
};

std::vector<std::string> parts(const std::string& list) {
  std::vector<std::string> all(1);
  for (const char c : list)
    if (c == ',')
      all.emplace_back();
    else
      all.back() += c;
  return all;
}
int whole(const std::string& text) {
  int x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc() || end != text.data() + text.size() || x < 0)
    throw Error("'" + text + "' is no whole number");
  return x;
}
Options read(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    const auto value = [&]() -> std::string {
      if (++i == argc) throw Error(option + " needs a value");
      return argv[i];
    };
    const auto one_of = [&](const char* yes, const char* no) {
      const std::string x = value();
      if (x != yes && x != no) throw Error(option + " is " + yes + " or " + no + ", not " + x);
      return x == yes;
    };
    if (option == "--functions")
      o.functions = parts(value());
    else if (option == "--language")
      o.language.cuda = one_of("CUDA", "C");
    else if (option == "--scalar")
      o.language.single_precision = one_of("float", "double");
    else if (option == "--lanes")
      o.language.lanes = whole(value());
    else if (option == "--name")
      o.name = value();
    else if (option == "--out")
      o.out = value();
    else if (option == "--floating")
      o.floating = true;
    else if (option == "--cut") {
      const auto two = parts(value());
      if (two.size() != 2) throw Error("--cut needs two numbers, LINES,RECOMPUTE");
      o.cut = {whole(two[0]), whole(two[1])}, o.cut_given = true;
    } else if (option.starts_with("--") || !o.robot.empty())
      throw Error("unknown argument " + option);
    else
      o.robot = option;
  }
  if (o.robot.empty()) throw Error(std::string("which robot?\n\n") + usage);
  if (o.functions.empty()) o.functions.assign(std::begin(codegen::function_names), std::end(codegen::function_names));
  const int lanes = o.language.lanes;
  if (lanes < 1 || (lanes & (lanes - 1)) != 0 || (lanes > 1 && o.language.cuda))
    throw Error("--lanes is a power of two, of C alone");
  return o;
}

template <class Writer>
void write(const Options& o, const Model<double>& model, Writer writer) {
  for (const auto& function : o.functions) {
    const auto f = codegen::record(function, model);
    const auto cut = o.cut_given ? o.cut : codegen::cut_for(f, o.language);
    const auto schedule = f.schedule(cut);
    const double error = codegen::largest_difference(function, model, f, schedule, 1000);
    std::cout << function << ": " << schedule.operations << " operations, " << schedule.alive << " numbers alive, "
              << schedule.pieces.size() << (schedule.pieces.size() == 1 ? " piece" : " pieces")
              << ", largest difference from the templates " << error << "\n";
    if (!(error < 1e-6)) throw Error(function + ": the code differs from the templates");
    writer.add(f, schedule);
  }
  std::filesystem::create_directories(o.out);
  for (const auto& file : writer.files()) {
    const std::string path = o.out + "/" + file.name;
    std::ofstream out(path, std::ios::binary);
    if (!(out << file.text).flush()) throw Error("cannot write " + path);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc == 2 && argv[1] == std::string("--help")) return std::cout << usage, 0;
    Options o = read(argc, argv);
    const auto model = o.floating ? corio::urdf::load(o.robot, corio::joint::FreeFlyer{}) : corio::urdf::load(o.robot);
    if (o.name.empty()) o.name = codegen::identifier(model.name());
    const std::string layout = codegen::layout(model);
    if (o.language.cuda)
      write(o, model, codegen::CudaWriter(o.name, layout, o.language.single_precision));
    else
      write(o, model, codegen::CWriter(o.name, layout, o.language));
  } catch (const std::exception& error) {
    std::cerr << "corio_generate: " << error.what() << '\n';
    return 1;
  }
}
