# A host's own view of the file system. The machine's / is seen by all; /run,
# /dev, /etc/carme and, where asked for, /tmp are the host's own; /etc and /home
# are the cluster's; the DMZ has no home directories.

# mounts_create DIR HOST
mounts_create() {
  local dir=$1 host=$2 tree=$1/tree
  mount --bind "$tree/etc" /etc
  if [ "$host" = dmz ]; then
    mount -t tmpfs -o mode=755 none /home
  else
    mount --bind "$tree/home" /home
  fi
  mkdir -p "$tree/carme/$host"
  mount --bind "$tree/carme/$host" /etc/carme
  show_create
  dev_create "$host"
  opt_create
  mount -t tmpfs -o mode=755 none /run
  mkdir -p /run/{log,lock,user}
  mount --bind "$dir/log" /run/log
  [ "$host" != head ] || disk_create
  mkdir /run/carme-site
  cp -r "$here" /run/carme-site/cluster.d
  [ "$host" != head ] ||
    install -m 640 -g carme "$tree/secret/bind-password" \
      /run/carme-site/bind-password
}

# show_create: what lies below a directory that is closed to others, such as
# /root, and is asked for, is there for every user; the rest of that directory
# is gone.
show_create() {
  local path closed paths stage=$tree/show/$host
  local -A closed_ones=()
  IFS=: read -r -a paths <<< "${CARME_CLUSTER_SHOW:-}"
  for path in "${paths[@]}"; do
    closed=$(closed_above "$path")
    [ -n "$closed" ] || continue
    mkdir -p "$stage$path"
    mount --bind "$path" "$stage$path"
    closed_ones[$closed]=1
  done
  for closed in "${!closed_ones[@]}"; do
    chmod 755 "$stage$closed"
    mount --rbind "$stage$closed" "$closed"
  done
}

# closed_above PATH: the highest directory above it that others cannot pass.
closed_above() {
  local above=$1 closed=
  while above=$(dirname "$above") && [ "$above" != / ]; do
    [ $((0$(stat -c %a "$above") & 1)) = 1 ] || closed=$above
  done
  echo "$closed"
}

# disk_create: /run/disk is on the machine's disk, where all else here is not.
# What a program there makes durable costs what it costs on a real site.
disk_create() {
  mkdir -p "$dir/disk" /run/disk
  mount --bind "$dir/disk" /run/disk
  chmod 755 /run/disk
}

# tmp_create: a /tmp of the host's own, where asked for. From then on neither
# the shared tree nor these scripts can be reached if they lie below /tmp.
tmp_create() {
  [ -z "${CARME_CLUSTER_PRIVATE_TMP:-}" ] ||
    mount -t tmpfs -o mode=1777,size=2g none /tmp
}

# dev_create HOST: the usual devices, and two stand-in GPUs on a node. A
# stand-in is an unused terminal: it opens where the job's device cgroup allows
# it, and gives EPERM where it does not.
dev_create() {
  local name first
  mkdir -p "$tree/dev/$1"
  mount -t tmpfs -o mode=755 none "$tree/dev/$1"
  for name in null zero full random urandom tty fuse; do
    [ -e "/dev/$name" ] || continue
    touch "$tree/dev/$1/$name"
    mount --bind "/dev/$name" "$tree/dev/$1/$name"
  done
  mount --move "$tree/dev/$1" /dev
  mkdir /dev/pts /dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 none /dev/pts
  mount -t tmpfs -o mode=1777 none /dev/shm
  ln -s pts/ptmx /dev/ptmx
  ln -s /proc/self/fd /dev/fd
  ln -s fd/0 /dev/stdin
  ln -s fd/1 /dev/stdout
  ln -s fd/2 /dev/stderr
  case $1 in
    n1) first=60 ;;
    n2) first=62 ;;
    *) return 0 ;;
  esac
  mknod -m 666 /dev/carmegpu0 c 4 "$first"
  mknod -m 666 /dev/carmegpu1 c 4 $((first + 1))
}

# opt_create: the installed Carme at /opt/carme, beside what /opt has.
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
