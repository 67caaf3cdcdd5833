// The right of one backend to use the state directory.
#ifndef CARME_BACKEND_STANDBY_ACTIVE_ROLE_H_
#define CARME_BACKEND_STANDBY_ACTIVE_ROLE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "backend/standby/active_lease.h"
#include "backend/standby/standby_config.h"
#include "backend/store/state_lock.h"

namespace carme::backend {

// Held by the active backend; its destruction lets a standby take over, so it
// is destroyed after everything that writes.
class ActiveRole {
 public:
  // Returns at once, or waits as a standby if `config` allows it. nullopt: a
  // stop signal ended the wait. FAILED_PRECONDITION: another process uses the
  // directory, without standby. `metrics_listen`: where monitoring is answered
  // while waiting; empty: nowhere. REQUIRES: BlockStopSignals().
  static absl::StatusOr<std::optional<ActiveRole>> Acquire(
      const std::string& state_directory, const StandbyConfig& config,
      const std::string& metrics_listen);

 private:
  ActiveRole(std::unique_ptr<StateLock> lock,
             std::unique_ptr<ActiveLease> lease)
      : lock_(std::move(lock)), lease_(std::move(lease)) {}
  std::unique_ptr<StateLock> lock_;
  std::unique_ptr<ActiveLease> lease_;  // null without standby
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_STANDBY_ACTIVE_ROLE_H_
