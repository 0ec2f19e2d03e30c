#!/usr/bin/env bash
# Usage: mutate.sh [--count N] [--only PATH] [--tests A,B] [--again] [--jobs N]
# Changes some hundred operators, conditions and numbers all over include/, one at a time, and prints the changes that
# no test notices: each of them needs a test that fails, simpler code, or a reason in tests/mutants/accepted.txt. The
# tests are built once, in build/mutants, with all changes behind switches. --only PATH changes only headers whose path
# contains PATH, --tests control,loops_1 runs only these tests, and --again repeats the changes that survived the last
# run, with the slow test cases, too. The script is not part of CI.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../cmake/setup.sh"

corio_install clang libeigen3-dev libtinyxml2-dev libqhull-dev catch2 pkg-config python3
PYTHONDONTWRITEBYTECODE=1 exec python3 "$corio_root/tests/mutants/run.py" "$@"
