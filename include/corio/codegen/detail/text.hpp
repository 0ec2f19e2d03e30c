#pragma once

#include <charconv>
#include <map>

#include "corio/codegen/detail/templates.hpp"
#include "corio/codegen/language.hpp"

namespace corio { inline namespace CORIO_ABI { namespace codegen { namespace detail {

/// Fills the texts of a language for one robot.
struct Text {
  std::string robot, real;
  Language language;

  using Values = std::vector<std::pair<std::string, std::string>>;
  bool is_vector() const { return language.lanes > 1; }
  /// Returns a list of text("[l]") for all lanes l.
  template <class F>
  std::string of_lanes(F&& text) const {
    std::string list;
    for (int l = 0; l < language.lanes; ++l)
      list += (l > 0 ? ", " : "") + text(corio::detail::join({"[", std::to_string(l), "]"}));
    return list;
  }

  /// Replaces each $NAME of a text that has a value. No name begins another.
  std::string filled(std::string_view from, Values values) const {
    values.insert(values.end(), {{"ROBOT", robot},
                                 {"REAL", real},
                                 {"SCALAR", language.single_precision ? "float" : "double"},
                                 {"F", language.single_precision ? "f" : ""}});
    std::string out;
    for (std::size_t dollar; (dollar = from.find('$')) != std::string_view::npos;) {
      out += from.substr(0, dollar);
      from.remove_prefix(dollar + 1);
      const auto value = std::ranges::find_if(values, [&](const auto& x) { return from.starts_with(x.first); });
      out += value == values.end() ? "$" : value->second;
      if (value != values.end()) from.remove_prefix(value->first.size());
    }
    return out.append(from);
  }
  /// Words for each entry of lists, by the marks that begin these, such as "$IN{".
  using Lists = std::map<std::string, std::vector<Values>>;
  /// Returns the pattern of an array in CasADi's form: rows, columns, then 1 if no entry is left out, else the
  /// beginnings of columns and the rows of entries.
  static std::string pattern_of(const Recording::Array& x) {
    std::string text = std::to_string(x.full_rows) + ", " + std::to_string(x.full_columns);
    if (x.is_full()) return text + ", 1";
    for (int j = 0; j <= x.full_columns; ++j)
      text += ", " + std::to_string(std::ranges::count_if(x.column, [&](int column) { return column < j; }));
    for (const int i : x.row) text += ", " + std::to_string(i);
    return text;
  }
  /// Returns the words of a function's arrays.
  Lists lists(const Recording& f) const {
    Lists all{{"$IN{", {}}, {"$OUT{", {}}};
    for (const auto* arrays : {&f.inputs(), &f.outputs()})
      for (int first = 0, place = 0; const auto& x : *arrays) {
        const std::string rows = std::to_string(x.rows), number = std::to_string(x.columns);
        const std::string columns = x.is_matrix ? "[" + number + "]" : "";
        const auto is_there = [&](const std::string& name) {
          return name != x.name && std::ranges::count(f.inputs(), name, &Recording::Array::name) > 0;
        };
        std::string argument = x.name;  // the name in Python
        while (is_python_word(argument) || is_there(argument)) argument += "_";
        all[arrays == &f.inputs() ? "$IN{" : "$OUT{"].push_back(
            {{"ARRAY", x.name},
             {"ARGUMENT", argument},
             {"SHAPE", columns + "[" + rows + "]"},
             {"SIZE", std::to_string(x.size())},
             {"DIMENSIONS", x.is_matrix ? number + ", " + rows : rows + ","},
             {"CCS", language.casadi ? "{" + pattern_of(x) + "}" : ""},
             {"PLACE", std::to_string(place++)},
             {"BEGINS", std::to_string(first)}});
        first += x.size();
      }
    return all;
  }
  /// Writes out the lists of a text, whose entries end before }.
  std::string expanded(std::string_view from, const Lists& all) const {
    std::string out(from);
    for (const auto& [mark, entries] : all)
      for (std::size_t begin; (begin = out.find(mark)) != std::string::npos;) {
        const std::size_t end = out.find('}', begin);
        const std::string entry = out.substr(begin + mark.size(), end - begin - mark.size());
        std::string list;
        for (const Values& values : entries) list += filled(entry, values);
        out.replace(begin, end + 1 - begin, list);
      }
    for (std::size_t end; (end = out.find("$.")) != std::string::npos;) {
      const bool is_list = end > 1 && out.compare(end - 2, 2, ", ") == 0;
      out.replace(is_list ? end - 2 : end, is_list ? 4 : 2, is_list ? "" : "void");
    }
    return out;
  }
  /// Writes out lists, then replaces words.
  std::string written(std::string_view from, const Lists& all, Values values) const {
    return filled(expanded(from, all), std::move(values));
  }
  /// Writes the lines of a piece of a schedule.
  std::string lines(const Recording& f, const Schedule& s, std::size_t piece, const Templates& in) const {
    const Tape& tape = f.tape();
    std::map<int, std::string> local, pair;  // names of values, and of the sine and cosine of an angle
    std::string text = expanded("$IN{  (void)$ARRAY_;\n}$OUT{  (void)$ARRAY_;\n}", lists(f));  // a piece may use none
    if (s.pieces.size() > 1) text += "  (void)memory;\n";
    const auto element = [&](const char* access, const std::vector<Recording::Array>& arrays, int k) {
      auto x = arrays.begin();
      for (; k >= x->size(); ++x) k -= x->size();
      return filled(access, {{"ARRAY", x->name}, {"K", std::to_string(k)}});
    };
    const auto term = [&](int i) {
      if (tape[i].is(operation::constant)) return constant(tape[i].value);
      return tape[i].is(operation::input) ? element(in.input, f.inputs(), tape[i].operand[0]) : local[i];
    };
    /// Writes a vector in place of a constant.
    const auto entry = [&](int i) {
      return (is_vector() && tape[i].is(operation::constant) ? "(" + real + "){0} + " : "") + term(i);
    };
    const auto type = [&](int i) { return tape[i].operation->is_condition ? robot + "_condition" : real; };
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
      if ((language.cuda || is_vector()) && (&o == &operation::sin || &o == &operation::cos)) {
        const auto [both, is_new] = pair.try_emplace(x[0], "p" + std::to_string(pair.size()));
        if (is_new) text += filled(in.pair, {{"A", term(x[0])}, {"PAIR", both->second}});
        return both->second + (&o == &operation::sin ? ".sine" : ".cosine");
      }
      if (is_vector() && &o == &operation::sqrt) return filled("$ROBOT_root($A)", operands(""));
      if (is_vector() && &o == &operation::choice)
        return filled("($REAL)((($ROBOT_condition)($B) & $A) | (($ROBOT_condition)($C) & ~$A))",
                      {{"A", term(x[0])}, {"B", entry(x[1])}, {"C", entry(x[2])}});
      if (!is_vector() || !o.is_function()) return filled(o.text, operands(""));
      return "(" + real + "){" + of_lanes([&](const std::string& l) { return filled(o.text, operands(l)); }) + "}";
    };
    const Tiles tiles(s, language);
    const auto is_result = [](const Schedule::Line& line) { return line.kind == Schedule::Line::result; };
    const auto begin = s.lines.begin() + static_cast<std::ptrdiff_t>(s.pieces[piece]);
    int results =
        static_cast<int>(std::count_if(s.lines.begin(), begin, is_result));  // the results of the pieces before
    for (std::size_t p = s.pieces[piece]; p < s.end_of(piece); ++p) {
      const int i = s.lines[p].entry;
      const std::string memory = "memory[" + std::to_string(s.lines[p].place) + "]";
      switch (s.lines[p].kind) {
        case Schedule::Line::load: define(i, "(" + type(i) + ")" + memory); break;
        case Schedule::Line::store: text += "  " + memory + " = (" + real + ")" + local[i] + ";\n"; break;
        case Schedule::Line::result:
          if (in.put)
            text += put(f, in, tiles, s.lines[p].place, entry(i), results++);
          else
            text += "  " + element(in.output, f.outputs(), s.lines[p].place) + " = " + entry(i) + ";\n";
          break;
        case Schedule::Line::compute: define(i, value(*tape[i].operation, tape[i].operand));
      }
    }
    return text;
  }
  /// Writes the line for the k-th computed result, and after the last result of a tile the line that writes the tile.
  std::string put(const Recording& f, const Templates& in, const Tiles& tiles, int number, const std::string& value,
                  int k) const {
    const auto tile = tiles.order.begin() + tiles.begin_of(k), end = tiles.order.begin() + tiles.end_of(k);
    const auto place = std::to_string(std::lower_bound(tile, end, number) - tile);
    std::string text = "  " + filled(in.output, {{"K", place}}) + " = " + value + ";\n";
    if (k + 1 == tiles.end_of(k))
      text += written(
          in.put, lists(f),
          {{"NAME", f.name()}, {"FIRST", std::to_string(tiles.begin_of(k))}, {"LENGTH", std::to_string(end - tile)}});
    return text;
  }
  /// Returns the shortest text that is read as the same number.
  std::string constant(double x) const {
    const bool single = language.single_precision;
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
};

/// The words and lists of a step in the texts of rollouts.
struct Rollout {
  Text::Lists lists;
  Text::Values words;
  std::vector<std::string> differentiated;  // names of the arrays of the state, and u
};

/// Each local variable of these texts has an ending of its own, and no ending ends with another, so that names of
/// arrays cannot clash.
/// @throws Error for arrays that Writer::add_rollouts does not take
inline Rollout rollout_of(const Recording& step, const Text& text) {
  Rollout out;
  const auto refuse = [&](const std::string& what) {
    throw Error(corio::detail::join({"rollouts of '", step.name(), "': ", what}));
  };
  const auto find = [](const std::vector<Recording::Array>& arrays, const std::string& name) {
    const auto x = std::ranges::find(arrays, name, &Recording::Array::name);
    return x == arrays.end() ? nullptr : &*x;
  };
  std::string in_step, out_step, next_states, derivatives;
  const auto append = [](std::string& list, const std::string& x) { list += (list.empty() ? "" : ", ") + x; };
  auto &states = out.lists["$STATES{"], &parameters = out.lists["$PARAMETERS{"];
  int length = 0, controls = 0;
  auto input = step.inputs().begin();
  for (const auto arrays = text.lists(step); const Text::Values& words : arrays.at("$IN{")) {
    const Recording::Array& x = *input++;
    for (const char* ending : {"_", "_now", "_then", "_end", "_slope", "_gradient"})
      if (x.name + ending == text.robot + "_" + step.name())
        refuse("a local of the code would hide the function of the step; give '" + x.name + "' another name");
    const bool is_control = x.name == "u";
    const auto* next = find(step.outputs(), x.name + "_next");
    if (next && next->size() != x.size()) refuse("'" + x.name + "_next' has another size than '" + x.name + "'");
    append(in_step, is_control ? "control" : next ? x.name + "_now" : x.name + "_");
    if (is_control) controls = x.size();
    if (!is_control && !next) parameters.push_back(words);
    if (!is_control && !next) continue;
    append(derivatives, text.language.cuda ? x.name + "_slope"
                        : is_control       ? "d_u + step * " + std::to_string(controls)
                                           : x.name + "_gradient");
    out.differentiated.push_back(x.name);
    if (is_control) continue;
    states.push_back(words);
    states.back().back().second = std::to_string(length);  // the place where the array begins
    length += x.size();
  }
  for (const auto& x : step.outputs()) {
    const std::string state = x.name.substr(0, x.name.size() - (std::min<std::size_t>)(5, x.name.size()));
    const bool is_next = x.name == state + "_next" && find(step.inputs(), state);
    if (!is_next && (x.name != "cost" || x.size() != 1))
      refuse("the output '" + x.name + "' is neither cost nor a next state");
    append(out_step, is_next ? state + "_then" : "&now");
    if (is_next) append(next_states, state + "_then");
  }
  if (controls == 0 || states.empty() || !find(step.outputs(), "cost"))
    refuse("needs an input u, an input X with an output X_next, and an output cost");
  out.words = {{"NAME", step.name()},
               {"CONTROLS", std::to_string(controls)},
               {"GROUPS", std::to_string((controls + 3) / 4)},
               {"IN_STEP", in_step},
               {"OUT_STEP", out_step},
               {"IN_BACK", next_states + ", " + derivatives},
               {"LENGTH", std::to_string(length)},
               {"COUNT", std::to_string(text.language.lanes)},
               {"LANE", text.is_vector() ? "[l]" : ""},
               {"DEVICE", text.language.cuda ? "static __device__ __noinline__ " : "static "}};
  return out;
}

}}}}  // namespace corio::codegen::detail
