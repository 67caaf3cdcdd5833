// What Slurm reports of a job against what Carme has of it: identity, size,
// limits, end and use.
#include "backend/jobs/lifecycle/accounted_ends.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/history/history_table.h"
#include "backend/jobs/model/slurm_identity.h"
#include "backend/notifications/event.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using SlurmOutcome = FakeSlurm::SlurmOutcome;

void SetComment(JobFixture& world, SlurmJobId id, const JobId& named) {
  world.slurm_.Change(id, [&](SlurmJob& job) { job.carme_id = named; });
}

// The texts of the notifications of this kind, oldest first.
std::vector<std::string> Notified(JobFixture& world, EventKind kind) {
  std::vector<std::string> texts;
  REQUIRE_THAT(world.database_->Query([&](Database& db) -> absl::Status {
    auto rows = db.Prepare(
                      "SELECT text FROM events WHERE kind = ? "
                      "ORDER BY id")
                    .value();
    rows.Bind(1, static_cast<int64_t>(kind));
    while (rows.Step().value()) texts.push_back(rows.Text(0));
    return absl::OkStatus();
  }),
               IsOk());
  return texts;
}

Quotas::Asker AskerOf(const Session& session) {
  return {.uid = session.uid,
          .role = session.role,
          .groups = std::vector<std::string>()};
}

class FakeUsage : public SlurmUsage {
 public:
  bool IsConfigured() const override { return true; }
  absl::StatusOr<std::vector<AccountedRun>> LoadRuns(
      const std::vector<SlurmJobId>& /*jobs*/) override {
    absl::MutexLock lock(&mutex_);
    ++asked_;
    if (silent_) return absl::UnavailableError("silent");
    return runs_;
  }
  void Set(std::vector<AccountedRun> runs) {
    absl::MutexLock lock(&mutex_);
    runs_ = std::move(runs);
  }
  void SetSilent(bool silent) {
    absl::MutexLock lock(&mutex_);
    silent_ = silent;
  }
  int Asked() {
    absl::MutexLock lock(&mutex_);
    return asked_;
  }

 private:
  absl::Mutex mutex_;
  std::vector<AccountedRun> runs_ ABSL_GUARDED_BY(mutex_);
  bool silent_ ABSL_GUARDED_BY(mutex_) = false;
  int asked_ ABSL_GUARDED_BY(mutex_) = 0;
};

AccountedRun RunOf(const Job& job, SlurmState state) {
  AccountedRun run;
  run.id = job.slurm_id;
  run.uid = job.owner_uid;
  run.submitted = *job.slurm_submitted_at;
  run.state = state;
  run.started = run.submitted;
  run.ended = run.submitted + absl::Seconds(20);
  run.nodes = {"a1"};
  return run;
}

// With slurmdbd; polls until the job has ended.
struct AccountedWorld : FakeUsage, JobFixture {
  AccountedWorld() {
    accounting_ = this;
    Restart();
  }
  ~AccountedWorld() override { Stop(); }
  Job AwaitEnd(const JobId& id) {
    CHECK(testing::WaitFor([&] {
      slurm_.Poll();
      return HasEnded(Now(id));
    }));
    return Now(id);
  }
};

