// Writes the code that bench/gpu/run.sh measures: generate FOLDER [ROBOT:FUNCTION:SCALAR[:LINES:RECOMPUTE] ...], by
// default every function of an arm of 7, a quadruped and a humanoid over float and double. For each case it writes
// NAME.cu and NAME.cuh, the definitions for measure.cu (NAME.case.h), and states with the results of the templates
// (NAME.bin).

#include <corio/codegen/functions.hpp>
#include <corio/zoo/zoo.hpp>
#include <fstream>
#include <iostream>
#include <random>
#include <sstream>

namespace {

using namespace corio;
using codegen::Recorded;

constexpr int states = 64;

Model<double> robot(const std::string& name) {
  if (name == "arm") return zoo::serial_chain(7);
  if (name == "quadruped") return zoo::quadruped();
  if (name == "humanoid") return zoo::humanoid();
  throw Error("there is no robot " + name);
}

void write(const std::string& folder, const std::string& given) {
  std::vector<std::string> part;
  for (std::istringstream in(given); in.good();) std::getline(in, part.emplace_back(), ':');
  const auto& name = part.at(0);
  const auto& function = part.at(1);
  const bool is_float = part.at(2) == "float";
  const auto model = robot(name);
  const auto f = codegen::record(function, model);
  const auto schedule = part.size() > 3 ? f.schedule({std::stoi(part.at(3)), std::stoi(part.at(4))})
                                        : f.schedule(codegen::cut_for(f, {true, is_float}));
  std::string tag;
  for (const auto& p : part) tag += (tag.empty() ? "" : "_") + p;
  codegen::Writer writer(tag, "", {true, is_float});
  writer.add(f, schedule);
  for (const auto& file : writer.files()) std::ofstream(folder + "/" + file.name) << file.text;

  std::string in, out, sizes[2];
  int size[2] = {0, 0};
  for (const auto& x : f.inputs()) {
    in += "in[" + std::to_string(sizes[0].empty() ? 0 : std::count(sizes[0].begin(), sizes[0].end(), ',')) + "], ";
    sizes[0] += std::to_string(x.size()) + ", ", size[0] += x.size();
  }
  for (const auto& x : f.outputs()) {
    const auto i = std::to_string(std::count(sizes[1].begin(), sizes[1].end(), ','));
    out += "out[" + i + "], ";
    sizes[1] += std::to_string(x.size()) + ", ", size[1] += x.size();
  }
  const std::string full = tag + "_" + function;
  std::ofstream(folder + "/" + tag + ".case.h")
      << "#include \"" << tag << ".cu\"\ntypedef " << tag << "_real real;\n#define NAME \"" << tag << "\"\n"
      << "constexpr int in_sizes[] = {" << sizes[0] << "}, out_sizes[] = {" << sizes[1] << "};\n"
      << "constexpr int operations = " << schedule.operations << ", alive = " << schedule.alive
      << ", moves = " << schedule.moves << ", pieces = " << schedule.pieces.size() << ";\n"
      << "#define KERNEL " << full << "_kernel\n"
      << "#define LAUNCH(threads) KERNEL<<<(states + threads - 1) / threads, threads>>>(" << in << out
      << "(unsigned)states, 0)\n#define CALL(rows) " << full << "(" << in << out << "states, rows, 0)\n";
  const int n = model.nv(), nq = model.nq();
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Data<double> data(model);
  std::ofstream values(folder + "/" + tag + ".bin", std::ios::binary);
  std::vector<double> expected;
  for (int s = 0; s < states; ++s) {
    VectorX<double> q = random_configuration(model, generator), v(n), a(n);
    for (auto* x : {&v, &a})
      for (double& number : *x) number = uniform(generator);
    // States are rounded to the precision of the code; otherwise the rounding of inputs would count as an error.
    if (is_float)
      for (auto* x : {&q, &v, &a}) *x = x->cast<float>().eval().cast<double>();
    VectorX<double> all(nq + 2 * n);
    all << q, v, a;
    values.write(reinterpret_cast<const char*>(all.data()), size[0] * 8);
    codegen::for_each_result<double, Model>(function, model, data, q, v, a, [&](const char*, const auto& y) {
      expected.insert(expected.end(), y.data(), y.data() + y.size());
    });
  }
  values.write(reinterpret_cast<const char*>(expected.data()), static_cast<std::streamsize>(expected.size() * 8));
  std::cout << tag << ": " << schedule.operations << " operations, " << schedule.alive << " alive, " << schedule.moves
            << " moves, " << schedule.places << " places, " << schedule.pieces.size() << " pieces\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::string> cases(argv + 2, argv + argc);
    if (cases.empty())
      for (const char* name : {"arm", "quadruped", "humanoid"})
        for (const char* scalar : {"float", "double"})
          for (const std::string function : codegen::function_names)
            if (function != "christoffel_symbols" || name == std::string("arm"))
              cases.push_back(name + (":" + function) + ":" + scalar);
    for (const auto& each : cases) write(argv[1], each);
  } catch (const std::exception& error) {
    std::cerr << "generate: " << error.what() << '\n';
    return 1;
  }
}
