#!/usr/bin/env bash
# tests/bench/report: new figures replace those of their benchmark, aims that
# are missed are named, docs/benchmarks.md is what its figures give.
set -uo pipefail
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
broken=0
expect() {
  local sentence=$1
  shift
  if "$@" > /dev/null 2>&1; then
    echo "ok: $sentence"
  else
    echo "NOT: $sentence"
    broken=1
  fi
}
figure() {
  printf '{"bench":"%s","subject":"carme","metric":"%s","value":%s,"unit":"%s"}\n' "$@"
}
report() { "$here/report" "$work/$1.md"; }
has() { grep -qF "$1" "$work/new.md"; }
has_no() { ! has "$1"; }
kept() { [ "$(wc -l < "$work/new.jsonl")" = "$1" ]; }

{
  figure submit median_ms 3.91 ms
  figure submit ratio:carme/sbatch 1.4 ''
  figure preview ratio:carme/sbatch 1.2903 ''
} | report new
expect 'report: writes a figure' has '|`submit`|SubmitJob||3.91 ms|'
expect 'report: names an aim that is missed' has '|≤ 1, missed|1.4|'
expect 'report: leaves out a row without figures' has_no fanout
figure submit median_ms 12.5 ms | report new
expect 'report: replaces the figures of a benchmark' has '|12.5 ms|'
expect 'report: keeps those of the others' has '|1.29|'
expect 'report: drops old figures of the benchmark' kept 2
expect 'report: fails without a document' bash -c "! '$here/report' < /dev/null"
echo 'no figure' | "$here/report" "$work/new.md" 2> /dev/null
expect 'report: keeps its figures when it reads none' kept 2
cp "$here/../../docs/benchmarks.jsonl" "$work/today.jsonl"
report today < /dev/null
expect 'report: docs/benchmarks.md is what its figures give' \
  cmp "$work/today.md" "$here/../../docs/benchmarks.md"
exit "$broken"
