// The backend dies at each step of a submission, for real: a child process
// submits and ends there; a new one finds the job in the same database and the
// same Slurm.
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "backend/audit/audit_table.h"
#include "tests/backend/jobs/job_world.h"

namespace carme {
namespace {

using Fate = StandInSlurm::Fate;

// Runs `act` in a process of its own, which ends in it or after it, without
// any of the backend's destructors.
void RunAndDie(const std::function<void()>& act) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    act();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(status == 0);
}

// A world in `directory`, which outlives it.
struct Backend {
  explicit Backend(const std::string& directory)
      : slurm(&clock, directory + "/slurm"),
        database(Database::Open(directory + "/carme.db", Migrations()).value()),
        audit(AuditLog::Open(database.get(), &clock).value()),
        routes(&clock) {
    config.apps = {{.id = "jupyter",
                    .name = "Jupyter",
                    .icon = "app",
                    .description = "",
                    .command = {"jupyter", "{socket}"},
                    .ready_path = "/",
                    .environment = {}}};
    config.images = {{.id = kNoImage,
                      .description = "",
                      .path = "",
                      .sha256 = "",
                      .apps = {},
                      .mounts = {},
                      .environment = {}}};
    config.user.max_running_jobs = 1;
    images = ImageCatalogue::Open(
                 database.get(), &clock, config.images, JobWorld::Directory,
                 [](Uid, bool) { return std::vector<ProjectSeat>(); })
                 .value();
    jobs = Jobs::Open({.database = database.get(),
                       .scheduler = &slurm,
                       .submitter = &slurm,
                       .routes = &routes,
                       .audit = audit.get(),
                       .clock = &clock,
                       .images = images.get()},
                      config)
               .value();
  }
  absl::StatusOr<Job> Submit() {
    return jobs->Submit(SessionOf("ada", 20001), {}, "key",
                        {.actor = "ada", .request_id = "request"});
  }
  std::vector<Job> List() {
    return *jobs->List(SessionOf("ada", 20001), "request");
  }
  FakeClock clock;
  StandInSlurm slurm;
  std::unique_ptr<Database> database;
  std::unique_ptr<AuditLog> audit;
  Routes routes;
  JobsConfig config;
  std::unique_ptr<ImageCatalogue> images;
  std::unique_ptr<Jobs> jobs;
};

void DieSubmitting(const std::string& directory, Fate fate) {
  RunAndDie([&] {
    // Not destroyed: whoever is killed does not tidy up.
    auto* const backend = new Backend(directory);
    backend->slurm.set_fate(fate);
    backend->Submit().IgnoreError();
  });
}

TEST_CASE("crash: after the record, before Slurm has the job", "[jobs]") {
  TempDir directory;
  DieSubmitting(directory.path(), Fate::kProcessDies);
  Backend backend(directory.path());
  backend.slurm.Poll();
  REQUIRE(backend.List().size() == 1);
  CHECK(backend.List()[0].state == JobState::kSubmitting);
  // The client that tries again gets that job, not a second one.
  CHECK(backend.Submit()->id == backend.List()[0].id);
  CHECK(backend.slurm.Jobs().empty());
  backend.clock.Advance(absl::Seconds(61));
  backend.slurm.Poll();
  CHECK(backend.List()[0].end == JobEnd::kNotSubmitted);
  CHECK(backend.Submit().ok());
  CHECK(backend.slurm.Jobs().size() == 1);
}

TEST_CASE("crash: who submitted is in the audit log before Slurm is asked",
          "[jobs]") {
  for (const Fate fate : {Fate::kProcessDies, Fate::kProcessDiesNow}) {
    TempDir directory;
    DieSubmitting(directory.path(), fate);
    Backend backend(directory.path());
    const auto piece = ReadPiece(backend.database.get(), {},
                                 AuditOrder::kOldestFirst, kOldest);
    REQUIRE(piece->entries.size() == 1);
    CHECK(piece->entries[0].act == "admit");
    CHECK(piece->entries[0].actor == "ada");
    CHECK(piece->entries[0].request_id == "request");
    CHECK(piece->entries[0].subject == backend.List().at(0).id.value());
  }
}

TEST_CASE("crash: after Slurm has the job, before its answer came", "[jobs]") {
  TempDir directory;
  DieSubmitting(directory.path(), Fate::kProcessDiesNow);
  Backend backend(directory.path());
  CHECK(backend.Submit()->state == JobState::kSubmitting);
  backend.slurm.Poll();
  REQUIRE(backend.List().size() == 1);
  CHECK(backend.List()[0].state == JobState::kPending);
  CHECK(backend.List()[0].slurm_id == backend.slurm.OnlyJob());
  CHECK(backend.Submit()->slurm_id == backend.slurm.OnlyJob());
  CHECK(backend.slurm.Jobs().size() == 1);
}

TEST_CASE("crash: after the answer, before it is in the table", "[jobs]") {
  TempDir directory;
  RunAndDie([&] {
    auto* const backend = new Backend(directory.path());
    // The watchers hear of a change just before it is given to the writer.
    static auto watcher = backend->jobs->feed().Subscribe("ada", [backend] {
      if (!backend->slurm.Jobs().empty()) _exit(0);
    });
    backend->Submit().IgnoreError();
  });
  Backend backend(directory.path());
  CHECK(backend.List().at(0).slurm_id == SlurmJobId());
  backend.slurm.Poll();
  CHECK(backend.List().at(0).slurm_id == backend.slurm.OnlyJob());
  CHECK(backend.Submit()->id == backend.List().at(0).id);
  CHECK(backend.slurm.Jobs().size() == 1);
}

TEST_CASE("crash: after everything", "[jobs]") {
  TempDir directory;
  DieSubmitting(directory.path(), Fate::kAccepted);
  Backend backend(directory.path());
  backend.slurm.Poll();
  CHECK(backend.List().at(0).slurm_id == backend.slurm.OnlyJob());
  CHECK(backend.Submit()->id == backend.List().at(0).id);
}

}  // namespace
}  // namespace carme
