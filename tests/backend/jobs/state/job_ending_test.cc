#include "backend/jobs/state/job_ending.h"

#include <catch2/catch.hpp>
#include <string>

#include "backend/identity/session.h"
#include "backend/jobs/state/messages.h"

namespace carme::backend {
namespace {

Job SmallJob() {
  Job job;
  job.state = v1::JOB_STATE_READY;
  job.spec.walltime = absl::Minutes(150);
  job.spec.memory_per_node_mib = 16 * 1024;
  job.nodes = {"n1", "n2"};
  return job;
}

std::string Ending(SlurmState state, const std::string& reason = "",
                   int exit_code = 0) {
  SlurmJob slurm;
  slurm.state = state;
  slurm.reason = reason;
  slurm.exit_code = exit_code;
  return EndingOf(SmallJob(), slurm).reason.text;
}

TEST_CASE("job ending: names the reached limit and what to do", "[jobs]") {
  CHECK(Ending(SlurmState::kTimeLimit, "TimeLimit") ==
        "its walltime of 2 h 30 min was reached: request more next time");
  CHECK(Ending(SlurmState::kOutOfMemory, "OutOfMemory") ==
        "it used more memory than the 16 GiB per node that it requested: "
        "request more next time");
  CHECK(Ending(SlurmState::kNodeFail, "NodeDown") ==
        "one of its nodes failed (n1, n2): start it again");
  CHECK(Ending(SlurmState::kBootFail) ==
        "one of its nodes did not boot: start it again");
  CHECK(Ending(SlurmState::kPreempted) ==
        "Slurm preempted it for another job: start it again");
  CHECK(Ending(SlurmState::kDeadline, "DeadLine") ==
        "it did not finish before its deadline");
}

TEST_CASE("job ending: explains the exit code of a failure", "[jobs]") {
  CHECK(Ending(SlurmState::kFailed, "NonZeroExitCode", 3) ==
        "ended with exit code 3");
  CHECK(Ending(SlurmState::kFailed, "NonZeroExitCode", 127) ==
        "ended with exit code 127: a command was not found");
  CHECK(Ending(SlurmState::kFailed, "None", 137) ==
        "ended with exit code 137: it was killed");
  CHECK(Ending(SlurmState::kFailed, "Odd\nWord", 1) ==
        "ended with exit code 1 (Odd?Word)");
  CHECK(Ending(SlurmState::kFailed, "JobLaunchFailure", 1) ==
        "Slurm could not start it on its nodes: start it again, and tell an "
        "administrator if that fails, too");
}

TEST_CASE("job ending: reports a job that was killed after its start",
          "[jobs]") {
  SlurmJob slurm;
  slurm.state = SlurmState::kFailed;
  slurm.reason = "JobLaunchFailure";
  slurm.exit_code = 128 + 9;
  Job job = SmallJob();
  CHECK_THAT(EndingOf(job, slurm).reason.text,
             Catch::StartsWith(
                 FormatMessage(job_state_messages::kLaunchFailureAlone)));
  job.agent = {"10.0.0.1", 34000};
  CHECK(EndingOf(job, slurm).reason.text ==
        "it was killed after it had started (signal 9)");
  job.agent = {};
  job.ready_at = absl::UnixEpoch();
  CHECK(EndingOf(job, slurm).reason.text ==
        "it was killed after it had started (signal 9)");
  slurm.exit_code = 1;
  CHECK_THAT(EndingOf(job, slurm).reason.text,
             Catch::StartsWith(
                 FormatMessage(job_state_messages::kLaunchFailureAlone)));
}

TEST_CASE("job ending: reports a killed job of Slurm 24.11", "[jobs]") {
  CHECK(Ending(SlurmState::kFailed, "RaisedSignal", 128 + 15) ==
        "ended with exit code 143: it was asked to terminate");
  SlurmJob slurm;
  slurm.state = SlurmState::kFailed;
  slurm.reason = "RaisedSignal";
  slurm.exit_code = 128 + 9;
  Job job = SmallJob();
  job.agent = {"10.0.0.1", 34000};
  CHECK(EndingOf(job, slurm).reason.text ==
        "it was killed after it had started (signal 9)");
}

TEST_CASE("job ending: names the user who cancelled it", "[jobs]") {
  SlurmJob slurm;
  slurm.state = SlurmState::kCancelled;
  Job job = SmallJob();
  job.owner_uid = Uid(20001);
  const auto ending = [&] { return EndingOf(job, slurm); };
  CHECK(ending().stopped_by == v1::JOB_STOPPED_BY_UNSPECIFIED);
  CHECK(ending().reason.text == "it was cancelled in Slurm, not through Carme");
  slurm.cancelled_by = Uid(20001);
  CHECK(ending().stopped_by == v1::JOB_STOPPED_BY_USER);
  CHECK(ending().reason.empty());
  slurm.cancelled_by = Uid(0);
  CHECK(ending().stopped_by == v1::JOB_STOPPED_BY_ADMINISTRATOR);
  CHECK(ending().reason.text == "an administrator cancelled it");
  slurm.cancelled_by = kNoUid;
  CHECK(ending().stopped_by == v1::JOB_STOPPED_BY_SLURM);
  CHECK(ending().reason.text == "Slurm cancelled it");
  slurm.reason = "DependencyNeverSatisfied";
  CHECK(ending().stopped_by == v1::JOB_STOPPED_BY_SLURM);
  CHECK(ending().reason.text ==
        "the job that it depended on did not end as required");
  // What Carme did itself needs no answer of Slurm's.
  slurm = SlurmJob();
  slurm.state = SlurmState::kCancelled;
  job.stopped_by = v1::JOB_STOPPED_BY_USER;
  CHECK(ending().stopped_by == v1::JOB_STOPPED_BY_USER);
  CHECK(ending().reason.empty());
  job.stopped_by = v1::JOB_STOPPED_BY_CARME;
  job.reason = "stopped: it was not used for 2 h";
  CHECK(ending().stopped_by == v1::JOB_STOPPED_BY_CARME);
  CHECK(ending().reason == job.reason);
}

}  // namespace
}  // namespace carme::backend
