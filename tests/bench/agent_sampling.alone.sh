# The agent's sampling of a job of 32 processes at 1 s beside Debian's
# prometheus-node-exporter, scraped each second, with all of its default
# collectors and with those alone whose series the agent has, too. Sourced by
# run. SECONDS_EACH (30).

# sampling_enter NAME: moves this process into control groups as Slurm makes
# them for the batch step of job 1.
sampling_enter() {
  local controller dir
  if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
    dir=/sys/fs/cgroup/$1/job_1/step_batch
    mkdir -p "$dir" && echo $BASHPID > "$dir/cgroup.procs"
    return
  fi
  for controller in freezer memory cpuacct pids; do
    [ -e "/sys/fs/cgroup/$controller/cgroup.procs" ] || continue
    dir=/sys/fs/cgroup/$controller/$1/job_1/step_batch
    mkdir -p "$dir" && echo $BASHPID > "$dir/cgroup.procs"
  done
}

sampling_leave() {
  local dir
  for dir in "/sys/fs/cgroup/$1" /sys/fs/cgroup/*/"$1"; do
    [ ! -d "$dir" ] || find "$dir" -depth -type d -exec rmdir {} + || true
  done
}

# ticks_of PID: user and system time of a process.
ticks_of() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }

# exporter_cpu SECONDS OPTION…: ms of processor time a second.
exporter_cpu() {
  local seconds=$1 port=19100 pid before i
  shift
  prometheus-node-exporter --web.listen-address="127.0.0.1:$port" "$@" \
    2> "$work/exporter.log" &
  pid=$!
  wait_for 20 curl -fsS -o /dev/null "http://127.0.0.1:$port/metrics" ||
    fail "prometheus-node-exporter: $(tail -n 1 "$work/exporter.log")"
  before=$(ticks_of "$pid")
  for ((i = 0; i < seconds; i++)); do
    sleep 1
    curl -fsS -o "$work/scrape" "http://127.0.0.1:$port/metrics"
  done
  awk -v ticks="$(($(ticks_of "$pid") - before))" -v seconds="$seconds" \
    -v rate="$(getconf CLK_TCK)" 'BEGIN { print ticks / rate / seconds * 1000 }'
  kill "$pid"
  wait "$pid" || true
}

# figure SUBJECT METRIC VALUE UNIT
figure() {
  jq -cn --arg subject "$1" --arg metric "$2" --argjson value "$3" \
    --arg unit "$4" '{bench: "agent_sampling", subject: $subject,
    metric: $metric, value: $value, unit: $unit}'
}

alone_run() {
  local seconds=${SECONDS_EACH:-30} name=carme-sampling-$$ own full same
  {
    deploy/install-packages build bench test
    tests_configure -DCARME_BENCHMARKS=ON
    tests_compile agent_sampling_bench
  } >&2
  (
    sampling_enter "$name"
    TMPDIR=$work "$build/tests/bench/agent_sampling_bench" "$seconds"
  ) > "$work/carme.jsonl"
  sampling_leave "$name"
  cat "$work/carme.jsonl"
  own=$(jq -s 'map(select(.metric == "cpu_ms_per_s"))[0].value' \
    "$work/carme.jsonl")
  full=$(exporter_cpu "$seconds")
  figure node_exporter cpu_ms_per_s "$full" ms
  same=$(exporter_cpu "$seconds" --collector.disable-defaults \
    --collector.cpu --collector.meminfo --collector.netdev \
    --collector.pressure --collector.infiniband --collector.mountstats \
    --collector.processes --collector.diskstats)
  figure node_exporter_same cpu_ms_per_s "$same" ms
  figure carme ratio:carme/node_exporter \
    "$(jq -n "$own / $full")" ''
  figure carme ratio:carme/node_exporter_same \
    "$(jq -n "$own / $same")" ''
}
