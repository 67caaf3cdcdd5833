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
  if (state == v1::JOB_STATE_READY) job.ready_at = kNow - absl::Minutes(5);
  if (state == v1::JOB_STATE_STARTING || state == v1::JOB_STATE_READY) {
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

TEST_CASE("job state machine: an unfinished copy at the end is incomplete",
          "[jobs]") {
  Job job = JobIn(v1::JOB_STATE_STOPPING);
  job.apps = {{kStageIn, v1::JOB_APP_STATE_UNSPECIFIED, "5 MB"},
              {"jupyter", v1::JOB_APP_STATE_STARTING, ""},
              {kStageOut, v1::JOB_APP_STATE_STARTING, "1 of 2 GB"}};
  const Job ended = After(job, SlurmState::kTimeLimit);
  CHECK(ended.apps[0] == job.apps[0]);
  CHECK(ended.apps[1] == job.apps[1]);
  CHECK(ended.apps[2].state == v1::JOB_APP_STATE_FAILED);
  CHECK(ended.apps[2].detail.text ==
        "the job ended before all files were copied; 1 of 2 GB");
}

TEST_CASE("job state machine: handles each Slurm state in each state",
          "[jobs]") {
  struct Row {
    JobState before;
    SlurmState slurm;
    JobState after;
    JobEnd end;
  };
  const Row rows[] = {
      {v1::JOB_STATE_SUBMITTING, SlurmState::kPending, v1::JOB_STATE_PENDING,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_SUBMITTING, SlurmState::kRunning, v1::JOB_STATE_STARTING,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_PENDING, SlurmState::kPending, v1::JOB_STATE_PENDING,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_PENDING, SlurmState::kRunning, v1::JOB_STATE_STARTING,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_PENDING, SlurmState::kCancelled, v1::JOB_STATE_ENDED,
       v1::JOB_END_STOPPED},
      {v1::JOB_STATE_PENDING, SlurmState::kUnknown, v1::JOB_STATE_PENDING,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_STARTING, SlurmState::kRunning, v1::JOB_STATE_STARTING,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_STARTING, SlurmState::kPending, v1::JOB_STATE_PENDING,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_STARTING, SlurmState::kFailed, v1::JOB_STATE_ENDED,
       v1::JOB_END_FAILED},
      {v1::JOB_STATE_READY, SlurmState::kRunning, v1::JOB_STATE_READY,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_READY, SlurmState::kSuspended, v1::JOB_STATE_READY,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_READY, SlurmState::kCompleting, v1::JOB_STATE_STOPPING,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_READY, SlurmState::kCompleted, v1::JOB_STATE_ENDED,
       v1::JOB_END_COMPLETED},
      {v1::JOB_STATE_READY, SlurmState::kTimeLimit, v1::JOB_STATE_ENDED,
       v1::JOB_END_TIME_LIMIT},
      {v1::JOB_STATE_READY, SlurmState::kNodeFail, v1::JOB_STATE_ENDED,
       v1::JOB_END_NODE_FAIL},
      {v1::JOB_STATE_READY, SlurmState::kBootFail, v1::JOB_STATE_ENDED,
       v1::JOB_END_NODE_FAIL},
      {v1::JOB_STATE_READY, SlurmState::kDeadline, v1::JOB_STATE_ENDED,
       v1::JOB_END_TIME_LIMIT},
      {v1::JOB_STATE_READY, SlurmState::kPreempted, v1::JOB_STATE_ENDED,
       v1::JOB_END_STOPPED},
      {v1::JOB_STATE_READY, SlurmState::kOutOfMemory, v1::JOB_STATE_ENDED,
       v1::JOB_END_OUT_OF_MEMORY},
      {v1::JOB_STATE_READY, SlurmState::kUnknown, v1::JOB_STATE_READY,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_STOPPING, SlurmState::kRunning, v1::JOB_STATE_STOPPING,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_STOPPING, SlurmState::kPending, v1::JOB_STATE_STOPPING,
       v1::JOB_END_UNSPECIFIED},
      {v1::JOB_STATE_STOPPING, SlurmState::kCancelled, v1::JOB_STATE_ENDED,
       v1::JOB_END_STOPPED},
      {v1::JOB_STATE_ENDED, SlurmState::kRunning, v1::JOB_STATE_ENDED,
       v1::JOB_END_UNSPECIFIED},
  };
  for (const Row& row : rows) {
    INFO(static_cast<int>(row.before) << " " << static_cast<int>(row.slurm));
    const Job after = After(JobIn(row.before), row.slurm);
    CHECK(after.state == row.after);
    CHECK(after.end == row.end);
    CHECK((after.ended_at.has_value() || row.before == v1::JOB_STATE_ENDED) ==
          HasEnded(after));
  }
}

TEST_CASE("job state machine: a running job has nodes, start and end",
          "[jobs]") {
  const Job job = After(JobIn(v1::JOB_STATE_PENDING), SlurmState::kRunning);
  CHECK(job.nodes == std::vector<std::string>{"n1"});
  CHECK(job.started_at == kNow - absl::Minutes(10));
  CHECK(job.ends_at == kNow);
}

TEST_CASE("job state machine: an agent's last report precedes an exit code",
          "[jobs]") {
  Job job = JobIn(v1::JOB_STATE_STOPPING);
  job.reason = "jupyter: command not found";
  CHECK(After(job, SlurmState::kFailed).reason.text ==
        "jupyter: command not found");
  job.reason.clear();
  CHECK(After(job, SlurmState::kFailed, "RaisedSignal:9").reason.text ==
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
      {0, absl::Seconds(60), false, v1::JOB_STATE_SUBMITTING,
       v1::JOB_END_UNSPECIFIED},
      {0, absl::Seconds(61), false, v1::JOB_STATE_ENDED,
       v1::JOB_END_NOT_SUBMITTED},
      {0, absl::Seconds(61), true, v1::JOB_STATE_SUBMITTING,
       v1::JOB_END_UNSPECIFIED},
      {7, absl::Seconds(10), false, v1::JOB_STATE_SUBMITTING,
       v1::JOB_END_UNSPECIFIED},
      {7, absl::Seconds(11), false, v1::JOB_STATE_ENDED, v1::JOB_END_UNKNOWN},
  };
  for (const Row& row : rows) {
    Job job = JobIn(v1::JOB_STATE_SUBMITTING, row.slurm_id);
    job.created_at = kNow - row.since;
    const Job after = Next(job, {.asked_at = kNow,
                                 .known_since = kNow - row.since,
                                 .submitting = row.submitting,
                                 .now = kNow});
    CHECK(after.state == row.after);
    CHECK(after.end == row.end);
  }
}

TEST_CASE("job state machine: the estimated start ends with the wait",
          "[jobs]") {
  SlurmJob slurm;
  slurm.id = SlurmJobId(7);
  slurm.state = SlurmState::kPending;
  slurm.expected_start = kNow + absl::Hours(1);
  const Job waiting =
      Next(JobIn(v1::JOB_STATE_PENDING), {.slurm = &slurm, .now = kNow});
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
