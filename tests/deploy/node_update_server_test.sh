#!/usr/bin/env bash
# carme-node-update with the cluster's Slurm. Packages cannot be upgraded in
# the cluster, whose hosts share /usr: apt and the agent are test doubles.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
. "$here/expect.sh"
work=$(mktemp -d)
node=n2
restore() {
  scancel --name node-update 2> /dev/null
  scontrol update NodeName="$node" State=RESUME 2> /dev/null
  rm -rf "$work"
}
trap restore EXIT
export CARME_NODE_UPDATE_LOCK=$work/lock
install -m 755 "$here/../../deploy/node-update/carme-node-update" "$work/"
mkdir "$work/bin"
export PATH=$work/bin:$PATH

# double NAME: a program whose text is standard input
double() {
  { echo '#!/bin/sh' && cat; } > "$1"
  chmod 755 "$1"
}
double "$work/bin/dpkg-query" <<< 'echo 1.0'
double "$work/bin/apt-cache" <<< "echo '  Candidate: 1.1'"
double "$work/bin/apt-get" <<END
case \$* in *install*) echo "\$*" >> $work/installed ;; esac
END
double "$work/carme-agent" <<< 'exit 0'

update() { "$work/carme-node-update" --node "$node" --window "$1"; }
# In the background; its process is in $updater.
update_later() {
  "$work/carme-node-update" --node "$node" --window "$1" > "$work/log" 2>&1 &
  updater=$!
}
ended_well() { [ "$status" = 0 ] || fails cat "$work/log"; }
# shellcheck disable=SC2053  # a pattern
# From 23.11 on, Slurm keeps the reason of a node that was resumed.
node_is() { [[ $(sinfo -h -n "$node" -o '%T %E') = $1 ]]; }
soon() {
  local i
  for i in $(seq 100); do
    "$@" && return
    sleep 0.2
  done
  return 1
}
is_installed() { [ -e "$work/installed" ]; }

refuse 'an option that does not exist' "$work/carme-node-update" --now yes
refuse 'a window that is no number' update '1; reboot'
refuse 'a node that Slurm does not know' \
  "$work/carme-node-update" --node n99 --window 5
unreachable=$work/slurm.conf
sed 's/^SlurmctldPort=.*//; $a SlurmctldPort=1' \
  "${SLURM_CONF:-/etc/slurm/slurm.conf}" > "$unreachable"
refuse 'an update while slurmctld does not respond' \
  env SLURM_CONF="$unreachable" "$work/carme-node-update" --node "$node" --window 5
refuse '… which installs nothing' is_installed

double "$work/bin/apt-cache" <<< "echo '  Candidate: 1.0'"
expect 'a node that is up to date' update 5
expect '… is not drained' soon node_is 'idle *'
double "$work/bin/apt-cache" <<< "echo '  Candidate: 1.1'"

as ada srun -Q -w "$node" --job-name node-update sleep 600 > /dev/null 2>&1 &
soon node_is '@(mixed|allocated) *'
update_later 5
expect 'a node with a job is drained' soon node_is 'draining@(|@) carme-node update'
wait "$updater"
status=$?
expect '… and resumed at the end of the window' ended_well
refuse '… without an upgrade under the job' is_installed
expect '… and the job still runs' soon node_is '@(mixed|allocated) *'

update_later 60
soon node_is 'draining@(|@) carme-node update'
kill -9 $updater
wait $updater 2> /dev/null
scancel --name node-update
expect 'after an update that was killed, the next one' update 30
expect '… upgrades the node when its job has ended' is_installed
expect '… and resumes it' soon node_is 'idle *'

rm "$work/installed"
scontrol update NodeName="$node" State=DRAIN Reason='broken fan'
expect 'a node that an administrator drained is upgraded' update 30
expect '… and stays drained' soon node_is 'drained broken fan'
scontrol update NodeName="$node" State=RESUME
soon node_is 'idle *'

double "$work/carme-agent" <<< 'exit 1'
refuse 'an agent that refuses its configuration' update 30
expect '… leaves the node drained, with the reason' \
  soon node_is 'drained carme-node update failed*'
expect_end
