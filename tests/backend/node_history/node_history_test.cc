#include "backend/node_history/node_history.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "backend/store/database.h"
#include "tests/backend/node_history/cluster_of_nodes.h"
#include "tests/support/fake_clock.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

struct HistorySite {
  NodeVetRun Failed(const std::string& run, const std::string& evaluation,
                    const std::string& reason = "read-only") {
    NodeVetRun report{.source = v1::NODE_ENTRY_SOURCE_SITE_VET, .run = run};
    v1::NodeVetReport& node = report.nodes.emplace_back();
    node.set_node("n1");
    v1::VetFailure* const failure = node.add_failures();
    failure->set_evaluation(evaluation);
    failure->set_reason(reason);
    return report;
  }
  std::vector<NodeEntry> Entries(const std::string& node = "n1") {
    return history.Read(node, 0, 1000).value();
  }

  FakeClock clock;
  FakeNodeCluster cluster{&clock};
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  NodeHistory history{database.get(), &clock, &cluster};
};

TEST_CASE("node history: refuses runs that are not well-formed", "[backend]") {
  HistorySite site;
  for (const std::string& run :
       {std::string(), std::string(65, 'a'), std::string("a b")}) {
    CHECK_THAT(site.history.RecordVetRun(site.Failed(run, "fs")),
               StatusIs(absl::StatusCode::kInvalidArgument));
  }
  NodeVetRun other = site.Failed("r1", "fs");
  other.nodes[0].set_node("login\n1");
  CHECK_THAT(site.history.RecordVetRun(other),
             StatusIs(absl::StatusCode::kNotFound, "\"login?1\""));
  NodeVetRun many = site.Failed("r1", "fs");
  for (int i = 0; i < 64; ++i) *many.nodes[0].add_failures() = {};
  CHECK_THAT(site.history.RecordVetRun(many),
             StatusIs(absl::StatusCode::kInvalidArgument, "65 evaluations"));
  NodeVetRun nodes = site.Failed("r1", "fs");
  nodes.nodes.resize(1001, nodes.nodes[0]);
  CHECK_THAT(site.history.RecordVetRun(nodes),
             StatusIs(absl::StatusCode::kInvalidArgument, "1001 nodes"));
  CHECK(site.Entries().empty());
}

TEST_CASE("node history: is not known while Slurm does not respond",
          "[backend]") {
  HistorySite site;
  site.cluster.seen_.nodes.clear();
  CHECK_THAT(site.history.RecordVetRun(site.Failed("r1", "fs")),
             StatusIs(absl::StatusCode::kUnavailable));
}

TEST_CASE("node history: names the nodes that failed in a user's run alone",
          "[backend]") {
  HistorySite site;
  NodeVetRun run = site.Failed("a23456789abcdefg", "fs");
  run.source = v1::NODE_ENTRY_SOURCE_JOB_VET;
  run.nodes.push_back(run.nodes[0]);
  run.nodes[0].set_node("n3");
  run.nodes[1].set_node("n2");
  v1::VetFailure* const second = run.nodes[1].add_failures();
  second->set_evaluation("dns");
  v1::NodeVetReport& passed = run.nodes.emplace_back();
  passed.set_node("n4");
  passed.add_passed("fs");
  REQUIRE_THAT(site.history.RecordVetRun(run), IsOk());
  // Another job's, and a run of the site with the same id.
  NodeVetRun other = run;
  other.run = "b23456789abcdefg";
  other.nodes[0].set_node("n5");
  REQUIRE_THAT(site.history.RecordVetRun(other), IsOk());
  REQUIRE_THAT(site.history.RecordVetRun(site.Failed("a23456789abcdefg", "fs")),
               IsOk());
  CHECK(site.history.FailedNodesOf("c23456789abcdefg").value().empty());
  CHECK(site.history.FailedNodesOf("a23456789abcdefg").value() ==
        std::vector<std::string>{"n2", "n3"});
}

