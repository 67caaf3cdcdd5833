# The image for jobs and the program that runs it, kept outside the clone. The
# cluster's hosts cannot reach the internet. An image that is not built yet is
# built in the background after READY.

# image_dir: where the image of this demo is built, with base.status. Every
# directory above belongs to root, as environments of `srun` require.
image_dir() (
  . "$root/images/cache.sh"
  echo "$cache/images/demo/$(sha256sum <<< "$dir" | cut -c 1-16)"
)

# apptainer_begin: fetches Apptainer beside the steps that follow.
apptainer_begin() {
  "$root/images/apptainer/get" > "$dir/apptainer" 2> "$dir/log/apptainer.log" &
  apptainer=$!
}

# images_get: exports what the supervisor needs.
images_get() {
  step 'Apptainer and the image for jobs'
  wait "$apptainer" || {
    step_output
    tail -n 12 "$dir/log/apptainer.log" >&2
    fail "Apptainer was not installed; see $dir/log/apptainer.log"
  }
  DEMO_APPTAINER=$(cat "$dir/apptainer")
  DEMO_IMAGE=$(image_built) || DEMO_IMAGE=
  DEMO_IMAGE_SHA256=
  if [ -n "$DEMO_IMAGE" ]; then
    DEMO_IMAGE_SHA256=$(awk '/base.sif$/ { print $1 }' "$DEMO_IMAGE/SHA256SUMS")
  else
    DEMO_IMAGE=$(image_dir)
    mkdir -p "$DEMO_IMAGE"
    printf '%s\n' state=building 'message=starting' \
      "updated_at=$EPOCHSECONDS" > "$DEMO_IMAGE/base.status"
  fi
  export DEMO_APPTAINER DEMO_IMAGE DEMO_IMAGE_SHA256
}

# image_built: the directory of the image, if it is built.
image_built() (
  . "$root/images/cache.sh"
  key=$("$root/images/base/build" --key) && [ -n "$key" ] || exit 1
  built=$cache/images/base/$key
  [ -d "$built" ] && touch "$built" && echo "$built"
)

# image_build_start: builds the image in a session of its own, which outlives
# this shell and ends with the demo.
image_build_start() {
  [ -z "$DEMO_IMAGE_SHA256" ] || return 0
  setsid nice -n 19 "$root/images/build_with_status" \
    "$DEMO_IMAGE/base.status" "$DEMO_IMAGE" "$dir/log/image.log" \
    < /dev/null > /dev/null 2>&1 &
  echo $! > "$dir/image.pid"
}

image_build_runs() {
  local pid
  pid=$(cat "$dir/image.pid" 2> /dev/null) &&
    grep -q images/build_with_status "/proc/$pid/cmdline" 2> /dev/null
}

image_build_gone() { ! image_build_runs; }

# The next build removes remaining files.
image_build_stop() {
  local pid
  if image_build_runs; then
    pid=$(cat "$dir/image.pid")
    kill "$pid" || true
    wait_for 60 image_build_gone || pkill -KILL -s "$pid" || true
  fi
  rm -rf "$(image_dir)"
}

# image_line: the state of the image for jobs, for people.
image_line() {
  local key value state step steps message percent status
  status=$(image_dir)/base.status
  [ -e "$status" ] || { echo built; return; }
  while IFS='=' read -r key value; do
    case $key in
      state | step | steps | message | percent) printf -v "$key" %s "$value" ;;
    esac
  done < "$status"
  case $state in
    ready) echo built ;;
    failed) echo "failed: $message; see $dir/log/image.log" ;;
    *) echo "being built, step ${step:-1} of ${steps:-3}: $message${percent:+, $percent %}" ;;
  esac
}

image_greeting() {
  [ "$(image_line)" != built ] || return 0
  printf '%s\n' "Image for jobs:      $(image_line)" \
    "                     Until it is built, jobs start without an image." \
    "                     Log: $dir/log/image.log" ''
}
