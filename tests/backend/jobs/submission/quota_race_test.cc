// No sequence of requests exceeds a quota, also not concurrent ones: threads
// submit, extend and stop jobs, arrays and linked jobs while Slurm starts them,
// responds late or not at all, and the backend restarts. What Slurm accepted is
// recorded apart from Carme's tables, and compared with the rules whenever no
// request is in progress.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

using SlurmOutcome = FakeSlurm::SlurmOutcome;

constexpr int kSeeds = 6;
constexpr int kRounds = 3;
constexpr int kThreads = 6;
constexpr int kSteps = 40;

constexpr int64_t kGpusOfOne = 9;
constexpr int64_t kJobsOfOne = 8;
constexpr int64_t kGpuHoursOfOne = 40;
constexpr int64_t kGpusOfJob = 3;
constexpr int64_t kTodayOfOne = 60;
constexpr int64_t kGpusOfProject = 11;
constexpr int64_t kGpuHoursOfProject = 50;
constexpr int64_t kNodesOfMember = 5;

class Dice {
 public:
  explicit Dice(int seed) : engine_(static_cast<unsigned>(seed)) {}
  int Of(int min, int max) {
    return std::uniform_int_distribution<int>(min, max)(engine_);
  }

 private:
  std::mt19937 engine_;
};

// The usage of a user according to Slurm.
struct Held {
  int64_t gpus = 0, nodes = 0, jobs = 0, today = 0;
  absl::Duration gpu_time;
};

class Site : public JobFixture {
 public:
  explicit Site(int seed) : dice_(seed), day_(DayOf(clock_.Now())) {
    config_.life.longest_walltime = absl::Hours(12);
    Restart();
    // Slurm responds slowly, so that requests overlap.
    slurm_.set_meanwhile([] { absl::SleepFor(absl::Milliseconds(2)); });
    project_ = AdasProject();
    const ProjectId id(project_);
    REQUIRE_THAT(projects_->Invite(PersonOf(ada_), id, "bob"), IsOk());
    REQUIRE_THAT(projects_->ApplyMemberAction(PersonOf(bob_), id, "bob",
                                              MemberAction::kAccept),
                 IsOk());
    for (const char* name : {"ada", "bob"}) {
      for (const auto& [metric, max] :
           {std::pair{v1::LIMIT_METRIC_GPUS, kGpusOfOne},
            {v1::LIMIT_METRIC_JOBS, kJobsOfOne},
            {v1::LIMIT_METRIC_GPU_HOURS, kGpuHoursOfOne},
            {v1::LIMIT_METRIC_JOBS_PER_DAY, kTodayOfOne},
            {v1::LIMIT_METRIC_GPUS_PER_JOB, kGpusOfJob}}) {
        Limit({.scope = v1::LIMIT_SCOPE_USER,
               .username = name,
               .metric = metric,
               .max = max});
      }
    }
    for (const auto& [metric, max] :
         {std::pair{v1::LIMIT_METRIC_GPUS, kGpusOfProject},
          {v1::LIMIT_METRIC_GPU_HOURS, kGpuHoursOfProject}}) {
      Limit({.scope = v1::LIMIT_SCOPE_PROJECT,
             .project = project_,
             .metric = metric,
             .max = max});
    }
    Limit({.scope = v1::LIMIT_SCOPE_MEMBER,
           .project = project_,
           .metric = v1::LIMIT_METRIC_NODES,
           .max = kNodesOfMember});
  }

  // All threads act concurrently.
  void Round() {
    std::vector<std::thread> people;
    std::atomic<int> acting = kThreads;
    for (int i = 0; i < kThreads; ++i) {
      const int seed = dice_.Of(0, 1'000'000);
      people.emplace_back([this, i, seed, &acting] {
        Dice dice(seed);
        for (int step = 0; step < kSteps; ++step) {
          Act(i % 2 == 0 ? ada_ : bob_, &dice);
        }
        --acting;
      });
    }
    // The watcher's thread, and Slurm itself.
    while (acting > 0) {
      slurm_.set_outcome(SlurmOutcomeOf(dice_.Of(0, 9)));
      StartSome();
      Poll();
    }
    for (std::thread& one : people) one.join();
    slurm_.set_outcome(SlurmOutcome::kAccepted);
    Poll();
    Check();
  }

