// A running job with GPUs whose template has a policy about idle ones.
#ifndef CARME_TESTS_BACKEND_JOBS_ACTIVITY_GPU_IDLE_WORLD_H_
#define CARME_TESTS_BACKEND_JOBS_ACTIVITY_GPU_IDLE_WORLD_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/jobs/activity/gpu_use.h"
#include "backend/notifications/inbox.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {

inline constexpr int kThreshold = 2;
inline constexpr GpuIdlePolicy kPolicy{
    .threshold_percent = kThreshold,
    .warn_after = absl::Minutes(60),
    .act_after = absl::Minutes(90),
    .action = v1::GpuIdlePolicy::ACTION_STOP};

using Minutes = std::map<JobGpu, int>;

inline MeasuredGpus Measured(const Minutes& minutes) {
  MeasuredGpus measured{.threshold_percent = kThreshold};
  for (const auto& [gpu, idle] : minutes) {
    measured.idle_for[gpu] = absl::Minutes(idle);
  }
  return measured;
}

// A job of Ada's that is ready, whose template has the policy.
struct GpuIdleWorld : JobFixture {
  explicit GpuIdleWorld(const std::optional<GpuIdlePolicy>& policy = kPolicy,
                        const std::vector<std::string>& nodes = {"a1"},
                        JobSpec spec = {.gpus_per_node = 2},
                        std::optional<absl::Time> start = {}) {
    if (start) clock_.Set(*start);
    const auto made = templates_->Create({.name = "GPUs", .gpu_idle = policy});
    REQUIRE_THAT(made, IsOk());
    settings = made->job_template;
    REQUIRE_THAT(templates_->Attach(settings.id, "", true), IsOk());
    spec.nodes = static_cast<int>(nodes.size());
    const auto submitted = Submit(ada_, "", spec);
    REQUIRE_THAT(submitted, IsOk());
    slurm_id = submitted->slurm_id;
    slurm_.Run(slurm_id);
    slurm_.Change(slurm_id, [&](SlurmJob& job) { job.nodes = nodes; });
    slurm_.Poll();
    REQUIRE_THAT(admission_->Register(submitted->id, {"127.0.0.1", 34000}),
                 IsOk());
    REQUIRE_THAT(spec.batch
                     ? admission_->ReportRunning(submitted->id)
                     : admission_->ReportApp(submitted->id, kOwnAppReady),
                 IsOk());
    id = submitted->id;
    started_at = clock_.Now();
  }
  // At this minute of the job these GPUs have been idle for so long.
  void At(int minute, const Minutes& minutes) {
    const absl::Time at = started_at + absl::Minutes(minute);
    if (at > clock_.Now()) clock_.Advance(at - clock_.Now());
    jobs_->idle().OnGpuUse(id, Measured(minutes));
  }
  void At(int minute, int first, int second) {
    At(minute, {{{"a1", "0"}, first}, {{"a1", "1"}, second}});
  }
  void At(int minute) { At(minute, minute, minute); }
  Job Now() { return JobFixture::Now(id); }
  bool IsReady() { return Now().state == v1::JOB_STATE_READY; }
  std::vector<std::string> Notified() {
    std::vector<std::string> texts;
    const std::vector<InboxEvent> events =
        Inbox(database_.get(), &clock_).List(ada_.uid, 0, 50).value().events;
    for (const InboxEvent& event : events) {
      if (event.kind == v1::NOTIFICATION_KIND_JOB_IDLE) {
        texts.push_back(event.text.text);
      }
    }
    return texts;
  }

  JobTemplate settings;
  JobId id;
  SlurmJobId slurm_id;
  absl::Time started_at;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_JOBS_ACTIVITY_GPU_IDLE_WORLD_H_
