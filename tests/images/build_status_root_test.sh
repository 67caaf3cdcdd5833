#!/usr/bin/env bash
# images/build_with_status, with a build that does nothing but wait.
set -uo pipefail
tree=$(realpath "$(dirname "$(realpath "$0")")/../..")
. "$tree/tests/deploy/expect.sh"
. "$tree/deploy/cluster.d/report.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME=$work/cache
mkdir -p "$work"/{out,images/base/lock}
cp "$tree"/images/{build_with_status,cache.sh} "$work/images"
printf '# date 5\ngit 1 aa\nvim 1 bb\n' > "$work/images/base/lock/debian"

# builds SCRIPT: a fake of images/base/build.
builds() {
  printf '#!/usr/bin/env bash\nset -e\ncd %s\n%s\n' "$work" "$1" \
    > "$work/images/base/build"
  chmod 755 "$work/images/base/build"
  rm -f "$work"/{go,status,ended} "$work/out/base.sif"
}
start() {
  setsid "$work/images/build_with_status" "$work/status" "$work/out" \
    "$work/log" > /dev/null 2>&1 &
  wrapper=$!
}
has() { grep -qx "$1" "$work/status"; }
reports() { wait_for 30 has "$1"; }
ends() { wait_for 30 fails kill -0 "$wrapper"; }
reports_a_time() { reports "updated_at=[0-9]\{10\}"; }

wait_for_go='until [ -e go ]; do sleep 0.1; done'
builds "echo '   0 s  building the base image; code-server beside it' >&2
mkdir -p cache/carme/images/base.work/tree/var/lib/dpkg/info
touch cache/carme/images/base.work/tree/var/lib/dpkg/info/git.list
$wait_for_go
echo '   9 s  the packages are installed' >&2
until [ -e went ]; do sleep 0.1; done
echo image > built.sif
echo \"1234  $work/built/base.sif\"
mkdir -p built && mv built.sif built/base.sif"
start
expect 'build status: names the step' reports 'message=installing packages'
expect 'build status: counts the packages' reports 'percent=50'
expect 'build status: contains when it was written' reports_a_time
touch "$work/go"
expect 'build status: names the next step' reports 'step=2'
refuse 'build status: shows no image before it is complete' \
  test -e "$work/out/base.sif"
touch "$work/went"
expect 'build status: gives the digest at the end' reports 'sha256=1234'
expect 'build status: is ready then' has 'state=ready'
expect 'build status: gives the image' \
  cmp "$work/out/base.sif" "$work/built/base.sif"
expect 'build status: ends' ends

builds "echo 'E: no space left on device' >&2
echo 'build: the base image could not be built' >&2
exit 1"
start
expect 'build status: contains why the build failed' \
  reports 'message=E: no space left on device'
expect 'build status: has failed then' has 'state=failed'
refuse 'build status: gives no image of a failed build' \
  test -e "$work/out/base.sif"

builds "trap 'touch ended; exit 143' TERM
echo '   0 s  building the base image; code-server beside it' >&2
sleep 1000 & wait"
start
expect 'build status: is there before it is stopped' reports 'state=building'
kill "$wrapper"
expect 'build status: reports that it was stopped' \
  reports 'message=the build was stopped'
expect 'build status: ends when it was stopped' ends
expect 'build status: lets the build clean up' test -e "$work/ended"
refuse 'build status: leaves no process' pgrep -s "$wrapper"
expect_end
