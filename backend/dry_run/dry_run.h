// Checks the jobs of the last week against a limit or template before it is
// saved, with the checks of the policy. Changes nothing.
#ifndef CARME_BACKEND_DRY_RUN_DRY_RUN_H_
#define CARME_BACKEND_DRY_RUN_DRY_RUN_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/dry_run/past_job.h"
#include "backend/history/history.h"
#include "backend/identity/directory.h"
#include "backend/identity/session.h"
#include "backend/identity/users/user_store.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/policy/limits/quota.h"
#include "backend/policy/spec/job_template.h"
#include "backend/policy/spec/violation.h"
#include "backend/quotas/quotas.h"
#include "backend/store/database.h"
#include "backend/templates/templates.h"
#include "common/clock.h"
#include "common/concurrency/concurrency_limiter.h"

namespace carme::backend {

struct DryRunUser {
  std::string username{};
  int examined = 0;
  int refused = 0;
};

struct DryRunJob {
  JobId id{};
  std::string owner{};
  std::string name{};
  absl::Time submitted_at{};
  Violation violation{};  // the first
};

struct DryRunResult {
  int examined = 0;
  absl::Time since{};
  bool truncated = false;
  int refused = 0;
  int unknown = 0;                  // the owner's groups are not known
  std::vector<DryRunUser> users{};  // with refused jobs, the most first
  std::vector<DryRunJob> jobs{};    // the first ones
};

// Thread-safe.
class DryRuns {
 public:
  static constexpr size_t kMaxJobs = 5000;
  static constexpr size_t kMaxUsers = 100;   // in a result
  static constexpr size_t kMaxRefused = 10;  // likewise
  static constexpr absl::Duration kPeriod = absl::Hours(24 * 7);
  // Users whose groups are looked up for one dry run, and the time for that.
  static constexpr int kMaxLookups = 200;
  static constexpr absl::Duration kMaxLookupTime = absl::Seconds(5);

  // All must outlive this.
  struct Parts {
    Database* reading;  // may be a connection for reading
    const Clock* clock;
    History* history;
    ActiveJobs* active;
    Quotas* quotas;
    Templates* templates;
    UserStore* users;
    Directory* directory;
  };
  explicit DryRuns(const Parts& parts) : parts_(parts) {}

  // The jobs that the rule would have refused if it had been set, beside the
  // other rules of today. INVALID_ARGUMENT, NOT_FOUND, UNAVAILABLE: as
  // Quotas::Set; RESOURCE_EXHAUSTED: too many dry runs are running.
  absl::StatusOr<DryRunResult> TryRule(const Session& caller, QuotaRule rule);

  // The jobs of a template that its new settings would have refused; with an
  // empty id, of all jobs those that do not fit the template. Values that the
  // old settings have filled in count as left open. INVALID_ARGUMENT;
  // NOT_FOUND; RESOURCE_EXHAUSTED.
  absl::StatusOr<DryRunResult> TryTemplate(const Session& caller,
                                           const std::string& id,
                                           JobTemplate settings);

 private:
  absl::StatusOr<PastJobs> ReadJobs(const Session& caller) const;
  absl::StatusOr<QuotaRule> Complete(QuotaRule rule) const;

  const Parts parts_;
  // A dry run reads thousands of jobs. A form may start the next one before the
  // last one has ended.
  ConcurrencyLimiter<Uid> running_{4, 3};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_DRY_RUN_DRY_RUN_H_
