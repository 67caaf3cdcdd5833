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
  if (end != v1::JOB_END_UNSPECIFIED) job.ended_at = kNow;
  return job;
}

struct Row {
  JobEnd end;
  const char* reason;
  EventKind kind;  // 0: no notification
  const char* text;
};

TEST_CASE("job notifications: each kind of end has its text", "[jobs]") {
  const EventKind nothing{};
  for (const Row& row : {
           Row{v1::JOB_END_COMPLETED, "", v1::NOTIFICATION_KIND_JOB_ENDED,
               "Your job \"Größe\" has ended."},
           Row{v1::JOB_END_STOPPED, "", nothing, ""},
           Row{v1::JOB_END_STOPPED, "Slurm stopped it",
               v1::NOTIFICATION_KIND_JOB_FAILED,
               "Your job \"Größe\" was ended: Slurm stopped it."},
           Row{v1::JOB_END_TIME_LIMIT, "it reached its walltime",
               v1::NOTIFICATION_KIND_JOB_FAILED,
               "Your job \"Größe\" was ended: it reached its walltime."},
           Row{v1::JOB_END_FAILED, "ended with exit code 1",
               v1::NOTIFICATION_KIND_JOB_FAILED,
               "Your job \"Größe\" has failed: ended with exit code 1."},
           Row{v1::JOB_END_OUT_OF_MEMORY, "", v1::NOTIFICATION_KIND_JOB_FAILED,
               "Your job \"Größe\" has failed."},
           Row{v1::JOB_END_NODE_FAIL, "node n1 failed",
               v1::NOTIFICATION_KIND_JOB_FAILED,
               "Your job \"Größe\" has failed: node n1 failed."},
           Row{v1::JOB_END_UNKNOWN, "Slurm forgot it",
               v1::NOTIFICATION_KIND_JOB_FAILED,
               "Your job \"Größe\" has ended in an unknown way: Slurm forgot "
               "it."},
           Row{v1::JOB_END_NOT_SUBMITTED, "Slurm never had the job",
               v1::NOTIFICATION_KIND_JOB_FAILED,
               "Your job \"Größe\" was not started: Slurm never had the job."},
       }) {
    CAPTURE(static_cast<int>(row.end), row.reason);
    const auto news =
        NotificationsFor(std::nullopt, false, JobAt(row.end, row.reason));
    REQUIRE(news.size() == (row.kind == nothing ? 0 : 1));
    if (news.empty()) continue;
    CHECK(news[0].event.kind == row.kind);
    CHECK(news[0].event.text.text == row.text);
    CHECK(news[0].event.subject == "a23456789abcdefg");
    CHECK(news[0].at == kNow);
  }
}

TEST_CASE(
    "job notifications: a cancelled job is reported unless its user cancelled "
    "it",
    "[jobs]") {
  Job job = JobAt(v1::JOB_END_STOPPED, "3 of 8 tasks were stopped");
  for (const JobStoppedBy by :
       {v1::JOB_STOPPED_BY_UNSPECIFIED, v1::JOB_STOPPED_BY_ADMINISTRATOR,
        v1::JOB_STOPPED_BY_SLURM, v1::JOB_STOPPED_BY_CARME}) {
    job.stopped_by = by;
    CHECK(NotificationsFor(std::nullopt, false, job).size() == 1);
  }
  job.stopped_by = v1::JOB_STOPPED_BY_USER;
  CHECK(NotificationsFor(std::nullopt, false, job).empty());
}

TEST_CASE("job notifications: sends the end of an idle job once", "[jobs]") {
  Job job = JobAt(v1::JOB_END_STOPPED, "stopped: it was not used for 2 h");
  job.idle = JobIdle{.since = kNow - absl::Hours(2)};
  // Only warned about, and stopped by something else.
  CHECK(NotificationsFor(std::nullopt, false, job).size() == 1);
  job.idle->stopped = true;
  CHECK(NotificationsFor(std::nullopt, false, job).empty());
}

TEST_CASE("job notifications: a refusal that the user saw is not repeated",
          "[jobs]") {
  Job job = JobAt(v1::JOB_END_NOT_SUBMITTED, "Slurm said no");
  job.created_at = kNow - absl::Seconds(3);
  CHECK(NotificationsFor(std::nullopt, false, job).empty());
}

TEST_CASE("job notifications: nothing is notified twice", "[jobs]") {
  CHECK(NotificationsFor(std::nullopt, true, JobAt(v1::JOB_END_FAILED, ""))
            .empty());
  Job job = JobAt(v1::JOB_END_UNSPECIFIED, "");
  job.ready_at = kNow;
  CHECK(NotificationsFor(kNow, false, job).empty());
  const auto first = NotificationsFor(std::nullopt, false, job);
  REQUIRE(first.size() == 1);
  CHECK(first[0].event.kind == v1::NOTIFICATION_KIND_JOB_STARTED);
  // Slurm put it back into its queue, and it started again.
  job.ready_at = kNow + absl::Minutes(5);
  const auto second = NotificationsFor(kNow, false, job);
  REQUIRE(second.size() == 1);
  CHECK(second[0].event.key != first[0].event.key);
}

TEST_CASE("job notifications: reports failures of linked jobs and builds",
          "[jobs]") {
  for (const bool builds : {true, false}) {
    Job job = JobAt(v1::JOB_END_UNSPECIFIED, "");
    (builds ? job.spec.builds : job.spec.linked_to) = "a23456789abcdefh";
    job.ready_at = kNow;
    CHECK(NotificationsFor(std::nullopt, false, job).empty());
    job.ended_at = kNow;
    job.end = v1::JOB_END_STOPPED;
    job.reason = builds ? "" : "the job that it joined has ended";
    CHECK(NotificationsFor(kNow, false, job).empty());
    job.end = v1::JOB_END_FAILED;
    CHECK(NotificationsFor(kNow, false, job).size() == 1);
    job.end = v1::JOB_END_COMPLETED;
    CHECK(NotificationsFor(kNow, false, job).size() == (builds ? 1 : 0));
  }
}

}  // namespace
}  // namespace carme::backend
