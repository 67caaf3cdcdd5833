# deploy/demo exec [--host HOST] [--user USER] COMMAND…

demo_exec() {
  local host=head user=
  demo_required
  while :; do
    case ${1:-} in
      --host) host=${2:?}; shift 2 ;;
      --user) user=${2:?}; shift 2 ;;
      --) shift; break ;;
      *) break ;;
    esac
  done
  [ $# -gt 0 ] ||
    fail 'usage: deploy/demo exec [--host HOST] [--user USER] COMMAND…'
  exec_environment "$user"
  # a user starts in the home directory, if the host has it
  [ -z "$user" ] ||
    set -- "$(command -v runuser)" -u "$user" -- \
      sh -c 'cd -- "$HOME" 2> /dev/null || cd /; exec "$@"' sh "$@"
  in_host "$dir" "$host" env -i "${given[@]}" "$@"
}

# exec_environment USER: $given, the variables of a command: none of the
# machine's, because programs would pass them on to jobs, and no password.
exec_environment() {
  local name path=/opt/carme/bin:/usr/local/bin:/usr/bin:/bin
  cluster_environment "$dir"
  given=(SLURM_CONF="$SLURM_CONF" TERM="${TERM:-dumb}" LANG="${LANG:-C.UTF-8}")
  if [ -n "$1" ]; then
    given+=(PATH="$path" HOME="/home/$1" USER="$1" LOGNAME="$1"
      SHELL=/bin/bash)
    return
  fi
  path=/opt/carme/sbin:$path:/usr/local/sbin:/usr/sbin:/sbin
  given+=(PATH="$path" HOME=/root USER=root LOGNAME=root SHELL=/bin/bash)
  # the tools with which tests query the site's services
  for name in CARME_LDAP_{URL,CA,BASE,BIND_DN,BIND_PASSWORD_FILE} \
    CARME_CLUSTER_{SERVICE,ACCOUNTING}; do
    given+=("$name=${!name:-}")
  done
}
