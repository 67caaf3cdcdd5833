#include "backend/jobs/lifecycle/failure_log.h"

#include <catch2/catch.hpp>
#include <string>

#include "backend/jobs/diagnosis/advice.h"
#include "backend/jobs/diagnosis/log_tail.h"
#include "backend/jobs/state/job_ending.h"
#include "backend/jobs/state/messages.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

TEST_CASE("log tail: removes control characters", "[jobs]") {
  CHECK(LastLinesOf("\033[31mred\033[0m\033]0;title\a\n", false) ==
        "red]0;title");
  CHECK(LastLinesOf("a\u202eb\xff\n", false) == "a?b?");
  CHECK(LastLinesOf("", false).empty());
  CHECK(LastLinesOf("\n\n", false).empty());
}

TEST_CASE("log tail: the last twenty, whole ones, at most 4 KiB", "[jobs]") {
  std::string log;
  for (int i = 0; i < 30; ++i) log += "line " + std::to_string(i) + "\n";
  const std::string lines = LastLinesOf(log, true);
  CHECK(lines.starts_with("line 10\n"));
  CHECK(lines.ends_with("line 29"));
  CHECK(LastLinesOf("half\nwhole\n", true) == "whole");
  CHECK(LastLinesOf("half\nwhole", false) == "half\nwhole");
  CHECK(LastLinesOf(std::string(100000, 'x'), false).size() == 500);
  std::string wide;
  for (int i = 0; i < 20; ++i) wide += std::string(499, 'x') + "\n";
  CHECK(LastLinesOf(wide, false).size() <= kLastLinesBytes);
}

TEST_CASE("log tail: omits the agent's messages, but not its errors",
          "[jobs]") {
  CHECK(LastLinesOf("[carme-agent] 2026-11-23T08:48:29.6Z info registered\n"
                    "Traceback\n"
                    "[carme-agent] 2026-11-23T08:48:29.6Z error output lost\n"
                    "[carme-agent] 2026-11-23T08:48:29.6Z info ended\n",
                    false) ==
        "Traceback\n[carme-agent] 2026-11-23T08:48:29.6Z error output lost");
}

TEST_CASE("log tail: shows the last state of a progress bar", "[jobs]") {
  CHECK(LastLinesOf("10 %\r50 %\r100 %\r\ndone\n\n", false) == "100 %\ndone");
}

Job FailedWith(int exit_code, JobEnd end = v1::JOB_END_FAILED) {
  Job job;
  job.end = end;
  job.exit_code = exit_code;
  job.spec.memory_per_node_mib = 4096;
  return job;
}

TEST_CASE("advice: none without a known cause", "[jobs]") {
  CHECK(AdviceFor(FailedWith(0, v1::JOB_END_COMPLETED), "MemoryError").empty());
  CHECK(AdviceFor(FailedWith(0, v1::JOB_END_STOPPED), "").empty());
  CHECK(AdviceFor(FailedWith(1), "ValueError: no").empty());
}

TEST_CASE("advice: quotes output of a job only if it is a name", "[jobs]") {
  CHECK(AdviceFor(FailedWith(1),
                  "ModuleNotFoundError: No module named 'torch.nn'")
            .text.starts_with("Python has no module \"torch.nn\": "));
  for (const char* hostile :
       {"No module named '<script>'", "No module named ''",
        "No module named 'call 555, it is free'"}) {
    CHECK(AdviceFor(FailedWith(1), hostile).empty());
  }
}

TEST_CASE("advice: for each way to fail", "[jobs]") {
  struct Row {
    Job job;
    const char* lines;
    const char* begins;
  };
  const Row rows[] = {
      {FailedWith(0, v1::JOB_END_OUT_OF_MEMORY), "",
       "Request more memory per node, such as 8 GiB"},
      {FailedWith(0, v1::JOB_END_TIME_LIMIT), "CUDA out of memory",
       "Request a longer walltime"},
      {FailedWith(0, v1::JOB_END_NODE_FAIL), "", "The job did not cause this"},
      {FailedWith(127), "", "A command was not found"},
      {FailedWith(126), "", "Check that the program is executable"},
      {FailedWith(137), "", "It was killed"},
      {FailedWith(139), "", "The program crashed"},
      {FailedWith(1), "RuntimeError: CUDA out of memory. Tried",
       "The memory of a GPU was full"},
      {FailedWith(1), "OSError: [Errno 28] No space left on device",
       "A file system was full"},
      {FailedWith(1), "OSError: [Errno 122] Disk quota exceeded",
       "Your storage quota is exceeded"},
      {FailedWith(1), "terminate called after throwing 'std::bad_alloc'",
       "The program could not allocate memory"},
      {FailedWith(1), "run.sh: line 3: frob: command not found",
       "A command was not found"},
      {FailedWith(2),
       "python: can't open file 'x.py': [Errno 2] No such file "
       "or directory",
       "A file was not found"},
  };
  for (const Row& row : rows) {
    INFO(row.begins);
    CHECK(AdviceFor(row.job, row.lines).text.starts_with(row.begins));
  }
}

