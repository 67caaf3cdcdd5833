#include "backend/jobs/store/write_behind.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

void RunSql(Database& database, const std::string& sql) {
  REQUIRE_THAT(database.Query([&](Database& self) -> absl::Status {
    return self.Prepare(sql)->Run();
  }),
               IsOk());
}

// A disk that takes no changes of jobs.
class BrokenDisk {
 public:
  explicit BrokenDisk(Database* database) : database_(*database) {
    RunSql(database_,
           "CREATE TRIGGER broken BEFORE UPDATE ON jobs BEGIN "
           "SELECT raise(ABORT, 'disk'); END");
  }
  ~BrokenDisk() { RunSql(database_, "DROP TRIGGER broken"); }

 private:
  Database& database_;
};

TEST_CASE("write-behind: Wait fails if the change is not durable", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  const BrokenDisk broken(world.database_.get());
  CHECK(absl::IsUnavailable(world.admission_->ReportApp(job.id, kOwnAppReady)));
  // Slurm has not accepted the stop: it would be lost.
  world.slurm_.set_outcome(FakeSlurm::SlurmOutcome::kUnavailable);
  CHECK(
      absl::IsUnavailable(world.jobs_->Stop(world.ada_, job.id, "r").status()));
  // It has: the disk does not undo it.
  world.slurm_.set_outcome(FakeSlurm::SlurmOutcome::kAccepted);
  CHECK_THAT(world.jobs_->Stop(world.ada_, job.id, "r"), IsOk());
}

TEST_CASE("write-behind: a submission does not wait for the second write",
          "[jobs]") {
  JobFixture world;
  const BrokenDisk broken(world.database_.get());
  const auto job = world.Submit(world.ada_, "key");
  REQUIRE_THAT(job, IsOk());
  CHECK(job->slurm_id == world.slurm_.OnlyJob());
  CHECK(world.Submit(world.ada_, "key")->slurm_id == job->slurm_id);
}

TEST_CASE("write-behind: retries failed writes", "[jobs]") {
  JobFixture world;
  Job job = world.Submit(world.ada_).value();
  world.Restart();  // its own writer has nothing left to write
  JobStore store(world.database_.get());
  WriteBehind writer(&store);
  {
    const BrokenDisk broken(world.database_.get());
    job.reason = "an older reason";
    CHECK_FALSE(writer.Wait(writer.Put(job)).ok());
    job.reason = "the newest reason";
    CHECK_FALSE(writer.Wait(writer.Put(job)).ok());
  }
  CHECK(testing::WaitFor([&] { return writer.Written(2); }));
  CHECK(store.Find(job.id)->reason.text == "the newest reason");
}

TEST_CASE("write-behind: the destructor writes the remaining changes",
          "[jobs]") {
  JobFixture world;
  Job job = world.Submit(world.ada_).value();
  world.Restart();  // its own writer has nothing left to write
  JobStore store(world.database_.get());
  auto writer = std::make_unique<WriteBehind>(&store);
  for (int i = 0; i < 100; ++i) {
    job.exit_code = i;
    writer->Put(job);
  }
  writer.reset();
  CHECK(store.Find(job.id)->exit_code == 99);
}

}  // namespace
}  // namespace carme::backend
