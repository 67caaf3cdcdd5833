# carme-proxy beside nginx (with and without auth_request), haproxy, Apache's
# mod_proxy and configurable-http-proxy, in a network and with processes of
# their own. Sourced by run. WINDOW_S (3), ROUNDS (3) and SUBJECTS make it
# longer, shorter or smaller. Of latency there are 15 windows of a second: where
# the machine stalls for some ms, that window's p99 is not the subject's.

# alone_run PART: one benchmark; all of them without a name.
alone_run() {
  local part window rounds
  local parts=(requests handshakes bulk latency memory echo routes)
  [ -z "$1" ] || {
    [[ " ${parts[*]} " == *" $1 "* ]] ||
      fail "benchmark \"$1\" of proxy: expected one of: ${parts[*]}" || exit 2
    parts=("$1")
  }
  {
    deploy/install-packages build test bench
    (cd tests/bench/proxy &&
      as_caller npm ci --ignore-scripts --no-audit --no-fund < /dev/null)
    tests_configure -DCARME_BENCHMARKS=ON
    tests_compile proxy_bench
  } >&2
  for part in "${parts[@]}"; do
    echo "== proxy-$part" >&2
    window=3 rounds=3
    [ "$part" != latency ] || { window=1 rounds=15; }
    # With its first process all that it started is gone, however it ends.
    WINDOW_S=${WINDOW_S:-$window} ROUNDS=${ROUNDS:-$rounds} \
      unshare --net --pid --fork --kill-child --mount-proc sh -c \
      'ip link set lo up && exec "$0" "$1"' \
      "$build/tests/bench/proxy/proxy_bench" "$part"
  done
}
