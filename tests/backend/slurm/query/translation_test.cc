#include "backend/slurm/query/translation.h"

#include <signal.h>

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "backend/slurm/query/job_size.h"

namespace carme::backend {
namespace {

TEST_CASE("comment: refuses other formats", "[backend]") {
  for (const char* text :
       {"", "carme:", "abcdefghijklmno1", "carme:ABCDEFGHIJKLMNO1",
        "carme:abcdefghijklmno1 ", " carme:abcdefghijklmno1",
        "carme:abcdefghijklmno12", "carme:1bcdefghijklmno1",
        "Carme:abcdefghijklmno1"}) {
    INFO(text);
    CHECK_FALSE(JobIdOfComment(text).has_value());
  }
  CHECK(JobIdOfComment("carme:abcdefghijklmno1") == JobId("abcdefghijklmno1"));
}

TEST_CASE("job state: the flag for cleaning up comes first", "[backend]") {
  CHECK(ToState(JOB_PENDING) == SlurmState::kPending);
  CHECK(ToState(JOB_RUNNING) == SlurmState::kRunning);
  CHECK(ToState(JOB_RUNNING | JOB_CONFIGURING) == SlurmState::kRunning);
  CHECK(ToState(JOB_CANCELLED | JOB_COMPLETING) == SlurmState::kCompleting);
  CHECK(ToState(JOB_CANCELLED) == SlurmState::kCancelled);
  CHECK(ToState(JOB_TIMEOUT) == SlurmState::kTimeLimit);
  CHECK(ToState(JOB_DEADLINE) == SlurmState::kDeadline);
  CHECK(ToState(JOB_PREEMPTED) == SlurmState::kPreempted);
  CHECK(ToState(JOB_NODE_FAIL) == SlurmState::kNodeFail);
  CHECK(ToState(JOB_BOOT_FAIL) == SlurmState::kBootFail);
  CHECK(ToState(JOB_PENDING | JOB_REQUEUE_HOLD) == SlurmState::kPending);
  CHECK(ToState(JOB_OOM) == SlurmState::kOutOfMemory);
  CHECK(ToState(JOB_END) == SlurmState::kUnknown);
}

TEST_CASE("exit code: a signal is 128 and its number", "[backend]") {
  CHECK(ToExitCode(0) == 0);
  CHECK(ToExitCode(3 << 8) == 3);
  CHECK(ToExitCode(SIGKILL) == 137);
}

TEST_CASE("node: is up when it can run jobs", "[backend]") {
  CHECK(IsUp(NODE_STATE_IDLE));
  CHECK(IsUp(NODE_STATE_MIXED));
  CHECK(IsUp(NODE_STATE_ALLOCATED | NODE_STATE_COMPLETING));
  CHECK(IsUp(NODE_STATE_IDLE | NODE_STATE_CLOUD | NODE_STATE_POWERED_DOWN));
  CHECK_FALSE(IsUp(NODE_STATE_UNKNOWN));
  CHECK_FALSE(IsUp(NODE_STATE_DOWN));
  CHECK_FALSE(IsUp(NODE_STATE_FUTURE));
  CHECK_FALSE(IsUp(NODE_STATE_IDLE | NODE_STATE_DRAIN));
  CHECK_FALSE(IsUp(NODE_STATE_IDLE | NODE_STATE_NO_RESPOND));
  CHECK_FALSE(IsUp(NODE_STATE_IDLE | NODE_STATE_MAINT));
  CHECK_FALSE(IsUp(NODE_STATE_MIXED | NODE_STATE_DRAIN));
  CHECK_FALSE(IsUp(NODE_STATE_ALLOCATED | NODE_STATE_DRAIN));
  CHECK_FALSE(IsUp(NODE_STATE_MIXED | NODE_STATE_RES));
  CHECK(IsUp(NODE_STATE_MIXED | NODE_STATE_PLANNED));
  CHECK(IsUp(NODE_STATE_IDLE | NODE_STATE_POWERING_UP));
}

TEST_CASE("node: reads a version from its features", "[backend]") {
  CHECK(WordAfter("", "driver-").empty());
  CHECK(WordAfter("carme,xdriver-1,driver", "driver-").empty());
  CHECK(WordAfter("gpu,driver-550.54,carme,driver-1", "driver-") == "550.54");
}

TEST_CASE("hostlist: brackets are expanded", "[backend]") {
  CHECK(ExpandHostlist("").empty());
  CHECK(ExpandHostlist("n[1-2,08],x") ==
        std::vector<std::string>{"n1", "n2", "n08", "x"});
  CHECK(ExpandHostlist("n[0-99999]").size() <= 65536);
}

TEST_CASE("job: the batch host comes first", "[backend]") {
  slurm_job_info_t job{};
  std::string comment = "carme:abcdefghijklmno1", nodes = "n[1-3]", host = "n2";
  job.comment = comment.data();
  job.nodes = nodes.data();
  job.batch_host = host.data();
  job.job_state = JOB_RUNNING;
  job.job_id = 7;
  job.user_id = 20001;
  job.start_time = 1000;
  const auto translated = ToJob(job);
  REQUIRE(translated.has_value());
  CHECK(translated->nodes == std::vector<std::string>{"n2", "n1", "n3"});
  CHECK(translated->started_at == absl::FromUnixSeconds(1000));
  CHECK(translated->ends_at == absl::InfiniteFuture());
  CHECK(translated->uid == Uid(20001));
  CHECK(translated->reason.empty());
  job.comment = nullptr;
  CHECK_FALSE(ToJob(job).has_value());
}

TEST_CASE("job: one that is tracked needs no comment", "[backend]") {
  slurm_job_info_t job{};
  job.job_id = 8;
  job.submit_time = 1000;
  CHECK_FALSE(ToJob(job).has_value());
  CHECK_FALSE(ToJob(job, {SlurmJobId(7)}).has_value());
  const auto tracked = ToJob(job, {SlurmJobId(8)});
  REQUIRE(tracked.has_value());
  CHECK(tracked->carme_id == JobId());
  CHECK(tracked->submitted == absl::FromUnixSeconds(1000));
  job.array_job_id = 7;
  CHECK(ToJob(job, {SlurmJobId(7)}).has_value());
}

TEST_CASE("job: its size is requested, then allocated", "[backend]") {
  slurm_job_info_t job{};
  std::string requested = "cpu=2,mem=400M,node=2,billing=2,gres/gpu=1",
              per_node = "gres:gpu:h200:2", allocated = "cpu=8,mem=400M,node=2",
              total = "gpu:h200:4";
  job.job_state = JOB_PENDING;
  job.num_nodes = 1;
  job.max_nodes = 2;
  job.shared = JOB_SHARED_OK;
  job.pn_min_memory = 200;
  job.num_tasks = 2;
  job.sockets_per_node = NO_VAL16;
  CHECK(SizeOf(job) == SlurmSize{.nodes = 2});
  job.tres_req_str = requested.data();
  job.tres_per_node = per_node.data();
  const SlurmSize waits{.nodes = 2,
                        .cpus = 2,
                        .memory_mib = 400,
                        .gpus = std::map<std::string, int>{{"h200", 4}}};
  CHECK(SizeOf(job) == waits);
  job.job_state = JOB_RUNNING;
  job.num_nodes = 2;
  job.tres_alloc_str = allocated.data();
  job.gres_total = total.data();
  CHECK(SizeOf(job) == waits);  // CPUs as requested, not as rounded up
  job.shared = JOB_SHARED_NONE;
  CHECK(SizeOf(job).cpus == 8);
  job.gres_total = nullptr;
  CHECK(SizeOf(job).gpus == std::map<std::string, int>());
}

TEST_CASE("job: its size follows the nodes that it has returned", "[backend]") {
  slurm_job_info_t job{};
  // Slurm keeps the request, which is for three nodes.
  std::string requested = "cpu=6,mem=300M,node=2,billing=6",
              allocated = "cpu=4,mem=200M,node=2", total = "gpu:h200:2";
  job.job_state = JOB_RUNNING;
  job.num_nodes = 2;
  job.shared = JOB_SHARED_OK;
  job.pn_min_memory = 100;
  job.num_tasks = 3;
  job.sockets_per_node = NO_VAL16;
  job.tres_req_str = requested.data();
  job.tres_alloc_str = allocated.data();
  job.gres_total = total.data();
  CHECK(SizeOf(job) ==
        SlurmSize{.nodes = 2,
                  .cpus = 4,
                  .memory_mib = 200,
                  .gpus = std::map<std::string, int>{{"h200", 2}}});
  job.shared = JOB_SHARED_NONE;
  CHECK(SizeOf(job).cpus == 4);
}

TEST_CASE("job: GPUs that it requests are read in every form", "[backend]") {
  using Gpus = std::map<std::string, int>;
  for (const char* none : {"", "license:x:1", "gres:nic:1", "gres:gpux:1"}) {
    CHECK(ParseGpuRequest(none).empty());
  }
  CHECK(ParseGpuRequest("gres:gpu:2") == Gpus{{"gpu", 2}});
  CHECK(ParseGpuRequest("gpu:h200:1") == Gpus{{"h200", 1}});
  CHECK(ParseGpuRequest("gres/gpu:h200=2,gres/gpu:a100=1") ==
        Gpus{{"h200", 2}, {"a100", 1}});
  CHECK(ParseGpuRequest("gres:gpu:a100:1;gres:nic:1") == Gpus{{"a100", 1}});
}

TEST_CASE("job: an estimated start is not a start", "[backend]") {
  slurm_job_info_t job{};
  std::string comment = "carme:abcdefghijklmno1";
  job.comment = comment.data();
  job.job_state = JOB_PENDING;
  job.state_reason = WAIT_RESOURCES;
  job.start_time = 1000;
  const auto translated = ToJob(job);
  REQUIRE(translated.has_value());
  CHECK(translated->started_at == absl::InfinitePast());
  CHECK(translated->expected_start == absl::FromUnixSeconds(1000));
  CHECK(translated->reason == "Resources");
  job.start_time = 0;
  CHECK(ToJob(job)->expected_start == absl::InfinitePast());
}

TEST_CASE("job: keeps the details of the reason", "[backend]") {
  slurm_job_info_t job{};
  std::string comment = "carme:abcdefghijklmno1", dependency = "afterok:7",
              detail = "ReqNodeNotAvail, UnavailableNodes:n1";
  job.comment = comment.data();
  job.job_state = JOB_PENDING;
  job.state_reason = WAIT_DEPENDENCY;
  job.dependency = dependency.data();
  CHECK(ToJob(job)->detail == "afterok:7");
  job.state_reason = WAIT_RESOURCES;
  CHECK(ToJob(job)->detail.empty());
  job.state_desc = detail.data();
  CHECK(ToJob(job)->detail == detail);
}

TEST_CASE("errors: distinguish not done from unknown", "[backend]") {
  CHECK(FailureOf(ESLURM_INVALID_PARTITION_NAME) == SlurmFailure::kRefused);
  CHECK(FailureOf(SLURMCTLD_COMMUNICATIONS_CONNECTION_ERROR) ==
        SlurmFailure::kUnreachable);
  CHECK(FailureOf(ESLURM_AUTH_CRED_INVALID) == SlurmFailure::kUnreachable);
  CHECK(FailureOf(SLURMCTLD_COMMUNICATIONS_RECEIVE_ERROR) ==
        SlurmFailure::kUnknown);
  CHECK(FailureOf(SLURM_PROTOCOL_SOCKET_IMPL_TIMEOUT) ==
        SlurmFailure::kUnknown);
  CHECK(FailureOf(ECONNRESET) == SlurmFailure::kUnknown);
  CHECK(SlurmErrorText(ESLURM_INVALID_PARTITION_NAME) ==
        "invalid partition name specified");
}

TEST_CASE("GPUs are asked for by type and number", "[backend]") {
  CHECK(GpuRequest("", 0).empty());
  CHECK(GpuRequest("h200", 0).empty());
  using Gpus = std::map<std::string, int>;
  CHECK(ParseGpuRequest(GpuRequest("", 2)) == Gpus{{"gpu", 2}});
  CHECK(ParseGpuRequest(GpuRequest("h200", 2)) == Gpus{{"h200", 2}});
  // Releases of Slurm differ in the character after "gres".
  CHECK_THAT(GpuRequest("h200", 2), Catch::Matches("gres[:/]gpu:h200:2"));
}

}  // namespace
}  // namespace carme::backend
