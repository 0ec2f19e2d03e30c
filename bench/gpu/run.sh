#!/bin/sh
# bench/gpu/run.sh [ROBOT:FUNCTION:SCALAR ..]: times generated CUDA code on this machine's GPU, by default all functions
# of an arm, a quadruped and a humanoid over float and double; each is compared with the templates first. Needs nvcc, a
# C++ compiler (CXX) and Eigen (EIGEN, default /usr/include/eigen3), as many cores as possible, and under five minutes.
# Prints GPU, driver, highest clocks, nvcc, cores, and the commit of corio. For each case it prints: nanoseconds per
# state of the kernel alone with [number][state] and of the host function with rows; the shares of the peak of
# arithmetic (one operation per instruction) and of the bandwidth of the memory, which are measured first; registers and
# bytes of local memory (spilled numbers) of a thread; the largest errors in both layouts.
set -e
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.memory --format=csv,noheader
echo "nvcc $(nvcc --version | sed -n 's/.*release //p'), $(nproc) cores, corio $(git -C "$root" describe --always --dirty 2>/dev/null)"
cd "$work"
${CXX:-c++} -std=c++20 -O1 -I"$root/include" -isystem "${EIGEN:-/usr/include/eigen3}" "$root/bench/gpu/generate.cpp" -o generate
./generate . "$@" > generated
nvcc -O3 -std=c++17 -arch=native "$root/bench/gpu/peaks.cu" -o peaks
ls -S ./*.case.h | sed 's,.*/,,; s,.case.h,,' > cases
xargs -P "$(nproc)" -I{} nvcc -O3 -std=c++17 -arch=native '-DCASE="{}.case.h"' -I. "$root/bench/gpu/measure.cu" -o {} < cases
peaks=$(./peaks)
echo "10^12 operations a second over float and double, 10^9 bytes a second: $peaks"
while read -r name; do "./$name" "$name.bin" $peaks; done < cases | sort
