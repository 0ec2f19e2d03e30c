#!/usr/bin/env bash
# Usage: run.sh [compiler flags], default -O2
# Prints what it costs to compile a translation unit that uses corio, beside one that includes Eigen/Core alone, for
# g++ and clang++, whichever are there (or $CXX).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
flags=("${@:--O2}")
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
echo '#include <Eigen/Core>' >"$scratch/eigen_only.cpp"

# -I flags of Eigen, from whatever knows them.
eigen_flags() {
  local dir
  pkg-config --cflags eigen3 2>/dev/null && return
  # In the scratch folder, because CMake leaves files behind.
  (cd "$scratch" && cmake --find-package -DNAME=Eigen3 -DCOMPILER_ID=GNU -DLANGUAGE=CXX -DMODE=COMPILE 2>/dev/null) &&
    return
  for dir in /usr/include/eigen3 /usr/local/include/eigen3 /opt/homebrew/include/eigen3; do
    if [[ -f "$dir/Eigen/Core" ]]; then echo "-I$dir" && return; fi
  done
  echo "$0: Eigen not found" >&2
  return 1
}

# measure COMMAND...: sets wall and user (s) and memory (MB, peak of the largest process).
measure() {
  if [[ -x /usr/bin/time ]]; then
    /usr/bin/time -o "$scratch/time" -f '%e %U %M' "$@"
    read -r wall user memory <"$scratch/time"
  else
    # Without GNU time: ask /proc about the compiler and its children until they end.
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

read -ra eigen <<<"$(eigen_flags)"
compilers=()
for compiler in ${CXX:-g++ clang++}; do
  if command -v "$compiler" >/dev/null; then compilers+=("$compiler"); fi
done
[[ ${#compilers[@]} -gt 0 ]] || { echo "$0: neither g++ nor clang++ found; set CXX" >&2; exit 1; }

for compiler in "${compilers[@]}"; do
  "$compiler" --version | head -n 1
  printf '  %-16s %8s %8s %11s\n' "${flags[*]}" 'wall [s]' 'user [s]' 'memory [MB]'
  for source in "$scratch/eigen_only.cpp" "$here/rnea_only.cpp" "$here/all_in.cpp"; do
    measure "$compiler" -std=c++20 "${flags[@]}" -I"$here/../../include" "${eigen[@]}" -c "$source" -o "$scratch/unit.o"
    printf '  %-16s %8.2f %8.2f %11d\n' "$(basename "$source" .cpp)" "$wall" "$user" "$memory"
  done
done
