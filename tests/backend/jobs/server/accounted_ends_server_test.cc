// What users and administrators do to a job with Slurm's own tools, on a real
// slurmctld with slurmdbd: Carme follows it, and no limit is exceeded.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/jobs/lifecycle/accounted_ends.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "tests/backend/jobs/server/slurm_fixture.h"
#include "tests/backend/jobs/server/slurm_site.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

// The output of scontrol as ada; empty: success.
std::string AsAda(const std::string& words) {
  return LineOf(absl::StrCat("runuser -u ada -- scontrol ", words));
}

std::string Queue(const Job& job, const std::string& format) {
  return LineOf(
      absl::StrCat("squeue -h -t all -o '", format, "' -j ", IdOf(job)));
}

Job AwaitEnd(SlurmFixture& day, const JobId& id) {
  CHECK(WaitFor([&] { return HasEnded(day.AfterNextPoll(id)); }));
  return day.Get(id);
}

TEST_CASE("slurm: a job keeps its record with any comment", "[backend]") {
  ImpersonatorSite site;
  SlurmFixture day(site.folder.path(), site.impersonator);
  const Job job = day.Submit(SlurmFixture::Small());
  const Job other = day.Submit(SlurmFixture::Later());
  REQUIRE(AwaitState(job, "RUNNING"));
  for (const std::string& comment :
       {std::string("x"), std::string(), "carme:" + other.id.value(),
        "carme:" + job.id.value(), std::string("y")}) {
    INFO(comment);
    CHECK(AsAda(absl::StrCat("update jobid=", IdOf(job), " comment=", comment))
              .empty());
    const Job seen = day.AfterNextPoll(job.id);
    CHECK(seen.state == v1::JOB_STATE_STARTING);
    CHECK(seen.slurm_id == job.slurm_id);
  }
  CHECK(StateOf(job) == "RUNNING");
  CHECK(day.Get(other.id).slurm_id == other.slurm_id);
  const AsUser backend(kBackendUid);
  CHECK_THAT(day.Stop(job.id), IsOk());
  const Job ended = AwaitEnd(day, job.id);
  CHECK(ended.end == v1::JOB_END_STOPPED);
  CHECK(ended.stopped_by == v1::JOB_STOPPED_BY_USER);
  CHECK_THAT(day.Stop(other.id), IsOk());
}

TEST_CASE("slurm: a user's scontrol update is followed, counted and bounded",
          "[backend]") {
  ImpersonatorSite site;
  SlurmFixture day(site.folder.path(), site.impersonator, absl::ZeroDuration(),
                   /*max_gpus_per_job=*/1);
  JobSpec spec = SlurmFixture::Later();
  spec.gpus_per_node = 1;
  spec.gpu_type = "h200";
  const Job job = day.Submit(spec);
  const auto update = [&](const std::string& what) {
    return AsAda(absl::StrCat("update jobid=", IdOf(job), " ", what));
  };
  const auto next = [&] { return day.AfterNextPoll(job.id); };
  const Job before = next();
  INFO(LineOf("scontrol show job " + IdOf(job)));
  CHECK(before.spec.gpus_per_node == 1);
  CHECK(before.spec.gpu_type == "h200");
  CHECK(before.spec.nodes == 1);
  CHECK(before.spec.memory_per_node_mib == 100);
  CHECK(before.spec.cpus_per_node == 1);
  CHECK(before.account == "site");
  CHECK_FALSE(before.over_limit);

  CHECK(update("timelimit=6").empty());
  CHECK(next().spec.walltime == absl::Minutes(6));
  CHECK(update("timelimit=4").empty());
  CHECK(next().spec.walltime == absl::Minutes(4));
  CHECK(update("minmemorynode=300").empty());
  CHECK(next().spec.memory_per_node_mib == 300);
  CHECK(update("qos=short").empty());
  CHECK(next().spec.qos == "short");
  CHECK(update("account=vision").empty());
  CHECK(next().account == "vision");
  CHECK_FALSE(next().over_limit);

  // More GPUs than the limit: held. The impersonator serves the backend's user.
  CHECK(update("trespernode=" + GpuRequest("h200", 2)).empty());
  CHECK(next().spec.gpus_per_node == 2);
  REQUIRE(WaitFor([&] { return day.Get(job.id).over_limit.has_value(); }));
  CHECK(day.Get(job.id).over_limit->violations[0].limit == "max_gpus_per_job");
  {
    const AsUser backend(kBackendUid);
    CHECK(WaitFor([&] { return day.Get(job.id).held; }));
  }
  CHECK(Queue(job, "%r") == "JobHeldUser");
  CHECK(update("trespernode=" + GpuRequest("h200", 1)).empty());
  CHECK(WaitFor([&] { return !day.AfterNextPoll(job.id).over_limit; }));
  CHECK(day.Get(job.id).spec.gpus_per_node == 1);
  // And more nodes, each with a GPU.
  CHECK(update("numnodes=2-2").empty());
  CHECK(next().spec.nodes == 2);
  CHECK(WaitFor([&] { return day.Get(job.id).over_limit.has_value(); }));
  OutputOf("scancel " + IdOf(job));
}

TEST_CASE("slurm: the end names the cancelling user, from slurmdbd",
          "[backend]") {
  ImpersonatorSite site;
  SlurmFixture day(site.folder.path(), site.impersonator);
  REQUIRE(day.usage().IsConfigured());
  const Job by_root = day.Submit(SlurmFixture::Small());
  const Job by_ada = day.Submit(SlurmFixture::Later());
  REQUIRE(AwaitState(by_root, "RUNNING"));
  const Job running = day.AfterNextPoll(by_root.id);
  OutputOf("scancel " + IdOf(by_root));
  OutputOf("runuser -u ada -- scancel " + IdOf(by_ada));
  const Job ended = AwaitEnd(day, by_root.id);
  CHECK(ended.end == v1::JOB_END_STOPPED);
  CHECK(ended.stopped_by == v1::JOB_STOPPED_BY_ADMINISTRATOR);
  CHECK(ended.reason.text == "an administrator cancelled it");
  const Job own = AwaitEnd(day, by_ada.id);
  CHECK(own.stopped_by == v1::JOB_STOPPED_BY_USER);
  CHECK(own.reason.empty());

  // The same, of a job that slurmctld has forgotten.
  const auto runs = day.usage().LoadRuns({by_root.slurm_id});
  REQUIRE_THAT(runs, IsOk());
  const std::vector<SlurmJob> known = EndedRuns(running, *runs);
  REQUIRE(known.size() == 1);
  CHECK(known[0].state == SlurmState::kCancelled);
  CHECK(known[0].cancelled_by == Uid(0));
  CHECK(known[0].nodes == running.nodes);
  CHECK(known[0].started_at == running.started_at);
  REQUIRE(ended.ended_at.has_value());
  // Slurm's end and the end that was recorded when Carme saw it.
  CHECK(absl::AbsDuration(known[0].ends_at - *ended.ended_at) <=
        absl::Minutes(1));
}

}  // namespace
}  // namespace carme::backend
