#!/usr/bin/env bash
# containers_as_user.sh DIR: the part of containers_test.sh that is rootless.
# DIR/images has the archives.
set -uo pipefail
dir=$1
here=$(dirname "$(realpath "$0")")
# shellcheck disable=SC2034 # these namespaces are as private as a cluster
CARME_TEST_CLUSTER=1
. "$here/../expect.sh"
. "$here/../../../deploy/cluster.d/report.sh"
config=$HOME/config
proxy_image=$(basename "$dir"/images/carme-proxy_*.oci.tar)
tag=${proxy_image#carme-proxy_}
tag=${tag%_*}

# The sockets outlive the containers, as those of carme-proxy-port.socket.
[ "${2:-}" = with-sockets ] ||
  exec "$here/hold_sockets.py" 8443 9480 "$0" "$dir" with-sockets

# run_options NAME: those of deploy/containers/systemd, but for control groups,
# and the keys are this user's.
run_options() {
  local id=64102 state=()
  [[ $1 != carme-proxy* ]] || {
    id=64103
    state=(--volume carme-proxy-state:/var/lib/carme-proxy)
  }
  options=(--pull never --network host --read-only --read-only-tmpfs=false
    --cap-drop all --security-opt no-new-privileges --umask 0077
    --cgroups disabled --ulimit core=0:0
    --userns "keep-id:uid=$id,gid=$id" --volume "$config:/etc/carme:ro"
    "${state[@]}")
}

# start NAME IMAGE ARGUMENT…: with the sockets, if it is the proxy.
start() {
  local name=$1 image=$2 sockets=0 health
  shift 2
  run_options "$name"
  health=/usr/sbin/${image%:*}
  [[ $name != carme-proxy* ]] || sockets=2
  # shellcheck disable=SC2016 # of the shell that becomes podman
  LISTEN_FDS=$sockets sh -c 'LISTEN_PID=$$ exec podman run "$@"' podman \
    --name "$name" --detach "${options[@]}" \
    --health-cmd "[\"$health\",\"--health-check\"]" --health-interval disable \
    "localhost/$image" "$@" > /dev/null
}

# run_once IMAGE ARGUMENT…: a container that ends by itself.
run_once() {
  local image=$1
  shift
  run_options "${image%:*}"
  podman run --rm "${options[@]}" "localhost/$image" "$@" 2>&1
}

healthy() { podman healthcheck run "$1" > /dev/null 2>&1; }
ended_with() {
  [ "$(podman inspect --format '{{.State.Status}} {{.State.ExitCode}}' "$1")" = \
    "exited $2" ]
}
ends_with() { wait_for 60 ended_with "$@"; }
fetch() {
  curl --silent --show-error --fail --max-time 60 --cacert "$config/public.pem" \
    --resolve portal.test:8443:127.0.0.1 "https://portal.test:8443$1"
}
first_process() { podman inspect --format '{{.State.Pid}}' "$1"; }
status_of() { sed -n "s/^$2:[[:space:]]*//p" "/proc/$(first_process "$1")/status"; }

certificate() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
    -days 2 -subj "/CN=$1" -addext 'subjectAltName=DNS:portal.test' \
    -keyout "$config/$1.key" -out "$config/$1.pem" 2> /dev/null
}

configure() {
  mkdir -p "$config"
  certificate public
  certificate site
  local backend
  backend='[backend]
address = "127.0.0.1:9"
server_name = "carme-backend"
ca = "/etc/carme/site.pem"
certificate = "/etc/carme/site.pem"
key = "/etc/carme/site.key"'
  cat > "$config/proxy.toml" << END
portal_host = "portal.test:8443"
jobs_domain = "jobs.other.test:8443"
metrics_listen = "127.0.0.1:9480"
state_directory = "/var/lib/carme-proxy"
certificate = "/etc/carme/public.pem"
key = "/etc/carme/public.key"
[frontend]
address = "127.0.0.1:8081"
$backend
[limits]
drain_timeout_s = 600
END
  cat > "$config/frontend.toml" << END
listen = "127.0.0.1:8080"
metrics_listen = "127.0.0.1:9481"
portal = "https://portal.test:8443"
web_root = "/usr/share/carme/web"
$backend
END
}

