# What was fetched and built is kept outside the clone, by the digest of what
# it was made from.

cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/carme

fail() {
  echo "${0##*/}: $*" >&2
  return 1
}

# cache_lock NAME: until this process ends nobody else makes NAME.
cache_lock() {
  mkdir -p "$cache/$1"
  exec {lock}> "$cache/$1/lock"
  flock "$lock"
}

# digest_of FILE…: one digest of their names and contents.
digest_of() { sha256sum "$@" | sha256sum | cut -c 1-16; }
