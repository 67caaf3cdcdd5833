# How many tests passed, failed and were skipped, over all suites.

passed=0 failed=0 skipped=0

# count PASSED FAILED SKIPPED
count() {
  passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

# count_junit FILE SUITE: a file that ctest wrote; none is a failure, because
# then the runner itself broke.
count_junit() {
  local tests bad skips
  [ -s "$1" ] || {
    echo "run: $2 left no result" >&2
    count 0 1 0
    return
  }
  tests=$(grep -c '<testcase ' "$1" || true)
  bad=$(grep -cE '<failure|<error' "$1" || true)
  skips=$(grep -c '<skipped' "$1" || true)
  sed -n 's/.*<testcase name="\([^"]*\)".* time="\([0-9.]*\)".*/\2 '"$2"' \1/p' \
    "$1" >> "$work/times"
  count $((tests - bad - skips)) "$bad" "$skips"
}

# count_tap FILE SUITE: the summary that node --test ends with.
count_tap() {
  local pass='' fail='' skip=0
  [ ! -s "$1" ] || {
    pass=$(tap_number pass "$1") fail=$(tap_number fail "$1")
    skip=$(($(tap_number skipped "$1") + $(tap_number todo "$1")))
  }
  [ -n "$pass" ] && [ -n "$fail" ] || {
    echo "run: $2 left no result" >&2
    count 0 1 0
    return
  }
  count "$pass" "$fail" "$skip"
  awk -v suite="$2" '/^(not )?ok [0-9]+ - / { sub(/^(not )?ok [0-9]+ - /, "")
    name = $0 }
    /^  duration_ms: / { print $2 / 1000, suite, name }' "$1" >> "$work/times"
}

tap_number() { sed -n "s/^# $1 \([0-9][0-9]*\)\$/\1/p" "$2" | tail -n 1; }

# The ten slowest tests of all suites.
slowest_print() {
  [ -s "$work/times" ] || return 0
  echo 'the slowest:'
  sort -rn "$work/times" | awk 'NR <= 10 { seconds = $1; sub(/^[^ ]+ /, "")
    printf "%7.1f s  %s\n", seconds, $0 }'
}

# The last line of a run, and its verdict.
counts_print() {
  local line="$passed passed, $failed failed"
  [ "$skipped" = 0 ] || line+=", $skipped skipped"
  echo "$line"
  [ "$failed" = 0 ] && [ "$passed" != 0 ] || return 1
  [ "${CI:-}" != true ] || [ "$skipped" = 0 ]
}
