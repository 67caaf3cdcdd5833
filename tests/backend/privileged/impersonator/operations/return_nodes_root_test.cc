// Returning nodes of a job as its owner, on a real Slurm.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/clock.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::OUTCOME_SLURM_REFUSED;
using privileged::v1::OUTCOME_UNAVAILABLE;
using privileged::v1::Request;
using privileged::v1::Response;

std::string Field(uint32_t job, const std::string& format) {
  return OutputOf(
      absl::StrCat("squeue -h -t all -j ", job, " -o '", format, "' 2>&1"));
}

constexpr char kNodeAgent[] = "carme-node-agent";

// A job of ada's on two nodes.
struct TwoNodeJob {
  explicit TwoNodeJob(const ImpersonatorProcess& impersonator,
                      int64_t begin_unix_s = 0) {
    Request submit = ValidSubmit();
    submit.mutable_submit()->set_nodes(2);
    submit.mutable_submit()->set_begin_unix_s(begin_unix_s);
    const Response response = impersonator.Ask(submit);
    INFO(response.message());
    REQUIRE(response.outcome() == OUTCOME_OK);
    slurm_id = response.slurm_job_id();
    id = submit.submit().carme_job_id();
  }
  // Its nodes; the first one has the batch script.
  std::vector<std::string> AwaitNodes() const {
    REQUIRE(WaitFor([&] { return Field(slurm_id, "%t") == "R\n"; }));
    const auto line = [&](const char* format) {
      return std::string(absl::StripSuffix(Field(slurm_id, format), "\n"));
    };
    std::vector<std::string> nodes = {line("%B")};
    for (const std::string& node : ExpandHostlist(line("%N"))) {
      if (node != nodes[0]) nodes.push_back(node);
    }
    REQUIRE(nodes.size() == 2);
    return nodes;
  }
  std::string Nodes() const { return Field(slurm_id, "%D"); }
  std::string Steps() const {
    return OutputOf(absl::StrCat("squeue -h -s -j ", slurm_id, " -o '%j %N'"));
  }
  void StartStep(const std::string& node, const std::string& name) const {
    OutputOf(absl::StrCat(
        "runuser -u ada -- sh -c 'cd /; exec srun --jobid=", slurm_id,
        " --overlap --mem=0 --mpi=none -N1 -n1 -w ", node, " -J ", name,
        " sleep 600' > /dev/null 2>&1 &"));
    REQUIRE(WaitFor([&] { return Steps().find(name) != std::string::npos; }));
  }

  const EndJobs end;
  uint32_t slurm_id = 0;
  std::string id;
};

Response Return(const ImpersonatorProcess& impersonator, const TwoNodeJob& job,
                const std::vector<std::string>& nodes,
                const std::string& user = "ada", uid_t uid = 20001) {
  Request request = ValidReturnNodes();
  request.set_user(user);
  request.set_uid(uid);
  request.mutable_return_nodes()->set_slurm_job_id(job.slurm_id);
  request.mutable_return_nodes()->set_carme_job_id(job.id);
  *request.mutable_return_nodes()->mutable_nodes() = {nodes.begin(),
                                                      nodes.end()};
  return impersonator.Ask(request);
}

TEST_CASE("return nodes: refuses another user's job, another job, and root",
          "[backend]") {
  const ImpersonatorProcess impersonator;
  TwoNodeJob job(impersonator);
  const std::vector<std::string> nodes = job.AwaitNodes();
  CHECK(Return(impersonator, job, {nodes[1]}, "bob", 20002).outcome() ==
        OUTCOME_REFUSED);
  CHECK(Return(impersonator, job, {nodes[1]}, "root", 0).outcome() ==
        OUTCOME_REFUSED);
  job.id = "zzzzzzzzzzzzzzzz";
  CHECK(Return(impersonator, job, {nodes[1]}).outcome() == OUTCOME_REFUSED);
  CHECK(job.Nodes() == "2\n");
}

