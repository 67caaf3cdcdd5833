// Failures of a real Slurm: what happens to jobs behind Carme's back is
// in the record after the first poll that has it, and what no poll had is
// not guessed.
#include <signal.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "tests/backend/jobs/server/slurm_fixture.h"
#include "tests/backend/jobs/server/slurm_site.h"
#include "tests/support/signals.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

// A pending job outside of Carme; returns its record in Slurm.
std::string SubmitOther(const std::string& user, const std::string& options) {
  return LineOf(absl::StrCat("runuser -u ", user,
                             " -- sbatch --parsable -D /tmp -o /dev/null "
                             "--mem=100 -b now+1hour ",
                             options, " --wrap 'sleep 60'"));
}
std::string ShownOf(const std::string& id) {
  return LineOf(
      absl::StrCat("squeue -h -t all -o '%A %T %u %l %j %k' -j ", id));
}

TEST_CASE("slurm failure: changes by others appear in the record at once",
          "[backend]") {
  ImpersonatorSite site;
  const std::string others[] = {
      SubmitOther("bob", ""), SubmitOther("ada", ""),
      SubmitOther("ada", "--comment=carme:"),
      SubmitOther("ada", "--comment=carme:abcdefghijklmno1")};
  std::vector<std::string> shown;
  for (const std::string& id : others) shown.push_back(ShownOf(id));

  // A look begins as often as that; this test's own looks are more frequent.
  CHECK(SlurmConfig().poll_interval < absl::Seconds(2));
  SlurmFixture day(site.folder.path(), site.impersonator);
  const Job job = day.Submit(SlurmFixture::Later());
  const auto next = [&] { return day.AfterNextPoll(job.id); };
  CHECK(next().state == v1::JOB_STATE_PENDING);

  Scontrol("uhold " + IdOf(job));
  CHECK(next().held);
  Scontrol("release " + IdOf(job));
  CHECK_FALSE(next().held);
  Scontrol("hold " + IdOf(job));
  CHECK(next().reason.text ==
        "held by an administrator, who alone can release it");
  Scontrol("release " + IdOf(job));
  Scontrol(absl::StrCat("update jobid=", IdOf(job),
                        " name=renamed timelimit=7 requeue=1"));
  CHECK(next().spec.name == "renamed");
  CHECK(next().spec.walltime == absl::Minutes(7));

  Scontrol(absl::StrCat("update jobid=", IdOf(job), " starttime=now"));
  REQUIRE(AwaitState(job, "RUNNING"));
  const Job running = next();
  CHECK(running.state == v1::JOB_STATE_STARTING);
  CHECK(running.nodes.size() == 1);
  REQUIRE(running.started_at.has_value());
  CHECK(running.ends_at == *running.started_at + absl::Minutes(7));

  Scontrol(absl::StrCat("update jobid=", IdOf(job), " timelimit=4"));
  CHECK(next().spec.walltime == absl::Minutes(4));
  CHECK(next().ends_at == *running.started_at + absl::Minutes(4));
  Scontrol("suspend " + IdOf(job));
  CHECK(next().reason.text == "suspended by Slurm");
  Scontrol("resume " + IdOf(job));
  CHECK(next().reason.empty());

  Scontrol("requeue " + IdOf(job));
  REQUIRE(AwaitState(job, "PENDING"));
  const Job requeued = next();
  CHECK(requeued.state == v1::JOB_STATE_PENDING);
  CHECK(requeued.nodes.empty());
  CHECK_FALSE(requeued.started_at.has_value());

  OutputOf("scancel " + IdOf(job) + " 2>&1");
  CHECK(next().end == v1::JOB_END_STOPPED);

  for (size_t i = 0; i < shown.size(); ++i) {
    CHECK(ShownOf(others[i]) == shown[i]);
  }
}

TEST_CASE("slurm failure: a job that lost a node, then the other",
          "[backend]") {
  ImpersonatorSite site;
  SlurmFixture day(site.folder.path(), site.impersonator);
  JobSpec spec = SlurmFixture::Small();
  spec.nodes = 2;
  const Job job = day.Submit(spec);
  REQUIRE(AwaitState(job, "RUNNING"));
  CHECK(day.AfterNextPoll(job.id).nodes.size() == 2);
  // scontrol leaves a script for the job where it is called.
  const std::string refusal = OutputOf(absl::StrCat(
      "cd ", site.folder.path(),
      " && scontrol update numnodes=1 jobid=", IdOf(job), " 2>&1"));
  if (refusal.find("no longer pending") != std::string::npos) {
    WARN("this slurmctld shrinks no job with --ntasks-per-node, as 24.11");
    return;
  }
  const std::vector<std::string> left = day.AfterNextPoll(job.id).nodes;
  REQUIRE(left.size() == 1);
  Scontrol(absl::StrCat("update state=down reason=test nodename=", left[0]));
  REQUIRE(AwaitState(job, "NODE_FAIL"));
  const Job ended = day.AfterNextPoll(job.id);
  CHECK(ended.end == v1::JOB_END_NODE_FAIL);
  CHECK(ended.reason.text ==
        absl::StrCat("node ", left[0], " failed: start it again"));
  // It may recover by itself. The node is notified that the job has ended.
  OutputOf("scontrol update state=resume nodename=" + left[0] + " 2>&1");
  Scontrol("reconfigure");
  CHECK(WaitFor(NodesAreIdle));
}

