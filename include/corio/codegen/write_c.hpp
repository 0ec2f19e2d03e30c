#pragma once

#include "corio/codegen/writer.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// Writes several functions of one robot as C11, in ROBOT.h and ROBOT.c, which need only the functions of <math.h> that
/// were recorded: sin, cos and sqrt for the dynamics of trees. Functions void ROBOT_NAME(const T* q, .., T* result)
/// have no state, allocate nothing, and take arrays that do not overlap, matrices by columns. With Language::lanes an
/// entry is a vector of the compiler: x[i][l] is entry i of state l.
class CWriter : public detail::Writer {
 public:
  CWriter(std::string robot, std::string layout, Language language = {})
      : Writer(std::move(robot), std::move(layout), language) {}

  void add(const Recording& f, const Schedule& s) {
    Writer::add(f, s);
    declarations_ += filled("/// " + signature(f) + "\nvoid $ROBOT_" + f.name() + "(") +
                     list(each(f.inputs(), "const $REAL* $ARRAY, ") + each(f.outputs(), "$REAL* $ARRAY, ")) + ");\n";
  }
  std::vector<File> files() const {
    const bool vectors = language_.lanes > 1;
    const int bytes = language_.single_precision ? 4 : 8;
    const std::string lanes = std::to_string(language_.lanes), size = "vector_size(" +
                                                                      std::to_string(bytes * language_.lanes) +
                                                                      "), aligned(" + std::to_string(bytes) + ")";
    const auto write = [&](const char* text) {
      return filled(text, {{"BANNER", banner()},
                           {"LINES_OF_LAYOUT", lines_of_layout("//   ", "\n")},
                           {"LAYOUT", layout_string()},
                           {"DECLARATIONS", declarations_},
                           {"OF_LANES", vectors ? "/// A number of each of " + lanes + " states.\n" : ""},
                           {"VECTOR", vectors ? " __attribute__((" + size + "))" : ""},
                           {"INTEGER", language_.single_precision ? "int" : "long long"}});
    };
    std::string begin = write(source);
    if (vectors && code_.find(robot_ + "_mask") != std::string::npos) begin += write(masks);
    for (auto o = Operation::plus; vectors && o < Operation::choice; o = Operation(int(o) + 1)) {
      const std::string name = syntax_of(o).text;
      if (is_function(o) && code_.find(robot_ + "_" + name + "(") != std::string::npos)
        begin += filled(num_operands(o) == 2 ? function_of_two : function_of_one,
                        {{"NAME", name}, {"LANES", lanes}, {"CALL", name + (language_.single_precision ? "f" : "")}});
    }
    return {{robot_ + ".h", write(header)}, {robot_ + ".c", begin + (vectors ? "\n" : "") + code_}};
  }

 private:
  static constexpr const char* header = R"($BANNER// Matrices are by columns; arrays of one call must not overlap.
$LINES_OF_LAYOUT#pragma once
#ifdef __cplusplus
extern "C" {
#endif

$OF_LANEStypedef $SCALAR $REAL$VECTOR;
/// Version, robot, and what the numbers of the arrays are.
extern const char $ROBOT_layout[];
$DECLARATIONS
#ifdef __cplusplus
}
#endif
)";
  static constexpr const char* source = R"($BANNER#include "$ROBOT.h"

#include <math.h>

$LAYOUT
#if defined(__GNUC__)
#define $ROBOT_piece static __attribute__((noinline)) void
#else
#define $ROBOT_piece static void
#endif

)";
  static constexpr const char* masks = R"(typedef $INTEGER $ROBOT_mask$VECTOR;
static inline $REAL $ROBOT_select($ROBOT_mask where, $REAL x, $REAL y) {
  return ($REAL)((($ROBOT_mask)x & where) | (($ROBOT_mask)y & ~where));
}
)";
  static constexpr const char* function_of_one = R"(static inline $REAL $ROBOT_$NAME($REAL x) {
  for (int l = 0; l < $LANES; ++l) x[l] = $CALL(x[l]);
  return x;
}
)";
  static constexpr const char* function_of_two = R"(static inline $REAL $ROBOT_$NAME($REAL x, $REAL y) {
  for (int l = 0; l < $LANES; ++l) x[l] = $CALL(x[l], y[l]);
  return x;
}
)";

  std::string declarations_;
};

}  // namespace corio::codegen
