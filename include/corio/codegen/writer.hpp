#pragma once

#include <bit>
#include <iomanip>
#include <set>
#include <sstream>
#include <utility>

#include "corio/codegen/derivatives.hpp"
#include "corio/codegen/detail/casadi_templates.hpp"
#include "corio/codegen/detail/cuda_rollout_templates.hpp"
#include "corio/codegen/detail/optional_templates.hpp"
#include "corio/codegen/detail/python_templates.hpp"
#include "corio/codegen/detail/rollout_templates.hpp"
#include "corio/codegen/detail/text.hpp"
#include "corio/version.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// The name and content of a generated file.
struct File {
  std::string name, text;
};

/// Writes several functions of one robot. Nothing in the text depends on the machine, the time or earlier calls, so
/// that the same robot gives the same bytes.
///
/// C11 is written in ROBOT.h and ROBOT.c, which need only the functions of <math.h> that were recorded: sin, cos and
/// sqrt for the dynamics of trees. Functions void ROBOT_NAME(const T* q, .., T* result) have no state, allocate
/// nothing, and take arrays that do not overlap, matrices by columns. With Language::lanes an entry is a vector of the
/// compiler: x[i][l] is entry i of state l.
///
/// CUDA is written in ROBOT.cuh and ROBOT.cu, one thread per state:
///   ROBOT_NAME_state(..)  for kernels of your own; the entries of a state are in_stride and out_stride apart;
///   int ROBOT_NAME(.., states, rows, stream)  on the host, for arrays on the device; returns a cudaError_t.
/// Arrays are [number][state], so that neighbouring threads read and write neighbouring entries, or with `rows`
/// [state][number], which a block writes side by side (way_of_rows).
///
/// With Language::casadi, ROBOT_casadi.c alone is written, which exports ROBOT_NAME, jac_ROBOT_NAME, adj1_ROBOT_NAME
/// and jac_adj1_ROBOT_NAME as external functions of CasADi, each with _n_in, _n_out, _name_in, _name_out, _sparsity_in,
/// _sparsity_out and _work: see for_each_derivative. Null arguments are zeros; null results are left out, and pieces of
/// code that they alone need are skipped.
class Writer {
 public:
  /// @param robot   an identifier of C, with which all names begin
  /// @param layout  a description of the arrays in lines, see codegen::layout
  /// @throws Error if robot is no such identifier or names a header of the system, which the code's own would hide; if
  ///   lanes are no power of two up to 64, or not 1 for CUDA; for a module for Python of code with lanes, or of a name
  ///   that Python has
  Writer(std::string robot, const std::string& layout, Language language = {})
      : layout_(utf8(layout)), text_{robot, robot + "_real", language} {
    const auto lanes = static_cast<unsigned>(language.lanes);
    require(is_identifier(robot), {"'", robot, "' is no name of C"});
    require(!is_system_header(robot), {"'", robot, ".h' is a header of the system; take another name"});
    require(!language.python || !is_python_module(robot),
            {"a module '", robot, "' of Python could not be imported or would hide another; take 'robot_", robot, "'"});
    require(std::has_single_bit(lanes) && lanes <= (language.cuda ? 1 : 64),
            {"lanes are a power of two up to 64, and of C alone"});
    require(!language.python || lanes == 1, {"the module for Python calls code without lanes"});
    require(!language.casadi || (lanes == 1 && !language.cuda && !language.python && !language.single_precision),
            {"functions for CasADi are of C over double without lanes, and need no module for Python"});
    for (char& c : layout_)  // the layout becomes a comment and a string
      if (c == '"' || c == '?' || c == '\\' || c == '*' || (static_cast<unsigned char>(c) < ' ' && c != '\n')) c = '_';
  }

  /// Adds a function, in pieces by cut_for.
  /// @throws Error for a name that the code has already
  void add(const Recording& f) { add(f, f.schedule(cut_for(f, text_.language))); }
  /// Adds a function by a schedule of your own.
  /// @throws Error, and the errors of Recording::check
  void add(const Recording& f, const Schedule& s) {
    f.check(s);
    change([&](Writer& code) { code.write_function(f, s, text_.robot + "_" + f.name()); });
  }

