#!/usr/bin/env bash
# failover.sh WORK, on the head of a private cluster: an active backend and a
# standby with the same state, as of two hosts. Seconds without service, and
# sessions and jobs that are lost, when the active one stops and when it is
# killed, beside the restart of a single backend.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../deploy/cluster.d/report.sh"
. "$here/../../deploy/cluster.d/certificates.sh"
. "$here/backend.sh"
work=$1/failover
bench=$CARME_BENCH_BUILD/tests/bench/failover_bench

# failover_spawn HOST: a backend, as of that host; its pid is in $spawned.
failover_spawn() {
  # shellcheck disable=SC2016
  unshare --uts sh -c 'hostname "$1"; shift; exec "$@"' sh "$1" \
    setpriv --reuid carme --regid carme --init-groups \
    "$CARME_BENCH_PREFIX/sbin/carme-backend" --config "$work/backend.toml" \
    2>> "$work/backend-$1.log" &
  spawned=$!
}

failover_wait() {
  wait_for 30 port_open 127.0.0.1 9443 || {
    cat "$work"/backend-*.log >&2
    return 1
  }
}

bench_backend_install "$work"
printf '#!/bin/sh\nexec sleep 600\n' > "$work/agent"
chmod 755 "$work/agent"
bench_agent=$work/agent
bench_impersonator_start "$work"
trap 'kill "$impersonator" "${spawned:-}" "${active:-}" 2> /dev/null || true' EXIT

failover_spawn a
active=$spawned
failover_wait
"$bench" prepare "$work"
kill -9 "$active"
wait "$active" || true
failover_spawn a
active=$spawned
"$bench" wait "$work" restart

printf '[standby]\nenabled = true\n' >> "$work/backend.toml"
for subject in stop kill; do
  kill "$active"
  wait "$active" || true
  failover_spawn a
  active=$spawned
  failover_wait
  failover_spawn b
  sleep 2
  if [ "$subject" = stop ]; then signal=TERM; else signal=KILL; fi
  kill -"$signal" "$active"
  "$bench" wait "$work" "$subject"
  wait "$active" || true
  active=$spawned
done
scancel --full --name bench > /dev/null 2>&1 || true
