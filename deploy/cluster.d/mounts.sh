# A host's own view of the file system. All hosts see the machine's /; /run,
# /dev, /etc/carme and, where asked for, /tmp are the host's own; /etc and /home
# are the cluster's; the DMZ has no home directories.
#
# The cluster's directory, the installed Carme and the shown paths may be
# anywhere, also in /home and /tmp. So all of them are bind-mounted elsewhere
# first, and only then is anything covered.

# mounts_create: $dir is /run/cluster, $tree the shared tree in it.
mounts_create() {
  run_create
  show_hold
  opt_create
  dev_create "$host"
  mount --bind "$tree/etc" /etc
  mkdir -p "$tree/carme/$host"
  mount --bind "$tree/carme/$host" /etc/carme
  [ "$host" != head ] ||
    install -m 640 -g carme "$tree/secret/bind-password" \
      /run/carme-site/bind-password
  home_create
  [ -z "${CARME_CLUSTER_PRIVATE_TMP:-}" ] ||
    mount -t tmpfs -o mode=1777,size=2g none /tmp
  show_create
}

# mounts_close PATH: the shared tree stays where this host mounts it, and is not
# reachable through PATH or /run. A host does not see the keys of another.
mounts_close() {
  umount -l /run/cluster
  umount -l -q "$1/tree" || true # where it is not out of reach already
}

run_create() {
  local run=/run/hosts/$host
  mount -t tmpfs -o mode=755 none "$run"
  mkdir -p "$run"/{cluster,log,lock,user,carme-site}
  mount --rbind /run/cluster "$run/cluster"
  mount --no-mtab --move "$run" /run
  mount --bind "$dir/log" /run/log
  cp -r "$here" /run/carme-site/cluster.d
  # on the machine's disk, unlike everything else here: a sync takes as long as
  # on a real site
  mkdir -p "$dir/disk/$host" /run/disk
  chmod 755 "$dir/disk" "$dir/disk/$host"
  mount --bind "$dir/disk/$host" /run/disk
}

home_create() {
  if [ "$host" = dmz ]; then
    mount -t tmpfs -o mode=755 none /home
  else
    mount --bind "$tree/home" /home
  fi
}

# Paths that every user of the cluster must see although they are covered or
# below a directory that is closed to others, such as /root. The rest of a
# closed directory is hidden then.
show_hold() {
  local path
  shown=()
  IFS=: read -r -a shown <<< "${CARME_CLUSTER_SHOW:-}"
  for path in "${shown[@]}"; do
    mkdir -p "$tree/show/$host$path"
    mount --bind "$path" "$tree/show/$host$path"
  done
}

show_create() {
  local path held closed
  for path in "${shown[@]}"; do
    held=$tree/show/$host$path
    closed=$(closed_above "$path")
    [ -z "$closed" ] || mount -t tmpfs -o mode=755 none "$closed"
    [ "$path" -ef "$held" ] || {
      mkdir -p "$path"
      mount --bind "$held" "$path"
    }
  done
}

# closed_above PATH: the highest directory above it that others cannot pass.
closed_above() {
  local above=$1 closed=
  while above=$(dirname "$above") && [ "$above" != / ]; do
    [ ! -d "$above" ] || [ $((0$(stat -c %a "$above") & 1)) = 1 ] ||
      closed=$above
  done
  echo "$closed"
}

# dev_create HOST: the usual devices, and two stand-in GPUs on a node. A
# stand-in is an unused terminal: it opens where the job's device cgroup allows
# it, and gives EPERM where it does not.
dev_create() {
  local name first
  mkdir -p "$tree/dev/$1"
  mount -t tmpfs -o mode=755 none "$tree/dev/$1"
  for name in null zero full random urandom tty; do
    [ -e "/dev/$name" ] || continue
    touch "$tree/dev/$1/$name"
    mount --bind "/dev/$name" "$tree/dev/$1/$name"
  done
  # as udev makes it on a real node: users open images through it
  [ ! -e /dev/fuse ] || mknod -m 666 "$tree/dev/$1/fuse" c 10 229
  mount --move "$tree/dev/$1" /dev
  mkdir /dev/pts /dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 none /dev/pts
  mount -t tmpfs -o mode=1777 none /dev/shm
  ln -s pts/ptmx /dev/ptmx
  ln -s /proc/self/fd /dev/fd
  ln -s fd/0 /dev/stdin
  ln -s fd/1 /dev/stdout
  ln -s fd/2 /dev/stderr
  [ "$1" = dmz ] || loops_create
  case $1 in
    n1) first=60 ;;
    n2) first=62 ;;
    *) return 0 ;;
  esac
  mknod -m 666 /dev/carmegpu0 c 4 "$first"
  mknod -m 666 /dev/carmegpu1 c 4 $((first + 1))
}

# loops_create: as on a real node, where udev makes them; the machine's hosts
# share the devices, of which the kernel gives each a free one.
loops_create() {
  local number
  mknod -m 600 /dev/loop-control c 10 237
  for number in {0..63}; do mknod -m 600 "/dev/loop$number" b 7 "$number"; done
}

# opt_create: the installed Carme at /opt/carme, with the other content of /opt.
opt_create() {
  local opt=$tree/opt/$host entry
  [ -n "${CARME_CLUSTER_PREFIX:-}" ] || return 0
  mkdir -p "$opt/carme"
  for entry in /opt/*; do
    [ -d "$entry" ] && [ "$entry" != /opt/carme ] || continue
    mkdir "$opt/${entry##*/}"
    mount --bind "$entry" "$opt/${entry##*/}"
  done
  mount --bind "$CARME_CLUSTER_PREFIX" "$opt/carme"
  mount --rbind "$opt" /opt
}
