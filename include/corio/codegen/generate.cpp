// The program corio_generate: code of functions for one robot, compared with the templates before it is written.
// A test defines CORIO_GENERATE_WITHOUT_MAIN and calls generate.

#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>

#include "corio/codegen/check.hpp"
#include "corio/codegen/exact_derivatives.hpp"
#include "corio/core/detail/file.hpp"
#include "corio/core/detail/number.hpp"
#include "corio/io/mjcf.hpp"
#include "corio/io/urdf.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// The arguments of corio_generate.
struct Options {
  std::filesystem::path robot, out = ".", nominal{};
  std::vector<std::string> functions{std::begin(function_names), std::end(function_names)};
  std::string name{};
  Language language{};
  bool floating = false, tree = false, packed = false;
  double snap = 0;  // 0 for rounding alone
};

inline constexpr const char* usage =
    R"(corio_generate ROBOT [options] writes code of functions for one robot, of a URDF or MJCF file:
  --functions rnea,crba,..  by default rnea to forward_dynamics_derivatives of the list below
  --language C|CUDA         NAME.h and NAME.c, the default, or NAME.cuh and NAME.cu
  --scalar double|float
  --lanes N                 of C, states in one vector of the compiler: a power of two up to 64
  --name NAME               an identifier of C, by default made of the robot's name
  --out FOLDER              made if it is not there
  --floating                a free-flyer joint at the root; of URDF
  --nominal Q.csv           for robots with closed loops: nq numbers near a closed configuration. The loops are closed
                            near it, and the code is right where the pivots that are chosen there stay away from zero
  --tree                    the tree without its couplings (<mimic>, gears) and loops
  --snap DUST               numbers of rotations so near to 0 or 1 are taken as these, such as 1e-9 for rounded angles
                            in files; by default 1e-15
  --packed                  of matrices the entries that are not zero in all states, with arrays of their rows and columns
  --casadi                  NAME_casadi.c alone: external functions of CasADi, for q of any length. Each NAME_f comes with
                            its Jacobian jac_NAME_f, its adjoint adj1_NAME_f, from seeds of its results, and the
                            Jacobian of that, jac_adj1_NAME_f, which has the exact Hessian
  --python                  also NAME.py, a module that calls the compiled code through ctypes: C with arrays of numpy,
                            CUDA with tensors of torch, with gradients of rnea and aba, or arrays of cupy
  --help, -h, --version
--option=VALUE is --option VALUE. The lines of the code are compared with the templates in 1000 states, some of them
special. Prints notes on the robot, and for each function operations, numbers alive at once, and the largest error.
Functions, FRAME being the name of a body or frame:
)";

/// Returns the usage with the list of functions.
inline std::string help() {
  std::string text = usage;
  for (const NamedFunction& f : named_functions)
    text += "  " + (f.name + std::string(30, ' ')).substr(0, 30) + f.summary + "\n";
  return text;
}

namespace detail {

inline std::vector<std::string> separated(const std::string& list, char by) {
  std::vector<std::string> parts(1);
  for (const char letter : list)
    if (letter == by)
      parts.emplace_back();
    else
      parts.back() += letter;
  return parts;
}
inline double number_of(const std::string& option, const std::string& text) {
  const auto x = corio::detail::parse_number(text);
  if (!x) throw Error(corio::detail::join({option, " is a number, not '", text, "'"}));
  return *x;
}
inline int whole_number_of(const std::string& option, const std::string& text) {
  const double x = number_of(option, text);
  if (x != std::trunc(x) || std::abs(x) > 1e9)
    throw Error(corio::detail::join({option, " is a whole number, not '", text, "'"}));
  return static_cast<int>(x);
}
inline void require_file(const std::string& what, const std::filesystem::path& path) {
  const std::string name = corio::detail::join({what, " '", path.string(), "'"});
  if (!corio::detail::is_regular<Error>(path, name)) throw Error(name + " does not exist");
}
/// Makes the folder, and checks that a file can be written into it.
inline void require_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const auto probe = folder / ".corio_generate";
  const bool written = !failed && std::ofstream(probe).flush().good();
  std::filesystem::remove(probe, failed);
  if (!written) throw Error(corio::detail::join({"--out: no file can be written into '", folder.string(), "'"}));
}

}  // namespace detail

