// Real jobs in a real table, and dry runs over them.
#ifndef CARME_TESTS_BACKEND_DRY_RUN_DRY_RUN_SITE_H_
#define CARME_TESTS_BACKEND_DRY_RUN_DRY_RUN_SITE_H_

#include <memory>
#include <optional>
#include <string>

#include "backend/dry_run/dry_run.h"
#include "backend/quotas/usage_table.h"
#include "common/status.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/wait_for.h"

namespace carme::backend {

class DryRunSite : public JobFixture {
 public:
  DryRunSite() {
    history_ =
        std::make_unique<History>(History::Parts{.database = database_.get(),
                                                 .reading = database_.get(),
                                                 .clock = &clock_,
                                                 .active = &jobs_->active(),
                                                 .projects = projects_,
                                                 .accounting = nullptr},
                                  HistoryConfig());
    dry_runs_ =
        std::make_unique<DryRuns>(DryRuns::Parts{.reading = database_.get(),
                                                 .clock = &clock_,
                                                 .history = history_.get(),
                                                 .active = &jobs_->active(),
                                                 .quotas = quotas_,
                                                 .templates = templates_,
                                                 .users = &users_,
                                                 .directory = &directory_});
  }
  static JobSpec Gpus(int gpus, absl::Duration walltime = absl::Hours(1)) {
    return {.gpus_per_node = gpus, .gpu_type = "a100", .walltime = walltime};
  }
  Job Begin(const Session& who, const JobSpec& spec) {
    const absl::StatusOr<Job> job = Submit(who, "", spec);
    REQUIRE_THAT(job, IsOk());
    return *job;
  }
  void Run(const Job& job) {
    slurm_.Run(job.slurm_id);
    slurm_.Poll();
    // The usage is written behind.
    REQUIRE(testing::WaitFor([&] {
      bool has_started = false;
      const absl::Status read =
          database_->Query([&](Database& db) -> absl::Status {
            ASSIGN_OR_RETURN(const std::optional<JobUsage> usage,
                             FindUsage(db, job.id));
            has_started = usage && usage->started_at;
            return absl::OkStatus();
          });
      return read.ok() && has_started;
    }));
  }
  void End(const Job& job) {
    slurm_.End(job.slurm_id, SlurmState::kCompleted);
    slurm_.Poll();
    jobs_->active().FlushEnds(job.owner);
  }
  // A job that runs for some minutes and is in the history.
  Job Ran(const Session& who, const JobSpec& spec, int minutes = 10) {
    const Job job = Begin(who, spec);
    Run(job);
    clock_.Advance(absl::Minutes(minutes));
    End(job);
    return job;
  }
  DryRunResult Try(const QuotaRule& rule) {
    const absl::StatusOr<DryRunResult> result =
        dry_runs_->TryRule(carol_, rule);
    REQUIRE_THAT(result, IsOk());
    return *result;
  }
  DryRunResult Try(const std::string& id, const JobTemplate& settings) {
    const absl::StatusOr<DryRunResult> result =
        dry_runs_->TryTemplate(carol_, id, settings);
    REQUIRE_THAT(result, IsOk());
    return *result;
  }
  static QuotaRule OfRole(QuotaMetric metric, std::optional<int64_t> max) {
    return {.scope = v1::LIMIT_SCOPE_ROLE,
            .name = "user",
            .metric = metric,
            .max = max};
  }
  static QuotaRule OfUser(const std::string& name, QuotaMetric metric,
                          std::optional<int64_t> max) {
    return {.scope = v1::LIMIT_SCOPE_USER,
            .username = name,
            .metric = metric,
            .max = max};
  }

  const Session carol_ = SessionOf("carol", 20003, Role::kAdmin);
  UserStore users_{database_.get(), &clock_};
  std::unique_ptr<History> history_;
  std::unique_ptr<DryRuns> dry_runs_;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_DRY_RUN_DRY_RUN_SITE_H_
