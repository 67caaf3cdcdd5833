#!/usr/bin/env bash
# carmectl doctor against a real directory, name service, MUNGE and Slurm. Each
# breakage is one of the configuration, or is seen by doctor only.
set -uo pipefail
. "$(dirname "$(realpath "$0")")/../../../deploy/expect.sh"
PATH=$(dirname "$CARME_DIRECTORY_PROBE"):$PATH:/usr/sbin:/sbin
dir=$(mktemp -d /tmp/carme-doctor.XXXXXX)
chmod 755 "$dir"
trap 'rm -rf "$dir"' EXIT
etc=$dir/etc

# restore: the configuration of a backend's host without a fault.
restore() {
  rm -rf "$etc"
  mkdir -p "$etc"
  cat > "$etc/backend.toml" <<EOF
[listen]
clients = "10.77.0.1:9443"
agents = "10.77.0.1:9444"
[portal]
url = "https://127.0.0.1:1"
[ldap]
url = "$CARME_LDAP_URL"
ca_file = "$CARME_LDAP_CA"
bind_dn = "$CARME_LDAP_BIND_DN"
bind_password_file = "$CARME_LDAP_BIND_PASSWORD_FILE"
user_base = "ou=people,$CARME_LDAP_BASE"
group_base = "ou=groups,$CARME_LDAP_BASE"
allowed_group = "carme-users"
admin_group = "carme-admins"
[slurm]
conf = "/etc/slurm/slurm.conf"
EOF
  printf 'peer_user = "carme"\nallowed_group = "carme-users"\n' \
    > "$etc/impersonator.toml"
}

# change FILE FROM TO
change() { sed -i "s|$2|$3|" "$etc/$1" && grep -qF "$3" "$etc/$1"; }

doctor() { "$CARME_CARMECTL" doctor --json --config-dir "$etc" "$@"; }

# reports CHECK FINDING [WRAPPER…]
reports() {
  local check=$1 finding=$2 report
  shift 2
  report=$("$@" "$CARME_CARMECTL" doctor --json --config-dir "$etc" \
    --only "$check" 2>&1)
  echo "$report"
  [[ $report == *"\"id\":\"$finding\""* ]]
}

# broken_by SENTENCE CHECK FINDING FILE FROM TO
broken_by() {
  restore
  change "$4" "$5" "$6" || broken=1
  expect "$1: is a finding" reports "$2" "$3"
}

services=(--only directory --only name-service --only munge --only slurm)

restore
expect 'doctor: finds nothing wrong with working services' \
  doctor "${services[@]}"
expect 'doctor: compares the ids of a named user' \
  doctor --only name-service --user ada
slurm_time_is_compared() {
  [[ $(doctor --only clock) != *"slurmctld's clock"* ]]
}
expect "doctor: agrees with slurmctld's clock" slurm_time_is_compared
expect 'doctor: finds that Slurm confines jobs' doctor --only confinement

job_is_confined() {
  as ada "$CARME_CARMECTL" doctor --config-dir "$etc" --host-role node \
    --only confinement-job
}
expect "slurm: a user's job is confined" job_is_confined

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
  -subj /CN=other -keyout "$dir/other.key" -out "$dir/other.pem" 2> /dev/null
broken_by 'directory: another authority' directory directory-unavailable \
  backend.toml "$CARME_LDAP_CA" "$dir/other.pem"
echo wrong > "$dir/password"
chmod 400 "$dir/password"
broken_by 'directory: a wrong password' directory directory-unavailable \
  backend.toml "$CARME_LDAP_BIND_PASSWORD_FILE" "$dir/password"
broken_by 'directory: a missing password file' directory directory-setup \
  backend.toml "$CARME_LDAP_BIND_PASSWORD_FILE" "$dir/none"
broken_by 'directory: a missing group' directory directory-group-missing \
  backend.toml carme-admins carme-none
broken_by 'name service: an unknown group' name-service nss-group-missing \
  impersonator.toml carme-users carme-none
echo 'not a line of slurm.conf' > "$dir/slurm.conf"
broken_by 'slurm: a broken configuration' slurm slurm-unavailable \
  backend.toml /etc/slurm/slurm.conf "$dir/slurm.conf"
restore
echo 'feature = "none"' >> "$etc/backend.toml"
expect 'slurm: a feature that no node has: is a finding' \
  reports slurm slurm-feature-missing

restore
without_munged() { unshare -m sh -c 'mount -t tmpfs none /run/munge && "$@"' - "$@"; }
expect 'munge: no munged: is a finding' \
  reports munge munge-unavailable without_munged
expect 'firewall: ports without a rule: are a finding' \
  reports firewall firewall-port-unlimited
with_rules() {
  unshare -n sh -c 'nft add table inet t && nft add chain inet t c &&
    nft add rule inet t c tcp dport 9443-9444 ip saddr != 10.77.0.2 drop &&
    "$@"' - "$@"
}
rules_suffice() {
  [[ $(with_rules "$CARME_CARMECTL" doctor --config-dir "$etc" \
    --only firewall) == *'0 errors, 0 warnings, 0 notes'* ]]
}
expect 'firewall: ports with a rule: are no finding' rules_suffice

expect_end
