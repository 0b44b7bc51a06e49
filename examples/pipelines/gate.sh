#!/usr/bin/env bash
# Gates kernels on their verdicts and on the baseline of main with curl alone: no JDK, no ringmaster.
# gate.sh KERNEL...   RINGMASTER_SERVICE, BRANCH and COMMIT must be set; RINGMASTER_TOKEN where the service has a login.
# Exit codes as those of `ringmaster submit`: 0, 1 not PASSED, 2 refused, 3 the machine's fault, 4 changed.
set -euo pipefail

service=${RINGMASTER_SERVICE:-http://localhost:8080}
headers=$(mktemp)
trap 'rm -f "$headers"' EXIT
# In a file: arguments of processes are seen by everybody on the machine.
if [ -n "${RINGMASTER_TOKEN:-}" ]; then echo "Authorization: Bearer $RINGMASTER_TOKEN" >"$headers"; fi

call() { curl -sS -H @"$headers" "$@"; }

# field NAME: the first text of that name in the JSON on stdin.
field() { grep -o "\"$1\" *: *\"[^\"]*\"" | head -n 1 | sed 's/.*: *"//; s/"$//' || :; }

gate() {
  local name reply id verdict kind
  name=$(basename "$1")
  reply=$(call -H "Idempotency-Key: $BRANCH-$COMMIT-$name-${BUILD_NUMBER:-0}" -F "script=@$1" -F platform=a2a3sim \
    -F 'devices=[[0,1],[0,1,2,3]]' -F "labels=branch:$BRANCH" -F "labels=commit:$COMMIT" "$service/api/v1/jobs") || return 3
  id=$(field id <<<"$reply")
  case $id in job_*) ;; *) echo "$name: refused: $(field detail <<<"$reply")"; return 2 ;; esac
  until [ "$(field state <<<"$reply")" = FINISHED ]; do
    reply=$(call "$service/api/v1/jobs/$id?wait=30") || return 3
    reply=${reply//\"runs\":*/}
  done
  verdict=$(field verdict <<<"$reply")
  echo "$name: $verdict $(field sentence <<<"$reply")"
  mkdir -p reports
  call -o "reports/${name%.py}.xml" "$service/api/v1/jobs/$id/junit" || return 3
  reply=$(call "$service/api/v1/jobs/$id/comparison?baseline=main") || return 3
  kind=$(field kind <<<"$reply")
  echo "$name: $(field sentence <<<"$reply")$(field detail <<<"$reply")"
  case $verdict in
    PASSED) ;;
    REJECTED) return 2 ;;
    WORKER_LOST | INFRA) return 3 ;;
    *) return 1 ;;
  esac
  if [ "$BRANCH" = main ]; then
    call -o /dev/null --fail-with-body -H 'If-Match: *' -H 'Content-Type: application/json' -d "{\"jobId\": \"$id\"}" \
      "$service/api/v1/baselines/main/approve" || approve_new "$id" || return 3
  elif [ "$kind" = CHANGED ]; then
    return 4
  fi
}

# The first approval has nothing that it could replace, so there is no version to name.
approve_new() {
  call -o /dev/null --fail-with-body -H 'Content-Type: application/json' -d "{\"jobId\": \"$1\"}" \
    "$service/api/v1/baselines/main/approve"
}

worst=0
for kernel in "$@"; do
  code=0
  gate "$kernel" || code=$?
  # A kernel that fails says more than one that changed (4).
  case $worst in 0 | 4) if [ "$code" -ne 0 ]; then worst=$code; fi ;; esac
done
exit "$worst"
