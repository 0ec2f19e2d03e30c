#pragma once

#include <cctype>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "corio/model/model.hpp"
#ifdef CORIO_BENCH_URDF
#include "corio/io/urdf.hpp"
#endif

/// Robots that are named on a command line.
namespace bench {

struct Robot {
  std::string key, title;
  corio::Model<double> model;
};

/// A name of letters, digits and underscores for files and for variables of gnuplot.
inline std::string key_of(const std::string& file) {
  std::string key = "urdf_" + std::filesystem::path(file).stem().string();
  for (char& c : key)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return key;
}

/// @param argument  robot.urdf or floating:robot.urdf. Joints that mimic others move freely.
inline Robot load([[maybe_unused]] const std::string& argument) {
#ifdef CORIO_BENCH_URDF
  const std::string prefix = "floating:";
  const bool floating = argument.rfind(prefix, 0) == 0;
  const std::string file = floating ? argument.substr(prefix.size()) : argument;
  corio::urdf::Options options{.root = corio::joint::Fixed{}, .mimic = corio::urdf::Mimic::independent};
  if (floating) options.root = corio::joint::FreeFlyer{};
  auto model = corio::urdf::load(file, options);
  const std::string title = model.name() + (floating ? ", floating" : "");
  return {key_of(file), title, std::move(model)};
#else
  throw std::runtime_error("cannot read " + argument + ": built without tinyxml2 (Debian and Ubuntu: libtinyxml2-dev)");
#endif
}

}  // namespace bench
