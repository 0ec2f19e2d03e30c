#!/usr/bin/env bash
# Usage: check.sh [--all] [cmake arguments]
# Installs missing packages, then builds and runs README's program and the tests of every public function over double,
# float, packs and one dual scalar (the test `lists` checks that none is missing). With --all also the examples,
# further scalars, generated code and its compilers, pages, plugins, fuzzers and the code that is compiled once.
# .ci/run has all of these, and the tests that need more libraries, tests labelled "distribution", tests with g++ and
# with sanitizers, and the benchmarks. There a warning is an error; here it is only shown, since this compiler may know
# more warnings than ours.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

all=OFF processor_minutes=10 options=(-DCORIO_TEST_ALL=OFF -DCORIO_BUILD_EXAMPLES=OFF)
what="the tests of every public function"
if [[ "${1:-}" == --all ]]; then
  shift
  # Examples take longer to compile with -O3 than with -O1, and run only for a moment.
  all=ON processor_minutes=19
  options=(-DCORIO_TEST_ALL=ON -DCORIO_BUILD_EXAMPLES=ON -DCORIO_EXAMPLES_OPTIONS=-O1)
  what="all tests and examples"
fi
echo "corio: builds and runs $what: about $(((processor_minutes + $(nproc) - 1) / $(nproc))) minutes on $(nproc) cores"

# Reading templates takes most of the time, and clang needs a third of the time of g++ for it.
corio_install g++ clang lld cmake make ninja-build libeigen3-dev libtinyxml2-dev catch2 pkg-config
export CXX="${CXX:-$(command -v clang++ || echo c++)}"
corio_configure check -DCMAKE_BUILD_TYPE=Release -DCORIO_WITH_FILES=ON -DCORIO_BUILD_BENCH=OFF "${options[@]}" "$@"
corio_build check
corio_test check --label-exclude distribution
corio_report check
[[ $all == ON ]] || echo "corio: further scalars, generated code, examples, pages, plugins: bash cmake/check.sh --all"