/// Reads arguments, but not the content of files.
/// @throws Error for an option that is unknown, repeated, of another type or out of range, and for files and folders
/// that cannot be read or written
inline Options options_of(const std::vector<std::string>& arguments) {
  Options options;
  std::set<std::string> given;
  const auto is = [](const std::string& option, const std::string& x, const char* yes, const char* no) {
    if (x != yes && x != no) throw Error(corio::detail::join({option, " is ", yes, " or ", no, ", not '", x, "'"}));
    return x == yes;
  };
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    if (!argument->starts_with("-")) {
      if (!options.robot.empty()) throw Error("one robot at a time, not also '" + *argument + "'");
      if (argument->empty()) throw Error("the name of the robot's file is empty");
      options.robot = *argument;
      continue;
    }
    const std::size_t equals = (std::min)(argument->find('='), argument->size());
    const std::string option = argument->substr(0, equals);
    if (!given.insert(option).second) throw Error(option + " is given twice");
    const auto value = [&]() -> std::string {
      if (equals < argument->size()) return argument->substr(equals + 1);
      if (argument + 1 == arguments.end()) throw Error(option + " needs a value");
      return *++argument;
    };
    const auto flag = [&] {
      if (equals < argument->size()) throw Error(option + " takes no value");
      return true;
    };
    if (option == "--functions") {
      options.functions = detail::separated(value(), ',');
    } else if (option == "--language") {
      options.language.cuda = is(option, value(), "CUDA", "C");
    } else if (option == "--scalar") {
      options.language.single_precision = is(option, value(), "float", "double");
    } else if (option == "--lanes") {
      options.language.lanes = detail::whole_number_of(option, value());
    } else if (option == "--name") {
      options.name = value();
      Writer(options.name, "");
    } else if (option == "--out") {
      options.out = value();
    } else if (option == "--nominal") {
      options.nominal = value();
      detail::require_file(option, options.nominal);
    } else if (option == "--snap") {
      options.snap = detail::number_of(option, value());
      if (!(options.snap >= 0 && options.snap < 1e-2)) throw Error("--snap is a number from 0 to 0.01");
    } else if (option == "--floating") {
      options.floating = flag();
    } else if (option == "--packed") {
      options.packed = flag();
    } else if (option == "--python") {
      options.language.python = flag();
    } else if (option == "--casadi") {
      options.language.casadi = flag();
    } else if (option == "--tree") {
      options.tree = flag();
    } else {
      throw Error(corio::detail::join({"unknown option ", option, "; --help lists them"}));
    }
  }
  if (options.robot.empty()) throw Error("which robot? --help tells how to ask");
  if (options.tree && !options.nominal.empty()) throw Error("--tree has no loops, for which --nominal would be");
  Writer("robot", "", options.language);
  std::set<std::string> functions;
  for (const std::string& function : options.functions) {
    named_function(function);
    if (!functions.insert(identifier(function)).second) throw Error("--functions has " + function + " twice");
  }
  detail::require_file("the robot", options.robot);
  detail::require_folder(options.out);
  return options;
}

