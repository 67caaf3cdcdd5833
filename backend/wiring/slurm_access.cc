#include "backend/wiring/slurm_access.h"

#include <utility>

#include "common/status.h"

namespace carme::backend {

absl::StatusOr<std::unique_ptr<SlurmAccess>> SlurmAccess::Open(
    const BackendConfig& config, const Clock* clock, ServiceLog* logs) {
  ASSIGN_OR_RETURN(auto scheduler, SlurmScheduler::Create(config.slurm));
  return std::make_unique<SlurmAccess>(config, clock, logs,
                                       std::move(scheduler));
}

SlurmAccess::SlurmAccess(const BackendConfig& config, const Clock* clock,
                         ServiceLog* logs,
                         std::unique_ptr<SlurmScheduler> slurm_scheduler)
    : scheduler(std::move(slurm_scheduler)),
      impersonator(config.impersonator, scheduler.get(), logs),
      storage_reader(config.storage_reader, logs),
      storage(&storage_reader, clock),
      slurmdbd(config.history.ask_slurmdbd ? std::make_unique<SlurmdbdUsage>()
                                           : nullptr) {}

}  // namespace carme::backend
