#include "backend/jobs/store/job_store.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "backend/jobs/store/resubmission_table.h"
#include "backend/notifications/inbox.h"
#include "common/status.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

Job NewJob(const std::string& owner) {
  Job job;
  job.id = NewJobId();
  job.owner = owner;
  job.owner_uid = Uid(4'000'000'000);
  job.spec = {.name = "Größe",
              .nodes = 2,
              .gpus_per_node = 1,
              .gpu_type = "a100",
              .cpus_per_node = 3,
              .memory_per_node_mib = 1024,
              .walltime = absl::Minutes(90),
              .partition = "main",
              .app = "jupyter",
              .environment = "torch",
              .description = "Größe, 2. Lauf",
              .required_nodes = 1,
              .resubmit = true,
              .excluded_nodes = {"n3", "n4"}};
  job.created_at = kNow;
  return job;
}

struct Table {
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  JobStore store{database.get()};
  Job Insert(const Job& job, const std::string& key = "") {
    return store.Insert(job.owner, key, [&](int) { return job; })->job;
  }
  std::vector<ResubmissionRow> Undecided() {
    std::vector<ResubmissionRow> rows;
    REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
      ASSIGN_OR_RETURN(rows, ReadEndedResubmissions(db, 10));
      return absl::OkStatus();
    }),
                 IsOk());
    return rows;
  }
};

TEST_CASE("job store: a refused job leaves no row", "[jobs]") {
  Table table;
  const auto refused = table.store.Insert("ada", "key", [](int active) {
    CHECK(active == 0);
    return absl::PermissionDeniedError("no");
  });
  CHECK(refused.status() == absl::PermissionDeniedError("no"));
  CHECK(table.store.Live()->empty());
}

TEST_CASE("job store: a missing job is NOT_FOUND", "[jobs]") {
  Table table;
  CHECK(absl::IsNotFound(table.store.Find(NewJobId()).status()));
}

TEST_CASE("job store: deletes an environment with its job", "[jobs]") {
  Table table;
  Job job = NewJob("ada");
  const RenderedEnvironment environment = {"image = \"/a\"\n", "base:1",
                                           "digest"};
  const auto insert = [&](const std::string& key) {
    return table.store.Insert(
        job.owner, key, [&](int) { return job; }, environment);
  };
  REQUIRE_THAT(insert("key"), IsOk());
  CHECK(*table.store.FindEnvironment(job.id) == environment);
  REQUIRE_FALSE(insert("key")->fresh);  // the row that is there keeps its own
  const Job without = table.Insert(NewJob("ada"));
  CHECK(absl::IsNotFound(table.store.FindEnvironment(without.id).status()));
  job.state = v1::JOB_STATE_ENDED;
  job.ended_at = kNow;
  REQUIRE_THAT(table.store.Update({job}), IsOk());
  REQUIRE(table.store.DeleteEnded(kNow + absl::Seconds(1), 10).value() == 1);
  CHECK(absl::IsNotFound(table.store.FindEnvironment(job.id).status()));
}

