// The history of jobs and of their usage.
#ifndef CARME_BACKEND_HISTORY_HISTORY_H_
#define CARME_BACKEND_HISTORY_HISTORY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/history/history_config.h"
#include "backend/history/history_entry.h"
#include "backend/identity/session.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/projects/projects.h"
#include "backend/slurm/accounting/slurm_usage.h"
#include "backend/store/database.h"
#include "carme/v1/history.pb.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe. Reads use their own connection, so that a long one does not
// delay submissions.
class History {
 public:
  static constexpr size_t kMaxUsageSteps = 32;
  static constexpr int kLargestPage = 2000;
  static constexpr size_t kMaxSums = 1000;

  struct Parts {
    Database* database;
    Database* reading;  // may be the same
    const Clock* clock;
    ActiveJobs* active;
    const Projects* projects;
    SlurmUsage* accounting;  // null: not queried
  };
  // All must outlive this.
  History(const Parts& parts, const HistoryConfig& config);

  // INVALID_ARGUMENT; PERMISSION_DENIED: the user may not see the jobs of all
  // users; NOT_FOUND: nor those of that project, or there is none. Other errors
  // are the database's.
  absl::StatusOr<HistoryPage> Page(const Session& caller,
                                   const HistoryFilter& filter, int max,
                                   const std::optional<HistoryPlace>& from);
  // Those of `ids` that are in the history, of any owner: the caller checks who
  // may see them.
  absl::StatusOr<std::vector<HistoryEntry>> Find(
      const std::vector<JobId>& ids) const;
  // Highest GPU time first; running jobs count up to now.
  absl::StatusOr<std::vector<UsageSum>> Usage(const Session& caller,
                                              const UsageQuery& query);

  // The queries of the parts of `whole` that start at these times, each until
  // the next one. One that starts after the end of `whole` has no duration.
  // INVALID_ARGUMENT: too many, not ascending, or before `whole`.
  static absl::StatusOr<std::vector<UsageQuery>> UsageSteps(
      const UsageQuery& whole, const std::vector<absl::Time>& starts);

  // Queries slurmdbd for ended jobs; blocks. Call every few seconds from one
  // thread: without ended jobs it checks once a minute whether slurmdbd
  // responds.
  void Account();
  // Deletes entries beyond the configured retention. Call periodically.
  void Sweep();

  struct Health {
    v1::Accounting::State state = v1::Accounting::STATE_DISABLED;
    std::optional<absl::Time> since{};
    std::optional<absl::Time> asked_at{};
  };
  Health accounting() const;
  const HistoryConfig& config() const { return config_; }

 private:
  absl::Status CheckReader(const Session& caller, Whose whose,
                           const std::string& project) const;
  void AddRunning(const Session& caller, const UsageQuery& query,
                  std::vector<UsageSum>* sums) const;
  absl::Status Match(const std::vector<HistoryEntry>& entries,
                     const std::vector<AccountedRun>& runs);
  void SetState(v1::Accounting::State state, std::string_view why);
  // Whether the last response is too old to say that slurmdbd responds.
  bool IsStale(absl::Time now) const;

  const Parts parts_;
  const HistoryConfig config_;
  absl::Time ask_again_ =
      absl::InfinitePast();  // used by the thread of Account
  mutable absl::Mutex mutex_;
  Health health_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_HISTORY_HISTORY_H_
