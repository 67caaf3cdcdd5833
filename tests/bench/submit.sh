#!/usr/bin/env bash
# submit.sh WORK, on the head of a private cluster: the backend and the
# impersonator as they are installed, with their state on WORK's disk, and
# submit_bench against them.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../../deploy/cluster.d/report.sh"
. "$here/../../deploy/cluster.d/certificates.sh"
work=$1/submit
sbin=${CARME_BENCH_PREFIX:?}/sbin
mkdir -p "$work"
chmod 755 "$1" "$work"

authority_create "$work/pki"
certificate_issue "$work/pki" backend DNS:carme-backend
certificate_issue "$work/pki" frontend URI:carme://frontend/dmz
install -d -o carme -g carme -m 700 "$work/state"
for file in backend.pem backend.key ca.pem; do
  install -o carme -m 600 "$work/pki/$file" "$work/state/$file"
done
cat > "$work/impersonator.toml" <<END
socket = "$work/run/socket"
peer_user = "carme"
agent = "/usr/bin/true"
allowed_group = "carme-users"
END
cat > "$work/backend.toml" <<END
[listen]
clients = "127.0.0.1:9443"
agents = "127.0.0.1:9444"
[tls]
certificate = "$work/state/backend.pem"
key = "$work/state/backend.key"
client_ca = "$work/state/ca.pem"
[state]
directory = "$work/state"
[impersonator]
socket = "$work/run/socket"
[portal]
url = "https://carme.localhost"
jobs_domain = "jobs.carme-apps.localhost"
[ldap]
url = "$CARME_LDAP_URL"
ca_file = "$CARME_LDAP_CA"
bind_dn = "$CARME_LDAP_BIND_DN"
bind_password_file = "$CARME_LDAP_BIND_PASSWORD_FILE"
user_base = "ou=people,$CARME_LDAP_BASE"
user_filter = "(&(objectClass=posixAccount)(uid=%s))"
group_base = "ou=groups,$CARME_LDAP_BASE"
group_filter = "(&(objectClass=posixGroup)(memberUid=%s))"
allowed_group = "carme-users"
[[apps]]
id = "none"
name = "None"
command = ["/usr/bin/true", "{socket}"]
ready_path = "/"
END

"$sbin/carme-impersonator" --config "$work/impersonator.toml" \
  2> "$work/impersonator.log" &
wait_for 10 test -S "$work/run/socket" || cat "$work/impersonator.log" >&2
setpriv --reuid carme --regid carme --init-groups \
  "$sbin/carme-backend" --config "$work/backend.toml" 2> "$work/backend.log" &
trap 'kill %1 %2 2> /dev/null || true' EXIT
wait_for 10 port_open 127.0.0.1 9443 || {
  cat "$work/backend.log" >&2
  exit 1
}
"$CARME_BENCH_BUILD/tests/bench/submit_bench" "$work" || {
  tail -n 20 "$work/backend.log" "$work/impersonator.log" >&2
  exit 1
}
