#pragma once

#include <bit>
#include <charconv>
#include <map>
#include <set>

#include "corio/codegen/detail/lanes.hpp"
#include "corio/codegen/detail/python.hpp"
#include "corio/codegen/detail/templates.hpp"
#include "corio/codegen/language.hpp"
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
/// [state][number]. More than 64 results are then computed as [number][state] in `scratch`, an array of
/// ROBOT_NAME_scratch(states) entries, and transposed.
class Writer {
 public:
  /// @param robot   an identifier of C, with which all names begin
  /// @param layout  a description of the arrays in lines, see codegen::layout
  /// @throws Error for another name, for one of a system's header, which the code's own would hide, and for lanes that
  ///   are no power of two up to 64, or of CUDA
  Writer(std::string robot, std::string layout, Language language = {})
      : robot_(std::move(robot)), layout_(std::move(layout)), language_(language) {
    if (!is_identifier(robot_)) throw Error(corio::detail::join({"generated code: '", robot_, "' is no name of C"}));
    if (is_system_header(robot_))
      throw Error(
          corio::detail::join({"generated code: '", robot_, ".h' is a header of the system; take another name"}));
    if (language_.lanes < 1 || language_.lanes > 64 || !std::has_single_bit(static_cast<unsigned>(language_.lanes)) ||
        (language_.cuda && language_.lanes > 1))
      throw Error("generated code: lanes are a power of two up to 64, and of C alone");
    if (language_.python && (language_.cuda || is_vector()))
      throw Error("generated code: the module for Python calls C without lanes");
    for (char& c : layout_)  // is written into a comment and a string
      if (c == '"' || c == '?' || c == '\\' || c == '*' || (static_cast<unsigned char>(c) < ' ' && c != '\n')) c = '_';
  }

  /// In pieces as cut_for says.
  /// @throws Error for a name that the code has already
  void add(const Recording& f) { add(f, f.schedule(cut_for(f, language_))); }
  /// By a schedule of your own.
  /// @throws Error also as Recording::check
  void add(const Recording& f, const Schedule& s) {
    f.check(s);
    const std::string state = f.name() + text_.state;
    const std::size_t pieces = s.pieces.size() == 1 ? 0 : s.pieces.size();
    std::set<std::string> names = names_;
    const auto take = [&](const std::string& name) {
      if (!names.insert(name).second)
        throw Error(corio::detail::join({"generated code: the name '", robot_, "_", name, "' is there twice"}));
    };
    take(f.name());
    for (std::size_t p = 0; p < pieces; ++p) take(state + "_" + std::to_string(p));
    if (language_.cuda) take(state), take(f.name() + "_kernel"), take(f.name() + "_scratch");
    for (const auto& x : f.outputs())
      if (!x.row.empty()) take(f.name() + "_" + x.name + "_row"), take(f.name() + "_" + x.name + "_column");
    names_ = names;

    const auto write = [&](std::string_view text, std::size_t p = 0) {
      return filled(expanded(text, f), {{"NAME", f.name()},
                                        {"STATE", state},
                                        {"P", std::to_string(p)},
                                        {"SUMMARY", f.summary().empty() ? "" : "/// " + f.summary() + "\n"},
                                        {"ABOUT", f.summary().empty() ? "" : f.summary() + "\n\n    "},
                                        {"RESULTS", std::to_string(f.num_outputs())},
                                        {"BLOCKS", std::to_string(blocks_at_once(f, s, language_))}});
    };
    std::string calls = "  " + real_ + " memory[" + std::to_string((std::max)(1, s.places)) + "];\n";
    for (std::size_t p = 0; p < pieces; ++p) {
      code_ += write(text_.piece, p) + lines(f, s, p) + "}\n\n";
      calls += write(text_.call, p);
    }
    code_ += write(text_.function) + (pieces > 0 ? calls : lines(f, s, 0)) + "}\n\n";
    declarations_ += write(text_.declaration);
    for (const auto& x : f.outputs())
      if (!x.row.empty()) add_pattern(f, x);
    host_functions_ += write(text_.host_function);
    python_ += write(detail::python_function);
  }