TEST_CASE("failure log: the last lines of a failed job survive a restart",
          "[jobs]") {
  JobFixture world;
  world.slurm_.set_log("one\nTraceback\nMemoryError\n");
  const Job job = world.Registered();
  world.slurm_.End(job.slurm_id, SlurmState::kFailed, 1);
  world.slurm_.Poll();
  REQUIRE(
      testing::WaitFor([&] { return !world.Now(job.id).last_lines.empty(); }));
  CHECK(world.Now(job.id).last_lines == "one\nTraceback\nMemoryError");
  CHECK(world.Now(job.id).advice.text ==
        "The program could not allocate memory: request more memory per node");
  world.Restart();
  CHECK(world.Now(job.id).last_lines == "one\nTraceback\nMemoryError");
  CHECK(world.Now(job.id).end == v1::JOB_END_FAILED);
}

class FullHome : public StorageReader {
 public:
  absl::StatusOr<std::vector<StorageArea>> ReadStorageAsUser(
      const PosixUser& user, const std::string& /*request_id*/) override {
    return std::vector<StorageArea>{
        {.name = "Scratch", .path = "/scratch", .bytes = {1, 0, 1 << 30}},
        {.name = "Closed", .path = "/closed", .problem = "You may not look."},
        {.name = "Home",
         .path = "/home/" + user.name,
         .bytes = {1 << 30, 0, 1 << 30}}};
  }
};

// As slurmd leaves a job whose log it could not open.
void FailToLaunch(JobFixture* world, const Job& job) {
  SlurmJob slurm = world->slurm_.Jobs().at(0);
  slurm.state = SlurmState::kFailed;
  slurm.reason = "JobLaunchFailure";
  slurm.exit_code = 1;
  slurm.ends_at = world->clock_.Now();
  world->slurm_.Put(slurm);
  world->slurm_.Poll();
  REQUIRE(testing::WaitFor([&] { return HasEnded(world->Now(job.id)); }));
}

TEST_CASE("failure log: a log that its user cannot open is the reason",
          "[jobs]") {
  JobFixture world;
  world.slurm_.set_log_error(absl::PermissionDeniedError(
      "open \"/home/ada/.carme/x.log\": Permission denied"));
  const Job job = world.Registered();
  FailToLaunch(&world, job);
  REQUIRE(testing::WaitFor([&] {
    return world.Now(job.id).advice.text.find("Permission denied") !=
           std::string::npos;
  }));
  CHECK(world.Now(job.id).advice.text ==
        "Its log could not be opened as you (open \"/home/ada/.carme/x.log\": "
        "Permission denied): make the directory yours and writable, then start "
        "it again");
  CHECK(world.Now(job.id).reason.text ==
        FormatMessage(job_state_messages::kLaunchFailureAlone));
}

TEST_CASE("failure log: without a log full storage is named", "[jobs]") {
  FullHome storage;
  JobFixture world;
  world.storage_ = &storage;
  world.Restart();
  const Job job = world.Registered();
  FailToLaunch(&world, job);
  REQUIRE(testing::WaitFor([&] { return !world.Now(job.id).advice.empty(); }));
  CHECK(world.Now(job.id).advice.text ==
        "Your storage \"Home\" is full (\"/home/ada\"): delete files that you "
        "do not need, then start it again");
  world.Stop();  // before `storage`
}

TEST_CASE("advice: the agent's reason counts where the log has no cause",
          "[jobs]") {
  Job job = FailedWith(1);
  job.reason =
      "ended with exit code 1; home directory \"/home/ada\" cannot be "
      "written: Disk quota exceeded";
  CHECK_THAT(AdviceFor(job, "").text,
             Catch::StartsWith("Your storage quota is exceeded"));
}

TEST_CASE("failure log: gives advice without a log", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  world.slurm_.End(job.slurm_id, SlurmState::kFailed, 127);
  world.slurm_.Poll();
  CHECK_THAT(world.Now(job.id).advice.text,
             Catch::StartsWith("A command was not found"));
  CHECK(world.Now(job.id).last_lines.empty());
}

TEST_CASE("failure log: is not read for a job that succeeded", "[jobs]") {
  Job job = FailedWith(0);
  CHECK_FALSE(WantsFailureLog(job));  // it never started
  job.started_at = absl::Now();
  CHECK(WantsFailureLog(job));
  job.spec.linked_to = "abcdefghijklmnop";
  CHECK_FALSE(WantsFailureLog(job));
  job.spec.linked_to.clear();
  job.end = v1::JOB_END_STOPPED;
  CHECK_FALSE(WantsFailureLog(job));
}

}  // namespace
}  // namespace carme::backend
