#!/bin/sh
# Measures the rows of README.md on this machine, one after the other, and prints one line each.
#
#   bench/run.sh [ROW ...]      all rows, or those whose names start so: barrier, alltoall, ring, values, warm, checks, growth
#
# RINGMASTER is the command to call (default: ./ringmaster beside this folder).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd -P)
command=${RINGMASTER:-$here/ringmaster}
wanted=${*:-barrier alltoall ring values warm checks growth}

row() {
  name=$1
  shift
  for want in $wanted; do
    case $name in
    "$want"*)
      # The JSON has one value a line; these four are what the table shows.
      "$command" bench "$@" --json | awk -v name="$name" '
        function value(line) { sub(/.*: */, "", line); sub(/,.*/, "", line); return line }
        /"medianNanos"/ { wall = value($0) } /"cpuNanos"/ { cpu = value($0) }
        /"runs"/ { runs = value($0) } /"eventsPerSecond"/ { rate = value($0) } /"right"/ { right = value($0) }
        END { if (wall == "") { print name, "gave no result"; exit }
              printf "%-28s %10.3f ms wall %10.3f ms processor %4d runs %8.2f M events/s right=%s\n",
              name, wall / 1e6, cpu / 1e6, runs, rate / 1e6, right }'
      return
      ;;
    esac
  done
}

echo "load: $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || uptime)"
row barrier-131072 barrier -p sim --algorithm dissemination --ranks 131072 --timing-only --runs 5 --warm-ups 2
row alltoall-512 all_to_all -p sim --algorithm push --ranks 512 --bytes 512KiB --timing-only --runs 5 --warm-ups 1
row ring-1024-1MiB allreduce -p sim --algorithm neighbour-ring --ranks 1024 --bytes 1MiB --watch BYTES --runs 1 --warm-ups 0
for algorithm in mesh ring two-phase; do
  row "values-4-1MiB-$algorithm" allreduce --algorithm $algorithm --ranks 4 --bytes 1MiB --runs 31 --warm-ups 30
  row "values-4-16MiB-$algorithm" allreduce --algorithm $algorithm --ranks 4 --bytes 16MiB --runs 7 --warm-ups 3
done
for ranks in 2 4 16; do
  row "warm-1KiB-$ranks" allreduce --algorithm mesh --ranks $ranks --bytes 1KiB --watch CHECKS --runs 101 --warm-ups 400
done
row checks-off-8 allreduce --algorithm mesh --ranks 8 --bytes 64KiB --runs 51 --warm-ups 100
row checks-on-8 allreduce --algorithm mesh --ranks 8 --bytes 64KiB --watch CHECKS --runs 51 --warm-ups 100
for ranks in 64 256 1024 4096; do
  row "growth-$ranks" allreduce -p sim --algorithm neighbour-ring --ranks $ranks --bytes 1KiB --timing-only --runs 3 --warm-ups 1
done
echo "load: $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || uptime)"
