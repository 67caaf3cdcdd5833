#!/usr/bin/env bash
# Makes the images of the DMZ, and runs them with rootless podman.
#
#   containers_test.sh [DIR]
#
# DIR has packages of deploy/packages/build. Without it the programs of the build
# directory $CARME_PACKAGES_BUILD_DIR are packaged. CARME_APPTAINER: an Apptainer
# to use instead of that of images/apptainer.
set -euo pipefail
here=$(dirname "$(realpath "$0")")
root=$(realpath "$here/../../..")
needed='podman crun newuidmap python3 curl openssl unshare'
[ $# -gt 0 ] || needed+=' dh lintian'
for program in $needed; do
  command -v "$program" > /dev/null || {
    echo "skipped: no $program"
    exit 77
  }
done
[ "$(id -u)" = 0 ] || {
  echo 'skipped: needs root, to be another user without changing this machine'
  exit 77
}
work=$(mktemp -d /var/tmp/carme-containers.XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
chmod 711 "$work"
packages=${1:-$work/packages}
[ $# -gt 0 ] || DEB_BUILD_OPTIONS=noautodbgsym \
  "$root/deploy/packages/build" "$packages"
"$root/deploy/containers/build" --root / --verify "$work/images" \
  "$packages"/carme-{proxy,frontend}_[0-9]*.deb
python3 "$here/image_content_test.py" "$work/images"/*.oci.tar
export CARME_APPTAINER=${CARME_APPTAINER:-$("$root/images/apptainer/get")}
# The checkout may be in a directory that is closed to others.
mkdir -p "$work/tree/tests" "$work/tree/deploy/cluster.d"
cp -R "$root/tests/deploy" "$work/tree/tests/"
cp "$root/deploy/cluster.d/report.sh" "$work/tree/deploy/cluster.d/"
# A network, processes, mounts and users of its own: the ports are free, and
# nothing remains.
unshare --mount --net --pid --ipc --fork --kill-child --mount-proc \
  "$here/rootless_host.sh" "$work" \
  "$work/tree/tests/deploy/containers/containers_as_user.sh" "$work"