TEST_CASE("slurm: a job that returned a node goes on, counted as one node",
          "[backend]") {
  ImpersonatorSite site;
  SlurmFixture day(site.folder.path(), site.impersonator);
  JobSpec spec = SlurmFixture::Small();
  spec.nodes = 2;
  spec.gpus_per_node = 1;
  const Job job = day.Submit(spec);
  REQUIRE(AwaitState(job, "RUNNING"));
  const Job before = day.AfterNextPoll(job.id);
  REQUIRE(before.nodes.size() == 2);
  day.ReportReady(job.id);
  // scontrol leaves a script for the job where it is called.
  const std::string refusal = OutputOf(absl::StrCat(
      "cd /home/ada && runuser -u ada -- scontrol update numnodes=1 "
      "jobid=",
      IdOf(job), " 2>&1"));
  if (refusal.find("no longer pending") != std::string::npos) {
    WARN("this slurmctld shrinks no job with --ntasks-per-node, as 24.11");
    return;
  }
  const Job after = day.AfterNextPoll(job.id);
  CHECK(after.state == v1::JOB_STATE_READY);
  CHECK(after.reason.empty());
  CHECK_FALSE(after.over_limit);
  CHECK(after.nodes == std::vector<std::string>{before.nodes[0]});
  CHECK(after.spec.nodes == 1);
  CHECK(after.spec.cpus_per_node == 1);
  CHECK(after.spec.memory_per_node_mib == 100);
  CHECK(after.spec.gpus_per_node == 1);
  CHECK(after.started_at == before.started_at);
  // The time with two nodes stays counted.
  REQUIRE(after.sized.has_value());
  CHECK(after.sized->gpus == 1);
  CHECK(after.spent.gpus > absl::ZeroDuration());
  CHECK(StateOf(job) == "RUNNING");
  const AsUser backend(kBackendUid);
  CHECK_THAT(day.Stop(job.id), IsOk());
  CHECK(WaitFor(
      [&] { return day.AfterNextPoll(job.id).end == v1::JOB_END_STOPPED; }));
}

// Nothing reaches node n2 from the head any more, as if it had lost its power.
class Vanished {
 public:
  Vanished() { OutputOf("ip route add unreachable 10.77.0.12/32 2>&1"); }
  ~Vanished() {
    OutputOf("ip route del unreachable 10.77.0.12/32 2>&1");
    // Else slurmctld asks it again after a while only.
    OutputOf("scontrol reconfigure 2>&1");
    CHECK(WaitFor(NodesAreIdle));
  }
};

TEST_CASE("slurm failure: a job ends with a reason when its node vanishes",
          "[backend]") {
  ImpersonatorSite site;
  SlurmFixture day(site.folder.path(), site.impersonator);
  JobSpec spec = SlurmFixture::Small();
  spec.gpus_per_node = 1;
  spec.gpu_type = "a100";
  const Job job = day.Submit(spec);
  REQUIRE(AwaitState(job, "RUNNING"));
  const MoreConf conf("SlurmdTimeout=6", MoreConf::How::kReconfigure);
  const Vanished vanished;
  REQUIRE(AwaitState(job, "NODE_FAIL"));
  const Job ended = day.AfterNextPoll(job.id);
  CHECK(ended.end == v1::JOB_END_NODE_FAIL);
  CHECK(ended.reason.text == "node n2 failed: start it again");
}

// slurmctld does not respond, and closes no connection.
struct Frozen {
  Frozen() { REQUIRE((pid > 1 && testing::Signal(pid, SIGSTOP))); }
  ~Frozen() { testing::Signal(pid, SIGCONT); }
  const pid_t pid =
      std::stoi(ReadFile("/run/slurm/slurmctld.pid").value_or("0"));
};

