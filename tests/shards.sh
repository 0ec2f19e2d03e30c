#!/usr/bin/env bash
# shards.sh PROGRAM FOLDER runs identify_many by GNU parallel, with a shard that is killed and started again.
set -euo pipefail
program="$1" folder="$2"
if ! command -v parallel >/dev/null; then
  echo "SKIPPED: GNU parallel was not found (Debian and Ubuntu: parallel)"
  exit 0
fi
rm -rf "$folder"
mkdir -p "$folder"
run() { parallel --will-cite -j 2 "$program" --samples 4000 --shard "{}/4" "$1" ::: 0 1 2 3; }

run "$folder/sound"
"$program" --samples 4000 --shard 2/4 --kill-after 300 "$folder/killed" && { echo "it was not killed"; exit 1; }
if "$program" --merge "$folder/killed"; then echo "an unfinished shard was merged"; exit 1; fi
run "$folder/killed"
for i in 0 1 2 3; do cmp "$folder/sound/shard_$i.bin" "$folder/killed/shard_$i.bin"; done
"$program" --merge "$folder/killed"

# Runs the shards like an array of Slurm, whose environment names the shard.
for i in 0 1 2 3; do
  SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=4 "$program" --samples 4000 "$folder/array"
  cmp "$folder/sound/shard_$i.bin" "$folder/array/shard_$i.bin"
done
rm "$folder/array/shard_1.bin"
{ "$program" --merge "$folder/array" 2>&1 || true; } | grep "shard 1 of 4 is missing"
echo "all shards are as they should be"