TEST_CASE("job store: gives back every field", "[jobs]") {
  Table table;
  Job job = NewJob("ada");
  table.Insert(job);
  CHECK(*table.store.Find(job.id) == job);
  job.state = v1::JOB_STATE_READY;
  job.reason = "waiting for a node";
  job.slurm_id = SlurmJobId(4'000'000'000);
  job.nodes = {"n1", "n2"};
  job.exit_code = -1;
  job.agent = {"fd00::1", 34000};
  job.started_at = kNow + absl::Seconds(1);
  job.ready_at = kNow + absl::Seconds(2);
  job.ends_at = kNow + absl::Seconds(3);
  REQUIRE_THAT(table.store.Update({job}), IsOk());
  CHECK(*table.store.Find(job.id) == job);
  job = Ended(job, v1::JOB_END_FAILED, "it failed", kNow + absl::Seconds(4));
  job.resubmitted_as = NewJobId();
  REQUIRE_THAT(table.store.Update({job}), IsOk());
  CHECK(*table.store.Find(job.id) == job);
}

TEST_CASE("job store: counts active jobs of an owner", "[jobs]") {
  Table table;
  table.Insert(NewJob("ada"));
  table.Insert(NewJob("bob"));
  table.Insert(Ended(NewJob("ada"), v1::JOB_END_COMPLETED, "", kNow));
  int counted = -1;
  table.store
      .Insert("ada", "",
              [&](int active) -> absl::StatusOr<Job> {
                counted = active;
                return NewJob("ada");
              })
      .IgnoreError();
  CHECK(counted == 1);
}

TEST_CASE("job store: only a job that was never submitted frees its key",
          "[jobs]") {
  Table table;
  Job job = NewJob("ada");
  table.Insert(job, "key");
  REQUIRE_THAT(table.store.Update({Ended(job, v1::JOB_END_STOPPED, "", kNow)}),
               IsOk());
  CHECK(table.Insert(NewJob("ada"), "key").id == job.id);
  REQUIRE_THAT(
      table.store.Update({Ended(job, v1::JOB_END_NOT_SUBMITTED, "", kNow)}),
      IsOk());
  CHECK(table.Insert(NewJob("ada"), "key").id != job.id);
}

TEST_CASE("job store: deletes by age and number, never active jobs", "[jobs]") {
  Table table;
  Job active = NewJob("ada");
  active.created_at = kNow - absl::Hours(1000);
  table.Insert(active);
  for (int i = 0; i < 5; ++i) {
    Job job = NewJob("ada");
    job.created_at = kNow - absl::Hours(i);
    table.Insert(Ended(job, v1::JOB_END_COMPLETED, "", job.created_at));
  }
  CHECK(*table.store.DeleteEnded(kNow - absl::Minutes(210), 100) == 1);
  CHECK(*table.store.DeleteEnded(absl::UnixEpoch(), 2) == 2);
  CHECK(table.store.Ended("ada", 10)->size() == 2);
  CHECK(table.store.Live()->size() == 1);
}

TEST_CASE("job store: writes notifications with the job, once", "[jobs]") {
  Table table;
  FakeClock clock;
  Inbox inbox(table.database.get(), &clock);
  Job job = NewJob("ada");
  table.Insert(job);
  const auto notices = [&] { return inbox.List(job.owner_uid, 0, 10)->events; };
  job.state = v1::JOB_STATE_STARTING;
  REQUIRE_THAT(table.store.Update({job}), IsOk());
  CHECK(notices().empty());
  job.state = v1::JOB_STATE_READY;
  job.ready_at = kNow + absl::Nanoseconds(2'500);  // finer than the table
  for (int i = 0; i < 3; ++i) REQUIRE_THAT(table.store.Update({job}), IsOk());
  REQUIRE(notices().size() == 1);
  CHECK(notices()[0].kind == v1::NOTIFICATION_KIND_JOB_STARTED);
  CHECK(notices()[0].subject == job.id.value());
  job = Ended(job, v1::JOB_END_FAILED, "it failed", kNow + absl::Seconds(4));
  for (int i = 0; i < 3; ++i) REQUIRE_THAT(table.store.Update({job}), IsOk());
  REQUIRE(notices().size() == 2);
  CHECK(notices()[0].text.text == "Your job \"Größe\" has failed: it failed.");
}

TEST_CASE("job store: changes only a job whose end is stored, whole or not",
          "[jobs]") {
  Table table;
  Job job = NewJob("ada");
  table.Insert(job);
  int edits = 0;
  const auto edit = [&](Database&, Job* ended) {
    ++edits;
    ended->advice = "Try again";
    return absl::OkStatus();
  };
  CHECK(absl::IsNotFound(table.store.ChangeEnded(NewJobId(), edit).status()));
  CHECK(absl::IsNotFound(table.store.ChangeEnded(job.id, edit).status()));
  CHECK(edits == 0);
  job = Ended(job, v1::JOB_END_FAILED, "it failed", kNow);
  REQUIRE_THAT(table.store.Update({job}), IsOk());
  const auto failing = [&](Database& db, Job* ended) -> absl::Status {
    ended->advice = "Never";
    RETURN_IF_ERROR(DeleteResubmission(db, job.id));
    return absl::UnavailableError("no");
  };
  CHECK(absl::IsUnavailable(table.store.ChangeEnded(job.id, failing).status()));
  CHECK(*table.store.Find(job.id) == job);
  CHECK(table.Undecided().size() == 1);
  const auto changed = table.store.ChangeEnded(job.id, edit);
  REQUIRE_THAT(changed, IsOk());
  job.advice = "Try again";
  CHECK(*changed == job);
  CHECK(*table.store.Find(job.id) == job);
}

TEST_CASE("resubmission table: jobs that asked for it, once they have ended",
          "[jobs]") {
  Table table;
  Job other = NewJob("ada");
  other.spec.resubmit = false;
  table.Insert(other);
  REQUIRE_THAT(table.store.Update({Ended(other, v1::JOB_END_FAILED, "", kNow)}),
               IsOk());
  Job job = NewJob("ada");
  REQUIRE_THAT(table.store.Insert(
                   "ada", "", [&](int) { return job; }, {}, "", 1),
               IsOk());
  CHECK(table.Undecided().empty());
  // Its spec is that of the submission.
  const JobSpec submitted = job.spec;
  job.spec.nodes = 1;
  job = Ended(job, v1::JOB_END_FAILED, "", kNow);
  REQUIRE_THAT(table.store.Update({job}), IsOk());
  const std::vector<ResubmissionRow> expected = {{job.id, submitted, 1}};
  CHECK(table.Undecided() == expected);
  // It is deleted with its job.
  CHECK(*table.store.DeleteEnded(kNow + absl::Hours(1), 10) == 2);
  CHECK(table.Undecided().empty());
}

TEST_CASE("job store: without a write there is no notification", "[jobs]") {
  Table table;
  FakeClock clock;
  Inbox inbox(table.database.get(), &clock);
  Job job = NewJob("ada");
  table.Insert(job);
  REQUIRE_THAT(table.database->Query([](Database& db) {
    return db
        .Prepare(
            "CREATE TRIGGER full BEFORE UPDATE ON jobs BEGIN "
            "SELECT RAISE(ABORT, 'full'); END")
        .value()
        .Run();
  }),
               IsOk());
  job = Ended(job, v1::JOB_END_FAILED, "it failed", kNow);
  CHECK_FALSE(table.store.Update({job}).ok());
  CHECK(inbox.List(job.owner_uid, 0, 10)->events.empty());
}

}  // namespace
}  // namespace carme::backend