  // Advances the clock; jobs whose end has passed end.
  void Pass(absl::Duration by) {
    clock_.Advance(by);
    for (const SlurmJob& job : slurm_.Jobs()) {
      if (job.state == SlurmState::kRunning && job.ends_at <= clock_.Now()) {
        SlurmJob over = job;
        over.state = SlurmState::kTimeLimit;
        slurm_.Put(over);
      }
    }
    Poll();
    Check();
  }

  std::atomic<int> admitted_ = 0, arrays_ = 0, joined_ = 0, refused_ = 0;
  std::atomic<int> extended_ = 0, stopped_ = 0;

 private:
  // Later changes in Slurm are newer than this poll.
  void Poll() {
    const absl::Time asked_at = clock_.Now();
    clock_.Advance(absl::Microseconds(1));
    slurm_.PollAskedAt(asked_at);
  }

  void Limit(const QuotaRule& rule) {
    REQUIRE(quotas_->Set(rule, "carol").status() == absl::OkStatus());
  }

  static SlurmOutcome SlurmOutcomeOf(int number) {
    switch (number) {
      case 0:
        return SlurmOutcome::kResponseLost;
      case 1:
        return SlurmOutcome::kRequestLost;
      case 2:
        return SlurmOutcome::kRefused;
      default:
        return SlurmOutcome::kAccepted;
    }
  }

  void Act(const Session& who, Dice* dice) {
    const int what = dice->Of(0, 9);
    if (what >= 4 && what <= 7) {
      const std::optional<JobId> job = OneOf(who, dice);
      const absl::Duration by = absl::Minutes(dice->Of(10, 180));
      if (job && jobs_->Extend(who, *job, by, "", "r").ok()) ++extended_;
      return;
    }
    if (what == 8) {
      const std::optional<JobId> job = OneOf(who, dice);
      if (job && jobs_->Stop(who, *job, "r").ok()) ++stopped_;
      return;
    }
    JobSpec spec;
    spec.gpus_per_node = std::min(2, dice->Of(0, 4));
    spec.walltime = absl::Minutes(dice->Of(10, 240));
    if (dice->Of(0, 1) == 0) spec.project = project_;
    if (what == 0) {
      spec.batch = BatchSpec{.command = "true", .array = "0-3%2"};
    }
    if (what == 9 || what == 1) {
      const std::optional<JobId> job = OneOf(who, dice);
      if (job) spec = {.gpus_per_node = 1, .linked_to = job->value()};
    }
    const auto made = Submit(who, "", spec);
    if (!made.ok()) {
      ++refused_;
      return;
    }
    ++admitted_;
    if (spec.batch) ++arrays_;
    if (!spec.linked_to.empty()) ++joined_;
    absl::MutexLock lock(&mutex_);
    made_.emplace(made->id, *made);
    ids_[who.username].push_back(made->id);
  }

  // A job of theirs, rather a new one.
  std::optional<JobId> OneOf(const Session& who, Dice* dice) {
    absl::MutexLock lock(&mutex_);
    const std::vector<JobId>& ids = ids_[who.username];
    if (ids.empty()) return std::nullopt;
    const int newest = static_cast<int>(ids.size()) - 1;
    return ids[static_cast<size_t>(dice->Of(std::max(0, newest - 7), newest))];
  }

  // Slurm starts what waits, now and then; agents say that they are there.
  void StartSome() {
    for (const SlurmJob& waits : slurm_.Jobs()) {
      if (waits.state != SlurmState::kPending || dice_.Of(0, 3) == 0) continue;
      const std::optional<Job> job = jobs_->active().Find(waits.carme_id);
      if (!job || HasEnded(*job)) continue;
      SlurmJob slurm = waits;
      if (IsArray(*job)) {
        if (waits.array != SlurmJobId()) continue;  // it is one already
        slurm.array = waits.id;
        slurm.tasks_waiting = job->spec.batch->array;
        slurm_.Put(slurm);
        continue;
      }
      slurm.state = SlurmState::kRunning;
      slurm.walltime = job->spec.walltime;
      slurm.started_at = clock_.Now();
      slurm.ends_at = clock_.Now() + job->spec.walltime;
      slurm.nodes = {IsLinkedJob(*job) ? "a2" : "a1"};
      slurm_.Put(slurm);
    }
    Poll();
    for (const SlurmJob& runs : slurm_.Jobs()) {
      const std::optional<Job> job = jobs_->active().Find(runs.carme_id);
      if (!job || job->state != v1::JOB_STATE_STARTING || IsArray(*job))
        continue;
      admission_->Register(job->id, {"127.0.0.1", 34000}).IgnoreError();
      if (IsLinkedJob(*job)) {
        admission_->ReportJoined(job->id).IgnoreError();
      } else {
        admission_->ReportApp(job->id, kOwnAppReady).IgnoreError();
      }
    }
  }

