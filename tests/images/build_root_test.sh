#!/usr/bin/env bash
# images/base/build: what it keeps, and what it reports of its lock. Nothing is
# built here. CARME_BASE_IMAGE: the folder of the image that this recipe gave.
set -uo pipefail
tree=$(realpath "$(dirname "$(realpath "$0")")/../..")
. "$tree/tests/deploy/expect.sh"
. "$tree/images/base/tree.sh"
. "$tree/images/cache.sh"
[ -n "${CARME_BASE_IMAGE:-}" ] || {
  echo 'skipped: no CARME_BASE_IMAGE (images/base/build)'
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
key=$(basename "$CARME_BASE_IMAGE")
kept=$work/cache/carme/images/base/$key
mkdir -p "$kept"
echo 'an image' > "$kept/base.sif"
echo '1234  base.sif' > "$kept/SHA256SUMS"
build() { XDG_CACHE_HOME=$work/cache timeout 120 "$@"; }

prints_what_is_kept() {
  [ "$(build "$tree/images/base/build")" = "1234  $kept/base.sif" ]
}
gives_a_copy() {
  build "$tree/images/base/build" "$work/out" &&
    cmp "$work/out/base.sif" "$kept/base.sif"
}
says_what_differs() {
  echo 'vim: expected 1, found 2' > "$kept/differences"
  [[ $(build "$tree/images/base/build" 2>&1) == *'vim: expected 1, found 2'* ]]
}
# the recipe in another clone, with one byte more
another_recipe() {
  cp -r "$tree/images" "$work/images"
  echo '# ' >> "$work/images/base/packages.txt"
  build "$work/images/base/build" --key
}
is_another() { [ -n "$1" ] && [ "$1" != "$key" ]; }

printf '# date 5\ngit 1 aa\nvim 1 bb\n' > "$work/lock"
printf '# date 6\ngit 1 aa\nvim 1 bb\n' > "$work/same"
printf '# date 6\ngit 1 cc\nvim 2 bb\n' > "$work/other"
differences() { lock_differences debian "$work/lock" "$work/$1"; }
names_both_versions() {
  [[ $(differences other) == *'expected vim 1 '*'found    vim 2 '* ]]
}
names_the_digests() { [[ $(differences other) == *'git 1 aa'*'git 1 cc'* ]]; }
finds_none() { [ -z "$(differences same)" ]; }
pins_each() { [ "$(pins "$work/lock" | grep -c '^Pin: version 1$')" = 2 ]; }

# One is open, one is of this hour; three may go.
mkdir -p "$work/kept"/{3f31,9c02,77aa,d41d,e5b1}
touch "$work/kept/3f31/file"
touch -d '3 hours ago' "$work/kept/"*
touch -d '2 hours ago' "$work/kept/d41d"
touch "$work/kept/e5b1"
exec 9< "$work/kept/3f31/file"
prunes_the_rest() {
  # shellcheck disable=SC2012 # the names are those above
  cache_prune 1 "$work/kept"/* &&
    [ "$(ls "$work/kept" | paste -sd ' ')" = '3f31 e5b1' ]
}
keeps_what_is_mounted() {
  mkdir -p "$work/kept/77ab" "$work/seen"
  touch -d '3 hours ago' "$work/kept/77ab"
  mount --bind "$work/kept/77ab" "$work/seen"
  cache_prune 1 "$work/kept"/*
  umount "$work/seen"
  [ -d "$work/kept/77ab" ]
}

refuse 'build: knows no other options' build "$tree/images/base/build" --fast
expect 'build: prints at once what is kept' prints_what_is_kept
expect 'build: gives a copy to who wants one' gives_a_copy
expect 'build: reports differences to the lock again' says_what_differs
expect 'build: takes no image of another recipe' is_another "$(another_recipe)"
expect 'cache: what is old and not in use goes' prunes_the_rest
expect 'cache: what a mount shows stays' keeps_what_is_mounted
expect 'lock: a package of another version is named, with both' \
  names_both_versions
expect 'lock: a package of another digest is named' names_the_digests
expect 'lock: its date alone makes no difference' finds_none
expect 'lock: each package is asked for in its version' pins_each
expect_end
