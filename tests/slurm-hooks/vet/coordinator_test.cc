// The coordinator with workers that misbehave.
#include "slurm-hooks/vet/coordination/coordinator.h"

#include <catch2/catch.hpp>

#include "slurm-hooks/vet/cli/report.h"
#include "tests/slurm-hooks/vet/worker_processes.h"
#include "tests/support/status_matchers.h"

namespace carme::vet {
namespace {

constexpr char kConfig[] =
    "name: x\nevals:\n"
    "- {name: Memory, type: memory}\n"
    "- {name: Clock, type: clock_skew}\n"
    "- {name: Links, type: links, payload: 1 MB}\n"
    "- {name: Last, type: memory}\n";

// Works until it has answered for one evaluation.
void DiesAfterFirstResult(Channel channel, uint32_t rank) {
  node::v1::VetPacket packet;
  packet.mutable_hello()->set_rank(rank);
  (void)channel.Send(packet);
  (void)channel.Await(absl::Seconds(10));
  (void)channel.Await(absl::Seconds(10));
  node::v1::VetPacket result;
  result.mutable_result()->set_status(node::v1::VET_STATUS_PASSED);
  (void)channel.Send(result);
}

node::v1::VetStatus StatusOf(const VetRun& run, size_t node,
                             size_t evaluation) {
  return run.nodes[node].results[evaluation].status();
}

TEST_CASE("vet coordinator: no node at all is no verdict about nodes",
          "[vet]") {
  CHECK_THAT(TryWith(kConfig, {nullptr, nullptr}, absl::Seconds(1)),
             StatusIs(absl::StatusCode::kUnavailable, "no node has connected"));
}

TEST_CASE("vet coordinator: a node that dies is unknown, hence unhealthy",
          "[vet]") {
  const VetRun run = RunWith(kConfig, {Honest, DiesAfterFirstResult, Honest});
  INFO(TextReport(run, true));
  CHECK(run.nodes[0].is_healthy());
  CHECK(run.nodes[2].is_healthy());
  CHECK(StatusOf(run, 1, 0) == node::v1::VET_STATUS_PASSED);
  for (const size_t evaluation : {1, 2, 3}) {
    CHECK(StatusOf(run, 1, evaluation) == node::v1::VET_STATUS_UNKNOWN);
    CHECK(run.nodes[1].results[evaluation].reason().starts_with(
        "the node was lost during the run"));
  }
  CHECK(run.Healthy() == std::vector<size_t>{0, 2});
}

TEST_CASE("vet coordinator: a node that never connects is unhealthy", "[vet]") {
  const VetRun run = RunWith(kConfig, {Honest, nullptr}, absl::Seconds(2));
  CHECK(run.nodes[0].is_healthy());
  CHECK_FALSE(run.nodes[1].is_healthy());
  CHECK(TextReport(run, false)
            .find("n2: unknown \"Memory\" (memory): the node "
                  "has not connected within 2 s\n") != std::string::npos);
}

TEST_CASE("vet coordinator: healthy nodes are compared in pairs", "[vet]") {
  const VetRun run = RunWith(kConfig, {Honest, Honest, Honest});
  INFO(TextReport(run, true));
  CHECK(run.Healthy().size() == 3);
  CHECK(run.rounds == 3);
  REQUIRE(run.links.size() == 3);
  for (const Link& link : run.links) {
    CHECK(link.problem.empty());
    CHECK(link.bandwidth > 1e6);
    CHECK(link.latency_s > 0);
  }
  CHECK(TextReport(run, false) == "Vetted: n1\nVetted: n2\nVetted: n3\n");
}

TEST_CASE("vet report: a link that is bad cordons both ends, or the guilty one",
          "[vet]") {
  VetRun run;
  run.config = *ParseVetConfig(kConfig, "v.yaml");
  for (const char* host : {"n1", "n2"}) {
    NodeReport node{.host = host};
    node.results.resize(4);
    for (auto& result : node.results) {
      result.set_status(node::v1::VET_STATUS_PASSED);
    }
    node.results[2].set_status(node::v1::VET_STATUS_FAILED);
    node.results[2].set_reason("link n1–n2: slow");
    node.is_bad_by_links_alone = true;
    run.nodes.push_back(node);
  }
  run.bad_links = {{0, 1, "link n1–n2: slow"}};
  CHECK(TextReport(run, false) ==
        "2 nodes: failed \"Links\" (links): link n1–n2: slow\n"
        "Cordon: n1\nCordon: n2\n");
  CHECK(run.Healthy() == std::vector<size_t>{0});
  CHECK(GridReport(run) ==
        "node  Memory   Clock    Links    Last     verdict\n"
        "n1    passed   passed   failed   passed   cordon\n"
        "n2    passed   passed   failed   passed   cordon\n");
}

}  // namespace
}  // namespace carme::vet
