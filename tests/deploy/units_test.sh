#!/usr/bin/env bash
# The systemd units are understood by systemd, and their sandboxes are as tight
# as systemd counts: under 2.0 for the three that are not root, under 4.0 for
# the root programs.
set -uo pipefail
units=$(realpath "$(dirname "$0")/../../deploy/systemd")
command -v systemd-analyze > /dev/null || {
  echo 'skipped: no systemd-analyze'
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
broken=0

# exposure UNIT: tenths, as systemd counts them.
exposure() {
  systemd-analyze security --offline=true --no-pager "$units/$1.service" \
    2> /dev/null |
    sed -n 's/.*exposure level for .*: \([0-9]*\)\.\([0-9]\) .*/\1\2/p'
}

while read -r unit most; do
  found=$(exposure "$unit")
  if [ -n "$found" ] && [ "$((10#$found))" -lt "$most" ]; then
    echo "ok: $unit: exposure $found tenths, under $most"
  else
    echo "NOT: $unit: exposure \"$found\" tenths: expected under $most"
    broken=1
  fi
done << 'END'
carme-backend 20
carme-frontend 20
carme-metrics 20
carme-proxy 20
carme-impersonator 40
carme-storage-reader 40
END

# A package's file in /etc/carme is not configured, which each start would find
# again.
for unit in "$units"/*.service; do
  if grep -qx 'RestartPreventExitStatus=78' "$unit"; then
    echo "ok: ${unit##*/}: not restarted without a configuration"
  else
    echo "NOT: ${unit##*/}: expected RestartPreventExitStatus=78"
    broken=1
  fi
done

# What the root programs keep, and CAP_CHOWN, which they use at start.
kept=$(sed -n '/ kKeptCapabilities =/,/;/p' \
  "$units/../../backend/privileged/privsep/capabilities.cc" |
  grep -o 'CAP_[A-Z]*')
expected=$(printf '%s\n' CAP_CHOWN "$kept" | sort -u | xargs)
for unit in carme-impersonator carme-storage-reader; do
  found=$(sed -n 's/^CapabilityBoundingSet=//p' "$units/$unit.service" |
    xargs -n 1 | sort -u | xargs)
  if [ -n "$kept" ] && [ "$found" = "$expected" ]; then
    echo "ok: $unit: $found"
  else
    echo "NOT: $unit has \"$found\": expected \"$expected\""
    broken=1
  fi
  # It reaches no address that the site has not named.
  if grep -qx 'IPAddressDeny=any' "$units/$unit.service"; then
    echo "ok: $unit: all other addresses are denied"
  else
    echo "NOT: $unit: expected IPAddressDeny=any"
    broken=1
  fi
done

# The programs are installed elsewhere, if at all: verify asks for them.
cp "$units"/carme-*.service "$units"/carme-*.socket "$work"
sed -i 's|^ExecStart=.*|ExecStart=/bin/true|' "$work"/*.service
if complaints=$(systemd-analyze verify "$work"/* 2>&1) &&
  [ -z "$complaints" ]; then
  echo 'ok: systemd-analyze verify finds nothing'
else
  echo "NOT: systemd-analyze verify: $complaints"
  broken=1
fi

exit "$broken"
