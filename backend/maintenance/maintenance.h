// Maintenance of the site. While it is in effect no new jobs are accepted,
// except those of administrators, who test; running jobs and open apps
// continue. It is stored in the database and survives a restart.
//
// A reservation in Slurm is recorded before it is requested. A maintenance is
// recorded only when Slurm has confirmed its reservation; a reservation that no
// maintenance uses is deleted, and this is retried until Slurm has done it.
#ifndef CARME_BACKEND_MAINTENANCE_MAINTENANCE_H_
#define CARME_BACKEND_MAINTENANCE_MAINTENANCE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/audit/audit_log.h"
#include "backend/identity/role.h"
#include "backend/maintenance/maintenance_rules.h"
#include "backend/maintenance/maintenance_table.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/reserver.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe. Error messages are for the administrator.
class Maintenance {
 public:
  // All must outlive the object.
  struct Parts {
    Database* database;
    const Clock* clock;
    Reserver* reserver;
    AuditLog* audit;
  };
  static absl::StatusOr<std::unique_ptr<Maintenance>> Open(const Parts& parts);

  // Announced or in effect. Nothing: none.
  std::optional<MaintenanceWindow> Current() const;
  // Why a job of a user with this role is refused now. Nothing: it is not.
  std::optional<Violation> CheckSubmission(Role role) const;

  // Starts, announces or replaces it. Blocks for operations of the reserver if
  // a reservation is requested. The codes of CheckMaintenance();
  // FAILED_PRECONDITION, PERMISSION_DENIED, RESOURCE_EXHAUSTED: Slurm or the
  // impersonator refused the reservation; UNAVAILABLE. After an error the
  // current maintenance is unchanged.
  absl::StatusOr<MaintenanceWindow> Start(const PosixUser& administrator,
                                          const MaintenanceRequest& request,
                                          const std::string& request_id);
  // OK if there is none. Returns the reservation that Slurm still has; it is
  // deleted later. Blocks for an operation of the reserver.
  absl::StatusOr<std::string> End(const std::string& request_id);

  // Ends a maintenance that ends by itself, and deletes unused reservations.
  // Call every few seconds.
  void Reconcile();

 private:
  explicit Maintenance(const Parts& parts) : parts_(parts) {}

  absl::StatusOr<std::string> Reserve(const PosixUser& owner,
                                      const MaintenanceWindow& window,
                                      const std::string& request_id)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(changing_);
  absl::StatusOr<std::string> EndIt(const std::string& request_id)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(changing_);
  // Returns one that Slurm still has; empty: none.
  std::string DeleteUnused(const std::string& request_id)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(changing_);
  void Set(std::optional<MaintenanceWindow> window);

  const Parts parts_;
  // Held during a change, also while Slurm is waited for.
  absl::Mutex changing_;
  absl::Time next_try_ ABSL_GUARDED_BY(changing_) = absl::InfinitePast();
  mutable absl::Mutex mutex_;
  std::optional<MaintenanceWindow> current_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_MAINTENANCE_MAINTENANCE_H_
