#include "backend/jobs/job_ending.h"

#include <catch2/catch.hpp>
#include <string>

namespace carme {
namespace {

Job SmallJob() {
  Job job;
  job.state = JobState::kReady;
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
  return EndingOf(SmallJob(), slurm).reason;
}

TEST_CASE("job ending: says which limit it met, and what to do", "[jobs]") {
  CHECK(Ending(SlurmState::kTimeLimit, "TimeLimit") ==
        "its walltime of 2 h 30 min was over: ask for more next time");
  CHECK(Ending(SlurmState::kOutOfMemory, "OutOfMemory") ==
        "it used more memory than the 16 GiB a node that it had: ask for more "
        "next time");
  CHECK(Ending(SlurmState::kNodeFail, "NodeDown") ==
        "one of its nodes failed (n1, n2): start it again");
  CHECK(Ending(SlurmState::kBootFail) ==
        "a node did not start for it: start it again");
  CHECK(Ending(SlurmState::kPreempted) ==
        "Slurm stopped it for a job that goes first: start it again");
  CHECK(Ending(SlurmState::kDeadline, "DeadLine") ==
        "its deadline came before it was done");
}

TEST_CASE("job ending: of a failure says what the number means", "[jobs]") {
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
        "administrator when that fails, too");
}

TEST_CASE("job ending: whoever cancelled it knows why, unless Slurm did",
          "[jobs]") {
  CHECK(Ending(SlurmState::kCancelled).empty());
  CHECK(Ending(SlurmState::kCancelled, "Dependency").empty());
  CHECK(Ending(SlurmState::kCancelled, "DependencyNeverSatisfied") ==
        "the job that it waited for did not end as it had to");
}

}  // namespace
}  // namespace carme
