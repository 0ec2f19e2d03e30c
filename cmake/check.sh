#!/usr/bin/env bash
# Usage: check.sh [cmake arguments]
# Installs what is missing, builds library, tests and examples with warnings as errors and runs every test. The
# benchmarks, which no test runs, are built by .ci/run.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

corio_install g++ cmake make ninja-build libeigen3-dev libtinyxml2-dev catch2 pkg-config
# Examples take longer to compile with -O3 than with -O1, and run a moment.
corio_configure check -DCMAKE_BUILD_TYPE=Release -DCORIO_WARNINGS_AS_ERRORS=ON -DCORIO_WITH_FILES=ON \
  -DCORIO_EXAMPLES_OPTIONS=-O1 -DCORIO_BUILD_BENCH=OFF "$@"
corio_build check
corio_test check
