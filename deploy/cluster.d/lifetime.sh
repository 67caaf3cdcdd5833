# The cluster as its owner sees it, from outside: start, stop, enter a host.
#
# Everything runs in one PID namespace under the process `fabric`, which ends
# with the owner. Only empty cgroup directories remain; they are removed here,
# or by the next start.

CLUSTER_D=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
. "$CLUSTER_D/report.sh"
. "$CLUSTER_D/cgroups.sh"
. "$CLUSTER_D/create_users.sh"
. "$CLUSTER_D/certificates.sh"
CLUSTER_HOSTS='head dmz n1 n2'

# cluster_start DIR: returns when Slurm's nodes are idle and every host resolves
# the users. On failure prints the reason and the end of the relevant log.
cluster_start() {
  local dir cgroup outside
  mkdir -p "$1" && dir=$(realpath "$1") || return 1
  ! cluster_running "$dir" || {
    fail "\"$dir\" belongs to a cluster that runs"
    return 1
  }
  cluster_stop "$dir" # what an owner that was killed left
  chmod 711 "$dir"
  mkdir -p "$dir/log" "$dir/tree"
  (umask 077 && users_create > "$dir/users") && authority_create "$dir/pki" &&
    certificate_issue "$dir/pki" ldap DNS:head || return 1
  cgroup=carme-$BASHPID
  cgroups_create "$cgroup" || return 1
  echo "$cgroup" > "$dir/cgroup"

  setpriv --pdeathsig KILL "$CLUSTER_D/enter_cgroups" "$cgroup" \
    unshare --mount --net --pid --uts --ipc --fork --kill-child --mount-proc \
    "$CLUSTER_D/fabric" "$dir" \
    < /dev/null > "$dir/log/cluster.log" 2>&1 3>&- &
  outside=$!
  echo "$outside" > "$dir/fabric.pid"
  wait_for 360 cluster_settled "$dir" "$outside" &&
    [ "$(cat "$dir/fabric.state" 2> /dev/null)" = ready ] || {
    tail -n 15 "$dir/log/cluster.log" >&2
    fail "the cluster did not start; its logs are in \"$dir/log\""
    return 1
  }
  cluster_hosts "$outside" > "$dir/hosts"
}

cluster_settled() { [ -s "$1/fabric.state" ] || ! kill -0 "$2"; }

# cluster_running DIR
cluster_running() {
  local pid
  pid=$(cat "$1/fabric.pid" 2> /dev/null) &&
    grep -q cluster.d/fabric "/proc/$pid/cmdline" 2> /dev/null
}

# cluster_hosts PID: a line a host, its name and its first process as seen here.
cluster_hosts() {
  local fabric host parent
  fabric=$(pgrep -P "$1")
  echo "fabric $fabric"
  for host in $CLUSTER_HOSTS; do
    parent=$(pgrep -P "$fabric" -f "cluster.d/host .* $host\$")
    echo "$host $(pgrep -P "$parent")"
  done
}

# cluster_stop DIR: ends every process in it and removes all but the logs.
cluster_stop() {
  local dir=$1 pid
  if cluster_running "$dir"; then
    pid=$(cat "$dir/fabric.pid")
    kill -KILL "$pid" 2> /dev/null || true
    wait "$pid" 2> /dev/null || true
    wait_for 60 cluster_gone "$pid" || fail "the cluster did not end" || true
  fi
  [ ! -e "$dir/cgroup" ] || cgroups_remove "$(cat "$dir/cgroup")"
  rm -rf "${dir:?}"/{fabric.pid,fabric.state,hosts,users,pki,cgroup,disk}
  rmdir "$dir/tree" 2> /dev/null || true
}

cluster_gone() { ! kill -0 "$1"; }

# in_host DIR HOST COMMAND…: runs the command in the namespaces of the host.
in_host() {
  local enter
  host_entrance "$1" "$2" || return 1
  shift 2
  "${enter[@]}" "$@"
}

# host_entrance DIR HOST: $enter, the words that become a command on the host.
host_entrance() {
  local pid
  pid=$(awk -v host="$2" '$1 == host { print $2 }' "$1/hosts")
  [ -n "$pid" ] || { fail "no host \"$2\" in \"$1\""; return 1; }
  enter=(nsenter --target "$pid" --mount --net --pid --uts --ipc --cgroup --)
}

# cluster_environment DIR: exports the variables for tests (see README.md).
cluster_environment() {
  export CARME_TEST_CLUSTER=1
  export SLURM_CONF=/etc/slurm/slurm.conf
  export CARME_LDAP_URL=ldaps://head
  export CARME_LDAP_CA=/etc/carme-site/ca.pem
  export CARME_LDAP_BASE=$LDAP_BASE
  export CARME_LDAP_BIND_DN=cn=carme,ou=services,$LDAP_BASE
  export CARME_LDAP_BIND_PASSWORD_FILE=/run/carme-site/bind-password
  export CARME_CLUSTER_SERVICE=/run/carme-site/cluster.d/service
  CARME_TEST_USERS=$(cluster_users "$1")
  CARME_TEST_OUTSIDER=$(cluster_outsider "$1")
  export CARME_TEST_USERS CARME_TEST_OUTSIDER
}
