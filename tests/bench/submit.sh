#!/usr/bin/env bash
# submit.sh WORK, on the head of a private cluster: the backend and the
# impersonator as they are installed, with their state on WORK's disk, and
# submit_bench against them.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../deploy/cluster.d/report.sh"
. "$here/../../deploy/cluster.d/certificates.sh"
. "$here/backend.sh"
work=$1/submit

bench_backend_install "$work"
bench_impersonator_start "$work"
trap 'kill "$impersonator" "${backend:-}" 2> /dev/null || true' EXIT
bench_backend_start "$work"
"$CARME_BENCH_BUILD/tests/bench/submit_bench" "$work" || {
  tail -n 20 "$work/backend.log" "$work/impersonator.log" >&2
  exit 1
}