  /// Adds f and its derivatives with Language::casadi, for external("ROBOT_f", ..). For q of any length see
  /// unit_coordinates.
  /// @throws Error as add
  void add(Recording f, const Differentiated& d) {
    require(text_.language.casadi, {"derivatives are written for CasADi"});
    const std::string name = text_.robot + "_" + f.name();
    change([&](Writer& code) {
      for_each_derivative(std::move(f), d, [&](const Recording& g, const std::string& prefix) {
        code.write_function(g, g.schedule(cut_for(g, text_.language)), prefix + name);
      });
    });
  }

  /// Adds a step and rollouts of it, whose texts say what they compute: ROBOT_NAME_rollout, the sum of the costs of
  /// steps, with controls from memory or with noise; ROBOT_NAME_update, new controls from these costs (MPPI); and
  /// ROBOT_NAME_gradient, derivatives of the cost by all controls, for which the function ROBOT_NAME_adjoint is added.
  ///
  /// @param step  with the input u, the controls, an output X_next for each input X of the state, and cost, a number;
  ///   other inputs are parameters, equal in all steps. See record_step
  /// @throws Error for other arrays, and as add; the code is then as it was
  void add_rollouts(Recording step) {
    change([&](Writer& code) { code.write_rollouts(std::move(step)); });
  }

