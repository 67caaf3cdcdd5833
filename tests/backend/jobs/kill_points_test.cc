// Interrupts a submission, a stop and an extension at each of their steps: the
// process is killed there, or a write fails. From the remaining state the next
// process, and a client that repeats the request with the same key, must get
// exactly one job, and Slurm and the record must agree about it.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "tests/backend/jobs/crashable_backend.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using steps::Fault;
using SlurmOutcome = FakeSlurm::SlurmOutcome;

constexpr int kMaxSteps = 2000;

// An operation to interrupt, its initial state, and a check of the directory
// that an interrupted run leaves. `acknowledged`: the client got a success.
struct InterruptedOperation {
  std::function<void(CrashableBackend&)> before = [](CrashableBackend&) {};
  // The first call in the interrupted process.
  std::function<void(CrashableBackend&)> wake = [](CrashableBackend& backend) {
    backend.slurm.Poll();
  };
  std::function<bool(CrashableBackend&)> act;  // true: acknowledged
  std::function<void(const std::string& directory, bool acknowledged)> check;
  bool is_acknowledged = true;  // without an interruption
};

struct Outcome {
  bool interrupted = false;
  bool acknowledged = false;
};

void Copy(const std::string& from, const std::string& to) {
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
}

// The process may also die after the acknowledgement, in a later write.
Outcome KillAt(int step, const InterruptedOperation& operation,
               const std::string& directory) {
  const std::string mark = directory + ".acknowledged";
  const int code = RunAndExit([&] {
    auto* const backend = new CrashableBackend(directory);
    operation.wake(*backend);
    steps::Arm(Fault::kDeath, step);
    if (operation.act(*backend)) close(creat(mark.c_str(), 0600));
    backend->Finish();
  });
  REQUIRE((code == 0 || code == steps::kDeathCode));
  return {.interrupted = code == steps::kDeathCode,
          .acknowledged = std::filesystem::exists(mark)};
}

// At most one job and one record; the job belongs to the record.
void CheckAgreement(CrashableBackend& backend) {
  const std::vector<SlurmJob> in_slurm = backend.slurm.Jobs();
  const std::vector<Job> records = backend.List();
  CHECK(in_slurm.size() <= 1);
  CHECK(records.size() <= 1);
  if (in_slurm.empty()) return;
  REQUIRE(records.size() == 1);
  CHECK(in_slurm[0].carme_id == records[0].id);
}

Outcome FailAt(int step, Fault fault, const InterruptedOperation& operation,
               const std::string& directory) {
  CrashableBackend backend(directory);
  operation.wake(backend);
  steps::Arm(fault, step);
  const bool acknowledged = operation.act(backend);
  const bool interrupted = steps::Disarm();
  backend.slurm.Poll();
  CheckAgreement(backend);
  return {interrupted, acknowledged};
}

// Interrupts step 1, 2, … until a run is not interrupted.
void InterruptEachStep(Fault fault, const InterruptedOperation& operation,
                       int at_least) {
  TempDir begin;
  {
    CrashableBackend backend(begin.path());
    operation.before(backend);
  }
  int step = 0;
  Outcome outcome{.interrupted = true};
  while (outcome.interrupted) {
    REQUIRE(++step < kMaxSteps);
    INFO("fault " << static_cast<int>(fault) << " at step " << step);
    TempDir directory;
    const std::string here = directory.File("state");
    Copy(begin.path(), here);
    outcome = fault == Fault::kDeath ? KillAt(step, operation, here)
                                     : FailAt(step, fault, operation, here);
    operation.check(here, outcome.acknowledged);
  }
  CHECK(outcome.acknowledged == operation.is_acknowledged);
  CHECK(step > at_least);
}

void WithEachFault(const InterruptedOperation& operation, int at_least) {
  SECTION("the process dies") {
    InterruptEachStep(Fault::kDeath, operation, at_least);
  }
  SECTION("the disk is full from there on") {
    InterruptEachStep(Fault::kDiskFull, operation, at_least / 2);
  }
  SECTION("one write fails") {
    InterruptEachStep(Fault::kWriteFails, operation, at_least / 2);
  }
}

// The client repeats the request with the same key until there is a job.
void CheckSubmitted(const std::string& directory, const JobSpec& spec,
                    bool acknowledged) {
  CrashableBackend backend(directory);
  backend.slurm.Poll();
  CheckAgreement(backend);
  const std::vector<Job> left = backend.List();
  const bool lives = !left.empty() && !HasEnded(left[0]);
  CHECK((lives || !acknowledged));
  auto job = backend.Submit(spec);
  INFO(job.status().ToString());
  REQUIRE_THAT(job, IsOk());
  if (lives) CHECK(job->id == left[0].id);
  backend.slurm.Poll();
  if (backend.slurm.Jobs().empty()) {
    CHECK_FALSE(acknowledged);
    backend.clock.Advance(absl::Seconds(61));
    backend.slurm.Poll();
    CHECK(backend.Alive().empty());
    job = backend.Submit(spec);
    REQUIRE_THAT(job, IsOk());
  }
  const SlurmJobId only = backend.slurm.OnlyJob();
  REQUIRE(backend.Alive().size() == 1);
  CHECK(backend.Alive()[0].slurm_id == only);
  CHECK(backend.slurm.Jobs()[0].carme_id == backend.Alive()[0].id);
  CHECK(backend.Submit(spec)->id == backend.Alive()[0].id);
  CHECK(backend.slurm.Cancelled().empty());
}

