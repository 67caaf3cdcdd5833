# The roots of the three hosts: a bare Debian 12, and what a site has on head and
# node before Carme is installed, as layers in the cache. The base has apt's
# lists and the archives that Carme's packages need, like a mirror near by, so
# that the hosts need no way to the internet.

ROOT_SITE_head='slurmctld slurm-client munge slapd libnss-ldapd nslcd nscd dnsmasq'
ROOT_SITE_node='slurmd slurm-client munge libnss-ldapd nslcd nscd'

# roots_get PACKAGES: sets $roots, the directory with the layers base, head and
# node. Makes it if it is not cached.
roots_get() {
  local packages=$1 key work
  key=$( (cat "$tests/roots.sh" && roots_depends "$packages") | sha256sum |
    cut -c 1-16)
  roots=$cache/guide/$key
  [ ! -d "$roots" ] || { touch "$roots"; return; }
  cache_lock guide
  [ ! -d "$roots" ] || return 0
  work=$cache/guide/work
  rm -rf --one-file-system "$work"
  mkdir -p "$work"/{base,head,node,overlay}
  echo 'making the roots of the hosts, which takes three minutes' >&2
  roots_make "$work" "$packages" > "$work/log" 2>&1 || {
    tail -n 30 "$work/log" >&2
    fail 'the roots of the hosts could not be made' || return
  }
  rm -rf "$work/overlay" "$work/apt.conf" "$work/log"
  mv -T "$work" "$roots"
  cache_prune 2 "$cache/guide"/*/
}

roots_make() {
  root_base "$1" "$2" && root_layer "$1" head && root_layer "$1" node
}

roots_depends() {
  local file
  for file in "$1"/carme-*.deb; do
    [[ $file == *-dbgsym_* ]] || dpkg-deb -f "$file" Depends Recommends
  done
}

# root_base WORK PACKAGES: as debootstrap makes it.
root_base() {
  local work=$1 base=$1/base
  # a site's proxy and certificate authorities, where it has them
  apt-config dump | grep -E '^Acquire::https?::' > "$work/apt.conf" || true
  mmdebstrap --quiet --variant=important --include=ca-certificates \
    --aptopt="$work/apt.conf" bookworm "$base" - \
    < <(debian_sources bookworm bookworm-updates bookworm-security) &&
    mkdir "$base/root/packages" &&
    cp "$2"/carme-*.deb "$base/root/packages/" || return 1
  rm -f "$base"/root/packages/*-dbgsym_*
  # shellcheck disable=SC2016 # expanded there
  in_root "$base" 'apt-get update
    cd /root/packages
    for names in proxy,frontend,cli backend,cli node,cli; do
      for name in ${names//,/ }; do echo "./carme-${name}_"*.deb; done |
        xargs apt-get install --yes --download-only
    done
    rm -r /root/packages' || return 1
  # what these units set is the machine's, or a task of the test
  root_mask "$base" systemd-sysctl.service systemd-udevd.service \
    systemd-modules-load.service networking.service getty.target \
    systemd-timesyncd.service
  rm -f "$base"/etc/{machine-id,hostname,resolv.conf}
  touch "$base"/etc/{machine-id,resolv.conf}
}

root_mask() {
  local unit base=$1
  shift
  for unit; do ln -sf /dev/null "$base/etc/systemd/system/$unit"; done
}

# root_layer WORK NAME: what is installed beyond the base.
root_layer() {
  local work=$1 name=$2 packages=ROOT_SITE_$2
  # shellcheck disable=SC2016 # expanded there
  WORK=$work NAME=$name unshare --mount bash -euc '
    mkdir -p "$WORK/overlay/work"
    mount -t overlay none "$WORK/overlay" -o \
      "lowerdir=$WORK/base,upperdir=$WORK/$NAME,workdir=$WORK/overlay/work"
    . "$0"
    in_root "$WORK/overlay" "apt-get install --yes $1
      rm -f /etc/resolv.conf && touch /etc/resolv.conf"' \
    "$tests/roots.sh" "${!packages}" || return 1
  rm -rf "$work/overlay/work"
}

# in_root DIR COMMANDS: there, with this machine's network. Starts no service.
in_root() {
  # shellcheck disable=SC2016 # expanded there
  ROOT=$1 unshare --mount --pid --fork --kill-child bash -euc '
    mount --make-rprivate /
    mount --bind "$ROOT" "$ROOT"
    mount -t proc proc "$ROOT/proc"
    mount --rbind /dev "$ROOT/dev"
    cp -L /etc/resolv.conf "$ROOT/etc/resolv.conf"
    printf "#!/bin/sh\nexit 101\n" > "$ROOT/usr/sbin/policy-rc.d"
    chmod 755 "$ROOT/usr/sbin/policy-rc.d"
    chroot "$ROOT" env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
      PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -euc "$0" < /dev/null
    rm "$ROOT/usr/sbin/policy-rc.d"' "$2"
}
