# CARME_DEMO_DMZ=containers: frontend and proxy run from the images that a site
# loads, with the restrictions of deploy/containers/systemd.

dmz_in_containers() { [ "${CARME_DEMO_DMZ:-}" = containers ]; }

program_in_container() {
  dmz_in_containers && [ "$(program_host "$1")" = dmz ]
}

# images_make: packages of $build, or those in CARME_DEMO_PACKAGES, become the
# images in $dir/containers.
images_make() {
  local packages=${CARME_DEMO_PACKAGES:-$dir/containers/packages}
  local log=$dir/log/containers.log
  mkdir -p "$dir/containers"
  [ -n "${CARME_DEMO_PACKAGES:-}" ] ||
    CARME_PACKAGES_BUILD_DIR=$build DEB_BUILD_OPTIONS=noautodbgsym \
      "$here/packages/build" "$packages" > "$log" 2>&1 || build_failed "$log"
  "$here/containers/build" --root / "$dir/containers" \
    "$packages"/carme-{proxy,frontend}_[0-9]*.deb >> "$log" 2>&1 ||
    build_failed "$log"
}

# Of the host `dmz`, on its disk.
dmz_podman=(podman --root /run/disk/containers --runroot /run/containers
  --storage-driver vfs --cgroup-manager cgroupfs)

# containers_load: the images into the host. crun refuses a mixture of control
# groups v1 and v2, as some machines have it; the containers use none.
containers_load() {
  local image
  in_host "$dir" dmz mount -t cgroup2 none /sys/fs/cgroup || return 1
  for image in "$dir"/containers/*.oci.tar; do
    in_host "$dir" dmz env PATH="$PATH" "${dmz_podman[@]}" load --quiet \
      < "$image" || return 1
  done
}

# container_command NAME: as program_command.
container_command() {
  local state='' image
  image=$(basename "$dir/containers/$1"_*.oci.tar)
  image=${image#"$1_"}
  [ "$1" != carme-proxy ] || state='--volume /run/carme-proxy:/run/carme-proxy'
  echo setpriv --pdeathsig KILL "${dmz_podman[@]}" run --name "$1" --replace \
    --rm --pull never --log-driver none --network host --cgroups disabled \
    --read-only --read-only-tmpfs=false --cap-drop all \
    --security-opt no-new-privileges --umask 0077 \
    --user "$(in_host "$dir" dmz id -u "$1"):$(in_host "$dir" dmz id -g "$1")" \
    --volume /etc/carme:/etc/carme:ro "$state" "localhost/$1:${image%_*}"
}

# container_pid NAME: of its first process. Containers have the host's network.
container_pid() {
  local host pid
  host=$(awk '$1 == "dmz" { print $2 }' "$dir/hosts")
  for pid in $(pgrep -f "^/usr/sbin/$1\$"); do
    [ "/proc/$pid/ns/net" -ef "/proc/$host/ns/net" ] || continue
    echo "$pid"
    return
  done
  return 1
}
