# The suites of tests/run, and how they are counted.

title() { echo "== $*"; }

# Ends the run, and keeps the log that it names.
build_broke() {
  kept=1
  build_failed "$work/build.log"
}

# tests_configure [OPTION…]: configures $build, with options of cmake. The graph
# of the targets is for tests/lint/check_includes.
tests_configure() {
  title "building in $build"
  as_caller cmake --preset test -B "$build" --graphviz="$build/targets.dot" \
    -DCARME_BENCHMARKS=OFF "$@" > "$work/build.log" 2>&1 || build_broke
}

# tests_compile TARGET…: builds them, or everything.
tests_compile() {
  as_caller cmake --build "$build" --parallel "$(build_jobs)" \
    ${1:+--target "$@"} 2>&1 |
    tee "$work/build.log" | progress_of_ninja || build_broke
}

# Builds everything and installs it into $work/opt, where the cluster's hosts
# see it at /opt/carme.
tests_build() {
  tests_compile
  cmake --install "$build" --prefix "$work/opt" > "$work/install.log" 2>&1 ||
    build_failed "$work/install.log"
}

# What the tests of images need, fetched or built before a cluster without a
# way to the internet runs them. The cluster's people see the folders.
images_get() {
  title 'images'
  CARME_APPTAINER=$(images/apptainer/get)
  CARME_BASE_IMAGE=$(images/base/build | sed -n 's|.*  \(.*\)/base.sif$|\1|p')
  export CARME_APPTAINER CARME_BASE_IMAGE
  images_shown=(--show "$(dirname "$(dirname "$CARME_APPTAINER")")"
    --show "$CARME_BASE_IMAGE")
}

# suite LABEL: the tests that ctest has under it.
suite() {
  title "$1"
  touch "$work/$1.begun"
  case $1 in
    unit | packages | containers | guide) plain_suite "$1" ;;
    # The others, which wait for events, go first.
    lint) plain_suite lint nice ;;
    *) cluster_suite "$1" ;;
  esac
}

# plain_suite LABEL [COMMAND]: tests that need neither a cluster nor the demo.
# COMMAND runs ctest.
plain_suite() {
  ${2:-} ctest --test-dir "$build" -L "^$1\$" --output-on-failure \
    --no-tests=error --parallel "$(nproc)" --output-junit "$work/$1.xml" \
    < /dev/null || true
}

# cluster_suite LABEL: in one private cluster; tests of the cluster itself one
# after the other (cmake/tests.cmake), the others beside them.
cluster_suite() {
  local shown=()
  [ "$1" != accounting ] || shown=(--accounting)
  [ "$1" != root ] || shown=("${images_shown[@]}")
  if ctest --test-dir "$build" -L "^$1\$" -N | grep -q 'Total Tests: 0'; then
    rm "$work/$1.begun"
  else
    deploy/cluster --prefix "$work/opt" --show "$build" "${shown[@]}" \
      "$work/cluster-$1" -- \
      ctest --test-dir "$build" -L "^$1\$" --output-on-failure --parallel 2 \
      --output-junit "$work/$1.xml" < /dev/null || true
  fi
}

# suites LABEL…: one after the other.
suites() {
  for label; do
    suite "$label"
  done
}

# suites_beside LABEL…: the same in the background, beside what uses the demo,
# which takes longer. suites_count waits for them and prints their output.
suites_beside() {
  suites "$@" > "$work/suites.log" 2>&1 &
  suites_pid=$!
}

# suites_count LABEL…: counts what suites or suites_beside ran.
suites_count() {
  if [ -n "${suites_pid:-}" ]; then
    wait "$suites_pid" || true
    suites_pid=
    cat "$work/suites.log"
  fi
  for label; do
    [ ! -e "$work/$label.begun" ] || count_junit "$work/$label.xml" "$label"
  done
}

demo_start() {
  title 'starting the demo'
  CARME_DEMO_BUILD_DIR=$build CARME_DEMO_PENDING_IMAGE=1 deploy/demo up < /dev/null > "$work/up.log" &&
    tail -n 1 "$work/up.log" || {
    echo 'run: the demo did not start' >&2
    count 0 1 0
    return 1
  }
}

