#!/usr/bin/env bash
# fanout.sh WORK, on the head of a private cluster: the backend and the
# impersonator as they are installed, fanout_agent as the agent of the jobs, and
# fanout_bench against them. Jobs share the processors, so that one of each
# person runs.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../deploy/cluster.d/report.sh"
. "$here/../../deploy/cluster.d/certificates.sh"
. "$here/backend.sh"
people=20 work=$1/fanout

sed -i '/^PartitionName=main/s/$/ OverSubscribe=FORCE:20/' /etc/slurm/slurm.conf
"$CARME_CLUSTER_SERVICE" slurmctld restart
wait_for 60 sinfo > /dev/null
bench_people "$people"
bench_homes "$people"
bench_agents=10.77.0.1:9444 bench_backend_install "$work"
install -m 644 "$work/pki/ca.pem" "$work/agents-ca.pem"
cat > "$work/agent.toml" <<END
backend = "head:9444"
backend_name = "carme-backend"
ca = "$work/agents-ca.pem"
END
bench_agent=$CARME_BENCH_BUILD/tests/bench/fanout_agent \
  bench_impersonator_start "$work"
trap 'kill "$impersonator" "${backend:-}" 2> /dev/null || true' EXIT
bench_backend_start "$work"
BENCH_PASSWORD=$bench_password "$CARME_BENCH_BUILD/tests/bench/fanout_bench" \
  "$work" "$people" || {
  tail -n 20 "$work/backend.log" "$work/impersonator.log" >&2
  exit 1
}
