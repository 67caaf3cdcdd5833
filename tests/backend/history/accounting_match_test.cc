#include "backend/history/accounting_match.h"

#include <catch2/catch.hpp>

namespace carme::backend {
namespace {

const absl::Time kThen = absl::FromUnixSeconds(1'800'000'000);

HistoryEntry Entry() {
  return {.id = JobId("j234567890123456"),
          .owner = "ada",
          .owner_uid = Uid(20001),
          .slurm_id = SlurmJobId(7),
          .created_at = kThen,
          .started_at = kThen + absl::Seconds(5),
          .ended_at = kThen + absl::Seconds(65),
          .gpu_type = "",
          .gpus = 1,
          .gpu_seconds = 60,
          .cpu_seconds = 120};
}

AccountedRun Run() {
  return {.id = SlurmJobId(7),
          .uid = Uid(20001),
          .comment = "carme:j234567890123456",
          .account = "site",
          .submitted = kThen + absl::Seconds(1),
          .ended = kThen + absl::Seconds(65),
          .elapsed = absl::Seconds(59),
          .cpus = 2,
          .gpus = 1,
          .gpu_types = {"h200"}};
}

TEST_CASE("accounting: ignores a run of another user", "[backend]") {
  AccountedRun run = Run();
  SECTION("another uid") { run.uid = Uid(20002); }
  SECTION("another Slurm id") { run.id = SlurmJobId(8); }
  SECTION("another job's comment") { run.comment = "carme:k234567890123456"; }
  SECTION("an id of years ago") { run.submitted = kThen - absl::Hours(9000); }
  SECTION("an id given again") { run.submitted = kThen + absl::Hours(1); }
  CHECK_FALSE(Accounted(Entry(), {run}).has_value());
}

TEST_CASE("accounting: waits until all runs of a job have ended", "[backend]") {
  AccountedRun running = Run();
  running.ended = absl::InfiniteFuture();
  CHECK_FALSE(Accounted(Entry(), {}).has_value());
  CHECK_FALSE(Accounted(Entry(), {running}).has_value());
  CHECK_FALSE(Accounted(Entry(), {Run(), running}).has_value());
}

TEST_CASE("accounting: matches by submission time where known", "[backend]") {
  HistoryEntry entry = Entry();
  entry.slurm_submitted_at = Run().submitted;
  AccountedRun run = Run();
  run.comment = "changed by its user";
  CHECK(Accounted(entry, {run}).has_value());
  run.comment = "carme:k234567890123456";
  CHECK(Accounted(entry, {run}).has_value());
  run.submitted -= absl::Seconds(1);
  CHECK_FALSE(Accounted(entry, {run}).has_value());
  run.submitted = entry.ended_at + absl::Seconds(1);  // the id was given again
  CHECK_FALSE(Accounted(entry, {run}).has_value());
  run.submitted = entry.ended_at - absl::Seconds(1);  // requeued
  CHECK(Accounted(entry, {run}).has_value());
}

TEST_CASE("accounting: an array waits for all of its tasks", "[backend]") {
  HistoryEntry entry = Entry();
  entry.spec.batch = BatchSpec{.command = "true", .array = "0-1"};
  AccountedRun first = Run(), second = Run();
  first.is_array = second.is_array = true;
  first.task = 0;
  second.task = 1;
  const absl::Time soon = entry.ended_at + absl::Seconds(5);
  CHECK_FALSE(Accounted(entry, {first}, soon).has_value());
  const auto known = Accounted(entry, {first, second}, soon);
  REQUIRE(known.has_value());
  CHECK(known->gpu_seconds == 118);
  // A task that never started has none.
  CHECK(Accounted(entry, {first}, soon + absl::Minutes(5)).has_value());
}

TEST_CASE("accounting: takes an unobserved end from Slurm", "[backend]") {
  HistoryEntry entry = Entry();
  entry.end = v1::JOB_END_UNKNOWN;
  AccountedRun run = Run();
  run.state = SlurmState::kFailed;
  run.exit_code = 3;
  const auto known = Accounted(entry, {run});
  REQUIRE(known.has_value());
  CHECK(known->end == v1::JOB_END_FAILED);
  CHECK(known->exit_code == 3);
  CHECK(known->reason.text == "ended with exit code 3");
  CHECK(known->ended_at == run.ended);
  entry.end = v1::JOB_END_COMPLETED;
  CHECK(Accounted(entry, {run})->end == v1::JOB_END_COMPLETED);
}

TEST_CASE("accounting: the figures become Slurm's", "[backend]") {
  const auto known = Accounted(Entry(), {Run()});
  REQUIRE(known.has_value());
  CHECK(known->accounted);
  CHECK(known->gpu_seconds == 59);
  CHECK(known->cpu_seconds == 118);
  CHECK(known->gpu_type == "h200");
  CHECK(known->account == "site");
}

TEST_CASE("accounting: works without comments of jobs", "[backend]") {
  AccountedRun run = Run();
  run.comment.clear();
  CHECK(Accounted(Entry(), {run}).has_value());
}

TEST_CASE("accounting: tasks of an array and requeued runs are added up",
          "[backend]") {
  AccountedRun other = Run();
  other.elapsed = absl::Seconds(41);
  other.gpu_types = {"a100"};
  const auto known = Accounted(Entry(), {Run(), other});
  REQUIRE(known.has_value());
  CHECK(known->gpu_seconds == 100);
  CHECK(known->gpu_type == "a100,h200");
}

TEST_CASE("accounting: keeps the job's GPU type if Slurm has none",
          "[backend]") {
  HistoryEntry entry = Entry();
  entry.gpu_type = "h200";
  AccountedRun run = Run();
  run.gpu_types.clear();
  const auto known = Accounted(entry, {run});
  REQUIRE(known.has_value());
  CHECK(known->gpu_type == "h200");
}

}  // namespace
}  // namespace carme::backend
