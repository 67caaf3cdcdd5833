# A tree of Debian 13 packages, and the lock that says exactly which.

suite=trixie

# names FILE: the packages that a packages.txt asks for.
names() { sed 's/#.*//' "$1" | xargs -n 1; }

# lock_date LOCK: when it was written, in seconds; now where there is none.
lock_date() {
  local found
  found=$(sed -n 's/^# date //p' "$1" 2> /dev/null)
  echo "${found:-$(date +%s)}"
}

# tree_make TREE PACKAGES LOCK OPTION…: what PACKAGES asks for, in the versions
# that LOCK names where the archive has them. What came of it is TREE.lock.
tree_make() {
  local tree=$1 packages=$2 lock=$3
  shift 3
  debian_sources "$suite" "$suite-updates" "$suite-security" > "$tree.list"
  pins "$lock" > "$tree.pins"
  SOURCE_DATE_EPOCH=$epoch mmdebstrap --mode=root --variant=apt \
    --format=directory --aptopt="$here/apt.conf" --dpkgopt="$here/dpkg.conf" \
    --skip=check/empty,cleanup/apt/lists \
    --setup-hook="cp '$tree.pins' \"\$1/etc/apt/preferences.d/lock\"" \
    --include="$(names "$packages" | paste -sd ,)" "$@" \
    "$suite" "$tree" "$tree.list"
  lock_of "$tree" > "$tree.lock"
}

pins() {
  [ -e "$1" ] || return 0
  sed '/^#/d' "$1" | while read -r name version _; do
    printf 'Package: %s\nPin: version %s\nPin-Priority: 1001\n\n' \
      "$name" "$version"
  done
}

# lock_of TREE: a line a package: name, version, SHA-256 of the file that apt
# installed it from, as the signed index has it.
lock_of() {
  echo "# date $epoch"
  dpkg-query --admindir="$1/var/lib/dpkg" -Wf \
    '${Package} ${Version} ${Architecture}\n' |
    awk 'FILENAME != "-" {
        if ($1 == "Package:") name = $2
        if ($1 == "Version:") version = $2
        if ($1 == "Architecture:") architecture = $2
        if ($1 == "SHA256:") digest[name, version, architecture] = $2
        next
      }
      { print $1, $2, digest[$1, $2, $3] }' \
      <(/usr/lib/apt/apt-helper cat-file \
        "$1"/var/lib/apt/lists/*_Packages*) - |
    LC_ALL=C sort
}

# lock_differences NAME LOCK FOUND: what is not as the lock wants it.
lock_differences() {
  [ -s "$2" ] || return 0
  { diff <(sed '/^#/d' "$2") <(sed '/^#/d' "$3") || [ $? = 1 ]; } |
    sed -n "s/^< /$1: expected /p; s/^> /$1: found    /p"
}

# tree_clean TREE: nothing of the machine that built it, nothing that two
# builds have different, nothing that can be had again.
tree_clean() {
  local tree=$1
  rm -rf "$tree"/{var/lib/apt/lists,var/cache/apt,var/cache/debconf,tmp,run} \
    "$tree"/etc/apt/{sources.list,preferences.d/lock} \
    "$tree"/etc/ssh/ssh_host_* "$tree"/var/cache/ldconfig \
    "$tree"/var/lib/systemd/{random-seed,catalog} "$tree/var/lib/dbus" \
    "$tree"/var/cache/man/* \
    "$tree"/var/lib/dpkg/*-old "$tree"/etc/{passwd,group,shadow,gshadow}- \
    "$tree"/etc/subuid- "$tree"/etc/subgid-
  mkdir -p "$tree"/{var/lib/apt/lists,var/cache/apt/archives/partial,run/sshd}
  mkdir -m 1777 "$tree/tmp"
  # systemd's proxy for ssh asks a systemd that no container has
  rm -f "$tree/etc/ssh/ssh_config.d/20-systemd-ssh-proxy.conf"
  find "$tree/var/log" -type f -delete
  # devices are the node's; without them users can unpack the image
  rm -rf "$tree/dev"
  mkdir -p "$tree"/dev/{pts,shm}
  rm -f "$tree"/etc/{machine-id,resolv.conf,hostname}
  touch "$tree"/etc/{machine-id,resolv.conf}
  echo base > "$tree/etc/hostname"
}
