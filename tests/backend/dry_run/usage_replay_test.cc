#include "backend/dry_run/usage_replay.h"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/backend/dry_run/dry_run_site.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr size_t kAll = 5000;

void CheckSame(const WindowUse& replayed, const WindowUse& real) {
  CHECK(replayed.spent == real.spent);
  CHECK(replayed.now == real.now);
  CHECK(replayed.ahead == real.ahead);
}

void CheckSame(const QuotaUsage& replayed, const QuotaUsage& real) {
  CHECK(replayed.gpus == real.gpus);
  CHECK(replayed.nodes == real.nodes);
  CHECK(replayed.jobs == real.jobs);
  CHECK(replayed.queued == real.queued);
  CHECK(replayed.jobs_today == real.jobs_today);
  CheckSame(replayed.day, real.day);
  CheckSame(replayed.month, real.month);
  CHECK(replayed.ever == real.ever);
  CHECK(replayed.ever_spent == real.ever_spent);
}

PastJobs Read(DryRunSite* site, absl::Duration back, size_t max = kAll) {
  const auto past =
      ReadPastJobs(site->carol_, site->history_.get(), &site->jobs_->active(),
                   site->clock_.Now() - back, max);
  REQUIRE_THAT(past, IsOk());
  return *past;
}

TEST_CASE("usage replay: reads the jobs of all users for administrators only",
          "[backend]") {
  DryRunSite site;
  CHECK(absl::IsPermissionDenied(ReadPastJobs(site.ada_, site.history_.get(),
                                              &site.jobs_->active(),
                                              site.clock_.Now(), kAll)
                                     .status()));
  const PastJobs none = Read(&site, absl::Hours(24));
  CHECK(none.jobs.empty());
  CHECK_FALSE(none.truncated);
}

TEST_CASE("usage replay: reads at most the newest jobs", "[backend]") {
  DryRunSite site;
  site.Ran(site.ada_, DryRunSite::Gpus(1));
  site.clock_.Advance(absl::Hours(1));
  const Job second = site.Ran(site.bob_, DryRunSite::Gpus(1));
  const absl::Time ended = site.clock_.Now();
  const Job third = site.Begin(site.ada_, DryRunSite::Gpus(1));
  const PastJobs two = Read(&site, absl::Hours(24), 2);
  REQUIRE(two.jobs.size() == 2);
  CHECK(two.truncated);
  CHECK(two.jobs[0].id == second.id);
  CHECK(two.jobs[1].id == third.id);
  CHECK(two.complete_since == ended);
  const PastJobs one = Read(&site, absl::Hours(24), 1);
  REQUIRE(one.jobs.size() == 1);
  CHECK(one.jobs[0].id == third.id);
  CHECK(one.truncated);
  const PastJobs all = Read(&site, absl::Hours(24), 3);
  CHECK(all.jobs.size() == 3);
  CHECK_FALSE(all.truncated);
  // Only what ended since then, or has not ended.
  CHECK(Read(&site, absl::Minutes(1)).jobs.size() == 2);
}

// The usage that each submission was checked with is the one that is replayed.
TEST_CASE("usage replay: gives the usage that submissions were checked with",
          "[backend]") {
  DryRunSite site;
  const auto asker = [&] { return site.quotas_->AskerOf(site.ada_); };
  std::vector<QuotaUsage> real;
  const auto begin = [&](const JobSpec& spec) {
    real.push_back(site.quotas_->For(asker(), "")->person);
    return site.Begin(site.ada_, spec);
  };
  // Before the time that is replayed.
  site.Ran(site.ada_, DryRunSite::Gpus(2), 30);
  site.clock_.Advance(absl::Minutes(750));  // 21:00
  const absl::Time since = site.clock_.Now();

  const Job first = begin(DryRunSite::Gpus(1, absl::Hours(8)));
  site.clock_.Advance(absl::Minutes(5));
  site.Run(first);
  site.clock_.Advance(absl::Minutes(7));
  const Job second = begin(DryRunSite::Gpus(2, absl::Hours(2)));
  site.clock_.Advance(absl::Minutes(1));
  site.Run(second);
  site.clock_.Advance(absl::Hours(1));
  begin(DryRunSite::Gpus(1));
  site.clock_.Advance(absl::Minutes(1));
  site.End(second);
  site.clock_.Advance(absl::Hours(3));  // into the next day
  begin(DryRunSite::Gpus(1));
  site.clock_.Advance(absl::Minutes(1));
  site.End(first);
  site.clock_.Advance(absl::Minutes(1));
  begin({.walltime = absl::Hours(3)});

  const PastJobs past = Read(&site, site.clock_.Now() - since);
  REQUIRE(past.jobs.size() == real.size());
  std::vector<const PastJob*> jobs;
  for (const PastJob& job : past.jobs) jobs.push_back(&job);
  std::map<int64_t, UsageDay> days;
  REQUIRE_THAT(site.database_->Query([&](Database& db) -> absl::Status {
    days = ReadUsageDays(db, site.ada_.uid, "").value();
    return absl::OkStatus();
  }),
               IsOk());
  UsageReplay replay(days, jobs);
  for (size_t i = 0; i < jobs.size(); ++i) {
    INFO(i);
    CheckSame(replay.Before(*jobs[i]), real[i]);
  }
  CHECK(real.back().ever_spent > absl::Hours(6));
}

}  // namespace
}  // namespace carme::backend
