#!/usr/bin/env bash
# Usage: run.sh [compiler flags], default -O2
# Prints the time and memory to compile a translation unit that uses corio, beside one that includes Eigen/Core alone,
# for g++ and clang++, as far as they are installed (or for $CXX): header-only, with corio::compiled and
# corio::compiled_urdf, and to compile these two once; then the templates that take longest in clang++. If Pinocchio's
# headers are found ($CMAKE_PREFIX_PATH, pkg-config), the same units with Pinocchio follow, which takes minutes: its
# headers alone, without its compiled libraries.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
flags=("${@:--O2}")
# shellcheck source=bench/compile/tools.sh
source "$here/tools.sh"
echo '#include <Eigen/Core>' >"$scratch/eigen_only.cpp"
# Extracts the first block of C++ of the README.
awk '/^```/ { if (inside) exit; inside = /^```cpp/; next } inside' "$here/../../README.md" >"$scratch/first_program.cpp"

# Prints the -I flags of Pinocchio, or nothing if it was not found.
pinocchio_flags() {
  local prefix path="${CMAKE_PREFIX_PATH:-}"
  for prefix in ${path//[:;]/ }; do
    if [[ -f "$prefix/include/pinocchio/fwd.hpp" ]]; then echo "-I$prefix/include" && return; fi
  done
  pkg-config --cflags pinocchio 2>/dev/null || true
}

# measure COMMAND...: sets wall and user (s) and memory (MB, peak of the largest process).
measure() {
  if [[ -x /usr/bin/time ]]; then
    /usr/bin/time -o "$scratch/time" -f '%e %U %M' "$@"
    read -r wall user memory <"$scratch/time"
  else
    # Without GNU time, reads /proc for the compiler and its children until they end.
    local pid process kb
    memory=0
    TIMEFORMAT='%R %U'
    { time "$@" 2>"$scratch/errors"; } 2>"$scratch/time" &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
      for process in $(descendants "$pid"); do
        kb="$(awk '/^VmHWM/ {print $2}' "/proc/$process/status" 2>/dev/null || true)"
        if [[ "${kb:-0}" -gt "$memory" ]]; then memory="$kb"; fi
      done
      sleep 0.02
    done
    wait "$pid" || { cat "$scratch/errors" >&2; return 1; }
    read -r wall user <"$scratch/time"
  fi
  memory=$((memory / 1024))
}

descendants() {
  local child
  for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null || true); do
    echo "$child"
    descendants "$child"
  done
}

# compile NAME COMPILER SOURCE [FLAGS...]: measures the compilation of SOURCE and prints a line under this name.
compile() {
  local name="$1" compiler="$2" source="$3"
  shift 3
  measure "$compiler" -std=c++20 "${flags[@]}" "$@" "${eigen[@]}" -c "$source" -o "$scratch/unit.o"
  if [[ "$source" == "$scratch/eigen_only.cpp" ]]; then eigen_user="$user" eigen_memory="$memory"; fi
  print_line "$name"
}

# compile_once COMPILER: does the same for all sources that are compiled once over double; the memory is the largest of
# all sources.
compile_once() {
  local source total_wall=0 total_user=0 most=0
  for source in "$here"/../../include/corio/compiled/{*_double,urdf}.cpp; do
    measure "$1" -std=c++20 "${flags[@]}" -DCORIO_COMPILED -DCORIO_COMPILED_URDF "$corio" "${eigen[@]}" -c "$source" \
      -o "$scratch/unit.o"
    total_wall="$(awk "BEGIN { print $total_wall + $wall }")"
    total_user="$(awk "BEGIN { print $total_user + $user }")"
    if [[ "$memory" -gt "$most" ]]; then most="$memory"; fi
  done
  wall="$total_wall" user="$total_user" memory="$most"
  print_line 'compiled, once'
}

print_line() {
  awk -v name="$1" -v wall="$wall" -v user="$user" -v memory="$memory" \
    -v eigen_user="$eigen_user" -v eigen_memory="$eigen_memory" 'BEGIN {
      printf "  %-22s %8.2f %8.2f %11d %12.1f %8.1f\n", name, wall, user, memory, user / eigen_user, memory / eigen_memory
    }'
}

