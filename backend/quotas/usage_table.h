// The tables `live_usage` and `usage_days`: what jobs have used and may still
// use. REQUIRES for all: in the body of a transaction or query. Errors are the
// database's.
#ifndef CARME_BACKEND_QUOTAS_USAGE_TABLE_H_
#define CARME_BACKEND_QUOTAS_USAGE_TABLE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/policy/limits/quota.h"
#include "backend/store/database.h"
#include "common/ids.h"

namespace carme::backend {

// The usage of one job.
struct JobUsage {
  JobId job{};
  Uid uid = kNoUid;
  std::string project{};  // empty: none
  JobUse use{};
  absl::Time created_at{};
  std::optional<absl::Time> started_at{};
  std::optional<absl::Time> ends_at{};
  std::optional<absl::Time> ended_at{};
  // GPU time of finished runs: of array tasks that have ended, and of runs
  // before a requeue.
  absl::Duration spent{};
  bool was_submitted = true;  // false: it does not count as submitted
};

// The number of the UTC day since 1970, as in `usage_days`.
int64_t DayNumber(absl::Time time);

// Adds what an active job has used at a time and may still use; of a time in
// the past: what it had used then. Pure. `promised_until`: as in
// PromiseUsage().
void AddLiveUsage(const JobUsage& usage,
                  const std::optional<absl::Time>& promised_until,
                  absl::Time now, QuotaUsage* sum);

// What the jobs of a day have used.
struct UsageDay {
  int64_t jobs = 0;           // that were submitted, with active ones
  absl::Duration gpu_time{};  // of ended jobs
};
// The days of a user (empty project), of a project (kNoUid), or of one user in
// one project, by number. Day 0 has all that is older than two months.
absl::StatusOr<std::map<int64_t, UsageDay>> ReadUsageDays(
    Database& db, Uid uid, const std::string& project);

// Call with the record of a new job.
absl::Status BeginUsage(Database& db, const JobUsage& usage);
// Call with each change of the record. An ended job is counted once, however
// often this is called; an unknown job is ignored.
absl::Status FollowUsage(Database& db, const JobUsage& usage);

// The usage of a user (empty project), of a project (kNoUid), or of one user in
// one project. The active job `without` is left out, but counts as submitted
// today.
absl::StatusOr<QuotaUsage> ReadUsage(Database& db, Uid uid,
                                     const std::string& project, absl::Time now,
                                     const JobId& without = {});

// An active job.
absl::StatusOr<std::optional<JobUsage>> FindUsage(Database& db,
                                                  const JobId& job);
// Counts the job until this time, whatever its record has, unless it ends
// before; absent: by its record.
absl::Status PromiseUsage(Database& db, const JobId& job,
                          std::optional<absl::Time> until);

// Aggregates the days before the last two months, and deletes the usage of
// deleted projects.
absl::Status FoldUsage(Database& db, absl::Time now);

}  // namespace carme::backend

#endif  // CARME_BACKEND_QUOTAS_USAGE_TABLE_H_
