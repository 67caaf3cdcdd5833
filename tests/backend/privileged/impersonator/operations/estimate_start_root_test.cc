// When a job would start, as Slurm reports it to its user; on a real Slurm.
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/slurm/impersonator/impersonator_client.h"
#include "common/ids.h"
#include "tests/backend/privileged/impersonator_process.h"
#include "tests/backend/privileged/valid_request.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_EXHAUSTED;
using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_REFUSED;
using privileged::v1::OUTCOME_SLURM_REFUSED;
using privileged::v1::Request;
using privileged::v1::Response;
using privileged::v1::Submit;

Response Estimate(
    const ImpersonatorProcess& impersonator,
    const std::function<void(Submit*)>& change = [](Submit*) {},
    const std::string& user = "ada", uid_t uid = 20001) {
  Request request = ValidEstimateStart();
  request.set_user(user);
  request.set_uid(uid);
  change(request.mutable_estimate_start());
  return impersonator.Ask(request);
}

std::string Queue() { return OutputOf("squeue -h -t all -o %A"); }

TEST_CASE("estimate start: refuses root, wrong uids and invalid fields",
          "[backend]") {
  const ImpersonatorProcess impersonator;
  CHECK(Estimate(
            impersonator, [](Submit*) {}, "root", 0)
            .outcome() == OUTCOME_REFUSED);
  CHECK(Estimate(
            impersonator, [](Submit*) {}, "ada", 20002)
            .outcome() == OUTCOME_REFUSED);
  const Response bad = Estimate(
      impersonator, [](Submit* submit) { submit->set_partition("a,b"); });
  CHECK(bad.outcome() == OUTCOME_REFUSED);
  CHECK_FALSE(bad.has_start_estimate());
}

TEST_CASE("estimate start: Slurm refuses impossible jobs", "[backend]") {
  const ImpersonatorProcess impersonator;
  const Response none = Estimate(
      impersonator, [](Submit* submit) { submit->set_partition("none"); });
  CHECK(none.outcome() == OUTCOME_SLURM_REFUSED);
  const Response large = Estimate(
      impersonator, [](Submit* submit) { submit->set_gpus_per_node(64); });
  CHECK(large.outcome() == OUTCOME_SLURM_REFUSED);
}

TEST_CASE("estimate start: has its own rate limit", "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator("operations_per_minute = 4\n");
  int let_in = 0;  // whatever Slurm says then
  Response last;
  for (int i = 0; i < 4; ++i) {
    last = Estimate(impersonator);
    let_in += last.outcome() != OUTCOME_EXHAUSTED ? 1 : 0;
  }
  CHECK(let_in == 1);
  CHECK(last.outcome() == OUTCOME_EXHAUSTED);
  CHECK(impersonator.Submit("ada", 20001).outcome() == OUTCOME_OK);
}

TEST_CASE("estimate start: distinguishes now from later, and submits nothing",
          "[backend]") {
  const EndJobs end;
  const ImpersonatorProcess impersonator;
  const std::string before = Queue();
  const auto two_nodes = [](Submit* submit) {
    submit->set_nodes(2);
    submit->set_gpus_per_node(2);
    submit->set_walltime_min(30);
  };
  // Nodes that are still cleaning up after another test come back.
  Response now;
  REQUIRE(testing::WaitFor([&] {
    now = Estimate(impersonator, two_nodes);
    return now.outcome() == OUTCOME_OK &&
           absl::FromUnixSeconds(now.start_estimate().starts_at_unix_s()) <
               absl::Now() + absl::Seconds(30);
  }));
  CHECK(now.start_estimate().node_list() == "n[1-2]");
  CHECK(now.slurm_job_id() == 0);
  CHECK(Queue() == before);

  // Behind a job of 30 minutes that has all of the GPUs.
  Request all = ValidSubmit();
  two_nodes(all.mutable_submit());
  const Response running = impersonator.Ask(all);
  REQUIRE(running.outcome() == OUTCOME_OK);
  REQUIRE(testing::WaitFor([&] {
    return OutputOf(absl::StrCat("squeue -h -o %t -j ", running.slurm_job_id(),
                                 " 2>&1")) == "R\n";
  }));
  backend::ImpersonatorClient client({.socket = impersonator.socket()});
  const backend::Submission one = {.job = NewJobId(),
                                   .name = "one",
                                   .partition = "main",
                                   .gpus_per_node = 1,
                                   .gpu_type = "",
                                   .memory_per_node_mib = 100,
                                   .walltime = absl::Minutes(5)};
  const AsUser backend(kBackendUid);
  const auto later = client.EstimateStartAsUser({"ada", Uid(20001)}, one, "r7");
  REQUIRE_THAT(later, IsOk());
  CHECK(later->starts_at > absl::Now() + absl::Minutes(20));
  CHECK(later->starts_at < absl::Now() + absl::Minutes(32));
  CHECK(later->nodes.size() == 1);
}

TEST_CASE("estimate start: is audited", "[backend]") {
  const ImpersonatorProcess impersonator;
  Request request = ValidEstimateStart();
  request.set_request_id("look7");
  impersonator.Ask(request);
  const auto lines = impersonator.AuditLines("look7");
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0],
             Catch::Contains("operation=estimate_start object=main/1/1") &&
                 Catch::Contains("decision=allow"));
}

}  // namespace
}  // namespace carme::impersonator
