#pragma once

#include <bit>
#include <set>
#include <utility>

#include "corio/codegen/detail/lanes.hpp"
#include "corio/codegen/detail/python.hpp"
#include "corio/codegen/detail/rollout_words.hpp"
#include "corio/version.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen {

/// The name and content of a generated file.
struct File {
  std::string name, text;
};

/// Writes several functions of one robot. Nothing in the text depends on the machine, the time or earlier calls, so
/// that the same robot gives the same bytes.
///
/// As C11, in ROBOT.h and ROBOT.c, which need only the functions of <math.h> that were recorded: sin, cos and sqrt for
/// the dynamics of trees. Functions void ROBOT_NAME(const T* q, .., T* result) have no state, allocate nothing, and
/// take arrays that do not overlap, matrices by columns. With Language::lanes an entry is a vector of the compiler:
/// x[i][l] is entry i of state l.
///
/// As CUDA, in ROBOT.cuh and ROBOT.cu, one thread per state:
///   ROBOT_NAME_state(..)  for kernels of your own; the entries of a state are in_stride and out_stride apart;
///   int ROBOT_NAME(.., states, rows, scratch, stream)  on the host, for arrays on the device; returns a cudaError_t.
/// Arrays are [number][state], so that neighbouring threads read and write neighbouring entries, or with `rows`
/// [state][number]. Long rows, see way_of_rows, are computed as [number][state] in `scratch`, an array of
/// ROBOT_NAME_scratch(states) entries, and transposed.
class Writer {
 public:
  /// @param robot   an identifier of C, with which all names begin
  /// @param layout  a description of the arrays in lines, see codegen::layout
  /// @throws Error if robot is not a C identifier or names a header of the system, which the code's own would hide; if
  ///   lanes is not a power of two up to 64, or is not 1 for CUDA
  Writer(std::string robot, std::string layout, Language language = {})
      : layout_(std::move(layout)), text_{robot, robot + "_real", language} {
    if (!is_identifier(text_.robot))
      throw Error(corio::detail::join({"generated code: '", text_.robot, "' is no name of C"}));
    if (is_system_header(text_.robot))
      throw Error(
          corio::detail::join({"generated code: '", text_.robot, ".h' is a header of the system; take another name"}));
    if (text_.language.lanes < 1 || text_.language.lanes > 64 ||
        !std::has_single_bit(static_cast<unsigned>(text_.language.lanes)) ||
        (text_.language.cuda && text_.language.lanes > 1))
      throw Error("generated code: lanes are a power of two up to 64, and of C alone");
    if (text_.language.python && (text_.language.cuda || text_.is_vector()))
      throw Error("generated code: the module for Python calls C without lanes");
    for (char& c : layout_)  // is written into a comment and a string
      if (c == '"' || c == '?' || c == '\\' || c == '*' || (static_cast<unsigned char>(c) < ' ' && c != '\n')) c = '_';
  }

  /// In pieces as cut_for says.
  /// @throws Error for a name that the code has already
  void add(const Recording& f) { add(f, f.schedule(cut_for(f, text_.language))); }
  /// By a schedule of your own.
  /// @throws Error also as Recording::check
  void add(const Recording& f, const Schedule& s) {
    f.check(s);
    Names names(*this);
    names.take(f.name());
    names.take_function(f, s, templates_);
    if (text_.language.cuda) names.take(f.name() + "_kernel"), names.take(f.name() + "_scratch");
    for (const auto& x : f.outputs())
      if (!x.row.empty()) names.take(f.name() + "_" + x.name + "_row"), names.take(f.name() + "_" + x.name + "_column");
    names.keep();
    const Values values = words(f, s);
    const auto write = [&](const char* text) { return text_.filled(text_.expanded(text, text_.lists(f)), values); };
    code_ += code_of(f, s, templates_);
    declarations_ += write(templates_.declaration);
    host_functions_ += write(templates_.host_function);
    python_ += write(detail::python_function);
    for (const auto& x : f.outputs())
      if (!x.row.empty()) add_pattern(f, x);
  }

