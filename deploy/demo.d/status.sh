# deploy/demo status: a line a part, then what the firewall dropped.

demo_status() {
  demo_required
  further || line portal "$(portal_line)"
  local program
  for program in $DEMO_PROGRAMS; do
    line "$program" "$(program_line "$program")"
  done
  line slapd "$(service_line head slapd)"
  line slurmctld "$(service_line head slurmctld)"
  . "$here/demo.d/image.sh"
  line 'image for jobs' "$(image_line)"
  local host
  for host in n1 n2; do line "slurmd $host" "$(node_line "$host")"; done
  line jobs "$(in_host "$dir" head squeue -h -o %T | sort | uniq -c |
    awk '{ printf "%s%d %s", sep, $1, tolower($2); sep = ", " }')"
  firewall_lines
}

line() { printf '%-20s %s\n' "$1" "${2:-none}"; }

portal_line() {
  curl --silent --max-time 3 --cacert "$dir/ca.pem" --output /dev/null \
    --resolve "carme.localhost:$(cat "$dir/port"):127.0.0.1" \
    --write-out '%{http_code}' "$(portal_origin)/" |
    sed "s|^|$(portal_origin)/ answers |"
}

program_line() {
  local pid restarts
  restarts=$(cat "$dir/restarts/$1" 2> /dev/null || echo 0)
  pid=$(cat "$dir/pids/$1" 2> /dev/null) && kill -0 "$pid" 2> /dev/null || {
    echo "down, restarts $restarts"
    return
  }
  ps -o rss=,etime= -p "$pid" | awk -v host="$(program_host "$1")" \
    -v user="$(program_user "$1")" -v pid="$pid" -v restarts="$restarts" '{
      printf "up on %s as %s, pid %d, %.1f MB, since %s, restarts %d",
        host, user, pid, $1 / 1024, $2, restarts }'
}

service_line() {
  in_host "$dir" "$1" pgrep -x "$2" > /dev/null && echo "up on $1" || echo down
}

node_line() {
  in_host "$dir" head sinfo -hN -n "$1" -p main -o '%T, %G, %c CPUs, %m MB' |
    head -n 1
}

firewall_lines() {
  line firewall "$(in_host "$dir" fabric nft -j list counter inet carme dropped |
    jq -r '.nftables[] | .counter? // empty |
      "dropped \(.packets) packets, \(.bytes) bytes"')"
  in_host "$dir" fabric nft -j list set inet carme tried | jq -r '
    def host: {"10.77.0.1": "head", "10.77.0.2": "dmz", "10.77.0.11": "n1",
      "10.77.0.12": "n2"}[.] // .;
    .nftables[] | .set? // empty | .elem[]? | .elem |
    .val.concat as [$from, $to, $protocol, $port] |
    "  dropped \($from | host) → \($to | host) \($protocol)/\($port): \(.counter.packets)"'
}
