#!/usr/bin/env bash
# Usage: parts.sh [compiler flags], default -O3 -march=haswell
# Prints, for g++ and clang++, as far as they are installed (or for $CXX), the instructions per state that the functions
# of corio_compare execute on an arm and a humanoid, and their shares by the loops of corio that contain them: the
# kinematics pass, sums over subtrees, sweeps of articulated bodies, columns of degrees of freedom, their pairs,
# products of matrices, and the rest, such as arguments, checks and copies. Loops are inlined; where an instruction
# comes from is read from the debugging information. Needs valgrind, which knows no AVX-512, and addr2line (binutils).
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
flags=("$@")
[[ $# -gt 0 ]] || flags=(-O3 -march=haswell)
# shellcheck source=bench/compile/tools.sh
source "$here/../compile/tools.sh"
read -ra eigen <<<"$(eigen_flags)"
find_compilers
machine
cd "$scratch"

for compiler in "${compilers[@]}"; do
  "$compiler" --version | head -n 1
  echo "${flags[*]}"
  "$compiler" -std=c++20 -DNDEBUG -w -g -no-pie "${flags[@]}" -I"$here/../../include" -I"$here/.." "${eigen[@]}" \
    "$here/parts.cpp" "$here/own.cpp" "$here/describe.cpp" -o parts
  rm -f dump.*
  valgrind -q --tool=callgrind --callgrind-out-file=dump --dump-instr=yes --dump-line=no --compress-pos=no \
    --compress-strings=no ./parts 2>/dev/null
  # function, address or object, instructions; a line after calls= repeats the counts of the callee.
  awk '
    FNR == 1 { title = ""; skip = 0; inside = 0 }
    /^desc: Trigger: Client Request: / { title = substr($0, 32) }
    title == "" { next }
    /^ob=/ { inside = /\/parts$/; object = substr($0, 4); next }
    /^calls=/ { skip = 1; next }
    /^0x/ { if (!skip) count[title "\t" (inside ? $1 : "other")] += $2; skip = 0 }
    END { for (key in count) print key "\t" count[key] }' dump.* >counts
  cut -f 2 counts | grep '^0x' | sort -u >addresses
  # Searches from the innermost inlined function outwards for the first known name.
  addr2line -e parts -a -f -i -C -s <addresses | awk '
    /^0x/ { sub(/^0x0*/, "0x"); address = $0; part[address] = "rest"; in_name = 1; next }
    { is_name = in_name; in_name = !in_name }
    !is_name || part[address] != "rest" { next }
    { while (gsub(/<[^<>]*>/, "")) ; while (gsub(/\([^()]*\)/, "")) ; }
    /for_pairs|Tile|detail::store_(last|above|below|symmetric)/ { part[address] = "pairs"; next }
    /negative_product|::products/ { part[address] = "products"; next }
    /::sum_|compute_|body_force|mass_average|total_mass|ChildrenSum/ { part[address] = "sums"; next }
    /Articulated|sweep_/ { part[address] = "sweeps"; next }
    /DofColumns|DofTable|fill_|for_dofs|LanesOfDofs/ { part[address] = "columns"; next }
    /revolute_pass|forward_kinematics|base_position|sincos/ { part[address] = "kinematics" }
    END { for (a in part) print a "\t" part[a] }' >parts_of_addresses
  awk -F'\t' '
    BEGIN {
      count = split("kinematics sums sweeps columns pairs products rest", parts, " ")
      printf "%-58s %12s", "", "instructions"
      for (p = 1; p <= count; ++p) printf " %11s", parts[p]
      printf "\n"
    }
    NR == FNR { part[$1] = $2; next }
    { total[$1] += $3; of[$1, $2 in part ? part[$2] : "rest"] += $3 }
    END {
      for (f in total) {
        printf "%-58s %12.0f", f, total[f] / 8 | "sort"
        for (p = 1; p <= count; ++p) printf " %9.0f %%", 100 * of[f, parts[p]] / total[f] | "sort"
        printf "\n" | "sort"
      }
    }' parts_of_addresses counts
done