# Also after a change of the packages.
node_modules_get() {
  [ tests/e2e/node_modules/.package-lock.json -nt \
    tests/e2e/package-lock.json ] ||
    (cd tests/e2e && as_caller npm ci --no-audit --no-fund < /dev/null)
}

# node_suite NAME: the files tests/NAME/*.test.mjs, against the demo.
node_suite() {
  local files
  title "$1, against the demo"
  files=("tests/$1"/*.test.mjs)
  [ -e "${files[0]}" ] || return 0
  node_modules_get
  CARME_DEMO_JSON=$CARME_DEMO_DIR/demo.json node --test \
    --test-concurrency=1 \
    --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=tap --test-reporter-destination="$work/$1.tap" \
    "${files[@]}" < /dev/null || true
  count_tap "$work/$1.tap" "$1"
}

# tests/upgrade, with the packages in CARME_UPGRADE_FROM.
upgrade_suite() {
  title 'upgrade, in a demo of its own'
  [ -n "${CARME_UPGRADE_FROM:-}" ] || {
    echo 'run: skipped: CARME_UPGRADE_FROM names no folder with the packages of' \
      'the last release; tests/upgrade/run says how to make them'
    count 0 0 1
    return
  }
  node_modules_get
  CARME_DEMO_BUILD_DIR=$build CARME_DEMO_DIR=$work/demo-upgrade \
    CARME_UPGRADE_TAP=$work/upgrade.tap \
    tests/upgrade/run --old "$CARME_UPGRADE_FROM" --new "$work/opt" || true
  count_tap "$work/upgrade.tap" upgrade
}

# tests/clusters, in a demo with two clusters.
clusters_suite() {
  title 'two clusters, in a demo of its own'
  node_modules_get
  CARME_DEMO_BUILD_DIR=$build CARME_DEMO_DIR=$work/demo-clusters \
    CARME_CLUSTERS_TAP=$work/clusters.tap tests/clusters/run || true
  count_tap "$work/clusters.tap" clusters
}

# own_demo_suite NAME: tests/NAME in a demo of its own: tests/doctor breaks parts
# that other tests need, tests/accessibility fills it.
own_demo_suite() {
  local -x CARME_DEMO_DIR=$work/demo-$1
  if CARME_DEMO_BUILD_DIR=$build deploy/demo up < /dev/null > "$work/up-$1.log"; then
    node_suite "$1"
  else
    echo "run: the demo for $1 did not start" >&2
    count 0 1 0
  fi
  deploy/demo down > /dev/null || true
}

# Stops the demo and looks for what it left. The names are the demo's own, so
# that other clusters on the machine do not matter.
leftovers_suite() {
  local group left
  title 'the demo leaves nothing'
  group=$(cat "$CARME_DEMO_DIR/cgroup")
  deploy/demo down > /dev/null || true
  left=$(
    grep -l "$CARME_DEMO_DIR" /proc/[0-9]*/mountinfo
    find /sys/fs/cgroup -name "$group"
    find /dev -name 'carmegpu*'
    find "$CARME_DEMO_DIR" -mindepth 1 -maxdepth 1 ! -name log
    ip -o link | grep -wE 'head|dmz|n1|n2' || true
  ) 2> /dev/null
  if [ -z "$left" ]; then
    count 1 0 0
  else
    printf 'run: demo down left:\n%s\n' "$left" >&2
    count 0 1 0
  fi
}

# Keeps the logs of a failed run.
logs_keep() {
  [ "$failed" != 0 ] || return 0
  kept=1
  deploy/demo down > /dev/null || true
  echo "the logs of what failed are in $work" >&2
}

suites_end() {
  if [ -n "${suites_pid:-}" ]; then
    # shellcheck disable=SC2046 # a list
    kill "$suites_pid" $(pgrep -P "$suites_pid") || true
  fi
  deploy/demo down > /dev/null || true
  [ -n "${kept:-}" ] || rm -rf "$work"
}
