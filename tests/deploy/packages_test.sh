#!/usr/bin/env bash
# Installs, upgrades and purges the packages in a bare Debian.
#
#   packages_test.sh [--suite bookworm|trixie] [DIR]
#
# DIR has packages that deploy/packages/build made for that suite. Without it
# the programs of the build directory $CARME_PACKAGES_BUILD_DIR are packaged.
# Without --suite: the Debian of this machine.
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
if [ "${1:-}" = --suite ]; then
  suite=$2
  shift 2
fi
for program in mmdebstrap dh lintian; do
  command -v $program > /dev/null || {
    echo "skipped: no $program"
    exit 77
  }
done
[ "$(id -u)" = 0 ] || {
  echo 'skipped: needs root'
  exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -gt 0 ]; then
  cp "$1"/*.deb "$work"
else
  # dbgsym packages take as long as all others
  DEB_BUILD_OPTIONS=noautodbgsym "$root/deploy/packages/build" \
    --suite "$suite" "$work"
fi
"$root/.ci/fresh-root" --suite "$suite" --share "$work" \
  tests/deploy/packages_in_root.sh /root/share
