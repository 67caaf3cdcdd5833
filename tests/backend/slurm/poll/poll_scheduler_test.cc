#include "backend/slurm/poll/poll_scheduler.h"

#include <catch2/catch.hpp>
#include <cstdint>

namespace carme::backend {
namespace {

constexpr absl::Duration kInterval = absl::Milliseconds(1350);
constexpr absl::Duration kMuch = absl::Milliseconds(140);
const absl::Time kStart = absl::FromUnixSeconds(1000);
const SlurmJobId kJob(7);

SlurmSnapshot SnapshotWith(SlurmState state) {
  SlurmSnapshot snapshot;
  snapshot.reachable = true;
  snapshot.jobs[kJob].id = kJob;
  snapshot.jobs[kJob].state = state;
  return snapshot;
}

// A scheduler after a full poll, begun at kStart, of this cost.
PollScheduler PlanAfter(absl::Duration cost) {
  PollScheduler plan(kInterval);
  CHECK(plan.NextAt(kStart) <= kStart);
  CHECK(plan.Begin(kStart).empty());
  plan.End(cost, SnapshotWith(SlurmState::kRunning));
  return plan;
}

TEST_CASE(
    "poll scheduler: without requests it polls in full, at the normal interval",
    "[backend]") {
  const absl::Time now = kStart + absl::Milliseconds(1);
  CHECK(PlanAfter(absl::Milliseconds(1)).NextAt(now) == kStart + kInterval);
  CHECK(PlanAfter(kMuch).NextAt(now) ==
        kStart + PollIntervalFor(kInterval, kMuch).normal);
}

TEST_CASE("poll scheduler: one expensive poll does not delay the next for long",
          "[backend]") {
  PollScheduler plan = PlanAfter(kMuch);
  absl::Time now = kStart + absl::Seconds(10);
  CHECK(plan.Begin(now).empty());
  plan.End(2 * kMuch, SnapshotWith(SlurmState::kRunning));
  CHECK(plan.NextAt(now) <
        now + PollIntervalFor(kInterval, kMuch).normal * 1.2);
  // Where each does so from now on it is paced by that.
  for (int look = 0; look < 40; ++look) {
    now += absl::Seconds(10);
    CHECK(plan.Begin(now).empty());
    plan.End(2 * kMuch, SnapshotWith(SlurmState::kRunning));
  }
  CHECK(plan.NextAt(now) >
        now + PollIntervalFor(kInterval, 2 * kMuch).normal * 0.95);
}

TEST_CASE(
    "poll scheduler: polls an unreachable Slurm at the configured interval",
    "[backend]") {
  PollScheduler plan = PlanAfter(kMuch);
  absl::Time now = kStart + absl::Seconds(10);
  CHECK(plan.Begin(now).empty());
  plan.End(absl::Milliseconds(1), SlurmSnapshot());
  CHECK(plan.NextAt(now) == now + kInterval);
  now += kInterval;
  CHECK(plan.Begin(now).empty());
  plan.End(kMuch, SnapshotWith(SlurmState::kRunning));
  CHECK(plan.NextAt(now) == now + PollIntervalFor(kInterval, kMuch).normal);
}

TEST_CASE("poll scheduler: cheap full polls serve all requests", "[backend]") {
  PollScheduler plan = PlanAfter(absl::Milliseconds(2));
  const absl::Time wished = kStart + absl::Milliseconds(500);
  plan.RefreshJob(kJob, wished);
  CHECK(plan.NextAt(wished) == wished);
  CHECK(plan.Begin(wished).empty());
  plan.End(absl::Milliseconds(2), SnapshotWith(SlurmState::kRunning));
  CHECK(plan.NextAt(wished) == wished + kInterval);
}

TEST_CASE(
    "poll scheduler: if full polls are expensive, queries single jobs at once",
    "[backend]") {
  PollScheduler plan = PlanAfter(kMuch);
  const absl::Time wished = kStart + absl::Milliseconds(300);
  plan.RefreshJob(kJob, wished);
  CHECK(plan.NextAt(wished) == wished);
  CHECK(plan.Begin(wished) == std::vector<SlurmJobId>{kJob});
  plan.End(absl::Milliseconds(1), SnapshotWith(SlurmState::kRunning));
  // The full poll is due as before.
  const absl::Time whole = kStart + PollIntervalFor(kInterval, kMuch).normal;
  CHECK(plan.NextAt(wished) == whole);
  CHECK(plan.Begin(whole).empty());
}

TEST_CASE("poll scheduler: no partial polls while Slurm is unreachable",
          "[backend]") {
  PollScheduler plan = PlanAfter(kMuch);
  plan.RefreshJob(kJob, kStart);
  const absl::Time some = kStart + absl::Seconds(1);
  CHECK_FALSE(plan.Begin(some).empty());
  plan.End(absl::Milliseconds(1), SlurmSnapshot());  // not reachable
  plan.RefreshJob(kJob, some);
  const absl::Time next = plan.NextAt(some);
  CHECK(next <= some + PollIntervalFor(kInterval, kMuch).soon);
  CHECK(plan.Begin(next).empty());
}

TEST_CASE("poll scheduler: tracks an ending job every second", "[backend]") {
  PollScheduler plan = PlanAfter(kMuch);
  absl::Time now = kStart + absl::Milliseconds(100);
  plan.TrackUntilEnd(kJob, now);
  for (int look = 0; look < 3; ++look) {
    CAPTURE(look);
    REQUIRE(plan.NextAt(now) == now);
    REQUIRE(plan.Begin(now) == std::vector<SlurmJobId>{kJob});
    CHECK(plan.repeated().contains(kJob) == (look > 0));
    plan.End(absl::Milliseconds(1),
             SnapshotWith(look < 2 ? SlurmState::kCompleting
                                   : SlurmState::kCompleted));
    now += absl::Seconds(1);
  }
  CHECK(plan.NextAt(now) == kStart + PollIntervalFor(kInterval, kMuch).normal);
}

TEST_CASE("poll scheduler: tracking causes no extra full polls", "[backend]") {
  PollScheduler plan = PlanAfter(absl::Milliseconds(2));
  absl::Time now = kStart + absl::Milliseconds(100);
  plan.TrackUntilEnd(kJob, now);
  for (int look = 0; look < 4; ++look) {
    CAPTURE(look);
    REQUIRE(plan.NextAt(now) <= now);
    REQUIRE(plan.Begin(now).empty());
    plan.End(absl::Milliseconds(2), SnapshotWith(SlurmState::kCompleting));
    CHECK(plan.NextAt(now) == now + kInterval);
    now += kInterval;
  }
  // An interval that is longer than that is cut.
  PollScheduler slow(absl::Minutes(1));
  CHECK(slow.Begin(kStart).empty());
  slow.End(absl::Milliseconds(2), SnapshotWith(SlurmState::kRunning));
  slow.TrackUntilEnd(kJob, kStart + absl::Seconds(1));
  CHECK(slow.Begin(kStart + absl::Seconds(1)).empty());
  slow.End(absl::Milliseconds(2), SnapshotWith(SlurmState::kCompleting));
  CHECK(slow.NextAt(kStart + absl::Seconds(1)) == kStart + absl::Seconds(3));
}

TEST_CASE("poll scheduler: tracking is limited in time", "[backend]") {
  PollScheduler plan = PlanAfter(kMuch);
  absl::Time now = kStart + absl::Milliseconds(100);
  plan.TrackUntilEnd(kJob, now);
  int asked = 0;
  for (const absl::Time end = now + absl::Minutes(1); now < end;
       now = std::max(now, plan.NextAt(now))) {
    const bool alone = !plan.Begin(now).empty();
    asked += alone ? 1 : 0;
    plan.End(alone ? absl::Milliseconds(1) : kMuch,
             SnapshotWith(SlurmState::kCompleting));
  }
  CHECK(asked >= 5);
  CHECK(asked <= 12);
}

TEST_CASE("poll scheduler: partial polls are bounded, five a second",
          "[backend]") {
  PollScheduler plan = PlanAfter(kMuch);
  absl::Time now = kStart + absl::Milliseconds(1);
  for (uint32_t i = 1; i <= 100; ++i) plan.RefreshJob(SlurmJobId(i), now);
  const absl::Time begin = now;
  size_t polled = 0;
  while (polled < 100) {
    const std::vector<SlurmJobId> jobs = plan.Begin(now);
    REQUIRE(jobs.size() <= PollScheduler::kMaxJobs);
    polled += jobs.size();
    plan.End(absl::Milliseconds(12), SnapshotWith(SlurmState::kRunning));
    const absl::Time next = plan.NextAt(now);
    if (polled < 100) CHECK(next - now >= absl::Milliseconds(200));
    now = next;
  }
  CHECK(now - begin <= absl::Seconds(4));
}

TEST_CASE("poll scheduler: too many requests cause a full poll", "[backend]") {
  PollScheduler plan = PlanAfter(kMuch);
  const absl::Time now = kStart + absl::Milliseconds(1);
  for (uint32_t i = 1; i <= PollScheduler::kMaxPending + 1; ++i) {
    plan.RefreshJob(SlurmJobId(i), now);
  }
  const absl::Time soon = kStart + PollIntervalFor(kInterval, kMuch).soon;
  CHECK(plan.Begin(soon).empty());
}

TEST_CASE("poll scheduler: a clock set back does not delay polls",
          "[backend]") {
  PollScheduler plan = PlanAfter(kMuch);
  const absl::Time back = kStart - absl::Hours(1);
  CHECK(plan.NextAt(back) <= back);
  CHECK(plan.Begin(back).empty());
  plan.End(kMuch, SnapshotWith(SlurmState::kRunning));
  CHECK(plan.NextAt(back) == back + PollIntervalFor(kInterval, kMuch).normal);
}

}  // namespace
}  // namespace carme::backend
