# Functions for the messages and waits of scripts.

fail() {
  echo "${0##*/}: $*" >&2
  return 1
}

# wait_for SECONDS COMMAND…: true as soon as the command is.
wait_for() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    [ "$SECONDS" -lt "$deadline" ] || return 1
    sleep 0.02
  done
}

# port_open HOST PORT: true if a TCP connection is accepted there.
port_open() { (: < "/dev/tcp/$1/$2") 2> /dev/null; }

# close_descriptors FIRST: closes the inherited descriptors from FIRST on. 255
# is where bash reads its script.
close_descriptors() {
  local path fd
  for path in "/proc/$BASHPID/fd"/*; do
    fd=${path##*/}
    [ "$fd" -lt "$1" ] || [ "$fd" = 255 ] || exec {fd}>&-
  done
}
