# A control group of the cluster's own, in every hierarchy that Slurm uses, so
# that concurrent clusters are separate and nothing of Slurm remains. v1: one
# directory in each controller's hierarchy; v2: one directory.

CGROUPS=/sys/fs/cgroup
CGROUP_CONTROLLERS='cpuset memory devices freezer cpuacct'

cgroups_version() {
  if [ -e $CGROUPS/cgroup.controllers ]; then echo v2
  elif [ -e $CGROUPS/devices/cgroup.procs ]; then echo v1
  else fail "no cgroup hierarchy in $CGROUPS: found neither v1 nor v2"
  fi
}

# cgroups_create NAME
cgroups_create() {
  local version controller file
  version=$(cgroups_version) || return 1
  cgroups_sweep
  if [ "$version" = v2 ]; then
    mkdir -p "$CGROUPS/$1/hosts" "$CGROUPS/$1/system.slice" &&
      cgroup_delegate "$CGROUPS"
    return
  fi
  for controller in $CGROUP_CONTROLLERS; do
    [ -e "$CGROUPS/$controller/cgroup.procs" ] || continue
    mkdir -p "$CGROUPS/$controller/$1" || return 1
  done
  for file in cpuset.cpus cpuset.mems; do
    [ -e "$CGROUPS/cpuset/$file" ] || continue
    cat "$CGROUPS/cpuset/$file" > "$CGROUPS/cpuset/$1/$file" || return 1
  done
}

# cgroup_delegate DIR: its children may use the controllers (v2).
cgroup_delegate() {
  local controller
  for controller in cpuset cpu memory pids; do
    echo "+$controller" > "$1/cgroup.subtree_control" || return 1
  done
}

# cgroups_enter NAME: moves this process; its children follow.
cgroups_enter() {
  local controller
  if [ "$(cgroups_version)" = v2 ]; then
    echo $$ > "$CGROUPS/$1/cgroup.procs"
    return
  fi
  for controller in $CGROUP_CONTROLLERS; do
    [ ! -e "$CGROUPS/$controller/$1" ] ||
      echo $$ > "$CGROUPS/$controller/$1/cgroup.procs"
  done
}

# cgroups_settle NAME: after the cgroup namespace was made, whose root is the
# directory this process is in. In v2 a directory with processes may not hand
# controllers to those below it, so they move to one of their own.
cgroups_settle() {
  [ "$(cgroups_version)" = v2 ] || return 0
  echo $$ > "$CGROUPS/$1/hosts/cgroup.procs"
  cgroup_delegate "$CGROUPS/$1" && cgroup_delegate "$CGROUPS/$1/system.slice"
}

# cgroups_show NAME: in a mount namespace of its own, makes the cluster's
# directory look like the root of each hierarchy.
cgroups_show() {
  local controller
  if [ "$(cgroups_version)" = v2 ]; then
    mount --bind "$CGROUPS/$1" "$CGROUPS"
    return
  fi
  for controller in $CGROUP_CONTROLLERS; do
    [ ! -e "$CGROUPS/$controller/$1" ] ||
      mount --bind "$CGROUPS/$controller/$1" "$CGROUPS/$controller"
  done
}

# cgroups_remove NAME: its processes have ended.
cgroups_remove() {
  local dir
  for dir in "$CGROUPS/$1" "$CGROUPS"/*/"$1"; do
    [ -d "$dir" ] || continue
    wait_for 20 cgroup_remove "$dir" || fail "\"$dir\" is still in use" || true
  done
}

cgroup_remove() { find "$1" -depth -type d -exec rmdir {} + ; }

# cgroups_sweep: removes the cgroups of owners that were killed.
cgroups_sweep() {
  local dir
  for dir in "$CGROUPS"/carme-* "$CGROUPS"/*/carme-*; do
    [ -d "$dir" ] && ! kill -0 "${dir##*/carme-}" 2> /dev/null || continue
    cgroup_remove "$dir" 2> /dev/null || true
  done
}
