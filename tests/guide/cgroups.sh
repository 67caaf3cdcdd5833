# The cgroups of the hosts: one directory for all, with one for each host.

. "$here/../../deploy/cluster.d/cgroups.sh"
# systemd needs its own hierarchy or the unified one.
# shellcheck disable=SC2034 # of cluster.d/cgroups.sh
CGROUP_CONTROLLERS='cpuset memory devices freezer pids cpuacct cpu blkio systemd unified'

# hosts_cgroups_create NAME HOST…
hosts_cgroups_create() {
  local name=$1 host
  shift
  cgroups_create "$name" || return 1
  for host; do
    cgroups_create "$name/$host" || return 1
  done
  [ "$(cgroups_version)" = v1 ] || cgroup_delegate "$CGROUPS/$name"
}
