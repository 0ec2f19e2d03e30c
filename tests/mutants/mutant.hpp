// This header is included before everything else where mutants are tried. The environment variable CORIO_MUTANT chooses
// a mutant.
#pragma once

namespace corio_mutants {
extern int active;
extern unsigned char reached[];
}  // namespace corio_mutants

/// Constant expressions are never mutated.
constexpr bool corio_mutant(int number) {
  if (__builtin_is_constant_evaluated()) return false;
  corio_mutants::reached[number] = 1;
  return number == corio_mutants::active;
}
