#pragma once

#include <charconv>
#include <limits>
#include <set>

#include "corio/codegen/recording.hpp"
#include "corio/version.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// The language and scalar of generated code.
struct Language {
  bool cuda = false;
  bool single_precision = false;
  int lanes = 1;  ///< of C: states in one vector of the compiler
};
/// The name and content of a generated file.
struct File {
  std::string name, text;
};

namespace detail {

/// The part of writing a robot's code that C and CUDA share. Nothing in the text depends on the machine, the time or
/// earlier calls, so that the same robot gives the same bytes.
class Writer {
 public:
  /// @param robot   an identifier of C, with which all names begin
  /// @param layout  a description of the arrays in lines, see codegen::layout
  /// @throws Error for another name
  Writer(std::string robot, std::string layout, Language language)
      : robot_(std::move(robot)), layout_(std::move(layout)), language_(language) {
    if (!is_identifier(robot_)) throw Error(corio::detail::join({"generated code: '", robot_, "' is no name of C"}));
  }

  /// The pieces of a function and the function that calls them.
  /// @throws Error for a second function of the same name
  void add(const Recording& f, const Schedule& s) {
    if (!functions_.insert(f.name()).second)
      throw Error(corio::detail::join({"generated code: the function '", f.name(), "' is there twice"}));
    const bool cuda = language_.cuda, whole = s.pieces.size() == 1;
    const std::string pointer = cuda ? "$REAL* __restrict__ " : "$REAL* restrict ";
    const Values values = {
        {"NAME", robot_ + "_" + f.name() + (cuda ? "_state" : "")},
        {"FUNCTION", cuda ? "static __device__ " : ""},
        {"PARAMETERS", list(each(f.inputs(), "const " + pointer + "$ARRAY, ") + (cuda ? "unsigned in_stride, " : "") +
                            each(f.outputs(), pointer + "$ARRAY, ") + (cuda ? "unsigned out_stride, " : ""))},
        {"ARGUMENTS", list(each(f.inputs(), "$ARRAY, ") + (cuda ? "in_stride, " : "") + each(f.outputs(), "$ARRAY, ") +
                           (cuda ? "out_stride, " : ""))}};
    std::string calls;
    for (std::size_t p = 0; p < s.pieces.size(); ++p) {
      const std::string number = std::to_string(p);
      code_ += filled(whole ? std::string("$FUNCTION") + (cuda ? "__forceinline__ " : "") + "void $NAME($PARAMETERS"
                            : "$ROBOT_piece $NAME_" + number + "($PARAMETERS, " + pointer + "memory",
                      values) +
               ") {\n" + lines(f, s, s.pieces[p], s.end_of(p), !whole) + "}\n\n";
      calls += "  $NAME_" + number + "($ARGUMENTS, memory);\n";
    }
    const std::string places = std::to_string((std::max)(1, s.places));
    if (!whole)
      code_ +=
          filled("$FUNCTIONvoid $NAME($PARAMETERS) {\n  $REAL memory[" + places + "];\n" + calls + "}\n\n", values);
  }

 protected:
  using Values = std::vector<std::pair<std::string, std::string>>;
  using Arrays = std::vector<Recording::Array>;

