// A submission, a stop and an extension that come to an end at any of their
// steps: the process dies there, or the disk takes no more. Whatever is left,
// the next process and a client that asks again by the same key make one job of
// it, of which Slurm says what the record says.
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
using Fate = FakeSlurm::Fate;

constexpr int kMoreThanThereAre = 2000;

// What is done, from where, and what must hold of a folder in which it was
// done in part. `told`: the client was told that it is done.
struct Deed {
  std::function<void(CrashableBackend&)> before = [](CrashableBackend&) {};
  // The first that the process does which is interrupted.
  std::function<void(CrashableBackend&)> wake = [](CrashableBackend& backend) {
    backend.slurm.Poll();
  };
  std::function<bool(CrashableBackend&)> act;  // what the client is told
  std::function<void(const std::string& directory, bool told)> check;
  bool is_done = true;  // where nothing interrupts it
};

struct Outcome {
  bool interrupted = false;
  bool told = false;
};

void Copy(const std::string& from, const std::string& to) {
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive);
}

// The process may die after the client was told, too, in what it still writes.
Outcome DieAt(int step, const Deed& deed, const std::string& directory) {
  const std::string told = directory + ".told";
  const int code = RunAndExit([&] {
    auto* const backend = new CrashableBackend(directory);
    deed.wake(*backend);
    steps::Arm(Fault::kDeath, step);
    if (deed.act(*backend)) close(creat(told.c_str(), 0600));
    backend->Finish();
  });
  REQUIRE((code == 0 || code == steps::kDeathCode));
  return {.interrupted = code == steps::kDeathCode,
          .told = std::filesystem::exists(told)};
}

// What Slurm has belongs to a record, and both are one at most.
void CheckAgreement(CrashableBackend& backend) {
  const std::vector<SlurmJob> in_slurm = backend.slurm.Jobs();
  const std::vector<Job> records = backend.List();
  CHECK(in_slurm.size() <= 1);
  CHECK(records.size() <= 1);
  if (in_slurm.empty()) return;
  REQUIRE(records.size() == 1);
  CHECK(in_slurm[0].carme_id == records[0].id);
}

Outcome FailAt(int step, Fault fault, const Deed& deed,
               const std::string& directory) {
  CrashableBackend backend(directory);
  deed.wake(backend);
  steps::Arm(fault, step);
  const bool told = deed.act(backend);
  const bool interrupted = steps::Disarm();
  backend.slurm.Poll();
  CheckAgreement(backend);
  return {interrupted, told};
}

// One step after the other, until there is none left.
void ComeToGrief(Fault fault, const Deed& deed, int at_least) {
  TempDir begin;
  {
    CrashableBackend backend(begin.path());
    deed.before(backend);
  }
  int step = 0;
  Outcome outcome{.interrupted = true};
  while (outcome.interrupted) {
    REQUIRE(++step < kMoreThanThereAre);
    INFO("fault " << static_cast<int>(fault) << " at step " << step);
    TempDir directory;
    const std::string here = directory.File("state");
    Copy(begin.path(), here);
    outcome = fault == Fault::kDeath ? DieAt(step, deed, here)
                                     : FailAt(step, fault, deed, here);
    deed.check(here, outcome.told);
  }
  CHECK(outcome.told == deed.is_done);
  CHECK(step > at_least);
}

void AtEachStep(const Deed& deed, int at_least) {
  SECTION("the process dies") { ComeToGrief(Fault::kDeath, deed, at_least); }
  SECTION("the disk is full from there on") {
    ComeToGrief(Fault::kDiskFull, deed, at_least / 2);
  }
  SECTION("one write fails") {
    ComeToGrief(Fault::kWriteFails, deed, at_least / 2);
  }
}