load() {
  local image
  for image in "$dir"/images/*.oci.tar; do
    podman load --quiet --input "$image" || return 1
  done
  podman tag "localhost/carme-proxy:$tag" localhost/carme-proxy:next
}

expect 'images: podman loads both' load

# Without a configuration.
refuses_without() { [[ $(run_once "$1:$tag") == *"/etc/carme/$2.toml"* ]]; }
mkdir -p "$config"
expect 'carme-proxy: names the configuration that is missing' \
  refuses_without carme-proxy proxy
expect 'carme-frontend: names the configuration that is missing' \
  refuses_without carme-frontend frontend
refuse 'carme-proxy: has no shell' \
  podman run --rm --cgroups disabled --network none \
  --entrypoint /bin/sh "localhost/carme-proxy:$tag" -c true
configure
for name in proxy frontend; do
  expect "carme-$name: accepts its configuration" \
    run_once "carme-$name:$tag" --check-config
done

# The frontend.
# The proxies have one socket for health, so that the other one might answer.
starts() {
  start "$@" && wait_for 60 log_has "$1" ' serving ' && wait_for 60 healthy "$1"
}
log_has() { podman logs "$1" 2>&1 | grep -q "$2"; }
serves_web() {
  curl --silent --fail --max-time 20 --header 'Host: portal.test:8443' \
    --header 'x-carme-escape-probe: %' --header 'X-Forwarded-For: 192.0.2.1' http://127.0.0.1:8080/ |
    grep -q '<html'
}
expect 'carme-frontend: starts and becomes healthy' \
  starts carme-frontend "carme-frontend:$tag"
expect 'carme-frontend: serves the web application' serves_web
keeps_running() {
  podman kill --signal HUP carme-frontend && serves_web
}
expect 'carme-frontend: SIGHUP does not end it' keeps_running
expect 'carme-frontend: stops with SIGTERM' \
  podman stop --time 60 carme-frontend
expect 'carme-frontend: which is an ordered end' ends_with carme-frontend 0

# The proxy.
"$here/fake_frontend.py" 8081 "$HOME" 3>&- 4>&- &
expect 'carme-proxy: starts with the sockets, and becomes healthy' \
  starts carme-proxy-1 "carme-proxy:$tag"
expect 'carme-proxy: serves the portal' fetch /
has_no_rights() {
  local set
  for set in CapInh CapPrm CapEff CapBnd CapAmb; do
    [ "$(status_of carme-proxy-1 "$set")" = 0000000000000000 ] || return 1
  done
  [ "$(status_of carme-proxy-1 NoNewPrivs)" = 1 ] &&
    [ "$(status_of carme-proxy-1 Uid | cut -f 1)" != 0 ]
}
expect 'carme-proxy: has no capability, and cannot get one' has_no_rights
root_is_read_only() {
  awk '$5 == "/" { print $6 }' "/proc/$(first_process carme-proxy-1)/mountinfo" |
    grep -qE '^ro(,|$)'
}
expect 'carme-proxy: has a read-only root' root_is_read_only
unhealthy_if_stopped() {
  local status=0
  podman kill --signal STOP carme-proxy-1 && fails healthy carme-proxy-1 ||
    status=1
  podman kill --signal CONT carme-proxy-1 && return "$status"
}
expect 'carme-proxy: is unhealthy if it does not respond' unhealthy_if_stopped
expect 'carme-proxy: and healthy again' wait_for 60 healthy carme-proxy-1
served_serial() {
  openssl s_client -connect 127.0.0.1:8443 -servername portal.test \
    < /dev/null 2> /dev/null | openssl x509 -noout -serial
}
reloads() {
  certificate public && podman kill --signal HUP carme-proxy-1 || return 1
  local new
  new=$(openssl x509 -noout -serial -in "$config/public.pem")
  wait_for 60 serves_serial "$new"
}
serves_serial() { [ "$(served_serial)" = "$1" ]; }
expect 'carme-proxy: SIGHUP reloads the certificate' reloads
still_there() {
  podman kill --signal USR2 carme-proxy-1 &&
    wait_for 60 log_has carme-proxy-1 'replace the container instead' && fetch /
}
expect 'carme-proxy: refuses a hot restart within the container' still_there

# Replaced while a response is under way and new requests arrive.
fetch /held > "$HOME/download" &
download=$!
while [ ! -e "$HOME/newcomers.end" ]; do
  { fetch / > /dev/null; } 2>&1 && echo ok || echo "refused: $?, $(date +%T.%N)"
done > "$HOME/newcomers" 3>&- 4>&- &
newcomers=$!
expect 'replacement: the first container serves a download' \
  wait_for 60 test -e "$HOME/held"
expect 'replacement: a new container starts with the same sockets and state' \
  starts carme-proxy-2 carme-proxy:next
hands_over() {
  podman kill --signal USR1 carme-proxy-1 &&
    wait_for 60 log_has carme-proxy-1 'another process took over'
}
expect 'replacement: the first container hands over' hands_over
expect 'replacement: and still serves the download' kill -0 "$download"
more_newcomers() {
  local before
  before=$(wc -l < "$HOME/newcomers")
  wait_for 60 newcomers_reach $((before + 5))
}
newcomers_reach() { [ "$(wc -l < "$HOME/newcomers")" -ge "$1" ]; }
expect 'replacement: the second container serves new clients' more_newcomers
touch "$HOME/release"
complete() {
  wait "$download" && [ "$(stat -c %s "$HOME/download")" = 1048576 ]
}
expect_here() { # in this shell, which has the children
  if "${@:2}"; then echo "ok: $1"; else
    echo "NOT: $1"
    broken=1
  fi
}
expect_here 'replacement: the download is complete' complete
expect 'replacement: then the first container ends in order' \
  ends_with carme-proxy-1 0
touch "$HOME/newcomers.end"
wait "$newcomers"
refuse 'replacement: no client was refused' grep refused "$HOME/newcomers"

# SIGTERM, with a response under way.
rm "$HOME/held" "$HOME/release"
fetch /held > "$HOME/download" &
download=$!
expect 'carme-proxy: serves another download' wait_for 60 test -e "$HOME/held"
expect 'carme-proxy: takes SIGTERM' podman kill --signal TERM carme-proxy-2
touch "$HOME/release"
expect_here 'carme-proxy: finishes the download' complete
expect 'carme-proxy: and ends in order' ends_with carme-proxy-2 0

converts() {
  # Unpacked: this machine may have no /dev/fuse for users.
  "$CARME_APPTAINER" --silent build "$HOME/$1.sif" \
    "oci-archive:$(echo "$dir/images/$1"_*.oci.tar)" &&
    "$CARME_APPTAINER" --silent exec --unsquash "$HOME/$1.sif" \
      "/usr/sbin/$1" --version | grep -q "^$1 "
}
if [ -n "$CARME_APPTAINER" ]; then
  for name in carme-proxy carme-frontend; do
    expect "$name: runs from a SIF" converts "$name"
  done
fi

[ "$broken" = 0 ] || for name in carme-proxy-1 carme-proxy-2 carme-frontend; do
  podman logs "$name" 2>&1 | sed "s/^/$name: /"
done
podman rm --all --force > /dev/null 2>&1
expect_end
