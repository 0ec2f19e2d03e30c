# quickstart.sh, check.sh and .ci/run source this file. It only defines functions.

corio_root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"

corio_is_installed() {
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" == installed ]]
}

# corio_install PACKAGE... installs the Debian packages that are missing. If that is impossible, but a compiler and
# CMake exist, the script goes on: libraries may be installed by other means, and CMake names the libraries that it does
# not find.
corio_install() {
  local missing=() package as_root=()
  if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    for package in "$@"; do
      corio_is_installed "$package" || missing+=("$package")
    done
    [[ ${#missing[@]} -eq 0 ]] && return
    if [[ $EUID -ne 0 ]] && command -v sudo >/dev/null; then as_root=(sudo); fi
    if [[ $EUID -eq 0 || ${#as_root[@]} -gt 0 ]]; then
      echo "corio: installing ${missing[*]}"
      "${as_root[@]}" apt-get update -qq || echo "corio: apt-get update failed, trying the known package lists" >&2
      if "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}"; then
        return
      fi
    fi
  else
    missing=("$@")
  fi
  if command -v cmake >/dev/null && { command -v c++ || command -v g++ || command -v clang++; } >/dev/null; then
    echo "corio: cannot install packages here, going on without: ${missing[*]}" >&2
  else
    echo "corio: CMake and a C++20 compiler are needed. Install these Debian packages or their equivalents" \
      "and try again: ${missing[*]}" >&2
    return 1
  fi
}

# corio_configure DIR CMAKE_ARGS... prepares build/DIR.
corio_configure() {
  local dir="$corio_root/build/$1" generator=()
  shift
  # An existing build folder keeps its generator, because CMake cannot change it.
  if command -v ninja >/dev/null && [[ ! -f "$dir/CMakeCache.txt" ]]; then generator=(-G Ninja); fi
  cmake -S "$corio_root" -B "$dir" ${generator[@]+"${generator[@]}"} "$@"
}

# corio_build DIR [TARGET...] builds the targets, or everything, in build/DIR.
corio_build() {
  local dir="$corio_root/build/$1" targets=()
  shift
  if [[ $# -gt 0 ]]; then targets=(--target "$@"); fi
  cmake --build "$dir" --parallel "$(nproc)" ${targets[@]+"${targets[@]}"}
}

# corio_test DIR CTEST_ARGS... runs the tests of build/DIR.
corio_test() {
  local dir="$corio_root/build/$1"
  shift
  (cd "$dir" && ctest --output-on-failure --no-tests=error --parallel "$(nproc)" "$@")
}

# corio_report DIR prints how long this script has run, and the ten longest steps in build/DIR.
corio_report() {
  local dir="$corio_root/build/$1" begin=$(($(date +%s) - SECONDS))
  printf 'corio: took %d:%02d minutes; the longest steps, in seconds:\n' $((SECONDS / 60)) $((SECONDS % 60))
  {
    # Columns: begin and end in milliseconds, time stamp of the file in nanoseconds, file.
    [[ ! -f "$dir/.ninja_log" ]] || awk -F'\t' -v begin="$begin" \
      '!/^#/ && $3 / 1e9 >= begin { t[$4] = ($2 - $1) / 1000 } END { for (f in t) printf "%7.1f  %s\n", t[f], f }' \
      "$dir/.ninja_log"
    sed -nE 's/^Test time = +([0-9.]+) sec$/\1/p; s/^[0-9]+\/[0-9]+ Testing: (.*)$/\1/p' \
      "$dir/Testing/Temporary/LastTest.log" | awk '{ name = $0; getline; printf "%7.1f  test %s\n", $0, name }'
  } | sed 's,CMakeFiles/corio_test_\([a-z_]*\)\.dir,\1,; s,/[^ ]*/build/check/,,' | sort -rn | sed 10q
}
