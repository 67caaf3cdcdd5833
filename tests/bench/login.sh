#!/usr/bin/env bash
# login.sh WORK, on the head of a private cluster: a backend, two hundred more
# people in its directory with passwords hashed as sites hash them, a gRPC server
# that does nothing, and login_bench against them.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../deploy/cluster.d/report.sh"
. "$here/../../deploy/cluster.d/certificates.sh"
. "$here/backend.sh"
people=200 work=$1/login

bench_people "$people"
bench_backend_install "$work"
bench_backend_start "$work"
mkdir -m 700 "$work/empty"
"$CARME_BENCH_BUILD/tests/bench/empty_server" "$work" 127.0.0.1:9445 \
  2> "$work/empty.log" &
empty=$!
trap 'kill "$backend" "$empty" 2> /dev/null || true' EXIT
wait_for 10 port_open 127.0.0.1 9445
"$CARME_BENCH_BUILD/tests/bench/login_bench" "$work" "$backend" "$empty" \
  "$people" <<< "$bench_password" || {
  tail -n 20 "$work/backend.log" >&2
  exit 1
}
