# What a tree of packages gets besides, and how it becomes files.

# tree_files TREE LOCK: the files of files/, with versions filled in: an
# @name@ is the version of that package.
tree_files() {
  local tree=$1 lock=$2 code_server file script=$1.sed
  read -r code_server _ < "$here/lock/code-server"
  {
    echo "s|@VERSION@|$(date -u -d "@$epoch" +%Y.%m.%d)|"
    echo "s|@CREATED@|$(date -u -d "@$epoch" +%FT%TZ)|"
    echo "s|@CODE_SERVER@|$code_server|"
    echo "s|@DEBIAN@|$(< "$tree/etc/debian_version")|"
    awk '!/^#/ { print "s|@" $1 "@|" $2 "|" }' "$lock"
  } > "$script"
  tar -c -C "$here/files" --owner=0 --group=0 --mode=u=rwX,go=rX . |
    tar -x -p -C "$tree"
  find "$here/files" -mindepth 1 -printf '%P\0' |
    (cd "$tree" && xargs -0 touch -h -d "@$epoch")
  for file in .carme/image.json .singularity.d/labels.json; do
    sed -i -f "$script" "$tree/$file"
  done
  ln -s ipython3 "$tree/usr/bin/ipython"
  echo 'en_US.UTF-8 UTF-8' > "$tree/etc/locale.gen"
  chroot "$tree" locale-gen > /dev/null
}

# tree_patch TREE: what has to be mended in Debian's packages. Python sources
# are compiled again, because Python compares times.
tree_patch() {
  local tree=$1 modules=/usr/lib/python3/dist-packages files patch
  for patch in "$here"/*.patch; do
    chroot "$tree" patch --silent -p1 -d "$modules" < "$patch"
  done
  mapfile -t files < <(sed -n "s|^+++ b|$modules|p" "$here"/*.patch)
  touch -d "@$epoch" "${files[@]/#/$tree}"
  printf '%s\n' "${files[@]}" | grep '\.py$' |
    chroot "$tree" xargs python3 -m py_compile
}

# tree_date TREE: nothing in it is younger than the lock. Python's sources keep
# the time their package gave them, which their compiled form names.
tree_date() {
  find "$1" -newermt "@$epoch" -not -name '*.py' \
    -exec touch -h -d "@$epoch" {} +
}

# pack WORK: WORK/tree as WORK/out/base.squashfs and base.sif, with digests.
pack() {
  local work=$1
  nice env -u SOURCE_DATE_EPOCH mksquashfs "$work/tree" \
    "$work/out/base.squashfs" -comp zstd -Xcompression-level 9 -b 256K \
    -processors 1 -no-xattrs -mkfs-time "$epoch" -noappend -no-progress -quiet \
    > /dev/null
  SOURCE_DATE_EPOCH=$epoch "$here/../pack_sif" "$work/out/base.squashfs" \
    "$work/out/base.sif"
  (cd "$work/out" && sha256sum base.sif base.squashfs > SHA256SUMS)
}
