// Counts the instructions in the parts of the functions of corio_compare: runs each function over all states between
// two dumps of callgrind, whose files are named by robot and function. parts.sh compiles and runs this program and sums
// the dumps up.

#include <valgrind/callgrind.h>

#include "corio/zoo/zoo.hpp"
#include "own.hpp"

int main() {
  using namespace compare;
  for (const auto& [key, model] :
       {std::pair{"arm_7", corio::zoo::serial_chain(7)}, {"humanoid", corio::zoo::humanoid()}}) {
    const Mechanism mechanism = describe(model, key, key, 8);
    for (const Contender& c : make_corio(model, mechanism).contenders) {
      const std::string title = std::string(key) + ", " + c.how;
      c.pass();
      CALLGRIND_ZERO_STATS;
      c.pass();
      CALLGRIND_DUMP_STATS_AT(title.c_str());
    }
  }
}
