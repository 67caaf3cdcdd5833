// The tables `live_usage` and `usage_days`: what jobs have used, and what they
// may still use. Each function is part of something greater and runs in the
// body of a transaction or query; errors are the database's.
#ifndef CARME_BACKEND_QUOTAS_USAGE_TABLE_H_
#define CARME_BACKEND_QUOTAS_USAGE_TABLE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/policy/limits/quota.h"
#include "backend/store/database.h"
#include "common/ids.h"

namespace carme::backend {

// Of one job, as the usage has it.
struct JobUsage {
  JobId job{};
  Uid uid = kNoUid;
  std::string project{};  // empty: none
  JobUse use{};
  absl::Time created_at{};
  std::optional<absl::Time> started_at{};
  std::optional<absl::Time> ends_at{};
  std::optional<absl::Time> ended_at{};
  // GPUs × time of runs that are over: of an array's tasks that have ended, and
  // before a requeue.
  absl::Duration spent{};
  bool was_submitted = true;  // false: it does not count as made
};

// With the record of a new job.
absl::Status BeginUsage(Database& db, const JobUsage& usage);
// With each change of the record. A job that has ended is counted once, however
// often this is said; of one that is not known nothing happens.
absl::Status FollowUsage(Database& db, const JobUsage& usage);

// Whose usage: all of a person's, with an empty project; all of a project's,
// with kNoUid; or one person's in one project. A live job `without` is left
// out, except that it was made today.
absl::StatusOr<QuotaUsage> ReadUsage(Database& db, Uid uid,
                                     const std::string& project,
                                     absl::Time now,
                                     const JobId& without = {});

// A job that has not ended.
absl::StatusOr<std::optional<JobUsage>> FindUsage(Database& db,
                                                  const JobId& job);
// Counts the job until then, whatever its record says, unless it ends before;
// absent: as the record says.
absl::Status PromiseUsage(Database& db, const JobId& job,
                          std::optional<absl::Time> until);

// Adds up the days before the last two months, and forgets projects that are
// not there any more.
absl::Status FoldUsage(Database& db, absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_QUOTAS_USAGE_TABLE_H_