TEST_CASE("identity: another user, id, kind or time of submission is another",
          "[jobs]") {
  Job record;
  record.id = JobId("abcdefghijklmno1");
  record.owner_uid = Uid(20001);
  record.created_at = absl::FromUnixSeconds(1'800'000'000);
  SlurmJob slurm =
      SlurmJobOf(SlurmJobId(7), record.id, Uid(20001), SlurmState::kRunning);
  slurm.submitted = record.created_at;
  CHECK_FALSE(IsRecordsJob(record, slurm));  // its id is not known
  CHECK(MayAdopt(record, slurm));
  record.slurm_id = SlurmJobId(7);
  CHECK(IsRecordsJob(record, slurm));
  CHECK_FALSE(MayAdopt(record, slurm));
  const SlurmJob own = slurm;
  RecordSubmitTime(slurm, &record);
  slurm.uid = Uid(20002);
  CHECK_FALSE(IsRecordsJob(record, slurm));
  slurm = own;
  slurm.id = SlurmJobId(8);
  CHECK_FALSE(IsRecordsJob(record, slurm));
  slurm = own;
  slurm.array = SlurmJobId(7);
  CHECK_FALSE(IsRecordsJob(record, slurm));
  slurm = own;
  slurm.submitted += absl::Seconds(1);
  CHECK_FALSE(IsRecordsJob(record, slurm));
  slurm.restarts = 1;  // requeued
  CHECK(IsRecordsJob(record, slurm));
  slurm.submitted = own.submitted - absl::Seconds(1);
  CHECK_FALSE(IsRecordsJob(record, slurm));
  // Before the time is recorded it must be that of the record.
  record.slurm_submitted_at.reset();
  CHECK(IsRecordsJob(record, own));
  slurm = own;
  for (const absl::Duration late : {-absl::Minutes(11), absl::Minutes(11)}) {
    slurm.submitted = own.submitted + late;
    CHECK_FALSE(IsRecordsJob(record, slurm));
  }
  // Adopted is only what names the record, and is not older than it.
  record.slurm_id = SlurmJobId();
  slurm = own;
  slurm.carme_id = JobId("abcdefghijklmno2");
  CHECK_FALSE(MayAdopt(record, slurm));
  slurm = own;
  slurm.submitted = record.created_at - absl::Minutes(11);
  CHECK_FALSE(MayAdopt(record, slurm));
}

TEST_CASE("reconciler: ignores a changed comment", "[jobs]") {
  JobFixture world(/*max_running_jobs=*/1);
  const Job job = world.Registered();
  const JobId ended_id = [&] {
    world.slurm_.set_outcome(SlurmOutcome::kRequestLost);
    const Job lost = world.Submit(world.bob_).value();
    return lost.id;
  }();
  for (const JobId& named : {JobId(), NewJobId(), ended_id, job.id}) {
    SetComment(world, job.slurm_id, named);
    world.clock_.Advance(absl::Seconds(30));
    world.slurm_.Poll();
    CHECK(world.Now(job.id).state == v1::JOB_STATE_STARTING);
    CHECK(world.Now(job.id).slurm_id == job.slurm_id);
    CHECK(world.slurm_.Tracked().contains(job.slurm_id));
    // It counts against the limit of one job.
    world.slurm_.set_outcome(SlurmOutcome::kAccepted);
    CHECK(absl::IsResourceExhausted(world.Submit(world.ada_).status()));
    world.Restart();
    world.slurm_.Poll();
    CHECK(world.Now(job.id).state == v1::JOB_STATE_STARTING);
  }
  CHECK(world.slurm_.Cancelled().empty());
  SetComment(world, job.slurm_id, JobId());
  REQUIRE_THAT(world.jobs_->Stop(world.ada_, job.id, "r"), IsOk());
  CHECK(world.slurm_.Cancelled() == std::vector<SlurmJobId>{job.slurm_id});
}

TEST_CASE("reconciler: a comment that names an ended record cancels no job",
          "[jobs]") {
  JobFixture world;
  world.slurm_.set_outcome(SlurmOutcome::kRequestLost);
  const Job lost = world.Submit(world.ada_).value();
  world.clock_.Advance(absl::Seconds(61));
  world.slurm_.Poll();
  REQUIRE(world.Now(lost.id).end == v1::JOB_END_NOT_SUBMITTED);
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  const Job job = world.Registered();
  SetComment(world, job.slurm_id, lost.id);
  for (int i = 0; i < 3; ++i) {
    world.clock_.Advance(absl::Seconds(11));
    world.slurm_.Poll();
  }
  CHECK(world.Now(job.id).state == v1::JOB_STATE_STARTING);
  // Nor does one that belongs to no record, and is older than the one named.
  SlurmJob foreign =
      SlurmJobOf(SlurmJobId(77), lost.id, world.ada_.uid, SlurmState::kRunning);
  foreign.submitted = lost.created_at - absl::Hours(1);
  world.slurm_.Put(foreign);
  world.slurm_.Poll();
  world.slurm_.Poll();
  CHECK(world.slurm_.Cancelled().empty());
}

TEST_CASE("reconciler: a record adopts no job that another record has",
          "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  world.slurm_.set_outcome(SlurmOutcome::kRequestLost);
  const Job waits = world.Submit(world.ada_).value();
  SetComment(world, job.slurm_id, waits.id);
  world.clock_.Advance(absl::Seconds(1));
  world.slurm_.Poll();
  CHECK_FALSE(InSlurm(world.Now(waits.id)));
  CHECK(world.Now(job.id).slurm_id == job.slurm_id);
  CHECK(world.Now(job.id).state == v1::JOB_STATE_STARTING);
}

TEST_CASE("reconciler: of two records with one Slurm id the newer has the job",
          "[jobs]") {
  // Slurm lost its last seconds, and gave the id again.
  JobFixture world;
  const Job first = world.Submit(world.ada_).value();
  const SlurmJobId id = first.slurm_id;
  world.slurm_.DeleteJob(id);
  world.clock_.Advance(absl::Seconds(5));
  const Job second = world.Submit(world.ada_).value();
  REQUIRE(second.slurm_id == id);
  const bool changed = GENERATE(false, true);
  if (changed) SetComment(world, id, JobId());
  world.clock_.Advance(absl::Seconds(20));
  world.slurm_.Poll();
  CHECK(world.Now(first.id).end == v1::JOB_END_UNKNOWN);
  CHECK(world.Now(second.id).state == v1::JOB_STATE_PENDING);
  CHECK(world.slurm_.Cancelled().empty());
}

TEST_CASE("agents: one registers although the comment was changed", "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  world.slurm_.Run(job.slurm_id);
  SetComment(world, job.slurm_id, JobId());
  world.slurm_.Poll();
  const auto admitted = world.admission_->Admit({.slurm_job = job.slurm_id,
                                                 .uid = world.ada_.uid,
                                                 .peer_address = "127.0.0.1"});
  REQUIRE_THAT(admitted, IsOk());
  CHECK(admitted->id == job.id);
}

TEST_CASE("jobs: records all values that Slurm reports", "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.gpus_per_node = 1;
  const Job job = world.Submit(world.ada_, "", spec).value();
  world.slurm_.Change(job.slurm_id,
                      [](SlurmJob& slurm) { slurm.qos = "normal"; });
  world.slurm_.Poll();
  world.slurm_.Change(job.slurm_id, [](SlurmJob& slurm) {
    slurm.partition = "long";
    slurm.qos = "short";
    slurm.account = "vision";
    slurm.reservation = "course";
    slurm.name = "renamed";
    slurm.walltime = absl::Minutes(7);
    slurm.size = {.nodes = 2,
                  .cpus = 7,
                  .memory_mib = 601,
                  .gpus = std::map<std::string, int>{{"a100", 3}}};
  });
  world.slurm_.Poll();
  const Job now = world.Now(job.id);
  CHECK(now.spec.partition == "long");
  CHECK(now.spec.qos == "short");
  CHECK(now.account == "vision");
  CHECK(now.spec.reservation == "course");
  CHECK(now.spec.name == "renamed");
  CHECK(now.spec.walltime == absl::Minutes(7));
  CHECK(now.spec.nodes == 2);
  CHECK(now.spec.cpus_per_node == 4);  // rounded up
  CHECK(now.spec.memory_per_node_mib == 301);
  CHECK(now.spec.gpus_per_node == 2);
  CHECK(now.spec.gpu_type == "a100");
  // Limits of all jobs together count it.
  CHECK(testing::WaitFor([&] {
    const auto terms = world.quotas_->For(AskerOf(world.ada_), "");
    return terms.ok() && terms->person.gpus == 4 && terms->person.nodes == 2;
  }));
}

TEST_CASE("limits: a job that grows in Slurm is held while it waits",
          "[jobs]") {
  JobFixture world;  // at most 4 GPUs a job
  JobSpec spec;
  spec.gpus_per_node = 1;
  const Job job = world.Submit(world.ada_, "", spec).value();
  world.slurm_.Poll();
  const auto set_gpus = [&](int gpus) {
    world.slurm_.Change(job.slurm_id, [gpus](SlurmJob& slurm) {
      slurm.size = {.nodes = 1,
                    .cpus = 1,
                    .memory_mib = 100,
                    .gpus = std::map<std::string, int>{{"a100", gpus}}};
    });
    world.clock_.Advance(absl::Seconds(11));
    world.slurm_.Poll();
  };
  set_gpus(4);  // within the limit
  world.slurm_.Poll();
  CHECK_FALSE(world.Now(job.id).over_limit);
  set_gpus(8);
  REQUIRE(testing::WaitFor([&] {
    return world.Now(job.id).over_limit.has_value() &&
           world.slurm_.Jobs()[0].held;
  }));
  const Job over = world.Now(job.id);
  CHECK(over.over_limit->violations[0].limit == "max_gpus_per_job");
  CHECK_FALSE(over.over_limit->cancel_at);
  const auto notices = Notified(world, v1::NOTIFICATION_KIND_QUOTA);
  REQUIRE(notices.size() == 1);
  CHECK_THAT(notices[0], Catch::Contains("exceeds a limit") &&
                             Catch::Contains("8 GPUs") &&
                             Catch::Contains("It is held"));
  // Its user releases it: it is held again.
  world.slurm_.Change(job.slurm_id,
                      [](SlurmJob& slurm) { slurm.held = false; });
  world.clock_.Advance(absl::Seconds(11));
  CHECK(testing::WaitFor([&] {
    world.slurm_.Poll();
    world.clock_.Advance(absl::Seconds(11));
    return world.slurm_.Jobs()[0].held;
  }));
  set_gpus(2);
  CHECK(testing::WaitFor([&] { return !world.Now(job.id).over_limit; }));
  CHECK(Notified(world, v1::NOTIFICATION_KIND_QUOTA).size() == 1);
  CHECK(world.slurm_.Cancelled().empty());
}

TEST_CASE("limits: a running job that exceeds one is cancelled after its grace",
          "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.gpus_per_node = 1;
  const Job job = world.Submit(world.ada_, "", spec).value();
  world.slurm_.Run(job.slurm_id);
  world.slurm_.Poll();
  world.slurm_.Change(job.slurm_id, [](SlurmJob& slurm) {
    slurm.size = {.nodes = 1,
                  .cpus = 1,
                  .memory_mib = 100,
                  .gpus = std::map<std::string, int>{{"a100", 8}}};
  });
  world.slurm_.Poll();
  REQUIRE(testing::WaitFor(
      [&] { return world.Now(job.id).over_limit.has_value(); }));
  const absl::Time cancel_at = *world.Now(job.id).over_limit->cancel_at;
  CHECK(cancel_at - world.clock_.Now() == absl::Minutes(10));
  world.Restart();  // the grace goes on
  world.clock_.Advance(absl::Minutes(9));
  world.slurm_.Poll();
  REQUIRE(world.Now(job.id).over_limit.has_value());
  CHECK(*world.Now(job.id).over_limit->cancel_at == cancel_at);
  CHECK(world.slurm_.Cancelled().empty());
  world.clock_.Advance(absl::Minutes(2));
  CHECK(testing::WaitFor([&] {
    world.slurm_.Poll();
    world.clock_.Advance(absl::Seconds(11));
    return HasEnded(world.Now(job.id));
  }));
  const Job ended = world.Now(job.id);
  CHECK(ended.end == v1::JOB_END_STOPPED);
  CHECK(ended.stopped_by == v1::JOB_STOPPED_BY_CARME);
  CHECK_THAT(ended.reason.text, Catch::Contains("exceeded a limit"));
  CHECK(testing::WaitFor([&] {
    return Notified(world, v1::NOTIFICATION_KIND_JOB_FAILED).size() == 1;
  }));
}

TEST_CASE("limits: a job that waits may not be made longer than its limit",
          "[jobs]") {
  JobFixture world;
  world.Stop();
  world.config_.user.max_walltime = absl::Minutes(30);
  world.Start();
  JobSpec spec;
  spec.walltime = absl::Minutes(20);
  const Job waits = world.Submit(world.ada_, "", spec).value();
  const Job runs = world.Submit(world.ada_, "", spec).value();
  world.slurm_.Run(runs.slurm_id);
  world.slurm_.Poll();
  const auto set = [&](const Job& job, int minutes) {
    world.slurm_.Change(job.slurm_id, [minutes](SlurmJob& slurm) {
      slurm.walltime = absl::Minutes(minutes);
    });
    world.clock_.Advance(absl::Seconds(11));
    world.slurm_.Poll();
  };
  set(runs, 60);  // only an operator can do that
  set(waits, 30);
  set(waits, 31);
  REQUIRE(testing::WaitFor(
      [&] { return world.Now(waits.id).over_limit.has_value(); }));
  CHECK(world.Now(waits.id).over_limit->violations[0].limit ==
        "max_walltime_min");
  CHECK_FALSE(world.Now(runs.id).over_limit);
  CHECK(world.Now(runs.id).spec.walltime == absl::Minutes(60));
  // Started with it all the same it is cancelled later.
  world.slurm_.Run(waits.slurm_id);
  world.clock_.Advance(absl::Seconds(11));
  CHECK(testing::WaitFor([&] {
    world.slurm_.Poll();
    world.clock_.Advance(absl::Seconds(11));
    const auto over = world.Now(waits.id).over_limit;
    return over && over->cancel_at.has_value();
  }));
}

TEST_CASE("limits: a lower limit touches no job that was not changed",
          "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.gpus_per_node = 4;
  const Job job = world.Submit(world.ada_, "", spec).value();
  world.Stop();
  world.config_.user.max_gpus_per_job = 1;
  world.Start();
  world.slurm_.Run(job.slurm_id);
  for (int i = 0; i < 3; ++i) {
    world.clock_.Advance(absl::Seconds(11));
    world.slurm_.Poll();
  }
  CHECK_FALSE(world.Now(job.id).over_limit);
}

TEST_CASE(
    "accounted ends: an administrator's stop that a crash prevented is dropped",
    "[jobs]") {
  JobFixture world;
  const Job prevented = world.Registered();
  const Job stopping = world.Registered();
  // As AdminJobs records it before it is made.
  const auto record = [&](const Job& job) {
    const auto changed =
        world.jobs_->active().Change(job.id, [&](ActiveJob& active) {
          active.job.admin_actions.push_back(
              {.kind = v1::AdminAction::KIND_STOP,
               .administrator = "carol",
               .reason = "maintenance",
               .at = absl::UnixEpoch()});
        });
    REQUIRE_THAT(world.jobs_->active().Wait(changed->ticket), IsOk());
  };
  record(prevented);
  record(stopping);
  REQUIRE_THAT(world.jobs_->Stop(world.ada_, stopping.id, "r"), IsOk());
  world.Restart();
  CHECK(world.Now(prevented.id).admin_actions.empty());
  REQUIRE_THAT(world.jobs_->Stop(world.ada_, prevented.id, "r"), IsOk());
  for (const Job& job : {prevented, stopping}) {
    world.slurm_.End(job.slurm_id, SlurmState::kCancelled);
  }
  world.slurm_.Poll();
  const Job by_owner = world.Now(prevented.id);
  CHECK(by_owner.end == v1::JOB_END_STOPPED);
  CHECK(by_owner.stopped_by == v1::JOB_STOPPED_BY_USER);
  CHECK(by_owner.reason.empty());
  const Job by_carol = world.Now(stopping.id);
  CHECK(by_carol.stopped_by == v1::JOB_STOPPED_BY_ADMINISTRATOR);
  CHECK(by_carol.reason.text ==
        "stopped by the administrator carol: maintenance");
}

TEST_CASE("accounted ends: takes the cancelling user from slurmdbd", "[jobs]") {
  AccountedWorld world;
  const Job job = world.Registered();
  world.slurm_.End(job.slurm_id, SlurmState::kCancelled);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).state == v1::JOB_STATE_STOPPING);
  AccountedRun run = RunOf(world.Now(job.id), SlurmState::kCancelled);
  run.cancelled_by = Uid(0);
  world.Set({run});
  const Job ended = world.AwaitEnd(job.id);
  CHECK(ended.end == v1::JOB_END_STOPPED);
  CHECK(ended.stopped_by == v1::JOB_STOPPED_BY_ADMINISTRATOR);
  CHECK(ended.reason.text == "an administrator cancelled it");
  CHECK(testing::WaitFor([&] {
    return Notified(world, v1::NOTIFICATION_KIND_JOB_FAILED).size() == 1;
  }));
  // Its own user's scancel is no news to them.
  const Job own = world.Registered();
  world.slurm_.Poll();
  run = RunOf(world.Now(own.id), SlurmState::kCancelled);
  run.cancelled_by = world.ada_.uid;
  world.Set({run});
  world.slurm_.End(own.slurm_id, SlurmState::kCancelled);
  CHECK(world.AwaitEnd(own.id).stopped_by == v1::JOB_STOPPED_BY_USER);
  CHECK(Notified(world, v1::NOTIFICATION_KIND_JOB_FAILED).size() == 1);
  // Nor is slurmdbd asked about one that was stopped in Carme.
  const Job stopped = world.Registered();
  const int asked = world.Asked();
  REQUIRE_THAT(world.jobs_->Stop(world.ada_, stopped.id, "r"), IsOk());
  world.slurm_.Poll();
  CHECK(world.Now(stopped.id).stopped_by == v1::JOB_STOPPED_BY_USER);
  CHECK(world.Asked() == asked);
}

