#!/usr/bin/env bash
# Usage: run.sh CORIO_GENERATE [compiler flags], default -O1 -mavx2 -mfma
# Prints a table of the code for CasADi of an arm and a quadruped: operations and time of a call of a value, its
# Jacobian, its adjoint and its Hessian, and the time to compile the four. If there is a CasADi, the one installed in
# the folder CASADI or the package of python3, tables follow of graphs of casadi::SXElem in CasADi's own machine, of the
# C that CasADi writes of an arm's graphs, and of a problem of multiple shooting with the code and with a graph.
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
generate="$(realpath "${1:?the program corio_generate}")"
flags=("${@:2}")
[[ ${#flags[@]} -gt 0 ]] || flags=(-O1 -mavx2 -mfma)
models="$here/../../examples/models"
scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cc -std=c99 -O2 -Wall -Wextra "$here/time.c" -o time -ldl -lm

# operations FILE FUNCTION: arithmetic operations and functions in its pieces.
operations() {
  awk -v name=" $2_code" '
    /^(static|[a-z0-9_]+_piece|CORIO_EXPORT)/ { inside = index($0, name "(") || match($0, name "_[0-9]+\\(") }
    inside && / = / { gsub(/\[[^]]*\]/, ""); text = substr($0, index($0, " = "))
      count += gsub(/ [-+*\/] /, "", text) + gsub(/(sin|cos|sqrt|tanh|atan2)\(/, "", text) }
    END { print count }' "$1"
}
echo "cc $(cc -dumpversion) ${flags[*]}, $(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2-)"
echo
echo '| robot, function | operations: value, Jacobian, adjoint, Hessian | us a call | to compile the four |'
echo '|---|---|---|---|'
for robot in arm7 quadruped; do
  options=()
  [[ $robot == arm7 ]] || options=(--floating)
  for function in rnea aba step; do
    "$generate" "$models/$robot.urdf" --name "$robot" --casadi --functions $function "${options[@]}" >log
    /usr/bin/time -o cost -f '%U s, %M' cc "${flags[@]}" -fPIC -shared ${robot}_casadi.c -o $robot-$function.so -lm
    names=()
    counts=()
    for kind in "" jac_ adj1_ jac_adj1_; do
      names+=("$kind${robot}_$function")
      counts+=("$(operations ${robot}_casadi.c "${robot}_$kind$function")")
    done
    times="$(./time ./$robot-$function.so "${names[@]}" | sed 's/ *$//; s/ /, /g')"
    echo "| $robot, $function | $(printf '%s, ' "${counts[@]:0:3}")${counts[3]} | $times |" \
      "$(awk '{printf "%s %s %.0f MB", $1, $2, $3 / 1024}' cost) |"
  done
done
casadi="${CASADI:-$(python3 -c 'import casadi; print(casadi.__path__[0])' 2>/dev/null || true)}"
if [[ -z "$casadi" ]]; then
  echo
  echo 'There is no CasADi: python3 does not import it, and CASADI names no folder. The table of its graphs is left out.'
else
  eigen="$(pkg-config --cflags-only-I eigen3)"
  lib="$casadi"
  [[ ! -d "$casadi/lib" ]] || lib="$casadi/lib"  # the package of python3 has its library beside its modules
  # shellcheck disable=SC2086
  for program in graphs shooting; do
    c++ -std=c++20 -O1 -I "$here/../../include" $eigen -isystem "$casadi/include" "$here/$program.cpp" -o $program \
      -ltinyxml2 -L "$lib" -lcasadi "-Wl,-rpath,$lib"
  done
  echo
  ./graphs "$models"
  echo
  echo '| C of a graph of the arm | us a call | to compile |'
  echo '|---|---|---|'
  for function in rnea aba; do
    for kind in f J H; do
      /usr/bin/time -o cost -f '%U s, %M' cc "${flags[@]}" -fPIC -shared ${function}_$kind.c -o graph.so -lm
      echo "| $function, $kind | $(./time ./graph.so $kind) |" \
        "$(awk '{printf "%s %s %.0f MB", $1, $2, $3 / 1024}' cost) |"
    done
  done
  echo
  LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" ./shooting ./arm7-aba.so ./arm7_aba.casadi
fi