TEST_CASE("slurm failure: stops and extensions wait until slurmctld is back",
          "[backend]") {
  const EndJobs end;
  const TempDir folder;
  const ImpersonatorProcess impersonator(
      "[extensions]\nmax_walltime_min = 120\n");
  SlurmFixture day(folder.path(), impersonator);
  const Job stopped = day.Submit(SlurmFixture::Small());
  const Job waiting = day.Submit(SlurmFixture::Later());
  const Job extended = day.Submit(SlurmFixture::Small());
  REQUIRE(AwaitState(stopped, "RUNNING"));
  REQUIRE(AwaitState(extended, "RUNNING"));
  REQUIRE(IsRunning(day.AfterNextPoll(extended.id)));
  {
    const Frozen frozen;
    const AsUser backend(kBackendUid);
    // Before it is observed, and after.
    const absl::Time begun = absl::Now();
    const absl::StatusOr<Job> first = day.Stop(stopped.id);
    CHECK(absl::Now() - begun < absl::Seconds(12));
    CHECK_FALSE(day.IsReachable());
    const absl::Time known = absl::Now();
    const absl::StatusOr<Job> second = day.Stop(waiting.id);
    const absl::StatusOr<Job> longer =
        day.Extend(extended.id, absl::Minutes(30));
    const absl::StatusOr<LogText> log = day.ReadLog(extended.id);
    CHECK(absl::Now() - known < absl::Seconds(5));
    for (const absl::StatusOr<Job>& stop : {first, second}) {
      INFO(stop.status().ToString());
      REQUIRE_THAT(stop, IsOk());
      CHECK(stop->state == v1::JOB_STATE_STOPPING);
      CHECK(stop->reason.text ==
            "Slurm does not respond: the job is stopped as soon as it does");
    }
    INFO(longer.status().ToString());
    REQUIRE_THAT(longer, IsOk());
    CHECK(longer->pending_extension == absl::Minutes(30));
    INFO(log.status().ToString());
    CHECK_THAT(log, IsOk());
  }
  const AsUser backend(kBackendUid);
  REQUIRE(WaitFor([&] {
    return HasEnded(day.Get(stopped.id)) && HasEnded(day.Get(waiting.id)) &&
           !day.Get(extended.id).pending_extension;
  }));
  CHECK(day.Get(stopped.id).end == v1::JOB_END_STOPPED);
  CHECK(day.Get(waiting.id).end == v1::JOB_END_STOPPED);
  CHECK(day.Get(extended.id).spec.walltime == absl::Minutes(35));
}

TEST_CASE("slurm failure: accepts jobs right after an outage", "[backend]") {
  ImpersonatorSite site;
  SlurmFixture day(site.folder.path(), site.impersonator);
  const auto refusal = [&] {
    const Decision decision = day.Preview(SlurmFixture::Small());
    return decision.violations.empty() ? "" : decision.violations[0].value;
  };
  for (const char* state : {"down", "drain", "inactive"}) {
    Scontrol(absl::StrCat("update partitionname=main state=", state));
    REQUIRE(day.Refresh());
    CHECK(refusal() == state);
    Scontrol("update partitionname=main state=up");
    CHECK(refusal().empty());
  }
}

TEST_CASE("slurm failure: a job that Slurm deleted unseen has an unknown end",
          "[backend]") {
  ImpersonatorSite site;
  const MoreConf conf("MinJobAge=2", MoreConf::How::kRestart);
  Job first, second;
  {
    SlurmFixture day(site.folder.path(), site.impersonator);
    first = day.Submit(SlurmFixture::Small(), "first");
    second = day.Submit(SlurmFixture::Small(), "second");
    REQUIRE(AwaitState(first, "RUNNING"));
    REQUIRE(AwaitState(second, "RUNNING"));
  }
  {
    // Two minutes ago; and the answer of the second one's submission was lost.
    const auto database =
        Database::Open(site.folder.File("carme.db"), Migrations()).value();
    Job row = JobStore(database.get()).Find(second.id).value();
    row.slurm_id = SlurmJobId();
    row.state = v1::JOB_STATE_SUBMITTING;
    REQUIRE_THAT(JobStore(database.get()).Update({row}), IsOk());
    REQUIRE_THAT(database->Query([](Database& self) -> absl::Status {
      return self
          .Prepare(
              "UPDATE jobs SET created_at = created_at - "
              "120000000")
          ->Run();
    }),
                 IsOk());
  }
  // Between two polls each ends in another way, and Slurm purges them.
  OutputOf(absl::StrCat("scancel ", IdOf(first), " ", IdOf(second), " 2>&1"));
  REQUIRE(WaitFor(
      [&] { return StateOf(first).empty() && StateOf(second).empty(); }));
  SlurmFixture day(site.folder.path(), site.impersonator, absl::Seconds(11));
  REQUIRE(WaitFor([&] {
    return HasEnded(day.Get(first.id)) && HasEnded(day.Get(second.id));
  }));
  CHECK(day.Get(first.id).end == v1::JOB_END_UNKNOWN);
  CHECK(day.Get(first.id).reason.text ==
        "Slurm removed the job before its end was observed");
  CHECK(day.Get(second.id).end == v1::JOB_END_UNKNOWN);
  CHECK_THAT(day.Get(second.id).reason.text,
             Catch::StartsWith("it is not known"));
  // The keys have had their jobs.
  CHECK(day.Submit(SlurmFixture::Small(), "first").id == first.id);
  CHECK(day.Submit(SlurmFixture::Small(), "second").id == second.id);
}

}  // namespace
}  // namespace carme::backend
