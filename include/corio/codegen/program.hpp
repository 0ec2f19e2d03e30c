#pragma once

#include <iostream>

#include "corio/codegen/check.hpp"
#include "corio/codegen/options.hpp"
#include "corio/core/file.hpp"
#include "corio/io/mjcf.hpp"
#include "corio/io/urdf.hpp"

/// The program corio_generate.
namespace corio::inline CORIO_ABI::codegen {
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

/// Numbers between commas, blanks or line breaks.
inline VectorX<double> read_numbers(const std::filesystem::path& path, const Model<double>& model) {
  std::string text = corio::detail::read_text(path, "--nominal"), word;
  std::ranges::replace(text, ',', ' ');
  std::vector<double> numbers;
  for (std::istringstream words(text); words >> word;)
    numbers.push_back(number_of<double>("each word of --nominal " + path.string(), word));
  if (std::ssize(numbers) != model.nq())
    throw Error(corio::detail::join({"--nominal '", path.string(), "' has ", std::to_string(numbers.size()),
                                     " numbers, the robot nq = ", std::to_string(model.nq()), ":\n", layout(model)}));
  return VectorX<double>::Map(numbers.data(), model.nq());
}

/// The given configuration with its loops closed.
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

/// With the independent speeds that the loops of the file leave, or, if they name no dependent joints, those that are
/// best at q.
inline Mechanism<double> mechanism_of(const Model<double>& model, const VectorX<double>& q) {
  for (const LoopSpec& loop : model.loops())
    if (loop.dependent.empty() && q.size() > 0) return {model, q};
  return Mechanism<double>(model);
}

template <template <class> class Robot>
void write_code(const Options& options, const Robot<double>& robot, const VectorX<double>& nominal, std::ostream& out) {
  const std::string name = options.name.empty() ? identifier(robot.tree().name()) : options.name;
  Writer writer(name, layout(robot), options.language);
  for (const std::string& function : options.functions) {
    const auto f = record<Robot>(function, robot.template cast<Recorded>(), nominal);
    const auto schedule = f.schedule(cut_for(f, options.language));
    const double error = largest_difference(function, robot, f, schedule, 1000, nominal);
    out << function << ": " << schedule.operations << " operations, " << schedule.alive << " numbers alive, "
        << schedule.pieces.size() << (schedule.pieces.size() == 1 ? " piece" : " pieces")
        << ", largest error against the templates " << error << std::endl;
    if (!(error < 1e-6)) throw Error(function + ": the code differs from the templates");
    writer.add(f, schedule);
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
  if (options.tree) builder.loops().clear();
  const Model<double> model = xml::with_source(options.robot.string(), [&] { return builder.build(); });
  if (!model.notes().empty()) out << describe(model.notes());
  if (options.snap > 0)
    out << "note: " << snapped.count << " numbers of rotations are snapped, by up to " << snapped.largest << "\n";
  for (const std::string& function : options.functions)
    if (const std::string frame = name_and_frame(function).second; !frame.empty()) model.frame(frame);
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

}  // namespace corio::codegen
