#pragma once

#include "corio/codegen/writer.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// C11 of several functions for one robot: ROBOT.h and ROBOT.c, which need nothing but sin, cos, sqrt and what else was
/// recorded of <math.h>. Functions void ROBOT_NAME(const T* q, .., T* result) keep no state, allocate nothing, and take
/// arrays that do not overlap; matrices are by columns. A vector of the compiler (Language::lanes) has a state in each
/// lane: x[i][l] is number i of state l.
class CWriter : public detail::Writer {
 public:
  CWriter(std::string robot, std::string layout, Language language = {})
      : Writer(std::move(robot), std::move(layout), language) {}

  void add(const Recording& f, const Schedule& s) {
    Writer::add(f, s);
    declarations_ += "/// " + signature(f) + "\nvoid " + robot_ + "_" + f.name() + "(" +
                     list(f, "const " + real_ + "* ", real_ + "* ", "") + ");\n";
  }
  std::vector<File> files() const {
    const std::string size = std::to_string((language_.single_precision ? 4 : 8) * language_.lanes),
                      number = language_.single_precision ? "4" : "8";
    std::string header = banner() + "// Matrices are by columns; arrays of one call must not overlap.\n" +
                         lines_of_layout("//   ", "\n") +
                         "#pragma once\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    if (language_.lanes > 1) {
      header += "/// A number of each of " + std::to_string(language_.lanes) + " states.\n";
      header += "typedef " + scalar() + " " + real_ + " __attribute__((vector_size(" + size + "), aligned(" + number +
                ")));\n";
    } else {
      header += "typedef " + scalar() + " " + real_ + ";\n";
    }
    header += "/// Version, robot, and what the numbers of the arrays are.\nextern const char " + robot_ +
              "_layout[];\n" + declarations_ + "\n#ifdef __cplusplus\n}\n#endif\n";
    std::string source = banner() + "#include \"" + robot_ + ".h\"\n\n#include <math.h>\n\n" + layout_string() +
                         "\n#if defined(__GNUC__)\n#define " + robot_ +
                         "_piece static __attribute__((noinline)) void\n#else\n#define " + robot_ +
                         "_piece static void\n#endif\n\n";
    if (language_.lanes > 1) source += vectors(size, number);
    return {{robot_ + ".h", header}, {robot_ + ".c", source + code_}};
  }

 private:
  std::string vectors(const std::string& size, const std::string& number) const {
    const std::string mask = robot_ + "_mask";
    const auto each = [&](const std::string& f, bool two) {
      if (code_.find(robot_ + "_" + f + "(") == std::string::npos) return std::string();
      return "static inline " + real_ + " " + robot_ + "_" + f + "(" + real_ + " x" + (two ? ", " + real_ + " y" : "") +
             ") {\n  for (int l = 0; l < " + std::to_string(language_.lanes) + "; ++l) x[l] = " + f +
             (language_.single_precision ? "f" : "") + "(x[l]" + (two ? ", y[l]" : "") + ");\n  return x;\n}\n";
    };
    std::string text;
    if (code_.find(mask) != std::string::npos)
      text += "typedef " + std::string(language_.single_precision ? "int" : "long long") + " " + mask +
              " __attribute__((vector_size(" + size + "), aligned(" + number + ")));\nstatic inline " + real_ + " " +
              robot_ + "_select(" + mask + " where, " + real_ + " x, " + real_ + " y) {\n  return (" + real_ + ")(((" +
              mask + ")x & where) | ((" + mask + ")y & ~where));\n}\n";
    for (auto o = Operation::plus; o < Operation::choice; o = Operation(int(o) + 1))
      if (is_function(o)) text += each(syntax_of(o).text, num_operands(o) == 2);
    return text + "\n";
  }

  std::string declarations_;
};

}  // namespace corio::codegen
