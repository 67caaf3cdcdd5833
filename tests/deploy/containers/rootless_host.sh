#!/usr/bin/env bash
# rootless_host.sh DIR COMMAND…: runs the command as a new user that may use
# rootless podman, in the private namespaces in which this runs. Without them the
# user would have to be on the machine.
set -euo pipefail
dir=$1 name=carme-container id=64110
shift
ip link set lo up
# crun refuses a mixture of control groups v1 and v2; the containers use none
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p "$dir/etc" "$dir/home" "$dir/run"
for file in passwd group subuid subgid; do
  cat "/etc/$file" > "$dir/etc/$file" 2> /dev/null || true
done
echo "$name:x:$id:$id::$dir/home:/bin/sh" >> "$dir/etc/passwd"
echo "$name:x:$id:" >> "$dir/etc/group"
for file in subuid subgid; do echo "$name:2000000:65536" >> "$dir/etc/$file"; done
for file in "$dir"/etc/*; do
  touch "/etc/${file##*/}"
  mount --bind "$file" "/etc/${file##*/}"
done
chown -R "$name:$name" "$dir/home" "$dir/run"
chmod 700 "$dir/home" "$dir/run"
cd "$dir/home"
exec setpriv --reuid "$id" --regid "$id" --clear-groups env -i \
  PATH="$PATH" HOME="$dir/home" USER="$name" XDG_RUNTIME_DIR="$dir/run" \
  LANG=C.UTF-8 CARME_APPTAINER="${CARME_APPTAINER:-}" "$@"
