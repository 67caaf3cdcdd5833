#include "backend/jobs/feeds/job_notifications.h"

#include <catch2/catch.hpp>

#include "absl/strings/match.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

Job JobAt(JobEnd end, const std::string& reason) {
  Job job;
  job.id = JobId("a23456789abcdefg");
  job.owner_uid = Uid(20001);
  job.spec.name = "Größe";
  job.created_at = kNow - absl::Hours(1);
  job.end = end;
  job.reason = reason;
  if (end != JobEnd::kNone) job.ended_at = kNow;
  return job;
}

struct Row {
  JobEnd end;
  const char* reason;
  EventKind kind;  // 0: nobody is told
  const char* text;
};

TEST_CASE("job notifications: each kind of end has its text", "[jobs]") {
  const EventKind nothing{};
  for (const Row& row : {
           Row{JobEnd::kCompleted, "", EventKind::kJobEnded,
               "Your job \"Größe\" has ended."},
           Row{JobEnd::kStopped, "", nothing, ""},
           Row{JobEnd::kStopped, "Slurm stopped it", EventKind::kJobFailed,
               "Your job \"Größe\" was ended: Slurm stopped it."},
           Row{JobEnd::kTimeLimit, "it reached its walltime",
               EventKind::kJobFailed,
               "Your job \"Größe\" was ended: it reached its walltime."},
           Row{JobEnd::kFailed, "ended with exit code 1", EventKind::kJobFailed,
               "Your job \"Größe\" has failed: ended with exit code 1."},
           Row{JobEnd::kOutOfMemory, "", EventKind::kJobFailed,
               "Your job \"Größe\" has failed."},
           Row{JobEnd::kNodeFail, "node n1 failed", EventKind::kJobFailed,
               "Your job \"Größe\" has failed: node n1 failed."},
           Row{JobEnd::kUnknown, "Slurm forgot it", EventKind::kJobFailed,
               "Your job \"Größe\" has ended in an unknown way: Slurm forgot "
               "it."},
           Row{JobEnd::kNotSubmitted, "Slurm never had the job",
               EventKind::kJobFailed,
               "Your job \"Größe\" was not started: Slurm never had the job."},
       }) {
    CAPTURE(static_cast<int>(row.end), row.reason);
    const auto news =
        NotificationsFor(std::nullopt, false, JobAt(row.end, row.reason));
    REQUIRE(news.size() == (row.kind == nothing ? 0 : 1));
    if (news.empty()) continue;
    CHECK(news[0].event.kind == row.kind);
    CHECK(news[0].event.text == row.text);
    CHECK(news[0].event.subject == "a23456789abcdefg");
    CHECK(news[0].at == kNow);
  }
}

TEST_CASE(
    "job notifications: a cancelled job is news unless its user cancelled it",
    "[jobs]") {
  Job job = JobAt(JobEnd::kStopped, "3 of 8 tasks were stopped");
  for (const JobStoppedBy by :
       {JobStoppedBy::kNotReported, JobStoppedBy::kAdministrator,
        JobStoppedBy::kSlurm, JobStoppedBy::kCarme}) {
    job.stopped_by = by;
    CHECK(NotificationsFor(std::nullopt, false, job).size() == 1);
  }
  job.stopped_by = JobStoppedBy::kUser;
  CHECK(NotificationsFor(std::nullopt, false, job).empty());
}

TEST_CASE(
    "job notifications: the end of a job that was stopped as idle is told once",
    "[jobs]") {
  Job job = JobAt(JobEnd::kStopped, "stopped: it was not used for 2 h");
  job.idle = JobIdle{.since = kNow - absl::Hours(2)};
  // Only warned about, and stopped by something else.
  CHECK(NotificationsFor(std::nullopt, false, job).size() == 1);
  job.idle->stopped = true;
  CHECK(NotificationsFor(std::nullopt, false, job).empty());
}

TEST_CASE("job notifications: a refusal that the user saw is not repeated",
          "[jobs]") {
  Job job = JobAt(JobEnd::kNotSubmitted, "Slurm said no");
  job.created_at = kNow - absl::Seconds(3);
  CHECK(NotificationsFor(std::nullopt, false, job).empty());
}

TEST_CASE("job notifications: nothing is notified twice", "[jobs]") {
  CHECK(
      NotificationsFor(std::nullopt, true, JobAt(JobEnd::kFailed, "")).empty());
  Job job = JobAt(JobEnd::kNone, "");
  job.ready_at = kNow;
  CHECK(NotificationsFor(kNow, false, job).empty());
  const auto first = NotificationsFor(std::nullopt, false, job);
  REQUIRE(first.size() == 1);
  CHECK(first[0].event.kind == EventKind::kJobStarted);
  // Slurm put it back into its queue, and it started again.
  job.ready_at = kNow + absl::Minutes(5);
  const auto second = NotificationsFor(kNow, false, job);
  REQUIRE(second.size() == 1);
  CHECK(second[0].event.key != first[0].event.key);
}

TEST_CASE(
    "job notifications: a linked job and an image are told of their failures",
    "[jobs]") {
  for (const bool builds : {true, false}) {
    Job job = JobAt(JobEnd::kNone, "");
    (builds ? job.spec.builds : job.spec.linked_to) = "a23456789abcdefh";
    job.ready_at = kNow;
    CHECK(NotificationsFor(std::nullopt, false, job).empty());
    job.ended_at = kNow;
    job.end = JobEnd::kStopped;
    job.reason = builds ? "" : "the job that it joined has ended";
    CHECK(NotificationsFor(kNow, false, job).empty());
    job.end = JobEnd::kFailed;
    CHECK(NotificationsFor(kNow, false, job).size() == 1);
    job.end = JobEnd::kCompleted;
    CHECK(NotificationsFor(kNow, false, job).size() == (builds ? 1 : 0));
  }
}

}  // namespace
}  // namespace carme::backend
