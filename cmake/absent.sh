#!/usr/bin/env bash
# Usage: absent.sh
# Needs all optional libraries. Configures without each of them and without all, and checks that the output says so. A
# source that mentions the macro of a library is another program without the library: all such sources must compile without
# any of the libraries, with g++ and clang++ and without a warning, and must not include a header of one.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"
cd "$corio_root"

# Each line has the name of a library in the output, the option that hides it from CMake, and a pattern of its headers.
libraries=(
  'tinyxml2 was not found: -DCMAKE_DISABLE_FIND_PACKAGE_tinyxml2=ON -Dcorio_tinyxml2_include=OFF -Dcorio_tinyxml2_library=OFF: tinyxml2\.h'
  'MuJoCo (was )?not found: -DCORIO_MUJOCO=OFF -DCORIO_COMPARE_mujoco_LIBRARY=OFF: mujoco/'
  'KDL (was )?not found: -DCORIO_KDL=OFF -DCORIO_COMPARE_kdl_LIBRARY=OFF: kdl/'
  'oneTBB was not found: -DCORIO_TBB=OFF -DCORIO_TBB_INCLUDE=OFF: batch/tbb\.hpp'
  'MPI was not found: -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON: mpi\.h'
  'Qhull was not found: -DCMAKE_DISABLE_FIND_PACKAGE_Qhull=ON: libqhull'
  'yaml-cpp was not found: -DCMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON: yaml-cpp/'
  'Google Benchmark not found: -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON: benchmark/benchmark'
)

# configure DIR ARGUMENTS... writes the commands of all sources to build/absent/DIR.commands, one on each line.
configure() {
  local dir="build/absent/$1"
  shift
  rm -rf "$dir"
  cmake -S . -B "$dir" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Debug -DCORIO_WARNINGS_AS_ERRORS=ON \
    -DCMAKE_UNITY_BUILD=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON "$@" >"$dir.txt" || { cat "$dir.txt"; return 1; }
  # Commands are unquoted. Headers that compile alone, and sources that must not compile, belong to other tests.
  sed -nE 's/^ *"command": "(.*)",?$/\1/p' "$dir/compile_commands.json" | grep -vE 'corio_(headers|rejected)' |
    sed 's/\\\(["\\]\)/\1/g; s/^[^ ]*clang++ //; s/ -o [^ ]* / /' >"$dir.commands"
}
macros() { grep -oE -- '-DCORIO_[A-Z_]+' "build/absent/$1.commands" | sed 's/^-D//' | sort -u; }

mkdir -p build/absent
configure all
everything=() patterns=()
for i in "${!libraries[@]}" none; do
  if [[ "$i" == none ]]; then
    says='tests/io skipped' hidden=("${everything[@]}")
  else
    IFS=: read -r says hide pattern <<<"${libraries[i]}"
    read -ra hidden <<<"$hide"
    everything+=("${hidden[@]}") patterns+=("${pattern# }")
  fi
  configure "without_$i" "${hidden[@]}"
  grep -E "$says" "build/absent/without_$i.txt" || { echo "absent.sh: no line '$says' with ${hidden[*]}"; exit 1; }
done

# Prints the commands of sources that mention a missing macro, themselves or in a header that they include.
lost=$(comm -23 <(macros all) <(macros without_none) | paste -sd '|')
headers=$(grep -rlwE "$lost" bench examples tests --include=*.hpp | xargs -n1 basename | paste -sd '|')
mapfile -t compile < <(sed 's/.* //' build/absent/without_none.commands | sort -u |
  xargs grep -lE "\\b($lost)\\b|include.*[\"/]($headers)\"" | grep -Ff - build/absent/without_none.commands)

# run COMPILER ARGUMENTS... runs the commands from standard input with this compiler.
run() { tr '\n' '\0' | xargs -0 -P "$(nproc)" -I{} bash -c "$* "{}; }
run clang++ -M <build/absent/without_none.commands >build/absent/includes
if grep -E "/($(IFS='|' && echo "${patterns[*]}"))" build/absent/includes; then
  echo "absent.sh: included all the same by what is built without any of them"
  exit 1
fi
echo "absent.sh: ${#compile[@]} programs differ"
printf '%s\n' "${compile[@]}" | run clang++ -fsyntax-only
# Clang alone has a name of its own for a part of -Wshadow (corioWarnings.cmake).
printf '%s\n' "${compile[@]// -Wshadow-uncaptured-local/}" | run g++ -fsyntax-only
[[ "$(PATH=/nowhere "$BASH" tests/shards.sh program folder)" == SKIPPED:* ]]
