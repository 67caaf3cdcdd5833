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
cat > "$work/impersonator.toml" <<END
socket = "$work/run/socket"
peer_user = "carme"
agent = "/usr/bin/true"
allowed_group = "carme-users"
END
"$CARME_BENCH_PREFIX/sbin/carme-impersonator" \
  --config "$work/impersonator.toml" 2> "$work/impersonator.log" &
trap 'kill %1 %2 2> /dev/null || true' EXIT
wait_for 10 test -S "$work/run/socket" || cat "$work/impersonator.log" >&2
bench_backend_start "$work"
"$CARME_BENCH_BUILD/tests/bench/submit_bench" "$work" || {
  tail -n 20 "$work/backend.log" "$work/impersonator.log" >&2
  exit 1
}