  std::vector<File> files() const {
    const int bytes = language_.single_precision ? 4 : 8;
    const std::string lanes = std::to_string(language_.lanes);
    std::string quoted;
    for (const char c : layout_) quoted += c == '\n' ? "\\n\"\n    \"" : std::string(1, c);
    const auto lanes_need = [&](const char* function, const char* text) {
      const std::string roots = of_lanes([&](const std::string& l) { return filled("sqrt$F((x)", {}) + l + ")"; });
      const bool is_needed = is_vector() && code_.find(robot_ + function) != std::string::npos;
      return is_needed ? filled(text, {{"COUNT", lanes}, {"ROOTS", roots}}) : "";
    };
    const auto write = [&](const std::string& text) {
      return filled(text, {{"VERSION", std::string(version())},
                           {"DTYPE", language_.single_precision ? "float32" : "float64"},
                           {"HEADER", filled(text_.header_name, {})},
                           {"NOTE", text_.note},
                           {"LAYOUT", layout_},
                           {"QUOTED", quoted},
                           {"LANES", is_vector() ? " x " + lanes : ""},
                           {"VECTOR", is_vector() ? " __attribute__((vector_size(" + std::to_string(bytes) + " * " +
                                                        lanes + "), aligned(" + std::to_string(bytes) + ")))"
                                                  : ""},
                           {"INTEGER", is_vector() && bytes == 8 ? "long long" : "int"},
                           {"BYTES", std::to_string(bytes)},
                           {"LANE_FUNCTIONS",
                            lanes_need("_root(", detail::lanes_root) + lanes_need("_sincos(", detail::lanes_sincos)},
                           {"PATTERNS", patterns_},
                           {"DECLARATIONS", declarations_},
                           {"CODE", code_},
                           {"HOST_FUNCTIONS", host_functions_}});
    };
    std::vector<File> files{{filled(text_.header_name, {}), write(std::string(detail::declarations) + text_.header)},
                            {filled(text_.source_name, {}), write(std::string(detail::layout_string) + text_.source)}};
    if (language_.python) files.push_back({robot_ + ".py", write(detail::python_begin) + python_ + python_patterns_});
    return files;
  }

 private:
  using Values = std::vector<std::pair<std::string, std::string>>;
  bool is_vector() const { return language_.lanes > 1; }
  /// A list of text("[l]") for all lanes l.
  template <class Text>
  std::string of_lanes(Text&& text) const {
    std::string list;
    for (int l = 0; l < language_.lanes; ++l) list += (l > 0 ? ", " : "") + text("[" + std::to_string(l) + "]");
    return list;
  }

