#!/usr/bin/env bash
# Apptainer as images/apptainer/get installs it, with a SIF as images/pack_sif
# makes it, by a user of the private cluster. CARME_APPTAINER: the program.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
images=$here/../../images
. "$here/../deploy/expect.sh"
[ -n "${CARME_APPTAINER:-}" ] || {
  echo 'skipped: no CARME_APPTAINER (images/apptainer/get)'
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

# tree_make DIR PROGRAM…: the smallest tree in which they run.
tree_make() {
  local tree=$1 program library
  shift
  mkdir -p "$tree"/{dev,proc,sys,tmp,etc,run,home}
  for program in "$@"; do
    program=$(command -v "$program")
    cp --parents -L "$program" "$tree"
    for library in $(ldd "$program" | grep -o '/[^ ]*'); do
      cp --parents -L "$library" "$tree"
    done
  done
  ln -sn usr/bin "$tree/bin" 2> /dev/null
  touch "$tree"/etc/{passwd,group,hosts,resolv.conf,localtime}
}

tree_make "$work/tree" /usr/bin/{sh,id,cat,ls,test,touch}
mksquashfs "$work/tree" "$work/tiny.squashfs" -quiet -no-progress > /dev/null
echo 'no image' > "$work/text"

container() {
  as ada HOME=/home/ada "$CARME_APPTAINER" --quiet exec --containall "$@"
}
in_tiny() { container "$work/tiny.sif" "$@"; }
processes_seen() { in_tiny sh -c 'echo /proc/[0-9]*' | wc -w; }
sees_only_its_own() { [ "$(processes_seen)" -lt 6 ]; }
is_ada() { [ "$(in_tiny id -u)" = 20001 ]; }
bound_is_seen() {
  echo hello > "$work/file"
  [ "$(container --bind "$work:/mnt" "$work/tiny.sif" cat /mnt/file)" = hello ]
}
packs_the_same() {
  "$images/pack_sif" "$work/tiny.squashfs" "$work/again.sif" &&
    cmp "$work/tiny.sif" "$work/again.sif"
}

# A machine with an apptainer of its own, and then with another.
for machine in one two; do
  mkdir "$work/$machine"
  printf '#!/bin/sh\necho %s\n' "$machine" > "$work/$machine/apptainer"
  chmod 755 "$work/$machine/apptainer"
done
# get_on MACHINE WORD…: in a cache of this test's own
get_on() {
  local machine=$1
  shift
  PATH=$work/$machine:$PATH XDG_CACHE_HOME=$work/cache \
    "$images/apptainer/get" "$@"
}
says() { [ "$("$1")" = "$2" ]; }
caches_both() {
  local one two
  one=$(get_on one) && two=$(get_on two) && says "$one" one && says "$two" two
}

refuse 'pack_sif: packs nothing but a squashfs' \
  "$images/pack_sif" "$work/text" "$work/text.sif"
expect 'pack_sif: packs a squashfs' \
  "$images/pack_sif" "$work/tiny.squashfs" "$work/tiny.sif"
expect 'pack_sif: gives the same bytes each time' packs_the_same

refuse 'get: replaces no directory that it has not made' \
  "$images/apptainer/get" "$work/tree"
expect 'get: leaves that directory alone' test -d "$work/tree/proc"

expect 'get: takes the apptainer that a machine has' \
  get_on one "$work/mine"
refuse 'get: replaces none by another' get_on two "$work/mine"
expect 'get: leaves the first alone' says "$work/mine/bin/apptainer" one
expect 'get: has each in the cache, beside the others' caches_both

expect 'apptainer: starts a SIF as an ordinary user, who stays that user' \
  is_ada
expect 'apptainer: starts a squashfs' container "$work/tiny.squashfs" id
expect 'apptainer: starts a directory' container "$work/tree" id
refuse 'apptainer: keeps the image read-only' in_tiny touch /usr/new
refuse 'apptainer: shows no home directory that was not asked for' \
  in_tiny test -e /home/ada
refuse 'apptainer: shows no file of the host' in_tiny test -e "$work/file"
expect 'apptainer: shows no process of the host' sees_only_its_own
expect 'apptainer: shows a folder that was asked for' bound_is_seen
refuse 'apptainer: gives a user no network of their own making' \
  container --net --network bridge "$work/tiny.sif" id
refuse 'apptainer: starts nothing that is no image' \
  container "$work/text" id
expect_end
