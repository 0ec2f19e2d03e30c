#!/usr/bin/env bash
# Usage: machines.sh [part of a name...]
# Compiles tests/machines/all_rooms.cpp, one program of all rooms, with every compiler, standard library and processor
# that is found here, and runs it, in an emulator if necessary. Prints a table in Markdown. Fails if a machine fails, or
# if its results differ from the others' results. A missing machine is skipped and named with its Debian package.
# Arguments select the machines whose name contains one of them. The program also reads a URDF if the source of tinyxml2
# is found, in CORIO_TINYXML2, in build/machines/tinyxml2, or by apt-get source: it is compiled for each processor.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=build/machines
mkdir -p "$folder"

# name | compiler | flags | emulator | Debian packages
machines="
GCC 11|g++-11|||g++-11
GCC 12|g++-12|||g++-12
GCC 13|g++-13|||g++-13
GCC 14|g++-14|||g++-14
GCC 15|g++-15|||g++-15
Clang 14|clang++-14|||clang-14
Clang 15|clang++-15|||clang-15
Clang 16|clang++-16|||clang-16
Clang 17|clang++-17|||clang-17
Clang 18|clang++-18|||clang-18
Clang 19|clang++-19|||clang-19
Clang 16 and libc++|clang++-16|-stdlib=libc++||clang-16 libc++-16-dev libc++abi-16-dev
Clang 17 and libc++|clang++-17|-stdlib=libc++||clang-17 libc++-17-dev libc++abi-17-dev
Clang 18 and libc++|clang++-18|-stdlib=libc++||clang-18 libc++-18-dev libc++abi-18-dev
Clang 19 and libc++|clang++-19|-stdlib=libc++||clang-19 libc++-19-dev libc++abi-19-dev
Windows, MinGW|x86_64-w64-mingw32-g++-posix|-static|wine|g++-mingw-w64-x86-64-posix wine
aarch64|aarch64-linux-gnu-g++|-static|qemu-aarch64|g++-aarch64-linux-gnu qemu-user
riscv64|riscv64-linux-gnu-g++|-static|qemu-riscv64|g++-riscv64-linux-gnu qemu-user
armhf|arm-linux-gnueabihf-g++|-static|qemu-arm|g++-arm-linux-gnueabihf qemu-user
"
# On other systems, such as macOS, the compiler is CXX.
if [[ -n "${CXX:-}" || "$(uname)" != Linux ]]; then machines="this machine|${CXX:-c++}|||g++$machines"; fi

eigen=${CORIO_EIGEN:-$(pkg-config --cflags-only-I eigen3 2>/dev/null | sed 's/^-I//; s/ *$//')}
eigen=${eigen:-/usr/include/eigen3}
[[ -f "$eigen/Eigen/Core" ]] || { echo "machines.sh: no Eigen in $eigen (CORIO_EIGEN)" >&2; exit 1; }
xml=${CORIO_TINYXML2:-$folder/tinyxml2}
if [[ ! -f "$xml/tinyxml2.cpp" ]] && (cd "$folder" && apt-get source --download-only tinyxml2) >/dev/null 2>&1; then
  mkdir -p "$xml"
  tar -xf "$folder"/tinyxml2_*.orig.tar.* -C "$xml" --strip-components=1
fi
common=(-std=c++20 -O1 -Wall -Wextra -Iinclude -isystem "$eigen" -pthread)
sources=(tests/machines/all_rooms.cpp)
if [[ -f "$xml/tinyxml2.cpp" ]]; then
  common+=(-DCORIO_TEST_URDF -isystem "$xml")
  sources+=("$xml/tinyxml2.cpp")
else
  echo "machines.sh: without URDF, no source of tinyxml2 (CORIO_TINYXML2, or deb-src for apt-get source)" >&2
fi

wanted() {
  local part
  [[ $# -eq 1 ]] && return
  for part in "${@:2}"; do
    grep -qiF -- "$part" <<<"$1" && return
  done
  return 1
}
# Prints the missing part for an empty program: the compiler, its headers or libraries, or the emulator.
missing() {
  local compiler=$1 flags=$2 emulator=$3
  command -v "$compiler" >/dev/null || { echo "no $compiler"; return; }
  echo 'int main() {}' | "$compiler" -x c++ $flags -include version -o "$folder/nothing" - 2>/dev/null ||
    { echo "$compiler $flags links no program"; return; }
  [[ -z "$emulator" ]] || command -v "$emulator" >/dev/null || echo "no $emulator"
}
# Prints the version of a compiler, such as 13.2.0, and the version of libc++, which may differ: "16.0.6, libc++ 16".
version() {
  local macros
  macros=$("$1" -x c++ $2 -include version -dM -E - </dev/null)
  echo "$("$1" -dumpfullversion 2>/dev/null || "$1" -dumpversion)$(
    sed -nE 's/^#define _LIBCPP_VERSION ([0-9]+)[0-9]{4}$/, libc++ \1/p' <<<"$macros")"
}

export WINEPREFIX="$PWD/$folder/wine" WINEDEBUG=-all
failed=0 expected="" table="" TIMEFORMAT=%0U
while IFS='|' read -r name compiler flags emulator packages; do
  [[ -n "$name" ]] && wanted "$name" "$@" || continue
  lack=$(missing "$compiler" "$flags" "$emulator")
  if [[ -n "$lack" ]]; then
    echo "skipped  $name: $lack (Debian: $packages)"
    continue
  fi
  program="$folder/${name//[^A-Za-z0-9+]/_}"
  what="" seconds=""
  if ! seconds=$({ time "$compiler" "${common[@]}" $flags "${sources[@]}" -o "$program.exe" 2>"$program.log"; } 2>&1); then
    what="does not compile"
  # Windows ends lines with a carriage return, too.
  elif ! $emulator "./$program.exe" </dev/null 2>"$program.err" | tr -d '\r' >"$program.txt"; then
    what="a check fails"
  else
    results=$(grep '^result' "$program.txt")
    expected=${expected:-$results}
    [[ "$results" == "$expected" ]] || what="other results"
  fi
  [[ -z "$what" ]] || failed=1
  what=${what:-$(grep -c '^ok' "$program.txt") checks hold}
  warnings=$(grep -c 'warning:' "$program.log" || true)
  [[ "$warnings" -eq 0 ]] || what+=", warnings: $warnings"
  echo "$what: $name, ${seconds} s to compile, $program.*"
  table+="| $name | $(version "$compiler" "$flags") | ${emulator:-native} | $seconds s | $what |"$'\n'
done <<<"$machines"

[[ -n "$table" ]] || { echo "machines.sh: nothing was found" >&2; exit 1; }
printf '\n%s\n\n| machine | version | runs | compiled in | |\n|---|---|---|---:|---|\n%s' "$(date +%F)" "$table"
exit "$failed"
