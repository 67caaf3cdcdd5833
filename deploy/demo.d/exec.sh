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
  [ $# -gt 0 ] || fail 'usage: deploy/demo exec [--host HOST] COMMAND…'
  cluster_environment "$dir"
  if [ -n "$user" ]; then
    set -- runuser -u "$user" -- env HOME="/home/$user" "$@"
  fi
  in_host "$dir" "$host" "$@"
}
