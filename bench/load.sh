#!/bin/bash
# Measures the job service under load: starts one of its own, drives it with `hey`, prints one line a row, ends it.
#
#   bench/load.sh [JOBS]            embedded database; JOBS (default 3000) a row
#   SPRING_DATASOURCE_URL=jdbc:postgresql://... SPRING_DATASOURCE_USERNAME=... SPRING_DATASOURCE_PASSWORD=... bench/load.sh
#
# RINGMASTER is the command to call (default: ./ringmaster beside this folder). Needs hey and curl
# (Debian: apt-get install hey curl).
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd -P)
command=${RINGMASTER:-$here/ringmaster}
jobs=${1:-3000}
port=${PORT:-18080}
url=http://localhost:$port
work=$(mktemp -d)
for tool in hey curl; do
  command -v $tool >/dev/null || { echo "bench/load.sh needs $tool (Debian: apt-get install $tool)" >&2; exit 2; }
done

load() { echo "load: $(cut -d' ' -f1-3 /proc/loadavg 2>/dev/null || uptime)"; }

RINGMASTER_DATA=$work/data SERVER_PORT=$port "$command" serve >"$work/serve.log" 2>&1 &
service=$!
trap 'kill $service 2>/dev/null; wait $service 2>/dev/null; rm -rf "$work"' EXIT
until curl -fs "$url/actuator/health/readiness" >/dev/null 2>&1; do
  kill -0 $service 2>/dev/null || { cat "$work/serve.log" >&2; exit 3; }
  sleep 0.2
done

# One job: step 16 on two devices. JSON has the same escapes for a Python text as a string literal needs.
awk 'BEGIN { printf "{\"platform\":\"a2a3sim\",\"devices\":[0,1],\"scriptName\":\"16.py\",\"script\":\"" }
     { gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/\t/, "\\t"); printf "%s\\n", $0 }
     END { printf "\"}" }' "$here/examples/ladder/16_putting_it_together.py" >"$work/job.json"

post() { hey -m POST -T application/json -D "$work/job.json" -t 60 "$@"; }
passed() { curl -fs "$url/actuator/prometheus" | awk '/^ringmaster_jobs_finished_total\{/ && /verdict="passed"/ { n += $2 } END { printf "%d", n }'; }
processor() { awk '{ print ($14 + $15) * 10 }' "/proc/$service/stat" 2>/dev/null || echo 0; }
memory() { awk '/^VmRSS/ { printf "%d", $2 / 1024 }' "/proc/$service/status" 2>/dev/null || echo 0; }

load
post -n "$jobs" -c 16 "$url/api/v1/jobs?wait=30" >/dev/null # the compilers' time isn't the service's
before=$(passed) cpu=$(processor)
post -n "$jobs" -c 16 "$url/api/v1/jobs?wait=30" >"$work/whole"
done=$(($(passed) - before))
rate=$(awk '/Requests\/sec/ { print $2 }' "$work/whole")
printf '%-34s %8.1f jobs/s  %6.2f ms processor a job  %d of %d PASSED\n' \
  "whole jobs, 16 clients waiting" "$rate" "$(awk -v c=$(($(processor) - cpu)) -v n="$jobs" 'BEGIN { print c / n }')" "$done" "$jobs"

half=$(awk -v r="$rate" 'BEGIN { printf "%d", r / 2 / 8 }')
post -n "$jobs" -c 8 -q "$half" "$url/api/v1/jobs" >"$work/submit"
printf '%-34s p50 %s s, p99 %s s\n' "submitting at half that rate" \
  "$(awk '/50%+ in/ { print $3 }' "$work/submit")" "$(awk '/99%+ in/ { print $3 }' "$work/submit")"
hey -n 500 -c 4 "$url/api/v1/jobs?limit=50" >"$work/list"
printf '%-34s p50 %s s, p99 %s s (%d jobs in all)\n' "listing 50 jobs" \
  "$(awk '/50%+ in/ { print $3 }' "$work/list")" "$(awk '/99%+ in/ { print $3 }' "$work/list")" "$((jobs * 3))"
printf '%-34s %d MB\n' "resident memory of the service" "$(memory)"
load
