#include "backend/node_history/rules/vet_request.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);
constexpr absl::Duration kInterval = absl::Minutes(30);
constexpr auto kSite = v1::NODE_ENTRY_SOURCE_SITE_VET;
constexpr auto kRule = v1::NODE_ENTRY_SOURCE_RULE;

class VettedNode {
 public:
  VettedNode() {
    rules_.rules = {{.name = "vet-again",
                     .sources = {v1::NODE_ENTRY_SOURCE_JOB_VET},
                     .action = NodeRuleAction::kRevet},
                    {.name = "tell",
                     .sources = {v1::NODE_ENTRY_SOURCE_JOB_VET},
                     .action = NodeRuleAction::kNotify}};
  }
  VettedNode& Add(absl::Duration ago, v1::NodeEntrySource source,
                  const std::string& name) {
    entries_.push_back({.sequence = static_cast<int64_t>(entries_.size() + 1),
                        .node = "n1",
                        .at = kNow - ago,
                        .source = source,
                        .name = name});
    return *this;
  }
  bool IsRequested(bool is_drained = false) const {
    return IsVetRequested(rules_, entries_, is_drained, kInterval, kNow);
  }

 private:
  NodeRules rules_;
  std::vector<NodeEntry> entries_;
};

TEST_CASE("vet request: none without a rule that asks for it", "[backend]") {
  CHECK_FALSE(VettedNode().IsRequested());
  CHECK_FALSE(VettedNode().Add(absl::Hours(1), kRule, "tell").IsRequested());
  // What a job's user reports under the name of a rule.
  CHECK_FALSE(
      VettedNode()
          .Add(absl::Hours(1), v1::NODE_ENTRY_SOURCE_JOB_VET, "vet-again")
          .IsRequested());
}

TEST_CASE("vet request: none soon after a run of the site", "[backend]") {
  VettedNode node;
  node.Add(absl::Minutes(29), kSite, "fs.write");
  node.Add(absl::Minutes(1), kRule, "vet-again");
  CHECK_FALSE(node.IsRequested());
  CHECK_FALSE(node.IsRequested(/*is_drained=*/true));
  // After a clock that was ahead.
  VettedNode ahead;
  ahead.Add(-absl::Minutes(20), kSite, "fs.write");
  CHECK_FALSE(ahead.IsRequested(/*is_drained=*/true));
}

TEST_CASE("vet request: a run of the site answers it, and so does a resumption",
          "[backend]") {
  CHECK_FALSE(VettedNode()
                  .Add(absl::Hours(2), kRule, "vet-again")
                  .Add(absl::Hours(1), kSite, "")
                  .IsRequested());
  CHECK_FALSE(VettedNode()
                  .Add(absl::Hours(2), kRule, "vet-again")
                  .Add(absl::Hours(1), kRule, kResumeEntry)
                  .IsRequested());
  // A user's run does not.
  CHECK(VettedNode()
            .Add(absl::Hours(2), kRule, "vet-again")
            .Add(absl::Minutes(1), v1::NODE_ENTRY_SOURCE_JOB_VET, "")
            .IsRequested());
}

TEST_CASE("vet request: made by a rule, and while a rule drains the node",
          "[backend]") {
  CHECK(VettedNode().Add(absl::Seconds(1), kRule, "vet-again").IsRequested());
  CHECK(VettedNode()
            .Add(absl::Minutes(31), kSite, "fs.write")
            .Add(absl::Minutes(1), kRule, "vet-again")
            .IsRequested());
  CHECK(VettedNode()
            .Add(absl::Minutes(31), kSite, "fs.write")
            .IsRequested(/*is_drained=*/true));
}

}  // namespace
}  // namespace carme::backend
