// What an administrator does with somebody's job: stops, holds, releases or
// extends it, or reads its log, always as the job's owner and with a reason
// that the owner reads.
#ifndef CARME_BACKEND_JOBS_ADMIN_JOBS_H_
#define CARME_BACKEND_JOBS_ADMIN_JOBS_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/session.h"
#include "backend/jobs/jobs.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe; every call blocks as the same call of Jobs. Invariants:
// 1. The action is on the job's record before it is done, and is removed when
//    it failed. Of an ended job, which has no record to change, the
//    notification alone tells the owner.
// 2. The owner is notified of what was done; of a log before it is returned.
// 3. An extension that is asked for again with its idempotency key is recorded
//    and notified once. Two such calls at the same time may both be recorded.
class AdminJobs {
 public:
  // Of a job; older ones are dropped, except the hold in effect and the last
  // stop.
  static constexpr size_t kMaxActions = 16;
  static constexpr size_t kMaxReason = 200;  // characters
  // Reading on in a log with the same reason is one action for so long.
  static constexpr absl::Duration kSameReading = absl::Hours(1);

  struct Parts {
    Jobs* jobs;
    Database* database;
    const Clock* clock;
    // The owner's role, which decides about extensions. NOT_FOUND: the account
    // is not known.
    std::function<absl::StatusOr<Role>(const std::string& username)> role_of;
  };
  // All must outlive this.
  explicit AdminJobs(Parts parts) : parts_(std::move(parts)) {}

  struct Request {
    Session administrator;
    JobId job;
    std::string reason;
    std::string request_id;
  };
  // INVALID_ARGUMENT: no reason; NOT_FOUND: no such job; beside the codes of
  // the same function of Jobs. FAILED_PRECONDITION: Stop of an ended job.
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
  // Whether the job has an extension with this key already.
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
