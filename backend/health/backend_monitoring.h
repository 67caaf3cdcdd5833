// What the backend answers to monitoring: its metrics, whether it is alive, and
// whether it can serve users.
#ifndef CARME_BACKEND_HEALTH_BACKEND_MONITORING_H_
#define CARME_BACKEND_HEALTH_BACKEND_MONITORING_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/audit/audit_log.h"
#include "backend/health/health_monitor.h"
#include "backend/identity/session/session_store.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/notifications/delivery/notifications.h"
#include "backend/rpc/server/certificate_watch.h"
#include "backend/rpc/server/proxy_connections.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "backend/slurm/poll/slurm_scheduler.h"
#include "backend/storage/storage_reader_client.h"
#include "backend/store/database.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"
#include "common/metrics/operation_meter.h"
#include "common/monitoring/monitored_program.h"

namespace carme::backend {

// Thread-safe. Runs its own thread for what must be read from the disk.
class BackendMonitoring : public MonitoredProgram {
 public:
  // All must outlive the object.
  struct Parts {
    const Clock* clock;
    std::string database_path;
    std::string libslurm;  // its release
    const HealthMonitor* health;
    const OperationMeter* calls;
    StreamDispatcher* streams;
    StreamDispatcher* agent_streams;
    ProxyConnections* proxies;
    const CertificateReport* certificates;
    SessionStore* sessions;
    ActiveJobs* jobs;
    const SlurmScheduler* scheduler;
    const Database* database;
    AuditLog* audit;
    Notifications* notifications;
    const ImpersonatorClient* impersonator;
    const StorageReaderClient* storage_reader;
  };
  explicit BackendMonitoring(Parts parts);

  std::string Metrics() const override;
  // Not OK: the health monitor's thread hangs.
  absl::Status Alive() const override;
  // Not OK: the database cannot be written, Slurm was not polled within a
  // minute, or the impersonator does not respond.
  absl::Status Ready() const override;

 private:
  // What blocks for the disk.
  struct DiskFigures {
    int64_t database_bytes = 0;
    int64_t log_bytes = 0;  // the write-ahead log
    // Undelivered messages; absent: the channel is not offered.
    std::optional<int64_t> mails_waiting{};
    std::optional<int64_t> webhooks_waiting{};
  };
  void WriteCalls(MetricsWriter* writer) const;
  void WriteUsers(MetricsWriter* writer) const;
  void WriteSlurm(absl::Time now, MetricsWriter* writer) const;
  void WriteRootPrograms(MetricsWriter* writer) const;
  void WriteDatabase(MetricsWriter* writer) const;
  void WriteHealth(MetricsWriter* writer) const;
  DiskFigures ReadDiskFigures() const;

  const Parts parts_;
  const absl::Time started_;
  mutable absl::Mutex mutex_;
  DiskFigures disk_ ABSL_GUARDED_BY(mutex_);
  BackgroundThread thread_;  // last: uses the other members
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_HEALTH_BACKEND_MONITORING_H_