namespace detail {

inline ModelBuilder<double> read_robot(const Options& options) {
  const std::string text = corio::detail::read_text(options.robot, "robot");
  const std::string root = xml::with_source(options.robot.string(), [&] { return xml::Document(text).root().name(); });
  if (root != "mujoco") {
    urdf::Options how;
    if (options.floating) how.root = joint::FreeFlyer{};
    return urdf::builder(options.robot, how);
  }
  if (options.floating) throw Error("--floating is for URDF; in MJCF a <freejoint> says that a body floats");
  return mjcf::builder(options.robot);
}

/// Reads numbers between commas, blanks or line breaks.
inline VectorX<double> read_numbers(const std::filesystem::path& path, const Model<double>& model) {
  std::string text = corio::detail::read_text(path, "--nominal"), word;
  std::ranges::replace(text, ',', ' ');
  std::vector<double> numbers;
  for (std::istringstream words(text); words >> word;)
    numbers.push_back(number_of("each word of --nominal " + path.string(), word));
  if (std::ssize(numbers) != model.nq())
    throw Error(corio::detail::join({"--nominal '", path.string(), "' has ", std::to_string(numbers.size()),
                                     " numbers, the robot nq = ", std::to_string(model.nq()), ":\n", layout(model)}));
  return VectorX<double>::Map(numbers.data(), model.nq());
}

/// Closes the loops of the given configuration.
/// @throws Error if they cannot be closed near it
inline VectorX<double> closed(const Model<double>& model, const VectorX<double>& q, std::ostream& out) {
  Data<double> data(model);
  const auto assembly = assemble<double>(model, data, Loops<double>(model), q);
  if (!assembly.closed)
    throw Error(corio::detail::join({"--nominal: the loops do not close near it: '", assembly.worst, "' stays open by ",
                                     corio::detail::number(assembly.residual), " (m or rad)"}));
  const double moved = (assembly.q - q).cwiseAbs().maxCoeff();
  if (moved > 0) out << "note: closing the loops changes the nominal configuration by up to " << moved << "\n";
  return assembly.q;
}

/// Returns the mechanism with the independent speeds that the loops of the file leave, or, if these name no dependent
/// joints, with those that are best at q.
inline Mechanism<double> mechanism_of(const Model<double>& model, const VectorX<double>& q) {
  for (const LoopSpec& loop : model.loops())
    if (loop.dependent.empty() && q.size() > 0) return {model, q};
  return Mechanism<double>(model);
}

template <template <class> class Robot>
void write_code(const Options& options, const Robot<double>& robot, const VectorX<double>& nominal, std::ostream& out) {
  std::string name = options.name.empty() ? identifier(robot.tree().name()) : options.name;
  if (options.name.empty() && options.language.python && is_python_module(name)) {
    out << "note: Python has '" << name << "', so that the code is named robot_" << name << "\n";
    name = "robot_" + name;
  }
  Writer writer(name, layout(robot), options.language);
  for (const std::string& function : options.functions) {
    const auto recorded = robot.template cast<Recorded>();
    Recording f = record<Robot>(function, recorded, nominal, options.packed, options.language.casadi);
    const auto schedule = f.schedule(cut_for(f, options.language));
    const double error = largest_difference(function, robot, f, schedule, 1000, nominal);
    out << function << ": " << schedule.operations << " operations, " << schedule.alive << " numbers alive, "
        << schedule.pieces.size() << (schedule.pieces.size() == 1 ? " piece" : " pieces")
        << ", largest error against the templates " << error << std::endl;
    if (!(error < 1e-6)) throw Error(function + ": the code differs from the templates");
    if (options.language.casadi) {
      const Differentiated d = derivatives<Robot>(function, recorded, f);
      writer.add(std::move(f), d);
    } else {
      writer.add(f, schedule);
    }
  }
  for (const File& file : writer.files())
    corio::detail::write_file<Error>(options.out / file.name, file.text, "generated code");
}

inline void generate(const Options& options, std::ostream& out) {
  auto builder = read_robot(options);
  Snapped snapped;
  std::vector<std::string> bodies;
  for (const auto& body : builder.bodies()) bodies.push_back(body.name);
  for (const auto& body : bodies) snap(builder.body(body), (std::max)(options.snap, rounded), snapped);
  if (options.tree) builder.set_loops({});
  const Model<double> model = xml::with_source(options.robot.string(), [&] { return builder.build(); });
  if (!model.notes().empty()) out << describe(model.notes());
  if (options.snap > 0)
    out << "note: " << snapped.count << " numbers of rotations are snapped, by up to " << snapped.largest << "\n";
  for (const std::string& function : options.functions) frame_points(model, function);
  if (model.loops().empty()) {
    if (!options.nominal.empty()) throw Error("--nominal is for robots with closed loops, and this one has none");
    return write_code<Model>(options, model, {}, out);
  }
  VectorX<double> nominal;
  if (!options.nominal.empty()) nominal = closed(model, read_numbers(options.nominal, model), out);
  const auto is_coupling = [](const LoopSpec& loop) { return loop.is_coupling(); };
  if (const auto loop = std::ranges::find_if_not(model.loops(), is_coupling);
      loop != model.loops().end() && nominal.size() == 0)
    throw Error(corio::detail::join({"the loops of robot '", model.name(), "', such as '", loop->name,
                                     "', need --nominal Q.csv, ", std::to_string(model.nq()),
                                     " numbers near a closed configuration; --tree writes the code of the open tree"}));
  const auto mechanism = mechanism_of(model, nominal);
  if (!mechanism.notes().empty()) out << describe(mechanism.notes());
  out << "note: " << mechanism.nv() << " of " << model.nv()
      << " speeds are independent, the loops and couplings give the"
      << " others; v, a, tau and results are of these:\n"
      << layout(mechanism);
  write_code<Mechanism>(options, mechanism, mechanism.varies() ? nominal : VectorX<double>(), out);
}

}  // namespace detail

/// @returns the exit status
inline int generate(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& errors) {
  try {
    const auto asks = [&](const char* option) { return std::ranges::count(arguments, option) > 0; };
    if (asks("--help") || asks("-h"))
      out << help();
    else if (asks("--version"))
      out << "corio_generate " << version() << "\n";
    else
      detail::generate(options_of(arguments), out);
  } catch (const std::exception& error) {
    errors << "corio_generate: " << error.what() << '\n';
    return 1;
  }
  return 0;
}

}}}  // namespace corio::codegen

#ifndef CORIO_GENERATE_WITHOUT_MAIN
int main(int argc, char** argv) { return corio::codegen::generate({argv + 1, argv + argc}, std::cout, std::cerr); }
#endif
