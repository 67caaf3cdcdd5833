#include "slurm-hooks/agent/multi_node/node_vetting.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/support/status_matchers.h"

namespace carme::agent {
namespace {

using std::string_literals::operator""s;

TEST_CASE("node vetting: a first node that is not healthy is refused",
          "[agent]") {
  const auto nodes =
      ReadVettedNodes("SLURM_JOB_NODELIST=n2,n3\0SLURM_NNODES=2\0"s, "n1");
  CHECK(nodes.status().message() ==
        "n1, the first node of the job, is not healthy");
  CHECK_FALSE(ReadVettedNodes("", "n1").ok());
}

TEST_CASE("node vetting: gives the variables and the other nodes", "[agent]") {
  const auto nodes = ReadVettedNodes(
      "A=1\n2\0SLURM_JOB_NODELIST=n1,n3\0SLURM_NNODES=2\0"s, "n1");
  REQUIRE_THAT(nodes, IsOk());
  CHECK(nodes->other_nodes == std::vector<std::string>{"n3"});
  CHECK(nodes->variables == std::vector<std::string>{"A=1\n2",
                                                     "SLURM_JOB_NODELIST=n1,n3",
                                                     "SLURM_NNODES=2"});
}

TEST_CASE("node vetting: the summary has the failures only", "[agent]") {
  CHECK(SummarizeVetting(
            "n2: failed \"Scratch\" (filesystem): no space left\n"
            "Vetted: n1\nCordon: n2\n"
            "carme vet: 1 of 2 nodes are healthy: expected 2; the command was "
            "not started\n") ==
        "n2: failed \"Scratch\" (filesystem): no space left; 1 of 2 nodes are "
        "healthy: expected 2");
  CHECK(SummarizeVetting("Vetted: n1\nVetted: n2\ncarme vet: starting on "
                         "n1,n2\ncarme vet: the results were not reported: x\n")
            .empty());
}

TEST_CASE("node vetting: a long output is cut", "[agent]") {
  CHECK(SummarizeVetting(std::string(5000, 'x')).size() <= 303);
}

}  // namespace
}  // namespace carme::agent