TEST_CASE("node history: hostile text is readable and bounded", "[backend]") {
  HistorySite site;
  REQUIRE_THAT(site.history.RecordVetRun(site.Failed(
                   "r1", "fs\x1b[2J" + std::string(500, 'x'),
                   "\x1b]0;owned\a\n" + std::string(100'000, 'y') + "\xff")),
               IsOk());
  const auto entries = site.Entries();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].name.size() == NodeHistory::kMaxNameBytes);
  CHECK(entries[0].text.text.size() == NodeHistory::kMaxTextBytes);
  for (const std::string& text : {entries[0].name, entries[0].text.text}) {
    for (const char c : text) CHECK(static_cast<unsigned char>(c) >= 0x20);
  }
}

TEST_CASE("node history: a report that is sent again is ignored", "[backend]") {
  HistorySite site;
  for (int i = 0; i < 3; ++i) {
    REQUIRE_THAT(site.history.RecordVetRun(site.Failed("r1", "fs")), IsOk());
  }
  CHECK(site.Entries().size() == 1);
}

TEST_CASE("node history: a flood of one job leaves what the site found",
          "[backend]") {
  HistorySite site;
  REQUIRE_THAT(site.history.RecordVetRun(site.Failed("r1", "fs")), IsOk());
  NodeVetRun flood = site.Failed("job1", "x");
  flood.source = v1::NODE_ENTRY_SOURCE_JOB_VET;
  for (int i = 0; i < 500; ++i) {
    flood.nodes[0].mutable_failures(0)->set_evaluation(absl::StrCat("e", i));
    REQUIRE_THAT(site.history.RecordVetRun(flood), IsOk());
  }
  CHECK(site.Entries().size() == 1 + size_t{NodeHistory::kMaxEntriesOfRun});
  // Many jobs displace each other's entries only.
  for (int i = 0; i < 500; ++i) {
    flood.run = absl::StrCat("job", i);
    REQUIRE_THAT(site.history.RecordVetRun(flood), IsOk());
  }
  const auto entries = site.Entries();
  CHECK(entries.size() == 1 + size_t{kMaxEntriesOfNode});
  CHECK(entries.back().source == v1::NODE_ENTRY_SOURCE_SITE_VET);
}

TEST_CASE("node history: runs that pass displace no failure", "[backend]") {
  HistorySite site;
  REQUIRE_THAT(site.history.RecordVetRun(site.Failed("r1", "fs")), IsOk());
  NodeVetRun passed{.source = v1::NODE_ENTRY_SOURCE_SITE_VET};
  v1::NodeVetReport& node = passed.nodes.emplace_back();
  node.set_node("n1");
  node.add_passed("fs");
  for (int i = 0; i < 300; ++i) {
    passed.run = absl::StrCat("p", i);
    REQUIRE_THAT(site.history.RecordVetRun(passed), IsOk());
  }
  const auto entries = site.Entries();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].run == "p299");
  CHECK(entries[1].name == "fs");
}

TEST_CASE("node history: entries of nodes that Slurm lacks are dropped",
          "[backend]") {
  HistorySite site;
  std::vector<NodeEntry> entries = {{.node = "n1", .run = "1"},
                                    {.node = "cloud7", .run = "1"}};
  REQUIRE_THAT(site.history.Record(entries), IsOk());
  CHECK(site.Entries().size() == 1);
  CHECK(site.Entries("cloud7").empty());
}

TEST_CASE("node history: what waits is bounded, and written at the next flush",
          "[backend]") {
  HistorySite site;
  std::vector<NodeEntry> many;
  for (size_t i = 0; i < NodeHistory::kMaxQueued + 5; ++i) {
    many.push_back({.node = i == 0 ? "n1" : absl::StrCat("x", i), .run = "1"});
  }
  site.history.Enqueue(many);
  site.history.Enqueue({{.node = "n2", .run = "1"}});
  CHECK(site.Entries().empty());
  REQUIRE_THAT(site.history.Flush(), IsOk());
  CHECK(site.Entries().size() == 1);
  CHECK(site.Entries("n2").empty());
}

TEST_CASE("node history: reads page by page, the newest first", "[backend]") {
  HistorySite site;
  for (const char* run : {"1", "2", "3"}) {
    REQUIRE_THAT(site.history.RecordVetRun(site.Failed(run, "fs")), IsOk());
    site.clock.Advance(absl::Seconds(1));
  }
  const auto first = site.history.Read("n1", 0, 2).value();
  REQUIRE(first.size() == 2);
  CHECK(first[0].run == "3");
  const auto next = site.history.Read("n1", first[1].sequence, 2).value();
  REQUIRE(next.size() == 1);
  CHECK(next[0].run == "1");
}

}  // namespace
}  // namespace carme::backend
