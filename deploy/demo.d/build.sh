# Builds Carme, or uses a given build, and installs it for the demo.

# Clones in different places share the compiler cache.
export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1

# as_caller COMMAND…: runs it as the user that called sudo, who then owns the
# files that a build writes to the tree and the caches.
as_caller() {
  if [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]; then
    runuser -u "$SUDO_USER" -- env \
      HOME="$(getent passwd "$SUDO_USER" | cut -d: -f6)" "$@"
  else
    "$@"
  fi
}

# The compiler takes about 1 GiB a process with gRPC's headers.
build_jobs() {
  awk -v cores="$(nproc)" '/^MemAvailable/ { fit = int($2 / 1048576)
    if (fit < 1) fit = 1
    print fit < cores ? fit : cores }' /proc/meminfo
}

# build_carme: sets $build; steps 2 to 4.
build_carme() {
  local log=$dir/log/build.log
  build=${CARME_DEMO_BUILD_DIR:-$root/build/release}
  if [ -n "${CARME_DEMO_BUILD_DIR:-}" ]; then
    step "configured already: $build"
    step 'built already'
  else
    step 'configuring'
    (cd "$root" && as_caller cmake --preset release) > "$log" 2>&1 ||
      build_failed "$log"
    step "building$([ -e "$build/backend/carme-backend" ] || echo \
      ' (about 6 minutes on two cores the first time)')"
    step_output
    (cd "$root" && as_caller cmake --build --preset release \
      --parallel "$(build_jobs)" \
      ${CARME_DEMO_PACKAGES:+--target open_socket}) 2>&1 |
      tee "$log" | progress_of_ninja || build_failed "$log"
  fi
  step 'installing for the demo'
  if [ -n "${CARME_DEMO_PACKAGES:-}" ]; then
    "$here/demo.d/unpack_packages" "$CARME_DEMO_PACKAGES" "$dir/opt" \
      > "$dir/log/install.log" 2>&1 || build_failed "$dir/log/install.log"
    return
  fi
  cmake --install "$build" --prefix "$dir/opt" > "$dir/log/install.log" 2>&1 ||
    build_failed "$dir/log/install.log"
  rm -f "$build/install_manifest.txt" # root's, in a directory of the caller's
}

build_failed() {
  step_output
  grep -m 1 -A 12 -E '(error|FAILED|fatal):' "$1" >&2 || tail -n 12 "$1" >&2
  fail "the build failed; all of it is in $1"
  exit 1
}
