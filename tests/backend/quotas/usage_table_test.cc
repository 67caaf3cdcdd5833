#include "backend/quotas/usage_table.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/backend/quotas/quota_world.h"

namespace carme::backend {
namespace {

const JobUse kTwoGpus{.gpus = 2, .walltime = absl::Hours(3)};

QuotaUsage UsageOf(QuotaWorld* world, Uid uid, const std::string& project) {
  QuotaUsage usage;
  world->In([&](Database& db) -> absl::Status {
    usage = ReadUsage(db, uid, project, world->clock_.Now()).value();
    return absl::OkStatus();
  });
  return usage;
}

TEST_CASE("usage: a job that has ended is counted once", "[quotas]") {
  QuotaWorld world;
  JobUsage job = world.Submit("ada", kTwoGpus);
  world.Start(&job);
  world.clock_.Advance(absl::Hours(1));
  world.End(&job);
  world.Follow(job);  // said again, as after a write that failed
  const QuotaUsage usage = UsageOf(&world, kAda, "");
  CHECK(usage.ever == absl::Hours(2));
  CHECK(usage.ever_spent == absl::Hours(2));
  CHECK(usage.jobs == 0);
  CHECK(usage.gpus == 0);
}

TEST_CASE("usage: a job that was never submitted does not count", "[quotas]") {
  QuotaWorld world;
  JobUsage job = world.Submit("ada", kTwoGpus);
  CHECK(UsageOf(&world, kAda, "").jobs_today == 1);
  job.was_submitted = false;
  world.End(&job);
  CHECK(UsageOf(&world, kAda, "").jobs_today == 0);
  CHECK(UsageOf(&world, kAda, "").ever == absl::ZeroDuration());
}

TEST_CASE("usage: ignores a job without a row", "[quotas]") {
  QuotaWorld world;
  JobUsage job{.job = NewJobId(), .uid = kAda, .use = kTwoGpus};
  job.created_at = world.clock_.Now();
  world.Start(&job);
  world.clock_.Advance(absl::Hours(1));
  world.End(&job);
  CHECK(UsageOf(&world, kAda, "").ever == absl::ZeroDuration());
}

TEST_CASE("usage: waiting, running and over, in this day and in the next",
          "[quotas]") {
  QuotaWorld world;  // it is 8 o'clock
  world.clock_.Advance(absl::Hours(14));
  JobUsage job = world.Submit("ada", kTwoGpus);
  QuotaUsage usage = UsageOf(&world, kAda, "");
  CHECK(usage.queued == 1);
  CHECK(usage.gpus == 2);
  CHECK(usage.day.spent == absl::ZeroDuration());
  CHECK(usage.day.now == absl::Hours(4));    // until midnight
  CHECK(usage.day.ahead == absl::Hours(6));  // it may wait until then
  CHECK(usage.month.now == absl::Hours(6));
  CHECK(usage.ever == absl::Hours(6));

  world.Start(&job);
  world.clock_.Advance(absl::Hours(1));
  usage = UsageOf(&world, kAda, "");
  CHECK(usage.queued == 0);
  CHECK(usage.day.spent == absl::Hours(2));
  CHECK(usage.day.now == absl::Hours(4));
  CHECK(usage.day.ahead == absl::Hours(2));
  CHECK(usage.ever == absl::Hours(6));

  world.clock_.Advance(absl::Minutes(90));
  world.End(&job);
  usage = UsageOf(&world, kAda, "");
  CHECK(usage.day.now == absl::Hours(1));
  CHECK(usage.month.now == absl::Hours(5));
  CHECK(usage.jobs_today == 0);  // it was made yesterday
}

TEST_CASE("usage: a pending job counts with its changed walltime", "[quotas]") {
  QuotaWorld world;
  JobUsage job = world.Submit("ada", kTwoGpus);
  for (const int hours : {1, 5}) {
    job.use.walltime = absl::Hours(hours);
    world.Follow(job);
    CHECK(UsageOf(&world, kAda, "").ever == absl::Hours(2 * hours));
  }
}

TEST_CASE("usage: of a person, of a project, and of both", "[quotas]") {
  QuotaWorld world;
  for (const char* name : {"ada", "bob"}) {
    for (const char* project : {"", "chem"}) {
      JobUsage job = world.Submit(name, kTwoGpus, project);
      world.Start(&job);
      world.clock_.Advance(absl::Hours(1));
      world.End(&job);
    }
  }
  CHECK(UsageOf(&world, kAda, "").ever == absl::Hours(4));
  CHECK(UsageOf(&world, kAda, "chem").ever == absl::Hours(2));
  CHECK(UsageOf(&world, kNoUid, "chem").ever == absl::Hours(4));
  CHECK(UsageOf(&world, kNoUid, "chem").jobs_today == 2);
  CHECK(UsageOf(&world, kNoUid, "").ever == absl::ZeroDuration());
  CHECK(UsageOf(&world, kEve, "chem").ever == absl::ZeroDuration());
}

TEST_CASE("usage: an array counts its maximum, then its real usage",
          "[quotas]") {
  QuotaWorld world;
  JobUsage job = world.Submit(
      "ada",
      {.gpus = 1, .tasks = 10, .at_once = 2, .walltime = absl::Hours(1)});
  QuotaUsage usage = UsageOf(&world, kAda, "");
  CHECK(usage.jobs == 2);
  CHECK(usage.queued == 10);
  CHECK(usage.gpus == 2);
  CHECK(usage.ever == absl::Hours(10));
  world.Start(&job);
  world.clock_.Advance(absl::Hours(3));
  job.spent = absl::Hours(2);  // by tasks that have ended
  world.Follow(job);
  CHECK(UsageOf(&world, kAda, "").ever_spent == absl::Hours(2));
  CHECK(UsageOf(&world, kAda, "").ever == absl::Hours(10));
  job.spent = absl::Hours(5);
  world.End(&job);
  CHECK(UsageOf(&world, kAda, "").ever == absl::Hours(5));
  CHECK(UsageOf(&world, kAda, "").day.spent == absl::Hours(5));
}

TEST_CASE("usage: a job that Slurm made larger counts with its size",
          "[quotas]") {
  QuotaWorld world;
  JobUsage job = world.Submit("ada", kTwoGpus);
  job.use.gpus = 8;
  job.use.nodes = 2;
  job.spent = absl::Hours(1);  // before a requeue
  world.Follow(job);
  QuotaUsage usage = UsageOf(&world, kAda, "");
  CHECK(usage.gpus == 8);
  CHECK(usage.nodes == 2);
  CHECK(usage.ever == absl::Hours(25));
  CHECK(usage.ever_spent == absl::Hours(1));
  world.In([&](Database& db) -> absl::Status {
    usage = ReadUsage(db, kAda, "", world.clock_.Now(), job.job).value();
    return absl::OkStatus();
  });
  CHECK(usage.gpus == 0);
  CHECK(usage.ever == absl::ZeroDuration());
  world.Start(&job);
  world.clock_.Advance(absl::Hours(1));
  world.End(&job);
  CHECK(UsageOf(&world, kAda, "").ever == absl::Hours(9));
}

TEST_CASE("usage: the deletion of old jobs keeps counted usage", "[quotas]") {
  QuotaWorld world;
  world.Project("chem", "Chem");
  for (int month = 0; month < 20; ++month) {
    JobUsage job = world.Submit("ada", kTwoGpus, "chem");
    world.Start(&job);
    world.clock_.Advance(absl::Hours(1));
    world.End(&job);
    world.clock_.Advance(absl::Hours(24 * 30));
    world.quotas_->Sweep();
  }
  CHECK(UsageOf(&world, kNoUid, "chem").ever == absl::Hours(40));
  CHECK(UsageOf(&world, kAda, "").ever == absl::Hours(40));
  CHECK(UsageOf(&world, kAda, "").day.now == absl::ZeroDuration());
  int64_t rows = 0;
  world.In([&](Database& db) -> absl::Status {
    Statement count = db.Prepare("SELECT count(*) FROM usage_days").value();
    REQUIRE(count.Step().value());
    rows = count.Int(0);
    return absl::OkStatus();
  });
  CHECK(rows <= 2 * 4);  // two months' and what was before, of her and of it
}

}  // namespace
}  // namespace carme::backend
