# What the guide's prose asks for between its commands.

# by_hand HOST COMMAND: before the command is typed on the host.
by_hand() {
  case $2 in
    'apt install '*) packages_copy "$1" ;;
    'tar -C / '*) archive_copy "$1" "${2##* }" ;;
    'systemctl restart slurmctld') slurm_lines_add ;;
  esac
}

packages_copy() {
  local file
  for file in "$packages"/carme-*.deb; do
    [[ $file == *-dbgsym_* ]] ||
      site_file "$1" root 644 "/root/${file##*/}" < "$file"
  done
}

# "Copy the other two to their hosts."
archive_copy() {
  in_host "$dir" head cat "/root/carme-setup/$2" |
    site_file "$1" root 600 "/root/$2"
}

# "Add the lines of slurm.txt to Slurm's files on all hosts": each to the file
# that its comment names, and the feature to the lines of nodes.
slurm_lines_add() {
  local host lines feature
  lines=$(in_host "$dir" head cat /root/carme-setup/slurm.txt)
  feature=$(sed -n 's/^# .*NodeName=[^ ]* \(Feature=[^ ]*\).*/\1/p' <<< "$lines")
  [ -n "$feature" ] || fail 'slurm.txt names no feature' || return
  for host in head n1; do
    sed -n '/^# slurm\.conf/,/^# cgroup\.conf/p' <<< "$lines" | grep -v '^#' |
      in_host "$dir" "$host" sh -c 'cat >> /etc/slurm/slurm.conf'
    in_host "$dir" "$host" sed -i "s/^NodeName=.*/& $feature/" \
      /etc/slurm/slurm.conf
    # those that the site has already stay
    sed '1,/^# cgroup\.conf/d; /^$/,$d' <<< "$lines" |
      in_host "$dir" "$host" sh -c \
        'grep -vxFf /etc/slurm/cgroup.conf >> /etc/slurm/cgroup.conf || true'
    grep '^required ' <<< "$lines" |
      site_file "$host" root 644 /etc/slurm/plugstack.conf
  done
}
