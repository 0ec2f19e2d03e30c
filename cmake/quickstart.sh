#!/usr/bin/env bash
# Usage: quickstart.sh [robot.urdf]
# Installs missing packages, builds the example robot_report, and prints its report of the given robot, or of the bundled
# ones. Afterwards `cmake --build build/release` builds the other examples and, with libbenchmark-dev, the
# benchmarks.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

if [[ $# -gt 1 || "${1:-}" == -* ]]; then
  echo "usage: $0 [robot.urdf]" >&2
  exit 2
fi
robot=()
if [[ $# -eq 1 ]]; then
  if [[ ! -f "$1" ]]; then
    echo "$0: no such file: $1" >&2
    exit 2
  fi
  robot=("$(realpath "$1")")
fi

corio_install g++ cmake make ninja-build libeigen3-dev libtinyxml2-dev
corio_configure release -DCMAKE_BUILD_TYPE=Release -DCORIO_BUILD_TESTS=OFF -DCORIO_WITH_FILES=ON
corio_build release robot_report

cd "$corio_root"
exec build/release/examples/robot_report "${robot[@]}"
