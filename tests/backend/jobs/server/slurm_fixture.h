// A backend's jobs on a real Slurm, with the real impersonator: their own
// process's clock, table and watcher, in a folder that outlives them.
#ifndef CARME_TESTS_BACKEND_JOBS_SERVER_SLURM_FIXTURE_H_
#define CARME_TESTS_BACKEND_JOBS_SERVER_SLURM_FIXTURE_H_

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/slurm/accounting/slurm_usage.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "backend/slurm/poll/slurm_scheduler.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/support/fake_directory.h"
#include "tests/support/fake_home_lookup.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {

using impersonator::AsUser;
using impersonator::EndJobs;
using impersonator::ImpersonatorProcess;
using impersonator::kBackendUid;

// The watcher, and after which of its looks the record was how.
class NotedScheduler : public Scheduler {
 public:
  using Note = std::function<void()>;
  explicit NotedScheduler(SlurmScheduler* inner) : inner_(*inner) {}
  SlurmSnapshotPtr Snapshot() const override { return inner_.Snapshot(); }
  void RefreshSoon() override { inner_.RefreshSoon(); }
  void RefreshJob(SlurmJobId job) override { inner_.RefreshJob(job); }
  void TrackUntilEnd(SlurmJobId job) override { inner_.TrackUntilEnd(job); }
  void Track(SlurmJobId job) override { inner_.Track(job); }
  void TrackOnly(std::set<SlurmJobId> jobs) override {
    inner_.TrackOnly(std::move(jobs));
  }
  void RefreshResourcesSoon() override { inner_.RefreshResourcesSoon(); }
  bool RefreshResources(absl::Duration timeout) override {
    return inner_.RefreshResources(timeout);
  }
  bool RefreshAccounting(absl::Duration timeout) override {
    return inner_.RefreshAccounting(timeout);
  }
  void OnPoll(std::function<void(const SlurmSnapshotPtr&)> listener) override {
    inner_.OnPoll([this, listener](const SlurmSnapshotPtr& seen) {
      listener(seen);
      absl::MutexLock lock(&mutex_);
      if (!note_ || !seen->reachable || seen->asked_at <= since_) return;
      note_();
      note_ = nullptr;
    });
  }
  // Calls `note` at the end of the first look that was asked for from now on.
  void AfterNextPoll(const Note& note) {
    {
      absl::MutexLock lock(&mutex_);
      since_ = absl::Now();
      note_ = note;
    }
    REQUIRE(testing::WaitFor([this] {
      absl::MutexLock lock(&mutex_);
      return note_ == nullptr;
    }));
  }

 private:
  SlurmScheduler& inner_;
  absl::Mutex mutex_;
  absl::Time since_ ABSL_GUARDED_BY(mutex_);
  Note note_ ABSL_GUARDED_BY(mutex_);
};

// A clock that is behind.
class LateClock : public Clock {
 public:
  explicit LateClock(absl::Duration by) : by_(by) {}
  absl::Time Now() const override { return absl::Now() - by_; }

 private:
  const absl::Duration by_;
};

class SlurmFixture {
 public:
  explicit SlurmFixture(const std::string& directory,
                        const ImpersonatorProcess& impersonator,
                        absl::Duration clock_behind = absl::ZeroDuration(),
                        int max_gpus_per_job = 2,
                        const TemplateLookup* templates = nullptr)
      : clock_(clock_behind),
        watcher_(
            SlurmScheduler::Create({.poll_interval = absl::Milliseconds(200)})
                .value()),
        scheduler_(watcher_.get()),
        client_(
            {.socket = impersonator.socket(), .timeout = testing::kWaitTimeout},
            watcher_.get()),
        database_(
            Database::Open(directory + "/carme.db", Migrations()).value()),
        audit_(AuditLog::Open(database_.get(), &clock_).value()),
        routes_(&clock_) {
    JobsConfig config;
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
    config.user.max_gpus_per_job = max_gpus_per_job;
    config.life.longest_walltime = absl::Hours(2);
    resources_ = JobResources::Open({.database = database_.get(),
                                     .clock = &clock_,
                                     .audit = audit_.get(),
                                     .directory = &directory_,
                                     .person_lookup = &directory_,
                                     .homes = &homes_,
                                     .scheduler = &scheduler_,
                                     .reserver = &client_,
                                     .jobs = &config,
                                     .projects = &projects_config_,
                                     .reservations = &reservations_config_})
                     .value();
    jobs_ = Jobs::Open({.database = database_.get(),
                        .scheduler = &scheduler_,
                        .submitter = &client_,
                        .routes = &routes_,
                        .audit = audit_.get(),
                        .clock = &clock_,
                        .images = resources_->images.get(),
                        .quotas = resources_->quotas.get(),
                        .templates = templates,
                        .accounting = &usage_},
                       config)
                .value();
    agents_ = std::make_unique<AgentAdmission>(
        AgentAdmission::Parts{.active = &jobs_->active(),
                              .scheduler = &scheduler_,
                              .polls = &jobs_->polls(),
                              .clock = &clock_});
    watcher_->Start();
    REQUIRE(
        testing::WaitFor([this] { return watcher_->Snapshot()->reachable; }));
  }
  ~SlurmFixture() { watcher_->Stop(); }

