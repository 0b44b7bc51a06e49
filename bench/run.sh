#!/bin/sh
# Measures the rows of README.md on this machine, one after the other, and prints one line each.
#
#   bench/run.sh [ROW ...]      all rows, or those whose names start so: barrier, alltoall, ring, values, warm, checks,
#                           growth, largest, jobs, trials
#
# RINGMASTER is the command to call (default: ./ringmaster beside this folder).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd -P)
command=${RINGMASTER:-$here/ringmaster}
wanted=${*:-barrier alltoall ring values warm checks growth largest jobs trials}

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
  row "values-4-1MiB-$algorithm" allreduce --algorithm $algorithm --ranks 4 --bytes 1MiB --runs 101 --warm-ups 1000
  row "values-4-16MiB-$algorithm" allreduce --algorithm $algorithm --ranks 4 --bytes 16MiB --runs 31 --warm-ups 60
done
for ranks in 2 4 16; do
  row "warm-1KiB-$ranks" allreduce --algorithm mesh --ranks $ranks --bytes 1KiB --watch CHECKS --runs 301 --warm-ups 5000
done
row checks-off-8 allreduce --algorithm mesh --ranks 8 --bytes 64KiB --runs 301 --warm-ups 2000
row checks-on-8 allreduce --algorithm mesh --ranks 8 --bytes 64KiB --watch CHECKS --runs 301 --warm-ups 2000
for ranks in 64 256 1024 4096; do
  row "growth-$ranks" allreduce -p sim --algorithm neighbour-ring --ranks $ranks --bytes 1KiB --timing-only --runs 3 --warm-ups 1
done
row largest-4096 allreduce -p sim --algorithm one-barrier --ranks 4096 --bytes 1KiB --runs 1 --warm-ups 0

# What others take, in the same run: programs in C beside this file.
others() {
  build=$(mktemp -d)
  if [ "$1" = values ] && command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
    mpicc -O2 -o "$build/allreduce" "$here/bench/allreduce_mpi.c"
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
      mpirun --oversubscribe -n 4 "$build/allreduce" 1048576 16777216
  elif [ "$1" = jobs ] && command -v gcc >/dev/null; then
    gcc -O3 -march=native -o "$build/moe" "$here/bench/moe_plain.c"
    "$build/moe" 4 4096
  fi
  rm -r "$build"
}
# Runs a program beside this file on what the launcher has built.
warm() {
  java=
  for jdk in "${JAVA_HOME-}" /usr/lib/jvm/*25*; do
    if grep -qs '^JAVA_VERSION="25' "$jdk/release"; then
      java=$jdk/bin/java
      break
    fi
  done
  [ -n "$java" ] || { echo "the rows of jobs need a JDK 25: set JAVA_HOME to one" >&2; return; }
  app=$here/service/target/dist/$(cat "$here/service/target/dist/current")
  program=$here/bench/$1
  shift
  "$java" --enable-native-access=ALL-UNNAMED -XX:+UnlockDiagnosticVMOptions -XX:-ReduceAllocationMerges \
    -XX:+UseParallelGC -cp "$app/ringmaster.jar" "$program" "$@"
}
# Scripts in a process that is warm, from their text to the verdict.
jobs() {
  warm WarmJob.java "$here/examples/ladder/16_putting_it_together.py" 4 301 3000
  warm WarmJob.java "$here/examples/models/moe_dispatch_combine.py" 4 31 30 --hidden 4096
}
# The same of scripts that are read again and again, to see whether their checks notice a change.
trials() {
  warm TrialJob.java "$here/bench/trials_many_cases.py" 4 11 5
  warm TrialJob.java "$here/bench/trials_one_by_one.py" 4 5 2
}
for want in $wanted; do
  case $want in
  values*) others values ;;
  jobs*)
    jobs
    others jobs
    ;;
  trials*) trials ;;
  esac
done
echo "load: $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || uptime)"