InterruptedOperation SubmissionOf(
    const JobSpec& spec, SlurmOutcome slurm_outcome = SlurmOutcome::kAccepted) {
  return {.act =
              [=](CrashableBackend& backend) {
                backend.slurm.set_outcome(slurm_outcome);
                const auto job = backend.Submit(spec);
                return job.ok() && InSlurm(*job);
              },
          .check =
              [=](const std::string& directory, bool acknowledged) {
                CheckSubmitted(directory, spec, acknowledged);
              },
          .is_acknowledged = slurm_outcome == SlurmOutcome::kAccepted};
}

TEST_CASE("kill points: an interrupted submission makes one job", "[jobs]") {
  WithEachFault(SubmissionOf({}), 20);
}

TEST_CASE("kill points: an array's submission is one array", "[jobs]") {
  JobSpec spec;
  spec.batch = BatchSpec{.command = "true", .array = "0-3%1"};
  WithEachFault(SubmissionOf(spec), 20);
}

TEST_CASE("kill points: a submission that is refused leaves its key free",
          "[jobs]") {
  WithEachFault(SubmissionOf({}, SlurmOutcome::kUnavailable), 20);
}

// An acknowledged stop is not repeated; any other is.
void CheckStopped(const std::string& directory, bool acknowledged) {
  CrashableBackend backend(directory);
  backend.slurm.Poll();
  const SlurmJobId only = backend.slurm.OnlyJob();
  REQUIRE(backend.List().size() == 1);
  CHECK(backend.List()[0].slurm_id == only);
  // A cancellation that the earlier process did not finish is repeated later.
  const auto ended = [&] {
    backend.clock.Advance(absl::Seconds(5));
    backend.slurm.Poll();
    return HasEnded(backend.List()[0]);
  };
  if (!acknowledged && !ended()) REQUIRE_THAT(backend.Stop(), IsOk());
  CHECK(testing::WaitFor(ended));
  CHECK(backend.List()[0].end == v1::JOB_END_STOPPED);
  CHECK(backend.slurm.Jobs()[0].state == SlurmState::kCancelled);
  // The key is used: no new job is started.
  CHECK(backend.Submit()->id == backend.List()[0].id);
  CHECK(backend.slurm.OnlyJob() == only);
}

bool IsStopped(CrashableBackend& backend) { return backend.Stop().ok(); }

TEST_CASE("kill points: a stop is done, or can be repeated", "[jobs]") {
  WithEachFault({.before =
                     [](CrashableBackend& backend) {
                       REQUIRE_THAT(backend.Submit(), IsOk());
                     },
                 .act = IsStopped,
                 .check = CheckStopped},
                5);
}

TEST_CASE("kill points: a stop of a job without a Slurm id", "[jobs]") {
  // This process or the next finds the job in Slurm and cancels it.
  WithEachFault({.before =
                     [](CrashableBackend& backend) {
                       backend.slurm.set_outcome(SlurmOutcome::kResponseLost);
                       REQUIRE_THAT(backend.Submit(), IsOk());
                     },
                 .wake = [](CrashableBackend&) {},
                 .act = IsStopped,
                 .check = CheckStopped},
                5);
}

absl::Duration WalltimeInSlurm(CrashableBackend& backend) {
  return backend.slurm.Jobs().at(0).walltime.value();
}

void CheckExtended(const std::string& directory, bool acknowledged,
                   bool at_once) {
  CrashableBackend backend(directory);
  backend.slurm.Poll();
  CHECK((WalltimeInSlurm(backend) == absl::Minutes(90) || !acknowledged));
  if (!at_once) {
    // A recorded extension that Slurm does not have is requested again.
    backend.clock.Advance(absl::Seconds(62));
    backend.slurm.Poll();
    CHECK(testing::WaitFor([&] {
      return backend.RecordedWalltime() == WalltimeInSlurm(backend) &&
             !backend.List().at(0).pending_extension;
    }));
  }
  CHECK(backend.List().at(0).spec.walltime == WalltimeInSlurm(backend));
  // Requested twice, applied once.
  for (int i = 0; i < 2; ++i) {
    REQUIRE(testing::WaitFor([&] { return backend.Extend().ok(); }));
    CHECK(WalltimeInSlurm(backend) == absl::Minutes(90));
    CHECK(backend.RecordedWalltime() == absl::Minutes(90));
    CHECK(backend.List().at(0).spec.walltime == absl::Minutes(90));
  }
  CheckAgreement(backend);
}

InterruptedOperation Extension(SlurmOutcome slurm_outcome) {
  return {.before =
              [](CrashableBackend& backend) {
                backend.slurm.Run(backend.Submit()->slurm_id);
                backend.slurm.Poll();
              },
          .act =
              [=](CrashableBackend& backend) {
                backend.slurm.set_outcome(slurm_outcome);
                return backend.Extend().ok();
              },
          .check =
              [](const std::string& directory, bool acknowledged) {
                TempDir other;
                const std::string copy = other.File("state");
                Copy(directory, copy);
                CheckExtended(directory, acknowledged, /*at_once=*/true);
                CheckExtended(copy, acknowledged, /*at_once=*/false);
              },
          .is_acknowledged = slurm_outcome == SlurmOutcome::kAccepted};
}

TEST_CASE("kill points: an extension is applied once, or reverted", "[jobs]") {
  WithEachFault(Extension(SlurmOutcome::kAccepted), 5);
}

TEST_CASE("kill points: an extension that Slurm refuses counts as unused",
          "[jobs]") {
  WithEachFault(Extension(SlurmOutcome::kRefused), 5);
}

}  // namespace
}  // namespace carme::backend
