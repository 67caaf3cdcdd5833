#include "backend/jobs/state/job_state_machine.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

Job JobIn(JobState state, uint32_t slurm_id = 7) {
  Job job;
  job.id = JobId("aaaaaaaaaaaaaaaa");
  job.state = state;
  job.slurm_id = SlurmJobId(slurm_id);
  job.created_at = kNow - absl::Hours(1);
  if (state == JobState::kReady) job.ready_at = kNow - absl::Minutes(5);
  if (state == JobState::kStarting || state == JobState::kReady) {
    job.started_at = kNow - absl::Minutes(10);
  }
  return job;
}

Job After(const Job& job, SlurmState state, const std::string& reason = "") {
  SlurmJob slurm;
  slurm.id = SlurmJobId(7);
  slurm.state = state;
  slurm.reason = reason;
  slurm.nodes = {"n1"};
  slurm.started_at = kNow - absl::Minutes(10);
  slurm.ends_at = kNow;
  return Next(job, {.slurm = &slurm, .asked_at = kNow, .now = kNow});
}

TEST_CASE("job state machine: what was being copied at the end is not whole",
          "[jobs]") {
  Job job = JobIn(JobState::kStopping);
  job.apps = {{kStageIn, JobAppState::kStopped, "5 MB"},
              {"jupyter", JobAppState::kStarting, ""},
              {kStageOut, JobAppState::kStarting, "1 of 2 GB"}};
  const Job ended = After(job, SlurmState::kTimeLimit);
  CHECK(ended.apps[0] == job.apps[0]);
  CHECK(ended.apps[1] == job.apps[1]);
  CHECK(ended.apps[2].state == JobAppState::kFailed);
  CHECK(ended.apps[2].detail ==
        "the job ended before all files were copied; 1 of 2 GB");
}

TEST_CASE("job state machine: handles each Slurm state in each state",
          "[jobs]") {
  using enum JobState;
  struct Row {
    JobState before;
    SlurmState slurm;
    JobState after;
    JobEnd end;
  };
  const Row rows[] = {
      {kSubmitting, SlurmState::kPending, kPending, JobEnd::kNone},
      {kSubmitting, SlurmState::kRunning, kStarting, JobEnd::kNone},
      {kPending, SlurmState::kPending, kPending, JobEnd::kNone},
      {kPending, SlurmState::kRunning, kStarting, JobEnd::kNone},
      {kPending, SlurmState::kCancelled, kEnded, JobEnd::kStopped},
      {kPending, SlurmState::kUnknown, kPending, JobEnd::kNone},
      {kStarting, SlurmState::kRunning, kStarting, JobEnd::kNone},
      {kStarting, SlurmState::kPending, kPending, JobEnd::kNone},
      {kStarting, SlurmState::kFailed, kEnded, JobEnd::kFailed},
      {kReady, SlurmState::kRunning, kReady, JobEnd::kNone},
      {kReady, SlurmState::kSuspended, kReady, JobEnd::kNone},
      {kReady, SlurmState::kCompleting, kStopping, JobEnd::kNone},
      {kReady, SlurmState::kCompleted, kEnded, JobEnd::kCompleted},
      {kReady, SlurmState::kTimeLimit, kEnded, JobEnd::kTimeLimit},
      {kReady, SlurmState::kNodeFail, kEnded, JobEnd::kNodeFail},
      {kReady, SlurmState::kBootFail, kEnded, JobEnd::kNodeFail},
      {kReady, SlurmState::kDeadline, kEnded, JobEnd::kTimeLimit},
      {kReady, SlurmState::kPreempted, kEnded, JobEnd::kStopped},
      {kReady, SlurmState::kOutOfMemory, kEnded, JobEnd::kOutOfMemory},
      {kReady, SlurmState::kUnknown, kReady, JobEnd::kNone},
      {kStopping, SlurmState::kRunning, kStopping, JobEnd::kNone},
      {kStopping, SlurmState::kPending, kStopping, JobEnd::kNone},
      {kStopping, SlurmState::kCancelled, kEnded, JobEnd::kStopped},
      {kEnded, SlurmState::kRunning, kEnded, JobEnd::kNone},
  };
  for (const Row& row : rows) {
    INFO(static_cast<int>(row.before) << " " << static_cast<int>(row.slurm));
    const Job after = After(JobIn(row.before), row.slurm);
    CHECK(after.state == row.after);
    CHECK(after.end == row.end);
    CHECK((after.ended_at.has_value() || row.before == kEnded) ==
          HasEnded(after));
  }
}

TEST_CASE("job state machine: a running job has nodes, start and end",
          "[jobs]") {
  const Job job = After(JobIn(JobState::kPending), SlurmState::kRunning);
  CHECK(job.nodes == std::vector<std::string>{"n1"});
  CHECK(job.started_at == kNow - absl::Minutes(10));
  CHECK(job.ends_at == kNow);
}

TEST_CASE("job state machine: an agent's last word is better than an exit code",
          "[jobs]") {
  Job job = JobIn(JobState::kStopping);
  job.reason = "jupyter: command not found";
  CHECK(After(job, SlurmState::kFailed).reason == "jupyter: command not found");
  job.reason.clear();
  CHECK(After(job, SlurmState::kFailed, "RaisedSignal:9").reason ==
        "ended with exit code 0 (RaisedSignal:9)");
}

TEST_CASE("job state machine: absence counts only after a grace period",
          "[jobs]") {
  struct Row {
    uint32_t slurm_id;
    absl::Duration since;  // it was recorded, or its id learned
    bool submitting;
    JobState after;
    JobEnd end;
  };
  const Row rows[] = {
      {0, absl::Seconds(60), false, JobState::kSubmitting, JobEnd::kNone},
      {0, absl::Seconds(61), false, JobState::kEnded, JobEnd::kNotSubmitted},
      {0, absl::Seconds(61), true, JobState::kSubmitting, JobEnd::kNone},
      {7, absl::Seconds(10), false, JobState::kSubmitting, JobEnd::kNone},
      {7, absl::Seconds(11), false, JobState::kEnded, JobEnd::kUnknown},
  };
  for (const Row& row : rows) {
    Job job = JobIn(JobState::kSubmitting, row.slurm_id);
    job.created_at = kNow - row.since;
    const Job after = Next(job, {.asked_at = kNow,
                                 .known_since = kNow - row.since,
                                 .submitting = row.submitting,
                                 .now = kNow});
    CHECK(after.state == row.after);
    CHECK(after.end == row.end);
  }
}

TEST_CASE("job state machine: when Slurm means to start it goes with the wait",
          "[jobs]") {
  SlurmJob slurm;
  slurm.id = SlurmJobId(7);
  slurm.state = SlurmState::kPending;
  slurm.expected_start = kNow + absl::Hours(1);
  const Job waiting =
      Next(JobIn(JobState::kPending), {.slurm = &slurm, .now = kNow});
  CHECK(waiting.expected_start == kNow + absl::Hours(1));
  slurm.expected_start = absl::InfinitePast();
  CHECK(Next(waiting, {.slurm = &slurm, .now = kNow}).expected_start ==
        std::nullopt);
  for (const SlurmState state : {SlurmState::kRunning, SlurmState::kCancelled,
                                 SlurmState::kCompleting}) {
    CHECK(After(waiting, state).expected_start == std::nullopt);
  }
}

}  // namespace
}  // namespace carme::backend