  /// Replaces each $NAME of a text by its value; ROBOT, REAL and SCALAR are always defined. No name begins another.
  std::string filled(std::string_view text, Values values = {}) const {
    values.insert(values.end(), {{"ROBOT", robot_}, {"REAL", real()}, {"SCALAR", scalar()}});
    std::string out;
    for (std::size_t dollar; (dollar = text.find('$')) != std::string_view::npos;) {
      out += text.substr(0, dollar);
      text.remove_prefix(dollar + 1);
      const auto value =
          std::find_if(values.begin(), values.end(), [&](const auto& x) { return text.starts_with(x.first); });
      out += value->second;
      text.remove_prefix(value->first.size());
    }
    return out.append(text);
  }
  /// The text once for each array: its name $ARRAY, its $SIZE, the number of $TILES of 32, and the index at which it
  /// $BEGINS in an array of all.
  std::string each(const Arrays& arrays, std::string_view text) const {
    std::string all;
    int begin = 0;
    for (const auto& x : arrays) {
      all += filled(text, {{"ARRAY", x.name},
                           {"SIZE", std::to_string(x.size())},
                           {"TILES", std::to_string((x.size() + 31) / 32)},
                           {"BEGINS", std::to_string(begin)}});
      begin += x.size();
    }
    return all;
  }
  /// Without the comma at its end.
  static std::string list(const std::string& text) { return text.substr(0, text.rfind(", ")); }
  /// q[7], v[7], a[7] -> M[7][7]
  std::string signature(const Recording& f) const {
    const auto shapes = [](const Arrays& arrays) {
      std::string text;
      for (const auto& x : arrays)
        text += x.name + (x.columns > 1 ? "[" + std::to_string(x.columns) + "]" : "") + "[" + std::to_string(x.rows) +
                "], ";
      return list(text);
    };
    return shapes(f.inputs()) + " -> " + shapes(f.outputs());
  }
  std::string banner() const {
    return filled("// Generated by corio " + std::string(version()) + " for the robot $ROBOT, over $SCALAR.\n");
  }
  std::string scalar() const { return language_.single_precision ? "float" : "double"; }
  /// The layout as lines of a comment, or of a string.
  std::string lines_of_layout(const std::string& before, const std::string& after) const {
    std::string text;
    for (std::size_t begin = 0, end; begin < layout_.size(); begin = end + 1) {
      end = (std::min)(layout_.find('\n', begin), layout_.size());
      text += before + layout_.substr(begin, end - begin) + after;
    }
    return text;
  }
  std::string layout_string() const {
    const std::string lanes = language_.lanes > 1 ? " x " + std::to_string(language_.lanes) : "";
    return filled("const char $ROBOT_layout[] =\n    \"corio " + std::string(version()) + ", robot $ROBOT, $SCALAR" +
                  lanes + "\\n\"\n") +
           lines_of_layout("    \"", "\\n\"\n") + "    ;\n";
  }

  const std::string robot_, layout_;
  const Language language_;
  std::string code_;

 private:
  std::set<std::string> functions_;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::string real() const { return robot_ + "_real"; }

