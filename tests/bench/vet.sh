#!/usr/bin/env bash
# vet.sh WORK, on the head of a private cluster: carme vet on two nodes with ten
# evaluations beside an srun that does nothing, and vet_bench: the coordinator with
# 2,688 workers that answer at once, whose rounds cost what a round of the two nodes
# costs in addition.
set -euo pipefail
shopt -s inherit_errexit # a run that fails is no figure
config=/home/ada/vet-bench.yaml
cat > "$config" << 'END'
name: Benchmark
evals:
- {name: Env, type: env, expected: {SLURM_JOB_ID: null}}
- {name: CPUs, type: cpu, min_count: 1}
- {name: Memory, type: memory}
- {name: Errors, type: ecc}
- {name: Home, type: filesystem, path: /home/ada}
- {name: User, type: user}
- {name: Munge, type: munge}
- {name: Clock, type: clock_skew}
- {name: Compute, type: compute}
- {name: Network, type: links}
END
figure() {
  printf '{"bench":"vet","subject":"%s","metric":"%s","value":%s,"unit":"%s"}\n' "$@"
}
# median_s COMMAND…: of five runs as ada
median_s() {
  local start
  for _ in 1 2 3 4 5; do
    start=$(date +%s.%N)
    runuser -u ada -- env -i HOME=/home/ada PATH=/usr/bin:/bin sh -c \
      'cd; exec "$@"' sh "$@" > /dev/null
    echo "$(date +%s.%N) $start" | awk '{ print $1 - $2 }'
  done | sort -n | sed -n 3p
}
vet() { median_s srun -Q -N 2 /opt/carme/bin/carme vet "$config"; }
two_nodes=$(vet)
idle=$(median_s srun -Q -N 2 hostname)
figure carme two_nodes_s "$two_nodes" s
figure srun two_nodes_s "$idle" s
figure carme ratio:carme/srun \
  "$(echo "$two_nodes $idle" | awk '{ print $1 / $2 }')" 1
link_ms=$(runuser -u ada -- sh -c \
  "cd; srun -Q -N 2 /opt/carme/bin/carme vet --json $config" |
  sed -n 's/.*"evaluation":"Network".*"elapsed_s":\([0-9.e-]*\).*/\1/p' |
  awk 'NR == 1 { print $1 * 1000 }')
figure carme link_ms_per_round "$link_ms" ms
"$CARME_BENCH_BUILD/tests/bench/vet_bench" 2688 "$link_ms"
