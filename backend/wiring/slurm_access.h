// The component that talks to Slurm and the root programs: polls Slurm's
// controller, submits through the impersonator, reads Slurm's accounting, and
// reads users' storage through the storage reader.
#ifndef CARME_BACKEND_WIRING_SLURM_ACCESS_H_
#define CARME_BACKEND_WIRING_SLURM_ACCESS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "backend/logs/service_log.h"
#include "backend/slurm/accounting/slurm_usage.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "backend/slurm/poll/slurm_scheduler.h"
#include "backend/storage/storage_cache.h"
#include "backend/storage/storage_reader_client.h"
#include "backend/wiring/backend_config.h"
#include "common/clock.h"

namespace carme::backend {

struct SlurmAccess {
  // Reads slurm.conf, and starts no thread: call scheduler->Start() once all
  // components subscribed to its polls. The errors of SlurmScheduler::Create.
  // All must outlive the object.
  static absl::StatusOr<std::unique_ptr<SlurmAccess>> Open(
      const BackendConfig& config, const Clock* clock, ServiceLog* logs);

  SlurmAccess(const BackendConfig& config, const Clock* clock, ServiceLog* logs,
              std::unique_ptr<SlurmScheduler> slurm_scheduler);

  // Null: slurmdbd is not queried.
  SlurmUsage* accounting() { return slurmdbd.get(); }

  const std::unique_ptr<SlurmScheduler> scheduler;
  ImpersonatorClient impersonator;
  StorageReaderClient storage_reader;
  StorageCache storage;
  const std::unique_ptr<SlurmdbdUsage> slurmdbd;  // null: not queried
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_SLURM_ACCESS_H_
