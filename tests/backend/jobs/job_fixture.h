// Everything around `Jobs` for a test: a real database in a file, a clock and
// a Slurm that are moved by hand, two people.
#ifndef CARME_TESTS_BACKEND_JOBS_JOB_FIXTURE_H_
#define CARME_TESTS_BACKEND_JOBS_JOB_FIXTURE_H_

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>

#include "backend/audit/audit_log.h"
#include "backend/jobs/agents/agent_admission.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/jobs/jobs.h"
#include "backend/store/database.h"
#include "backend/templates/templates.h"
#include "backend/wiring/job_resources.h"
#include "tests/backend/jobs/fake_slurm.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"
#include "tests/support/fake_home_lookup.h"
#include "tests/support/fake_template_lookup.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {

inline Session SessionOf(const std::string& name, uint32_t uid,
                         Role role = Role::kUser) {
  Session session;
  session.id = SessionId("session-of-" + name);
  session.username = name;
  session.uid = Uid(uid);
  session.role = role;
  session.expires_at = absl::FromUnixSeconds(1'800'086'400);
  return session;
}

// From now on the COMMIT of a transaction that inserted a job fails.
inline void BreakCommit(Database* database) {
  const auto run = [&](const char* sql) {
    REQUIRE_THAT(database->Query([&](Database& self) -> absl::Status {
      return self.Prepare(sql)->Run();
    }),
                 IsOk());
  };
  run("CREATE TABLE broken (id REFERENCES jobs DEFERRABLE INITIALLY DEFERRED)");
  run("CREATE TRIGGER break AFTER INSERT ON jobs BEGIN INSERT INTO broken "
      "VALUES ('nosuch'); END");
}

// An agent's report once the job's own app answers.
inline const JobApp kOwnAppReady = {"jupyter", v1::JOB_APP_STATE_READY, ""};

class JobFixture {
 public:
  explicit JobFixture(int max_running_jobs = 0) {
    config_.apps = {{.id = "jupyter",
                     .name = "Jupyter",
                     .icon = "app",
                     .description = "",
                     .command = {"jupyter", "{socket}"},
                     .ready_path = "/api",
                     .environment = {}},
                    {.id = "code",
                     .name = "VS Code",
                     .icon = "app",
                     .description = "",
                     .command = {"code-server", "{socket}"},
                     .ready_path = "/",
                     .environment = {}}};
    config_.images = {{.id = "base:1",
                       .description = "",
                       .path = "/images/base.sif",
                       .sha256 = std::string(64, 'a'),
                       .apps = {},
                       .mounts = {{"/data/{user}", "/data", true}},
                       .environment = {{"IMAGE", "base"}}},
                      {.id = kNoImage,
                       .description = "",
                       .path = "",
                       .sha256 = "",
                       .apps = {"jupyter"},
                       .mounts = {},
                       .environment = {}}};
    config_.user = {.max_gpus_per_job = 4,
                    .max_running_jobs = max_running_jobs,
                    .max_walltime = {}};
    config_.environments.offered = true;
    config_.environments.system_directories.clear();
    config_.portal_url = "https://carme.test";
    config_.jobs_domain = "jobs.carme.test:8443";
    Start();
  }
  ~JobFixture() { Stop(); }

  // The backend dies and comes back; Slurm lives on.
  void Restart() {
    Stop();
    Start();
  }
  void Stop() {
    admission_.reset();
    jobs_.reset();
    resources_.reset();
    routes_.reset();
    audit_.reset();
    database_.reset();
  }
  void Start() {
    database_ = Database::Open(dir_.File("carme.db"), Migrations()).value();
    audit_ = AuditLog::Open(database_.get(), &clock_).value();
    routes_ = std::make_unique<Routes>(&clock_);
    auto resources =
        JobResources::Open({.database = database_.get(),
                            .clock = &clock_,
                            .audit = audit_.get(),
                            .directory = &directory_,
                            .person_lookup = &directory_,
                            .homes = &homes_,
                            .scheduler = &slurm_,
                            .reserver = nullptr,
                            .jobs = &config_,
                            .projects = &projects_config_,
                            .reservations = &reservations_config_});
    REQUIRE_THAT(resources, IsOk());
    resources_ = *std::move(resources);
    projects_ = &resources_->projects;
    images_ = resources_->images.get();
    environments_ = resources_->environments.get();
    quotas_ = resources_->quotas.get();
    templates_ = resources_->templates.get();
    template_lookup_.templates = templates_;
    auto jobs = Jobs::Open({.database = database_.get(),
                            .scheduler = &slurm_,
                            .submitter = &slurm_,
                            .routes = routes_.get(),
                            .audit = audit_.get(),
                            .clock = &clock_,
                            .images = images_,
                            .environments = environments_,
                            .projects = projects_,
                            .quotas = quotas_,
                            .templates = &template_lookup_,
                            .storage = storage_,
                            .accounting = accounting_,
                            .maintenance = resources_->maintenance.get()},
                           config_);
    REQUIRE_THAT(jobs, IsOk());
    jobs_ = *std::move(jobs);
    admission_ = std::make_unique<AgentAdmission>(
        AgentAdmission::Parts{.active = &jobs_->active(),
                              .scheduler = &slurm_,
                              .polls = &jobs_->polls(),
                              .clock = &clock_});
  }

  // Ada and Bob are in the groups "staff" and "chem".
  static absl::StatusOr<Person> PersonNamed(const std::string& username) {
    const bool is_ada = username == "ada";
    return Person{.username = username,
                  .display_name = "",
                  .uid = Uid(is_ada ? 20001 : 20002),
                  .role = Role::kUser,
                  .groups = {is_ada ? "staff" : "chem"}};
  }

  absl::StatusOr<Job> Submit(const Session& who, const std::string& key = "",
                             const JobSpec& spec = {}) {
    return jobs_->Submit(
        who, spec, key,
        {.actor = who.username, .actor_uid = who.uid, .request_id = "request"});
  }
  Job Now(const JobId& id) {
    for (const Session* who : {&ada_, &bob_}) {
      auto job = jobs_->Get(*who, id, "request");
      if (job.ok()) return *job;
    }
    FAIL("no such job");
    return {};
  }
  // A project of Ada's that runs in the Slurm account "chem".
  std::string AdasProject() {
    const Person carol{.username = "carol",
                       .display_name = "",
                       .uid = Uid(20003),
                       .role = Role::kAdmin};
    const auto made = projects_->Create(PersonOf(ada_), {.name = "Chem"});
    REQUIRE_THAT(made, IsOk());
    const ProjectId id = made->row.project.id;
    REQUIRE_THAT(projects_->ApplyAction(carol, id, v1::PROJECT_ACTION_APPROVE),
                 IsOk());
    REQUIRE_THAT(projects_->SetTerms(carol, id, {}, "chem"), IsOk());
    return id.value();
  }
  // A job of Ada's that Slurm runs on a1 and whose agent has registered.
  Job Registered() {
    const Job job = Submit(ada_).value();
    slurm_.Run(job.slurm_id);
    slurm_.Poll();
    return admission_->Register(job.id, {"127.0.0.1", 34000}).value();
  }

  TempDir dir_;
  FakeClock clock_;
  FakeSlurm slurm_{&clock_, dir_.File("slurm")};
  JobsConfig config_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<AuditLog> audit_;
  std::unique_ptr<Routes> routes_;
  FakeDirectory directory_{PersonNamed};
  FakeHomeLookup homes_;
  StorageReader* storage_ = nullptr;  // of the next Start
  SlurmUsage* accounting_ = nullptr;  // likewise
  ProjectsConfig projects_config_{.require_admin_approval = false};
  ReservationsConfig reservations_config_;
  std::unique_ptr<JobResources> resources_;
  // Its parts.
  Projects* projects_ = nullptr;
  ImageCatalogue* images_ = nullptr;
  Environments* environments_ = nullptr;
  Quotas* quotas_ = nullptr;
  Templates* templates_ = nullptr;
  FakeTemplateLookup template_lookup_;  // for running jobs
  std::unique_ptr<Jobs> jobs_;
  std::unique_ptr<AgentAdmission> admission_;
  const Session ada_ = SessionOf("ada", 20001);
  const Session bob_ = SessionOf("bob", 20002);
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_JOBS_JOB_FIXTURE_H_
