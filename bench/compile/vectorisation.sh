#!/usr/bin/env bash
# Usage: vectorisation.sh [rounds], default 5
# Prints, for g++ and clang++, as far as they are installed (or for $CXX), -O2 and -O3, without and with -march=native,
# double and float: the share of vector instructions in the arithmetic of corio's inner loops, and their width, counted
# in the disassembled program; and the times of algorithms made of these loops. The programs run in turn, in rounds.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
rounds="${1:-5}"
# shellcheck source=bench/compile/tools.sh
source "$here/tools.sh"

# packed PROGRAM SCALAR: percentage of the arithmetic instructions of namespace kernel that are packed, and the bits of
# the widest. If there are loops, only instructions in loops count, since columns after the last whole block may be
# single numbers.
packed() {
  objdump -d -C --no-show-raw-insn "$1" | awk -v scalar="<$2>" '
    function close_function(  i, any) {
      for (i = 1; i <= count; ++i) any = any || loop[i]
      for (i = 1; i <= count; ++i) {
        if (any && !in_loops(i)) continue
        if (operation[i] ~ /^v?(add|sub|mul|div|fn?m(add|sub)(132|213|231)?)p[sd]$/) {
          ++vector
          if (bits[i] > widest) widest = bits[i]
        }
        if (operation[i] ~ /^v?(add|sub|mul|div|fn?m(add|sub)(132|213|231)?)s[sd]$/) ++single
      }
      count = 0
      split("", loop)
    }
    # A loop is the code between a jump backwards and its target.
    function in_loops(i,  j) {
      for (j = i; j <= count; ++j) if (loop[j] && loop[j] <= address[i]) return 1
      return 0
    }
    /^[0-9a-f]+ </ {
      close_function()
      inside = index($0, "kernel::") && index($0, scalar)
    }
    inside && /^ *[0-9a-f]+:/ {
      address[++count] = sprintf("%17s", $1)  # strings of one length compare like numbers
      operation[count] = $2
      bits[count] = /%zmm/ ? 512 : /%ymm/ ? 256 : 128
      if ($2 ~ /^j/ && sprintf("%17s", $3 ":") < address[count]) loop[count] = sprintf("%17s", $3 ":")
    }
    END {
      close_function()
      if (vector + single) printf "%.0f %d\n", 100 * vector / (vector + single), widest; else print "- -"
    }'
}

command -v objdump >/dev/null || { echo "$0: objdump not found (Debian and Ubuntu: binutils)" >&2; exit 1; }
[[ "$(uname -m)" == x86_64 ]] || echo "Only instructions of x86-64 are counted" >&2
read -ra eigen <<<"$(eigen_flags)"
find_compilers
machine
names=()
for compiler in "${compilers[@]}"; do
  for flags in '-O2' '-O3' '-O2 -march=x86-64-v3' '-O2 -march=native' '-O3 -march=native'; do
    echo "Compiling with $compiler $flags" >&2
    # shellcheck disable=SC2086  # several flags
    "$compiler" -std=gnu++20 -DNDEBUG $flags -I"$here/../../include" "${eigen[@]}" "$here/vectorisation.cpp" \
      -o "$scratch/${#names[@]}"
    names+=("$compiler $flags")
  done
done

for ((round = 0; round < rounds; ++round)); do
  for i in "${!names[@]}"; do "$scratch/$i" | sed "s/^/$i /" >>"$scratch/times"; done
done

for i in "${!names[@]}"; do
  echo "$i $(packed "$scratch/$i" double) $(packed "$scratch/$i" float) ${names[i]}"
done >"$scratch/programs"
# The least time of the rounds, relative to the time of the fastest program; the geometric mean over the algorithms.
awk '
  NR == FNR {
    key = $1 SUBSEP $2 SUBSEP $3
    if (!(key in time) || $4 < time[key]) time[key] = $4
    if (!(($2, $3) in best) || $4 < best[$2, $3]) best[$2, $3] = $4
    algorithm[$3]
    next
  }
  FNR == 1 {
    for (a in algorithm) ++count
    printf "%-26s %28s %24s %17s\n", "", "packed arithmetic, bits", "time, fastest = 1.00", "float is faster"
    printf "%-26s %14s %13s %15s %8s %17s\n", "", "double", "float", "double", "float", "by a factor of"
  }
  {
    i = $1
    d = $2 " %, " $3
    f = $4 " %, " $5
    sub(/^[^ ]+ [^ ]+ [^ ]+ [^ ]+ [^ ]+ /, "")
    log_double = log_float = log_ratio = 0
    for (a in algorithm) {
      log_double += log(time[i, "double", a] / best["double", a]) / count
      log_float += log(time[i, "float", a] / best["float", a]) / count
      log_ratio += log(time[i, "double", a] / time[i, "float", a]) / count
    }
    printf "%-26s %14s %13s %15.2f %8.2f %17.2f\n", $0, d, f, exp(log_double), exp(log_float), exp(log_ratio)
  }' "$scratch/times" "$scratch/programs"