TEST_CASE("accounted ends: a job missing in Slurm ends as in slurmdbd",
          "[jobs]") {
  AccountedWorld world;
  const Job job = world.Registered();
  world.slurm_.Poll();
  world.Stop();  // away for longer than Slurm keeps the job
  world.slurm_.DeleteJob(job.slurm_id);
  world.clock_.Advance(absl::Hours(1));
  world.SetSilent(true);
  world.Start();
  world.clock_.Advance(absl::Seconds(11));
  world.slurm_.Poll();
  REQUIRE(testing::WaitFor([&] { return world.Asked() > 0; }));
  world.slurm_.Poll();
  CHECK_FALSE(HasEnded(world.Now(job.id)));
  CHECK(Notified(world, v1::NOTIFICATION_KIND_JOB_FAILED).empty());
  AccountedRun run = RunOf(world.Now(job.id), SlurmState::kCompleted);
  AccountedRun other = run;  // the same id, long ago
  other.submitted -= absl::Hours(100);
  other.state = SlurmState::kFailed;
  world.Set({other, run});
  world.SetSilent(false);
  CHECK(testing::WaitFor(
      [&] {
        world.slurm_.Poll();
        return HasEnded(world.Now(job.id));
      },
      absl::Seconds(20)));
  const Job ended = world.Now(job.id);
  CHECK(ended.end == v1::JOB_END_COMPLETED);
  CHECK(ended.exit_code == 0);
  CHECK(ended.ended_at == run.ended);
  CHECK(ended.started_at == run.started);
  CHECK(Notified(world, v1::NOTIFICATION_KIND_JOB_FAILED).empty());
}

