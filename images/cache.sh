# The cache of downloads and builds, outside the clone, keyed by the digest of
# the inputs.

cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/carme

fail() {
  echo "${0##*/}: $*" >&2
  return 1
}

# cache_lock NAME: until this process ends no other process creates NAME.
cache_lock() {
  mkdir -p "$cache/$1"
  exec {lock}> "$cache/$1/lock"
  flock "$lock"
}

# digest_of FILE…: one digest of their names and contents.
digest_of() { sha256sum "$@" | sha256sum | cut -c 1-16; }

# in_use DIR: whether a mount uses it, a program in it runs, or a file in it is
# open, as far as the caller can see. Its last name must be unique. The exit
# status of `find` is ignored, because processes end during the search.
in_use() {
  local name=${1##*/}
  grep -qsE "/${name}[ /]" /proc/[0-9]*/mountinfo ||
    [ -n "$(find /proc/[0-9]*/fd /proc/[0-9]*/exe -lname "*/$name/*" \
      2> /dev/null)" ]
}

# cache_prune KEEP DIR…: removes all but the KEEP that were used last, those of
# the last hour, and those in use.
cache_prune() {
  local keep=$1 old
  shift
  # shellcheck disable=SC2012 # names that our scripts made, newest first
  ls -dt "$@" | tail -n +$((keep + 1)) | while read -r old; do
    if [ -n "$(find "$old" -maxdepth 0 -mmin +60)" ] && ! in_use "$old"; then
      rm -rf "$old"
    fi
  done
}
