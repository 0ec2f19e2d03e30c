#!/usr/bin/env bash
# Usage: distribution.sh [rounds], default 5
# Prints, for g++ and clang++, as far as they are installed (or for $CXX), the speed relative to -O3 -march=native of a
# program compiled with -O2 alone, as distributions ship programs for every processor, and of a program compiled with
# the flags of corio::x86_64_v3. The programs run in turn, in rounds; the least time counts.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
rounds="${1:-5}"
# shellcheck source=bench/compile/tools.sh
source "$here/tools.sh"
read -ra eigen <<<"$(eigen_flags)"
find_compilers
machine

# build COMPILER PROGRAM FLAGS...
build() {
  local compiler="$1" program="$2"
  shift 2
  echo "Compiling with $compiler $program" >&2
  "$compiler" -std=gnu++20 -DNDEBUG -w -I"$here/../../include" "${eigen[@]}" "$here/distribution.cpp" "$@" \
    -o "$scratch/$program"
}

for compiler in "${compilers[@]}"; do
  build "$compiler" native -O3 -march=native
  build "$compiler" plain -O2
  build "$compiler" x86-64-v3 -O2 -march=x86-64-v3 -U__AVX__ -U__AVX2__ -U__FMA__ -DCORIO_REGISTER_BITS=256
  rm -f "$scratch/times"
  for ((round = 0; round < rounds; ++round)); do
    for program in native plain x86-64-v3; do
      "$scratch/$program" | sed "s/^/$program /" >>"$scratch/times"
    done
  done
  "$compiler" --version | head -n 1
  # Prints a line for each algorithm with two columns for each robot, and at the end the geometric means.
  awk '
    {
      if (!($2 in known_robot)) { known_robot[$2]; robots[++robot_count] = $2 }
      if (!($3 in known_algorithm)) { known_algorithm[$3]; algorithms[++count] = $3 }
      key = $1 SUBSEP $2 SUBSEP $3
      if (!(key in time) || $4 < time[key]) time[key] = $4
    }
    END {
      printf "%-38s", "-O2 alone | -O2 x86-64-v3"
      for (r = 1; r <= robot_count; ++r) printf " %14s", robots[r]
      printf "\n"
      for (a = 1; a <= count; ++a) {
        printf "%-38s", algorithms[a]
        for (r = 1; r <= robot_count; ++r) {
          native = time["native", robots[r], algorithms[a]]
          alone = native / time["plain", robots[r], algorithms[a]]
          v3 = native / time["x86-64-v3", robots[r], algorithms[a]]
          log_alone[r] += log(alone) / count
          log_v3[r] += log(v3) / count
          printf "    %4.2f | %4.2f", alone, v3
        }
        printf "\n"
      }
      printf "%-38s", "mean"
      for (r = 1; r <= robot_count; ++r) printf "    %4.2f | %4.2f", exp(log_alone[r]), exp(log_v3[r])
      printf "\n"
    }' "$scratch/times"
done
