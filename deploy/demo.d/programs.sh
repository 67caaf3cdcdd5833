# The programs, each on its host, as its user, with the same privileges as
# in its systemd unit.

# program_command NAME: the command that starts it, in the host's namespaces. It
# ends with its nsenter, so that two never run.
program_command() {
  local user
  ! program_in_container "$1" || {
    container_command "$1"
    return
  }
  user=$(program_user "$1")
  if [ "$user" = root ]; then
    echo setpriv --pdeathsig KILL --inh-caps -all \
      --bounding-set -all,+setuid,+setgid,+kill,+chown
  else
    echo setpriv --pdeathsig KILL --reuid "$user" --regid "$user" --init-groups \
      --no-new-privs --inh-caps -all --bounding-set -all
  fi
  echo "/opt/carme/sbin/$1"
}

# program_start NAME: returns when its pid is known.
program_start() {
  local command
  read -r -d '' -a command < <(program_command "$1") || true
  program_become "$1" "${command[@]}" >> "$dir/log/$1.log" 2>&1 &
  running[$!]=$1
  rm -f "$dir/pids/$1"
  wait_for 60 program_note "$1" "$!" || true
}

# program_become NAME COMMAND…: this process becomes nsenter, whose only child
# is the program. LISTEN_PID must be the pid in the program's own namespace.
program_become() {
  local enter fds=0
  host_entrance "$dir" "$(program_host "$1")"
  [ "$1" != carme-proxy ] || fds=1
  close_descriptors $((3 + fds))
  shift
  exec "${enter[@]}" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
    LISTEN_FDS="$fds" sh -c \
    'cd / && umask 077 && LISTEN_PID=$$ exec "$@"' program "$@" < /dev/null
}

# program_note NAME PID-OF-NSENTER: records the program's pid, once the process
# has executed the program.
program_note() {
  local pid
  kill -0 "$2" 2> /dev/null || return 0 # it is over already
  if program_in_container "$1"; then
    pid=$(container_pid "$1") || return 1
  else
    pid=$(pgrep -P "$2" -f "^/opt/carme/") || return 1
  fi
  echo "$pid" > "$dir/pids/$1"
}

# program_successor NAME: the pid of the process that took over in a hot restart
# of the proxy. It is no child of this shell.
program_successor() {
  local host pid
  [ "$1" = carme-proxy ] || return
  host=$(awk '$1 == "dmz" { print $2 }' "$dir/hosts")
  for pid in $(pgrep -f "^/opt/carme/sbin/$1"); do
    [ "/proc/$pid/ns/pid" -ef "/proc/$host/ns/pid" ] || continue
    echo "$pid"
  done | tail -n 1 | grep .
}

# program_again PID: restarts the program that has ended; PID is that of its
# nsenter, or of the process that took over.
program_again() {
  local program=${running[$1]} successor
  unset "running[$1]"
  if successor=$(program_successor "$program"); then
    running[successor]=$program
    echo "$successor" > "$dir/pids/$program"
    json_write
    return
  fi
  echo "$program ended; starting it again"
  program_start "$program"
  echo $(($(cat "$dir/restarts/$program" 2> /dev/null || echo 0) + 1)) \
    > "$dir/restarts/$program"
  json_write
}

program_pid() { cat "$dir/pids/$1" 2> /dev/null; }

program_settled() {
  program_ready "$1" || ! kill -0 "$(program_pid "$1")"
}

# program_ready NAME: true if the program serves what the next one needs.
program_ready() {
  case $1 in
    carme-impersonator | carme-storage-reader)
      in_host "$dir" head test -S "/run/$1/socket"
      ;;
    carme-backend) listens dmz 10.77.0.1 9443 ;;
    carme-metrics) listens dmz 10.77.0.1 9446 ;;
    carme-frontend) listens dmz 127.0.0.1 8080 ;;
    carme-proxy) if further; then jobs_answer; else portal_answers; fi ;;
  esac
}

listens() { in_host "$dir" "$1" bash -c ": < /dev/tcp/$2/$3" 2> /dev/null; }

portal_answers() {
  curl --silent --fail --max-time 2 --cacert "$dir/ca.pem" --output /dev/null \
    --resolve "carme.localhost:$(cat "$dir/port"):127.0.0.1" \
    "$(portal_origin)/"
}

# Of a further cluster: its proxy answers at the host name of a job.
jobs_answer() {
  local host
  host=none.jobs-beta.carme.localhost
  curl --silent --max-time 2 --cacert "$(portal_dir)/ca.pem" \
    --output /dev/null --resolve "$host:$(cat "$dir/port"):127.0.0.1" \
    "https://$host:$(cat "$dir/port")/"
}

# programs_stop: sends SIGTERM to all and waits. The end of the namespace kills
# the rest.
programs_stop() {
  local program
  for program in $DEMO_PROGRAMS; do
    kill "$(program_pid "$program")" 2> /dev/null || true
  done
  wait_for 20 programs_gone || true
}

programs_gone() {
  local program
  for program in $DEMO_PROGRAMS; do
    ! kill -0 "$(program_pid "$program")" 2> /dev/null || return 1
  done
}
