// carme-metrics: receives the samples of jobs and answers what they show.
#include <malloc.h>
#include <signal.h>

#include "backend/metrics/wiring/metrics_config.h"
#include "backend/metrics/wiring/metrics_program.h"
#include "common/config/program.h"
#include "common/grpc/grpc_log.h"

int main(int argc, char** argv) {
  const carme::ProgramFlags flags = carme::ParseFlags(
      argc, argv, "/etc/carme/metrics.toml",
      "carme-metrics receives the samples of jobs, writes them into a "
      "time-series database and keeps archives of ended jobs.");
  const auto config = carme::metrics::LoadMetricsConfig(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  if (flags.check_only) return 0;
  // More arenas only cost memory: most of the many threads wait.
  mallopt(M_ARENA_MAX, 2);
  carme::BlockStopSignals();
  // It reads new certificates every second, without a signal.
  signal(SIGHUP, SIG_IGN);
  carme::TakeGrpcLog();
  const absl::Status ended = carme::metrics::RunMetrics(*config);
  return ended.ok() ? 0 : carme::FailStart(ended);
}
