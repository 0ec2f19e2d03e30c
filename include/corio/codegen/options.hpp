#pragma once

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <vector>

#include "corio/codegen/named_functions.hpp"
#include "corio/codegen/names.hpp"
#include "corio/codegen/writer.hpp"
#include "corio/core/file.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// What corio_generate is asked for.
struct Options {
  std::filesystem::path robot, out = ".", nominal{};
  std::vector<std::string> functions{std::begin(function_names), std::end(function_names)};
  std::string name{};
  Language language{};
  bool floating = false, tree = false;
  double snap = 0;  // 0: rounding alone
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
  --python                  also NAME.py, a module that calls the compiled C through ctypes, with arrays of numpy
  --help, -h, --version
--option=VALUE is --option VALUE. The lines of the code are compared with the templates in 1000 states, some of them
special. Prints notes on the robot, and for each function operations, numbers alive at once, and the largest error.
Functions, FRAME being the name of a body or frame:
)";

/// The usage with the list of functions.
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
template <class Number>
Number number_of(const std::string& option, const std::string& text) {
  Number x{};
  const auto end = text.data() + text.size();
  if (text.empty() || std::from_chars(text.data(), end, x).ptr != end)
    throw Error(corio::detail::join({option, " is a number, not '", text, "'"}));
  return x;
}
inline void require_file(const std::string& what, const std::filesystem::path& path) {
  const std::string name = corio::detail::join({what, " '", path.string(), "'"});
  if (!corio::detail::is_regular<Error>(path, name)) throw Error(name + " does not exist");
}
/// A file can be written into the folder, which is made.
inline void require_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  const auto probe = folder / ".corio_generate";
  const bool written = !failed && std::ofstream(probe).flush().good();
  std::filesystem::remove(probe, failed);
  if (!written) throw Error(corio::detail::join({"--out: no file can be written into '", folder.string(), "'"}));
}

}  // namespace detail

/// @throws Error for what is unknown, twice, of another type or out of range, and for files and folders that cannot be
/// read or written. What the file says is not looked at.
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
      options.language.lanes = detail::number_of<int>(option, value());
    } else if (option == "--name") {
      options.name = value();
      Writer(options.name, "");
    } else if (option == "--out") {
      options.out = value();
    } else if (option == "--nominal") {
      options.nominal = value();
      detail::require_file(option, options.nominal);
    } else if (option == "--snap") {
      options.snap = detail::number_of<double>(option, value());
      if (!(options.snap >= 0 && options.snap < 1e-2)) throw Error("--snap is a number from 0 to 0.01");
    } else if (option == "--floating") {
      options.floating = flag();
    } else if (option == "--python") {
      options.language.python = flag();
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

}  // namespace corio::codegen
