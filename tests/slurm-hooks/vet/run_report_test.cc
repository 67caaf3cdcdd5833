#include "slurm-hooks/vet/cli/run_report.h"

#include <catch2/catch.hpp>
#include <map>
#include <optional>
#include <string>

#include "slurm-hooks/vet/config/vet_config.h"
#include "tests/support/status_matchers.h"

namespace carme::vet {
namespace {

using Variables = std::map<std::string, std::string>;

ReadVariable Reading(const Variables& variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

// n1 failed the second evaluation, n2 passed both.
VetRun TwoNodes() {
  VetRun run;
  run.config = ParseVetConfig(
                   "name: x\nevals:\n- {name: clock, type: cpu}\n"
                   "- {name: fs.write, type: memory}\n",
                   "x.yaml", std::nullopt)
                   .value();
  for (const char* host : {"n1.example.org", "n2.example.org"}) {
    NodeReport& node = run.nodes.emplace_back();
    node.host = host;
    node.results.resize(2);
    for (auto& result : node.results) {
      result.set_status(node::v1::VET_STATUS_PASSED);
    }
  }
  run.nodes[0].results[1].set_status(node::v1::VET_STATUS_FAILED);
  run.nodes[0].results[1].set_reason("read-only");
  return run;
}

TEST_CASE("vet report: a user needs a job", "[vet]") {
  for (const Variables& variables :
       {Variables(), Variables{{"SLURM_JOB_ID", "0"}},
        Variables{{"SLURM_JOB_ID", "x"}}}) {
    CHECK_THAT(MakeRunReport(TwoNodes(), {}, false, "n1", Reading(variables)),
               StatusIs(absl::StatusCode::kFailedPrecondition, "in a job"));
  }
}

TEST_CASE("vet report: without carme-hook-report no request is known",
          "[vet]") {
  CHECK_THAT(IsRunRequested("n1", {}),
             StatusIs(absl::StatusCode::kUnavailable, "is not known"));
}

TEST_CASE("vet report: root reports its own node alone", "[vet]") {
  Options options;
  options.prolog_job = 17;
  const auto report =
      MakeRunReport(TwoNodes(), options, true, "n1.example.org", Reading({}));
  REQUIRE_THAT(report, IsOk());
  CHECK(report->slurm_job_id() == 0);
  CHECK(report->prolog_slurm_job_id() == 17);
  REQUIRE(report->nodes_size() == 1);
  CHECK(report->nodes(0).node() == "n1");
  REQUIRE(report->nodes(0).passed_size() == 1);
  CHECK(report->nodes(0).passed(0) == "clock");
  REQUIRE(report->nodes(0).failures_size() == 1);
  CHECK(report->nodes(0).failures(0).evaluation() == "fs.write");
  CHECK(report->nodes(0).failures(0).reason() == "read-only");
  const auto named = MakeRunReport(TwoNodes(), {}, true, "n1.example.org",
                                   Reading({{"SLURMD_NODENAME", "node001"}}));
  REQUIRE_THAT(named, IsOk());
  CHECK(named->nodes(0).node() == "node001");
  CHECK(named->run_id() != report->run_id());
}

TEST_CASE("vet report: a node without a result has failed", "[vet]") {
  VetRun run = TwoNodes();
  for (auto& result : run.nodes[1].results) {
    result.set_status(node::v1::VET_STATUS_UNKNOWN);
  }
  const auto report = MakeRunReport(run, {}, false, "n1.example.org",
                                    Reading({{"SLURM_JOB_ID", "42"}}));
  REQUIRE_THAT(report, IsOk());
  CHECK(report->slurm_job_id() == 42);
  CHECK(report->prolog_slurm_job_id() == 0);
  REQUIRE(report->nodes_size() == 2);
  CHECK(report->nodes(1).node() == "n2");
  REQUIRE(report->nodes(1).failures_size() == 2);
  CHECK(report->nodes(1).failures(0).reason() == "no result");
}

TEST_CASE("vet report: what was skipped is neither passed nor failed",
          "[vet]") {
  VetRun run = TwoNodes();
  run.nodes[1].results[0].set_status(node::v1::VET_STATUS_SKIPPED);
  const auto report =
      MakeRunReport(run, {}, true, "n2.example.org", Reading({}));
  REQUIRE_THAT(report, IsOk());
  CHECK(report->nodes(0).passed_size() == 1);
  CHECK(report->nodes(0).failures().empty());
}

}  // namespace
}  // namespace carme::vet
