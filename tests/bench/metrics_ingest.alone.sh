# The processor time of samples through carme-metrics into VictoriaMetrics, beside
# the same samples written into VictoriaMetrics directly; and the page of a job
# with 64 GPUs from its archive. Sourced by run. ROUNDS (3).

alone_run() {
  {
    deploy/install-packages build demo test
    tests_configure -DCARME_BENCHMARKS=ON
    tests_compile metrics_ingest_bench carme-metrics
  } >&2
  "$build/tests/bench/metrics_ingest_bench" "$build/backend/metrics/carme-metrics" \
    "${ROUNDS:-3}"
}
