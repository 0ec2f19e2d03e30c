# shellcheck shell=bash
# Sourced by the scripts beside it.

# A folder for temporary files, removed at the end, and the compilers that find_compilers finds.
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
compilers=()

# Finds the -I flags of Eigen by pkg-config or CMake.
eigen_flags() {
  local dir
  pkg-config --cflags eigen3 2>/dev/null && return
  # CMake runs in the scratch folder, because it leaves files behind.
  (cd "$scratch" && cmake --find-package -DNAME=Eigen3 -DCOMPILER_ID=GNU -DLANGUAGE=CXX -DMODE=COMPILE 2>/dev/null) &&
    return
  for dir in /usr/include/eigen3 /usr/local/include/eigen3 /opt/homebrew/include/eigen3; do
    if [[ -f "$dir/Eigen/Core" ]]; then echo "-I$dir" && return; fi
  done
  echo "$0: Eigen not found" >&2
  return 1
}

# Fills compilers with the installed compilers among $CXX, or by default among g++ and clang++.
find_compilers() {
  local compiler
  for compiler in ${CXX:-g++ clang++}; do
    if command -v "$compiler" >/dev/null; then
      compilers+=("$compiler")
    else
      echo "$compiler was not found and is left out" >&2
    fi
  done
  [[ ${#compilers[@]} -gt 0 ]] || { echo "$0: no compiler found; set CXX" >&2; return 1; }
}

# Prints the processor and the number of processes that want to run.
machine() {
  echo "processor $(awk -F': ' '/^model name/ {print $2; exit}' /proc/cpuinfo 2>/dev/null), load" \
    "$(cut -d' ' -f1 /proc/loadavg 2>/dev/null)"
}