  static bool IsOver(const SlurmJob& slurm) {
    return slurm.state != SlurmState::kPending &&
           slurm.state != SlurmState::kRunning;
  }

  void Check() {
    std::map<std::string, Held> people;
    std::map<std::string, Held> members;
    std::map<JobId, int64_t> gpus_by_first_job;
    Held project;
    for (const SlurmJob& slurm : slurm_.Jobs()) {
      const auto found = made_.find(slurm.carme_id);
      REQUIRE(found != made_.end());  // an unknown job
      const Job& job = found->second;
      const JobUse use = UseOf(job.spec);
      std::vector<Held*> counts = {&people[job.owner]};
      if (!job.spec.project.empty()) {
        counts.push_back(&project);
        counts.push_back(&members[job.owner]);
      }
      absl::Duration gpu_time = use.walltime * use.tasks * use.gpus;
      if (slurm.started_at != absl::InfinitePast()) {
        gpu_time = (slurm.ends_at - slurm.started_at) * use.gpus;
      } else if (IsOver(slurm)) {
        gpu_time = absl::ZeroDuration();
      }
      for (Held* held : counts) {
        held->gpu_time += gpu_time;
        if (DayOf(job.created_at).begin == day_.begin) held->today += use.tasks;
        if (IsOver(slurm)) continue;
        held->gpus += use.gpus * use.at_once;
        held->nodes += use.nodes * use.at_once;
        held->jobs += use.at_once;
      }
      if (IsOver(slurm) || IsArray(job)) continue;
      gpus_by_first_job[IsLinkedJob(job) ? JobId(job.spec.linked_to)
                                         : job.id] += use.gpus;
    }
    for (const auto& [name, held] : people) {
      INFO(name);
      CHECK(held.gpus <= kGpusOfOne);
      CHECK(held.jobs <= kJobsOfOne);
      CHECK(held.today <= kTodayOfOne);
      CHECK(held.gpu_time <= absl::Hours(kGpuHoursOfOne));
    }
    for (const auto& [name, held] : members) {
      INFO(name);
      CHECK(held.nodes <= kNodesOfMember);
    }
    for (const auto& [id, gpus] : gpus_by_first_job) CHECK(gpus <= kGpusOfJob);
    CHECK(project.gpus <= kGpusOfProject);
    CHECK(project.gpu_time <= absl::Hours(kGpuHoursOfProject));
  }

  Dice dice_;
  const Window day_;
  std::string project_;
  absl::Mutex mutex_;
  std::map<JobId, Job> made_;
  std::map<std::string, std::vector<JobId>> ids_;
};

TEST_CASE("quotas: no order of requests, at the same time too, exceeds one",
          "[jobs]") {
  int admitted = 0, arrays = 0, joined = 0, refused = 0, extended = 0;
  int stopped = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    INFO("seed " << seed);
    Site site(seed);
    for (int round = 0; round < kRounds; ++round) {
      INFO("round " << round);
      site.Round();
      site.Restart();
      site.slurm_.Poll();
      site.Pass(absl::Minutes(40));
    }
    admitted += site.admitted_;
    arrays += site.arrays_;
    joined += site.joined_;
    refused += site.refused_;
    extended += site.extended_;
    stopped += site.stopped_;
  }
  INFO(admitted << " admitted, " << arrays << " arrays, " << joined
                << " linked jobs, " << refused << " refused, " << extended
                << " extended, " << stopped << " stopped");
  // It has tried everything.
  CHECK(admitted > 20);
  CHECK(refused > 20);
  CHECK(arrays > 0);
  CHECK(joined > 0);
  CHECK(extended > 0);
  CHECK(stopped > 0);
}

}  // namespace
}  // namespace carme::backend