# slowest TRACE KIND: the ten templates of a -ftime-trace that took longest, all instances of one together. KIND is
# InstantiateFunction or InstantiateClass. Times include further templates that an instance makes the compiler
# instantiate.
slowest() {
  sed 's/{"pid"/\n&/g' "$1" | awk -v kind="\"name\":\"$2\"" '
    index($0, kind) {
      match($0, /"dur":[0-9]+/)
      duration = substr($0, RSTART + 6, RLENGTH - 6)
      match($0, /"detail":"[^"]*/)
      name = substr($0, RSTART + 10, RLENGTH - 10)
      while (sub(/<[^<>]*>/, "", name)) {}
      sub(/[<(].*/, "", name)
      time[name] += duration
      ++instances[name]
    }
    END { for (name in time) printf "  %8.0f %9d  %s\n", time[name] / 1000, instances[name], name }
  ' | sort -rn >"$scratch/slowest"
  head -n 10 "$scratch/slowest"
}

# biggest OBJECT: the ten instances with most code.
biggest() {
  nm -C -S --size-sort -t d "$1" | sed 's/corio::abi_[0-9a-z_]*::/corio::/g' |
    awk '$3 ~ /[wWuVt]/ { size = $2 + 0; $1 = $2 = $3 = ""; print size, $0 }' | sort -rn >"$scratch/biggest"
  head -n 10 "$scratch/biggest" | awk '{ size = $1; $1 = ""; printf "  %8.1f %.108s\n", size / 1024, $0 }'
}

read -ra eigen <<<"$(eigen_flags)"
read -ra pinocchio <<<"$(pinocchio_flags)"
find_compilers
machine
corio="-I$here/../../include"

for compiler in "${compilers[@]}"; do
  "$compiler" --version | head -n 1
  printf '  %-22s %8s %8s %11s %21s\n' "${flags[*]}" 'wall [s]' 'user [s]' 'memory [MB]' 'times Eigen: user, memory'
  compile eigen_only "$compiler" "$scratch/eigen_only.cpp"
  for unit in rnea_only first_program application all_in; do
    if [[ $unit == first_program ]]; then source="$scratch/first_program.cpp"; else source="$here/$unit.cpp"; fi
    compile "$unit" "$compiler" "$source" "$corio"
    compile "$unit, compiled" "$compiler" "$source" "$corio" -DCORIO_COMPILED -DCORIO_COMPILED_URDF -include corio/corio.hpp
  done
  compile_once "$compiler"
  if [[ ${#pinocchio[@]} -gt 0 ]]; then
    for unit in rnea_only all_in; do
      compile "pinocchio_$unit" "$compiler" "$here/pinocchio_$unit.cpp" "${pinocchio[@]}" -w
    done
  fi
done
if [[ ${#pinocchio[@]} -eq 0 ]]; then echo "Pinocchio was not found (CMAKE_PREFIX_PATH) and is left out"; fi

traced=
for compiler in "${compilers[@]}"; do
  "$compiler" -std=c++20 "${flags[@]}" "$corio" "${eigen[@]}" -c "$here/all_in.cpp" -o "$scratch/all_in.o"
  echo "Largest instances of templates in all_in, $compiler [kB of code]"
  biggest "$scratch/all_in.o"
  if [[ -z "$traced" ]] && "$compiler" -ftime-trace -std=c++20 "${flags[@]}" "$corio" "${eigen[@]}" -c "$here/all_in.cpp" \
    -o "$scratch/trace.o" 2>/dev/null && [[ -f "$scratch/trace.json" ]]; then
    traced=yes
    for kind in Function Class; do
      echo "${kind} templates of all_in that take longest to instantiate, $compiler [ms, what they need included; instances]"
      slowest "$scratch/trace.json" "Instantiate$kind"
    done
  fi
done
if [[ -z "$traced" ]]; then echo "What templates take to instantiate only clang++ tells"; fi
