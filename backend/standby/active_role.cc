#include "backend/standby/active_role.h"

#include "absl/time/time.h"
#include "backend/standby/boot_time.h"
#include "backend/standby/lease_record.h"
#include "backend/standby/standby_monitoring.h"
#include "common/config/program.h"
#include "common/log.h"
#include "common/monitoring/admin_listener.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(500);

// When the last holder of the lease was last seen to work, by this host's
// clock: clocks of different hosts are never compared.
class LeaseObserver {
 public:
  LeaseObserver(std::string state_directory, absl::Duration delay)
      : state_directory_(std::move(state_directory)), delay_(delay) {}

  // Whether no process can still use the lease. Call it regularly.
  absl::StatusOr<bool> HasExpired() {
    ASSIGN_OR_RETURN(const std::optional<LeaseRecord> record,
                     ReadLease(state_directory_));
    const absl::Duration now = TimeSinceBoot();
    if (!seen_ || record != record_) {
      record_ = record;
      since_ = now;
      seen_ = true;
    }
    if (record && (record->released || HasCertainlyEnded(record->holder))) {
      return true;
    }
    return now - since_ >= delay_;
  }

 private:
  const std::string state_directory_;
  const absl::Duration delay_;
  bool seen_ = false;
  std::optional<LeaseRecord> record_;
  absl::Duration since_;
};

// The wait of a standby. Null: a stop signal came.
absl::StatusOr<std::unique_ptr<StateLock>> WaitForLock(
    const std::string& state_directory, const StandbyConfig& config,
    StandbyMonitoring* monitoring) {
  LeaseObserver lease(state_directory, TakeoverDelay(config));
  std::unique_ptr<StateLock> lock;
  while (true) {
    if (lock == nullptr) {
      absl::StatusOr<StateLock> taken = StateLock::Take(state_directory);
      if (taken.ok()) {
        lock = std::make_unique<StateLock>(*std::move(taken));
      } else if (!absl::IsFailedPrecondition(taken.status())) {
        return taken.status();
      } else {
        monitoring->SetWaitingFor(taken.status());
      }
    }
    ASSIGN_OR_RETURN(const bool expired, lease.HasExpired());
    if (lock != nullptr && expired) return lock;
    if (WaitForStopSignal(kPollInterval) != 0) return nullptr;
  }
}

}  // namespace

absl::StatusOr<std::optional<ActiveRole>> ActiveRole::Acquire(
    const std::string& state_directory, const StandbyConfig& config,
    const std::string& metrics_listen) {
  if (!config.enabled) {
    ASSIGN_OR_RETURN(StateLock taken, StateLock::Take(state_directory));
    return ActiveRole(std::make_unique<StateLock>(std::move(taken)), nullptr);
  }
  StandbyMonitoring monitoring;
  auto admin = AdminListener::StartIfSet(metrics_listen, &monitoring);
  ASSIGN_OR_RETURN(std::unique_ptr<StateLock> lock,
                   WaitForLock(state_directory, config, &monitoring));
  admin.reset();
  if (lock == nullptr) return std::nullopt;
  ASSIGN_OR_RETURN(auto lease,
                   ActiveLease::Start({.state_directory = state_directory,
                                       .duration = config.lease,
                                       .end_process = EndAfterLostLease},
                                      lock.get()));
  LogInfo("active: the lease of the state directory is held",
          {{"directory", state_directory}});
  return ActiveRole(std::move(lock), std::move(lease));
}

}  // namespace carme::backend