  /// A step and rollouts of it, whose texts say what they compute: ROBOT_NAME_rollout, the sum of the costs of steps,
  /// with controls from memory or with noise; ROBOT_NAME_update, new controls from these costs (MPPI); and of C
  /// ROBOT_NAME_gradient, derivatives of the cost by all controls, for which the function ROBOT_NAME_adjoint is added.
  ///
  /// @param step  with the input u, the controls, an output X_next for each input X of the state, and cost, a number;
  ///   other inputs are parameters, the same in each step. See record_step
  /// @throws Error for other arrays, and as add
  void add_rollouts(Recording step) {
    const std::string name = step.name();
    const detail::Rollout rollout = detail::rollout_of(step, text_);
    const Schedule s = step.schedule(cut_for(step, text_.language));
    for (const char* ending : {"", "_adjoint"}) Names(*this).take(name + ending);  // by add
    Names names(*this);
    for (const char* ending : {"_rollout", "_update", "_control", "_gradient", "_rollout_kernel", "_update_kernel"})
      names.take(name + ending);
    if (text_.language.cuda) names.take_function(step, s, detail::cuda_local);
    if (!has_random_numbers_) names.take("philox"), names.take("normals");
    names.keep();
    const auto write = [&](const char* text) {
      return text_.filled(text_.expanded(text, rollout.lists), rollout.words);
    };
    add(step, s);
    std::string& code = text_.language.cuda ? host_functions_ : code_;
    if (!std::exchange(has_random_numbers_, true)) code += write(detail::random_numbers);
    if (text_.language.cuda) {
      code_ += code_of(step, s, detail::cuda_local);
      declarations_ += write(detail::cuda_rollout_declaration);
      code += write(detail::cuda_rollout);
      return;
    }
    declarations_ += write(detail::c_rollout_declaration);
    code += write(detail::c_rollout);
    add(adjoint(std::move(step), rollout.differentiated));
    declarations_ += write(detail::c_gradient_declaration);
    code += write(detail::c_gradient);
  }

  std::vector<File> files() const {
    const int bytes = text_.language.single_precision ? 4 : 8;
    const std::string lanes = std::to_string(text_.language.lanes);
    std::string quoted;
    for (const char c : layout_) quoted += c == '\n' ? "\\n\"\n    \"" : std::string(1, c);
    const auto lanes_need = [&](const char* function, const char* text) {
      const std::string roots =
          text_.of_lanes([&](const std::string& l) { return text_.filled("sqrt$F((x)", {}) + l + ")"; });
      const bool is_needed = text_.is_vector() && code_.find(text_.robot + function) != std::string::npos;
      return is_needed ? text_.filled(text, {{"COUNT", lanes}, {"ROOTS", roots}}) : "";
    };
    const auto write = [&](const std::string& text) {
      return text_.filled(
          text,
          {{"VERSION", std::string(version())},
           {"DTYPE", text_.language.single_precision ? "float32" : "float64"},
           {"HEADER", text_.filled(templates_.header_name, {})},
           {"NOTE", templates_.note},
           {"LAYOUT", layout_},
           {"QUOTED", quoted},
           {"LANES", text_.is_vector() ? " x " + lanes : ""},
           {"VECTOR", text_.is_vector() ? " __attribute__((vector_size(" + std::to_string(bytes) + " * " + lanes +
                                              "), aligned(" + std::to_string(bytes) + ")))"
                                        : ""},
           {"INTEGER", text_.is_vector() && bytes == 8 ? "long long" : "int"},
           {"BYTES", std::to_string(bytes)},
           {"LANE_FUNCTIONS", lanes_need("_root(", detail::lanes_root) + lanes_need("_sincos(", detail::lanes_sincos)},
           {"PATTERNS", patterns_},
           {"DECLARATIONS", declarations_},
           {"CODE", code_},
           {"HOST_FUNCTIONS", host_functions_}});
    };
    std::vector<File> files{
        {text_.filled(templates_.header_name, {}), write(std::string(detail::declarations) + templates_.header)},
        {text_.filled(templates_.source_name, {}), write(std::string(detail::layout_string) + templates_.source)}};
    if (text_.language.python)
      files.push_back({text_.robot + ".py", write(detail::python_begin) + python_ + python_patterns_});
    return files;
  }

