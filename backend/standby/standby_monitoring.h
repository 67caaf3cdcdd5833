// What a standby answers to monitoring: alive, not ready.
#ifndef CARME_BACKEND_STANDBY_STANDBY_MONITORING_H_
#define CARME_BACKEND_STANDBY_STANDBY_MONITORING_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "common/monitoring/monitored_program.h"

namespace carme::backend {

// Thread-safe.
class StandbyMonitoring : public MonitoredProgram {
 public:
  std::string Metrics() const override;
  // UNAVAILABLE: which process is active.
  absl::Status Ready() const override;

  // Logs the first reason, and others.
  void SetWaitingFor(const absl::Status& reason);

 private:
  mutable absl::Mutex mutex_;
  std::string reason_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_STANDBY_STANDBY_MONITORING_H_