TEST_CASE("accounted ends: a job missing in slurmdbd too is UNKNOWN",
          "[jobs]") {
  AccountedWorld world;
  const Job job = world.Registered();
  world.slurm_.Poll();
  world.slurm_.DeleteJob(job.slurm_id);
  world.clock_.Advance(absl::Seconds(11));
  world.slurm_.Poll();
  CHECK_FALSE(HasEnded(world.Now(job.id)));
  CHECK(testing::WaitFor([&] {
    world.clock_.Advance(absl::Seconds(11));
    world.slurm_.Poll();
    return HasEnded(world.Now(job.id));
  }));
  CHECK(world.Now(job.id).end == v1::JOB_END_UNKNOWN);
}

TEST_CASE("usage: of an array it is the sum over its tasks", "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.gpus_per_node = 1;
  spec.batch = BatchSpec{.command = "true", .array = "0-7"};
  const Job job = world.Submit(world.ada_, "", spec).value();
  world.slurm_.DeleteJob(job.slurm_id);
  const absl::Time start = world.clock_.Now();
  world.clock_.Advance(absl::Seconds(44));
  for (uint32_t task = 0; task < 8; ++task) {
    SlurmJob slurm = SlurmJobOf(SlurmJobId(500 + task), job.id, world.ada_.uid,
                                SlurmState::kCompleted);
    slurm.array = job.slurm_id;
    slurm.task = task;
    slurm.nodes = {"a1"};
    slurm.started_at = start + absl::Seconds(task < 4 ? 0 : 22);
    slurm.ends_at = slurm.started_at + absl::Seconds(20);
    world.slurm_.Put(slurm);
  }
  world.slurm_.Poll();
  world.slurm_.Poll();
  REQUIRE(world.Now(job.id).end == v1::JOB_END_COMPLETED);
  CHECK(world.Now(job.id).spent.gpus == absl::Seconds(160));
  CHECK(testing::WaitFor([&] {
    const auto terms = world.quotas_->For(AskerOf(world.ada_), "");
    return terms.ok() && terms->person.ever_spent == absl::Seconds(160) &&
           terms->person.gpus == 0;
  }));
  REQUIRE_THAT(world.database_->Query([&](Database& db) -> absl::Status {
    auto row =
        db.Prepare("SELECT gpu_seconds FROM history WHERE id = ?").value();
    REQUIRE(row.Bind(1, job.id.value()).Step().value());
    CHECK(row.Int(0) == 160);
    return absl::OkStatus();
  }),
               IsOk());
}

