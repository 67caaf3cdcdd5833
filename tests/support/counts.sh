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
}

tap_number() { sed -n "s/^# $1 \([0-9][0-9]*\)\$/\1/p" "$2" | tail -n 1; }

# The last line of a run, and its verdict.
counts_print() {
  local line="$passed passed, $failed failed"
  [ "$skipped" = 0 ] || line+=", $skipped skipped"
  echo "$line"
  [ "$failed" = 0 ] && [ "$passed" != 0 ] || return 1
  [ "${CI:-}" != true ] || [ "$skipped" = 0 ]
}
