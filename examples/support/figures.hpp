#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

/// Common functions of examples that write data and draw figures.
namespace support {

/// Prints a value and its limit. @returns whether it is small enough
inline bool small_enough(const char* what, double value, double limit, const char* unit) {
  std::printf("  %-62s %9.2e %s, allowed %.0e: %s\n", what, value, unit, limit, value <= limit ? "ok" : "FAILED");
  return value <= limit;
}

/// Prints a requirement and whether it holds. @returns whether it holds
inline bool demand(const char* what, bool holds) {
  std::printf("  %-90s %s\n", what, holds ? "ok" : "FAILED");
  return holds;
}

/// Draws examples/name/name.gp in the folder by gnuplot, if available, and prints the contents of the folder.
/// @returns false if gnuplot failed
inline bool draw(const std::filesystem::path& folder, const std::string& name) {
  // gnuplot runs in the folder, so that no name given by the user passes through the shell.
  std::filesystem::current_path(folder);
  const bool there = std::system("gnuplot --version > /dev/null 2>&1") == 0;
  const bool drawn =
      there && std::system(("gnuplot \"" CORIO_EXAMPLES_DIR "/" + name + "/" + name + ".gp\"").c_str()) == 0;
  std::printf("\n%s: %s\n",
              drawn   ? "Data and figures"
              : there ? "Data, but gnuplot FAILED"
                      : "Data only, without gnuplot",
              folder.c_str());
  return drawn || !there;
}

/// The main function of the example of that name, whose command line is [folder] [--check]: makes the folder (default
/// name_output), calls run(folder), and draws there.
/// @param run  returns whether all is as it should be
/// @returns the exit status: 1 if it is not and --check was given, 2 for errors
template <class F>
int with_figures(const std::string& name, int argc, char** argv, F&& run) {
  namespace fs = std::filesystem;
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool check = std::erase(arguments, "--check") > 0;
  if (arguments.size() > 1 || (!arguments.empty() && arguments[0].starts_with("-"))) {
    std::cerr << "usage: " << name << " [folder] [--check]\n";
    return 2;
  }
  try {
    const fs::path folder = fs::absolute(arguments.empty() ? name + "_output" : arguments[0]);
    fs::create_directories(folder);
    bool good = run(folder);
    good &= draw(folder, name);
    return !check || good ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return 2;
  }
}

}  // namespace support
