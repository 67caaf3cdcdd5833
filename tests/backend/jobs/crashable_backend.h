// The job part of a backend with its state in a directory that outlives it: the
// next one there has the same database and the same Slurm.
#ifndef CARME_TESTS_BACKEND_JOBS_CRASHABLE_BACKEND_H_
#define CARME_TESTS_BACKEND_JOBS_CRASHABLE_BACKEND_H_

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/backend/jobs/job_fixture.h"
#include "tests/backend/jobs/steps.h"
#include "tests/support/fake_directory.h"
#include "tests/support/fake_project_memberships.h"

namespace carme::backend {

// Runs `act` in a child process, which exits in it or after it without running
// destructors of the backend. Returns the exit code.
inline int RunAndExit(const std::function<void()>& act) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    act();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

struct CrashableBackend {
  explicit CrashableBackend(const std::string& directory)
      : slurm(&clock, directory + "/slurm"),
        submitter(&slurm),
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
    config.life.longest_walltime = absl::Hours(4);
    images = ImageCatalogue::Open({.database = database.get(),
                                   .clock = &clock,
                                   .person_lookup = &directory_of_users,
                                   .project_memberships = &memberships},
                                  config.images)
                 .value();
    jobs = Jobs::Open({.database = database.get(),
                       .scheduler = &slurm,
                       .submitter = &submitter,
                       .routes = &routes,
                       .audit = audit.get(),
                       .clock = &clock,
                       .images = images.get()},
                      config)
               .value();
  }
  // Writes what waits to be written.
  void Finish() {
    jobs.reset();
    images.reset();
    audit.reset();
  }

  // Always by the same key.
  absl::StatusOr<Job> Submit(const JobSpec& spec = {}) {
    return jobs->Submit(ada, spec, "key",
                        {.actor = "ada", .request_id = "request"});
  }
  absl::StatusOr<Job> Stop() {
    return jobs->Stop(ada, List().at(0).id, "request");
  }
  absl::StatusOr<Job> Extend() {
    return jobs->Extend(ada, List().at(0).id, absl::Minutes(30), "more",
                        "request");
  }
  std::vector<Job> List() { return *jobs->List(ada, "request"); }
  std::vector<Job> Alive() {
    std::vector<Job> alive = List();
    std::erase_if(alive, [](const Job& job) { return HasEnded(job); });
    return alive;
  }
  // What another process would find.
  absl::Duration RecordedWalltime() {
    return JobStore(database.get()).Find(List().at(0).id)->spec.walltime;
  }

  const Session ada = SessionOf("ada", 20001);
  FakeClock clock;
  FakeDirectory directory_of_users{JobFixture::PersonNamed};
  FakeProjectMemberships memberships;
  FakeSlurm slurm;
  steps::SteppedSubmitter submitter;
  std::unique_ptr<Database> database;
  std::unique_ptr<AuditLog> audit;
  Routes routes;
  JobsConfig config;
  std::unique_ptr<ImageCatalogue> images;
  std::unique_ptr<Jobs> jobs;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_JOBS_CRASHABLE_BACKEND_H_
