#!/usr/bin/env bash
# Usage: check.sh [cmake arguments]
# Installs what is missing, builds library, tests and examples and runs every test but those labelled "distribution":
# that headers compile alone, and projects that use an installed corio. .ci/run has these, the tests that need more
# libraries, tests with g++ and with sanitizers, and the benchmarks, and refuses warnings: here, where a compiler may
# know warnings that ours do not, they are shown.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

# clang, as it needs a third of the time of g++ to read templates, which is what most of the time goes into.
corio_install g++ clang cmake make ninja-build libeigen3-dev libtinyxml2-dev catch2 pkg-config
export CXX="${CXX:-$(command -v clang++ || echo c++)}"
# Examples take longer to compile with -O3 than with -O1, and run a moment.
corio_configure check -DCMAKE_BUILD_TYPE=Release -DCORIO_WITH_FILES=ON -DCORIO_EXAMPLES_OPTIONS=-O1 \
  -DCORIO_BUILD_BENCH=OFF "$@"
corio_build check
corio_test check --label-exclude distribution