// The client asks again, by the same key, until there is a job.
void CheckSubmitted(const std::string& directory, const JobSpec& spec,
                    bool told) {
  CrashableBackend backend(directory);
  backend.slurm.Poll();
  CheckAgreement(backend);
  const std::vector<Job> left = backend.List();
  const bool lives = !left.empty() && !HasEnded(left[0]);
  CHECK((lives || !told));
  auto job = backend.Submit(spec);
  INFO(job.status().ToString());
  REQUIRE_THAT(job, IsOk());
  if (lives) CHECK(job->id == left[0].id);
  backend.slurm.Poll();
  if (backend.slurm.Jobs().empty()) {
    CHECK_FALSE(told);
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

Deed SubmissionOf(const JobSpec& spec, Fate fate = Fate::kAccepted) {
  return {.act =
              [=](CrashableBackend& backend) {
                backend.slurm.set_fate(fate);
                const auto job = backend.Submit(spec);
                return job.ok() && InSlurm(*job);
              },
          .check = [=](const std::string& directory,
                       bool told) { CheckSubmitted(directory, spec, told); },
          .is_done = fate == Fate::kAccepted};
}

TEST_CASE("kill points: a submission is one job, whatever became of it",
          "[jobs]") {
  AtEachStep(SubmissionOf({}), 20);
}

TEST_CASE("kill points: an array's submission is one array", "[jobs]") {
  JobSpec spec;
  spec.batch = BatchSpec{.command = "true", .array = "0-3%1"};
  AtEachStep(SubmissionOf(spec), 20);
}

TEST_CASE("kill points: a submission that is refused leaves its key free",
          "[jobs]") {
  AtEachStep(SubmissionOf({}, Fate::kUnavailable), 20);
}

// Asked again, it is stopped; what was told as stopped need not be.
void CheckStopped(const std::string& directory, bool told) {
  CrashableBackend backend(directory);
  backend.slurm.Poll();
  const SlurmJobId only = backend.slurm.OnlyJob();
  REQUIRE(backend.List().size() == 1);
  CHECK(backend.List()[0].slurm_id == only);
  // What an earlier process was to cancel, and had no time for, is asked for
  // again after a while.
  const auto ended = [&] {
    backend.clock.Advance(absl::Seconds(5));
    backend.slurm.Poll();
    return HasEnded(backend.List()[0]);
  };
  if (!told && !ended()) REQUIRE_THAT(backend.Stop(), IsOk());
  CHECK(testing::WaitFor(ended));
  CHECK(backend.List()[0].end == v1::JOB_END_STOPPED);
  CHECK(backend.slurm.Jobs()[0].state == SlurmState::kCancelled);
  // It is not begun anew: the key has had its job.
  CHECK(backend.Submit()->id == backend.List()[0].id);
  CHECK(backend.slurm.OnlyJob() == only);
}

bool IsStopped(CrashableBackend& backend) { return backend.Stop().ok(); }

TEST_CASE("kill points: a stop is done, or can be asked for again", "[jobs]") {
  AtEachStep({.before =
                  [](CrashableBackend& backend) {
                    REQUIRE_THAT(backend.Submit(), IsOk());
                  },
              .act = IsStopped,
              .check = CheckStopped},
             5);
}

TEST_CASE("kill points: a stop of a job that Slurm has not named yet",
          "[jobs]") {
  // It is cancelled by whoever finds it in Slurm: this process or the next.
  AtEachStep({.before =
                  [](CrashableBackend& backend) {
                    backend.slurm.set_fate(Fate::kAnswerLost);
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

void CheckExtended(const std::string& directory, bool told, bool at_once) {
  CrashableBackend backend(directory);
  backend.slurm.Poll();
  CHECK((WalltimeInSlurm(backend) == absl::Minutes(90) || !told));
  if (!at_once) {
    // What is recorded and Slurm does not have it is asked for again.
    backend.clock.Advance(absl::Seconds(62));
    backend.slurm.Poll();
    CHECK(testing::WaitFor([&] {
      return backend.RecordedWalltime() == WalltimeInSlurm(backend) &&
             !backend.List().at(0).pending_extension;
    }));
  }
  CHECK(backend.List().at(0).spec.walltime == WalltimeInSlurm(backend));
  // Asked for twice, it is given once.
  for (int i = 0; i < 2; ++i) {
    REQUIRE(testing::WaitFor([&] { return backend.Extend().ok(); }));
    CHECK(WalltimeInSlurm(backend) == absl::Minutes(90));
    CHECK(backend.RecordedWalltime() == absl::Minutes(90));
    CHECK(backend.List().at(0).spec.walltime == absl::Minutes(90));
  }
  CheckAgreement(backend);
}

Deed Extension(Fate fate) {
  return {.before =
              [](CrashableBackend& backend) {
                backend.slurm.Run(backend.Submit()->slurm_id);
                backend.slurm.Poll();
              },
          .act =
              [=](CrashableBackend& backend) {
                backend.slurm.set_fate(fate);
                return backend.Extend().ok();
              },
          .check =
              [](const std::string& directory, bool told) {
                TempDir other;
                const std::string copy = other.File("state");
                Copy(directory, copy);
                CheckExtended(directory, told, /*at_once=*/true);
                CheckExtended(copy, told, /*at_once=*/false);
              },
          .is_done = fate == Fate::kAccepted};
}

TEST_CASE("kill points: an extension is given once, or taken back", "[jobs]") {
  AtEachStep(Extension(Fate::kAccepted), 5);
}

TEST_CASE("kill points: an extension that Slurm refuses promises nothing",
          "[jobs]") {
  AtEachStep(Extension(Fate::kRefused), 5);
}

}  // namespace
}  // namespace carme::backend
