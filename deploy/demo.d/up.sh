# deploy/demo up: eight steps, each with the time that it took.

. "$here/demo.d/progress.sh"
. "$here/demo.d/build.sh"
. "$here/demo.d/image.sh"
. "$here/demo.d/enrol.sh"

demo_up() {
  ! demo_running || {
    echo 'The demo runs already.'
    demo_greet
    return
  }
  demo_prepare
  ! two_clusters || step_total=9
  ! further || step_total=7
  step 'packages'
  step_output
  "$here/install-packages" build demo images \
    ${CARME_DEMO_ACCOUNTING:+accounting} \
    ${CARME_DEMO_DMZ:+containers packages}
  apptainer_begin
  build_carme
  ! dmz_in_containers || images_make
  images_get
  step "starting the private cluster: head, dmz, n1, n2"
  trap demo_failed EXIT
  trap 'exit 130' INT TERM HUP
  supervisor_start
  supervisor_reaches 600 cluster
  step 'starting Carme: impersonator, storage reader, backend, frontend, proxy'
  supervisor_reaches 600 programs
  if ! further; then
    step 'enrolling ada, bob and carol'
    enrol_all
  fi
  json_write
  if two_clusters; then
    step 'starting the cluster beta'
    further_up
  fi
  step_end
  image_build_start
  trap - EXIT INT TERM HUP
  demo_greet
}

# Removes what remains of an earlier demo that was killed.
demo_prepare() {
  as_caller mkdir -p "$root/build"
  . "$here/demo.d/down.sh"
  demo_clear
  mkdir -p "$dir"/{log,pids,restarts,opt}
  rm -f "$dir"/log/*
  [ -z "${CARME_DEMO_IDENTITY:-}" ] || echo "$CARME_DEMO_IDENTITY" > "$dir/identity"
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

# Prints the end of the relevant log, then removes all files but the logs.
demo_failed() {
  local log
  step_output
  for log in "$dir"/log/{supervisor,cluster,carme-*}.log; do
    [ -s "$log" ] || continue
    echo "--- $log" >&2
    tail -n 12 "$log" >&2
  done
  . "$here/demo.d/down.sh"
  demo_clear
  echo "demo: did not start; the logs are in $dir/log" >&2
}

# The information for the user; the last line is for programs.
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
$(image_greeting)
READY $(portal_origin)/
END
}
