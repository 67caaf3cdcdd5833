# Sentences about behaviour for tests that are scripts. The last line of such
# a test is `expect_end`.

[ "${CARME_TEST_CLUSTER:-}" = 1 ] || {
  echo 'skipped: runs in a private cluster only (deploy/cluster)'
  exit 77
}
broken=0

# expect SENTENCE COMMAND…: the command succeeds.
expect() {
  local output sentence=$1
  shift
  if output=$("$@" 2>&1); then
    echo "ok: $sentence"
  else
    echo "NOT: $sentence"
    echo "  $*: $output"
    broken=1
  fi
}

# refuse SENTENCE COMMAND…: the command fails.
refuse() {
  local sentence=$1
  shift
  expect "$sentence" fails "$@"
}

fails() { ! "$@"; }

expect_end() { exit "$broken"; }

# as USER COMMAND…
as() {
  local user=$1
  shift
  runuser -u "$user" -- env --chdir=/tmp "$@"
}