  /// Replaces each $NAME of a text that has a value. No name begins another.
  std::string filled(std::string_view text, Values values) const {
    values.insert(values.end(), {{"ROBOT", robot_},
                                 {"REAL", real_},
                                 {"SCALAR", language_.single_precision ? "float" : "double"},
                                 {"F", language_.single_precision ? "f" : ""}});
    std::string out;
    for (std::size_t dollar; (dollar = text.find('$')) != std::string_view::npos;) {
      out += text.substr(0, dollar);
      text.remove_prefix(dollar + 1);
      const auto value = std::ranges::find_if(values, [&](const auto& x) { return text.starts_with(x.first); });
      out += value == values.end() ? "$" : value->second;
      if (value != values.end()) text.remove_prefix(value->first.size());
    }
    return out.append(text);
  }
  /// Writes out the lists of arrays of a text, with the index at which an array $BEGINS in an array of all.
  std::string expanded(std::string_view text, const Recording& f) const {
    std::string out(text);
    for (const auto& [mark, arrays] : {std::pair("$IN{", &f.inputs()), std::pair("$OUT{", &f.outputs())})
      for (std::size_t begin; (begin = out.find(mark)) != std::string::npos;) {
        const std::size_t end = out.find('}', begin);
        const std::string entry = out.substr(out.find('{', begin) + 1, end - out.find('{', begin) - 1);
        std::string list;
        int first = 0;
        for (const auto& x : *arrays) {
          const std::string columns = x.columns > 1 ? "[" + std::to_string(x.columns) + "]" : "";
          list += filled(entry, {{"ARRAY", x.name},
                                 {"SHAPE", columns + "[" + std::to_string(x.rows) + "]"},
                                 {"SIZE", std::to_string(x.size())},
                                 {"ROWS", std::to_string(x.rows)},
                                 {"COLUMNS", std::to_string(x.columns)},
                                 {"BEGINS", std::to_string(first)}});
          first += x.size();
        }
        out.replace(begin, end + 1 - begin, list);
      }
    for (std::size_t end; (end = out.find("$.")) != std::string::npos;) {
      const bool is_list = end > 1 && out.compare(end - 2, 2, ", ") == 0;
      out.replace(is_list ? end - 2 : end, is_list ? 4 : 2, is_list ? "" : "void");
    }
    return out;
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
    declarations_ += filled(detail::pattern_declaration, values);
    patterns_ += filled(detail::pattern, values);
    python_patterns_ += filled(detail::python_pattern, values);
  }
  std::string lines(const Recording& f, const Schedule& s, std::size_t piece) const {
    const Tape& tape = f.tape();
    std::map<int, std::string> local, pair;  // names of values, and of sine and cosine of an angle
    std::string text = expanded("$IN{  (void)$ARRAY_;\n}$OUT{  (void)$ARRAY_;\n}", f);  // a piece may use none
    if (s.pieces.size() > 1) text += "  (void)memory;\n";
    const auto element = [&](const char* access, const std::vector<Recording::Array>& arrays, int k) {
      auto x = arrays.begin();
      for (; k >= x->size(); ++x) k -= x->size();
      return filled(access, {{"ARRAY", x->name}, {"K", std::to_string(k)}});
    };
    const auto term = [&](int i) {
      if (tape[i].is(operation::constant)) return constant(tape[i].value);
      return tape[i].is(operation::input) ? element(text_.input, f.inputs(), tape[i].operand[0]) : local[i];
    };
    /// A vector in place of a constant.
    const auto entry = [&](int i) {
      return (is_vector() && tape[i].is(operation::constant) ? "(" + real_ + "){0} + " : "") + term(i);
    };
    const auto type = [&](int i) { return tape[i].operation->is_condition ? robot_ + "_condition" : real_; };
    const auto define = [&](int i, const std::string& value) {
      const std::string name = "t" + std::to_string(local.size());
      text += "  const " + type(i) + " " + name + " = " + value + ";\n";
      local[i] = name;
    };
    const auto value = [&](const Operation& o, const int* x) -> std::string {
      const auto operands = [&](const std::string& lane) {
        Values values;
        for (int j = 0; j < o.operands; ++j)
          values.emplace_back(std::string(1, "ABC"[j]), term(x[j]) + (tape[x[j]].is(operation::constant) ? "" : lane));
        return values;
      };
      if ((language_.cuda || is_vector()) && (&o == &operation::sine || &o == &operation::cosine)) {
        const auto [both, is_new] = pair.try_emplace(x[0], "p" + std::to_string(pair.size()));
        if (is_new) text += filled(text_.pair, {{"A", term(x[0])}, {"PAIR", both->second}});
        return both->second + (&o == &operation::sine ? ".sine" : ".cosine");
      }
      if (is_vector() && &o == &operation::root) return filled("$ROBOT_root($A)", operands(""));
      if (is_vector() && &o == &operation::choice)
        return filled("($REAL)((($ROBOT_condition)($B) & $A) | (($ROBOT_condition)($C) & ~$A))",
                      {{"A", term(x[0])}, {"B", entry(x[1])}, {"C", entry(x[2])}});
      if (!is_vector() || !o.is_function()) return filled(o.text, operands(""));
      return "(" + real_ + "){" + of_lanes([&](const std::string& l) { return filled(o.text, operands(l)); }) + "}";
    };
    for (std::size_t p = s.pieces[piece]; p < s.end_of(piece); ++p) {
      const int i = s.lines[p].entry;
      const std::string memory = "memory[" + std::to_string(s.lines[p].place) + "]";
      switch (s.lines[p].kind) {
        case Schedule::Line::load: define(i, "(" + type(i) + ")" + memory); break;
        case Schedule::Line::store: text += "  " + memory + " = (" + real_ + ")" + local[i] + ";\n"; break;
        case Schedule::Line::result:
          text += "  " + element(text_.output, f.outputs(), s.lines[p].place) + " = " + entry(i) + ";\n";
          break;
        case Schedule::Line::compute: define(i, value(*tape[i].operation, tape[i].operand));
      }
    }
    return text;
  }
  /// The shortest text that is read as the same number.
  std::string constant(double x) const {
    const bool single = language_.single_precision;
    if (std::isnan(x)) return "NAN";
    if (std::abs(x) > (single ? (std::numeric_limits<float>::max)() : (std::numeric_limits<double>::max)()))
      return x < 0 ? "(-INFINITY)" : "INFINITY";
    char digits[40];
    std::string text(digits, single ? std::to_chars(digits, std::end(digits), static_cast<float>(x)).ptr
                                    : std::to_chars(digits, std::end(digits), x).ptr);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    if (single) text += "f";
    return std::signbit(x) ? "(" + text + ")" : text;
  }
  std::string robot_, layout_, real_ = robot_ + "_real";
  Language language_;
  detail::Templates text_ = language_.cuda ? detail::cuda : detail::c;
  std::set<std::string> names_{"layout", "real", "piece", "condition", "at", "root", "sincos", "sincos_of", "turn"};
  std::string code_, declarations_, patterns_, host_functions_, python_, python_patterns_;
};

}}}  // namespace corio::codegen
