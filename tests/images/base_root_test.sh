#!/usr/bin/env bash
# The base image as images/base/build makes it, used by a user of the private
# cluster. CARME_APPTAINER: the program; CARME_BASE_IMAGE: the folder that the
# image was built in.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/../deploy/expect.sh"
. "$here/../../deploy/cluster.d/report.sh"
[ -n "${CARME_APPTAINER:-}" ] && [ -n "${CARME_BASE_IMAGE:-}" ] || {
  echo 'skipped: no CARME_APPTAINER or no CARME_BASE_IMAGE'
  exit 77
}
work=$(mktemp -d /tmp/base.XXXXXX)
trap 'rm -rf "$work"' EXIT
cp "$here"/programs/* "$work"
chown -R ada "$work"
sif=$CARME_BASE_IMAGE/base.sif

# inside COMMAND…: in the image, with $work as home directory.
inside() {
  as ada HOME="$work" "$CARME_APPTAINER" --quiet exec --containall \
    --home "$work" --bind "$work" --pwd "$work" "$sif" "$@"
}
is_there() { inside sh -c 'for name; do command -v "$name"; done' sh "$@"; }
holds() { inside sh -c "ls $1"; }
holds_the_squashfs() {
  cmp <(tail -c +32769 "$sif") "$CARME_BASE_IMAGE/base.squashfs"
}
has_the_digests() { (cd "$CARME_BASE_IMAGE" && sha256sum --check SHA256SUMS); }
# each command that image.json names is there
names_its_apps() {
  local command count=0
  while read -r command; do
    is_there "$command" || return
    count=$((count + 1))
  done < <(inside jq -r '.apps[].command[0]' /.carme/image.json)
  [ "$count" -ge 3 ]
}
knows_its_versions() {
  ! inside cat /.carme/image.json /.singularity.d/labels.json | grep '@' &&
    [ "$(inside jq -r .software.debian /.carme/image.json)" = \
      "$(inside cat /etc/debian_version)" ]
}
# jupyterlab_is_quiet: nothing but the version, on either stream
jupyterlab_is_quiet() {
  [[ $(inside jupyter lab --version 2>&1) =~ ^4\.[0-9.]+$ ]]
}
jupyter_has() {
  local subcommand
  for subcommand; do inside jupyter "$subcommand" --version || return; done
}
lists_the_kernel() { inside jupyter kernelspec list 2>&1 | grep python3; }
# shows_pages SECTION:PAGE…: manual pages
shows_pages() {
  local page
  for page; do
    inside env MANPAGER=cat man "${page%:*}" "${page#*:}" 2>&1 | grep NAME || return
  done
}
npm_installs_for_the_user() {
  [ "$(inside npm config get prefix)" = "$work/.local" ]
}
version_is() {
  local expected=$1
  shift
  # shellcheck disable=SC2053 # a pattern
  [[ $(inside "$@" 2> /dev/null) == $expected ]]
}

# answers SOCKET PATH PATTERN: a page, sooner or later.
answers() {
  wait_for 180 curl -fsS --unix-socket "$work/$1" "http://localhost$2" &&
    curl -fsSL --unix-socket "$work/$1" "http://localhost$2" | grep "$3" > /dev/null
}
# serves SOCKET PATH PATTERN COMMAND…: the command answers while it runs. It
# runs in a group of its own, because it ends as a whole then.
serves() {
  local socket=$1 path=$2 pattern=$3 server status
  shift 3
  set -m
  inside "$@" > "$work/$socket.log" 2>&1 < /dev/null &
  server=$!
  answers "$socket" "$path" "$pattern"
  status=$?
  kill -- "-$server"
  wait "$server" || [ "$status" = 0 ] || cat "$work/$socket.log"
  return "$status"
}
jupyterlab_answers() {
  serves lab /lab jupyter-config-data jupyter-lab --no-browser \
    --ServerApp.sock="$work/lab" --ServerApp.token= --ServerApp.password=
}
notebook_answers() {
  serves classic /tree 'create a notebook' jupyter-notebook --no-browser \
    --NotebookApp.sock="$work/classic" --NotebookApp.token= \
    --NotebookApp.password=
}
desktop_answers() { answers desk /vnc.html noVNC || ! cat "$work/desk.log"; }
desktop_listens_on_tcp() { ss -Hltnp | grep -E 'Xtigervnc|websockify'; }
desktop_listens_at_files() { ss -Hlxp | grep ' /.*Xtigervnc' > /dev/null; }
desktop_listens_for_all() { ss -Hlxp | grep -E ' @.*(Xtigervnc|xf|dbus)'; }
desktop_is_over() { [ -z "$(pgrep -u ada -f Xtigervnc)" ]; }
# connects USER SOCKET
connects() {
  as "$1" python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$2"
}
# what a program with and one without the cookie see of the same X server
shows_windows() {
  mkdir "$work/$1" && chown ada "$work/$1" &&
    inside timeout 300 bash "$work/window.sh" "$work/$1" "$1"
}
code_server_answers() {
  serves code / vscode-workbench-web-configuration \
    code-server --auth=none --socket="$work/code"
}
code_server_loads() {
  inside node -e "
    const root = '/usr/lib/code-server/';
    for (const name of process.argv.slice(1)) require(root + name);" "$@"
}
mpi_counts() {
  inside mpicc -o hello hello.c &&
    [ "$(inside mpirun --oversubscribe -n 2 ./hello)" = '2 ranks, sum 3' ]
}
torch_adds() {
  [ "$(inside torchrun --nproc-per-node=2 all_reduce.py 2> "$work/log")" = \
    '2 ranks, sum 3' ]
}
sshd_accepts_its_settings() {
  inside ssh-keygen -q -t ed25519 -N '' -f key &&
    inside /usr/sbin/sshd -t -h "$work/key"
}
environment_works() {
  inside python3 -m venv --system-site-packages own &&
    inside own/bin/pip --version &&
    inside own/bin/python -c 'import numpy, sys; assert sys.prefix != "/usr"'
}
speaks_english() {
  [ "$(inside env LC_ALL=en_US.UTF-8 locale charmap 2>&1)" = UTF-8 ]
}

refuse 'base image: holds no host key of sshd' holds '/etc/ssh/ssh_host_*'
refuse 'base image: holds no machine id' inside test -s /etc/machine-id
refuse 'base image: holds no list of packages to be had' \
  holds '/var/lib/apt/lists/*_Packages*'
refuse 'base image: is read-only' inside touch /usr/new
expect 'base image: is what its digests say' has_the_digests
expect 'base image: is the same tree as SIF and as squashfs' holds_the_squashfs
expect 'base image: names its apps, and has them' names_its_apps
expect 'base image: knows its versions' knows_its_versions

expect 'base image: has python, as python3' \
  version_is "$(inside python3 --version)" python --version
expect 'base image: has ipython' version_is '8.*' ipython --version
expect 'base image: has npm 10' version_is '10.*' npm --version
expect 'npm: installs global packages for the user' npm_installs_for_the_user
expect 'base image: has manual pages' shows_pages 1:ls 2:open 3:printf
expect 'base image: has JupyterLab 4, which prints its version only' \
  jupyterlab_is_quiet
expect 'jupyter: has the usual subcommands' \
  jupyter_has console execute kernel nbconvert run server trust
expect 'jupyter: lists the Python kernel' lists_the_kernel
expect 'JupyterLab: answers on a unix socket' jupyterlab_answers
expect 'JupyterLab: has a Python kernel that computes' \
  inside python3 kernel.py
expect 'Notebook: the classic one answers on a unix socket' notebook_answers
chmod 755 "$work"
set -m
inside carme-desktop "$work/desk" "$work" > "$work/desk.log" 2>&1 &
desktop=$!
set +m
expect 'desktop: shows its page on a unix socket' desktop_answers
refuse 'desktop: listens on no port' desktop_listens_on_tcp
expect 'desktop: its X server listens at files' desktop_listens_at_files
refuse 'desktop: listens nowhere that has no file' desktop_listens_for_all
refuse 'desktop: another user does not reach its page' \
  connects bob "$work/desk"
refuse 'desktop: another user does not reach its X server' \
  connects bob "$work/desktop/vnc.sock"
expect 'desktop: its user does' connects ada "$work/desktop/vnc.sock"
kill -- "-$desktop"
expect 'desktop: ends as a whole' wait_for 180 desktop_is_over
refuse 'desktop: shows no window to who has no cookie' shows_windows without
expect 'desktop: shows a window to who has it' shows_windows with
expect 'base image: has Node 20' version_is 'v20.*' node --version
expect 'code-server: shows the editor on a unix socket' code_server_answers
expect 'code-server: has its native modules' code_server_loads \
  node_modules/argon2 lib/vscode/node_modules/{node-pty,kerberos} \
  lib/vscode/node_modules/{@vscode/spdlog,@parcel/watcher,native-watchdog}
expect 'code-server: has ripgrep' \
  inside /usr/lib/code-server/lib/vscode/node_modules/@vscode/ripgrep/bin/rg \
  --version

expect 'base image: compiles and runs an MPI program' mpi_counts
expect 'base image: adds up over gloo with torchrun' torch_adds
expect 'base image: has an sshd that accepts its settings' \
  sshd_accepts_its_settings
expect 'base image: lets users make Python environments' environment_works
expect 'base image: has an English locale' speaks_english
expect 'base image: has compilers' is_there gcc g++ gfortran make cmake gdb
expect 'base image: has editors' is_there vim nano emacs
expect 'base image: has what a shell needs' \
  is_there git tmux ssh curl wget rsync less htop jq
expect 'base image: has RDMA and UCX' is_there ibv_devinfo rping ucx_info
expect_end
