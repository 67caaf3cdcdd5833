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

password=$(head -c 15 /dev/urandom | base64)
hash=$(openssl passwd -6 -stdin <<< "$password")
"$CARME_CLUSTER_SERVICE" slapd stop
{
  for i in $(seq "$people"); do
    cat <<END
dn: uid=person$i,ou=people,$CARME_LDAP_BASE
changetype: add
objectClass: inetOrgPerson
objectClass: posixAccount
cn: person $i
sn: $i
uid: person$i
uidNumber: $((40000 + i))
gidNumber: $((40000 + i))
homeDirectory: /home/person$i
userPassword: {CRYPT}$hash

END
  done
  echo "dn: cn=carme-users,ou=groups,$CARME_LDAP_BASE"
  echo 'changetype: modify'
  echo 'add: memberUid'
  for i in $(seq "$people"); do echo "memberUid: person$i"; done
} | slapmodify -q -f /etc/ldap/slapd.conf
"$CARME_CLUSTER_SERVICE" slapd start

bench_backend_install "$work"
bench_backend_start "$work"
mkdir -m 700 "$work/empty"
"$CARME_BENCH_BUILD/tests/bench/empty_server" "$work" 127.0.0.1:9445 \
  2> "$work/empty.log" &
empty=$!
trap 'kill "$backend" "$empty" 2> /dev/null || true' EXIT
wait_for 10 port_open 127.0.0.1 9445
"$CARME_BENCH_BUILD/tests/bench/login_bench" "$work" "$backend" "$empty" \
  "$people" <<< "$password" || {
  tail -n 20 "$work/backend.log" >&2
  exit 1
}