  std::string lines(const Recording& f, const Schedule& s, std::size_t begin, std::size_t end, bool has_memory) const {
    const Tape& tape = f.tape();
    std::vector<int> number(at(tape.size()), -1);
    int next = 0;
    std::string text;  // not every piece uses every array
    for (const auto* arrays : {&f.inputs(), &f.outputs()})
      for (const auto& x : *arrays) text += "  (void)" + x.name + ";\n";
    if (has_memory) text += "  (void)memory;\n";
    const auto local = [&](int i) { return "t" + std::to_string(number[at(i)]); };
    const auto term = [&](int i) -> std::string {
      const Tape::Entry& e = tape[i];
      if (e.operation == Operation::constant) return constant(e.value);
      if (e.operation != Operation::input) return local(i);
      const auto [array, k] = place_of(f.inputs(), e.operand[0]);
      return language_.cuda ? array + "[(size_t)" + k + " * in_stride]" : array + "[" + k + "]";
    };
    const auto declare = [&](int i) {
      number[at(i)] = next++;
      return (is_condition(tape[i].operation) ? "  const " + condition() + " " : "  const " + real() + " ") + local(i) +
             " = ";
    };
    for (std::size_t p = begin; p < end; ++p) {
      const auto& line = s.lines[p];
      const int i = line.entry;
      switch (line.kind) {
        case Schedule::Line::load:
          text += declare(i) + memory(line.place, is_condition(tape[i].operation)) + ";\n";
          break;
        case Schedule::Line::store: text += "  " + store(line.place, local(i), is_condition(tape[i].operation)); break;
        case Schedule::Line::result: {
          const auto [array, k] = place_of(f.outputs(), line.place);
          const bool plain = language_.lanes > 1 && tape[i].operation == Operation::constant;
          text += language_.cuda ? "  *" + robot_ + "_at<" + k + ">(" + array + ", out_stride)"
                                 : "  " + array + "[" + k + "]";
          text += " = " + (plain ? "(" + real() + "){0} + " : "") + term(i) + ";\n";
          break;
        }
        case Schedule::Line::compute: {
          const Tape::Entry& e = tape[i];
          std::string operand[3];
          for (int j = 0; j < num_operands(e.operation); ++j) operand[j] = term(e.operand[j]);
          if (language_.cuda && p + 1 < end && is_pair(tape, line, s.lines[p + 1])) {
            const bool sine_first = e.operation == Operation::sine;
            const std::string pair = "p" + std::to_string(next);
            text += "  const " + robot_ + "_sincos_of " + pair + " = " + robot_ + "_sincos(" + operand[0] + ");\n";
            text += declare(i) + pair + (sine_first ? ".sine;\n" : ".cosine;\n");
            text += declare(s.lines[++p].entry) + pair + (sine_first ? ".cosine;\n" : ".sine;\n");
            break;
          }
          text += declare(i) + expression(e.operation, operand) + ";\n";
        }
      }
    }
    return text;
  }
  static bool is_pair(const Tape& tape, const Schedule::Line& a, const Schedule::Line& b) {
    const auto trigonometric = [&](int i) {
      return tape[i].operation == Operation::sine || tape[i].operation == Operation::cosine;
    };
    return b.kind == Schedule::Line::compute && trigonometric(a.entry) && trigonometric(b.entry) &&
           a.entry != b.entry && tape[a.entry].operand[0] == tape[b.entry].operand[0];
  }
  /// The array of a number of a function, and the place there.
  static std::pair<std::string, std::string> place_of(const std::vector<Recording::Array>& arrays, int number) {
    auto x = arrays.begin();
    for (; number >= x->size(); ++x) number -= x->size();
    return {x->name, std::to_string(number)};
  }
  std::string condition() const { return language_.lanes > 1 ? robot_ + "_mask" : "int"; }
  /// Conditions are kept as numbers; in vectors all of their bits are set, or none.
  std::string memory(int place, bool is_condition) const {
    const std::string m = "memory[" + std::to_string(place) + "]";
    if (!is_condition) return m;
    return language_.lanes > 1 ? "(" + condition() + ")" + m : m + " != 0";
  }
  std::string store(int place, const std::string& x, bool is_condition) const {
    return "memory[" + std::to_string(place) + "] = " + (is_condition ? "(" + real() + ")" : "") + x + ";\n";
  }
  /// The shortest text that is read as the same number.
  std::string constant(double x) const {
    if (std::isnan(x)) return "NAN";
    if (std::isinf(x) ||
        (language_.single_precision && std::abs(x) > static_cast<double>((std::numeric_limits<float>::max)())))
      return x < 0 ? "(-INFINITY)" : "INFINITY";
    char digits[40];
    char* const end = language_.single_precision
                          ? std::to_chars(digits, digits + sizeof digits, static_cast<float>(x)).ptr
                          : std::to_chars(digits, digits + sizeof digits, x).ptr;
    std::string text(digits, end);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    if (language_.single_precision) text += "f";
    return std::signbit(x) ? "(" + text + ")" : text;
  }
  std::string call(const std::string& function, const std::string& arguments) const {
    const bool vectors = language_.lanes > 1;
    return (vectors ? robot_ + "_" + function : function + (language_.single_precision ? "f" : "")) + "(" + arguments +
           ")";
  }
  std::string expression(Operation o, const std::string (&x)[3]) const {
    const bool vectors = language_.lanes > 1;
    const auto& [operands, text] = syntax_of(o);
    if (o == Operation::finite) return x[0] + " - " + x[0] + " == " + constant(0);
    if (o == Operation::opposite) return (vectors ? "~" : "!") + x[0];
    if (o == Operation::choice) {
      if (!vectors) return x[0] + " ? " + x[1] + " : " + x[2];
      return robot_ + "_select(" + x[0] + ", (" + real() + "){0} + " + x[1] + ", (" + real() + "){0} + " + x[2] + ")";
    }
    if (is_function(o)) return call(text, operands == 2 ? x[0] + ", " + x[1] : x[0]);
    return operands == 2 ? x[0] + " " + text + " " + x[1] : text + x[0];
  }
};

}  // namespace detail
}  // namespace corio::codegen