  // A job of ada, pending unless `spec` makes it start.
  static JobSpec Small() {
    JobSpec spec;
    spec.name = "small";
    spec.partition = "main";
    spec.nodes = 1;
    spec.cpus_per_node = 1;
    spec.memory_per_node_mib = 100;
    spec.walltime = absl::Minutes(5);
    return spec;
  }
  static JobSpec Later() {
    JobSpec spec = Small();
    spec.start_at = absl::Now() + absl::Hours(1);
    return spec;
  }
  Job Submit(const JobSpec& spec, const std::string& key = "") {
    const AsUser backend(kBackendUid);
    // A poll that was under way cannot read its response with the new ids, so
    // Slurm seems to be away until the next one.
    scheduler_.AfterNextPoll([] {});
    const auto job = jobs_->Submit(ada_, spec, key,
                                   {.actor = "ada", .request_id = "request"});
    INFO(job.status().ToString());
    REQUIRE_THAT(job, IsOk());
    return *job;
  }
  // These act as Ada in the backend's name: REQUIRES an AsUser.
  absl::StatusOr<Job> Stop(const JobId& id) {
    return jobs_->Stop(ada_, id, "request");
  }
  absl::StatusOr<Job> Extend(const JobId& id, absl::Duration by) {
    return jobs_->Extend(ada_, id, by, "", "request");
  }
  absl::StatusOr<LogText> ReadLog(const JobId& id) {
    return jobs_->ReadLog(ada_, id, "", 0, "request");
  }
  bool Refresh() { return scheduler_.RefreshResources(testing::kWaitTimeout); }
  Decision Preview(const JobSpec& spec) { return jobs_->Preview(ada_, spec); }
  Job Get(const JobId& id) {
    const auto job = jobs_->Get(ada_, id, "request");
    REQUIRE_THAT(job, IsOk());
    return *job;
  }
  // At the end of the first look that is asked for from now on.
  Job AfterNextPoll(const JobId& id) {
    std::optional<Job> job;
    scheduler_.AfterNextPoll([&] {
      // In the table, where its end is written already.
      const auto found = jobs_->Get(ada_, id, "request");
      if (found.ok()) job = *found;
    });
    REQUIRE(job.has_value());
    return *job;
  }
  bool IsReachable() { return watcher_->Snapshot()->reachable; }
  SlurmSnapshotPtr Slurm() { return watcher_->Snapshot(); }
  // The job's agent, as far as its states need it.
  void ReportReady(const JobId& id) {
    REQUIRE_THAT(agents_->Register(id, {"127.0.0.1", 34000}), IsOk());
    REQUIRE_THAT(agents_->ReportApp(id, kOwnAppReady), IsOk());
  }
  void SetReturnableNodes(const JobId& id, std::set<std::string> nodes) {
    jobs_->active().SetReturnableNodes(id, std::move(nodes));
  }
  IdleMonitor& idle() { return jobs_->idle(); }
  Jobs& jobs() { return *jobs_; }
  AgentAdmission& agents() { return *agents_; }
  Scheduler& scheduler() { return scheduler_; }
  PersonLookup& directory() { return directory_; }
  const Clock& clock() const { return clock_; }
  Templates& templates() { return *resources_->templates; }
  Database& database() { return *database_; }
  SlurmUsage& usage() { return usage_; }

 private:
  const Session ada_ = SessionOf("ada", 20001);
  LateClock clock_;
  FakeDirectory directory_{JobFixture::PersonNamed};
  FakeHomeLookup homes_;
  std::unique_ptr<SlurmScheduler> watcher_;
  NotedScheduler scheduler_;
  ImpersonatorClient client_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<AuditLog> audit_;
  Routes routes_;
  ProjectsConfig projects_config_;
  ReservationsConfig reservations_config_;
  std::unique_ptr<JobResources> resources_;
  SlurmdbdUsage usage_;
  std::unique_ptr<Jobs> jobs_;
  std::unique_ptr<AgentAdmission> agents_;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_JOBS_SERVER_SLURM_FIXTURE_H_
