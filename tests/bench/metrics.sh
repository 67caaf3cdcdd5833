#!/usr/bin/env bash
# metrics.sh WORK, on the head of a private cluster: the processor time that a scrape
# of /metrics costs frontend, proxy, and the backend with 10,000 jobs (JOBS). The jobs
# are copies of one in the database; slurmctld is stopped, so that they are not found
# missing in Slurm.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../deploy/cluster.d/report.sh"
. "$here/../../deploy/cluster.d/certificates.sh"
. "$here/backend.sh"
work=$1/metrics jobs=${JOBS:-10000}

bench_backend_install "$work"
sed -i '1i metrics_listen = "127.0.0.1:9482"' "$work/backend.toml"
certificate_issue "$work/pki" proxy URI:carme://proxy/dmz
certificate_issue "$work/pki" public DNS:carme.localhost
mkdir -p "$work/proxy" "$work/web"
echo '<!doctype html>' > "$work/web/index.html"
# backend_keys PROGRAM
backend_keys() {
  cat << END
[backend]
address = "127.0.0.1:9443"
ca = "$work/pki/ca.pem"
certificate = "$work/pki/$1.pem"
key = "$work/pki/$1.key"
END
}
{
  cat << END
listen = "127.0.0.1:8080"
metrics_listen = "127.0.0.1:9481"
portal = "https://carme.localhost"
web_root = "$work/web"
END
  backend_keys frontend
} > "$work/frontend.toml"
{
  cat << END
listen = "127.0.0.1:8443"
metrics_listen = "127.0.0.1:9480"
portal_host = "carme.localhost"
jobs_domain = "jobs.carme-apps.localhost"
state_directory = "$work/proxy"
certificate = "$work/pki/public.pem"
key = "$work/pki/public.key"
END
  backend_keys proxy
} > "$work/proxy.toml"

bench_impersonator_start "$work"
trap 'kill "$impersonator" "${backend:-}" "${frontend:-}" "${proxy:-}" 2> /dev/null || true' EXIT
bench_backend_start "$work"
"$CARME_BENCH_BUILD/tests/bench/metrics_bench" "$work"
kill "$backend"
wait "$backend" || true
"$CARME_CLUSTER_SERVICE" slurmctld stop
python3 - "$work/state/carme.db" "$jobs" << 'END'
import sqlite3, sys
database = sqlite3.connect(sys.argv[1])
database.row_factory = sqlite3.Row
row = dict(database.execute('SELECT * FROM jobs').fetchone())
for i in range(1, int(sys.argv[2])):
    copy = row | {'id': f'bench{i:011d}', 'idempotency_key': None,
                  'slurm_job_id': 1_000_000 + i}
    database.execute(
        f'INSERT INTO jobs ({",".join(copy)}) '
        f'VALUES ({",".join("?" * len(copy))})', list(copy.values()))
database.commit()
END
chown -R carme:carme "$work/state"
bench_backend_start "$work"
"$CARME_BENCH_PREFIX/sbin/carme-frontend" --config "$work/frontend.toml" \
  2> "$work/frontend.log" &
frontend=$!
"$CARME_BENCH_PREFIX/sbin/carme-proxy" --config "$work/proxy.toml" \
  2> "$work/proxy.log" &
proxy=$!
for port in 9480 9481 9482; do
  wait_for 20 port_open 127.0.0.1 "$port" || {
    tail -n 20 "$work"/*.log >&2
    exit 1
  }
done
python3 "$here/metrics_scrapes.py" "$jobs" "carme-backend=$backend=9482" \
  "carme-frontend=$frontend=9481" "carme-proxy=$proxy=9480"