TEST_CASE("return nodes: refuses the node of the batch script", "[backend]") {
  const ImpersonatorProcess impersonator;
  const TwoNodeJob job(impersonator);
  const std::vector<std::string> nodes = job.AwaitNodes();
  const Response response = Return(impersonator, job, {nodes[0]});
  CHECK(response.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(response.message(), Catch::Contains("batch script runs on node"));
  CHECK(job.Nodes() == "2\n");
}

TEST_CASE("return nodes: refuses a node without a node agent's step",
          "[backend]") {
  const ImpersonatorProcess impersonator;
  const TwoNodeJob job(impersonator);
  const Response response = Return(impersonator, job, {job.AwaitNodes()[1]});
  CHECK(response.outcome() == OUTCOME_UNAVAILABLE);
  CHECK_THAT(response.message(),
             Catch::Contains("no step of carme-node-agent"));
  CHECK(job.Nodes() == "2\n");
}

TEST_CASE("return nodes: a node on which a step of the user runs stays",
          "[backend]") {
  const ImpersonatorProcess impersonator;
  const TwoNodeJob job(impersonator);
  const std::vector<std::string> nodes = job.AwaitNodes();
  job.StartStep(nodes[1], kNodeAgent);
  job.StartStep(nodes[1], "work");
  const Response response = Return(impersonator, job, {nodes[1]});
  CHECK(response.outcome() == OUTCOME_REFUSED);
  CHECK_THAT(response.message(),
             Catch::Contains("steps of the job run on all"));
  CHECK(job.Nodes() == "2\n");
  CHECK(job.Steps().find("work") != std::string::npos);
}

TEST_CASE("return nodes: refuses pending and ended jobs", "[backend]") {
  const ImpersonatorProcess impersonator;
  const TwoNodeJob job(impersonator);
  const std::vector<std::string> nodes = job.AwaitNodes();
  const TwoNodeJob later(impersonator, absl::ToUnixSeconds(absl::Now()) + 3600);
  CHECK(Return(impersonator, later, {nodes[1]}).outcome() ==
        OUTCOME_SLURM_REFUSED);
  CHECK(OutputOf(absl::StrCat("scontrol show job ", later.slurm_id))
            .find("ReqNodeList=(null)") != std::string::npos);
  OutputOf(absl::StrCat("scancel ", job.slurm_id));
  REQUIRE(WaitFor([&] { return Field(job.slurm_id, "%t") == "CA\n"; }));
  CHECK(Return(impersonator, job, {nodes[1]}).outcome() ==
        OUTCOME_SLURM_REFUSED);
}

TEST_CASE("return nodes: through the client, and again", "[backend]") {
  const ImpersonatorProcess impersonator;
  const TwoNodeJob job(impersonator);
  const std::vector<std::string> nodes = job.AwaitNodes();
  job.StartStep(nodes[1], kNodeAgent);
  backend::ImpersonatorClient client(
      {.socket = impersonator.socket(), .timeout = testing::kWaitTimeout});
  const auto give = [&] {
    const AsUser backend(kBackendUid);
    return client.ReturnNodesAsUser({"ada", Uid(20001)},
                                    SlurmJobId(job.slurm_id), JobId(job.id),
                                    {nodes[1]}, "r1");
  };
  CHECK_THAT(give(), IsOk());
  CHECK(job.Nodes() == "1\n");
  CHECK(Field(job.slurm_id, "%N") == nodes[0] + "\n");
  CHECK(Field(job.slurm_id, "%t") == "R\n");
  CHECK_THAT(give(), IsOk());
  const auto lines = impersonator.AuditLines();
  CHECK_THAT(lines[1],
             Catch::Contains(absl::StrCat(
                 "operation=return_nodes object=", job.id, "/", job.slurm_id,
                 "/", nodes[1], " decision=allow result=ok")));
}

}  // namespace
}  // namespace carme::impersonator