  std::vector<File> files() const {
    std::vector<File> all = files("");
    if (!text_.language.python) return all;
    std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
    for (std::size_t i : {0u, 1u})
      for (const char c : all[i].text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    std::ostringstream digits;
    digits << std::hex << std::setfill('0') << std::setw(16) << hash;
    return files(digits.str());
  }

 private:
  using Values = detail::Text::Values;
  /// @param hash  the hash of the texts of C or CUDA, by which a module for Python finds them; empty without a module
  std::vector<File> files(const std::string& hash) const {
    const bool single = text_.language.single_precision;
    const std::string bytes = single ? "4" : "8", lanes = std::to_string(text_.language.lanes);
    std::string quoted, functions, vector;
    for (const char c : layout_) quoted += c == '\n' ? "\\n\"\n    \"" : std::string(1, c);
    if (text_.language.python) quoted += "source " + hash + "\\n";
    if (text_.is_vector()) {
      functions = detail::lanes_constants;
      vector = " __attribute__((vector_size(" + bytes + " * " + lanes + "), aligned(" + bytes + ")))";
      for (const auto& [function, text] :
           {std::pair("_root(", detail::lanes_root), std::pair("_sincos(", detail::lanes_sincos)})
        if (code_.find(text_.robot + function) != std::string::npos) functions += text;
    }
    const auto root = [&](const std::string& l) { return text_.filled("sqrt$F((x)", {}) + l + ")"; };
    const Values values{
        {"VERSION", std::string(version())},
        {"DTYPE", single ? "float32" : "float64"},
        {"HEADER", text_.filled(templates_.header_name, {})},
        {"NOTE", templates_.note},
        {"LAYOUT", layout_},
        {"QUOTED", quoted},
        {"LANES", text_.is_vector() ? " x " + lanes : ""},
        {"VECTOR", vector},
        {"INTEGER", text_.is_vector() && !single ? "long long" : "int"},
        {"BYTES", bytes},
        {"LANE_FUNCTIONS", text_.filled(functions, {{"COUNT", lanes}, {"ROOTS", text_.of_lanes(root)}})},
        {"PATTERNS", patterns_},
        {"DECLARATIONS", declarations_},
        {"CODE", code_},
        {"HOST_FUNCTIONS", host_functions_},
        {"PYTHON", python_ + python_patterns_}};
    const auto file = [&](const char* name, const std::string& begin, const char* end) {
      return File{text_.filled(name, {}), text_.filled(begin + end, values)};
    };
    if (text_.language.casadi) return {file(templates_.source_name, detail::casadi_begin, templates_.source)};
    std::vector<File> all{file(templates_.header_name, detail::declarations, templates_.header),
                          file(templates_.source_name, detail::layout_string, templates_.source)};
    if (text_.language.python) {
      const detail::PythonOf& of = python_of();
      const Values here{{"NEEDS", of.needs}, {"COMPILER", of.compiler}, {"IMPORT", of.import},  {"SUFFIX", of.suffix},
                        {"HASH", hash},      {"COMMAND", of.command},   {"OPTIONS", of.options}};
      all.push_back(file("$ROBOT.py", text_.filled(std::string(detail::python_begin) + of.call, here), "$PYTHON"));
    }
    return all;
  }

  static void require(bool holds, std::initializer_list<std::string_view> what) {
    if (!holds) throw Error("generated code: " + corio::detail::join(what));
  }
  /// Changes the code or, after an error, leaves it as it is.
  template <class F>
  void change(F&& f) {
    Writer changed = *this;
    f(changed);
    *this = std::move(changed);
  }
  void take(const std::string& name) {
    require(names_.insert(name).second, {"the name '", text_.robot, "_", name, "' is there twice"});
  }
  /// Writes the function for one state and its pieces.
  std::string code_of(const Recording& f, const Schedule& s, const detail::Templates& in) {
    take(f.name() + in.state);
    const auto write = [&](const std::string& text, std::size_t p = 0) {
      return text_.written(text, text_.lists(f),
                           {{"STATE", f.name() + in.state}, {"P", std::to_string(p)}, {"RESTRICT", in.restricted}});
    };
    const std::string parameters = in.parameters, memory = "$REAL* $RESTRICT memory";
    const std::string places = "  $REAL memory[" + std::to_string((std::max)(1, s.places)) + "];\n";
    const auto outputs = f.outputs_of_pieces(s);
    std::string code, body = in.wanted[0] ? "  (void)res;\n" : "";
    body += s.pieces.size() > 1 ? write(places) : text_.lines(f, s, 0, in);
    for (std::size_t p = 0; p < s.pieces.size() && s.pieces.size() > 1; ++p) {
      take(f.name() + in.state + "_" + std::to_string(p));
      code += write("$ROBOT_piece $ROBOT_$STATE_$P(" + parameters + memory + ") {\n", p) + text_.lines(f, s, p, in);
      std::string condition;
      if (in.wanted[0] && outputs[p].size() < f.outputs().size())
        for (const int o : outputs[p])
          condition += (condition.empty() ? "  if (res[" : " || res[") + std::to_string(o) + "]";
      code += "}\n\n", body += condition + (condition.empty() ? "" : ")\n  ");
      body += write(std::string("  $ROBOT_$STATE_$P(") + in.passed + "memory);\n", p);
    }
    return code + write(in.begin + ("void $ROBOT_$STATE(" + parameters) + in.wanted + "$.) {\n") + body + "}\n\n";
  }
  void write_function(const Recording& f, const Schedule& s, const std::string& exported = "") {
    const int way = text_.language.cuda ? way_of_rows(f, text_.language) : 0;
    const detail::Tiles tiles(s, text_.language);
    std::string summary = utf8(f.summary()), about, defined = f.name();
    for (char& c : summary)
      if (static_cast<unsigned char>(c) < ' ') c = ' ';
    for (const char c : summary) about += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    // At the end of a line a backslash, or its trigraph, would make the next line a comment.
    if (summary.ends_with('\\') || summary.ends_with("?"
                                                     "?/"))
      summary += ".";
    while (detail::is_python_word(defined) || (defined != f.name() && names_.contains(defined))) defined += "_";
    if (defined != f.name()) about += " (" + f.name() + " of the code, a name that Python has)";
    int largest = 1;
    for (const auto& x : f.inputs()) largest = (std::max)(largest, x.size());
    Values values{{"NAME", f.name()},
                  {"DEFINED", defined},
                  {"SUMMARY", summary.empty() ? "" : "/// " + summary + "\n"},
                  {"ABOUT", about.empty() ? "" : about + "\n\n    "},
                  {"RESULTS", std::to_string(f.num_outputs())},
                  {"BLOCKS", std::to_string(blocks_at_once(f, s, text_.language))},
                  {"ODD", std::to_string(f.num_outputs() | 1)},
                  {"WAY", std::to_string(way)},
                  {"EXPORT", exported},
                  {"INPUTS", std::to_string(f.inputs().size())},
                  {"OUTPUTS", std::to_string(f.outputs().size())},
                  {"LARGEST", std::to_string(largest)},
                  {"LENGTH", std::to_string(tiles.length)},
                  {"ORDER", list(tiles.order)},
                  {"LAUNCH_ROWS", ""}};
    if (text_.language.cuda)
      for (const char* ending : {"", "_kernel"}) take(f.name() + ending);
    const auto write = [&](const char* text) { return text_.written(text, text_.lists(f), values); };
    code_ += code_of(f, s, templates_);
    declarations_ += write(detail::about) + write(templates_.declaration);
    if (way == 2) {
      for (const char* ending : {"_rows_kernel", "_order", "_put"}) take(f.name() + ending);
      host_functions_ += write(detail::cuda_put) + code_of(f, s, detail::cuda_rows) + write(detail::cuda_rows_kernel);
      values.back().second = write(detail::cuda_launch_rows);
    }
    host_functions_ += write(templates_.host_function);
    python_ += write(detail::python_function);
    if (text_.language.python && defined != f.name()) take(defined);
    if (text_.language.python && !text_.language.cuda) {
      take(f.name() + "_rows");
      const std::string rows = write(detail::c_rows);
      declarations_ += "/// Of many states; the next one of an array begins a step further.\n" +
                       rows.substr(0, rows.find(" {\n")) + ";\n";
      code_ += rows;
    }
    for (const auto& x : f.outputs())
      if (!x.row.empty()) add_pattern(f, x);
  }
  void write_rollouts(Recording step) {
    const std::string name = step.name();
    const detail::Rollout rollout = detail::rollout_of(step, text_);
    const Schedule s = step.schedule(cut_for(step, text_.language));
    for (const char* ending :
         {"_rollout", "_update", "_control", "_gradient", "_rollout_kernel", "_update_kernel", "_gradient_kernel"})
      take(name + ending);
    const auto write = [&](std::string_view text) { return text_.written(text, rollout.lists, rollout.words); };
    std::string& code = text_.language.cuda ? host_functions_ : code_;
    const auto define = [&](std::string_view function) {  // the header has its comment and declaration
      const std::size_t body = function.find(" {\n"), begin = function.find('\n', function.rfind("///", body)) + 1;
      declarations_ += write(function.substr(0, body)) + ";\n";
      code += (text_.language.cuda ? "extern \"C\" " : "") + write(function.substr(begin));
    };
    write_function(step, s);
    if (!std::exchange(has_random_numbers_, true)) {
      take("philox"), take("normals");
      code += write(detail::random_numbers);
    }
    if (text_.language.cuda) {
      code_ += code_of(step, s, detail::cuda_local);
      code += write(detail::cuda_kernels);
      define(detail::cuda_rollout), define(detail::cuda_update);
    } else {
      code += write(detail::c_control);
      define(detail::c_rollout), define(detail::c_update);
    }
    const Recording back = adjoint(std::move(step), rollout.differentiated);
    const Schedule of_back = back.schedule(cut_for(back, text_.language));
    write_function(back, of_back);
    if (text_.language.cuda) {
      code_ += code_of(back, of_back, detail::cuda_local);
      code += write(detail::cuda_gradient_kernel);
    }
    define(text_.language.cuda ? detail::cuda_gradient : detail::c_gradient);
  }
  const detail::PythonOf& python_of() const {
    return text_.language.cuda ? detail::python_of_cuda : detail::python_of_c;
  }
  static std::string list(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
  }
  /// Adds the rows and columns of packed entries.
  void add_pattern(const Recording& f, const Recording::Array& x) {
    for (const char* ending : {"_row", "_column"}) take(f.name() + "_" + x.name + ending);
    const Values values{{"NAME", f.name()},       {"ARRAY", x.name},          {"SIZE", std::to_string(x.size())},
                        {"INDICES", list(x.row)}, {"OTHERS", list(x.column)}, {"LIST", python_of().list}};
    declarations_ += text_.filled(detail::pattern_declaration, values);
    patterns_ += text_.filled(detail::pattern, values);
    python_patterns_ += text_.filled(detail::python_pattern, values);
  }

  std::string layout_;
  detail::Text text_;
  detail::Templates templates_ = text_.language.cuda     ? detail::cuda
                                 : text_.language.casadi ? detail::casadi
                                                         : detail::c;
  std::set<std::string> names_{"layout", "real",   "piece",     "condition", "at",
                               "root",   "sincos", "sincos_of", "tile",      "put_rows"};
  std::string code_, declarations_, patterns_, host_functions_, python_, python_patterns_;
  bool has_random_numbers_ = false;
};

}}}  // namespace corio::codegen
