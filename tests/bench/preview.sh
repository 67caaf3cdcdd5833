#!/usr/bin/env bash
# preview.sh WORK, on the head of a private cluster: the backend and the
# impersonator as they are installed, a queue that is full, and preview_bench
# against them.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../deploy/cluster.d/report.sh"
. "$here/../../deploy/cluster.d/certificates.sh"
. "$here/backend.sh"
work=$1/preview

# Slurm's own limit is 10,000; one job has all of the GPUs.
echo MaxJobCount=20000 >> /etc/slurm/slurm.conf
"$here/../../deploy/cluster.d/service" slurmctld restart
wait_for 60 sinfo > /dev/null
first=${CARME_TEST_USERS%%:*}
gpus_taken() { [ "$(squeue -h -t R -o %A | wc -l)" = 1 ]; }
runuser -u "$first" -- sbatch --parsable -N2 --gres=gpu:2 --time=1200 \
  --chdir=/tmp --output=/dev/null --wrap 'sleep 3600' > /dev/null
wait_for 60 gpus_taken

bench_backend_install "$work"
bench_impersonator_start "$work"
trap 'kill "$impersonator" "${backend:-}" 2> /dev/null || true' EXIT
bench_backend_start "$work"
"$CARME_BENCH_BUILD/tests/bench/preview_bench" "$work" || {
  tail -n 20 "$work/backend.log" "$work/impersonator.log" >&2
  exit 1
}
