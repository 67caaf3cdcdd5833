# The state of the demo, in its directory $dir.
#
#   supervisor.pid  the process that owns everything
#   state           cluster, programs, running, or "failed: why"
#   port            the public port
#   pids/PROGRAM    its pid as the machine sees it; restarts/PROGRAM: how often
#   totp            lines "name secret"
#   identity        of a further cluster: the folder of the first demo
#   image.pid       the session that builds the image for jobs
#   demo.json       all of it for tests and people (written by json_write)
#   log/            the only thing that `down` leaves

DEMO_PROGRAMS='carme-impersonator carme-storage-reader carme-backend carme-metrics carme-frontend carme-proxy'
# A further cluster has neither a frontend nor metrics.
[ ! -s "$dir/identity" ] && [ -z "${CARME_DEMO_IDENTITY:-}" ] ||
  DEMO_PROGRAMS=${DEMO_PROGRAMS/carme-metrics carme-frontend /}

program_host() {
  case $1 in
    carme-impersonator | carme-storage-reader | carme-backend | carme-metrics)
      echo head
      ;;
    carme-frontend | carme-proxy) echo dmz ;;
  esac
}

program_user() {
  case $1 in
    carme-impersonator | carme-storage-reader) echo root ;;
    carme-backend) echo carme ;;
    *) echo "$1" ;;
  esac
}

# demo_running [DIR]
demo_running() {
  local pid
  pid=$(cat "${1:-$dir}/supervisor.pid" 2> /dev/null) &&
    grep -q demo.d/supervisor "/proc/$pid/cmdline" 2> /dev/null
}

demo_required() {
  demo_running || fail 'no demo runs here; start it with: deploy/demo up'
}

# Whether this is the demo of a further cluster (clusters.sh).
further() { [ -s "$dir/identity" ]; }

# The folder of the demo that has the portal.
portal_dir() { cat "$dir/identity" 2> /dev/null || echo "$dir"; }

portal_origin() { echo "https://carme.localhost:$(cat "$(portal_dir)/port")"; }

# The user that called sudo.
caller_owns() { [ -z "${SUDO_UID:-}" ] || chown "$SUDO_UID" "$@"; }

# users_json, pids_json, hosts_json: parts of demo.json.
users_json() {
  awk -v totp="$dir/totp" '
    BEGIN { while ((getline line < totp) > 0) {
      split(line, part, " "); secret[part[1]] = part[2] } }
    $3 != "outsider" && $3 != "service" { print $1, $4, $3, secret[$1] }' "$dir/users" |
    jq -Rn '[inputs / " " |
      {name: .[0], password: .[1], totp_secret: .[3], role: .[2]}]'
}

pids_json() {
  (cd "$dir/pids" && grep -H . -- carme-* /dev/null) |
    jq -Rn '[inputs / ":" | {(.[0]): (.[1] | tonumber)}] | add // {}'
}

hosts_json() {
  jq -Rn --argjson addresses '{"head": "10.77.0.1", "dmz": "10.77.0.2",
    "n1": "10.77.0.11", "n2": "10.77.0.12", "fabric": "10.77.0.254"}' \
    '[inputs / " " | {(.[0]):
      {pid: (.[1] | tonumber), address: $addresses[.[0]]}}] | add' \
    < "$dir/hosts"
}

# Replaces demo.json atomically by the current state.
json_write() {
  local port jobs='{jobs_domain: "jobs.carme.localhost:\($port)"}'
  ! further || jobs='{jobs_domain: "jobs-beta.carme.localhost:\($port)"}'
  port=$(cat "$dir/port")
  [ -z "${CARME_DEMO_PATHS:-}" ] ||
    jobs='{jobs_host: "carme-jobs.localhost:\($port)"}'
  (
    flock 9
    jq -n --argjson users "$(users_json)" --argjson pids "$(pids_json)" \
      --argjson hosts "$(hosts_json)" --arg ca "$(portal_dir)/ca.pem" \
      --arg port "$port" --arg portal "$(portal_origin)/" "$jobs"' + {
        portal: $portal,
        ca_file: $ca,
        users: $users,
        slurm_conf: "/etc/slurm/slurm.conf",
        pids: $pids,
        sockets: {
          public: "127.0.0.1:\($port)",
          frontend: "127.0.0.1:8080",
          backend: "10.77.0.1:9443",
          agents: "10.77.0.1:9444",
          impersonator: "/run/carme-impersonator/socket",
          storage_reader: "/run/carme-storage-reader/socket"
        },
        hosts: $hosts
      }' > "$dir/demo.json.new"
    chmod 600 "$dir/demo.json.new"
    caller_owns "$dir/demo.json.new"
    mv "$dir/demo.json.new" "$dir/demo.json"
  ) 9> "$dir/lock"
}
