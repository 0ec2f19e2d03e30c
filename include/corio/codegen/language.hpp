#pragma once

#include "corio/codegen/recording.hpp"

namespace corio::inline CORIO_ABI::codegen {

/// The language and scalar of generated code.
struct Language {
  bool cuda = false;
  bool single_precision = false;
  int lanes = 1;  ///< of C: states in one vector of the compiler
};

/// How code is cut, as measured on an H200 and with GCC 12. Short code is fastest in one piece, and so is longer code
/// over float that writes results all along. Over double CUDA's assembler stops allocating registers well beyond 9000
/// operations or 400 values alive. The time of GCC grows with the square of the length.
inline Cut cut_for(const Recording& f, const Language& language) {
  const Schedule whole = f.schedule();
  if (!language.cuda) return whole.operations > 3000 ? Cut{1000, 0} : Cut{};
  if (!language.single_precision) return whole.operations > 9000 || whole.alive > 400 ? Cut{3000, 24} : Cut{};
  if (whole.operations <= 9000 || 20 * f.num_outputs() >= whole.operations) return {};
  return {3000, whole.operations < 20000 ? 60 : 24};
}

}  // namespace corio::codegen
