#!/usr/bin/env bash
# slurm_load.sh WORK, on the head of a private cluster: a backend as it is
# installed, people who watch it, and slurm_load_bench.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../deploy/cluster.d/report.sh"
. "$here/../../deploy/cluster.d/certificates.sh"
. "$here/backend.sh"
people=20 work=$1/slurm_load

bench_people "$people"
bench_backend_install "$work"
bench_backend_start "$work"
trap 'kill "$backend" 2> /dev/null || true' EXIT
BENCH_PASSWORD=$bench_password "$CARME_BENCH_BUILD/tests/bench/slurm_load_bench" \
  "$work" "$people" || {
  tail -n 20 "$work/backend.log" >&2
  exit 1
}
