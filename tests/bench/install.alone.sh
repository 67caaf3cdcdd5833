# From a bare Debian 12 to a portal that answers, by the commands of the
# administrator's guide. Sourced by run. CARME_PACKAGES: a directory with the
# packages; without it they are built, which does not count.

alone_run() {
  local output seconds
  deploy/install-packages build demo images test packages >&2
  [ -d tests/e2e/node_modules ] ||
    (cd tests/e2e && as_caller npm ci --no-audit --no-fund < /dev/null) >&2
  output=$(tests/guide/run ${CARME_PACKAGES:+--packages "$CARME_PACKAGES"} |
    tee /dev/stderr)
  seconds=$(sed -n 's/^install: \([0-9]*\) s .*/\1/p' <<< "$output")
  jq -cn --argjson seconds "$seconds" '{bench: "install", subject: "carme",
    metric: "minutes", value: ($seconds / 60), unit: "min"}'
}
