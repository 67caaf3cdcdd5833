#include "backend/rpc/metrics/node_findings.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace carme::backend {
namespace {

Job JobOn(std::vector<std::string> nodes) {
  Job job;
  job.id = JobId("k3v9x2m8q1w7e5r4");
  job.owner = "ada";
  job.slurm_id = SlurmJobId(17);
  job.nodes = std::move(nodes);
  return job;
}

v1::RecordNodeFindingsRequest XidOn(const std::string& node) {
  v1::RecordNodeFindingsRequest request;
  v1::NodeFinding* const finding = request.add_findings();
  finding->set_node(node);
  finding->set_rule("xid");
  finding->set_title("The GPU's driver reports an error");
  finding->set_severity(v1::JobFinding::SEVERITY_ERROR);
  return request;
}

TEST_CASE("node findings: a job says nothing about nodes that it does not have",
          "[backend]") {
  CHECK(NodeEntriesOf(XidOn("n3"), JobOn({"n1", "n2"})).empty());
  CHECK(NodeEntriesOf(XidOn(""), JobOn({"n1", "n2"})).empty());
  CHECK(NodeEntriesOf(XidOn("n1"), JobOn({})).empty());
}

TEST_CASE("node findings: an error of one of several nodes is in its history",
          "[backend]") {
  const auto entries = NodeEntriesOf(XidOn("n2"), JobOn({"n1", "n2", "n3"}));
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].node == "n2");
  CHECK(entries[0].text.text == "The GPU's driver reports an error");
}

TEST_CASE("node findings: count once a job, and never for a drain",
          "[backend]") {
  for (const char* node : {"n1", ""}) {
    const auto entries = NodeEntriesOf(XidOn(node), JobOn({"n1"}));
    REQUIRE(entries.size() == 1);
    CHECK(entries[0].node == "n1");
    CHECK(entries[0].name == "xid");
    CHECK(entries[0].run == "k3v9x2m8q1w7e5r4");
    CHECK(entries[0].severity == v1::NODE_ENTRY_SEVERITY_ERROR);
    CHECK_FALSE(IsSiteRun(entries[0].source));
  }
}

}  // namespace
}  // namespace carme::backend
