#!/usr/bin/env bash
# The private cluster: what the other tests take for granted of it.
set -uo pipefail
. "$(dirname "$(realpath "$0")")/expect.sh"
export LDAPTLS_CACERT=$CARME_LDAP_CA

search() { ldapsearch -x -LLL -H "$@" -b "$CARME_LDAP_BASE" uid=ada; }
bound=(-D "$CARME_LDAP_BIND_DN" -y "$CARME_LDAP_BIND_PASSWORD_FILE")
has_no_password() {
  search "$CARME_LDAP_URL" "${bound[@]}" | fails grep -qi userPassword
}

refuse 'directory: shows nothing to who has not bound' \
  search "$CARME_LDAP_URL"
refuse 'directory: takes no password without TLS' \
  search ldap://head "${bound[@]}"
refuse 'directory: is known by its certificate' \
  env LDAPTLS_CACERT=/dev/null ldapsearch -x -H "$CARME_LDAP_URL" "${bound[@]}"
expect 'directory: shows Carme a person' \
  search "$CARME_LDAP_URL" "${bound[@]}"
expect 'directory: shows Carme no password' has_no_password
expect 'directory: takes a password after StartTLS' \
  search ldap://head -ZZ "${bound[@]}"

ada_password() {
  grep -oP '\bada:\d+:\K\S+' <<< "$CARME_TEST_USERS" | tr -d '\n'
}
# ada changes a password; options as ldappasswd has them
change_as_ada() {
  ldappasswd -x -e ppolicy -H "$CARME_LDAP_URL" \
    -D "uid=ada,ou=people,$CARME_LDAP_BASE" -y <(ada_password) "$@" 2>&1
}
change_of_bob() {
  change_as_ada -T <(printf 'of bob, by ada') \
    "uid=bob,ou=people,$CARME_LDAP_BASE"
}
is_no_right() { [[ $(change_of_bob) == *'Insufficient access'* ]]; }
is_too_short() {
  [[ $(change_as_ada -t <(ada_password) -T <(printf short)) == *'too short'* ]]
}
expect "directory: refuses to change another's password" is_no_right
expect 'directory: has a policy for new passwords' is_too_short

people_are_not_local() { fails grep -E '^(ada|bob|carol|eve):' /etc/passwd; }
expect 'people: are not in /etc/passwd' people_are_not_local
expect 'people: are known on the head' getent passwd ada
expect 'people: are known on a node' as ada srun -w n1 getent passwd bob
in_group() { id -Gn "$1" | grep -qw "$2"; }
expect 'people: ada may use Carme' in_group ada carme-users
expect 'people: carol administers it' in_group carol carme-admins
expect 'people: dave supports it' in_group dave carme-support
expect 'people: fay manages projects' in_group fay carme-managers
refuse 'people: eve may not use Carme' in_group eve carme-users

# a job sees both device nodes and may open its own only
open_gpus='n=0; for g in /dev/carmegpu[01]; do (: < $g) && n=$((n + 1)); done
  test $n = '
expect 'gpu: a job opens the one it has' \
  as ada srun -w n1 --gres=gpu:1 sh -c "$open_gpus 1"
expect 'gpu: a job without opens none' as ada srun -w n1 sh -c "$open_gpus 0"
expect 'gpu: two of a type are on one node' \
  as ada srun --gres=gpu:a100:2 sh -c "test \$(hostname) = n2; $open_gpus 2"
refuse 'gpu: three are nowhere' as ada srun -N1 --gres=gpu:3 true

expect 'node: /run is its own' \
  as ada srun -N2 sh -c 'test ! -e /run/slurm/slurmctld.pid'
refuse 'node: does not see the processes of the head' \
  as ada srun -w n1 pgrep -x slurmctld
expect 'node: /home is shared' as ada srun -N2 sh -c \
  'cd /home/ada; touch $(hostname)
  timeout 120 sh -c "until test -e n1 -a -e n2; do sleep 0.1; done"'
expect 'munge: a credential of one host decodes on another' \
  as ada sh -c 'munge -n | srun -w n1 unmunge'

expect_end