 private:
  using Values = detail::Text::Values;
  /// Names that are taken together, or none of them.
  struct Names {
    Writer& writer;
    std::set<std::string> all = writer.names_;
    explicit Names(Writer& w) : writer(w) {}
    void take(const std::string& name) {
      if (!all.insert(name).second)
        throw Error(
            corio::detail::join({"generated code: the name '", writer.text_.robot, "_", name, "' is there twice"}));
    }
    /// That of one state, unless it is f's own, and of its pieces.
    void take_function(const Recording& f, const Schedule& s, const detail::Templates& in) {
      const std::string state = f.name() + in.state;
      if (state != f.name()) take(state);
      for (std::size_t p = 0; p < s.pieces.size() && s.pieces.size() > 1; ++p) take(state + "_" + std::to_string(p));
    }
    void keep() { writer.names_ = all; }
  };
  Values words(const Recording& f, const Schedule& s) const {
    return {{"NAME", f.name()},
            {"SUMMARY", f.summary().empty() ? "" : "/// " + f.summary() + "\n"},
            {"ABOUT", f.summary().empty() ? "" : f.summary() + "\n\n    "},
            {"RESULTS", std::to_string(f.num_outputs())},
            {"BLOCKS", std::to_string(blocks_at_once(f, s, text_.language))},
            {"ODD", std::to_string(f.num_outputs() | 1)},
            {"WAY", std::to_string(way_of_rows(f, text_.language))}};
  }
  /// A function for one state and its pieces.
  std::string code_of(const Recording& f, const Schedule& s, const detail::Templates& in) const {
    const auto write = [&](const char* text, std::size_t p = 0) {
      const Values values{{"STATE", f.name() + in.state}, {"P", std::to_string(p)}};
      return text_.filled(text_.expanded(text, text_.lists(f)), values);
    };
    std::string code, calls = "  " + text_.real + " memory[" + std::to_string((std::max)(1, s.places)) + "];\n";
    for (std::size_t p = 0; p < s.pieces.size() && s.pieces.size() > 1; ++p) {
      code += write(in.piece, p) + text_.lines(f, s, p, in) + "}\n\n";
      calls += write(in.call, p);
    }
    return code + write(in.function) + (s.pieces.size() > 1 ? calls : text_.lines(f, s, 0, in)) + "}\n\n";
  }
  /// The rows and columns of packed entries.
  void add_pattern(const Recording& f, const Recording::Array& x) {
    const auto list = [](const std::vector<int>& numbers) {
      std::string text;
      for (const int number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
      return text;
    };
    const Values values{{"NAME", f.name()},
                        {"ARRAY", x.name},
                        {"SIZE", std::to_string(x.size())},
                        {"INDICES", list(x.row)},
                        {"OTHERS", list(x.column)}};
    declarations_ += text_.filled(detail::pattern_declaration, values);
    patterns_ += text_.filled(detail::pattern, values);
    python_patterns_ += text_.filled(detail::python_pattern, values);
  }
  std::string layout_;
  detail::Text text_;
  detail::Templates templates_ = text_.language.cuda ? detail::cuda : detail::c;
  std::set<std::string> names_{"layout", "real",      "piece", "condition", "at",      "root",
                               "sincos", "sincos_of", "turn",  "tile",      "put_rows"};
  std::string code_, declarations_, patterns_, host_functions_, python_, python_patterns_;
  bool has_random_numbers_ = false;
};

}}}  // namespace corio::codegen
