#include "slurm-hooks/vet/coordination/link_matrix.h"

#include <catch2/catch.hpp>
#include <set>

namespace carme::vet {
namespace {

const std::vector<std::string> kNames = {"n1", "n2", "n3", "n4", "n5"};

// All links of `nodes` nodes at 100 bytes a second.
std::vector<Link> Healthy(size_t nodes) {
  std::vector<Link> links;
  for (size_t a = 0; a < nodes; ++a) {
    for (size_t b = a + 1; b < nodes; ++b) {
      links.push_back({.a = a, .b = b, .latency_s = 1e-3, .bandwidth = 100});
    }
  }
  return links;
}

Parameters Limits(const std::string& key, double value) {
  Parameters limits;
  limits.Set(key, value);
  return limits;
}

std::set<std::pair<size_t, size_t>> Ends(const std::vector<BadLink>& links) {
  std::set<std::pair<size_t, size_t>> ends;
  for (const BadLink& link : links) ends.emplace(link.a, link.b);
  return ends;
}

TEST_CASE("vet links: a slow link is named with both ends", "[vet]") {
  std::vector<Link> links = Healthy(4);
  links[3].bandwidth = 10;  // n2–n3
  const auto bad = FindBadLinks(links, Limits("min_bandwidth", 50), kNames);
  REQUIRE(bad.size() == 1);
  CHECK(bad[0].reason ==
        "link n2–n3: bandwidth 10 B/s: expected at least 50 B/s");
  const Attribution attribution = Attribute(bad);
  CHECK(attribution.guilty.empty());
  CHECK(Ends(attribution.undecided) ==
        std::set<std::pair<size_t, size_t>>{{1, 2}});
}

TEST_CASE("vet links: latency, errors and the median have limits", "[vet]") {
  std::vector<Link> links = Healthy(4);
  links[0].latency_s = 0.5;
  links[1].problem = "broken";
  links[2].bandwidth = 40;
  CHECK(Ends(FindBadLinks(links, Limits("max_latency", 0.1), kNames)) ==
        std::set<std::pair<size_t, size_t>>{{0, 1}, {0, 2}});
  CHECK(Ends(FindBadLinks(links, Limits("min_ratio", 0.5), kNames)) ==
        std::set<std::pair<size_t, size_t>>{{0, 2}, {0, 3}});
  // two links have no median that could be compared with
  std::vector<Link> two = {links[2], links[3]};
  CHECK(FindBadLinks(two, Limits("min_ratio", 0.5), kNames).empty());
}

TEST_CASE("vet links: NCCL must be faster than its limit, TCP as fast",
          "[vet]") {
  std::vector<Link> links = Healthy(3);
  links[1].is_by_nccl = true;
  const auto bad = FindBadLinks(links, Limits("min_bandwidth", 100), kNames);
  REQUIRE(bad.size() == 1);
  CHECK(bad[0].reason ==
        "link n1–n3: bandwidth 100 B/s by NCCL: expected more than 100 B/s");
  CHECK(FindBadLinks(links, Limits("min_bandwidth", 99), kNames).empty());
}

TEST_CASE("vet links: what was not measured is neither bad nor in the median",
          "[vet]") {
  std::vector<Link> links = Healthy(4);
  for (size_t i = 0; i < 4; ++i) {
    links[i].bandwidth = 0;
    links[i].skipped = "n1: this node has no GPU";
  }
  CHECK(FindBadLinks(links, Limits("min_bandwidth", 50), kNames).empty());
  // two are left, which have no median
  links[4].bandwidth = 10;
  CHECK(FindBadLinks(links, Limits("min_ratio", 0.5), kNames).empty());
}

TEST_CASE("vet links: a node with only bad links is guilty, not its partners",
          "[vet]") {
  std::vector<Link> links = Healthy(5);
  for (Link& link : links) {
    if (link.a == 2 || link.b == 2) link.bandwidth = 1;
  }
  const auto bad = FindBadLinks(links, Limits("min_bandwidth", 50), kNames);
  const Attribution attribution = Attribute(bad);
  CHECK(attribution.guilty == std::vector<size_t>{2});
  CHECK(attribution.undecided.empty());
}

TEST_CASE("vet links: two guilty nodes and a single link are told apart",
          "[vet]") {
  std::vector<BadLink> bad;
  for (size_t other : {1, 2, 3, 4, 5, 6}) bad.push_back({0, other, ""});
  for (size_t other : {2, 3, 4, 5}) bad.push_back({1, other, ""});
  bad.push_back({5, 6, ""});
  const Attribution attribution = Attribute(bad);
  CHECK(attribution.guilty == std::vector<size_t>{0, 1});
  CHECK(Ends(attribution.undecided) ==
        std::set<std::pair<size_t, size_t>>{{5, 6}});
}

TEST_CASE("vet links: a choice of nodes has no bad link inside", "[vet]") {
  const std::vector<BadLink> bad = {{0, 1, ""}, {2, 3, ""}, {3, 4, ""}};
  CHECK(WithoutBadLinks({0, 1, 2, 3, 4}, bad) == std::vector<size_t>{0, 2, 4});
  CHECK(WithoutBadLinks({0, 1}, {{0, 1, ""}}) == std::vector<size_t>{0});
  CHECK(WithoutBadLinks({1}, {{0, 1, ""}}) == std::vector<size_t>{1});
}

}  // namespace
}  // namespace carme::vet
