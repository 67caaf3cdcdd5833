// Operations of an administrator on a user's job: stop, hold, release, extend
// and read its log. Each runs as the owner of the job and has a reason that the
// owner can read.
#ifndef CARME_BACKEND_JOBS_ADMIN_JOBS_H_
#define CARME_BACKEND_JOBS_ADMIN_JOBS_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/session.h"
#include "backend/identity/users/user_store.h"
#include "backend/jobs/jobs.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe; every call blocks like the call of Jobs with its name.
// Invariants:
// 1. The action is recorded with the job before it is executed, and removed if
//    it failed. For an ended job, which has no record to change, there is only
//    the notification.
// 2. The owner is notified of each action; for a log before it is returned.
// 3. An extension that is repeated with its idempotency key is recorded and
//    notified once. Two concurrent calls may both be recorded.
class AdminJobs {
 public:
  // Per job; the oldest are dropped, except the hold in effect and the last
  // stop.
  static constexpr size_t kMaxActions = 16;
  static constexpr size_t kMaxReason = 200;  // characters
  // Reading a log again with the same reason within this time is one action.
  static constexpr absl::Duration kSameReading = absl::Hours(1);

  struct Parts {
    Jobs* jobs;
    Database* database;
    const Clock* clock;
    UserStore* users;  // has the owner's role, which limits extensions
  };
  // All must outlive this.
  explicit AdminJobs(const Parts& parts) : parts_(parts) {}

  struct Request {
    Session administrator;
    JobId job;
    std::string reason;
    std::string request_id;
  };
  // INVALID_ARGUMENT: invalid reason; NOT_FOUND: no such job; and the codes of
  // the function of Jobs. FAILED_PRECONDITION: Stop of an ended job.
  absl::StatusOr<Job> Stop(const Request& request);
  absl::StatusOr<Job> Hold(const Request& request);
  absl::StatusOr<Job> Release(const Request& request);
  absl::StatusOr<Job> Extend(const Request& request, absl::Duration by,
                             const std::string& key);
  absl::StatusOr<LogText> ReadLog(const Request& request,
                                  const std::string& app, int64_t offset,
                                  std::optional<uint32_t> task);

 private:
  using Act = std::function<absl::StatusOr<Job>(const Session& owner)>;
  // `key`: the idempotency key of an extension; empty: none.
  absl::StatusOr<Job> Do(const Request& request, AdminActionKind kind,
                         const Act& act, const std::string& key = "");
  // Whether the job already has an extension with this key.
  absl::StatusOr<bool> IsRepeated(const Request& request,
                                  const std::string& key) const;
  absl::StatusOr<Session> OwnerOf(const Job& job) const;
  absl::Status Record(const Request& request, const AdminAction& action);
  void Remove(const JobId& job, const AdminAction& action);
  absl::Status Notify(const Request& request, const Job& job,
                      const AdminAction& action,
                      const std::string& key = "") const;
  AdminAction ActionOf(const Request& request, AdminActionKind kind) const;

  const Parts parts_;
};

// INVALID_ARGUMENT unless 1 to 200 printable characters.
absl::Status CheckAdminReason(const std::string& reason);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_ADMIN_JOBS_H_
