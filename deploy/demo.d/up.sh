# deploy/demo up: eight steps, each told before it is taken.

. "$here/demo.d/progress.sh"
. "$here/demo.d/build.sh"
. "$here/demo.d/enrol.sh"

step() {
  step_number=$((${step_number:-0} + 1))
  echo "[$step_number/8] $*"
}

demo_up() {
  ! demo_running || {
    echo 'The demo runs already.'
    demo_greet
    return
  }
  demo_prepare
  step 'packages'
  "$here/install-packages" build demo images
  images_get
  build_carme
  step "starting the private cluster: head, dmz, n1, n2"
  trap demo_failed EXIT
  trap 'exit 130' INT TERM HUP
  supervisor_start
  supervisor_reaches 600 cluster
  step 'starting Carme: impersonator, backend, frontend, proxy'
  supervisor_reaches 600 programs
  step 'enrolling ada, bob and carol'
  enrol_all
  json_write
  trap - EXIT INT TERM HUP
  demo_greet
}

# Nothing of an earlier demo may be left that was killed, not stopped.
demo_prepare() {
  as_caller mkdir -p "$root/build"
  . "$here/demo.d/down.sh"
  demo_clear
  mkdir -p "$dir"/{log,pids,restarts,opt}
  rm -f "$dir"/log/*
}

# What jobs run in and what runs it, kept outside the clone; the cluster's hosts
# have no way to the internet.
images_get() {
  local built
  step 'the image for jobs (the first time about 6 minutes)'
  DEMO_APPTAINER=$("$root/images/apptainer/get" 2> "$dir/log/image.log") &&
    built=$("$root/images/base/build" 2>> "$dir/log/image.log") || {
    tail -n 12 "$dir/log/image.log" >&2
    fail "the image for jobs was not made; see $dir/log/image.log"
  }
  DEMO_IMAGE=$(dirname "$(awk '/base.sif$/ { print $2 }' <<< "$built")")
  DEMO_IMAGE_SHA256=$(awk '/base.sif$/ { print $1 }' <<< "$built")
  export DEMO_APPTAINER DEMO_IMAGE DEMO_IMAGE_SHA256
}

supervisor_start() {
  setsid "$build/deploy/open_socket" 127.0.0.1 "${CARME_DEMO_PORT:-8443}" \
    "$here/demo.d/supervisor" "$dir" "$dir/opt" \
    < /dev/null > "$dir/log/supervisor.log" 2>&1 &
  supervisor=$!
}

# supervisor_reaches SECONDS STATE: until it is past that state.
supervisor_reaches() {
  wait_for "$1" supervisor_past "$2" && ! supervisor_failed ||
    fail "$(sed -n 's/^failed: //p' "$dir/state" 2> /dev/null | grep . ||
      echo "the supervisor did not get past \"$2\" in $1 s")"
}

supervisor_past() {
  local state
  state=$(cat "$dir/state") || ! kill -0 "$supervisor"
  [ -n "$state" ] && [ "$state" != "$1" ] || ! kill -0 "$supervisor"
}

supervisor_failed() {
  ! kill -0 "$supervisor" || grep -q ^failed "$dir/state"
}

# The end of what knows more, then nothing is left but the logs.
demo_failed() {
  local log
  for log in "$dir"/log/{supervisor,cluster,carme-*}.log; do
    [ -s "$log" ] || continue
    echo "--- $log" >&2
    tail -n 12 "$log" >&2
  done
  . "$here/demo.d/down.sh"
  demo_clear
  echo "demo: did not start; the logs are in $dir/log" >&2
}

# What a person needs now; the last line is for programs.
demo_greet() {
  cat << END

Log in at $(portal_origin)/ as one of

$(jq -r '.users[] | [.name, .password, .totp_secret, .role] | @tsv' \
    "$dir/demo.json" | awk -F '\t' '
      BEGIN { printf "  %-6s %-22s %-34s %s\n", "user", "password",
        "second factor (TOTP secret)", "role" }
      { printf "  %-6s %-22s %-34s %s\n", $1, $2, $3, $4 }')

A code now:          deploy/demo code ada
The browser warns until it trusts $dir/ca.pem
From another machine: ssh -L $(cat "$dir/port"):127.0.0.1:$(cat "$dir/port") …
Parts and firewall:  deploy/demo status
On a host:           deploy/demo exec --host head squeue
Stop:                deploy/demo down

READY $(portal_origin)/
END
}
