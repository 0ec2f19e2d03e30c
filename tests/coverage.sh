#!/usr/bin/env bash
# Usage: coverage.sh [cmake arguments]
# Measures which lines of include/ the tests reach: prints the lines that no test reaches, by header, and the share of
# reached lines. The report with the source text is build/coverage/coverage/index.html.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

corio_install g++ cmake make ninja-build libeigen3-dev libtinyxml2-dev catch2 pkg-config gcovr
corio_configure coverage -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_FLAGS_DEBUG=-O0 --coverage -fprofile-update=atomic" \
  -DCORIO_WITH_FILES=ON -DCORIO_BUILD_EXAMPLES=OFF -DCORIO_BUILD_BENCH=OFF "$@"
corio_build coverage
find "$corio_root/build/coverage" -name '*.gcda' -delete
corio_test coverage --exclude-regex '^(consumer_|headers_compile_alone|rejected_)'
mkdir -p "$corio_root/build/coverage/coverage"
gcovr --root "$corio_root" --filter "$corio_root/include/" -j "$(nproc)" \
  --txt --html-details "$corio_root/build/coverage/coverage/index.html" \
  "$corio_root/build/coverage"
