// carme-backend: authenticates users, decides what they may run, and manages
// their jobs.
#include <malloc.h>

#include "backend/rpc/access/method_registry.h"
#include "backend/slurm/libslurm/slurmctld_release.h"
#include "backend/wiring/backend.h"
#include "backend/wiring/backend_config.h"
#include "backend/wiring/startup_checks.h"
#include "common/config/program.h"

int main(int argc, char** argv) {
  const carme::ProgramFlags flags = carme::ParseFlags(
      argc, argv, "/etc/carme/backend.toml",
      "carme-backend authenticates users, manages their jobs and polls Slurm.",
      carme::LibslurmVersionText());
  const auto config = carme::backend::LoadBackendConfig(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  const absl::Status methods = carme::backend::CheckMethodRegistry();
  if (!methods.ok()) return carme::FailStart(methods);
  if (flags.check_only) return 0;
  const absl::Status environment =
      carme::backend::PrepareEnvironment(config->state_directory);
  if (!environment.ok()) return carme::FailStart(environment);
  // More arenas only cost memory: most of the many threads wait.
  mallopt(M_ARENA_MAX, 2);
  carme::BlockStopSignals();
  const absl::Status ended = carme::backend::RunBackend(*config);
  return ended.ok() ? 0 : carme::FailStart(ended);
}
