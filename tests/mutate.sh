#!/usr/bin/env bash
# Usage: mutate.sh HEADER TEST... [-n COUNT]
# Changes one operator or number at a time in a header (path below include/corio), compiles the test files named (paths
# below tests) against the changed copy, and reports which changes no test notices: each of these wants a test that
# fails. COUNT mutants (default 20) spread over the header, some ten seconds each; not part of CI.
#
#   tests/mutate.sh algorithms/dynamics/rnea.hpp algorithms/rnea_test.cpp algorithms/energy_test.cpp -n 30
set -euo pipefail
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
count=20 tests=()
header="${1:?usage: mutate.sh HEADER TEST... [-n COUNT]}"
shift
while [[ $# -gt 0 ]]; do
  if [[ "$1" == -n ]]; then count="$2" && shift 2; else tests+=("$1") && shift; fi
done
[[ ${#tests[@]} -gt 0 && -f "$root/include/corio/$header" ]] || { echo "$0: no such header, or no tests" >&2; exit 2; }

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cp -r "$root/include" "$scratch/include"
# In place of tests/support/compiled.hpp, which says that much is compiled elsewhere.
mkdir "$scratch/include/support"
printf '#pragma once\n#include <complex>\n#include "corio/corio.hpp"\n' >"$scratch/include/support/compiled.hpp"
eigen="$(pkg-config --cflags-only-I eigen3 2>/dev/null || echo -I/usr/include/eigen3)"
# One unit of the tests and the support code, so that nothing of the unchanged library is linked.
{
  echo '#define CATCH_CONFIG_MAIN'
  echo '#include "support/catch.hpp"'
  for source in "$root"/tests/support/*.cpp; do
    [[ "$source" == */compiled*.cpp ]] || echo "#include \"$source\""
  done
  for source in "${tests[@]}"; do echo "#include \"$root/tests/$source\""; done
} >"$scratch/unit.cpp"
# build: compiles against the copy and runs; 0 if all tests pass.
build() {
  # shellcheck disable=SC2086  # several flags
  "${CXX:-g++}" -std=gnu++20 -O0 -w -DCORIO_EXAMPLES_DIR="\"$root/examples\"" -DEIGEN_RUNTIME_NO_MALLOC \
    -I"$scratch/include" -I"$root/tests" -I"$root/bench" $eigen "$scratch/unit.cpp" -o "$scratch/unit" &&
    timeout 300 "$scratch/unit"
}
build >"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log"; echo "$0: the tests fail without any change" >&2; exit 1; }

# Line, pattern and replacement of every possible change in lines of code.
awk '
  function offer(from, to) { if (index(code, from)) print NR "\t" from "\t" to }
  /^ *(\/\/|#)/ { next }
  {
    code = $0
    sub(/\/\/.*/, "", code)
    offer(" + ", " - "); offer(" - ", " + "); offer(" * ", " + "); offer(" += ", " -= "); offer(" -= ", " += ")
    offer(" < ", " <= "); offer(" >= ", " > "); offer(" <= ", " < "); offer(" > 0", " > 1"); offer(" == ", " != ")
    offer(" != ", " == "); offer("S(2)", "S(3)"); offer("S(0.5)", "S(0.25)"); offer(" && ", " || ")
    offer("1e-12", "1e-4")
  }' "$root/include/corio/$header" >"$scratch/all"
total="$(wc -l <"$scratch/all")"
[[ "$total" -gt 0 ]] || { echo "nothing to change in $header"; exit 0; }
step=$(((total + count - 1) / count))
survivors=0 tried=0
while IFS=$'\t' read -r line from to; do
  awk -v line="$line" -v from="$from" -v to="$to" 'NR == line {
      i = index($0, from)
      $0 = substr($0, 1, i - 1) to substr($0, i + length(from))
    } { print }' "$root/include/corio/$header" >"$scratch/include/corio/$header"
  tried=$((tried + 1))
  # A change that does not compile is noticed, too.
  if build >"$scratch/log" 2>&1; then
    survivors=$((survivors + 1))
    echo "survives: $header:$line '$from' -> '$to': $(sed -n "${line}p" "$root/include/corio/$header" | sed 's/^ *//')"
  fi
done < <(awk -v step="$step" 'NR % step == 1 || step == 1' "$scratch/all")
echo "$survivors of $tried changes of $header survive ($total possible)"