TEST_CASE("usage: a run before a requeue counts", "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.gpus_per_node = 2;
  const Job job = world.Submit(world.ada_, "", spec).value();
  world.slurm_.Run(job.slurm_id);
  world.slurm_.Poll();
  world.clock_.Advance(absl::Seconds(100));
  world.slurm_.Change(job.slurm_id, [&](SlurmJob& slurm) {
    slurm.state = SlurmState::kPending;
    slurm.restarts = 1;
    slurm.submitted = world.clock_.Now();
  });
  world.clock_.Advance(absl::Seconds(10));
  world.slurm_.Poll();
  CHECK(world.Now(job.id).state == v1::JOB_STATE_PENDING);
  CHECK(world.Now(job.id).spent.gpus == absl::Seconds(200));
  world.slurm_.Run(job.slurm_id);
  world.slurm_.Poll();
  world.clock_.Advance(absl::Seconds(50));
  world.slurm_.End(job.slurm_id, SlurmState::kCompleted);
  world.slurm_.Poll();
  CHECK(testing::WaitFor([&] {
    const auto terms = world.quotas_->For(AskerOf(world.ada_), "");
    return terms.ok() && terms->person.ever_spent == absl::Seconds(300);
  }));
}

}  // namespace
}  // namespace carme::backend
