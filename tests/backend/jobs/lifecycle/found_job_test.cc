// What becomes of Slurm's jobs when the database was restored from a backup.
#include "backend/jobs/state/found_job.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

class RestoredSite : public JobFixture {
 public:
  // Ada has logged in before the backup. The backend starts on the restored
  // database.
  explicit RestoredSite(bool ada_has_logged_in = true) {
    clock_.Advance(absl::Hours(1));
    restored_at_ = clock_.Now();
    Run("INSERT INTO restores (backup_at, restored_at) VALUES (" +
        Micros(restored_at_ - absl::Minutes(30)) + ", " + Micros(restored_at_) +
        ")");
    if (ada_has_logged_in) LogInAda();
    clock_.Advance(absl::Seconds(5));
    Restart();
  }
  void LogInAda() {
    Run("INSERT INTO users VALUES (20001, 'ada', 'Ada', 'user', x'01', 1, 1)");
  }
  // A job of Ada's in Slurm, with a comment that names no record.
  SlurmJob Lost(absl::Duration before_restore, SlurmState state) {
    SlurmJob slurm =
        SlurmJobOf(SlurmJobId(next_id_++), NewJobId(), ada_.uid, state);
    slurm.submitted = restored_at_ - before_restore;
    slurm.name = "fit";
    slurm.partition = "main";
    slurm.walltime = absl::Hours(2);
    slurm.size.nodes = 1;
    if (state == SlurmState::kRunning) slurm.started_at = slurm.submitted;
    return slurm;
  }
  bool HasRecord(const SlurmJob& slurm) {
    return JobStore(database_.get()).Find(slurm.carme_id).ok();
  }

 private:
  static std::string Micros(absl::Time time) {
    return std::to_string(absl::ToUnixMicros(time));
  }
  void Run(const std::string& sql) {
    REQUIRE_THAT(database_->Query([&](Database& self) -> absl::Status {
      return self.Prepare(sql)->Run();
    }),
                 IsOk());
  }
  absl::Time restored_at_;
  uint32_t next_id_ = 700;
};

TEST_CASE("restored jobs: a job from before or after the gap gets no record",
          "[jobs]") {
  RestoredSite site;
  const SlurmJob before = site.Lost(absl::Hours(1), SlurmState::kRunning);
  const SlurmJob after = site.Lost(-absl::Seconds(2), SlurmState::kRunning);
  site.slurm_.Put(before);
  site.slurm_.Put(after);
  site.slurm_.Poll();
  CHECK_FALSE(site.HasRecord(before));
  CHECK_FALSE(site.HasRecord(after));
  CHECK(site.slurm_.Cancelled().empty());
}

TEST_CASE("restored jobs: of two jobs with one comment none gets a record",
          "[jobs]") {
  RestoredSite site;
  const SlurmJob job = site.Lost(absl::Minutes(5), SlurmState::kRunning);
  SlurmJob forged = site.Lost(absl::Minutes(4), SlurmState::kRunning);
  forged.carme_id = job.carme_id;
  forged.uid = site.bob_.uid;
  site.slurm_.Put(job);
  site.slurm_.Put(forged);
  site.slurm_.Poll();
  CHECK_FALSE(site.HasRecord(job));
  CHECK(site.slurm_.Cancelled().empty());
}

TEST_CASE("restored jobs: a job of a user without a login waits for it",
          "[jobs]") {
  RestoredSite site(/*ada_has_logged_in=*/false);
  const SlurmJob job = site.Lost(absl::Minutes(5), SlurmState::kRunning);
  site.slurm_.Put(job);
  site.slurm_.Poll();
  CHECK_FALSE(site.HasRecord(job));
  site.LogInAda();
  site.slurm_.Poll();
  CHECK(site.HasRecord(job));
}

TEST_CASE("restored jobs: a running job is recorded again and can be stopped",
          "[jobs]") {
  RestoredSite site;
  const SlurmJob slurm = site.Lost(absl::Minutes(5), SlurmState::kRunning);
  site.slurm_.Put(slurm);
  site.slurm_.Poll();
  site.slurm_.Poll();
  const Job job = site.Now(slurm.carme_id);
  CHECK(job.slurm_id == slurm.id);
  CHECK(job.state == v1::JOB_STATE_READY);
  CHECK(job.spec.name == "fit");
  CHECK(job.spec.walltime == absl::Hours(2));
  CHECK_THAT(job.spec.description, Catch::Contains("restored from a backup"));
  // Once, also after a restart.
  site.Restart();
  site.slurm_.Poll();
  CHECK(site.jobs_->List(site.ada_, "request")->size() == 1);
  CHECK(site.slurm_.Jobs().size() == 1);
  CHECK(site.slurm_.Cancelled().empty());
  REQUIRE_THAT(site.jobs_->Stop(site.ada_, job.id, "request"), IsOk());
  CHECK(site.slurm_.Cancelled() == std::vector<SlurmJobId>{slurm.id});
}

TEST_CASE("restored jobs: a pending job is recorded and does not begin",
          "[jobs]") {
  RestoredSite site;
  const SlurmJob slurm = site.Lost(absl::Minutes(5), SlurmState::kPending);
  site.slurm_.Put(slurm);
  site.slurm_.Poll();
  const Job job = site.Now(slurm.carme_id);
  CHECK(job.state == v1::JOB_STATE_PENDING);
  CHECK_THAT(
      site.jobs_->MayBegin(job),
      StatusIs(absl::StatusCode::kFailedPrecondition, "submit it again"));
}

TEST_CASE("restored jobs: a job of the backup keeps its record", "[jobs]") {
  RestoredSite site;
  const Job job = site.Submit(site.ada_, "key").value();
  site.slurm_.Run(job.slurm_id);
  site.slurm_.Poll();
  site.Restart();
  site.slurm_.Poll();
  CHECK(site.Submit(site.ada_, "key")->id == job.id);
  CHECK(site.slurm_.Jobs().size() == 1);
  CHECK_THAT(CheckMayBegin(site.Now(job.id)), IsOk());
}

}  // namespace
}  // namespace carme::backend
