// A job with idle GPUs in the Slurm of the private cluster.
#include <catch2/catch.hpp>
#include <string>

#include "backend/notifications/inbox.h"
#include "tests/backend/jobs/server/slurm_fixture.h"
#include "tests/backend/jobs/server/slurm_site.h"

namespace carme::backend {
namespace {

constexpr int kThreshold = 2;

// Each template has this policy, whose times no person could set.
class QuickPolicy : public TemplateLookup {
 public:
  explicit QuickPolicy(v1::GpuIdlePolicy::Action action) : action_(action) {}
  absl::StatusOr<JobTemplate> Find(const std::string& id) const override {
    return JobTemplate{
        .id = id,
        .name = "Quick",
        .gpu_idle = GpuIdlePolicy{.threshold_percent = kThreshold,
                                  .warn_after = absl::Seconds(1),
                                  .act_after = absl::Seconds(2),
                                  .action = action_}};
  }

 private:
  const v1::GpuIdlePolicy::Action action_;
};

// What Ada was told about idle jobs, the newest first.
std::vector<std::string> TextsFor(Database* database) {
  const SystemClock clock;
  std::vector<std::string> texts;
  const std::vector<InboxEvent> events =
      Inbox(database, &clock).List(Uid(20001), 0, 50).value().events;
  for (const InboxEvent& event : events) {
    if (event.kind == v1::NOTIFICATION_KIND_JOB_IDLE) {
      texts.push_back(event.text.text);
    }
  }
  return texts;
}

TEST_CASE("idle GPUs: a busy job runs on, an idle one ends in Slurm",
          "[backend]") {
  ImpersonatorSite site;
  const QuickPolicy policy(v1::GpuIdlePolicy::ACTION_STOP);
  SlurmFixture day(site.folder.path(), site.impersonator, absl::ZeroDuration(),
                   2, &policy);
  const auto made = day.templates().Create({.name = "Quick"});
  REQUIRE_THAT(made, IsOk());
  REQUIRE_THAT(day.templates().Attach(made->job_template.id, "", true), IsOk());
  JobSpec spec = SlurmFixture::Small();
  spec.gpus_per_node = 1;
  const Job job = day.Submit(spec);
  REQUIRE(AwaitState(job, "RUNNING"));
  const Job running = day.AfterNextPoll(job.id);
  REQUIRE(running.nodes.size() == 1);
  day.ReportReady(job.id);
  REQUIRE(day.idle().ListGpuJudgedJobs().size() == 1);
  CHECK(day.idle().ListGpuJudgedJobs()[0].gpus == 1);
  const auto report = [&](absl::Duration idle) {
    day.idle().OnGpuUse(job.id,
                        {.threshold_percent = kThreshold,
                         .idle_for = {{{running.nodes[0], "0"}, idle}}});
  };
  // For longer than its template permits.
  const absl::Time begin = absl::Now();
  REQUIRE(WaitFor([&] {
    report(absl::ZeroDuration());
    return absl::Now() > begin + absl::Seconds(3);
  }));
  CHECK_FALSE(day.Get(job.id).idle);
  CHECK(StateOf(job) == "RUNNING");

  {
    const AsUser backend(kBackendUid);
    REQUIRE(WaitFor([&] {
      report(absl::Now() - begin);
      return HasEnded(day.Get(job.id));
    }));
  }
  CHECK(StateOf(job) != "RUNNING");
  const Job ended = day.Get(job.id);
  CHECK(ended.end == v1::JOB_END_STOPPED);
  CHECK(ended.stopped_by == v1::JOB_STOPPED_BY_CARME);
  CHECK(absl::StartsWith(ended.reason.text,
                         "stopped: its GPUs were idle since "));
  CHECK(absl::EndsWith(ended.reason.text, " (" + running.nodes[0] + ": 0)"));
  // Warned first.
  const std::vector<std::string> texts = TextsFor(&day.database());
  REQUIRE(texts.size() == 2);
  CHECK(absl::StartsWith(texts[0], "Job \"small\" was stopped: its GPUs"));
  CHECK(absl::StartsWith(texts[1], "The GPUs of job \"small\" have been idle"));
}

TEST_CASE("idle GPUs: a job on two nodes returns the idle one and runs on",
          "[backend]") {
  ImpersonatorSite site;
  const QuickPolicy policy(v1::GpuIdlePolicy::ACTION_SHRINK);
  SlurmFixture day(site.folder.path(), site.impersonator, absl::ZeroDuration(),
                   2, &policy);
  const auto made = day.templates().Create({.name = "Quick"});
  REQUIRE_THAT(made, IsOk());
  REQUIRE_THAT(day.templates().Attach(made->job_template.id, "", true), IsOk());
  JobSpec spec = SlurmFixture::Small();
  spec.nodes = 2;
  spec.gpus_per_node = 1;
  const Job job = day.Submit(spec);
  REQUIRE(AwaitState(job, "RUNNING"));
  const std::vector<std::string> nodes = day.AfterNextPoll(job.id).nodes;
  REQUIRE(nodes.size() == 2);
  day.ReportReady(job.id);
  day.SetReturnableNodes(job.id, {nodes[1]});
  // As the job's agent starts it.
  OutputOf(absl::StrCat(
      "runuser -u ada -- sh -c 'cd /; exec srun --jobid=", job.slurm_id.value(),
      " --overlap --mem=0 --mpi=none -N1 -n1 -w ", nodes[1],
      " -J carme-node-agent sleep 600' > /dev/null 2>&1 &"));
  const absl::Time begin = absl::Now();
  {
    const AsUser backend(kBackendUid);
    REQUIRE(WaitFor([&] {
      day.idle().OnGpuUse(
          job.id, {.threshold_percent = kThreshold,
                   .idle_for = {{{nodes[0], "0"}, absl::ZeroDuration()},
                                {{nodes[1], "0"}, absl::Now() - begin}}});
      return day.Get(job.id).nodes.size() == 1;
    }));
  }
  CHECK(StateOf(job) == "RUNNING");
  CHECK(day.Get(job.id).nodes == std::vector<std::string>{nodes[0]});
  CHECK_FALSE(day.Get(job.id).idle);
  day.idle().OnGpuUse(job.id,
                      {.threshold_percent = kThreshold,
                       .idle_for = {{{nodes[0], "0"}, absl::ZeroDuration()}}});
  const std::vector<std::string> texts = TextsFor(&day.database());
  REQUIRE(texts.size() == 2);
  CHECK(absl::StartsWith(
      texts[0],
      absl::StrCat("Job \"small\" continues without ", nodes[1], ",")));
  CHECK(absl::StartsWith(texts[1], "GPUs of job \"small\" have been idle"));
}

}  // namespace
}  // namespace carme::backend
